"""Two tables side by side: their rows are on different lines, or the name of the first column comes again."""

from collections.abc import Sequence
from statistics import median

import numpy as np

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.lines import Piece, Row, join_signs, split_rows
from citation_pipeline.core.layout.table_columns import dense_rows, find_gutters, split_figures
from citation_pipeline.core.layout.table_rows import is_figure

_APART = 0.3  # share of the size between the middles of what is on one line
_WIDE = 1.2  # share of the size: the gutter between tables is not narrow
_FEWEST = 4  # rows that both sides have
_MOST_COLUMNS = 60  # more are one wide sheet


def split_sides(words: PageWords, rows: Sequence[Row]) -> list[Sequence[Row]]:
    """Return the rows, or those of the left table and those of the right one."""
    if len(rows) < _FEWEST or max(len(row.pieces) for row in rows) < 4:
        return [rows]
    gutters = find_gutters(words, rows, dense_rows(words, rows))
    for a, b in gutters if len(gutters) < _MOST_COLUMNS else ():
        middle = (a + b) / 2
        if b - a < _WIDE * rows[0].size or any(p.left < middle < p.right for row in rows for p in row.pieces):
            continue
        sides = [
            [p for row in rows for p in row.pieces if (p.left < middle) == left] for left in (True, False)
        ]
        if all(sides) and (_is_on_other_lines(rows, middle) or _begins_again(words, rows, middle)):
            return [_rows_of(words, side) for side in sides]
    return [rows]


def _is_on_other_lines(rows: Sequence[Row], x: float) -> bool:
    """Tell whether what is left and right of a place is not level, row after row."""
    steps: list[float] = []
    for row in rows:
        heights = [
            [(p.top + p.bottom) / 2 for p in row.pieces if (p.left < x) == side] for side in (True, False)
        ]
        if heights[0] and heights[1]:
            steps.append(abs(median(heights[0]) - median(heights[1])) / row.size)
    several = sum(len(row.pieces) > 1 for row in rows)
    return len(steps) >= _FEWEST and len(steps) >= 0.3 * several and median(steps) > _APART


def _begins_again(words: PageWords, rows: Sequence[Row], x: float) -> bool:
    """Tell whether the first row's first name comes again right of a place, over texts behind figures."""
    names = [[words.texts[i] for i in piece.words.tolist()] for piece in rows[0].pieces]
    again = next((at for at, piece in enumerate(rows[0].pieces) if piece.left > x), 0)
    if again < 2 or again > len(names) - 2 or names[again] != names[0] or not names[0][0][0].isalpha():
        return False
    before, behind = 0, 0
    for row in rows[1:]:
        left = [piece for piece in row.pieces if piece.left < x]
        right = [piece for piece in row.pieces if piece.left > x]
        before += bool(left) and is_figure(words.texts[int(left[-1].words[0])])
        behind += bool(right) and not is_figure(words.texts[int(right[0].words[0])])
    return before >= 0.5 * (len(rows) - 1) and behind >= 0.5 * (len(rows) - 1)


def _rows_of(words: PageWords, side: Sequence[Piece]) -> Sequence[Row]:
    rows = split_rows(words, np.concatenate([piece.words for piece in side]))
    return split_figures(words, join_signs(words, rows))
