"""The characters of a page as columns, and the frame in which they read from left to right.

Which characters a page shows is the parser's business; where words end is decided in `words`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import EdgeArray

SHOWN, UNSEEN, WHITE = 0, 1, 2
"""Printed; without ink (an invisible mode, fully transparent); in white, so seen only on something dark."""


@dataclass(frozen=True, eq=False)
class Characters:
    """The characters of one page as columns of one length n, in drawing order, spaces included.

    `codes` are Unicode code points; `edges` (n, 4) and `baselines` are in the reading frame of each
    character's own `turns` (see `to_reading`); `sizes` in points; `hidden` is SHOWN, UNSEEN or WHITE;
    `runs` numbers the stretches drawn in one go, `slanted` those that no quarter turn makes level.
    """

    codes: NDArray[np.uint32]
    edges: EdgeArray
    baselines: NDArray[np.float64]
    sizes: NDArray[np.float64]
    bold: NDArray[np.bool_]
    turns: NDArray[np.int8]
    hidden: NDArray[np.int8]
    runs: NDArray[np.int32]
    slanted: NDArray[np.bool_]


def to_reading(edges: EdgeArray, turns: int, *, width: float, height: float) -> EdgeArray:
    """Turn edges of the paper frame so that text read in `turns` quarter turns clockwise lies upright."""
    left, top, right, bottom = edges.T
    if turns == 1:
        return np.column_stack([top, width - right, bottom, width - left])
    if turns == 2:
        return np.column_stack([width - right, height - bottom, width - left, height - top])
    if turns == 3:
        return np.column_stack([height - bottom, left, height - top, right])
    return edges


def to_paper(edges: EdgeArray, turns: int, *, width: float, height: float) -> EdgeArray:
    """Undo `to_reading`; `width` and `height` are the paper's, in points."""
    left, top, right, bottom = edges.T
    if turns == 1:
        return np.column_stack([width - bottom, left, width - top, right])
    if turns == 2:
        return np.column_stack([width - right, height - bottom, width - left, height - top])
    if turns == 3:
        return np.column_stack([top, height - right, bottom, height - left])
    return edges
