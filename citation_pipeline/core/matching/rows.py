"""Visual order: which words are in one row of a page, whatever order the parser read them in.

A row is what an eye calls a line across columns and cells. A cell is a run of words of one row without a
wide gap.
"""

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
    if count == 0:
        none = np.zeros(0, np.int32)
        return RowOrder(none, none, none)
    boxes = np.nan_to_num(words.boxes, nan=0.0, posinf=1.0, neginf=0.0)
    centre = boxes[:, 1] + boxes[:, 3] / 2
    sequence = np.lexsort((centre, words.page))
    tops, bottoms = boxes[sequence, 1].tolist(), (boxes[sequence, 1] + boxes[sequence, 3]).tolist()
    numbers: list[int] = []
    row = -1
    row_top = row_bottom = 0.0
    row_page = -1
    for page, top, bottom in zip(words.page[sequence].tolist(), tops, bottoms, strict=True):
        height, row_height = bottom - top, row_bottom - row_top
        shared = min(bottom, row_bottom) - max(top, row_top)
        if page != row_page or shared < _SHARED_HEIGHT * min(height, row_height):
            row += 1
            row_top, row_bottom, row_page = top, bottom, page
        elif height < row_height:  # the smallest word tells the row's height: tall ones span several
            row_top, row_bottom = top, bottom
        numbers.append(row)
    row_of_word = np.empty(count, np.int32)
    row_of_word[sequence] = numbers
    order = np.lexsort((np.arange(count), boxes[:, 0], row_of_word)).astype(np.int32)
    rank = np.empty(count, np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    return RowOrder(order, row_of_word, rank)
