"""Faxes redrawn: from black and white dots back to the grey print that a sheet probably had.

A fax machine leaves one bit of every dot: strokes break or run together, edges fray, and dust becomes ink.
The recognizer was trained on grey print. A small network looks at the square around each dot and says how
dark the dot was; weights: `benchmarks/fit_faxes.py`, on pages that no figure is reported of.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.ocr.pictures import Grey

_WEIGHTS = Path(__file__).with_name("fax_weights.npz")
_WHITE = 215
_BLANK = 3  # dots: where there is no ink within them, the paper is white
_ROWS = 24  # at a time: 24 rows of 1,700 dots with their squares are 30 MB


@dataclass(frozen=True, eq=False)
class Redrawer:
    """Two hidden layers over the square around a dot: weights (inputs, outputs) and biases of each layer."""

    weights: tuple[NDArray[np.float32], ...]
    biases: tuple[NDArray[np.float32], ...]

    @property
    def side(self) -> int:
        """Dots of the square's side."""
        return math.isqrt(len(self.weights[0]))

    def darkness(self, squares: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how dark (0-1) the dots in the middle of (n, side * side) squares were."""
        layers = list(zip(self.weights, self.biases, strict=True))
        values = squares
        for weights, bias in layers[:-1]:
            values = values @ weights
            values += bias
            np.maximum(values, 0.0, out=values)
        weights, bias = layers[-1]
        found: NDArray[np.float32] = 1.0 / (1.0 + np.exp(-(values @ weights + bias)[:, 0]))
        return found


def redrawer_from(arrays: Mapping[str, NDArray[np.float32]]) -> Redrawer:
    """Return the network whose layers are stored as `weights0`, `bias0`, `weights1` and so on."""
    count = sum(name.startswith("weights") for name in arrays)
    return Redrawer(
        tuple(np.asarray(arrays[f"weights{at}"], np.float32) for at in range(count)),
        tuple(np.asarray(arrays[f"bias{at}"], np.float32) for at in range(count)),
    )


@cache
def load_redrawer() -> Redrawer:
    """Return the network that comes with the package."""
    with np.load(_WEIGHTS, allow_pickle=False) as arrays:
        return redrawer_from(dict(arrays))


def redrawn(grey: Grey, redrawer: Redrawer) -> Grey:
    """Return a bilevel picture in grey, same size; where no ink is near, it stays white."""
    reach = redrawer.side // 2
    dark = np.pad((255 - grey).astype(np.float32) / 255.0, reach)
    near = cv2.dilate((grey < _WHITE).astype(np.uint8), np.ones((2 * _BLANK + 1,) * 2, np.uint8)) > 0
    squares = np.lib.stride_tricks.sliding_window_view(dark, (redrawer.side,) * 2)
    found = np.full(grey.shape, 255, np.uint8)
    for top in range(0, len(grey), _ROWS):
        rows = slice(top, top + _ROWS)
        inked = near[rows]
        if inked.any():
            chosen = squares[rows][inked].reshape(-1, redrawer.side**2)
            found[rows][inked] = np.rint(255.0 - 255.0 * redrawer.darkness(chosen)).astype(np.uint8)
    return found
