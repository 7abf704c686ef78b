"""Visual order: which words stand in one row of a page, whatever order the parser read them in.

A row is what an eye calls a line across columns and cells. A cell is a run of words of one row without a wide gap.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.documents import Words

# two lines are one row when the smaller one's height is covered by this share
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
    if count == 0:
        none = np.zeros(0, np.int32)
        return RowOrder(none, none, none)
    boxes = np.nan_to_num(words.boxes, nan=0.0, posinf=1.0, neginf=0.0)
    first = np.flatnonzero(np.r_[True, words.line[1:] != words.line[:-1]])
    top = np.minimum.reduceat(boxes[:, 1], first)
    bottom = np.maximum.reduceat(boxes[:, 1] + boxes[:, 3], first)
    page = words.page[first]
    centre = (top + bottom) / 2
    row_of_line = np.zeros(len(first), np.int32)
    row = -1
    row_top = row_bottom = 0.0
    row_page = -1
    tops, bottoms, pages = top.tolist(), bottom.tolist(), page.tolist()
    for line in np.lexsort((centre, page)).tolist():
        line_top, line_bottom = tops[line], bottoms[line]
        shared = min(line_bottom, row_bottom) - max(line_top, row_top)
        smaller = min(line_bottom - line_top, row_bottom - row_top)
        if pages[line] != row_page or shared < _SHARED_HEIGHT * smaller or smaller <= 0:
            row += 1
            row_top, row_bottom, row_page = line_top, line_bottom, pages[line]
        row_of_line[line] = row
    lengths = np.diff(np.r_[first, count])
    row_of_word = np.repeat(row_of_line, lengths)
    order = np.lexsort((np.arange(count), boxes[:, 0], row_of_word)).astype(np.int32)
    rank = np.empty(count, np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    return RowOrder(order, row_of_word, rank)
