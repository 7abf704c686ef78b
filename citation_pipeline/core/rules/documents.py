"""One document made ready for the rules: its rows, pairs, sentences, notes, answers, kind and date."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.types import Recognition, own_date, recognize_type
from citation_pipeline.core.layout.tables import Table, tables_of
from citation_pipeline.core.rules.document_pairs import read_document_pairs
from citation_pipeline.core.rules.document_sentences import Sentence, is_readable, read_sentences
from citation_pipeline.core.rules.lexicons.lexicon import Lexicon
from citation_pipeline.core.rules.pages.entries import read_entries
from citation_pipeline.core.rules.pages.layout import Row, read_rows
from citation_pipeline.core.rules.pages.options import pairs_of_options, read_options
from citation_pipeline.core.rules.pages.pairs import Pair
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.rules.pages.sections import Section, read_sections
from citation_pipeline.core.rules.pages.transcripts import Answer, read_answers

_UNTICKED = re.compile(r"^\s*(?:\[\s*\]|\(\s*\)|\u2610|\u25a1|\u25cb)")


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
    sections: Sequence[Section] = ()

    def section_of(self, word: int) -> Section | None:
        """Return the letter or message that a word stands in, None in a document that is one."""
        opened = [section for section in self.sections if section.first_word <= word]
        return opened[-1] if opened else None

    @cached_property
    def statements(self) -> Sequence[tuple[Sentence, str]]:
        """The sentences that state something, with their texts: no questions, no empty boxes."""
        said = ((sentence, sentence.passage.text) for sentence in self.sentences)
        return tuple(
            (sentence, text)
            for sentence, text in said
            if is_readable(text) and not text.endswith("?") and not _UNTICKED.match(text)
        )

    @cached_property
    def ticked_words(self) -> frozenset[int]:
        """The words of all statements whose boxes are ticked."""
        return frozenset(word for statement in self.ticked for word in statement.words)

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
    questions = read_options(document, tables)
    pairs = [
        *pairs_of_options(questions, lexicon.labels),
        *read_document_pairs(document, rows, tables, lexicon),
    ]
    entries = read_entries(rows) if rules and rules.has_entries else []
    newest = max((entry.date for entry in entries), default="")
    date = own_date(document, rows, pairs, rules, newest_entry=newest)
    sections = () if entries else read_sections(rows)
    date = max((section.day for section in sections), default="") or date
    boxes = [option for question in questions for option in question.options]
    unticked = frozenset(word for box in boxes if not box.checked for word in box.statement.words)
    return DocumentReading(
        number=number,
        document=document,
        recognition=Recognition(recognition.type, recognition.score, date),
        first_entry=entries[0].row if entries else None,
        rows=rows,
        pairs=pairs,
        sentences=read_sentences(document, rows, pairs, entries, date=date, unticked=unticked),
        answers=tuple(read_answers(rows)),
        tables=tables,
        ticked=tuple(box.statement for box in boxes if box.checked),
        unticked=unticked,
        sections=sections,
    )
