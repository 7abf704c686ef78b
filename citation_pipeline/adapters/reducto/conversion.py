"""From Reducto's result to a parsed document: blocks of the twelve types, words, one text.

Local words that no block holds are kept as blocks of their own: what is on a page can always be cited.
Pure; not here: reading the result's blocks (`pieces`), which words a block has (`alignment`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

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
from citation_pipeline.adapters.reducto.errors import ReductoResultError
from citation_pipeline.adapters.reducto.parse_results import ParseResult
from citation_pipeline.adapters.reducto.pieces import Piece, pieces_of
from citation_pipeline.core.boxes import union
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import Block, ParsedDocument, SourceDocument

_LETTER = (612.0, 792.0)  # points; only where nobody told us the page's size


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
    pieces = pieces_of(result, warnings)
    if local is not None and not local.is_readable:
        warnings["local_words_missing"] += 1
        local = None
    pages = _pages(source, result, pieces, local)
    drafts: list[BlockDraft] = []
    by_page: dict[int, list[Piece]] = {}
    for piece in pieces:
        by_page.setdefault(piece.page, []).append(piece)
    for number in range(1, len(pages) + 1):
        on_page = by_page.get(number, [])
        words = None if local is None else _local_words(local, number)
        drafts += _page_blocks(on_page, words, number, warnings, local.blocks if local else ())
    return compose_document(
        source,
        pages=pages,
        blocks=drafts,
        parser=parser,
        parser_version=parser_version,
        warnings=[f"{name}: {count}" for name, count in sorted(warnings.items())],
    )


def _pages(
    source: SourceDocument, result: ParseResult, pieces: Sequence[Piece], local: ParsedDocument | None
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
        second_readings={
            at - here.start: other
            for at, other in words.second_readings.items()
            if here.start <= at < here.stop
        },
    )


def _page_blocks(
    pieces: Sequence[Piece],
    local: LocalWords | None,
    number: int,
    warnings: Counter[str],
    local_blocks: Sequence[Block],
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
            words = [
                unplaced(token, piece.box, line=row) for row, line in enumerate(piece.lines) for token in line
            ]
        warnings["words_placed_by_block"] += sum(word.line < 0 for word in words)
        drafts.append(_draft(number, words, piece))
    if local is not None and outside:
        warnings["words_outside_blocks"] += len(outside)
        for block_id, words in _runs(local, outside).items():
            _insert(drafts, _kept_draft(number, local_blocks[block_id], words))
    for name in [name for name, count in warnings.items() if not count]:
        del warnings[name]
    return drafts


def _draft(page: int, words: Sequence[PlacedWord], piece: Piece) -> BlockDraft:
    lines = in_lines(words)
    return BlockDraft(
        page=page,
        type=piece.type,
        lines=[[(word.text, word.box) for word in line] for line in lines],
        box=piece.box,
        content=piece.content,
        confidence=piece.confidence,
        confidences=[[word.confidence for word in line] for line in lines],
        second_readings={
            (number, position): word.second_reading
            for number, line in enumerate(lines)
            for position, word in enumerate(line)
            if word.second_reading is not None
        },
    )


def _kept_draft(page: int, block: Block, words: Sequence[PlacedWord]) -> BlockDraft:
    """Return the local parser's block as it is when all of it lies outside, else its rest as plain text."""
    if len(words) == block.word_end - block.word_start:
        piece = Piece(page, block.type, block.box, block.content, block.confidence, ())
    else:
        text = " ".join(word.text for word in words)
        piece = Piece(page, "Text", union(word.box for word in words), text, None, ())
    return _draft(page, words, piece)


def _runs(local: LocalWords, indices: Sequence[int]) -> dict[int, list[PlacedWord]]:
    """Group words outside all blocks by the block that the local parser put them in."""
    runs: dict[int, list[PlacedWord]] = {}
    for index in indices:
        runs.setdefault(local.blocks[index], []).append(local.placed(index))
    return runs


def _insert(drafts: list[BlockDraft], draft: BlockDraft) -> None:
    """Put a block before the first one that begins below it."""
    top = draft.box.top if draft.box else 0.0
    for position, other in enumerate(drafts):
        if other.box is not None and other.box.top > top:
            drafts.insert(position, draft)
            return
    drafts.append(draft)
