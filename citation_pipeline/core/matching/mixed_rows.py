"""A chain that goes from a cell of one table row to one of another: `Abduction 138` and the next row's `0%`.

Each of two rows has its own cell where the quotation shows the other's, so the quotation states a row that no
page has. A label over its value, a cell of two lines and a column read downwards are no such thing.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from citation_pipeline.core.matching.chains import Link
from citation_pipeline.core.matching.jumps import Jump
from citation_pipeline.core.matching.neighbourhoods import Neighbourhood

_OVER_ROWS = frozenset({Jump.BELOW, Jump.BLOCK, Jump.GENERAL})
_MOST_WORDS = 6  # of a table's cell: longer runs are lines of text in columns, which go on from row to row


def mixes_rows(near: Neighbourhood, links: Sequence[Link]) -> bool:
    """Tell whether a chain takes cells of two rows that have other cells in the same columns."""
    quoted = {word for link in links for word in range(*link.words)}
    for before, link in pairwise(links):
        last, first = before.words[1] - 1, link.words[0]
        if (
            link.jump in _OVER_ROWS
            and near.row[last] != near.row[first]
            and _has_other_cell(near, quoted, of_row=last, above_or_below=first)
            and _has_other_cell(near, quoted, of_row=first, above_or_below=last)
        ):
            return True
    return False


def _has_other_cell(near: Neighbourhood, quoted: set[int], *, of_row: int, above_or_below: int) -> bool:
    """Tell whether the row of one word has a cell, not quoted, in the column of another word."""
    own = _cell(near, above_or_below)
    if len(own) > _MOST_WORDS:
        return False
    left, right = _extent(near, own)
    for cell in _cells_of_row(near, of_row):
        low, high = _extent(near, cell)
        # of a word that belongs to the row, or the whole row would be lines of text
        if low < right and left < high and len(cell) <= _MOST_WORDS and quoted.isdisjoint(cell):
            return True
    return False


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
