"""What a parser saw of one source document: pages, blocks, lines, words and one normalized text.

Shapes only: parsers build them with `document_composition`. The words are columns, not objects: a document
of a thousand pages has half a million of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box, BoxArray

# after a word: on its line, at the line's end, at the block's end
_GAPS = np.array([" ", "\n", "\n\n"], dtype=object)

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
    text; `confidence` is 0-1, NaN where the words come from a text layer. `second_readings` are, by word id,
    what a second recognition of the same ink had instead ("" where it had nothing); the stored tables keep
    them apart from the words.
    """

    texts: Sequence[str]
    page: NDArray[np.int32]
    boxes: BoxArray
    line: NDArray[np.int32]
    block: NDArray[np.int32]
    text_start: NDArray[np.int32]
    text_end: NDArray[np.int32]
    confidence: NDArray[np.float32]
    second_readings: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.texts)

    @cached_property
    def text(self) -> str:
        """The normalized text: words parted by a space, lines by a line feed, blocks by two."""
        if not self.texts:
            return ""
        gaps = np.where(np.diff(self.block), 2, np.where(np.diff(self.line), 1, 0))
        parted = [""] * (2 * len(self.texts) - 1)
        parted[::2] = self.texts
        parted[1::2] = _GAPS[gaps].tolist()
        return "".join(parted)

    def between(self, start: int, end: int) -> "Words":
        """Return the words from one id to another, the second excluded, with their numbers as they are."""
        return Words(
            texts=self.texts[start:end],
            page=self.page[start:end],
            boxes=self.boxes[start:end],
            line=self.line[start:end],
            block=self.block[start:end],
            text_start=self.text_start[start:end],
            text_end=self.text_end[start:end],
            confidence=self.confidence[start:end],
            second_readings={
                at - start: other for at, other in self.second_readings.items() if start <= at < end
            },
        )

    def box(self, word_id: int) -> Box:
        """Return one word's box."""
        left, top, width, height = self.boxes[word_id]
        return Box(float(left), float(top), float(width), float(height))


@dataclass(frozen=True, eq=False)
class ParsedDocument:
    """One source document as a parser left it; with `error` set there may be no pages at all.

    For a part of a file (`part_documents`) the offsets say where its words and text begin in the file's.
    `part_starts` are the first pages of a file's documents where a person set them, () where nobody did.
    """

    source: SourceDocument
    status: DocumentStatus
    parser: str
    parser_version: str
    pages: Sequence[Page]
    blocks: Sequence[Block]
    words: Words
    error: DocumentError | None = None
    warnings: Sequence[str] = field(default_factory=tuple)
    word_offset: int = 0
    text_offset: int = 0
    part_starts: Sequence[int] = ()

    @property
    def text(self) -> str:
        """The normalized text, which offsets index."""
        return self.words.text

    @property
    def is_readable(self) -> bool:
        """Tell whether there is anything to extract from."""
        return self.status in (DocumentStatus.PARSED, DocumentStatus.DUPLICATE)

    def words_between(self, text_start: int, text_end: int) -> range:
        """Return the ids of the words that overlap a half-open range of the normalized text."""
        first = int(np.searchsorted(self.words.text_end, text_start, side="right"))
        last = int(np.searchsorted(self.words.text_start, text_end, side="left"))
        return range(first, max(first, last))


def share_parse(original: ParsedDocument, source: SourceDocument) -> ParsedDocument:
    """Return the parse of a file with the same bytes as another, under its own name."""
    status = DocumentStatus.DUPLICATE if original.is_readable else original.status
    return replace(original, source=source, status=status)


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
        error=error,
    )
