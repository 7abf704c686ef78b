"""How near a value is to each of many places, in words of the reading order or of the rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.neighbourhoods import CELL_GAP, PAGE_ASPECT
from citation_pipeline.core.matching.occurrences import WordIds

OVERLAP = 8
"""Distance of a value that overlaps a place without lying in it, another statement's: four words away."""

OTHER_PAGE = 1_000
"""Added to the distance of a value that begins on another page."""

OTHER_ROW = 200
"""Added to the distance between a cell and a value of another row: more words than a row has."""

_FAR = np.int64(1) << 40

Numbers = NDArray[np.int64]


def value_distances(
    index: DocumentIndex, values: Sequence[tuple[int, int]], first: WordIds, last: WordIds
) -> Numbers:
    """Return for every place (first to last word) twice the words between it and the nearest value (first and
    last word, inclusive), one more where the value comes first: labels are before values. 0 inside.

    The order (of reading or of rows) that brings the two closer counts. A value on another page is farther,
    and so is one in another row than a place that is a cell by itself: the number of the next row of a
    register is the next word, that of its own row may be ten words away.
    """
    if not values:
        return np.zeros(len(first), np.int64)
    # a value and a place are both ranges of words; a register has thousands of each, so the nearest is found
    # by sorting and not by comparing every pair
    begin, end = np.asarray(values, np.int64).T
    low, high = np.minimum(first, last), np.maximum(first, last)
    rank = index.rows.rank.astype(np.int64)
    away = _Away(index, begin, first, _is_cell(index, first, last))
    distance = np.minimum(
        _nearest(low, high, begin, end, away),
        _nearest(*_sorted(rank[first], rank[last]), *_sorted(rank[begin], rank[end]), away),
    )
    # inside counts in reading order only: a row may lead over a place that has nothing to do with it
    by_begin = np.argsort(begin, kind="stable")
    # ends[n]: the earliest end of the values that begin at the n-th begin or later. A place that some value
    # begins in or behind, and ends in, holds that value
    ends = np.r_[np.minimum.accumulate(end[by_begin][::-1])[::-1], _FAR]
    distance[ends[np.searchsorted(begin[by_begin], low, side="left")] <= high] = 0
    return distance


class _Away:
    """What is added to a distance for a value of another page, or of another row than a cell's."""

    def __init__(
        self, index: DocumentIndex, begin: Numbers, first: WordIds, is_cell: NDArray[np.bool_]
    ) -> None:
        page, row = index.words.page, index.rows.row
        self.page, self.row, self.is_cell = page[first], row[first], is_cell
        self.page_of_value, self.row_of_value = page[begin], row[begin]

    def added(self, places: NDArray[np.bool_], value: Numbers) -> Numbers:
        turned = self.page_of_value[value] != self.page[places]
        moved = self.is_cell[places] & (self.row_of_value[value] != self.row[places])
        return np.asarray(OTHER_PAGE * turned + OTHER_ROW * moved, np.int64)


def _is_cell(index: DocumentIndex, first: WordIds, last: WordIds) -> NDArray[np.bool_]:
    """Tell which places have a cell's gap, or nothing, on either side of their row."""
    rows, boxes = index.rows, index.words.boxes
    order, count = rows.order, len(rows.order)
    apart = np.ones(len(first), np.bool_)
    for word, step in ((first, -1), (last, 1)):
        beside = rows.rank[word] + step
        inside = (beside >= 0) & (beside < count)
        other = order[beside.clip(0, count - 1)]
        left, right = (other, word) if step < 0 else (word, other)
        gap = boxes[right, 0] - boxes[left, 0] - boxes[left, 2]
        joined = inside & (rows.row[other] == rows.row[word])
        apart &= ~(joined & (gap * PAGE_ASPECT <= CELL_GAP * boxes[word, 3]))
    return apart


def _sorted(one: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    return np.minimum(one, other), np.maximum(one, other)


def _nearest(low: Numbers, high: Numbers, begin: Numbers, end: Numbers, away: _Away) -> Numbers:
    """Return the distance to the nearest value of one order. Pages and rows follow each other in either
    order, so of the values on one side none is nearer than the next one."""
    by_begin, by_end = np.argsort(begin, kind="stable"), np.argsort(end, kind="stable")
    begins, ends = begin[by_begin], end[by_end]
    ahead = np.searchsorted(begins, high, side="right")
    found = np.full(len(low), _FAR)
    some = ahead < len(begins)
    value = by_begin[ahead[some]]
    found[some] = 2 * (begin[value] - high[some]) + away.added(some, value)
    behind = np.searchsorted(ends, low, side="left") - 1
    some = behind >= 0
    value = by_end[behind[some]]
    near = 2 * (low[some] - end[value]) + 1 + away.added(some, value)
    found[some] = np.minimum(found[some], near)
    # neither wholly ahead nor wholly behind: it overlaps
    overlapping = ahead > behind + 1
    found[overlapping] = np.minimum(found[overlapping], OVERLAP)
    return found
