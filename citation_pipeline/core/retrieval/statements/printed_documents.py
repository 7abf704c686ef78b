"""A document as statements are read from it: its rows, its title, the heading above each row."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.rules.pages.layout import Row, Segment, read_rows
from citation_pipeline.core.rules.pages.passages import Passage

LETTER = re.compile(r"[^\W\d_]")
NUMBERED = re.compile(r"^\(?\d{1,2}[A-Za-z]?[.)]\s")
"""How a form numbers its boxes, and a letter its points."""

QUOTE_WORDS = 60
"""A statement that is longer quotes too much to be an answer."""

_HEADING = re.compile(r"(?:(?:\d{1,2}|[A-Z])\.?\s)?[A-Z][\w&/'’-]*(?: [\w&/'’(),-]+){0,7}:?")


@dataclass(frozen=True)
class PrintedDocument:
    """A document with its rows; `headings` are by row number."""

    document: ParsedDocument
    rows: Sequence[Row]
    title: str
    headings: Mapping[int, str]

    def state(
        self,
        kind: str,
        *,
        page: int,
        value: Passage,
        words: tuple[int, ...] | None = None,
        label: str = "",
        context: str = "",
        is_laid_out: bool = False,
    ) -> Statement:
        """Return a statement of this document; `words` are the value's own where nothing else is quoted."""
        return Statement(
            source_id=self.document.source.source_id,
            page=page,
            kind=kind,
            words=value.words if words is None else words,
            value_words=value.words,
            label=label,
            text=value.text,
            context=context,
            title=self.title,
            pages=len(self.document.pages),
            is_laid_out=is_laid_out,
        )


def read_printed(document: ParsedDocument) -> PrintedDocument:
    """Read a document's rows, title and headings."""
    rows = read_rows(document)
    return PrintedDocument(document, rows, _title(document, rows), _headings(rows))


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
    if len(segment.texts) > 9 or text.endswith((".", ",", ";")) or not LETTER.search(text):
        return False
    return text.isupper() or bool(_HEADING.fullmatch(text))
