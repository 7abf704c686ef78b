"""Rules and checkboxes on a picture of a page: what a scan shows of the frames of forms and tables.

Works on rendered pages; the text on them is another's business.
"""

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import EdgeArray, PagePicture, Tick

_BLACK, _WHITE = 40, 215
_BETWEEN = 0.3  # grey dots for each black one: print drawn in grey has 0.9 and more, a fax kept as JPEG 0.1
_DARK = 150  # of 255; fax scans are black and white, photographs of rules are grey
_SHORTEST_PT = 16.0  # taller than any letter of running text, shorter than the sides of a form's box
_MOST_RUNS = 6_000  # a photograph, not a form
_THICKEST_PT = 4.0
_DENSE = 0.85  # share of a rule that is dark
_SQUARE_PT = (5.5, 14.0)  # checkboxes; letters of running text have no straight stroke that long
_MOST_BARS = 40_000
_INKED = 0.12  # a cross covers a third of a square, fax specks a few hundredths


def is_bilevel(grey: NDArray[np.uint8]) -> bool:
    """Tell whether a picture has black and white dots only, give or take a lossy codec's grey."""
    black, white = int((grey <= _BLACK).sum()), int((grey >= _WHITE).sum())
    return black > 0 and white > 0 and grey.size - black - white <= _BETWEEN * black


def find_rulings(picture: PagePicture) -> EdgeArray:
    """Return the straight dark lines of a picture as thin edges (n, 4) in the paper frame.

    A slightly skewed line comes in steps, one a pixel row; `straighten` in `grids` joins what touches.
    """
    dark = picture.grey < _DARK
    scale = 72.0 / picture.dpi
    length = max(8, round(_SHORTEST_PT / scale))
    thick = max(2, round(_THICKEST_PT / scale))
    across = _runs(dark, length, thick)
    down = _runs(np.ascontiguousarray(dark.T), length, thick)
    if len(across) + len(down) > _MOST_RUNS:
        return np.zeros((0, 4))
    flat = across[:, [1, 0, 2, 0]] + np.array([0, 0, 0, 1])
    steep = down[:, [0, 1, 0, 2]] + np.array([0, 0, 1, 0])
    return np.concatenate([flat, steep]).astype(np.float64) * scale


def _runs(dark: NDArray[np.bool_], length: int, thick: int) -> NDArray[np.int64]:
    """Return runs of dark pixels of at least `length` as rows (row, start, end), none out of solid areas."""
    # a solid area (a seal, a dark margin of the scan) is no rule: thin out what is dark far above and below
    height = dark.shape[0]
    solid = np.zeros_like(dark)
    if height > 2 * thick:
        solid[thick:-thick] = dark[: -2 * thick] & dark[2 * thick :]
    line = dark & ~solid
    # a line that climbs goes on in the next row of pixels: its last step is part of the one before
    climbing = line.copy()
    climbing[1:] |= line[:-1]
    climbing[:-1] |= line[1:]
    line = climbing
    # single pixels missing in a fax's line are not its end; in the grain of a photograph they are many
    inked = np.zeros((height, line.shape[1] + 1), np.int32)
    np.cumsum(line, axis=1, out=inked[:, 1:])
    line[:, 1:-1] |= line[:, :-2] & line[:, 2:]
    padded = np.zeros((height, line.shape[1] + 2), np.int8)
    padded[:, 1:-1] = line
    turns = np.diff(padded, axis=1)
    rows, starts = np.nonzero(turns == 1)
    _, ends = np.nonzero(turns == -1)
    long = ends - starts >= length
    rows, starts, ends = rows[long], starts[long], ends[long]
    solid_runs = inked[rows, ends] - inked[rows, starts] > _DENSE * (ends - starts)
    return np.column_stack([rows[solid_runs], starts[solid_runs], ends[solid_runs]])


def find_squares(picture: PagePicture) -> list[Tick]:
    """Return the checkboxes of a picture: little squares with four dark sides, checked when inked inside."""
    dark = picture.grey < _DARK
    scale = 72.0 / picture.dpi
    low, high = round(_SQUARE_PT[0] / scale), round(_SQUARE_PT[1] / scale)
    bars = _bars(dark, low, high)
    if not len(bars) or len(bars) > _MOST_BARS:
        return []
    found: list[tuple[int, int, int, int]] = []
    by_start: dict[int, list[tuple[int, int]]] = {}
    for row, start, end in bars.tolist():
        by_start.setdefault(start, []).append((row, end))
    for row, start, end in bars.tolist():
        side = end - start
        below = [
            (other, stop)
            for near in range(start - 2, start + 3)
            for other, stop in by_start.get(near, ())
            if 0.75 * side < other - row < 1.25 * side and abs(stop - end) < 4
        ]
        if not below or any(abs(row - top) < side and abs(start - left) < side for left, top, _, _ in found):
            continue
        bottom = max(other for other, _ in below)
        if _is_upright(dark, start, row, bottom) and _is_upright(dark, end - 1, row, bottom):
            found.append((start, row, end, bottom))
    return [
        Tick(
            _is_inked(dark, left, top, right, bottom),
            (left * scale, top * scale, right * scale, (bottom + 1) * scale),
        )
        for left, top, right, bottom in found
    ]


def _bars(dark: NDArray[np.bool_], low: int, high: int) -> NDArray[np.int64]:
    """Return horizontal runs of a checkbox's width as rows (row, start, end)."""
    padded = np.zeros((dark.shape[0], dark.shape[1] + 2), np.int8)
    padded[:, 1:-1] = dark
    turns = np.diff(padded, axis=1)
    rows, starts = np.nonzero(turns == 1)
    _, ends = np.nonzero(turns == -1)
    fit = (ends - starts >= low) & (ends - starts <= high)
    return np.column_stack([rows[fit], starts[fit], ends[fit]])


def _is_upright(dark: NDArray[np.bool_], column: int, top: int, bottom: int) -> bool:
    """Tell whether a side is dark from top to bottom, within two pixels of its column."""
    side = dark[top : bottom + 1, max(column - 2, 0) : column + 3]
    return float(side.any(axis=1).mean()) > 0.9 and float(side.mean(axis=0).max()) > 0.6


def _is_inked(dark: NDArray[np.bool_], left: int, top: int, right: int, bottom: int) -> bool:
    """Tell whether something is in a square: the middle, two thirds each way, is more than specks."""
    margin = max(3, (right - left) // 6)
    inside = dark[top + margin : bottom - margin + 1, left + margin : right - margin]
    return inside.size > 0 and float(inside.mean()) > _INKED
