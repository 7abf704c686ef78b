"""Where the lines of text are on an upright picture: the detector's map cut into boxes."""

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


def find_lines(detector: onnxruntime.InferenceSession, grey: Grey, *, side: int) -> NDArray[np.float64]:
    """Return (n, 4) edges of text lines in pixels, top to bottom; `side` is the longer side looked at."""
    height, width = grey.shape
    factor = min(side / max(height, width), 1.5)
    seen_height, seen_width = (_fitting(height * factor), _fitting(width * factor))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    seen = cv2.resize(grey, (seen_width, seen_height), interpolation=method)
    values = seen.astype(np.float32) / 127.5 - 1.0
    batch = np.ascontiguousarray(np.broadcast_to(values, (1, 3, seen_height, seen_width)))
    chances = detector.run(None, {detector.get_inputs()[0].name: batch})[0][0, 0]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        (chances > _TEXT).astype(np.uint8), connectivity=4
    )
    sums = np.bincount(labels.ravel(), weights=chances.ravel(), minlength=count)
    left, top, wide, high, area = (stats[1:, at].astype(np.float64) for at in range(5))
    kept = (np.minimum(wide, high) >= 3) & (sums[1:] >= _LINE * area)
    growth = wide * high * _GROWTH / (2 * (wide + high))
    edges = np.stack([left - growth, top - growth, left + wide + growth, top + high + growth], axis=1)[kept]
    edges *= np.array([width / seen_width, height / seen_height] * 2)
    edges = np.clip(edges, 0, np.array([width, height] * 2))
    return np.asarray(edges[np.argsort(edges[:, 1], kind="stable")])


def _fitting(length: float) -> int:
    return max(_STRIDE, round(length / _STRIDE) * _STRIDE)
