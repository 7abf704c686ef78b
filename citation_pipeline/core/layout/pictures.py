"""Rules on a picture of a page: what a scan shows of the frames of forms and tables.

Works on rendered pages; the text on them is another's business. Checkboxes are in `squares`.
"""

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import EdgeArray, PagePicture

_BLACK, _WHITE = 40, 215
_BETWEEN = 0.3  # grey dots for each black one: print drawn in grey has 0.9 and more, a fax kept as JPEG 0.1
_DARK = 150  # of 255; fax scans are black and white, photographs of rules are grey
_SHORTEST_PT = 16.0  # taller than any letter of running text, shorter than the sides of a form's box
_MOST_RUNS = 6_000  # a photograph, not a form
_THICKEST_PT = 4.0
_DENSE = 0.85  # share of a rule that is dark


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
