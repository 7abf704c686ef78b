"""One document made ready for the rules: its rows, pairs, sentences, notes, answers, kind and date."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from citation_pipeline.core.documents.edge_lines import is_fax_line
from citation_pipeline.core.documents.own_days import own_date, plausible_day
from citation_pipeline.core.documents.page_ranges import document_of_pages
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.types import Recognition, recognize_type
from citation_pipeline.core.layout.tables import Table, tables_of
from citation_pipeline.core.rules.document_pairs import read_document_pairs
from citation_pipeline.core.rules.document_sentences import Sentence, is_readable, read_sentences
from citation_pipeline.core.rules.lexicons.lexicon import DATE_KEY, Lexicon
from citation_pipeline.core.rules.pages.entries import Entry, is_log, read_entries
from citation_pipeline.core.rules.pages.headings import days_of_headings, words_of_examples, words_under
from citation_pipeline.core.rules.pages.layout import Row, read_rows
from citation_pipeline.core.rules.pages.options import pairs_of_options, read_options
from citation_pipeline.core.rules.pages.pairs import Pair
from citation_pipeline.core.rules.pages.passages import Passage
from citation_pipeline.core.rules.pages.sections import Section, read_sections
from citation_pipeline.core.rules.pages.transcripts import Answer, read_answers
from citation_pipeline.core.values.dates import find_dates

_UNTICKED = re.compile(r"^\s*(?:\[\s*\]|\(\s*\)|\u2610|\u25a1|\u25cb)")
_DRAFT = re.compile(
    r"\bDRAFT\b|\b(?:not (?:yet )?(?:signed|executed|approved)|unsigned|for discussion only|proposed "
    r"(?:stipulation|order|agreement|settlement|award))\b"
)
_HEAD_ROWS = 8
_UNSHOWN = re.compile(r"page (\d+): hidden_(?:cells|slide)$")


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
    def pairs_in_order(self) -> Sequence[Pair]:
        """The pairs in the order of their labels' words."""
        return sorted(self.pairs, key=lambda pair: pair.label.words[0])

    @cached_property
    def ticked_words(self) -> frozenset[int]:
        """The words of all statements whose boxes are ticked."""
        return frozenset(word for statement in self.ticked for word in statement.words)

    @cached_property
    def is_draft(self) -> bool:
        """Tell whether its head says that nothing of it is signed or agreed yet."""
        return any(_DRAFT.search(row.text) for row in self.rows[:_HEAD_ROWS])

    @cached_property
    def heading_days(self) -> Mapping[int, str]:
        """The words under headings that name the day they speak for, with that day."""
        return days_of_headings(self.rows)

    @cached_property
    def example_words(self) -> frozenset[int]:
        """The words of a form's own examples, which fill it in for nobody."""
        return words_of_examples(self.rows)

    @cached_property
    def remark_words(self) -> frozenset[int]:
        """The words of remarks beside the text, and of cells and slides that their file does not show."""
        hidden = {int(found[1]) for warning in self.document.warnings if (found := _UNSHOWN.match(warning))}
        blocks = (one for one in self.document.blocks if one.type == "Comment" or one.page in hidden)
        return frozenset(word for one in blocks for word in range(one.word_start, one.word_end))

    def words_under(self, expression: re.Pattern[str]) -> frozenset[int]:
        """Return the words under the headings that an expression is found in."""
        if expression not in self._under:
            self._under[expression] = words_under(self.rows, expression)
        return self._under[expression]

    @cached_property
    def _under(self) -> dict[re.Pattern[str], frozenset[int]]:
        return {}

    @property
    def type(self) -> str:
        """The document's kind, empty when unknown."""
        return self.recognition.type

    @property
    def date(self) -> str:
        """The document's own date, empty when unknown."""
        return self.recognition.date


_COVER = re.compile(r"\b(?:fax|facsimile)\b", re.IGNORECASE)
_COUNTS_PAGES = re.compile(
    r"\b(?:pages?|pgs?)\b\W{0,4}(?:\d|with|incl|sent|total)|\b(?:number|no\.|#) of pages\b", re.IGNORECASE
)
_LONGEST_COVER = 170  # words
_FAX_HEAD = 160  # characters


def without_covers(documents: Iterable[ParsedDocument]) -> Iterator[ParsedDocument]:
    """Yield documents, a fax's cover and what it covers one after the other: they are of different kinds."""
    for document in documents:
        pages = document.pages
        first = document.words.texts[: int((document.words.page == pages[0].page).sum())] if pages else []
        text = " ".join(first)
        is_cover = (
            len(pages) > 1
            and len(first) <= _LONGEST_COVER
            and _COVER.search(text)
            and _COUNTS_PAGES.search(text)
        )
        if is_cover:
            yield document_of_pages(document, pages[0].page, pages[0].page)
            yield document_of_pages(document, pages[1].page, pages[-1].page)
        else:
            yield from _faxed_papers(document)


_HEADS_PAGE = re.compile(r"^(?!re\b|page\b|p\.|cont)[^\d\W].{2,70}[^.,;:\W]$", re.IGNORECASE)
_MOST_HEAD_WORDS = 8


def _faxed_papers(document: ParsedDocument) -> Iterator[ParsedDocument]:
    """Yield the papers of one call: every page bears the fax's line, some a heading of their own below."""
    pages = document.pages
    if len(pages) < 2 or _COVER.search(document.text[:_FAX_HEAD]) is None:
        yield document
        return
    by_page: dict[int, list[str]] = {page.page: [] for page in pages}
    for row in read_rows(document):
        by_page[row.page].append(row.text)
    bodies = {
        page: [text for text in texts if not is_fax_line(text)] for page, texts in by_page.items() if texts
    }
    is_call = len(bodies) == len(pages) and all(len(bodies[page]) < len(by_page[page]) for page in by_page)
    starts = [pages[0].page]
    for before, page in zip(pages, pages[1:], strict=False) if is_call else ():
        if bodies[page.page] and bodies[before.page] and _heads_paper(bodies[before.page], bodies[page.page]):
            starts.append(page.page)
    if len(starts) == 1:
        yield document
        return
    for start, following in zip(starts, [*starts[1:], pages[-1].page + 1], strict=True):
        yield document_of_pages(document, start, following - 1)


_TITLE_LINES = 3  # below the head


def _under_one_head(document: ParsedDocument, lexicon: Lexicon) -> Iterator[ParsedDocument]:
    """Yield the papers of a chart whose pages bear one letterhead, and below it titles of several kinds."""
    pages = document.pages
    if len(pages) < 2:
        yield document
        return
    lines = [document.text[page.text_start : page.text_end].split("\n", _TITLE_LINES + 3) for page in pages]
    told = [[line.strip() for line in page if line.strip()][: _TITLE_LINES + 1] for page in lines]
    if not all(told) or len({page[0] for page in told}) > 1:
        yield document
        return
    starts, kind = [pages[0].page], _titled(told[0][1:], lexicon)
    for page, head in zip(pages[1:], told[1:], strict=True):
        own = _titled(head[1:], lexicon) if kind else ""
        if own and own != kind:
            starts.append(page.page)
            kind = own
    if len(starts) == 1:
        yield document
        return
    for start, following in zip(starts, [*starts[1:], pages[-1].page + 1], strict=True):
        yield document_of_pages(document, start, following - 1)


def _titled(lines: Sequence[str], lexicon: Lexicon) -> str:
    """Return the kind of paper whose title one of the lines is, empty where none is."""
    kinds = (
        name
        for line in lines
        for name, rules in lexicon.documents.items()
        if any(title.fullmatch(line) for title in rules.titles)
    )
    return next(kinds, "")


def _heads_paper(before: Sequence[str], rows: Sequence[str]) -> bool:
    """Tell whether a page begins with a heading of its own, and goes on with nothing."""
    head = rows[0]
    is_heading = _HEADS_PAGE.match(head) is not None and len(head.split()) <= _MOST_HEAD_WORDS
    return is_heading and head not in before and not before[-1].rstrip().endswith((",", "-"))


def read_documents(documents: Iterable[ParsedDocument], lexicon: Lexicon) -> list[DocumentReading]:
    """Read documents one after another; parts of one file that bear no day go on with the part before."""
    readings: list[DocumentReading] = []
    apart = (paper for one in without_covers(documents) for paper in _under_one_head(one, lexicon))
    for number, document in enumerate(apart):
        is_of_same = bool(readings) and readings[-1].document.source.source_id == document.source.source_id
        before = readings[-1].date if is_of_same else ""
        readings.append(read_document(document, number=number, lexicon=lexicon, before=before))
    return [_of_kind(reading, readings) for reading in _without_far_days(readings, lexicon)]


def _without_far_days(readings: Sequence[DocumentReading], lexicon: Lexicon) -> list[DocumentReading]:
    """Return the readings, those without a day whose day no paper of the claim can be of."""
    days = [reading.date for reading in readings]
    return [
        reading
        if plausible_day(reading.date, (*days[:at], *days[at + 1 :]))
        else read_document(reading.document, number=reading.number, lexicon=lexicon, is_dated=False)
        for at, reading in enumerate(readings)
    ]


def _of_kind(reading: DocumentReading, readings: Sequence[DocumentReading]) -> DocumentReading:
    """Return a part whose own words tell its kind hardly as of the kind of another under the same head.

    Letters of one writer in one file are alike: what one of them is, the others are.
    """
    if reading.recognition.score >= _SURELY_OF_KIND or reading.first_entry is not None or not reading.rows:
        return reading
    alike = [
        other
        for other in readings
        if other.document.source.source_id == reading.document.source.source_id
        and other.rows
        and other.first_entry is None
        and other.rows[0].text == reading.rows[0].text
    ]
    scores: dict[str, float] = {}
    for other in alike:
        if other.type:
            scores[other.type] = scores.get(other.type, 0.0) + other.recognition.score
    if len(alike) < 2 or not scores:
        return reading
    kind = max(scores, key=lambda name: scores[name])
    best = max(other.recognition.score for other in alike if other.type == kind)
    return replace(reading, recognition=Recognition(kind, best, reading.date))


def read_document(
    document: ParsedDocument, *, number: int, lexicon: Lexicon, before: str = "", is_dated: bool = True
) -> DocumentReading:
    """Read one document's layout once, for all fields; `before` is the day of the paper it may go on with.

    What is not `is_dated` bears a day that no paper can be of.
    """
    rows = read_rows(document)
    recognition = recognize_type(document, rows, lexicon.documents)
    tables = tuple(tables_of(document))
    questions = read_options(document, tables)
    pairs = [
        *pairs_of_options(questions, lexicon.labels),
        *read_document_pairs(document, rows, tables, lexicon),
    ]
    recognition, entries = _with_notes(recognition, rows, pairs, lexicon)
    rules = lexicon.documents.get(recognition.type)
    newest = max((entry.date for entry in entries), default="")
    date = own_date(document, rows, pairs, rules, newest_entry=newest, before=before) if is_dated else ""
    visits = _visits(recognition, entries, rows, lexicon)
    if visits:
        entries = []
    sections = () if entries or not is_dated else visits or read_sections(rows) or _dated_pages(rows, pairs)
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


def _dated_pages(rows: Sequence[Row], pairs: Sequence[Pair]) -> tuple[Section, ...]:
    """Return the pages of a file of forms that each bear a date of their own, as sections."""
    first: dict[int, int] = {}
    for row in rows:
        first[row.page] = min(first.get(row.page, min(row.words)), *row.words)
    days: dict[int, set[str]] = {}
    for pair in pairs:
        found = find_dates(pair.value.text) if pair.name == _DATE_BOX else []
        if len(found) == 1:
            days.setdefault(pair.page, set()).add(str(found[0].value))
    is_each = len(first) > 1 and all(len(days.get(page, ())) == 1 for page in first)
    if not is_each or len({day for found in days.values() for day in found}) < len(first):
        return ()
    return tuple(Section(first[page], next(iter(days[page]))) for page in sorted(first))


def _visits(
    recognition: Recognition, entries: Sequence[Entry], rows: Sequence[Row], lexicon: Lexicon
) -> tuple[Section, ...]:
    """Return the dated notes of what is no log but a chart as sections: each visit is a paper of its day."""
    rules = lexicon.documents.get(recognition.type)
    if rules is None or rules.has_entries or not entries:
        return ()
    return tuple(Section(min(rows[entry.row].words), entry.date) for entry in entries)


_DATE_BOX = ("date",)
# A title or several cues: a kind that is this sure is not taken for a log by its dated rows.
_SURELY_OF_KIND = 0.75


def _with_notes(
    recognition: Recognition, rows: Sequence[Row], pairs: Sequence[Pair], lexicon: Lexicon
) -> tuple[Recognition, list[Entry]]:
    """Return the dated notes of a log and its kind, also of one that nothing but its notes shows to be a log.

    Notes that were made in error stay among them, so that none of their words is read as the next note's.
    """
    rules = lexicon.documents.get(recognition.type)
    if rules is not None and rules.has_entries:
        return recognition, read_entries(rows, _labelled_words(pairs))
    if recognition.score >= _SURELY_OF_KIND:
        return recognition, []
    entries = read_entries(rows)
    if not is_log(entries, rows):
        return recognition, []
    text = " ".join(entry.body.text for entry in entries)
    kinds = ((name, kind) for name, kind in lexicon.documents.items() if kind.has_entries)
    of_notes = next((name for name, kind in kinds if any(cue.search(text) for cue in kind.cues)), "")
    # visits of a therapist are dated notes too, and no adjuster's
    return (Recognition(of_notes, _LOG) if of_notes else recognition), entries


_LOG = 0.6


def _labelled_words(pairs: Sequence[Pair]) -> frozenset[int]:
    """Return the words that open what a field's own label stands above or beside; any log has a `Date`."""
    owned = (pair for pair in pairs if pair.keys - {""} and DATE_KEY not in pair.keys)
    return frozenset(pair.value.words[0] for pair in owned if pair.method in _IN_BOXES and pair.value.words)


_IN_BOXES = frozenset({"field", "grid", "below", "under"})
