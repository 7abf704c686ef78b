"""A stretch of a document prepared for chaining: where each key is in it, its rows, blocks and cells."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.index import DocumentIndex

BEFORE, AFTER = 150, 250
"""Words of the pages before and after that belong to a page's neighbourhood: its running text goes on
there."""

_REACH = 2_000  # words to either side on a page that is longer than any printed one
CELL_GAP = 1.2
"""Line heights between two words of one row that part two cells."""

PAGE_ASPECT = 0.75
"""Width by height of most pages: boxes have heights in shares of the height, widths of the width."""

_ROWS_ABOVE = 2.6  # line heights within which a label is above its value


def are_cells_apart(index: DocumentIndex, word: int) -> bool:
    """Tell whether a word of a row and the next one are in different cells."""
    boxes = index.words.boxes
    gap = boxes.item(word + 1, 0) - boxes.item(word, 0) - boxes.item(word, 2)
    return gap * PAGE_ASPECT > CELL_GAP * max(boxes.item(word, 3), boxes.item(word + 1, 3))


class Neighbourhood:
    """The words [low, high) of a document; all positions inside are relative to `low`."""

    def __init__(self, index: DocumentIndex, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.index = index
        self.keys: Sequence[bytes] = index.keys[low:high]
        words = index.words
        block, page = words.block[low:high], words.page[low:high]
        self.is_block_start: NDArray[np.bool_] = np.zeros(high - low, np.bool_)
        self.is_block_end: NDArray[np.bool_] = np.zeros(high - low, np.bool_)
        keyed = np.flatnonzero(index.is_keyed[low:high])
        if len(keyed):  # a bullet or a rule at a block's edge is no word to jump from
            change = block[keyed][1:] != block[keyed][:-1]
            self.is_block_start[keyed[np.concatenate(((True,), change))]] = True
            self.is_block_end[keyed[np.concatenate((change, (True,)))]] = True
        self.page = page
        self.boxes = words.boxes[low:high]

    def __len__(self) -> int:
        """Return the number of words."""
        return self.high - self.low

    def places_of(self, key: bytes) -> list[int]:
        """Return where a key is."""
        return [word - self.low for word in self.index.words_with(key, self.low, self.high)]

    @cached_property
    def distinct(self) -> list[bytes]:
        """The different keys."""
        return self.index.keys_between(self.low, self.high)

    @cached_property
    def visual(self) -> NDArray[np.int64]:
        """The words in row order."""
        rank = self.index.rows.rank[self.low : self.high]
        return np.argsort(rank, kind="stable")

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Each word's position in row order."""
        rank = np.empty(len(self), np.int64)
        rank[self.visual] = np.arange(len(self))
        return rank

    @cached_property
    def visual_order(self) -> list[int]:
        """The words in row order, for looking at them one by one."""
        found: list[int] = self.visual.tolist()
        return found

    @cached_property
    def row(self) -> list[int]:
        """Each word's row number."""
        found: list[int] = self.index.rows.row[self.low : self.high].tolist()
        return found

    @cached_property
    def filled(self) -> NDArray[np.int64]:
        """How many words with a key are before each position, and at the end."""
        counts: NDArray[np.int64] = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.index.is_keyed[self.low : self.high], out=counts[1:])
        return counts

    @cached_property
    def _cells(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Each word's cell number (in row order), the cells' boxes (left, top, right, bottom), their last
        words."""
        order = self.visual
        boxes = self.boxes[order]
        right = boxes[:, 0] + boxes[:, 2]
        row, page = self.index.rows.row[self.low : self.high][order], self.page[order]
        # there are no rulings to go by: cells of one row are told apart by white space alone, which grows
        # with the print, so it is measured in line heights
        gap = np.concatenate(((0.0,), boxes[1:, 0] - right[:-1]))
        wide = gap * PAGE_ASPECT > CELL_GAP * boxes[:, 3]
        first = np.concatenate(((True,), (row[1:] != row[:-1]) | (page[1:] != page[:-1]))) | wide
        number = np.cumsum(first) - 1
        starts = np.flatnonzero(first)
        edges = np.stack(
            [
                np.minimum.reduceat(boxes[:, 0], starts),
                np.minimum.reduceat(boxes[:, 1], starts),
                np.maximum.reduceat(right, starts),
                np.maximum.reduceat(boxes[:, 1] + boxes[:, 3], starts),
            ],
            axis=1,
        )
        ends = np.concatenate((starts[1:], (len(order),))) - 1
        cell = np.empty(len(self), np.int64)
        cell[order] = number
        return cell, edges, order[ends]

    @cached_property
    def is_cell_start(self) -> list[bool]:
        """For each word whether it begins its cell."""
        cell = self._cells[0][self.visual]
        found = np.empty(len(self), np.bool_)
        found[self.visual] = np.concatenate(((True,), cell[1:] != cell[:-1]))
        return found.tolist()

    @cached_property
    def is_cell_end(self) -> list[bool]:
        """For each word whether it ends its cell."""
        cell = self._cells[0][self.visual]
        found = np.empty(len(self), np.bool_)
        found[self.visual] = np.concatenate((cell[1:] != cell[:-1], (True,)))
        return found.tolist()

    @cached_property
    def above(self) -> dict[int, int | None]:
        """What `word_above` has answered so far."""
        return {}

    def word_above(self, place: int) -> int | None:
        """Return the last word of the cell right above the cell that a word begins, if there is one."""
        if place not in self.above:
            self.above[place] = self._word_above(place)
        return self.above[place]

    def _word_above(self, place: int) -> int | None:
        cell, edges, last = self._cells
        number = int(cell[place])
        if not self.is_cell_start[place]:
            return None
        left, top, right, bottom = edges[number].tolist()
        height = bottom - top
        # cells are numbered row by row, so the one above is among the last few rows'; 80 are some ten rows
        before = edges[max(0, number - 80) : number]
        overlaps = (before[:, 0] < right) & (before[:, 2] > left)
        near = (before[:, 3] <= top + 0.5 * height) & (top - before[:, 3] <= _ROWS_ABOVE * height)
        found = np.flatnonzero(overlaps & near)
        if not len(found):
            return None
        nearest = found[np.argmax(before[found, 3])]
        word = int(last[max(0, number - 80) + int(nearest)])
        return word if self.page[word] == self.page[place] else None


def neighbourhood_at(index: DocumentIndex, word: int) -> Neighbourhood:
    """Return the neighbourhood of a word's page; the last few are kept with the index."""
    page = index.words.page
    low = int(np.searchsorted(page, page[word], side="left"))
    high = int(np.searchsorted(page, page[word], side="right"))
    # in steps, so that words near each other share a neighbourhood: making one takes milliseconds
    middle = word - word % (_REACH // 2)
    low = max(0, low - BEFORE, middle - _REACH)
    high = min(len(page), high + AFTER, middle + 2 * _REACH)
    kept = index.neighbourhoods
    found = kept.get((low, high))
    if not isinstance(found, Neighbourhood):
        if len(kept) >= 16:
            kept.pop(next(iter(kept)))
        found = Neighbourhood(index, low, high)
        kept[low, high] = found
    return found
