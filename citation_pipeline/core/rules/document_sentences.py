"""The sentences of a document, each with the day that it speaks for: its note's, or the document's."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.layout.tables import tables_of
from citation_pipeline.core.rules.pages.entries import Entry, is_in_error
from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.rules.pages.pairs import Pair, is_one_of_columns
from citation_pipeline.core.rules.pages.paragraphs import read_paragraphs
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.pages.sentences import cut_sentences
from citation_pipeline.core.values.dates import find_dates

_LEADER = re.compile(r"[.\u2026_]{4,}$")
# A paragraph without a full stop may be a listing, a word without an end is noise: patterns on a page of
# either would cost minutes.
_LONGEST = 1500
_LONGEST_WORD = 120
_EVENT = re.compile(r"^(?:on|dated|as of)\s", re.IGNORECASE)
# `When the query was run on 11/20/2023 she was not identified`: true of that day, whenever it is told.
_WHEN = re.compile(
    r"^\W*(?:when|at the time|back|after|once|in (?:the|my|our|his|her|an?)|per|according to|"
    r"the \w+ (?:of|dated|on))\b"
    r"[^;]{0,80}?\b(?:on|of|dated|in)\s+$",
    re.IGNORECASE,
)
_TELLS_OF_BEFORE = re.compile(
    r"\b(?:was|were|had|did|said|found|showed|came back|returned|answered)\b", re.IGNORECASE
)


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
        """What a citation of the sentence shows: itself, or the table row that it is in."""
        return self.row or self.passage


def is_readable(text: str, *, longest: int = _LONGEST) -> bool:
    """Tell whether expressions can be tried on a text without its length costing more than it says."""
    if not any(map(str.isalpha, text)):
        return len(text) <= _LONGEST_WORD
    return len(text) <= longest and max(map(len, text.split()), default=0) <= _LONGEST_WORD


def read_sentences(
    document: ParsedDocument,
    rows: Sequence[Row],
    pairs: Sequence[Pair],
    entries: Sequence[Entry],
    *,
    date: str,
    unticked: frozenset[int],
) -> tuple[Sentence, ...]:
    """Return what the document states; `date` is its own, `unticked` the words behind empty boxes."""
    found = (
        *_head_of_log(rows, entries, date),
        *_sentences(document, entries, date),
        *_paired((pair for pair in pairs if not is_one_of_columns(rows, pair)), entries, date),
    )
    return tuple(sentence for sentence in found if _is_said(sentence.passage, unticked))


def _head_of_log(rows: Sequence[Row], entries: Sequence[Entry], date: str) -> Iterator[Sentence]:
    """Return the lines above the first dated note, each as a statement."""
    for row in rows[: entries[0].row] if entries else ():
        yield Sentence(row.passage, date, is_head=True)


def _paired(pairs: Iterable[Pair], entries: Sequence[Entry], date: str) -> Iterator[Sentence]:
    """Return label and value as one statement where they are apart on the page."""
    for pair in pairs:
        apart = pair.method in ("right", "below") and len(pair.value.text) < 200
        if apart and not (entries and pair.row >= entries[0].row):
            yield Sentence(join((pair.label, pair.value)), date)


def _is_said(sentence: Passage, unticked: frozenset[int]) -> bool:
    """Tell whether a sentence is a statement: no empty box is before it, no dots wait for a value."""
    return sentence.words[0] not in unticked and not _LEADER.search(sentence.texts[-1])


def _sentences(document: ParsedDocument, entries: Sequence[Entry], date: str) -> Iterator[Sentence]:
    if entries:
        in_table = {word for table in tables_of(document) for cell in table.cells for word in cell.word_ids}
        for entry in entries:
            if is_in_error(entry):
                continue
            row = entry.whole if entry.whole.words[0] in in_table else None
            for sentence in cut_sentences(entry.body):
                yield Sentence(sentence, entry.date, row)
        return
    for paragraph in read_paragraphs(document):
        for sentence in cut_sentences(paragraph):
            yield Sentence(sentence, event_date(sentence, date))


def event_date(sentence: Passage, date: str) -> str:
    """Return the day of a sentence that tells history (`On January 27, 2020 he was seen by ...`)."""
    if _EVENT.match(sentence.text):
        found = find_dates(sentence.text[:40])
        if found and found[0].start <= 4 and str(found[0].value) < date:
            return str(found[0].value)
    found = find_dates(sentence.text[:120])
    if found and str(found[0].value) < date:
        before, after = sentence.text[: found[0].start], sentence.text[found[0].end :]
        if _WHEN.match(before) and (_TELLS_OF_BEFORE.search(after) or _TELLS_OF_BEFORE.search(before)):
            return str(found[0].value)
    return date
