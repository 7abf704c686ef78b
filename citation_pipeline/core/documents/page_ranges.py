"""Some pages of a file as a document: their blocks and words, numbered anew, with the offsets that lead back.

Page numbers stay the file's.
"""

from dataclasses import replace

from citation_pipeline.core.documents.parsed import NO_WORDS, Block, ParsedDocument, Words


def document_of_pages(document: ParsedDocument, first_page: int, last_page: int) -> ParsedDocument:
    """Return the pages from one to another, both included, as one document."""
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
        words=_numbered_anew(words.between(start, end), blocks[0].block_id) if end > start else NO_WORDS,
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


def _numbered_anew(words: Words, first_block: int) -> Words:
    """Return some words with their lines, blocks and text counted from 0."""
    return replace(
        words,
        line=words.line - words.line[0],
        block=words.block - first_block,
        text_start=words.text_start - words.text_start[0],
        text_end=words.text_end - words.text_start[0],
    )
