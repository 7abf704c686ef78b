"""The parts of a file as documents by themselves: pages, blocks and words of each, under the file's name.

Page numbers stay the file's; words, blocks and offsets begin anew, and `word_offset` and `text_offset` lead
back. Whoever reads documents one by one reads a file of many documents this way.
"""

from collections.abc import Iterator, Sequence

from citation_pipeline.core.documents.dates import dates_of, page_key
from citation_pipeline.core.documents.page_ranges import document_of_pages
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.parts import DocumentPart, find_document_parts


def split_document(
    document: ParsedDocument, parts: Sequence[DocumentPart] | None = None
) -> list[ParsedDocument]:
    """Return one document per part in page order; a file of one part is returned as it is."""
    found = find_document_parts(document) if parts is None else parts
    if len(found) < 2:
        return [document]
    return [document_of_pages(document, part.first_page, part.last_page) for part in found]


def split_documents(documents: Sequence[ParsedDocument]) -> Iterator[ParsedDocument]:
    """Yield the parts of each document in order."""
    for document in documents:
        yield from split_document(document)


def dates_by_part(documents: Sequence[ParsedDocument]) -> dict[str, str]:
    """Return source id → date, and `page_key` → date for the pages of files that are many documents."""
    dates = dates_of(documents)
    for document in documents:
        parts = find_document_parts(document) if document.is_readable else ()
        for part in parts if len(parts) > 1 else ():
            for page in range(part.first_page, part.last_page + 1):
                dates[page_key(document.source.source_id, page)] = part.date or ""
    return dates


def part_of_page(parts: Sequence[DocumentPart], page: int | None) -> DocumentPart | None:
    """Return the part that a page belongs to, None in a file of one."""
    if len(parts) < 2 or page is None:
        return None
    return next((part for part in parts if part.first_page <= page <= part.last_page), None)
