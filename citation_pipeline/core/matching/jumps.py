"""How a chain may go on from one word to the next, and what each way costs in characters.

A jump that the layout explains (the same row from cell to cell, directly below, from block to block, at an
ellipsis) is cheap; any other is expensive, else every inserted *not* would be found nearby.
"""

from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.neighbourhoods import Neighbourhood

_GENERAL_BASE, _GENERAL_WORD, _GENERAL_FAR, _GENERAL_FAR_WORD = 1.5, 0.7, 5.0, 0.02
_MOST_LEFT_OUT = 4  # words whose loss is charged singly
_ROW_BASE, _ROW_WORD = 2.0, 0.04
_BLOCK_BASE, _BLOCK_WORD = 2.0, 0.006
_MOST_IN_ROW = 60  # words to the left that are looked at
_BELOW = 1.8  # less than leaving out one word of running text: a label may have a neighbour
_ELLIPSIS_BASE, _ELLIPSIS_WORD = 1.0, 0.006

NEVER = -1e9
"""The score of a chain that cannot be."""

Scores = NDArray[np.float64]


class Jump(StrEnum):
    """How a link is reached from the one before."""

    START = "start"
    NEXT = "next"  # the next word in reading order
    ROW_NEXT = "row_next"  # the next word in row order
    ROW = "row"  # further right in the same row
    BELOW = "below"  # the cell below
    BLOCK = "block"  # from a block's end to a later block's start
    ELLIPSIS = "ellipsis"
    GENERAL = "general"  # over words of running text


class Arrivals:
    """The best way to reach any word of a neighbourhood with the tokens before settled.

    `before` holds for each word the best score of a chain that ends there (None for a first token),
    `start` the score of a chain that begins here, `is_parted` whether an ellipsis is before the token.
    """

    def __init__(self, *, near: Neighbourhood, before: Scores | None, start: float, is_parted: bool) -> None:
        self.near, self.before, self.start, self.is_parted = near, before, start, is_parted
        if before is None:
            return
        # single numbers are read from memory views: of a numpy array each would be made an object of its own
        self._before = before.data
        self.steps = steps = near.filled[:-1]  # words with a key before each place
        self.rate = rate = _ELLIPSIS_WORD if is_parted else _GENERAL_FAR_WORD
        self.most = float(before.max())
        self._forward = np.maximum.accumulate(before + rate * steps).data

    @cached_property
    def _block(self) -> "memoryview[float]":
        """For each word the best score of a chain that ends a block before it; few words begin a block."""
        assert self.before is not None
        ends = np.where(self.near.is_block_end, self.before, NEVER)
        return memoryview(np.maximum.accumulate(ends + _BLOCK_WORD * self.steps).data)

    def at(self, start: int) -> tuple[float, Jump, int]:
        """Return (score, jump, word before) of the best arrival at a word."""
        best = (self.start, Jump.START, -1)
        scores, near = self.before, self.near
        if scores is None:
            return best
        before, keys = self._before, near.keys
        step = near.filled.item(start)
        previous = start - 1
        while previous > 0 and not keys[previous]:
            previous -= 1
        if start:
            if before[previous] > best[0]:
                best = (before[previous], Jump.NEXT, previous)
            place, gap = previous, 0
            while gap < _MOST_LEFT_OUT and place > 0:  # a few words of running text left out
                place -= 1
                if not keys[place]:
                    continue
                gap += 1
                score = before[place] - _GENERAL_BASE - _GENERAL_WORD * gap
                if score > best[0]:
                    best = (score, Jump.GENERAL, place)
            # farther back only the best start matters: a running maximum has it for every word at once
            base = _ELLIPSIS_BASE if self.is_parted else _GENERAL_FAR
            score = self._forward[start - 1] - self.rate * (step - 1) - base
            if score > best[0] + 1e-9:
                place = int(np.argmax(scores[:start] + self.rate * self.steps[:start]))
                best = (score, Jump.ELLIPSIS if self.is_parted else Jump.GENERAL, place)
            # between blocks the parser may have put a footer, a caption or another column
            if near.is_block_start[start]:
                score = self._block[start - 1] - _BLOCK_WORD * (step - 1) - _BLOCK_BASE
                if score > best[0] + 1e-9:
                    values = np.where(near.is_block_end, scores, NEVER)[:start]
                    place = int(np.argmax(values + _BLOCK_WORD * self.steps[:start]))
                    best = (score, Jump.BLOCK, place)
        best = self._in_row(start, best)
        # looking for the cell above is dear: only where it could still win
        if best[0] < self.most - _BELOW:
            above = near.word_above(start)
            if above is not None and before[above] - _BELOW > best[0]:
                best = (before[above] - _BELOW, Jump.BELOW, above)
        return best

    def _in_row(self, start: int, best: tuple[float, Jump, int]) -> tuple[float, Jump, int]:
        """Look left in the word's row, and to the end of the row above."""
        near, before = self.near, self._before
        keys, rows, visual = near.keys, near.row, near.visual_order
        row = rows[start]
        is_start = near.is_cell_start[start]
        gap = 0
        at = near.rank.item(start) - 1
        while at >= 0 and gap <= _MOST_IN_ROW:
            place = visual[at]
            same = rows[place] == row
            if keys[place]:
                if gap == 0:
                    if before[place] > best[0]:
                        best = (before[place], Jump.ROW_NEXT, place)
                elif same and is_start and near.is_cell_end[place]:
                    score = before[place] - _ROW_BASE - _ROW_WORD * gap
                    if score > best[0]:
                        best = (score, Jump.ROW, place)
                gap += 1
            if not same or (gap and not is_start):
                break
            at -= 1
        return best
