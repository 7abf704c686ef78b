"""What only looks like a table: prose in columns, lists, labels with values, tables of contents."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.grids import Rules
from citation_pipeline.core.layout.leaders import Followers
from citation_pipeline.core.layout.lines import Row
from citation_pipeline.core.layout.table_rows import Placed, TextTable, is_number

_MARKER = re.compile(r"[-•●▪◦‣∙*–o➢✓]|\(?\w{1,3}[.)]|\d+(\.\d+)+\.?")
_AMOUNT = re.compile(r"[-(]?[$€£]?[-(]?\d{1,3}([,.]\d{3})*[.,]\d\d\)?")
_BLANK_LINE = re.compile(r"_{6,}")


def is_list(words: PageWords, table: TextTable, behind: Followers) -> bool:
    """Tell whether leaders lead from labels to one value each: a form, or a table of contents."""
    led = {
        cell.row for cell in table.cells for line in cell.lines if not behind.keys().isdisjoint(line.tolist())
    }
    if len(led) < 0.3 * table.rows:
        return False
    values: list[list[str]] = []
    for row in range(table.rows):
        filled = [cell for cell in table.cells if cell.row == row and cell.lines]
        behind_it = [cell for cell in filled if cell.column > 0]
        if row in led:
            values.append([words.texts[int(cell.lines[0][0])] for cell in behind_it])
    if sum(len(row) > 1 for row in values) > 0.2 * len(values):
        last = [row[-1] for row in values if row]
        return (
            all(text.isdigit() and len(text) < 4 for text in last)
            and _never_falls(last)
            and table.columns < 4
        )
    named = [
        cell for cell in table.cells if cell.row == 0 and cell.column > 0 and cell.lines and 0 not in led
    ]
    last = [row[-1] for row in values if row]
    return not named or all(text.isdigit() and len(text) < 4 for text in last) and _never_falls(last)


def _never_falls(pages: Sequence[str]) -> bool:
    numbers = [int(page) for page in pages]
    return all(a <= b for a, b in zip(numbers, numbers[1:], strict=False))


def is_table(
    words: PageWords, rows: Sequence[Row], placed: Sequence[Placed], columns: int, rules: Rules
) -> bool:
    """Refuse prose in columns, lists, labels with values, and lines of leaders."""
    texts = words.texts
    pieces = [piece for row in placed for _, _, piece in row]
    if not pieces:
        return False
    first = [" ".join(texts[i] for i in piece.tolist()) for piece in pieces]
    if sum(_BLANK_LINE.search(text) is not None for text in first) > 0.3 * len(rows):
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
        plain = share < 0.25 or not any(words.bold[piece].all() for _, _, piece in placed[0])
        if ruled < 2 and plain and not _states_amounts(words, placed):
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


def _states_amounts(words: PageWords, placed: Sequence[Placed]) -> bool:
    """Tell whether the second of two columns is amounts of money, in groups or with a name above."""
    behind = [piece for row in placed for column, _, piece in row if column == 1]
    amounts = [
        piece for piece in behind if _AMOUNT.fullmatch("".join(words.texts[i] for i in piece.tolist()))
    ]
    if len(amounts) < 4 or len(amounts) < 0.8 * len(behind):
        return False
    rights = [float(words.edges[piece, 2].max()) for piece in amounts]
    level = sum(abs(right - float(np.median(rights))) < 4 for right in rights)
    grouped = any(len(row) == 1 for row in placed)
    return level >= 0.7 * len(rights) and grouped
