"""The header of a table of words: where it ends, and which printed lines are one name of a column.

Names wrap and are set at the bottom of their row; names of groups are printed over the columns they group.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.grids import Rules
from citation_pipeline.core.layout.lines import Row
from citation_pipeline.core.layout.table_rows import Placed, TextCell, is_figure, is_number

_MOST_LINES = 9  # printed lines of a header
_MOST_RUN = 2.2  # share of the size between lines of one header
_COVERED = 0.6  # of a table's width that rules below its header cover, gaps between columns apart


@dataclass(eq=False, slots=True)
class _Name:
    """A name of a column or a group: first and last printed line, columns from and to, its words."""

    first: int
    last: int
    start: int
    stop: int
    left: float
    right: float
    top: float
    bottom: float
    size: float
    lines: list[NDArray[np.int64]] = field(default_factory=list)

    def is_over(self, other: "_Name") -> bool:
        return self.start < other.stop and other.start < self.stop


def header_end(
    words: PageWords,
    rows: Sequence[Row],
    placed: Sequence[Placed],
    rules: Rules,
    bounds: Sequence[float],
    dense: Sequence[int],
) -> int:
    """Return how many printed rows name columns: above a rule, in bold, or without numbers over numbers."""
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    most = min(_MOST_LINES, len(rows) - 1)
    numbers = [_numbers(words, row) for row in placed[: most + 1]]
    first = next((i for i, (values, count) in enumerate(numbers) if count and values >= 0.5 * count), most)
    if dense:
        first = min(first, dense[0])
    for count in range(1, min(most, max(first, 1)) + 1):
        above, below = rows[count - 1], rows[count]
        if below.top - above.bottom > _MOST_RUN * max(above.size, below.size):
            break
        if _is_closed(rules, above.bottom - 1, below.top + 1, (left, right), bounds[0]):
            return count
    bold = [all(words.bold[piece].all() for _, _, piece in row) for row in placed]
    if bold[0] and not all(bold):
        return next((count for count in range(1, most + 1) if not bold[count]), 1)
    if first and first < most and _is_dense(placed, first) and not _states_figures(words, placed[:first]):
        return first
    if first == 0 and _are_years(words, placed):
        return 1
    return 0


def _states_figures(words: PageWords, placed: Sequence[Placed]) -> bool:
    """Tell whether rows have dates or amounts among their texts: they are values, no names of columns."""
    return any(
        is_figure(words.texts[i]) and sum(c.isdigit() for c in words.texts[i]) > 4
        for row in placed
        for _, _, piece in row
        for i in piece.tolist()
    )


def _is_dense(placed: Sequence[Placed], first: int) -> bool:
    """Tell whether the lines above the first numbers name columns: all but one line has several names."""
    several = sum(len(row) > 1 for row in placed[:first])
    return several >= max(1, first - 1) if first < 3 else several >= 0.5 * first


def _numbers(words: PageWords, row: Placed) -> tuple[int, int]:
    """Return how many of a row's pieces behind the first column are numbers, and how many there are."""
    behind = [piece for column, _, piece in row if column > 0]
    return sum(is_number(words.texts[int(piece[0])]) for piece in behind), len(behind)


def _are_years(words: PageWords, placed: Sequence[Placed]) -> bool:
    """Tell whether the first row has nothing but years, and the next has other numbers."""

    def years(row: Placed) -> int:
        return sum(
            len(piece) == 1
            and words.texts[int(piece[0])].isdigit()
            and 1900 <= int(words.texts[int(piece[0])]) < 2100
            for column, _, piece in row
            if column > 0
        )

    behind = sum(column > 0 for column, _, _ in placed[0])
    return behind > 1 and years(placed[0]) == behind and years(placed[1]) == 0


def _is_closed(
    rules: Rules, top: float, bottom: float, sides: tuple[float, float], first_bound: float
) -> bool:
    """Tell whether rules between two heights cover a table's columns, the first one too.

    A rule below the name of a group begins further right.
    """
    left, right = sides
    across = rules.across
    between = across[
        (across[:, 0] > top - 2)
        & (across[:, 0] < bottom + 2)
        & (across[:, 2] > left)
        & (across[:, 1] < right)
    ]
    if not len(between) or float(between[:, 1].min()) > (left + first_bound) / 2:
        return False
    reach = float((np.minimum(between[:, 2], right) - np.maximum(between[:, 1], left)).sum())
    return reach > _COVERED * (right - left)


def header_cells(
    words: PageWords,
    rows: Sequence[Row],
    placed: Sequence[Placed],
    rules: Rules,
    columns: Sequence[tuple[float, float]],
) -> tuple[list[TextCell], int]:
    """Return the cells of the header's printed rows, and how many rows they make.

    `columns` are the x-ranges that each column's figures and texts are printed in.
    """
    if not rows:
        return [], 0
    names = _names(words, rows, placed, rules)
    _widen(names, rules, columns)
    depths: dict[int, int] = {}
    for at in sorted(range(len(names)), key=lambda i: -names[i].first):
        below = [
            depths[other]
            for other in depths
            if names[other].first > names[at].last and names[at].is_over(names[other])
        ]
        depths[at] = max(below, default=-1) + 1
    deepest = max(depths.values(), default=0)
    cells: list[TextCell] = []
    taken: set[tuple[int, int]] = set()
    for at, name in enumerate(names):
        row = deepest - depths[at]
        places = {(row, column) for column in range(name.start, name.stop)}
        if taken & places:
            return [], 0
        taken |= places
        cells.append(TextCell(row, name.start, 1, name.stop - name.start, tuple(name.lines)))
    return cells, deepest + 1


def _names(words: PageWords, rows: Sequence[Row], placed: Sequence[Placed], rules: Rules) -> list[_Name]:
    names: list[_Name] = []
    for number, (row, pieces) in enumerate(zip(rows, placed, strict=True)):
        line = [_name(words, number, column, span, piece, row.size) for column, span, piece in pieces]
        for name in line:
            above = [
                other
                for other in names
                if other.last < number and other.is_over(name) and _is_next(other, names, name)
            ]
            if len(above) == 1 and _wraps(above[0], name, line, rules):
                into = above[0]
                into.last, into.bottom = number, name.bottom
                into.start, into.stop = min(into.start, name.start), max(into.stop, name.stop)
                into.left, into.right = min(into.left, name.left), max(into.right, name.right)
                into.lines.extend(name.lines)
            else:
                names.append(name)
    return names


def _widen(names: Sequence[_Name], rules: Rules, columns: Sequence[tuple[float, float]]) -> None:
    """Stretch names of groups over what they group: by the rule below them, else by their middle."""
    centres = [(a + b) / 2 for a, b in columns]
    for name in names:
        if not any(other.first > name.last for other in names):
            continue
        ruled = _rule_below(name, rules)
        if ruled is not None:
            held = [i for i, x in enumerate(centres) if ruled[0] - 2 <= x <= ruled[1] + 2]
            fits = held and held[0] <= name.start and held[-1] + 1 >= name.stop
            if fits and not _is_taken(name, names, held):
                name.start, name.stop = held[0], held[-1] + 1
        elif name.start > 0:
            _centre(name, names, columns)


def _rule_below(name: _Name, rules: Rules) -> tuple[float, float] | None:
    """Return from where to where the rule right below a name goes, None where there is none."""
    across = rules.across
    near = across[
        (across[:, 0] > name.bottom - 0.3 * name.size)
        & (across[:, 0] < name.bottom + 0.8 * name.size)
        & (across[:, 1] < name.left + 2)
        & (across[:, 2] > name.right - 2)
    ]
    return (float(near[0, 1]), float(near[0, 2])) if len(near) else None


def _is_taken(name: _Name, names: Sequence[_Name], held: Sequence[int]) -> bool:
    """Tell whether another name on the same lines is over one of the columns."""
    return any(
        other is not name
        and other.first <= name.last
        and name.first <= other.last
        and other.start <= held[-1]
        and held[0] < other.stop
        for other in names
    )


def _centre(name: _Name, names: Sequence[_Name], columns: Sequence[tuple[float, float]]) -> None:
    """Take in free columns beside a name as long as that brings their middle nearer to its own."""
    middle = (name.left + name.right) / 2

    def distance(start: int, stop: int) -> float:
        return abs((columns[start][0] + columns[stop - 1][1]) / 2 - middle)

    while True:
        start, stop = name.start, name.stop
        fitting = [
            (a, b)
            for a, b in ((start - 1, stop), (start, stop + 1))
            if a > 0
            and b <= len(columns)
            and not _is_taken(name, names, range(a, b))
            and distance(a, b) < distance(start, stop) - 0.5 * name.size
        ]
        if not fitting:
            return
        name.start, name.stop = min(fitting, key=lambda sides: distance(*sides))


def _name(
    words: PageWords, number: int, column: int, span: int, piece: NDArray[np.int64], size: float
) -> _Name:
    edges = words.edges[piece]
    left, top = edges[:, :2].min(axis=0).tolist()
    right, bottom = edges[:, 2:].max(axis=0).tolist()
    return _Name(number, number, column, column + span, left, right, top, bottom, size, [piece])


def _is_next(above: _Name, names: Sequence[_Name], name: _Name) -> bool:
    """Tell whether nothing is printed between two names."""
    return not any(
        other is not above
        and above.last < other.first < name.first
        and other.is_over(above)
        and other.is_over(name)
        for other in names
    )


def _wraps(above: _Name, name: _Name, line: Sequence[_Name], rules: Rules) -> bool:
    """Tell whether a name only goes on with the one above: alone below it, near, and no rule between."""
    if name.top - above.bottom > 0.62 * name.size:
        return False
    if sum(other.is_over(above) for other in line) > 1:
        return False
    across = rules.across
    between = across[
        (across[:, 0] > above.bottom - 3)
        & (across[:, 0] < name.top + 3)
        & (across[:, 1] < min(above.right, name.right))
        & (across[:, 2] > max(above.left, name.left))
    ]
    return not len(between)
