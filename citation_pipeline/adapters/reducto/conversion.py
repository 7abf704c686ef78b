"""From Reducto's result to a parsed document: blocks of the twelve types, words, one text.

Pages come from boxes, never from markers. A table merged over pages becomes one block per page. Local words
that no block holds are kept as blocks of their own: what stands on a page can always be cited. Pure; not
here: which words a block has (`alignment`), cleaning contents (`block_contents`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citation_pipeline.adapters.reducto.alignment import (
    LocalWords,
    PlacedWord,
    assign_words,
    cited_words,
    in_lines,
    plain,
    unplaced,
    words_of_block,
)
from citation_pipeline.adapters.reducto.block_contents import (
    clean_table,
    page_marker_ranges,
    tokens,
    without_page_markers,
)
from citation_pipeline.adapters.reducto.errors import ReductoResultError
from citation_pipeline.adapters.reducto.parse_results import ParseResult, WireBlock, WireBox, WireWord
from citation_pipeline.core.boxes import Box, box_from_edges, clamp, iou, union
from citation_pipeline.core.documents import (
    BLOCK_TYPES,
    BlockDraft,
    PageDraft,
    ParsedDocument,
    SourceDocument,
    compose_document,
)

_LETTER = (612.0, 792.0)  # points; only where nobody told us the page's size
_LOW = (
    0.5  # the service's word is "low": it must not look like "unknown", and every review threshold is above
)


@dataclass(frozen=True, slots=True)
class _Piece:
    """One block on one page."""

    page: int
    type: str
    box: Box
    content: str
    confidence: float | None
    cited: Sequence[tuple[str, Box | None]]

    @property
    def tokens(self) -> list[str]:
        """The words of the content that can stand on the page: a figure's content is a model's summary."""
        return [] if self.type == "Figure" else tokens(self.content)


def convert_result(
    source: SourceDocument,
    result: ParseResult,
    *,
    local: ParsedDocument | None,
    parser: str,
    parser_version: str,
) -> ParsedDocument:
    """Build the document; `local` is the local parser's view of the same file, None when there is none.

    Raises `ReductoResultError` when the result cannot belong to the file.
    """
    warnings: Counter[str] = Counter()
    pieces = sorted(_pieces(result, warnings), key=lambda piece: piece.page)
    if local is not None and not local.is_readable:
        warnings["local_words_missing"] += 1
        local = None
    pages = _pages(source, result, pieces, local)
    drafts: list[BlockDraft] = []
    for number, page in enumerate(pages, start=1):
        on_page = [piece for piece in pieces if piece.page == number]
        words = None if local is None else _local_words(local, number)
        drafts += _page_blocks(on_page, words, number, page, warnings)
    return compose_document(
        source,
        pages=pages,
        blocks=drafts,
        parser=parser,
        parser_version=parser_version,
        warnings=[f"{name}: {count}" for name, count in sorted(warnings.items())],
    )


def _pages(
    source: SourceDocument, result: ParseResult, pieces: Sequence[_Piece], local: ParsedDocument | None
) -> list[PageDraft]:
    last = max((piece.page for piece in pieces), default=0)
    if local is None:
        count = max(last, min(result.usage.num_pages or 0, last + 1000))
        return [PageDraft(*_LETTER, has_text_layer=False, words_from="ocr")] * max(count, 1)
    if last > len(local.pages):
        raise ReductoResultError(
            f"the result has blocks on page {last}, the file has {len(local.pages)} pages",
            remedy="It belongs to another file: check what was stored or imported under this source_id.",
            operation="result",
            code="pages_do_not_match",
            source_id=source.source_id,
        )
    return [
        PageDraft(p.width_pt, p.height_pt, p.rotation, p.has_text_layer, p.words_from) for p in local.pages
    ]


def _pieces(result: ParseResult, warnings: Counter[str]) -> list[_Piece]:
    pieces: list[_Piece] = []
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
            pieces.append(_Piece(page, kind, _box(box, warnings), text, confidence, here))
    return pieces


def _places(block: WireBlock, content: str, warnings: Counter[str]) -> list[tuple[WireBox, str]]:
    """Return where the block stands, with its content there: one place, or one per page of a merged table."""
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


def _local_words(local: ParsedDocument, page: int) -> LocalWords:
    words = local.words
    first, last = np.searchsorted(words.page, (page, page + 1))  # a page's words are one run
    here = slice(int(first), int(last))
    return LocalWords(
        texts=list(words.texts[here]),
        boxes=words.boxes[here],
        lines=[int(line) for line in words.line[here]],
        blocks=[int(block) for block in words.block[here]],
        confidences=[float(number) for number in words.confidence[here]],
        from_ocr=local.pages[page - 1].words_from != "text",
    )


def _page_blocks(
    pieces: Sequence[_Piece],
    local: LocalWords | None,
    number: int,
    page: PageDraft,
    warnings: Counter[str],
) -> list[BlockDraft]:
    given: list[list[int]] = [[] for _ in pieces]
    outside: list[int] = []
    on_page = ""
    if local is not None:
        given, outside = assign_words(local, [p.box for p in pieces], [p.tokens for p in pieces])
        on_page = "".join(map(plain, local.texts))
    drafts = []
    for piece, indices in zip(pieces, given, strict=True):
        if piece.cited:
            confidence = math.nan if piece.confidence is None else piece.confidence
            words = cited_words(
                piece.cited, local=local, indices=indices, box=piece.box, confidence=confidence
            )
        elif local is not None:
            words = words_of_block(local, indices, piece.tokens, box=piece.box, on_page=on_page)
        else:
            words = [unplaced(token, piece.box) for token in piece.tokens]
        warnings["words_placed_by_block"] += sum(word.line < 0 for word in words)
        drafts.append(_draft(number, piece.type, words, piece))
    if local is not None and outside:
        warnings["words_outside_blocks"] += len(outside)
        for words in _runs(local, outside):
            _insert(drafts, _draft(number, "Text", words, None))
    for name in [name for name, count in warnings.items() if not count]:
        del warnings[name]
    return drafts


def _draft(page: int, kind: str, words: Sequence[PlacedWord], piece: _Piece | None) -> BlockDraft:
    lines = in_lines(words)
    return BlockDraft(
        page=page,
        type=kind,
        lines=[[(word.text, word.box) for word in line] for line in lines],
        box=piece.box if piece else union(word.box for word in words),
        content=piece.content if piece else None,
        confidence=piece.confidence if piece else None,
        confidences=[[word.confidence for word in line] for line in lines],
    )


def _runs(local: LocalWords, indices: Sequence[int]) -> list[list[PlacedWord]]:
    """Group words outside all blocks by the block that the local parser put them in."""
    runs: dict[int, list[PlacedWord]] = {}
    for index in indices:
        runs.setdefault(local.blocks[index], []).append(local.placed(index))
    return list(runs.values())


def _insert(drafts: list[BlockDraft], draft: BlockDraft) -> None:
    """Put a block before the first one that begins below it."""
    top = draft.box.top if draft.box else 0.0
    for position, other in enumerate(drafts):
        if other.box is not None and other.box.top > top:
            drafts.insert(position, draft)
            return
    drafts.append(draft)
