"""Tables without a full grid of rules: rows whose pieces are in columns.

Words come as columns; a table comes back as rows and columns of word positions. What is only prose in
columns, a list, or labels with values is refused here, because the evidence is here.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.grids import Rules
from citation_pipeline.core.layout.leaders import with_leaders, without_leaders
from citation_pipeline.core.layout.lines import Row, join_signs
from citation_pipeline.core.layout.side_tables import split_sides
from citation_pipeline.core.layout.table_columns import (
    bounds_of_table,
    column_ranges,
    cut_gap,
    dense_rows,
    find_gutters,
    place_row,
    split_figures,
)
from citation_pipeline.core.layout.table_headers import header_cells, header_end
from citation_pipeline.core.layout.table_kinds import is_list, is_table
from citation_pipeline.core.layout.table_rows import (
    TextCell,
    TextTable,
    fill_blanks,
    is_ruled_between,
    merge_rows,
)
from citation_pipeline.core.layout.wrapped_rows import group_around_anchors


def find_tables(words: PageWords, rows: Sequence[Row], rules: Rules) -> list[TextTable]:
    """Return the tables among some rows of a page, from the top."""
    tables: list[TextTable] = []
    rows, behind = without_leaders(words, rows)
    rows = split_figures(words, join_signs(words, rows))
    start = 0
    while start < len(rows):
        if len(rows[start].pieces) < 2:
            start += 1
            continue
        first, stop = _extent(rows, start, rules)
        parted = _parted(words, rows[first:stop], rules)
        for group in [side for part in parted for side in split_sides(words, part)]:
            table = _build(words, group, rules)
            if table is not None and not (behind and is_list(words, table, behind)):
                tables.append(with_leaders(table, behind))
        start = max(stop, start + 1)
    return tables


def _parted(words: PageWords, rows: Sequence[Row], rules: Rules) -> list[Sequence[Row]]:
    """Cut rows where a table of figures begins under something else, and where notes follow it."""
    begins, stops = bounds_of_table(words, rows, dense_rows(words, rows), rules)
    return [part for part in (rows[:begins], rows[begins:stops], rows[stops:]) if part]


def _extent(rows: Sequence[Row], start: int, rules: Rules) -> tuple[int, int]:
    """Return the half-open range of rows that may belong to one table with the row at `start`."""
    stop, last = start + 1, start + 1
    singles = 0
    begun = [piece.left for piece in rows[start].pieces[1:]]
    left, right = rows[start].left, rows[start].right
    while stop < len(rows):
        row, above = rows[stop], rows[stop - 1]
        gap = row.top - above.bottom
        ruled = is_ruled_between(rules, above.bottom, row.top, left, right)
        if gap > (3.0 if ruled else 2.2) * max(row.size, above.size):
            break
        if len(row.pieces) > 1:
            singles, last = 0, stop + 1
            begun = [piece.left for piece in row.pieces[1:]]
            left, right = min(left, row.left), max(right, row.right)
        elif gap < 0.6 * row.size and any(abs(row.left - x) < 0.4 * row.size for x in begun):
            # a text that wraps below where it began in its row
            last = stop + 1 if last == stop else last
        else:
            singles += 1
            words = len(row.pieces[0].words)
            width = row.right - row.left
            if singles > 2 or (words > 9 and width > 0.7 * (right - left)):
                break
        stop += 1
    # the column of a last row may go on below it, down to the rule that closes the table
    while last < min(len(rows), stop):
        row = rows[last]
        below = rules.across[
            (rules.across[:, 0] > row.bottom - 2)
            & (rules.across[:, 0] < row.bottom + 2.5 * row.size)
            & (rules.across[:, 2] - rules.across[:, 1] > 0.8 * (right - left))
        ]
        if not len(below) or row.top - rows[last - 1].bottom > 0.6 * row.size:
            break
        last += 1
    first = start
    while first > 0 and _heads(rows[first - 1], rows[first], left, right, rules):
        first -= 1
    return first, last


def _heads(row: Row, below: Row, left: float, right: float, rules: Rules) -> bool:
    """Tell whether a row of one piece is a header spanning columns: under a rule, over the table."""
    if len(row.pieces) != 1 or below.top - row.bottom > 1.2 * row.size:
        return False
    start, end = row.left, row.right
    over = [piece for piece in below.pieces[1:] if piece.left < end and piece.right > start]
    if len(over) == 1 and start > below.pieces[0].right and below.top - row.bottom < 0.6 * row.size:
        return True  # the first line of a column's name that wraps
    if start < left - 2 or end > right + 2 or end - start > 0.8 * (right - left):
        return False
    above = rules.across[
        (rules.across[:, 0] < row.top + 2)
        & (rules.across[:, 0] > row.top - 1.5 * row.size)
        & (rules.across[:, 2] - rules.across[:, 1] > 0.5 * (right - left))
        & (rules.across[:, 1] < end)
        & (rules.across[:, 2] > start)
    ]
    return len(above) > 0


def _without_labels(words: PageWords, rows: Sequence[Row]) -> Sequence[Row]:
    """Drop rows at the top that are labels with values, as they are over the table of a statement."""

    def labelled(row: Row) -> bool:
        texts = [[words.texts[i] for i in piece.words[:6].tolist()] for piece in row.pieces]
        return sum(any(text.endswith(":") for text in piece) for piece in texts) >= 0.5 * len(texts)

    first = 0
    while first < len(rows) and (labelled(rows[first]) or first and len(rows[first].pieces) == 1):
        first += 1
    while first and first < len(rows) and len(rows[first].pieces) == 1:
        first += 1
    return rows[first:] if first and len(rows) - first >= 2 and labelled(rows[0]) else rows


def _build(words: PageWords, rows: Sequence[Row], rules: Rules) -> TextTable | None:
    rows = _without_labels(words, rows)
    if len(rows) < 2 or sum(len(row.pieces) > 1 for row in rows) < 2:
        return None
    dense = dense_rows(words, rows)
    gutters = find_gutters(words, rows, dense)
    if not gutters:
        return None
    bounds = [(a + b) / 2 for a, b in gutters]
    gap = cut_gap(words, rows)
    placed = [place_row(words, row, bounds, gap=gap) for row in rows]
    if not is_table(words, rows, placed, len(bounds) + 1, rules):
        return None
    ends = header_end(words, rows, placed, rules, bounds, dense)
    columns = column_ranges(words, placed[ends:], rows, bounds)
    cells, header = header_cells(words, rows[:ends], placed[:ends], rules, columns)
    ends = ends if header else 0
    body = rows[ends:], placed[ends:]
    merged_rows = group_around_anchors(words, *body, rules) or merge_rows(words, *body, rules)
    groups = [[i + ends for i in group] for group in merged_rows]
    for number, group in enumerate(groups, start=header):
        merged: dict[tuple[int, int], list[NDArray[np.int64]]] = {}
        for index in group:
            for column, span, piece in placed[index]:
                key = next((k for k in merged if k[0] < column + span and column < k[0] + k[1]), None)
                if key is None:
                    merged[column, span] = [piece]
                    continue
                lines = merged.pop(key)
                start, end = min(key[0], column), max(key[0] + key[1], column + span)
                merged[start, end - start] = [*lines, piece]
        cells.extend(
            TextCell(number, column, 1, span, tuple(lines))
            for (column, span), lines in sorted(merged.items(), key=lambda item: item[0])
        )
    count = header + len(groups)
    cells = fill_blanks(cells, count, len(bounds) + 1)
    return TextTable(
        rows=count,
        columns=len(bounds) + 1,
        cells=tuple(cells),
        header_rows=header,
        edges=(
            min(row.left for row in rows),
            min(row.top for row in rows),
            max(row.right for row in rows),
            max(row.bottom for row in rows),
        ),
    )
