"""A chain that goes from a cell of one table row to one of another: `Abduction 138` and the next row's `0%`.

Each of two rows has its own cell where the quotation shows the other's, so the quotation states a row that no
page has. A label over its value, a cell of two lines and a column read downwards are no such thing.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.chains import Link
from citation_pipeline.core.matching.far_jumps import skips_rival
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.jumps import Jump
from citation_pipeline.core.matching.neighbourhoods import (
    CELL_GAP,
    PAGE_ASPECT,
    Neighbourhood,
    neighbourhood_at,
)
from citation_pipeline.core.matching.numerals import has_digit

_OVER_ROWS = frozenset({Jump.BELOW, Jump.BLOCK, Jump.GENERAL, Jump.ELLIPSIS})
_IN_ROW = frozenset({Jump.ROW, Jump.BLOCK, Jump.GENERAL})
_MOST_WORDS = 6  # of a table's cell: longer runs are lines of text in columns, which go on from row to row
_LEAST_CELLS = 2  # of a row
_MOST_READ_ON = 3  # of cells that the parser reads behind each other: narrow columns have short lines, too


def mixes_rows(near: Neighbourhood, links: Sequence[Link]) -> bool:
    """Tell whether a chain takes cells of two rows that have other cells in the same columns."""
    quoted = {word for link in links for word in range(*link.words)}
    for before, link in pairwise(links):
        last, first = before.words[1] - 1, link.words[0]
        if link.jump in _IN_ROW and skips_rival(near, last, first):
            return True
        if (
            link.jump in _OVER_ROWS
            and near.row[last] != near.row[first]
            and _has_other_cell(near, quoted, of_row=last, above_or_below=first)
            and _has_other_cell(near, quoted, of_row=first, above_or_below=last)
        ):
            return True
    return False


def reads_on(index: DocumentIndex, first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each stretch of words whether the parser went in it from one row's cell to another row's.

    Where a table is read by columns, the last cell of one and the first of the next are behind each other:
    `Hip 10%` of the rows `Neck 10%` and `Hip 20%`.
    """
    found = _holds_any(index.turns, first, last)
    short = (last - first < 2 * _MOST_READ_ON) & _holds_any(index.returns, first, last)
    for number in np.flatnonzero(found | short):
        found[number] = place_reads_on(index, int(first[number]), int(last[number]))
    return found


def _holds_any(
    turns: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell of each stretch of words whether a line or column begins inside it."""
    before, behind = np.searchsorted(turns, first, side="right"), np.searchsorted(turns, last, side="right")
    found: NDArray[np.bool_] = before < behind
    return found


def place_reads_on(index: DocumentIndex, first: int, last: int) -> bool:
    """Tell the same of one stretch: most have no turn in them, and that takes no table."""
    turns = index.turn_list
    before, behind = bisect_right(turns, first), bisect_right(turns, last)
    words = range(first, last + 1)
    if any(_joins_cells(index, words, turn) for turn in turns[before:behind]):
        return True
    return len(words) <= 2 * _MOST_READ_ON and _joins_ends(index, words)


def _joins_ends(index: DocumentIndex, words: range) -> bool:
    """Tell whether a stretch is a row's last cell and the next row's first, and nothing else.

    `500 mg Tizanidine` of the rows `Naproxen 500 mg` and `Tizanidine 4 mg`: whoever quotes these two alone
    says that they belong together. A longer quotation that goes on from row to row says no such thing.
    """
    # most stretches are of prose: what is beside them tells before any table is made
    if not _is_cell_beside(index, words.start - 1, words.start) or not _is_cell_beside(
        index, words.stop - 1, words.stop
    ):
        return False
    boxes = index.words.boxes
    left, top = boxes[words.start :, 0][: len(words)], boxes[words.start :, 1][: len(words)]
    inner = np.flatnonzero((left[1:] < left[:-1]) & (top[1:] > top[:-1]))
    if len(inner) != 1:
        return False
    turn = words.start + 1 + int(inner[0])
    near = neighbourhood_at(index, turn)
    quoted = [word - near.low for word in words if index.keys[word]]
    last, first = turn - 1 - near.low, turn - near.low
    if last < 0 or near.row[last] == near.row[first]:
        return False
    above, below = list(_cells_of_row(near, last)), list(_cells_of_row(near, first))
    if len(above) < _LEAST_CELLS or len(below) < _LEAST_CELLS or sorted(above[-1] + below[0]) != quoted:
        return False
    others = [
        _other_cell(near, set(quoted), of_row=last, above_or_below=first, most=_MOST_READ_ON),
        _other_cell(near, set(quoted), of_row=first, above_or_below=last, most=_MOST_READ_ON),
    ]
    return all(others) and any(has_digit(near.keys[word]) for cell in (*above, *below) for word in cell)


def runs_read_on(index: DocumentIndex, words: Sequence[int]) -> bool:
    """Tell the same of the stretches that the words of a place make, each of words behind each other."""
    ordered = sorted(words)
    first = 0
    for at in range(1, len(ordered) + 1):
        if at == len(ordered) or ordered[at] != ordered[at - 1] + 1:
            if at - first > 1 and place_reads_on(index, ordered[first], ordered[at - 1]):
                return True
            first = at
    return False


def _joins_cells(index: DocumentIndex, words: range, turn: int) -> bool:
    """Tell whether a column's last cell and the next column's first are of rows with other such cells.

    Only where one of the four is a figure: lists of words are set in columns too.
    """
    near = neighbourhood_at(index, turn)
    keyed = [word for word in words if index.keys[word]]
    ahead = [word - near.low for word in keyed if word < turn]
    behind = [word - near.low for word in keyed if word >= turn]
    if not ahead or not behind or ahead[-1] < 0:
        return False
    last, first = ahead[-1], behind[0]
    quoted = {*ahead, *behind}
    others = [
        _other_cell(near, quoted, of_row=last, above_or_below=first, most=_MOST_READ_ON),
        _other_cell(near, quoted, of_row=first, above_or_below=last, most=_MOST_READ_ON),
    ]
    cells = [_cell(near, last), _cell(near, first), *others]
    return all(others) and any(has_digit(near.keys[word]) for cell in cells for word in cell)


def _is_cell_beside(index: DocumentIndex, before: int, behind: int) -> bool:
    """Tell whether two words, one behind the other, are of two cells of one row."""
    boxes, page = index.words.boxes, index.words.page
    if before < 0 or behind >= len(page) or page.item(before) != page.item(behind):
        return False
    left, top, width, height = boxes[before].tolist()
    next_left, next_top, _, next_height = boxes[behind].tolist()
    is_beside = abs(top + height / 2 - next_top - next_height / 2) < max(height, next_height)
    return bool(is_beside and (next_left - left - width) * PAGE_ASPECT > CELL_GAP * next_height)


def _has_other_cell(near: Neighbourhood, quoted: set[int], *, of_row: int, above_or_below: int) -> bool:
    return bool(_other_cell(near, quoted, of_row=of_row, above_or_below=above_or_below, most=_MOST_WORDS))


def _other_cell(
    near: Neighbourhood, quoted: set[int], *, of_row: int, above_or_below: int, most: int
) -> list[int]:
    """Return the cell, not quoted, that the row of one word has in the column of another word."""
    own = _cell(near, above_or_below)
    if len(own) > most:
        return []
    left, right = _extent(near, own)
    for cell in _cells_of_row(near, of_row):
        low, high = _extent(near, cell)
        # of a word that belongs to the row, or the whole row would be lines of text
        if low < right and left < high and len(cell) <= most and quoted.isdisjoint(cell):
            return cell
    return []


def _cell(near: Neighbourhood, word: int) -> list[int]:
    return next(cell for cell in _cells_of_row(near, word) if word in cell)


def _cells_of_row(near: Neighbourhood, word: int) -> Iterator[list[int]]:
    """Yield the cells of a word's row, left to right, each as its words with a key."""
    order, row = near.visual_order, near.row[word]
    at = near.rank.item(word)
    while at > 0 and near.row[order[at - 1]] == row:
        at -= 1
    cell: list[int] = []
    while at < len(order) and near.row[order[at]] == row:
        place = order[at]
        if cell and near.is_cell_start[place]:
            yield cell
            cell = []
        if near.keys[place] or place == word:
            cell.append(place)
        at += 1
    if cell:
        yield cell


def _extent(near: Neighbourhood, words: Sequence[int]) -> tuple[float, float]:
    boxes = near.boxes[list(words)]
    return float(boxes[:, 0].min()), float((boxes[:, 0] + boxes[:, 2]).max())
