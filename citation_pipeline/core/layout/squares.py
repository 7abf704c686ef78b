"""Checkboxes on a picture of a page: little squares with four thin, straight sides that meet in corners.

A checkbox that is none becomes a false yes or no, so whatever could be print is left out: bold letters
(round corners, thick stems), cells of tables (their sides go on), ideographs (signs close by on both sides).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PagePicture, Tick
from citation_pipeline.core.layout.square_surroundings import Dark, Edges, is_part_of_more

_DARK = 150  # of 255, as for rules
_SQUARE_PT = (5.5, 14.0)  # checkboxes; letters of running text have no straight stroke that long
_MOST_BARS = 40_000
_INKED = 0.12  # a cross covers a third of a square, fax specks a few hundredths
_SOLID = 0.62  # more is filled in by hand, or a bullet
_THICKEST = 0.24  # of the side; stems of bold capitals have 0.26 of their height
_WHOLE, _PARTLY = 0.88, 0.4  # share of a side that is where it should be; of one side that was half erased
_RING = 0.32  # of the side: a square in a square is looked for so far inwards; a cross is dark in its middle
_CROSSED = 0.4  # share of a side that pen strokes may cross
_CORNER, _TIP = 0.4, 0.1  # share of a corner that is dark (of a round one a fifth); its tip, of the side


@dataclass(frozen=True, slots=True)
class _Square:
    """A square in pixels, the share of its inside that is dark, and whether it may be something else.

    A bullet is filled, a monogram has thick sides, a matrix code has squares in squares: such a square is a
    checkbox only as one of several to choose from.
    """

    left: int
    top: int
    right: int
    bottom: int
    inked: float
    is_whole: bool
    is_doubtful: bool

    @property
    def side(self) -> int:
        return max(self.right - self.left, self.bottom - self.top)


def find_squares(picture: PagePicture) -> list[Tick]:
    """Return the checkboxes of a picture, checked when they are inked inside."""
    dark = picture.grey < _DARK
    scale = 72.0 / picture.dpi
    low, high = round(_SQUARE_PT[0] / scale), round(_SQUARE_PT[1] / scale)
    candidates = _candidates(dark, low, high)
    # of a square whose upper or lower side was half erased, the other two are whole
    turned = _candidates(np.ascontiguousarray(dark.T), low, high)
    candidates += [(x, y, right, bottom) for y, x, bottom, right in turned]
    found: list[_Square] = []
    for edges in sorted(candidates, key=lambda edges: (edges[1], edges[0])):
        if any(_overlap(edges, square) for square in found):
            continue
        square = _measured(dark, *edges)
        if square is None or not low <= square.side <= high:
            continue
        if not any(_overlap((square.left, square.top, square.right, square.bottom), one) for one in found):
            found.append(square)
    return [
        Tick(
            square.inked > _INKED,
            (
                square.left * scale,
                square.top * scale,
                (square.right + 1) * scale,
                (square.bottom + 1) * scale,
            ),
            square.is_whole,
        )
        for square in found
        if not square.is_doubtful or _has_peer(square, found)
    ]


def _overlap(edges: Edges, square: _Square) -> bool:
    left, top, right, bottom = edges
    return left <= square.right and square.left <= right and top <= square.bottom and square.top <= bottom


def _has_peer(square: _Square, found: list[_Square]) -> bool:
    """Tell whether a clear checkbox of the same size is in the same row or column."""
    return any(
        not other.is_doubtful
        and abs(other.side - square.side) <= 0.15 * square.side
        and (
            3 * abs(other.top - square.top) < square.side
            or (
                4 * abs(other.left - square.left) < square.side
                and abs(other.top - square.top) < 4 * square.side
            )
        )
        for other in found
    )


def _candidates(dark: Dark, low: int, high: int) -> list[Edges]:
    """Return (left, top, right, bottom) of runs that have another of their length a square's height below."""
    bars = _bars(dark, low, high)
    if len(bars) > _MOST_BARS:
        return []
    by_start: dict[int, list[tuple[int, int]]] = {}
    for row, start, end in bars.tolist():
        by_start.setdefault(start, []).append((row, end))
    found = []
    for row, start, end in bars.tolist():
        side = end - start
        below = [
            other
            for near in range(start - 2, start + 3)
            for other, stop in by_start.get(near, ())
            if 0.75 * side < other - row < 1.25 * side and abs(stop - end) < 4
        ]
        if below:
            found.append((start, row, end - 1, max(below)))
    if not found:
        return []
    # letters have such runs too; few of them have what is between them on both sides
    left, top, right, bottom = np.array(found).T
    inked = np.zeros((dark.shape[0] + 1, dark.shape[1]), np.int32)
    np.cumsum(dark, axis=0, out=inked[1:])
    shares = np.array(
        [
            np.max(
                [
                    inked[bottom + 1, np.clip(x + by, 0, dark.shape[1] - 1)]
                    - inked[top, np.clip(x + by, 0, dark.shape[1] - 1)]
                    for by in range(-2, 3)
                ],
                axis=0,
            )
            / (bottom - top + 1)
            for x in (left, right)
        ]
    )
    kept = (shares.min(axis=0) >= _PARTLY) & (shares.max(axis=0) >= 0.6)
    return [edges for edges, keep in zip(found, kept.tolist(), strict=True) if keep]


def _bars(dark: Dark, low: int, high: int) -> NDArray[np.int64]:
    """Return horizontal runs of a checkbox's width as rows (row, start, end)."""
    padded = np.zeros((dark.shape[0], dark.shape[1] + 2), np.int8)
    padded[:, 1:-1] = dark
    padded[:, 2:-2] |= padded[:, 1:-3] & padded[:, 3:-1]  # a single light dot is grain
    turns = np.diff(padded, axis=1)
    rows, starts = np.nonzero(turns == 1)
    _, ends = np.nonzero(turns == -1)
    fit = (ends - starts >= low) & (ends - starts <= high)
    return np.column_stack([rows[fit], starts[fit], ends[fit]])


def _measured(dark: Dark, left: int, top: int, right: int, bottom: int) -> _Square | None:
    """Return the square at a place, its sides where they are, or None where it is no checkbox."""
    reach = max(5, (right - left) // 6)
    room = 2 * reach + (right - left) // 2
    if min(left, top) < room or right + room >= dark.shape[1] or bottom + room >= dark.shape[0]:
        return None  # at the paper's edge: the scanner's shadow
    turned = dark.T
    sides: list[_Side] = []
    for strip in (  # each as seen from outside
        dark[top - reach : top - reach + room, left : right + 1],
        turned[left - reach : left - reach + room, top : bottom + 1],
        dark[bottom + reach - room + 1 : bottom + reach + 1, left : right + 1][::-1],
        turned[right + reach - room + 1 : right + reach + 1, top : bottom + 1][::-1],
    ):
        sides.append(_side(strip))
        if sides[-1].share < _PARTLY or sum(one.share < _WHOLE for one in sides) > 1:
            return None
    top, left = top - reach + sides[0].at, left - reach + sides[1].at
    bottom, right = bottom + reach - sides[2].at, right + reach - sides[3].at
    side = max(right - left, bottom - top) + 1
    limit = max(round(_THICKEST * side), 3)
    thick = [max(1, min(one.thick, limit)) for one in sides]
    edges = (left, top, right, bottom)
    if not _has_corners(dark, edges, thick) or is_part_of_more(dark, edges, thick=max(thick)):
        return None
    own = dark[top : bottom + 1, left : right + 1]
    if _is_ruled(own, max(thick)):
        return None
    margin = max(*thick, side // 6)
    inside = dark[top + margin : bottom - margin + 1, left + margin : right - margin + 1]
    if not inside.size:
        return None
    is_thick = any(one.thick > limit for one in sides)
    inked = float(inside.mean())
    is_whole = all(one.share >= _WHOLE for one in sides) and not is_thick
    return _Square(
        left, top, right, bottom, inked, is_whole, is_thick or inked > _SOLID or _is_apart(own, max(thick))
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """A side seen from outside: pixels from the strip's edge, thickness, share of it that is there."""

    at: int
    thick: int
    share: float


def _side(strip: Dark) -> _Side:
    """Measure a side; rows go inwards.

    Where a pen's stroke crosses it, what is seen first is not the side; it has to be dark all the same.
    """
    begins = strip.argmax(axis=0)
    inked = begins > 0
    if inked.sum() < _PARTLY * strip.shape[1]:
        return _Side(0, 0, 0.0)
    at = int(np.sort(begins[inked])[inked.sum() // 2])
    rest = strip[at:]
    ends = np.where(rest.all(axis=0), len(rest), (~rest).argmax(axis=0))
    straight = inked & (np.abs(begins - at) <= max(1.0, 0.05 * strip.shape[1]))
    crossed = strip.any(axis=0) & (begins < at) & ~straight & strip[at : at + 2].any(axis=0)
    there = straight | crossed if crossed.mean() < _CROSSED else straight
    share = float(there.mean())
    if share < _WHOLE and np.count_nonzero(np.diff(there.astype(np.int8)) == -1) > 2:
        share = 0.0  # the ends of a letter's strokes: what was erased is one gap
    # the thinner half of it: a mark inside touches the rest
    thick = int(np.sort(ends[straight])[straight.sum() // 3]) if straight.any() else 0
    return _Side(at, thick, share)


def _has_corners(dark: Dark, edges: Edges, thick: list[int]) -> bool:
    """Tell whether the corners are filled: a D has two round ones on one side, a B and a P too.

    Two of them that face each other have to be sharp; the others may lack their tip, as those of a box with a
    shadow do.
    """
    left, top, right, bottom = edges
    over, before, under, behind = thick
    upper, lower = (top, top + over), (bottom - under + 1, bottom + 1)
    first, last = (left, left + before), (right - behind + 1, right + 1)
    corners = [(upper, first), (lower, last), (upper, last), (lower, first)]
    if any(dark[slice(*rows), slice(*columns)].mean() < _CORNER for rows, columns in corners):
        return False
    tip = max(2, round(_TIP * (right - left)))
    sharp = [
        dark[y : y + tip, x : x + tip].mean() > 0.7
        for y, x in (
            (top, left),
            (bottom - tip + 1, right - tip + 1),
            (top, right - tip + 1),
            (bottom - tip + 1, left),
        )
    ]
    return all(sharp[:2]) or all(sharp[2:])


def _is_apart(square: Dark, thick: int) -> bool:
    """Tell whether a square has a square or a ring in it that touches no side; a cross has open sides."""
    frames = [
        _frame(square[at:-at, at:-at])
        for at in range(max(thick - 1, 1), round(_RING * min(square.shape)) + 1)
    ]
    light = next((at for at, dark in enumerate(frames) if dark < 0.12), None)
    return light is not None and max(frames[light:]) > 0.75


def _frame(part: Dark) -> float:
    """Return the share of the outermost dots that are dark."""
    return float(np.concatenate([part[0], part[-1], part[1:-1, 0], part[1:-1, -1]]).mean())


def _is_ruled(square: Dark, thick: int) -> bool:
    """Tell whether a level or upright stroke parts a square from side to side, as in some ideographs."""
    for part in (square, square.T):
        inner = part[2 * thick : -2 * thick, thick : -thick or None]
        if inner.size and float(inner.mean(axis=1).max(initial=0.0)) > 0.94 and float(inner.mean()) < 0.5:
            return True
    return False
