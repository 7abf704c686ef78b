"""Rows of a table: which printed lines make one row, which rows name the columns, which cells are blank.

Works on words already placed in columns; whether they are a table at all is decided in `alignments`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.grids import Rules
from citation_pipeline.core.layout.lines import Row

_NUMBER = re.compile(r"[-+(~<>$€£]*\d[\d,.:/%\-]*\)?[%*a-z]?|[-–—*.$€£]+|n/?a", re.IGNORECASE)

Placed = list[tuple[int, int, NDArray[np.int64]]]
"""(column, columns spanned, word positions) of a row's pieces, from the left."""


@dataclass(frozen=True, slots=True)
class TextCell:
    """One cell: place, spans, and the positions of its words in reading order, line by line."""

    row: int
    column: int
    rowspan: int
    colspan: int
    lines: tuple[NDArray[np.int64], ...]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of words: cells sorted by row and column, and how many rows at the top are header."""

    rows: int
    columns: int
    cells: Sequence[TextCell]
    header_rows: int
    edges: tuple[float, float, float, float]


def is_ruled_between(rules: Rules, top: float, bottom: float, left: float, right: float) -> bool:
    """Tell whether a rule parts two heights over at least half of a stretch from left to right."""
    across = rules.across
    return bool(
        (
            (across[:, 0] > top - 2)
            & (across[:, 0] < bottom + 2)
            & (np.minimum(across[:, 2], right) - np.maximum(across[:, 1], left) > 0.5 * (right - left))
        ).any()
    )


def is_number(text: str) -> bool:
    """Tell whether a word is a figure: amount, date, percentage, dash, or n/a."""
    return _NUMBER.fullmatch(text) is not None


def is_figure(text: str) -> bool:
    """Tell whether a word is a figure with a digit, or what tables print for none."""
    return is_number(text) and (any(c.isdigit() for c in text) or text in ("-", "–", "—", "*", "n/a", "N/A"))


def merge_rows(
    words: PageWords, rows: Sequence[Row], placed: Sequence[Placed], rules: Rules
) -> list[list[int]]:
    """Group printed rows into rows of the table: wrapped text belongs to the row it began in."""
    left = min(row.left for row in rows)
    right = max(row.right for row in rows)
    gaps = [b.top - a.bottom for a, b in zip(rows, rows[1:], strict=False)]
    typical = float(np.median(gaps)) if gaps else 0.0
    groups: list[list[int]] = [[0]]
    for index in range(1, len(rows)):
        above, row = rows[index - 1], rows[index]
        parted = is_ruled_between(rules, above.bottom - 1, row.top + 1, left, right)
        if not parted and _continues(words, placed[index - 1], placed[index], gaps[index - 1], typical, row):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _continues(
    words: PageWords, above: Placed, row: Placed, gap: float, typical: float, printed: Row
) -> bool:
    """Tell whether a row only goes on with text that began in the row above."""
    if gap > 0.75 * printed.size:
        return False
    texts = words.texts
    if _leads_into(words, above, row):
        return gap < 0.6 * printed.size
    filled = {column for column, span, _ in above for column in range(column, column + span)}
    if any(is_number(texts[int(piece[0])]) and len(piece) <= 2 for _, _, piece in row):
        return False
    if not all(column in filled for column, _, _ in row):
        return False
    starts = {column for column, _, _ in row}
    tight = gap < typical - 0.15 * printed.size
    if 0 not in starts:
        return tight or len(row) < len(above) or gap <= typical + 0.1 * printed.size
    if len(row) == 1 and len(above) > 1:
        # one wrapped label under a full row, unless it is set out to the left as a heading of its own
        first = texts[int(row[0][2][0])]
        return tight or (first[:1].islower() and gap <= typical + 0.1 * printed.size)
    return tight


def header_rows(
    words: PageWords,
    rows: Sequence[Row],
    placed: Sequence[Placed],
    groups: Sequence[list[int]],
    rules: Rules,
) -> int:
    """Count the rows that name columns: above the first rule, bold, or free of numbers over numbers."""
    left = min(row.left for row in rows)
    right = max(row.right for row in rows)
    for count in range(1, min(4, len(groups))):
        above, below = rows[groups[count - 1][-1]], rows[groups[count][0]]
        if is_ruled_between(rules, above.bottom - 1, below.top + 1, left, right):
            return count
    bold = [
        all(words.bold[piece].all() for index in group for _, _, piece in placed[index]) for group in groups
    ]
    if bold[0] and not all(bold):
        return next((count for count in range(1, min(4, len(groups))) if not bold[count]), 1)
    texts = words.texts
    numeric = [
        [
            is_number(texts[int(piece[0])])
            for index in group
            for column, _, piece in placed[index]
            if column > 0
        ]
        for group in groups[:3]
    ]
    if len(numeric) > 1 and numeric[0] and not any(numeric[0]) and numeric[1] and any(numeric[1]):
        return 1
    return 0


def _leads_into(words: PageWords, above: Placed, row: Placed) -> bool:
    """Tell whether a label without figures goes on in the next row, where its figures are."""
    if len(above) != 1 or above[0][0] != 0 or not row or row[0][0] != 0:
        return False
    ends, begins = words.texts[int(above[0][2][-1])], words.texts[int(row[0][2][0])]
    return begins[:1].islower() and ends[-1:] not in ":.;"


def fill_blanks(cells: Sequence[TextCell], rows: int, columns: int) -> list[TextCell]:
    """Return the cells with blank ones where nothing is printed."""
    taken = {
        (row, column)
        for cell in cells
        for row in range(cell.row, cell.row + cell.rowspan)
        for column in range(cell.column, cell.column + cell.colspan)
    }
    blanks = [
        TextCell(row, column, 1, 1, ())
        for row in range(rows)
        for column in range(columns)
        if (row, column) not in taken
    ]
    return sorted([*cells, *blanks], key=lambda cell: (cell.row, cell.column))
