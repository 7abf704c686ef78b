"""Ruled grids: lines that cross become cells, and cells without a line between them become one.

Only geometry: whether a grid is a table, a form or a frame is decided by `pages`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import EdgeArray

_THIN = 3.0  # points; thicker bars are fills
_SNAP = 3.0  # rules that should meet are drawn up to this far apart
_DASH_GAP = 5.0  # dashes and dots of one rule
_SHORTEST = 6.0  # no cell is lower or narrower than its smallest print
_MOST_LINES = 1500  # a chart, not a table
_MOST_CELLS = 20_000  # a ledger page has hundreds


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell of a grid: its place, its spans, and its edges in the paper frame."""

    row: int
    column: int
    rowspan: int
    colspan: int
    edges: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells ruled off from one another, and the edges around all of them in the paper frame.

    `stops` are the x of all verticals, one more than there are columns.
    """

    rows: int
    columns: int
    cells: Sequence[GridCell]
    stops: Sequence[float]
    edges: tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Rules:
    """Straight lines: `across` rows are (y, x0, x1), `down` rows are (x, y0, y1), in the paper frame."""

    across: NDArray[np.float64]
    down: NDArray[np.float64]


def straighten(rulings: EdgeArray, boxes: EdgeArray) -> Rules:
    """Return the horizontal and vertical lines among thin strokes and the sides of boxes, dashes joined."""
    left, top, right, bottom = np.concatenate([rulings, *_sides(boxes)]).T
    wide, tall = right - left, bottom - top
    flat = (tall <= _THIN) & (wide > tall)
    steep = (wide <= _THIN) & (tall >= wide) & ~flat
    across = np.column_stack([(top + bottom)[flat] / 2, left[flat], right[flat]])
    down = np.column_stack([(left + right)[steep] / 2, top[steep], bottom[steep]])
    return Rules(_join_dashes(across), _join_dashes(down))


def _sides(boxes: EdgeArray) -> list[EdgeArray]:
    left, top, right, bottom = boxes.T
    return [
        np.column_stack([left, top, right, top]),
        np.column_stack([left, bottom, right, bottom]),
        np.column_stack([left, top, left, bottom]),
        np.column_stack([right, top, right, bottom]),
    ]


def _join_dashes(lines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Join pieces (at, from, to) that lie on one line and touch; drop what stays short."""
    if not len(lines) or len(lines) > 4 * _MOST_LINES:
        return np.zeros((0, 3))
    at = lines[:, 0]
    order = np.argsort(at, kind="stable")
    # lines within a point of each other are one line drawn twice, or by the two cells that share it
    cuts = (np.flatnonzero(np.diff(at[order]) > 1.0) + 1).tolist()
    ordered = lines[order].tolist()
    joined: list[tuple[float, float, float]] = []
    for first, last in zip([0, *cuts], [*cuts, len(ordered)], strict=True):
        members = sorted(ordered[first:last], key=itemgetter(1))
        place = sum(member[0] for member in members) / len(members)
        start, reach = members[0][1:]
        for _, begin, end in members[1:]:
            if begin > reach + _DASH_GAP:
                joined.append((place, start, reach))
                start, reach = begin, end
            else:
                reach = max(reach, end)
        joined.append((place, start, reach))
    joined = [one for one in joined if one[2] - one[1] >= _SHORTEST]
    return np.array(joined, np.float64).reshape(-1, 3)


def find_grids(rules: Rules) -> list[Grid]:
    """Return the grids that crossing lines form, from the top; single frames come as grids of one cell."""
    across, down = rules.across, rules.down
    if len(across) < 2 or len(down) < 2 or len(across) + len(down) > _MOST_LINES:
        return []
    crossing = (
        (across[:, None, 1] - _SNAP <= down[None, :, 0])
        & (down[None, :, 0] <= across[:, None, 2] + _SNAP)
        & (down[None, :, 1] - _SNAP <= across[:, None, 0])
        & (across[:, None, 0] <= down[None, :, 2] + _SNAP)
    )
    grids: list[Grid] = []
    free = np.ones(len(across), np.bool_)
    for first in range(len(across)):
        if not free[first]:
            continue
        rows, columns = _connected(crossing, first)
        free &= ~rows
        if rows.sum() >= 2 and columns.sum() >= 2:
            grid = _build(across[rows], down[columns])
            if grid is not None:
                grids.append(grid)
    return sorted(grids, key=lambda grid: (grid.edges[1], grid.edges[0]))


def _connected(crossing: NDArray[np.bool_], first: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    rows: NDArray[np.bool_] = np.zeros(crossing.shape[0], np.bool_)
    columns: NDArray[np.bool_] = np.zeros(crossing.shape[1], np.bool_)
    rows[first] = True
    while True:
        reached = crossing[rows].any(axis=0)
        if (reached == columns).all():
            return rows, columns
        columns = np.asarray(reached)
        rows[crossing[:, columns].any(axis=1)] = True


def _build(across: NDArray[np.float64], down: NDArray[np.float64]) -> Grid | None:
    ys, xs = _snap(across[:, 0]), _snap(down[:, 0])
    # rules that run out beyond the outer verticals frame columns of their own (tables open at the sides)
    outer = float(np.median(np.sort(across[:, 1])[: max(1, len(across) // 2)]))
    if xs and outer < xs[0] - 8:
        xs.insert(0, outer)
    outer = float(np.median(np.sort(across[:, 2])[-max(1, len(across) // 2) :]))
    if xs and outer > xs[-1] + 8:
        xs.append(outer)
    if len(ys) < 2 or len(xs) < 2:
        return None
    rows, columns = len(ys) - 1, len(xs) - 1
    if rows * columns > _MOST_CELLS:
        return None
    cells: list[GridCell] = []
    for members in _merged(_covered(across, ys, xs), _covered(down, xs, ys)):
        for top, start, bottom, end in _rectangles(*np.divmod(members, columns)):
            cells.append(
                GridCell(top, start, bottom - top, end - start, (xs[start], ys[top], xs[end], ys[bottom]))
            )
    cells.sort(key=lambda cell: (cell.row, cell.column))
    return Grid(rows, columns, tuple(cells), tuple(xs), (xs[0], ys[0], xs[-1], ys[-1]))


def _snap(places: NDArray[np.float64]) -> list[float]:
    ordered = np.sort(places)
    starts = np.flatnonzero(np.concatenate([[True], np.diff(ordered) > _SNAP]))
    return [float(part.mean()) for part in np.split(ordered, starts[1:])]


def _covered(lines: NDArray[np.float64], places: list[float], stops: list[float]) -> NDArray[np.bool_]:
    """Tell for each place and each stretch between two stops whether a line covers it."""
    starts, ends = np.array(stops[:-1]), np.array(stops[1:])
    slack = np.minimum(_SNAP, 0.25 * (ends - starts))
    spans = (lines[:, None, 1] <= starts + slack) & (lines[:, None, 2] >= ends - slack)
    return np.stack([spans[np.abs(lines[:, 0] - place) <= _SNAP].any(axis=0) for place in places])


def _merged(level: NDArray[np.bool_], upright: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Group the smallest cells that no line parts; each group as positions, row by row.

    `level` is (rows + 1, columns), `upright` (columns + 1, rows).
    """
    rows, columns = level.shape[0] - 1, level.shape[1]
    parent = list(range(rows * columns))

    def root(cell: int) -> int:
        while parent[cell] != cell:
            parent[cell] = parent[parent[cell]]
            cell = parent[cell]
        return cell

    for column, row in zip(*np.nonzero(~upright[1:-1]), strict=True):
        parent[root(int(row) * columns + int(column) + 1)] = root(int(row) * columns + int(column))
    for row, column in zip(*np.nonzero(~level[1:-1]), strict=True):
        parent[root((int(row) + 1) * columns + int(column))] = root(int(row) * columns + int(column))
    groups: dict[int, list[int]] = {}
    for cell in range(rows * columns):
        groups.setdefault(root(cell), []).append(cell)
    return [np.array(members) for members in groups.values()]


def _rectangles(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> list[tuple[int, int, int, int]]:
    """Return a merged area as one rectangle, or row by row when it is none (top, left, bottom, right)."""
    if len(rows) == 1:
        only = int(rows[0]), int(columns[0])
        return [(*only, only[0] + 1, only[1] + 1)]
    top, bottom = int(rows.min()), int(rows.max()) + 1
    left, right = int(columns.min()), int(columns.max()) + 1
    if (bottom - top) * (right - left) == len(rows):
        return [(top, left, bottom, right)]
    pieces = []
    for row in sorted(set(rows.tolist())):
        across = np.sort(columns[rows == row])
        for run in np.split(across, np.flatnonzero(np.diff(across) > 1) + 1):
            pieces.append((row, int(run[0]), row + 1, int(run[-1]) + 1))
    return pieces
