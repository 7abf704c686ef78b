"""What a document states, cut into the smallest pieces that answer something: pairs, sentences, rows.

A statement knows its words, so whatever is answered from it can be cited. Which statement answers a question
is `evidence`'s affair.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from citation_pipeline.core.documents import ParsedDocument
from citation_pipeline.core.retrieval.exchanges import read_exchanges
from citation_pipeline.core.retrieval.terms import term_set, terms_of
from citation_pipeline.core.rules.layout import Row, Segment, read_rows
from citation_pipeline.core.rules.paragraphs import read_paragraphs
from citation_pipeline.core.rules.passages import Passage, join
from citation_pipeline.core.rules.sentences import cut_sentences
from citation_pipeline.core.values.dates import find_dates

_LABEL_WORDS = 14  # the longest printed labels of the state's forms; a longer text is a sentence
_VALUE_WORDS = 16  # a longer line under a label is a sentence of its own
_QUOTE_WORDS = 60  # a statement that is longer quotes too much to be an answer
_BELOW = 2.4  # line heights between a label and the value under it in one box
_COLON = re.compile(r"^(?P<label>[^:]{2,90}?)\s*[:?]\s+(?P<value>\S.*)$")
_LETTER = re.compile(r"[^\W\d_]")
_HEADING = re.compile(r"(?:(?:\d{1,2}|[A-Z])\.?\s)?[A-Z][\w&/'’-]*(?: [\w&/'’(),-]+){0,7}:?")
_NUMBERED = re.compile(r"^\(?\d{1,2}[A-Za-z]?[.)]\s")


@dataclass(frozen=True)
class Statement:
    """A piece of one source document on one page.

    `kind` is "pair" (a label and its value), "exchange" (a question put to somebody and the answer),
    "sentence",
    "cell" (a table's cell under its row's and column's heads), "row" (a table's row or a line of cells) or
    "field" (an extracted value). `words` are all its word ids, `value_words` those of the value alone;
    `label` and
    `text` are what it says, `context` what stands around it: headings, the head of the table. `dated` is the
    ISO date that its heading or its first cell gives, `recency` 1 for the newest of the claim, 0 for the
    oldest
    and where nothing is dated. A field's `value` is its value as JSON, of the schema's `value_type`.
    """

    source_id: str
    page: int
    kind: str
    words: tuple[int, ...]
    value_words: tuple[int, ...]
    label: str
    text: str
    context: str = ""
    title: str = ""
    dated: str = ""
    recency: float = 0.0
    value: Any = None
    value_type: str = ""

    @cached_property
    def label_terms(self) -> frozenset[str]:
        """The label's terms."""
        return term_set(self.label)

    @cached_property
    def text_terms(self) -> frozenset[str]:
        """The terms of what is stated."""
        return term_set(self.text)

    @cached_property
    def context_terms(self) -> frozenset[str]:
        """The terms around it."""
        return term_set(self.context)

    @cached_property
    def title_terms(self) -> frozenset[str]:
        """The terms of the document's name and title."""
        return term_set(self.title)

    def says_more_than(self, terms: Sequence[str]) -> bool:
        """Tell whether the text holds anything beside these terms."""
        return bool(set(terms_of(self.text)) - set(terms))

    @property
    def quote(self) -> str:
        """The label and the text as one line."""
        return f"{self.label} {self.text}".strip() if self.kind in ("pair", "exchange", "cell") else self.text


def read_statements(document: ParsedDocument) -> list[Statement]:
    """Return everything that a document states, in the order of its pages."""
    rows = read_rows(document)
    title = _title(document, rows)
    headings = _headings(rows)
    found = [
        *_pairs(document, rows, headings, title),
        *_row_statements(document, rows, headings, title),
        *_sentences(document, rows, headings, title),
        *(
            Statement(
                source_id=document.source.source_id,
                page=exchange.page,
                kind="exchange",
                words=exchange.asked_words + exchange.answer_words,
                value_words=exchange.answer_words,
                label=exchange.asked,
                text=exchange.answer,
                title=title,
            )
            for exchange in read_exchanges(rows)
        ),
    ]
    found.sort(key=lambda statement: (statement.page, min(statement.words)))
    return [replace(s, dated=dated) if (dated := _date_of(s)) else s for s in found]


def order_by_date(statements: Iterable[Statement], dates: Mapping[str, str]) -> list[Statement]:
    """Give every statement its recency, from its own date or its document's (`dates` by source id)."""
    listed = list(statements)
    own = [s.dated or dates.get(s.source_id, "") for s in listed]
    days = sorted({date for date in own if date})
    place = {date: number / max(1, len(days) - 1) for number, date in enumerate(days)}
    return [replace(s, recency=place.get(date, 0.0)) for s, date in zip(listed, own, strict=True)]


def _date_of(statement: Statement) -> str:
    if any(c.isdigit() for c in statement.context) and (found := find_dates(statement.context)):
        return str(found[-1].value)
    if statement.kind == "row" and statement.text[:1].isdigit():
        return next((str(d.value) for d in find_dates(statement.text[:24]) if d.start == 0), "")
    return ""


def _title(document: ParsedDocument, rows: Sequence[Row]) -> str:
    """Return the file's name and the large or capital lines at the head of page 1."""
    head = [s for row in rows[:18] if row.page == 1 for s in row.segments]
    large = [s.text for s in head if _is_heading(s)]
    return " ".join([document.source.name.replace("_", " "), *large[:5]])[:400]


def _is_heading(segment: Segment) -> bool:
    text = segment.text
    letters = [c for c in text if c.isalpha()]
    return (
        len(letters) >= 4 and len(text) <= 90 and text.isupper() and not text.endswith((",", ";"))
    ) or bool(segment.height > 0.0165 and len(letters) >= 4 and len(text) <= 80)


def _headings(rows: Sequence[Row]) -> dict[int, str]:
    """Return for each row the heading above it on its page."""
    found: dict[int, str] = {}
    heading, page = "", 0
    for row in rows:
        if row.page != page:
            page, heading = row.page, heading if heading else ""
        if len(row.segments) == 1 and _looks_like_heading(row.segments[0]):
            heading = row.segments[0].text
        found[row.number] = heading
    return found


def _looks_like_heading(segment: Segment) -> bool:
    text = segment.text
    if len(segment.texts) > 9 or text.endswith((".", ",", ";")) or not _LETTER.search(text):
        return False
    return text.isupper() or bool(_HEADING.fullmatch(text))


def _pairs(
    document: ParsedDocument, rows: Sequence[Row], headings: dict[int, str], title: str
) -> Iterator[Statement]:
    for at, row in enumerate(rows):
        for place, segment in enumerate(row.segments):
            inner = _COLON.match(segment.text)
            if inner is not None and len(inner["label"].split()) <= _LABEL_WORDS:
                value = _with_continuation(rows, at, segment, inner.start("value"))
                yield _pair(document, segment, inner["label"], value, headings[row.number], title)
                continue
            if not _is_label_like(segment):
                continue
            right = row.segments[place + 1] if place + 1 < len(row.segments) else None
            if right is not None and not _NUMBERED.match(right.text):
                yield _pair(document, segment, segment.text, _whole(right), headings[row.number], title)
            if len(row.segments) >= 4:
                continue  # a table's row: its cells stand under heads, not under each other
            for below in _below(rows, at, segment):
                if _NUMBERED.match(below.text) or len(below.texts) > _VALUE_WORDS:
                    continue
                yield _pair(document, segment, segment.text, _whole(below), headings[row.number], title)


def _is_label_like(segment: Segment) -> bool:
    text = segment.text
    if len(segment.texts) > _LABEL_WORDS or not _LETTER.search(text):
        return False
    return not text.endswith((".", ",", ";")) or bool(_NUMBERED.match(text))


def _with_continuation(rows: Sequence[Row], at: int, segment: Segment, start: int) -> Passage:
    """Return the value after a label's colon and the lines that plainly go on with it."""
    passage = Passage(segment.words, segment.texts).part(start, len(segment.text))
    for row in rows[at + 1 : at + 3]:
        below = next((s for s in row.segments if _is_under(s, segment)), None)
        if (
            below is None
            or below.page != segment.page
            or ":" in below.text[:40]
            or passage.text.endswith(".")
        ):
            break
        if abs(below.box.left - segment.box.left) > 0.02 or _NUMBERED.match(below.text):
            break
        if not re.match(r"[a-z(&]|.*[a-z,]$", below.text):
            break
        passage = join((passage, _whole(below)))
    return passage


def _whole(segment: Segment) -> Passage:
    return Passage(segment.words, segment.texts)


def _below(rows: Sequence[Row], at: int, label: Segment) -> Iterator[Segment]:
    """Return the segment under a label, if it stands in the same box and no other label is between."""
    for row in rows[at + 1 : at + 4]:
        if row.page != label.page:
            return
        for segment in row.segments:
            if _is_under(segment, label):
                near = segment.box.top - label.box.bottom <= _BELOW * max(label.height, segment.height)
                if near:
                    yield segment
                return


def _is_under(segment: Segment, label: Segment) -> bool:
    overlap = min(segment.box.right, label.box.right) - max(segment.box.left, label.box.left)
    return segment.box.top >= label.box.top and overlap > 0.3 * min(segment.box.width, label.box.width)


def _pair(
    document: ParsedDocument, label: Segment, label_text: str, value: Passage, heading: str, title: str
) -> Statement:
    return Statement(
        source_id=document.source.source_id,
        page=label.page,
        kind="pair",
        words=tuple(dict.fromkeys((*label.words, *value.words))),
        value_words=value.words,
        label=label_text.strip(),
        text=value.text,
        context=heading,
        title=title,
    )


def _row_statements(
    document: ParsedDocument, rows: Sequence[Row], headings: dict[int, str], title: str
) -> Iterator[Statement]:
    """Return rows of two cells or more, with the head of their table as context, and what goes on below."""
    head: Row | None = None
    for at, row in enumerate(rows):
        if head is not None and head.page != row.page:
            head = None
        if len(row.segments) < 2 or all(_NUMBERED.match(segment.text) for segment in row.segments):
            continue
        if len(row.segments) >= 3 and not any(c.isdigit() for c in row.text):
            head = row
            continue
        passage = join(_whole(segment) for segment in row.segments)
        for below in rows[at + 1 : at + 4]:
            # a cell that wraps: a line that has nothing in the first column
            if below.page != row.page or below.segments[0].box.left < row.segments[0].box.right + 0.005:
                break
            passage = join((passage, *(_whole(segment) for segment in below.segments)))
        if len(passage.words) > _QUOTE_WORDS:
            continue
        if head is not None:
            yield from _cells(document, row, head, headings[row.number], title)
        context = f"{headings[row.number]} {head.text if head is not None else ''}".strip()
        yield Statement(
            source_id=document.source.source_id,
            page=row.page,
            kind="row",
            words=passage.words,
            value_words=passage.words,
            label="",
            text=passage.text,
            context=context,
            title=title,
        )


def _cells(document: ParsedDocument, row: Row, head: Row, heading: str, title: str) -> Iterator[Statement]:
    """Return each cell under its column's head, with the row's first cell for a label."""
    first = row.segments[0]
    if not _LETTER.search(first.text):
        return
    for cell in row.segments[1:]:
        above = [h for h in head.segments if _overlap(h, cell) > 0]
        if not above:
            continue
        column = max(above, key=lambda h: _overlap(h, cell))
        yield Statement(
            source_id=document.source.source_id,
            page=row.page,
            kind="cell",
            words=(*first.words, *cell.words),
            value_words=cell.words,
            label=f"{first.text} {column.text}",
            text=cell.text,
            context=heading,
            title=title,
        )


def _overlap(one: Segment, other: Segment) -> float:
    return min(one.box.right, other.box.right) - max(one.box.left, other.box.left)


def _sentences(
    document: ParsedDocument, rows: Sequence[Row], headings: dict[int, str], title: str
) -> Iterator[Statement]:
    row_of = {word: row.number for row in rows for word in row.words}
    before = ""
    for paragraph in read_paragraphs(document):
        for sentence in cut_sentences(paragraph):
            if not 3 <= len(sentence.words) <= _QUOTE_WORDS or not _LETTER.search(sentence.text):
                before = sentence.text
                continue
            page = int(document.words.page[sentence.words[0]])
            heading = headings.get(row_of.get(sentence.words[0], -1), "")
            yield Statement(
                source_id=document.source.source_id,
                page=page,
                kind="sentence",
                words=sentence.words,
                value_words=sentence.words,
                label="",
                text=sentence.text,
                # a question in a transcript is the context of its answer
                context=f"{heading} {before if len(before) < 200 else ''}".strip(),
                title=title,
            )
            before = sentence.text
