"""The parts of a file as documents by themselves: pages, blocks and words of each, under the file's name.

Page numbers stay the file's; words, blocks and offsets begin anew, and `word_offset` and `text_offset` lead
back. Whoever reads documents one by one reads a file of many documents this way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from citation_pipeline.core.documents.dates import dates_of, page_key
from citation_pipeline.core.documents.parsed import NO_WORDS, Block, ParsedDocument, Words
from citation_pipeline.core.documents.parts import DocumentPart, find_document_parts


def split_document(
    document: ParsedDocument, parts: Sequence[DocumentPart] | None = None
) -> list[ParsedDocument]:
    """Return one document per part in page order; a file of one part is returned as it is."""
    found = find_document_parts(document) if parts is None else parts
    if len(found) < 2:
        return [document]
    return [_of_pages(document, part.first_page, part.last_page) for part in found]


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


def _of_pages(document: ParsedDocument, first_page: int, last_page: int) -> ParsedDocument:
    words = document.words
    start = int(words.page.searchsorted(first_page, "left"))
    end = int(words.page.searchsorted(last_page, "right"))
    offset = int(words.text_start[start]) if end > start else 0
    blocks = [block for block in document.blocks if first_page <= block.page <= last_page]
    return replace(
        document,
        pages=tuple(
            replace(
                page,
                text_start=max(0, page.text_start - offset),
                text_end=max(0, page.text_end - offset),
            )
            for page in document.pages
            if first_page <= page.page <= last_page
        ),
        blocks=tuple(_moved(block, number, start, offset) for number, block in enumerate(blocks)),
        words=_slice(words, start, end, blocks[0].block_id) if end > start else NO_WORDS,
        word_offset=document.word_offset + start,
        text_offset=document.text_offset + offset,
        part_starts=(first_page,),  # one document, whatever its pages look like
    )


def _moved(block: Block, number: int, start: int, offset: int) -> Block:
    return replace(
        block,
        block_id=number,
        word_start=max(0, block.word_start - start),
        word_end=max(0, block.word_end - start),
        text_start=max(0, block.text_start - offset),
        text_end=max(0, block.text_end - offset),
    )


def _slice(words: Words, start: int, end: int, first_block: int) -> Words:
    """Return some of the words, numbered with their lines and blocks from 0."""
    offset = words.text_start[start]
    return Words(
        texts=words.texts[start:end],
        page=words.page[start:end],
        boxes=words.boxes[start:end],
        line=words.line[start:end] - words.line[start],
        block=words.block[start:end] - first_block,
        text_start=words.text_start[start:end] - offset,
        text_end=words.text_end[start:end] - offset,
        confidence=words.confidence[start:end],
    )
