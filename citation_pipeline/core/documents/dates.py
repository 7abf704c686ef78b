"""The dates of a claim's documents, where no schema says how they are labelled; found as `own_days` does.

Used to order contradicting statements; a wrong or missing date only changes which of them is shown first.
"""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from citation_pipeline.core.documents.own_days import own_date, plausible_day
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.rules.pages.layout import read_rows

# a claim's plan, price, prompts, requotes and conflicts each ask for it
_DATES: "WeakKeyDictionary[ParsedDocument, str | None]" = WeakKeyDictionary()


def date_of(document: ParsedDocument) -> str | None:
    """Return the day that a document speaks for as an ISO string, or None where it tells none."""
    if document not in _DATES:
        _DATES[document] = own_date(document, read_rows(document), (), None) or None
    return _DATES[document]


def page_key(source_id: str, page: int) -> str:
    """Return under which name the date of a page's part is kept; no source id has the mark."""
    return f"{source_id}#{page}"


def dates_of(documents: Sequence[ParsedDocument]) -> dict[str, str]:
    """Return source id → date for the documents that have one."""
    found = {
        document.source.source_id: date
        for document in documents
        if document.is_readable and (date := date_of(document)) is not None
    }
    return {
        source_id: date
        for source_id, date in found.items()
        if plausible_day(date, (other for one, other in found.items() if one != source_id))
    }
