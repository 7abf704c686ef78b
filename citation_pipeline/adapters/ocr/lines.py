"""Where the lines of text are on an upright picture: the detector's map cut into boxes.

The detector weighs each spot against the whole picture, and so overlooks a lone word on an empty sheet. It is
therefore shown the page without its empty rows and margins, which costs less too.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from citation_pipeline.adapters.ocr.pictures import Grey

_STRIDE = 32  # the network halves its picture five times
_TEXT = 0.3  # probability from which a pixel is text: the network was trained for it
_LINE = 0.5  # mean probability from which a spot is a line
# The network marks lines shrunk by 0.4 of their height; this grows them back (its own post-processing).
_GROWTH = 1.6
_CELL = 4  # pixels: emptiness is judged in cells, so that a speck is not taken for ink
_KEPT = 6  # cells left empty around ink: an eighth of an inch at 200 dpi
_LEAST_INK = 0.2  # of a cell


@dataclass(frozen=True, eq=False)
class _Compact:
    """A picture without its empty rows and margins; `rows` and `columns` say where the kept ones were."""

    grey: Grey
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]

    def to_page(self, edges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (n, 4) edges on this picture as edges on the page."""
        moved = np.empty_like(edges)
        for at, kept in ((0, self.columns), (1, self.rows)):
            first = np.clip(np.floor(edges[:, at]), 0, len(kept) - 1).astype(np.int64)
            last = np.clip(np.ceil(edges[:, at + 2]) - 1, 0, len(kept) - 1).astype(np.int64)
            moved[:, at], moved[:, at + 2] = kept[first], kept[last] + 1
        return moved


def find_lines(detector: onnxruntime.InferenceSession, grey: Grey, *, side: int) -> NDArray[np.float64]:
    """Return (n, 4) edges of text lines in pixels, top to bottom; `side` is the longer side looked at."""
    compact = _compacted(grey)
    if compact is None:
        return np.zeros((0, 4))
    height, width = compact.grey.shape
    factor = min(side / max(grey.shape), 1.5)
    seen_height, seen_width = (_fitting(height * factor), _fitting(width * factor))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    seen = cv2.resize(compact.grey, (seen_width, seen_height), interpolation=method)
    values = seen.astype(np.float32) / 127.5 - 1.0
    batch = np.ascontiguousarray(np.broadcast_to(values, (1, 3, seen_height, seen_width)))
    chances = detector.run(None, {detector.get_inputs()[0].name: batch})[0][0, 0]
    edges = _boxes(chances) * np.array([width / seen_width, height / seen_height] * 2)
    edges = compact.to_page(edges)
    return np.asarray(edges[np.argsort(edges[:, 1], kind="stable")])


def _boxes(chances: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the edges of the spots on a map of probabilities, grown back to whole lines."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        (chances > _TEXT).astype(np.uint8), connectivity=4
    )
    sums = np.bincount(labels.ravel(), weights=chances.ravel(), minlength=count)
    left, top, wide, high, area = (stats[1:, at].astype(np.float64) for at in range(5))
    kept = (np.minimum(wide, high) >= 3) & (sums[1:] >= _LINE * area)
    growth = wide * high * _GROWTH / (2 * (wide + high))
    edges = np.stack([left - growth, top - growth, left + wide + growth, top + high + growth], axis=1)
    return np.asarray(edges[kept])


def _compacted(grey: Grey) -> _Compact | None:
    """Return the picture without what is empty, or None when all of it is."""
    _, dark = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    cells = (max(1, grey.shape[1] // _CELL), max(1, grey.shape[0] // _CELL))
    filled = cv2.resize(dark, cells, interpolation=cv2.INTER_AREA) > 255 * _LEAST_INK
    rows = _kept(np.asarray(filled.any(axis=1)), grey.shape[0])
    columns = _kept(np.asarray(filled.any(axis=0)), grey.shape[1])
    if not len(rows) or not len(columns):
        return None
    columns = np.arange(columns[0], columns[-1] + 1)  # only the margins: a gap between columns must stay one
    return _Compact(np.ascontiguousarray(grey[rows][:, columns[0] : columns[-1] + 1]), rows, columns)


def _kept(filled: NDArray[np.bool_], length: int) -> NDArray[np.int64]:
    """Return the pixels whose cell is filled or near a filled one."""
    near = np.convolve(filled, np.ones(2 * _KEPT + 1), mode="same") > 0 if len(filled) > 2 * _KEPT else filled
    pixels = np.minimum(np.arange(length) // _CELL, len(near) - 1)
    return np.flatnonzero(near[pixels])


def _fitting(length: float) -> int:
    return max(_STRIDE, round(length / _STRIDE) * _STRIDE)
