"""A document's own date: when it was written, as far as its first page tells.

Used to order contradicting statements; a wrong or missing date only changes which of them is shown first.
"""

import re
from collections.abc import Sequence

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.values.dates import find_dates

# how the date of writing is labelled, best evidence first
_LABELS = (
    re.compile(
        r"\b(?:report|run|print(?:ed)?|letter|issue[ds]?|notice|statement|as[ -]of|prepared|service|mailing)"
        r"(?: on| date|\s+through)?\s*(?:date|on|:)?\W{0,3}$|\bas of\W{0,3}$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bdate (?:of (?:this )?(?:report|letter|notice)|prepared|printed|issued)\W{0,4}$", re.IGNORECASE
    ),
    re.compile(r"(?:^|\n|\s{2})\s*(?:date|dated)\W{0,4}$", re.IGNORECASE),
)
# dates that lie ahead of the writing, or are printed on every copy of a form
_AHEAD = re.compile(
    r"\b(?:due|next|by|set for|scheduled|hearing|appointment|appear|return|rtc|until|through|expir\w*|diary|"
    r"effective|rev(?:ised)?|will|on or before|before)\b[^\n]{0,30}$",
    re.IGNORECASE,
)
_CONTEXT = 45  # characters before a date in which its label is


def date_of(document: ParsedDocument) -> str | None:
    """Return the document's own date as an ISO string, or None where its first pages tell none."""
    text = document.text[: document.pages[0].text_end] if document.pages else document.text
    return date_of_text(text)


def date_of_text(text: str) -> str | None:
    """Return the date of writing that a first page tells: a labelled one, else the latest that is past.

    A document is written after what it reports, so the latest date that lies not ahead comes close.
    """
    found = find_dates(text)
    before = [text[max(0, span.start - _CONTEXT) : span.start] for span in found]
    for label in _LABELS:
        for span, context in zip(found, before, strict=True):
            if label.search(context):
                return str(span.value)
    past = [
        str(span.value) for span, context in zip(found, before, strict=True) if not _AHEAD.search(context)
    ]
    return max(past, default=None)


def page_key(source_id: str, page: int) -> str:
    """Return under which name the date of a page's part is kept; no source id has the mark."""
    return f"{source_id}#{page}"


def dates_of(documents: Sequence[ParsedDocument]) -> dict[str, str]:
    """Return source id → date for the documents that have one."""
    return {
        document.source.source_id: date
        for document in documents
        if document.is_readable and (date := date_of(document)) is not None
    }
