"""From what a parser saw to a `ParsedDocument`: numbering words, lines and blocks, composing the text.

Parsers hand over pages and blocks in reading order; the shapes they become are `documents`'.
"""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
    have no words at all, then `box` is required. `confidences` pair with the words, line by line;
    `second_readings` are by (line, position in it) what a second reading of a word had instead.
    """

    page: int
    type: str
    lines: Sequence[Sequence[tuple[str, Box]]]
    box: Box | None = None
    content: str | None = None
    confidence: float | None = None
    confidences: Sequence[Sequence[float]] | None = None
    second_readings: Mapping[tuple[int, int], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BlockChange:
    """What only the whole document tells about a block: another type, or that its table goes on."""

    type: str | None = None
    is_continued: bool = False


def compose_document(
    source: SourceDocument,
    *,
    pages: Sequence[PageDraft],
    blocks: Iterable[BlockDraft],
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
    composition = Composition()
    for block in blocks:
        if block.page > len(pages):
            raise ValueError(f"{source.source_id}: there is a block on page {block.page} of {len(pages)}")
        composition.add(block)
    return composition.document(
        source, pages=pages, parser=parser, parser_version=parser_version, status=status, warnings=warnings
    )


class Composition:
    """A document while its blocks arrive; words are kept as columns, so a page's drafts may be dropped."""

    def __init__(self) -> None:
        self._length = 0
        self._lines = 0
        self._blocks: list[Block] = []
        self._page_ranges: dict[int, tuple[int, int]] = {}
        self._texts: list[str] = []
        self._known: dict[str, str] = {}  # each word's text once: most words of a long file repeat
        self._page = array("i")
        self._boxes = array("d")
        self._line = array("i")
        self._block = array("i")
        self._start = array("i")
        self._end = array("i")
        self._confidence = array("f")
        self._second_readings: dict[int, str] = {}

    def add(self, draft: BlockDraft) -> None:
        """Append a block that follows those already added; raises ValueError."""
        block_id, first_word = len(self._blocks), len(self._texts)
        if draft.page < max(1, self._blocks[-1].page if self._blocks else 1):
            raise ValueError(
                f"block {block_id} is on page {draft.page}, after one of page "
                f"{self._blocks[-1].page if self._blocks else 0}; give blocks in page order"
            )
        parts: list[str] = []
        separator = "\n\n" if self._length else ""
        text_start = self._length + len(separator)
        for number, words in enumerate(draft.lines):
            confidences = None if draft.confidences is None else draft.confidences[number]
            for position in range(len(words)) if draft.second_readings else ():
                if (number, position) in draft.second_readings:
                    at = len(self._texts) + position
                    self._second_readings[at] = draft.second_readings[number, position]
            for text, _ in words:
                self._length += len(separator)
                parts.extend((separator, text))
                separator = " "
                self._start.append(self._length)
                self._length += len(text)
                self._end.append(self._length)
            if words:
                count = len(words)
                self._texts.extend([self._known.setdefault(text, text) for text, _ in words])
                self._boxes.extend(
                    [edge for _, box in words for edge in (box.left, box.top, box.width, box.height)]
                )
                self._page.extend([draft.page] * count)
                self._line.extend([self._lines] * count)
                self._block.extend([block_id] * count)
                self._confidence.extend([math.nan] * count if confidences is None else confidences)
                self._lines += 1
                separator = "\n"
        has_words = len(self._texts) > first_word
        if not has_words and draft.box is None:
            raise ValueError(f"block {block_id} on page {draft.page} has neither words nor a box")
        text_start = text_start if has_words else self._length
        text = "".join(parts[1:])
        begin, _ = self._page_ranges.get(draft.page, (text_start, 0))
        self._page_ranges[draft.page] = (begin, self._length)
        self._blocks.append(
            Block(
                block_id=block_id,
                type=draft.type,
                page=draft.page,
                box=draft.box or union_of_rows(np.array(self._boxes[4 * first_word :]).reshape(-1, 4)),
                word_start=first_word,
                word_end=len(self._texts),
                text_start=text_start,
                text_end=self._length,
                text=text,
                content=text if draft.content is None or draft.content == text else draft.content,
                confidence=draft.confidence,
            )
        )

    def document(
        self,
        source: SourceDocument,
        *,
        pages: Sequence[PageDraft],
        parser: str,
        parser_version: str,
        status: DocumentStatus = DocumentStatus.PARSED,
        warnings: Sequence[str] = (),
        changes: Mapping[int, BlockChange] | None = None,
    ) -> ParsedDocument:
        """Return the document; `changes` are by block position."""
        for position, change in (changes or {}).items():
            self._blocks[position] = _changed(self._blocks[position], change)
        return ParsedDocument(
            source=source,
            status=status,
            parser=parser,
            parser_version=parser_version,
            pages=self._pages(pages),
            blocks=tuple(self._blocks),
            words=Words(
                texts=self._texts,
                page=np.array(self._page, np.int32),
                boxes=np.array(self._boxes, np.float64).reshape(-1, 4),
                line=np.array(self._line, np.int32),
                block=np.array(self._block, np.int32),
                text_start=np.array(self._start, np.int32),
                text_end=np.array(self._end, np.int32),
                confidence=np.array(self._confidence, np.float32),
                second_readings=self._second_readings,
            ),
            warnings=tuple(warnings),
        )

    def _pages(self, drafts: Sequence[PageDraft]) -> tuple[Page, ...]:
        pages: list[Page] = []
        at = 0  # a page without words has an empty range where the one before it ends
        for number, draft in enumerate(drafts, start=1):
            start, at = self._page_ranges.get(number, (at, at))
            pages.append(
                Page(
                    page=number,
                    width_pt=draft.width_pt,
                    height_pt=draft.height_pt,
                    rotation=draft.rotation,
                    text_start=start,
                    text_end=at,
                    has_text_layer=draft.has_text_layer,
                    words_from=draft.words_from,
                )
            )
        return tuple(pages)


def _changed(block: Block, change: BlockChange) -> Block:
    content = block.content
    if change.is_continued:
        content = content.replace("<table>", "<table data-continued>", 1)
    return replace(block, type=change.type or block.type, content=content)
