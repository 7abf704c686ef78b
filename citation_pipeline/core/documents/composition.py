"""From what a parser saw to a `ParsedDocument`: numbering words, lines and blocks, composing the text.

Parsers hand over pages and blocks in reading order; the shapes they become are `documents`'.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citation_pipeline.core.boxes import Box, union_of_rows
from citation_pipeline.core.documents.parsed import (
    Block,
    DocumentStatus,
    Page,
    ParsedDocument,
    SourceDocument,
    Words,
)


@dataclass(frozen=True, slots=True)
class PageDraft:
    """A page as a parser measured it, before the text is composed."""

    width_pt: float
    height_pt: float
    rotation: int = 0
    has_text_layer: bool = True
    words_from: str = "text"


@dataclass(frozen=True, slots=True)
class BlockDraft:
    """A block before offsets exist: lines of (text, box) words, and the page they are on.

    `box` defaults to the union of the words; `content` to the block's text; figures and signatures may
    have no words at all, then `box` is required. `confidences` pair with the words, line by line.
    """

    page: int
    type: str
    lines: Sequence[Sequence[tuple[str, Box]]]
    box: Box | None = None
    content: str | None = None
    confidence: float | None = None
    confidences: Sequence[Sequence[float]] | None = None


def compose_document(
    source: SourceDocument,
    *,
    pages: Sequence[PageDraft],
    blocks: Sequence[BlockDraft],
    parser: str,
    parser_version: str,
    status: DocumentStatus = DocumentStatus.PARSED,
    warnings: Sequence[str] = (),
) -> ParsedDocument:
    """Number words, lines and blocks, and compose the one normalized text.

    Words of a line are joined by a space, lines by a newline, blocks by an empty line; pages follow one
    another the same way, and each page's range ends where its last word ends. `blocks` come in reading
    order, page after page; a block on a page that does not exist, or out of page order, is a ValueError.
    """
    draft = _Composition()
    page_ranges: list[tuple[int, int]] = [(0, 0)] * len(pages)
    current = 0
    for block in blocks:
        if not current <= block.page <= len(pages) or block.page < 1:
            raise ValueError(
                f"{source.source_id}: block {len(draft.blocks)} stands on page {block.page} of "
                f"{len(pages)} after page {current}; give blocks in page order"
            )
        start_of_page = block.page != current
        for skipped in range(current + 1 if current else 1, block.page):
            page_ranges[skipped - 1] = (draft.length, draft.length)
        current = block.page
        draft.add(block)
        begin = draft.blocks[-1].text_start if start_of_page else page_ranges[current - 1][0]
        page_ranges[current - 1] = (begin, draft.length)
    for skipped in range(current + 1, len(pages) + 1):
        page_ranges[skipped - 1] = (draft.length, draft.length)
    return ParsedDocument(
        source=source,
        status=status,
        parser=parser,
        parser_version=parser_version,
        pages=tuple(
            Page(
                page=number,
                width_pt=page.width_pt,
                height_pt=page.height_pt,
                rotation=page.rotation,
                text_start=page_ranges[number - 1][0],
                text_end=page_ranges[number - 1][1],
                has_text_layer=page.has_text_layer,
                words_from=page.words_from,
            )
            for number, page in enumerate(pages, start=1)
        ),
        blocks=tuple(draft.blocks),
        words=draft.words(),
        warnings=tuple(warnings),
    )


class _Composition:
    """The columns while they grow."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.lines = 0
        self.blocks: list[Block] = []
        self.texts: list[str] = []
        self.page: list[int] = []
        self.boxes: list[tuple[float, float, float, float]] = []
        self.line: list[int] = []
        self.block: list[int] = []
        self.start: list[int] = []
        self.end: list[int] = []
        self.confidence: list[float] = []

    def _write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def add(self, draft: BlockDraft) -> None:
        """Append one block's words to the columns and its text to the document's."""
        block_id, first_word, first_part = len(self.blocks), len(self.texts), len(self.parts)
        separator = "\n\n" if self.length else ""
        text_start = self.length + len(separator)
        for number, words in enumerate(draft.lines):
            for position, (text, box) in enumerate(words):
                self._write(separator)
                separator = " "
                self.texts.append(text)
                self.page.append(draft.page)
                self.boxes.append((box.left, box.top, box.width, box.height))
                self.line.append(self.lines)
                self.block.append(block_id)
                self.start.append(self.length)
                self._write(text)
                self.end.append(self.length)
                known = draft.confidences
                self.confidence.append(known[number][position] if known is not None else float("nan"))
            if words:
                self.lines += 1
                separator = "\n"
        has_words = len(self.texts) > first_word
        if not has_words and draft.box is None:
            raise ValueError(f"block {block_id} on page {draft.page} has neither words nor a box")
        text_start = text_start if has_words else self.length
        text = "".join(self.parts[first_part + 1 :]) if has_words else ""
        self.blocks.append(
            Block(
                block_id=block_id,
                type=draft.type,
                page=draft.page,
                box=draft.box or union_of_rows(np.asarray(self.boxes[first_word:])),
                word_start=first_word,
                word_end=len(self.texts),
                text_start=text_start,
                text_end=self.length,
                text=text,
                content=text if draft.content is None else draft.content,
                confidence=draft.confidence,
            )
        )

    def words(self) -> Words:
        """Return the columns."""
        return Words(
            texts=self.texts,
            page=np.asarray(self.page, np.int32),
            boxes=np.asarray(self.boxes, np.float64).reshape(-1, 4),
            line=np.asarray(self.line, np.int32),
            block=np.asarray(self.block, np.int32),
            text_start=np.asarray(self.start, np.int32),
            text_end=np.asarray(self.end, np.int32),
            confidence=np.asarray(self.confidence, np.float32),
        )
