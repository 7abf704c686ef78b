"""The canonical citation object: what an agent needs to quote a value and a person to check it.

One shape for REST, MCP and the command line. Everything is plain data in the page frame; where it is read
from
is for the read model to decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal
from urllib.parse import quote

from citation_pipeline.core.boxes import Box

CONTEXT_CHARACTERS = 200
"""Characters of text before and after a citation: enough to see what a number belongs to."""

CitationFormat = Literal["short", "long", "academic"]

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONGEST_QUOTE = 300


@dataclass(frozen=True, slots=True)
class CitedField:
    """The value that is cited; `type` is the schema's (string, number, date, …)."""

    name: str
    value: Any
    type: str


@dataclass(frozen=True, slots=True)
class PageBox:
    """A box on a displayed page: left, top, width and height in 0-1, and the page's size in points."""

    left: float
    top: float
    width: float
    height: float
    page_width: float
    page_height: float


@dataclass(frozen=True, slots=True)
class CitationSource:
    """Where the words are; `bbox` is None when the place is not known. `document_id` is `claim:source`.

    `part` is the title of the document inside a file of several, "" in any other.
    """

    document_id: str
    filename: str
    page: int | None
    bbox: PageBox | None
    text: str
    context_before: str
    context_after: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class CitationExtraction:
    """How the value came about and who has verified it at this place (times in ISO 8601).

    `confidence` is how sure the value at this place is: never more than the field's own, unless somebody
    signed for the value; `match_confidence` tells how surely the quoted words are the ones on the page.
    A citation of a verified value that nobody signed for is not `verified`; where a person gave another
    value, `found_for` is the one that the place was found for.
    `review_state` is `needs_review` where a verified value or place has changed since: then it is not
    verified, `verified_value` is what was signed and `current_value` what the pipeline reads now.
    `warnings` are codes of why the place is not to be believed without a look (a page marked void, words that
    are struck out).
    """

    method: str
    confidence: float
    verified: bool
    verified_at: str | None
    verified_by: str | None
    review_state: str = "unreviewed"
    verified_value: Any = None
    current_value: Any = None
    match_confidence: float | None = None
    found_for: Any = None
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CitationTexts:
    """The citation as it may be quoted."""

    short: str
    long: str
    academic: str


@dataclass(frozen=True, slots=True)
class CitationUrls:
    """Where the document, and the exact place in it, can be opened."""

    document: str
    place: str
    page_pdf: str


@dataclass(frozen=True, slots=True)
class CitationObject:
    """A value, its source, how it was found, and how to quote it."""

    field: CitedField
    source: CitationSource
    extraction: CitationExtraction
    citation: CitationTexts
    urls: CitationUrls


def document_id_of(claim_id: str, source_id: str) -> str:
    """Return the id of a document beyond its claim; neither part can hold a colon."""
    return f"{claim_id}:{source_id}"


def split_document_id(document_id: str) -> tuple[str, str]:
    """Return claim id and source id; raises ValueError for anything else."""
    claim_id, colon, source_id = document_id.partition(":")
    if not colon or not claim_id or not source_id:
        raise ValueError("a document id reads CLAIM_ID:SOURCE_ID")
    return claim_id, source_id


def citation_texts(
    filename: str, page: int | None, text: str, *, verified_at: str | None, part: str = ""
) -> CitationTexts:
    """Return the three forms: `[Invoice-001.pdf, p.2]`, `Invoice-001.pdf, Page 2: "…"`, `Invoice-001.pdf
    (Page 2, …)`; in a file of several documents the long one names the `part` too."""
    where_short = f", p.{page}" if page is not None else ""
    where_long = f", Page {page}" if page is not None else ""
    quoted = " ".join(text.split())
    if len(quoted) > _LONGEST_QUOTE:
        quoted = quoted[: _LONGEST_QUOTE - 1].rstrip() + "…"
    notes = [f"Page {page}"] if page is not None else []
    notes.append(f"verified {_day(verified_at)}" if verified_at else "not verified")
    return CitationTexts(
        short=f"[{filename}{where_short}]",
        long=f'{filename}{where_long}{f" ({part})" if part else ""}: "{quoted}"',
        academic=f"{filename} ({', '.join(notes)})",
    )


def _day(moment: str) -> str:
    try:
        day = date.fromisoformat(moment[:10])
    except ValueError:
        return moment[:10]
    return f"{_MONTHS[day.month - 1]} {day.day} {day.year}"


def citation_urls(
    claim_id: str, source_id: str, *, page: int | None, bbox: Box | None, field_key: str = "", root: str = ""
) -> CitationUrls:
    """Return the URLs; `root` is the server's address, empty for paths."""
    document = f"{root}/api/documents/{quote(document_id_of(claim_id, source_id), safe=':')}/pdf"
    box = (
        ""
        if bbox is None
        else ",".join(f"{edge:.4f}" for edge in (bbox.left, bbox.top, bbox.width, bbox.height))
    )
    parts = [f"page={page}"] if page is not None else []
    pdf = "&".join([*parts, *([f"bbox={box}"] if box else [])])
    place = "&".join(
        [
            f"source={quote(source_id)}",
            *parts,
            *([f"box={box}"] if box else []),
            *([f"field={quote(field_key)}"] if field_key else []),
        ]
    )
    return CitationUrls(
        document=document,
        # after the '#': a browser sends it to no server, so no log holds it
        place=f"{root}/claims/{quote(claim_id)}#?{place}",
        page_pdf=f"{document}?{pdf}" if pdf else document,
    )


def page_box(box: Box, *, page_width: float, page_height: float) -> PageBox:
    """Return a box with the size of its page."""
    edges = box.as_dict()
    return PageBox(
        edges["left"],
        edges["top"],
        edges["width"],
        edges["height"],
        round(page_width, 2),
        round(page_height, 2),
    )


def contexts(text: str, start: int, end: int, *, characters: int = CONTEXT_CHARACTERS) -> tuple[str, str]:
    """Return the text before and after a range."""
    return text[max(0, start - characters) : start], text[end : end + characters]


def as_context(objects: Sequence[CitationObject]) -> str:
    """Return citations as lines that a model can quote: the value, its short citation, the words behind
    it."""
    return "\n".join(
        f"- {cited.field.name}: {cited.field.value} {cited.citation.short} — "
        f"“{' '.join(cited.source.text.split())[:_LONGEST_QUOTE]}”"
        for cited in objects
    )
