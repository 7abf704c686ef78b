"""What is around a little square of a scan: is it part of a table, of a matrix code, of a line of print?

Pixels only; edges are left, top, right, bottom, all four inside the square.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Dark = NDArray[np.bool_]
"""(height, width), true where the picture is dark."""

Edges = tuple[int, int, int, int]

_CLOSE, _NEAR = 0.25, 0.55  # of the side: room between labels is wider, between ideographs narrower
_STROKE = 0.2  # of the side: narrower is no sign
_HIGHER = 1.1  # times the side: a square between signs that are higher is part of one
_LEVEL = 0.22  # of the side: ideographs of a line begin and end at one height
_COVERED = 0.45  # share of the strip above or below that has ink: pen strokes leave at corners
_CROWDED = 0.33  # share of the surroundings that is dark: a matrix code, a screen


def is_part_of_more(dark: Dark, edges: Edges, *, thick: int) -> bool:
    """Tell whether a square with sides of some thickness belongs to what is around it."""
    return _goes_on(dark, edges, thick) or _is_sign(dark, edges) or _is_crowded(dark, edges)


def _goes_on(dark: Dark, edges: Edges, thick: int) -> bool:
    """Tell whether sides go on behind the corners, as those of a cell and of a letter with serifs do."""
    left, top, right, bottom = edges
    out = max(12, round(0.45 * (right - left)))
    count = 0
    for view, (a, b, c, d) in ((dark, (left, top, right, bottom)), (dark.T, (top, left, bottom, right))):
        for low, high in ((b - 1, b + thick + 1), (d - thick, d + 2)):
            for part in (view[low:high, max(a - out, 0) : a - 2], view[low:high, c + 3 : c + out + 1]):
                count += bool(part.any(axis=0).mean() > 0.9) if part.size else 0
    return count >= 2


@dataclass(frozen=True, slots=True)
class _Sign:
    """Ink beside a square, up to the next column without: room before it, width, first and last row."""

    gap: int
    wide: int
    first: int
    last: int


def _is_sign(dark: Dark, edges: Edges) -> bool:
    """Tell whether a square is one sign of a line of ideographs: the next are as high, as wide, and close.

    A label's first capital may be so too; its second letter is not.
    """
    left, top, right, bottom = edges
    side = max(right - left, bottom - top) + 1
    room, rows = side // 3, slice(top - side // 3, bottom + side // 3 + 1)
    close, higher = 0, 0
    for part in (
        dark[rows, max(left - 4 * side, 0) : left - 2][:, ::-1],
        dark[rows, right + 3 : right + 4 * side],
    ):
        signs = _signs(part, room, side)
        if signs:
            extent = signs[0].last - signs[0].first + 1
            close += signs[0].gap < _CLOSE * side and extent > 0.55 * side
            higher += extent > _HIGHER * side
        if signs and all(
            abs(one.first - room) < _LEVEL * side
            and abs(one.last - room - (bottom - top)) < _LEVEL * side
            and 0.5 * side < one.wide < 1.4 * side
            for one in signs
        ):
            return True
    return max(close, higher) == 2


def _signs(part: Dark, room: int, side: int) -> list[_Sign]:
    """Return the next two signs of a strip that begins at the square, as far as they are close.

    Columns with ink are looked for on the square's own height, `room` rows below the strip's begin.
    """
    columns = np.flatnonzero(part[room:-room].any(axis=0))
    found: list[_Sign] = []
    ends = -1
    for piece in np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1) if len(columns) else ():
        first, last = int(piece[0]), int(piece[-1])
        gap, ends = first - ends - 1, last
        if gap > _NEAR * side or len(found) == 2:
            break
        if last - first + 1 < _STROKE * side:
            continue  # the end of a pen's stroke
        inked = np.flatnonzero(part[:, first : last + 1].any(axis=1))
        found.append(_Sign(gap, last - first + 1, int(inked[0]), int(inked[-1])))
    return found


def _is_crowded(dark: Dark, edges: Edges) -> bool:
    """Tell whether there is much ink around a square, as in a matrix code, or a stroke above or below it."""
    left, top, right, bottom = edges
    near = (right - left) // 2
    around = dark[top - near : bottom + near + 1, left - near : right + near + 1]
    own = dark[top : bottom + 1, left : right + 1]
    if float(around.sum() - own.sum()) > _CROWDED * (around.size - own.size):
        return True
    deep = max(4, (right - left) // 4)
    over, under = (
        dark[top - deep : top - 1, left : right + 1],
        dark[bottom + 2 : bottom + deep + 1, left : right + 1],
    )
    return any(float(part.any(axis=0).mean()) > _COVERED for part in (over, under))
