"""Several rows of print in one ruled row: columns are ruled there, rows are not, or only groups of them.

A cell may as well hold one text that wraps; what the lines hold and where they break tells the two apart.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.grids import Rules
from citation_pipeline.core.layout.lines import Piece, Row, group_rows
from citation_pipeline.core.layout.table_rows import Placed, TextCell, is_figure, merge_rows

_SAME_HEIGHT = 3.0  # points between the middles of lines of one printed row
_CHOSEN = 0.7  # share of a text's line breaks before which the next word would have fitted: they are meant


def split_stacked_rows(
    words: PageWords, cells: Sequence[TextCell], rules: Rules, stops: Sequence[float]
) -> list[TextCell]:
    """Split rows of a ruled table that hold several rows of print; `stops` are the x of its verticals."""
    found: list[TextCell] = []
    shift = 0
    for number in range(max(cell.row + cell.rowspan for cell in cells)):
        row = [cell for cell in cells if cell.row == number]
        covered = any(c.row < number < c.row + c.rowspan for c in cells) or any(c.rowspan > 1 for c in row)
        if covered or not _is_stacked(words, row, stops):
            found.extend(
                TextCell(cell.row + shift, cell.column, cell.rowspan, cell.colspan, cell.lines)
                for cell in row
            )
            continue
        groups = _printed_rows(words, row, rules)
        for at, placed in enumerate(groups):
            for cell in row:
                lines = tuple(line for column, line in placed if column == cell.column)
                found.append(TextCell(number + shift + at, cell.column, 1, cell.colspan, lines))
        shift += len(groups) - 1
    return sorted(found, key=lambda cell: (cell.row, cell.column))


def _is_stacked(words: PageWords, row: Sequence[TextCell], stops: Sequence[float]) -> bool:
    filled = [cell for cell in row if cell.lines]
    deep = [cell for cell in filled if len(cell.lines) > 1]
    if len(filled) < 2 or len(deep) < 2:
        return False
    heights = [[_middle(words, line) for line in cell.lines] for cell in deep]
    most = max(heights, key=len)
    figures = [_are_figures(words, cell) for cell in deep]
    if any(figures):
        counted = [own for own, are in zip(heights, figures, strict=True) if are]
        if len(counted) > 1 and _are_level(counted, max(counted, key=len)):
            return True  # two columns of figures line by line; remarks beside them may be few
        # a column of figures is no text that wraps; its lines are on heights of another column
        others = [y for own, are in zip(heights, figures, strict=True) if not are for y in own] or most
        return _are_level(counted, others)
    if len(most) < 3 or any(
        min(abs(y - other) for other in most) >= _SAME_HEIGHT for own in heights for y in own
    ):
        return False
    full = sum(len(own) >= 0.7 * len(most) for own in heights)
    chosen = [_breaks_chosen(words, cell, stops) for cell in deep]
    return full >= max(2, 0.6 * len(filled)) and min(chosen) >= _CHOSEN


def _are_level(columns: Sequence[Sequence[float]], others: Sequence[float]) -> bool:
    """Tell whether (nearly) all lines of each column are on heights of others."""
    return all(
        sum(min(abs(y - other) for other in others) < _SAME_HEIGHT for y in own) >= 0.7 * len(own)
        for own in columns
    )


def _middle(words: PageWords, line: NDArray[np.int64]) -> float:
    edges = words.edges[line]
    return float((edges[:, 1] + edges[:, 3]).mean() / 2)


def _are_figures(words: PageWords, cell: TextCell) -> bool:
    """Tell whether (nearly) every line of a cell is one figure."""
    count = sum(len(line) <= 2 and is_figure(words.texts[int(line[0])]) for line in cell.lines)
    return count >= 0.8 * len(cell.lines)


def _breaks_chosen(words: PageWords, cell: TextCell, stops: Sequence[float]) -> float:
    """Return the share of line breaks before which the next line's first word would have fitted."""
    right = stops[cell.column + cell.colspan] if cell.column + cell.colspan < len(stops) else stops[-1]
    fitted = 0
    for line, following in zip(cell.lines, cell.lines[1:], strict=False):
        first = words.edges[following[0]]
        size = float(words.sizes[following[0]])
        end = float(words.edges[line, 2].max())
        fitted += end + 0.3 * size + float(first[2] - first[0]) < right - 0.3 * size
    return fitted / max(len(cell.lines) - 1, 1)


def _printed_rows(
    words: PageWords, row: Sequence[TextCell], rules: Rules
) -> list[list[tuple[int, NDArray[np.int64]]]]:
    """Return the rows that the cells' lines make together, each as (column, line)."""
    lines = [(cell.column, line) for cell in row for line in cell.lines]
    edges = [words.edges[line] for _, line in lines]
    tops = np.array([float(own[:, 1].min()) for own in edges])
    bottoms = np.array([float(own[:, 3].max()) for own in edges])
    printed: list[Row] = []
    placed: list[Placed] = []
    for group in group_rows(tops, bottoms):
        held = sorted((lines[i] for i in group.tolist()), key=lambda item: item[0])
        pieces = [_piece(words, line) for _, line in held]
        top, bottom = min(piece.top for piece in pieces), max(piece.bottom for piece in pieces)
        printed.append(Row(top, bottom, pieces, max(piece.size for piece in pieces)))
        placed.append([(column, 1, line) for column, line in held])
    groups = merge_rows(words, printed, placed, rules)
    return [[(column, line) for at in group for column, _, line in placed[at]] for group in groups]


def _piece(words: PageWords, line: NDArray[np.int64]) -> Piece:
    edges = words.edges[line]
    left, top = edges[:, :2].min(axis=0).tolist()
    right, bottom = edges[:, 2:].max(axis=0).tolist()
    return Piece(line, left, top, right, bottom, float(words.sizes[line].max()))
