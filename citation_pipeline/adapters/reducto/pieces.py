"""The blocks of a result, page by page: types, boxes and contents as the rest of the pipeline knows them.

Pages come from boxes, never from markers. A table merged over pages becomes one piece per page, unknown
types become Text, boxes are cut to the page. Pure; not here: the pieces' words (`alignment`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.adapters.reducto.block_contents import (
    clean_table,
    page_marker_ranges,
    tokens,
    without_page_markers,
)
from citation_pipeline.adapters.reducto.parse_results import ParseResult, WireBlock, WireBox, WireWord
from citation_pipeline.core.boxes import Box, box_from_edges, clamp, iou
from citation_pipeline.core.documents.parsed import BLOCK_TYPES

_LOW = 0.5  # the service says only "low": that must not look like "unknown"


@dataclass(frozen=True, slots=True)
class Piece:
    """One block on one page."""

    page: int
    type: str
    box: Box
    content: str
    confidence: float | None
    cited: Sequence[tuple[str, Box | None]]

    @property
    def lines(self) -> list[list[str]]:
        """The content's words, line by line, that can be on the page: a figure's are a model's summary."""
        if self.type == "Figure":
            return []
        return [tokens(self.content)] if self.type == "Table" else list(map(tokens, self.content.split("\n")))

    @property
    def tokens(self) -> list[str]:
        """The words of `lines` in one run."""
        return [token for line in self.lines for token in line]


def pieces_of(result: ParseResult, warnings: Counter[str]) -> list[Piece]:
    """Return all pieces in reading order, counting in `warnings` what was not as it should be."""
    pieces: list[Piece] = []
    for block in result.blocks:
        content = without_page_markers(block.content)
        if block.content.strip() and not content:
            warnings["page_markers_dropped"] += 1
            continue
        kind = block.type
        if kind not in BLOCK_TYPES:
            kind = "Text"
            warnings["unknown_block_types"] += 1
        if kind == "Table":
            content = clean_table(content)
        confidence, cited = _confidence(block), _cited(block)
        for box, text in _places(block, content, warnings):
            page = box.source_page
            here = [(word, None if at is None else _box(at, warnings)) for word, at in cited.get(page, ())]
            pieces.append(Piece(page, kind, _box(box, warnings), text, confidence, here))
    return pieces


def _places(block: WireBlock, content: str, warnings: Counter[str]) -> list[tuple[WireBox, str]]:
    """Return where the block is, with its content there: one place, or one per page of a merged table."""
    if not block.merged_tables:
        return [(block.bbox, content)]
    warnings["merged_tables_split"] += 1
    parts = [(piece.bbox, clean_table(without_page_markers(piece.content))) for piece in block.merged_tables]
    own = Box(block.bbox.left, block.bbox.top, block.bbox.width, block.bbox.height)
    listed = any(
        box.source_page == block.bbox.source_page
        and iou(own, Box(box.left, box.top, box.width, box.height)) > 0.5
        for box, _ in parts
    )
    return parts if listed else [(block.bbox, content), *parts]


def _cited(block: WireBlock) -> dict[int, list[tuple[str, WireBox | None]]]:
    """Return the words the service located, by page; words of page markers are left out."""
    found: dict[int, list[tuple[str, WireBox | None]]] = {}
    words = (block.extra.word_citations if block.extra else None) or []
    if not any(word.bbox for word in words):
        return found
    markers = page_marker_ranges(block.content)
    page = block.bbox.source_page
    for word in words:
        if not word.text.strip() or _in_marker(word, markers):
            continue
        page = word.bbox.source_page if word.bbox else page
        found.setdefault(page, []).append((word.text, word.bbox))
    return found


def _in_marker(word: WireWord, markers: Sequence[tuple[int, int]]) -> bool:
    start = word.char_start
    return start is not None and any(first <= start < last for first, last in markers)


def _confidence(block: WireBlock) -> float | None:
    number = block.granular_confidence.parse_confidence if block.granular_confidence else None
    if number is not None:
        return min(max(number, 0.0), 1.0)
    return _LOW if block.confidence == "low" else None


def _box(box: WireBox, warnings: Counter[str]) -> Box:
    exact = box_from_edges(box.left, box.top, box.left + box.width, box.top + box.height)
    kept = clamp(exact)
    if exact.area - kept.area > 0.001:  # beyond rounding at the page's edge
        warnings["boxes_cut_to_page"] += 1
    return kept
