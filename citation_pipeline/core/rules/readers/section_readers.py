"""Readers of what stands under a heading of running text: `Work restrictions. No lifting over 20 pounds.`

A heading is a short sentence, or a line of its own, in the words that a field's `sections` give. Its
sentences go up to the next heading. Marked lines below a heading belong to `list_readers`, labels with a
colon to `label_readers`.
"""

import re
from collections.abc import Iterator, Sequence

from citation_pipeline.core.rules.document_sentences import Sentence
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import Lexicon
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.readers.candidates import Candidate, affinity_of
from citation_pipeline.core.rules.readers.label_readers import read_value
from citation_pipeline.core.values.dates import find_dates

_MARK = re.compile(r"^(?:\(?(?:[IVX]{1,5}|\d{1,2}|[A-Ha-h])[.)]\s+|[\u2022*\u2013-]\s*)")
_HEADING = re.compile(r"^(?-i:[A-Z])[^.;?!:$\d]{1,60}[.:]?$")
_MOST_WORDS = 8
_MOST_SENTENCES = 4
# Free text is the first sentence under its heading, with the next ones while it is shorter than this.
_SHORT = 45
# A screen's boxes under a title are labels with values, and no running text.
_BOXES = frozenset({"field", "grid", "below", "under"})
_HEADERS = frozenset({"Section Header", "Title"})


def read_sections(reading: DocumentReading, lexicon: Lexicon) -> Iterator[Candidate]:
    """Return what the sentences under the headings of all fields say."""
    fields = [(rules, affinity_of(rules, reading)) for rules in lexicon.fields.values() if rules.sections]
    wanted = [(rules, affinity) for rules, affinity in fields if affinity > 0]
    if not wanted or reading.first_entry is not None:
        return
    for title, letter, told in _lettered(reading):
        for rules, affinity in wanted:
            if any(section.fullmatch(title) for section in rules.sections):
                unit = join((letter, told))
                yield from read_value(reading, rules, told, unit, reading.date, affinity, "section")
    # what a table lists under its heads, `table_readers` read
    tabled = {
        word
        for table in reading.tables
        if any(table.header)
        for cell in table.cells
        for word in cell.word_ids
    }
    boxed = {pair.label.words[0] for pair in reading.pairs if pair.method in _BOXES and pair.label.words}
    for heading, body in _sections(reading):
        title = _MARK.sub("", heading.passage.text).rstrip(" .:")
        for rules, affinity in wanted:
            if not any(section.fullmatch(title) for section in rules.sections):
                continue
            if rules.kind == "list" and rules.tables and not tabled.isdisjoint(body[0].passage.words):
                continue
            if body[0].passage.words[0] in boxed:
                continue
            told = _enough(body) if rules.kind == "text" else join(s.passage for s in body)
            unit = join((heading.passage, told))
            yield from read_value(reading, rules, told, unit, heading.as_of, affinity, "section")


# A chart's notes are parted by letters: what is subjective, objective, assessed, planned.
_LETTERS = {
    "A": "assessment",
    "A/P": "assessment",
    "Imp": "impression",
    "Dx": "diagnosis",
    "Rx": "medications",
}


def _lettered(reading: DocumentReading) -> Iterator[tuple[str, Passage, Passage]]:
    """Return the parts of a chart by their letters: the title meant, the letter, what is beside it."""
    rows = reading.rows
    for row in rows:
        first = row.segments[0]
        title = _LETTERS.get(first.text.rstrip(":."))
        if title is None or len(row.segments) < _WITH_TEXT:
            continue
        told = [segment.passage for segment in row.segments[1:]]
        for below in rows[row.number + 1 : row.number + 6]:
            goes_on = len(below.segments) == 1 and len(below.words) > 1 and below.page == row.page
            if not goes_on or find_dates(below.text[:_DAY]):
                break
            told.append(below.passage)
        whole = join(told)
        if title == "medications" or _FIRST_ITEM.match(whole.text):
            yield title, first.passage, whole


_WITH_TEXT = 2
# What is assessed is a list where it is numbered; else it tells of progress too.
_FIRST_ITEM = re.compile(r"\(?1[.)]\s")
_DAY = 12


def _sections(reading: DocumentReading) -> Iterator[tuple[Sentence, Sequence[Sentence]]]:
    sentences = [sentence for sentence in reading.sentences if sentence.passage.words]
    headings = [_is_heading(sentence, reading) for sentence in sentences]
    for number, sentence in enumerate(sentences):
        if not headings[number]:
            continue
        body: list[Sentence] = []
        last = sentence.passage.words[-1]
        for place in range(number + 1, min(number + 1 + _MOST_SENTENCES, len(sentences))):
            following = sentences[place]
            if headings[place] or following.passage.words[0] != last + 1:
                break
            body.append(following)
            last = following.passage.words[-1]
        if body:
            yield sentence, body


def _is_heading(sentence: Sentence, reading: DocumentReading) -> bool:
    text = _MARK.sub("", sentence.passage.text)
    if len(text.split()) > _MOST_WORDS or not _HEADING.match(text):
        return False
    words = reading.document.words
    block = reading.document.blocks[int(words.block[sentence.passage.words[0]])]
    return text.endswith((".", ":")) or block.type in _HEADERS or text.isupper()


def _enough(body: Sequence[Sentence]) -> Passage:
    told = [body[0].passage]
    for sentence in body[1:]:
        if sum(len(passage.text) for passage in told) >= _SHORT:
            break
        told.append(sentence.passage)
    return join(told)
