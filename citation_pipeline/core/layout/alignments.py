"""Tables without a full grid of rules: rows whose pieces are in columns.

Words come as columns; a table comes back as rows and columns of word positions. What is only prose in
columns, a list, or labels with values is refused here, because the evidence is here.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.grids import Rules
from citation_pipeline.core.layout.lines import Row
from citation_pipeline.core.layout.table_rows import (
    Placed,
    TextCell,
    TextTable,
    fill_blanks,
    header_rows,
    is_number,
    is_ruled_between,
    merge_rows,
)

_NARROWEST_GUTTER = 0.45
_MOST_CROSSING = 0.12  # share of rows whose cells may span a gutter
_MARKER = re.compile(r"[-•●▪◦‣∙*–o➢✓]|\(?\w{1,3}[.)]|\d+(\.\d+)+\.?")
_LEADER = re.compile(r"\.{4,}|(\. ){3,}|_{6,}")


def find_tables(words: PageWords, rows: Sequence[Row], rules: Rules) -> list[TextTable]:
    """Return the tables among some rows of a page, from the top."""
    tables: list[TextTable] = []
    start = 0
    while start < len(rows):
        if len(rows[start].pieces) < 2:
            start += 1
            continue
        first, stop = _extent(rows, start, rules)
        table = _build(words, rows[first:stop], rules)
        if table is not None:
            tables.append(table)
        start = max(stop, start + 1)
    return tables


def _extent(rows: Sequence[Row], start: int, rules: Rules) -> tuple[int, int]:
    """Return the half-open range of rows that may belong to one table with the row at `start`."""
    stop, last = start + 1, start + 1
    singles = 0
    left, right = rows[start].left, rows[start].right
    while stop < len(rows):
        row, above = rows[stop], rows[stop - 1]
        gap = row.top - above.bottom
        ruled = is_ruled_between(rules, above.bottom, row.top, left, right)
        if gap > (3.0 if ruled else 2.2) * max(row.size, above.size):
            break
        if len(row.pieces) > 1:
            singles, last = 0, stop + 1
            left, right = min(left, row.left), max(right, row.right)
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


def _gutters(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the x-ranges that (nearly) no row prints in, wide enough to part columns."""
    left = min(row.left for row in rows)
    right = max(row.right for row in rows)
    bins = np.zeros(int((right - left) * 2) + 3, np.int32)  # half points
    counted = [row for row in rows if len(row.pieces) > 1] or list(rows)
    for row in counted:
        for piece in row.pieces:
            bins[int((piece.left - left) * 2) + 1] += 1
            bins[int((piece.right - left) * 2) + 1] -= 1
    cover = np.cumsum(bins)
    free = cover <= _MOST_CROSSING * len(counted)
    free[0] = False
    turns = np.flatnonzero(np.diff(free.astype(np.int8)))
    size = float(np.median([row.size for row in counted]))
    found = []
    for a, b in zip(turns[::2].tolist(), turns[1::2].tolist(), strict=False):
        if (b - a) / 2 >= _NARROWEST_GUTTER * size and b < len(free) - 3:
            # the middle of the emptiest part
            stretch = cover[a + 1 : b + 1]
            emptiest = np.flatnonzero(stretch == stretch.min())
            runs = np.split(emptiest, np.flatnonzero(np.diff(emptiest) > 1) + 1)
            longest = max(runs, key=len)
            found.append((left + (a + 1 + longest[0]) / 2, left + (a + 1 + longest[-1] + 1) / 2))
    return found


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
    gutters = _gutters(rows)
    if not gutters:
        return None
    bounds = [(a + b) / 2 for a, b in gutters]
    placed = [_place(words, row, bounds) for row in rows]
    if not _is_table(words, rows, placed, len(bounds) + 1, rules):
        return None
    groups = merge_rows(words, rows, placed, rules)
    header = header_rows(words, rows, placed, groups, rules)
    cells: list[TextCell] = []
    for number, group in enumerate(groups):
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
    cells = fill_blanks(cells, len(groups), len(bounds) + 1)
    return TextTable(
        rows=len(groups),
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


def _place(words: PageWords, row: Row, bounds: Sequence[float]) -> Placed:
    """Put a row's pieces into columns; a piece over a gutter is cut there if a word gap allows, or spans."""
    placed: Placed = []
    for printed in row.pieces:
        piece = printed.words
        crossed = [bound for bound in bounds if printed.left < bound < printed.right]
        left, right = words.edges[piece, 0], words.edges[piece, 2]
        cuts = []
        for bound in crossed:
            at = int(np.searchsorted((left + right) / 2, bound))
            # a true gap between words here, and a piece on both sides: two cells that are close
            if 0 < at < len(piece) and left[at] - right[at - 1] > 0.6 * row.size:
                cuts.append(at)
        for part in np.split(piece, sorted(set(cuts))):
            if not len(part):
                continue
            a, b = float(words.edges[part, 0].min()), float(words.edges[part, 2].max())
            tolerance = 0.25 * row.size
            first = sum(bound < a + tolerance for bound in bounds)
            last = sum(bound < b - tolerance for bound in bounds)
            if placed and placed[-1][0] + placed[-1][1] > first:
                column, span, before = placed[-1]
                placed[-1] = (column, max(column + span, last + 1) - column, np.concatenate([before, part]))
            else:
                placed.append((first, max(1, last - first + 1), part))
    return placed


def _is_table(
    words: PageWords, rows: Sequence[Row], placed: Sequence[Placed], columns: int, rules: Rules
) -> bool:
    """Refuse prose in columns, lists, labels with values, and lines of leaders."""
    texts = words.texts
    pieces = [piece for row in placed for _, _, piece in row]
    if not pieces:
        return False
    first = [" ".join(texts[i] for i in piece.tolist()) for piece in pieces]
    if sum(_LEADER.search(text) is not None for text in first) > 0.3 * len(rows):
        return False
    colons = sum(":" in text[:-1] or text.endswith(":") for text in first)
    multi = [row for row in placed if len(row) > 1]
    if colons > 0.45 * sum(len(row) for row in multi) and columns <= 4:
        return False
    lengths = [len(piece) for piece in pieces]
    numbers = sum(
        any(is_number(texts[i]) for i in piece.tolist()[:2]) and len(piece) <= 3 for piece in pieces
    )
    share = numbers / len(pieces)
    left = min(row.left for row in rows)
    right = max(row.right for row in rows)
    top, bottom = rows[0].top, rows[-1].bottom
    ruled = (
        (rules.across[:, 0] > top - 12)
        & (rules.across[:, 0] < bottom + 12)
        & (
            np.minimum(rules.across[:, 2], right) - np.maximum(rules.across[:, 1], left)
            > 0.7 * (right - left)
        )
    ).sum()
    per_column: list[list[NDArray[np.int64]]] = [[] for _ in range(columns)]
    for row in placed:
        for column, span, piece in row:
            if span == 1:
                per_column[column].append(piece)
    if columns == 2:
        heads = [" ".join(texts[i] for i in piece.tolist()) for piece in per_column[0]]
        markers = sum(_MARKER.fullmatch(text) is not None for text in heads)
        if heads and markers > 0.7 * len(heads) and share < 0.7:
            return False
        if ruled < 2 and (share < 0.25 or not any(words.bold[piece].all() for _, _, piece in placed[0])):
            return False  # labels with values, or two columns of text
    if len(multi) < 3 and ruled < 2 and share < 0.3:
        return False
    if len(multi) < 0.4 * len(rows) and ruled < 2:
        return False
    typical = float(np.median(lengths))
    long_columns = sum(
        1 for column in per_column if column and float(np.mean([len(piece) for piece in column])) > 5
    )
    if long_columns >= 2 and ruled < 3 and share < 0.3:
        return False
    return typical <= 5 or ruled >= 3 or share > 0.4
