"""Visual order: which words are in one row of a page, whatever order the parser read them in.

A row is what an eye calls a line across columns and cells. A cell is a run of words of one row without a
wide gap.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.documents.parsed import Words

# two words are in one row when this share of the smaller one's height is shared
_SHARED_HEIGHT = 0.5


@dataclass(frozen=True, eq=False)
class RowOrder:
    """`order` lists the word ids row after row, left to right; `row` gives every word's row number,
    `rank` its position in `order`."""

    order: NDArray[np.int32]
    row: NDArray[np.int32]
    rank: NDArray[np.int32]


def order_rows(words: Words) -> RowOrder:
    """Group the words of each page into rows by their vertical overlap, top to bottom."""
    count = len(words)
    order, row, rank = (np.zeros(count, np.int32) for _ in range(3))
    done = rows = 0
    for page in _words_by_page(words.page):
        boxes = words.boxes[page]
        if not np.isfinite(boxes).all():
            boxes = np.nan_to_num(boxes, nan=0.0, posinf=1.0, neginf=0.0)
        numbers = _number_rows(boxes)
        row[page] = rows + numbers
        rows += int(numbers.max()) + 1
        order[done : done + len(page)] = page[np.lexsort((boxes[:, 0], numbers))]
        done += len(page)
    rank[order] = np.arange(count, dtype=np.int32)
    return RowOrder(order, row, rank)


def _words_by_page(page: NDArray[np.int32]) -> Iterator[NDArray[np.int64]]:
    """Yield the word ids of each page, in the order of the pages' numbers: tables of one page stay small."""
    if not len(page):
        return
    steps = np.diff(page)
    by_page = np.arange(len(page)) if (steps >= 0).all() else np.argsort(page, kind="stable")
    cuts = np.flatnonzero(np.diff(page[by_page])) + 1
    yield from np.split(by_page, cuts)


def _number_rows(boxes: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the row number of each word of one page."""
    tops, bottoms = boxes[:, 1], boxes[:, 1] + boxes[:, 3]
    sequence = np.argsort(boxes[:, 1] + boxes[:, 3] / 2, kind="stable")
    tops, bottoms = tops[sequence], bottoms[sequence]
    # words of one height side by side are in one row: only where either edge moves there is something to tell
    moved = np.r_[True, (np.diff(tops) != 0) | (np.diff(bottoms) != 0)]
    heads = np.flatnonzero(moved)
    numbers: list[int] = []
    number = -1
    row_top = row_bottom = 0.0
    for top, bottom in zip(tops[heads].tolist(), bottoms[heads].tolist(), strict=True):
        height, row_height = bottom - top, row_bottom - row_top
        shared = min(bottom, row_bottom) - max(top, row_top)
        if number < 0 or shared < _SHARED_HEIGHT * min(height, row_height):
            number += 1
            row_top, row_bottom = top, bottom
        elif height < row_height:  # the smallest word tells the row's height: tall ones span several
            row_top, row_bottom = top, bottom
        numbers.append(number)
    found = np.empty(len(boxes), np.int32)
    found[sequence] = np.asarray(numbers, np.int32)[np.cumsum(moved) - 1]
    return found
