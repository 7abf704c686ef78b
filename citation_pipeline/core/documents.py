"""What a parser saw of one source document: pages, blocks, lines, words and one normalized text.

Parsers build these shapes with `compose_document`; nothing here reads a file. The words are columns, not
objects: a document of a thousand pages has half a million of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box, BoxArray, union_of_rows

BLOCK_TYPES = (
    "Header",
    "Footer",
    "Title",
    "Section Header",
    "Page Number",
    "List Item",
    "Figure",
    "Table",
    "Key Value",
    "Text",
    "Comment",
    "Signature",
)
"""Reducto's twelve block types, which every parser here speaks."""


class DocumentStatus(StrEnum):
    """How the reading of one source document ended; everything but the first two has an error."""

    PARSED = "parsed"
    DUPLICATE = "duplicate"  # same bytes as another file of the claim: its parse is shared
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    UNSUPPORTED = "unsupported"
    OVERSIZED = "oversized"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    PROVIDER_FAILED = "provider_failed"  # a remote parser gave up on it


@dataclass(frozen=True, slots=True)
class DocumentError:
    """Why a document could not be read: a stable code, what happened, and what to do about it.

    Neither sentence quotes the document.
    """

    code: str
    message: str
    remedy: str
    transient: bool = False

    def __str__(self) -> str:
        """Return the code, the message and the remedy as one line."""
        return f"{self.code}: {self.message} {self.remedy}"


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One file of a claim.

    `source_id` is its slug, unique within the claim; `name` the title a reader sees; `file` the path
    relative to the claim's documents folder; `duplicate_of` the source_id with the same bytes.
    """

    source_id: str
    name: str
    file: str
    sha256: str
    media_type: str
    byte_count: int
    duplicate_of: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One page: 1-based number, displayed size in points, the rotation that was applied (0, 90, 180, 270).

    `text_start` and `text_end` are the page's range of the document's normalized text.
    `words_from` is "text" (a text layer), "ocr", or "mixed".
    """

    page: int
    width_pt: float
    height_pt: float
    rotation: int
    text_start: int
    text_end: int
    has_text_layer: bool
    words_from: str = "text"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of words that belong together, on one page.

    `block_id` is the block's position in the document; `word_start` and `word_end` its half-open range
    of words; `text` its slice of the normalized text; `content` what a model reads (tables as HTML).
    """

    block_id: int
    type: str
    page: int
    box: Box
    word_start: int
    word_end: int
    text_start: int
    text_end: int
    text: str
    content: str
    confidence: float | None = None


@dataclass(frozen=True, eq=False)
class Words:
    """All words of one document in reading order, as columns of one length n.

    `word_id` is the position. `page` is 1-based; `boxes` (n, 4) in the page frame; `line` and `block` number
    the document's lines and blocks, both non-decreasing; `text_start`/`text_end` index the normalized
    text; `confidence` is 0-1, NaN where the words come from a text layer.
    """

    texts: Sequence[str]
    page: NDArray[np.int32]
    boxes: BoxArray
    line: NDArray[np.int32]
    block: NDArray[np.int32]
    text_start: NDArray[np.int32]
    text_end: NDArray[np.int32]
    confidence: NDArray[np.float32]

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.texts)

    def box(self, word_id: int) -> Box:
        """Return one word's box."""
        left, top, width, height = self.boxes[word_id]
        return Box(float(left), float(top), float(width), float(height))


@dataclass(frozen=True, eq=False)
class ParsedDocument:
    """One source document as a parser left it; with `error` set there may be no pages at all."""

    source: SourceDocument
    status: DocumentStatus
    parser: str
    parser_version: str
    pages: Sequence[Page]
    blocks: Sequence[Block]
    words: Words
    text: str
    error: DocumentError | None = None
    warnings: Sequence[str] = field(default_factory=tuple)

    @property
    def is_readable(self) -> bool:
        """Tell whether there is anything to extract from."""
        return self.status in (DocumentStatus.PARSED, DocumentStatus.DUPLICATE)

    def page_at(self, offset: int) -> int | None:
        """Return the 1-based page whose text range holds `offset`, or None outside the text."""
        for page in self.pages:
            if page.text_start <= offset < page.text_end:
                return page.page
        return None

    def words_between(self, text_start: int, text_end: int) -> range:
        """Return the ids of the words that overlap a half-open range of the normalized text."""
        first = int(np.searchsorted(self.words.text_end, text_start, side="right"))
        last = int(np.searchsorted(self.words.text_start, text_end, side="left"))
        return range(first, max(first, last))


def share_parse(original: ParsedDocument, source: SourceDocument) -> ParsedDocument:
    """Return the parse of a file with the same bytes as another, under its own name."""
    status = DocumentStatus.DUPLICATE if original.is_readable else original.status
    return replace(original, source=source, status=status)


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
    """A block before offsets exist: lines of (text, box) words, and the page they stand on.

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


NO_WORDS = Words(
    texts=(),
    page=np.zeros(0, np.int32),
    boxes=np.zeros((0, 4)),
    line=np.zeros(0, np.int32),
    block=np.zeros(0, np.int32),
    text_start=np.zeros(0, np.int32),
    text_end=np.zeros(0, np.int32),
    confidence=np.zeros(0, np.float32),
)


def unread_document(
    source: SourceDocument, status: DocumentStatus, error: DocumentError, *, parser: str, parser_version: str
) -> ParsedDocument:
    """Return the row that stands for a document nobody could read."""
    return ParsedDocument(
        source=source,
        status=status,
        parser=parser,
        parser_version=parser_version,
        pages=(),
        blocks=(),
        words=NO_WORDS,
        text="",
        error=error,
    )


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
        text="".join(draft.parts),
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


def compose_text(words: Words) -> str:
    """Rebuild the normalized text from the words alone (it is not stored beside them)."""
    parts: list[str] = []
    for i, text in enumerate(words.texts):
        if i:
            if words.block[i] != words.block[i - 1]:
                parts.append("\n\n")
            else:
                parts.append("\n" if words.line[i] != words.line[i - 1] else " ")
        parts.append(text)
    return "".join(parts)
