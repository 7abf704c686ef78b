"""One document made ready for the rules: its rows, pairs, sentences, notes, answers, kind and date."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan

from citation_pipeline.core.document_types import Recognition, own_date, recognize_type
from citation_pipeline.core.documents import ParsedDocument
from citation_pipeline.core.layout.forms import KeyValue, checkboxes_of, fields_of
from citation_pipeline.core.layout.tables import Table, tables_of
from citation_pipeline.core.rules.entries import Answer, Entry, read_answers, read_entries
from citation_pipeline.core.rules.layout import Row, read_rows
from citation_pipeline.core.rules.lexicon import Lexicon, label_words
from citation_pipeline.core.rules.pairs import Pair, pair_of_field, read_pairs
from citation_pipeline.core.rules.passages import (
    Passage,
    join,
    paragraphs,
    passage_of,
    sentences,
    without_leaders,
)
from citation_pipeline.core.values.dates import find_dates

_LEADER = re.compile(r"[.\u2026_]{4,}$")
_UNTICKED = re.compile(r"^\s*(?:\[\s*\]|\(\s*\)|\u2610|\u25a1|\u25cb)")
# A paragraph without a full stop may be a listing, a word without an end is noise: patterns on a page of
# either would cost minutes.
_LONGEST = 1500
_LONGEST_WORD = 120
_EVENT = re.compile(r"^(?:on|dated|as of)\s", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """A sentence with the day it speaks for: its note's, or the document's; `row` is a tabular note's row.

    `is_head` marks a line above a log's first note, whose labels the page's own rows show better.
    """

    passage: Passage
    as_of: str
    row: Passage | None = None
    is_head: bool = False

    @property
    def unit(self) -> Passage:
        """What a citation of the sentence shows: itself, or the table row that it stands in."""
        return self.row or self.passage


def is_readable(text: str, *, longest: int = _LONGEST) -> bool:
    """Tell whether expressions can be tried on a text without its length costing more than it says."""
    if not any(map(str.isalpha, text)):
        return len(text) <= _LONGEST_WORD
    return len(text) <= longest and max(map(len, text.split()), default=0) <= _LONGEST_WORD


@dataclass(frozen=True)
class DocumentReading:
    """Everything the readers need of one document; `number` is its place in the claim.

    `first_entry` is the row where the dated notes begin, None where there are none; `ticked` holds the
    statements whose boxes are ticked, `unticked` the words of those whose boxes are empty.
    """

    number: int
    document: ParsedDocument
    recognition: Recognition
    first_entry: int | None
    rows: Sequence[Row]
    pairs: Sequence[Pair]
    sentences: Sequence[Sentence]
    answers: Sequence[Answer]
    tables: Sequence[Table]
    ticked: Sequence[Passage]
    unticked: frozenset[int]

    @cached_property
    def statements(self) -> Sequence[tuple[Sentence, str]]:
        """The sentences that state something, with their texts: no questions, no empty boxes."""
        said = ((sentence, sentence.passage.text) for sentence in self.sentences)
        return tuple(
            (sentence, text)
            for sentence, text in said
            if is_readable(text) and not text.endswith("?") and not _UNTICKED.match(text)
        )

    @property
    def type(self) -> str:
        """The document's kind, empty when unknown."""
        return self.recognition.type

    @property
    def date(self) -> str:
        """The document's own date, empty when unknown."""
        return self.recognition.date


def read_document(document: ParsedDocument, *, number: int, lexicon: Lexicon) -> DocumentReading:
    """Read one document's layout once, for all fields."""
    rows = read_rows(document)
    recognition = recognize_type(document, rows, lexicon.documents)
    rules = lexicon.documents.get(recognition.type)
    tables = tuple(tables_of(document))
    pairs = [*_field_pairs(document, rows, lexicon), *_row_pairs(document, rows, tables, lexicon)]
    entries = read_entries(rows) if rules and rules.has_entries else []
    newest = max((entry.date for entry in entries), default="")
    date = own_date(document, rows, pairs, rules, newest_entry=newest)
    boxes = list(checkboxes_of(document))
    unticked = frozenset(word for box in boxes if not box.checked for word in box.label_ids)
    return DocumentReading(
        number=number,
        document=document,
        recognition=Recognition(recognition.type, recognition.score, date),
        first_entry=entries[0].row if entries else None,
        rows=rows,
        pairs=pairs,
        sentences=tuple(
            s
            for s in (
                *_head_of_log(rows, entries, date),
                *_sentences(document, entries, date),
                *_paired(pairs, entries, date),
            )
            if _is_said(s.passage, unticked)
        ),
        answers=tuple(read_answers(rows)),
        tables=tables,
        ticked=tuple(passage_of(document, box.label_ids) for box in boxes if box.checked and box.label_ids),
        unticked=unticked,
    )


def _field_pairs(document: ParsedDocument, rows: Sequence[Row], lexicon: Lexicon) -> Iterator[Pair]:
    """Return the pairs of the fields that the parser itself found."""
    row_of = {word: row.number for row in rows for word in row.words}
    for field in _whole_fields(document, lexicon):
        label = without_leaders(passage_of(document, field.label_ids))
        value = without_leaders(passage_of(document, field.value_ids))
        if not (label.words and value.words):
            continue
        first = label.words[0]
        yield from pair_of_field(
            label,
            value,
            lexicon.labels,
            page=int(document.words.page[first]),
            row=row_of.get(first, 0),
            is_recognized=not isnan(float(document.words.confidence[first])),
        )


_TWO_FIELDS = re.compile(r":\s+\S|^\S*\d\S*$")
_OPENS_FIELD = re.compile(r"^[A-Z][\w /.&'-]{1,30}:(?:\s|$)")
_GOES_ON_WITH_FIELD = re.compile(r"[.;] [A-Z][\w/&'-]{1,20}(?: [\w/&'-]{1,15}){0,2}: ")


def _whole_fields(document: ParsedDocument, lexicon: Lexicon) -> Iterator[KeyValue]:
    """Return the parser's fields, but not those where two fields side by side were taken for one."""
    for field in fields_of(document):
        label = " ".join(document.words.texts[word] for word in field.label_ids)
        value = " ".join(document.words.texts[word] for word in field.value_ids)
        if not (label and value) or _TWO_FIELDS.search(label) or _OPENS_FIELD.match(value):
            continue
        if _GOES_ON_WITH_FIELD.search(value[:900]):
            continue
        if not (_are_headings(label, value, lexicon)):
            yield field


def _are_headings(label: str, value: str, lexicon: Lexicon) -> bool:
    """Tell whether two bare labels stand side by side: each heads a column of its own."""
    if label.rstrip().endswith((":", ".", "?", "#", "_")):
        return False
    return all(_is_label(text, lexicon) for text in (label, value))


def _is_label(text: str, lexicon: Lexicon) -> bool:
    words = label_words(text)
    found = lexicon.labels.longest(words, 0)
    return found is not None and found[0] == len(words)


def _row_pairs(
    document: ParsedDocument, rows: Sequence[Row], tables: Sequence[Table], lexicon: Lexicon
) -> Iterator[Pair]:
    """Return the pairs that the rows show, where the parser saw neither a field nor a table of records."""
    taken = {
        word for field in _whole_fields(document, lexicon) for word in (*field.label_ids, *field.value_ids)
    }
    for table in tables:
        taken.update(_record_words(table, lexicon))
    for pair in read_pairs(rows, lexicon.labels):
        if pair.label.words[0] not in taken:
            yield pair


def _record_words(table: Table, lexicon: Lexicon) -> Iterator[int]:
    """Return the words of a table that are no labels: heads of columns, and all of a table of records."""
    firsts: dict[int, str] = {}
    for cell in table.cells:
        if cell.text.strip():
            firsts.setdefault(cell.row, cell.text)
    known = sum(lexicon.labels.longest(label_words(text), 0) is not None for text in firsts.values())
    is_grid = known >= 0.4 * max(len(firsts), 1)
    for cell in table.cells:
        if not is_grid or (cell.row == 0 and table.columns >= 3 and cell.is_header and table.rows > 2):
            yield from cell.word_ids


def _head_of_log(rows: Sequence[Row], entries: Sequence[Entry], date: str) -> Iterator[Sentence]:
    """Return the lines above the first dated note, each as a statement."""
    for row in rows[: entries[0].row] if entries else ():
        yield Sentence(join(Passage(s.words, s.texts) for s in row.segments), date, is_head=True)


def _paired(pairs: Sequence[Pair], entries: Sequence[Entry], date: str) -> Iterator[Sentence]:
    """Return label and value as one statement where they stand apart on the page."""
    for pair in pairs:
        apart = pair.method in ("right", "below") and len(pair.value.text) < 200
        if apart and not (entries and pair.row >= entries[0].row):
            yield Sentence(join((pair.label, pair.value)), date)


def _is_said(sentence: Passage, unticked: frozenset[int]) -> bool:
    """Tell whether a sentence is a statement: no empty box stands before it, no dots wait for a value."""
    return sentence.words[0] not in unticked and not _LEADER.search(sentence.texts[-1])


def _sentences(document: ParsedDocument, entries: Sequence[Entry], date: str) -> Iterator[Sentence]:
    if entries:
        in_table = {word for table in tables_of(document) for cell in table.cells for word in cell.word_ids}
        for entry in entries:
            row = entry.whole if entry.whole.words[0] in in_table else None
            for sentence in sentences(entry.body):
                yield Sentence(sentence, entry.date, row)
        return
    for paragraph in paragraphs(document):
        for sentence in sentences(paragraph):
            yield Sentence(sentence, event_date(sentence, date))


def event_date(sentence: Passage, date: str) -> str:
    """Return the day of a sentence that tells history (`On January 27, 2020 he was seen by ...`)."""
    if _EVENT.match(sentence.text):
        found = find_dates(sentence.text[:40])
        if found and found[0].start <= 4 and str(found[0].value) < date:
            return str(found[0].value)
    return date
