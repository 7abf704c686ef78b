"""One document made ready for the rules: its rows, pairs, sentences, notes, answers, kind and date."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.document_types import Recognition, own_date, recognize_type
from citation_pipeline.core.documents import ParsedDocument
from citation_pipeline.core.layout.forms import checkboxes_of
from citation_pipeline.core.layout.tables import Table, tables_of
from citation_pipeline.core.rules.entries import Answer, Entry, read_answers, read_entries
from citation_pipeline.core.rules.layout import Row, read_rows
from citation_pipeline.core.rules.lexicon import Lexicon
from citation_pipeline.core.rules.pairs import Pair, read_pairs
from citation_pipeline.core.rules.passages import Passage, paragraphs, passage_of, sentences
from citation_pipeline.core.values.dates import find_dates

_LEADER = re.compile(r"[.\u2026_]{4,}$")
_EVENT = re.compile(r"^(?:on|dated|as of)\s", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """A sentence with the day it speaks for: its note's, or the document's."""

    passage: Passage
    as_of: str
    is_note: bool = False


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
    pairs = read_pairs(rows, lexicon.labels)
    date = own_date(document, rows, pairs, rules)
    entries = read_entries(rows) if rules and rules.has_entries else []
    boxes = list(checkboxes_of(document))
    unticked = frozenset(word for box in boxes if not box.checked for word in box.label_ids)
    return DocumentReading(
        number=number,
        document=document,
        recognition=Recognition(recognition.type, recognition.score, date),
        first_entry=entries[0].row if entries else None,
        rows=rows,
        pairs=pairs,
        sentences=tuple(s for s in _sentences(document, entries, date) if _is_said(s.passage, unticked)),
        answers=tuple(read_answers(rows)),
        tables=tuple(tables_of(document)),
        ticked=tuple(passage_of(document, box.label_ids) for box in boxes if box.checked and box.label_ids),
        unticked=unticked,
    )


def _is_said(sentence: Passage, unticked: frozenset[int]) -> bool:
    """Tell whether a sentence is a statement: no empty box stands before it, no dots wait for a value."""
    return sentence.words[0] not in unticked and not _LEADER.search(sentence.texts[-1])


def _sentences(document: ParsedDocument, entries: Sequence[Entry], date: str) -> Iterator[Sentence]:
    if entries:
        for entry in entries:
            for sentence in sentences(entry.body):
                yield Sentence(sentence, entry.date, is_note=True)
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
