"""Which pages an extractor has read for which field, and what of the documents nobody has read.

A field without a value is *absent* only where every page was read for it; where a page was not, it is
*unread*. Here: adding up what the parser and the extractor say of themselves. Not here: how a reply becomes
`PagesRead` (the extractors), how either is shown (`viewer`).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.extraction import READ, ExtractedField, Extraction, PagesRead

# what a parser says of a page that it could not read
_UNREAD_PAGE = re.compile(r"page (\d{1,6}): (does not load|no_text_layer|unreadable_glyphs|dynamic_form)")
# files that a document carries, where nobody reads them as documents of their own
_UNREAD_FILES = "embedded_files_unread"


@dataclass(frozen=True, slots=True)
class PageRange:
    """Pages of one source document, 1-based, both ends included."""

    source_id: str
    first_page: int
    last_page: int


@dataclass(frozen=True, slots=True)
class UnreadPages:
    """Pages that nobody read, and why: a parser's error code, or how an extractor's reply ended.

    `first_page` 0 is the whole document.
    """

    source_id: str
    reason: str
    by: str = "extractor"
    first_page: int = 0
    last_page: int = 0


@dataclass(frozen=True, slots=True)
class FieldCoverage:
    """The pages that were searched for a field, and those that were not although they could hold it."""

    searched: Sequence[PageRange]
    unread: Sequence[UnreadPages]


@dataclass(frozen=True, slots=True)
class Coverage:
    """A claim's coverage: what was not read for any field, and each field's own."""

    unread: Sequence[UnreadPages]
    fields: Mapping[str, FieldCoverage] = field(default_factory=dict)

    @property
    def is_partial(self) -> bool:
        """Tell whether some page was not read for some field."""
        return bool(self.unread) or any(covered.unread for covered in self.fields.values())

    def rows(self) -> list[tuple[str | None, UnreadPages]]:
        """Return what was not read: for no field at all (None), then for one field alone."""
        everywhere = set(self.unread)
        return [
            *((None, one) for one in self.unread),
            *((key, one) for key, own in self.fields.items() for one in own.unread if one not in everywhere),
        ]

    @property
    def unread_source_ids(self) -> list[str]:
        """The documents of which something was not read, each once."""
        return list(dict.fromkeys(unread.source_id for _, unread in self.rows()))


def read_whole(
    documents: Sequence[ParsedDocument], extraction: Extraction, field_keys: Collection[str]
) -> tuple[PagesRead, ...]:
    """Return what an extractor has read that answers everything in one reply.

    Of a reply that was cut only the fields in it were answered; of a whole one also those that it leaves out.
    """
    reason = next((issue.code for issue in extraction.issues if issue.code == "malformed_answer"), None)
    answered = tuple(field.field_key for field in extraction.fields)
    silent = tuple(key for key in field_keys if key not in set(answered))
    found: list[PagesRead] = []
    for document in documents:
        whole = PagesRead(document.source.source_id, 1, max(1, len(document.pages)))
        if reason is None:
            found.append(whole)
            continue
        found += [replace(whole, field_keys=answered)] if answered else []
        found += [replace(whole, field_keys=silent, outcome=reason)] if silent else []
    return tuple(found)


def cover(
    documents: Sequence[ParsedDocument],
    pages_read: Sequence[PagesRead] | None,
    field_keys: Sequence[str],
    *,
    only_in: Mapping[str, Collection[str]] | None = None,
) -> Coverage:
    """Return what of a claim was read; None for `pages_read` is everything. The documents need no words.

    `only_in` names the documents of fields that no other could hold.
    """
    homes = only_in or {}
    if pages_read is None:
        pages_read = [PagesRead(d.source.source_id, 1, len(d.pages)) for d in documents]
    by_source: dict[str, list[PagesRead]] = {}
    for read in pages_read:
        by_source.setdefault(read.source_id, []).append(read)
    unread = [unread for document in documents for unread in _unread_by_parser(document)]
    shown = [document for document in documents if document.status is DocumentStatus.PARSED]
    searched: dict[str, list[PageRange]] = {key: [] for key in field_keys}
    missed: dict[str, list[UnreadPages]] = {
        key: [one for one in unread if one.source_id in homes.get(key, (one.source_id,))]
        for key in field_keys
    }
    for document in shown:
        reads = by_source.get(document.source.source_id, [])
        known: dict[tuple[int, ...], tuple[list[PageRange], list[UnreadPages]]] = {}
        for key in field_keys:
            if document.source.source_id not in homes.get(key, (document.source.source_id,)):
                continue
            about = tuple(n for n, read in enumerate(reads) if read.is_about(key))
            if about not in known:
                known[about] = _divide(document, [reads[n] for n in about])
            searched[key] += known[about][0]
            missed[key] += known[about][1]
        nowhere = [known[about][1] for about in known]
        unread += [one for one in nowhere[0] if all(one in other for other in nowhere)] if nowhere else []
    return Coverage(
        tuple(unread), {key: FieldCoverage(tuple(searched[key]), tuple(missed[key])) for key in field_keys}
    )


def is_refused(field: ExtractedField | None, codes: Collection[str]) -> bool:
    """Tell whether a field was answered with something that could not be taken for a value."""
    return field is not None and field.value is None and bool(set(field.warnings) & set(codes))


def _unread_by_parser(document: ParsedDocument) -> list[UnreadPages]:
    source_id = document.source.source_id
    if not document.is_readable:
        reason = document.error.code if document.error is not None else document.status.value
        if document.status is DocumentStatus.EMPTY:
            return []  # somebody has to send it again, but it hides nothing
        return [UnreadPages(source_id, reason, "parser")]
    if document.status is DocumentStatus.DUPLICATE:
        return []
    found = []
    for warning in document.warnings:
        if warning == _UNREAD_FILES:
            found.append(UnreadPages(source_id, warning, "parser"))
        if match := _UNREAD_PAGE.fullmatch(warning):
            page = int(match[1])
            found.append(UnreadPages(source_id, match[2].replace(" ", "_"), "parser", page, page))
    return found


def _divide(
    document: ParsedDocument, reads: Sequence[PagesRead]
) -> tuple[list[PageRange], list[UnreadPages]]:
    """Return the document's pages that were read, and those that were not, as ranges."""
    source_id, count = document.source.source_id, len(document.pages)
    reasons: list[str | None] = ["not_asked"] * count
    for read in (*(r for r in reads if r.outcome != READ), *(r for r in reads if r.outcome == READ)):
        outcome = None if read.outcome == READ else read.outcome
        for page in range(max(1, read.first_page), min(count, read.last_page) + 1):
            reasons[page - 1] = outcome
    for number, sheet in enumerate(document.pages):
        if sheet.text_end <= sheet.text_start:
            reasons[number] = None  # nothing stands on it
    searched: list[PageRange] = []
    unread: list[UnreadPages] = []
    first = 0
    for number in range(1, count + 1):
        if number < count and reasons[number] == reasons[first]:
            continue
        if (reason := reasons[first]) is None:
            searched.append(PageRange(source_id, first + 1, number))
        else:
            unread.append(UnreadPages(source_id, reason, first_page=first + 1, last_page=number))
        first = number
    return searched, unread
