"""Which words of a document are struck out: those that a line goes through."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from citation_pipeline.core.documents.parsed import Block, ParsedDocument

_THIN = 0.004  # of the page's height: the line that layout found is one point high
_MIDDLE = (0.2, 0.8)  # of a word's height
_CROSSED = 0.5  # of a word's width


def struck_words(document: ParsedDocument) -> frozenset[int]:
    """Return the ids of the words with a line through them."""
    lines = [block for block in document.blocks if _is_line(block)]
    return frozenset(word for line in lines for word in _under(document, line))


def are_struck(document: ParsedDocument, words: Sequence[int]) -> bool:
    """Tell whether one of some words is struck out; only their pages are looked at."""
    pages = {int(document.words.page[word]) for word in words}
    for page in pages:
        first = bisect_left(document.blocks, page, key=_page_of)
        last = bisect_right(document.blocks, page, key=_page_of)
        lines = [block for block in document.blocks[first:last] if _is_line(block)]
        if any(not set(words).isdisjoint(_under(document, line)) for line in lines):
            return True
    return False


def _page_of(block: Block) -> int:
    return block.page


def _is_line(block: Block) -> bool:
    return block.type == "Figure" and block.word_start == block.word_end and block.box.height <= _THIN


def _under(document: ParsedDocument, line: Block) -> list[int]:
    words = document.words
    first, last = (int(words.page.searchsorted(line.page, side)) for side in ("left", "right"))
    left, top, width, height = words.boxes[first:last].T
    y = line.box.top + line.box.height / 2
    depth = (y - top) / np.maximum(height, 1e-9)
    inside = np.minimum(left + width, line.box.right) - np.maximum(left, line.box.left)
    crossed = (depth >= _MIDDLE[0]) & (depth <= _MIDDLE[1]) & (inside >= _CROSSED * width)
    return [first + int(at) for at in np.flatnonzero(crossed)]
