"""Signs that are drawn beside figures and not printed: a minus, a point, a figure. The words lack them.

Only geometry: a short level line in the middle of figures' height before them, a dot on their baseline, an
upright stroke or a shape of their height. A rule is longer, an underline lower, a bullet farther away.
"""

import re

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import Drawings, EdgeArray, PageWords

_MOST_SHAPES = 3_000  # a map, a chart, a drawing of lines
_MOST_SMALL = 400  # dots and dashes: a drawing, leaders, a hatching
_LARGEST = 14.0  # points
_HAS_FIGURE = re.compile(r"\d").search
_DESCENT = 0.24  # of a word's height, below its baseline
# shares of a word's size
_DASH, _FLAT, _DASH_HEIGHT, _BEFORE = (0.2, 0.75), 0.16, (0.14, 0.5), (-0.1, 0.4)
_DOT, _DOT_LOW, _DOT_HIGH, _DOT_ASIDE = (0.05, 0.24), -0.08, 0.14, 0.3
_TALL, _FOOT, _NEAR = (0.55, 0.95), 0.15, 0.35
_TOUCH = 0.7  # points: what touches another line is a tick of an axis, a frame, a leader


def words_beside_signs(words: PageWords, drawings: Drawings) -> NDArray[np.bool_]:
    """Mark level words with figures that a drawn sign belongs to."""
    beside = np.zeros(len(words), np.bool_)
    shapes = np.concatenate([drawings.rulings, drawings.fills, drawings.diagonals, drawings.scribbles])
    if not len(shapes) or len(shapes) > _MOST_SHAPES or not len(words):
        return beside
    small = shapes[(shapes[:, 2:] - shapes[:, :2]).max(axis=1) <= _LARGEST]
    if not len(small) or len(small) > _MOST_SMALL:
        return beside
    figures = np.array([_HAS_FIGURE(text) is not None for text in words.texts], np.bool_) & (words.turns == 0)
    at = np.flatnonzero(figures)
    if not len(at):
        return beside
    others = np.concatenate([shapes, drawings.boxes])
    for edges in small[_are_near(small, words.edges[at], words.sizes[at])]:
        found = at[_belongs(edges, words.edges[at], words.sizes[at])]
        if len(found) and not _touches(edges, others):
            beside[found] = True
    return beside


def _are_near(shapes: EdgeArray, words: EdgeArray, sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark the shapes that are on a line with a word and beside it: few are."""
    middles = (shapes[:, 1] + shapes[:, 3])[:, None] / 2
    near: NDArray[np.bool_] = (
        (middles > words[:, 1])
        & (middles < words[:, 3])
        & (shapes[:, 2, None] > words[:, 0] - _BEFORE[1] * sizes)
        & (shapes[:, 0, None] < words[:, 2] + _NEAR * sizes)
    )
    return np.asarray(near.any(axis=1))


def _belongs(edges: NDArray[np.float64], words: EdgeArray, sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    left, top, right, bottom = edges.tolist()
    wide, tall = (right - left) / sizes, (bottom - top) / sizes
    base = words[:, 3] - _DESCENT * (words[:, 3] - words[:, 1])
    above = (base - (top + bottom) / 2) / sizes
    before, behind = (words[:, 0] - right) / sizes, (left - words[:, 2]) / sizes
    foot = (base - bottom) / sizes
    dash = _in(wide, _DASH) & (tall <= _FLAT) & _in(above, _DASH_HEIGHT) & _in(before, _BEFORE)
    dot = (
        _in(wide, _DOT)
        & _in(tall, _DOT)
        & _in(foot, (_DOT_LOW, _DOT_HIGH))
        & (before <= _DOT_ASIDE)
        & (behind <= _DOT_ASIDE)
    )
    figure = (
        _in(tall, _TALL)
        & (wide < 0.9 * tall)
        & _in(foot, (-_FOOT, _FOOT))
        & (_in(before, (-0.1, _NEAR)) | _in(behind, (-0.1, _NEAR)))
    )
    found: NDArray[np.bool_] = dash | dot | figure
    return found


def _in(numbers: NDArray[np.float64], bounds: tuple[float, float]) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (numbers >= bounds[0]) & (numbers <= bounds[1])
    return inside


def _touches(edges: NDArray[np.float64], shapes: EdgeArray) -> bool:
    """Tell whether a shape touches another one; it may be listed twice itself (stroked and filled)."""
    near = (
        (shapes[:, 0] <= edges[2] + _TOUCH)
        & (shapes[:, 2] >= edges[0] - _TOUCH)
        & (shapes[:, 1] <= edges[3] + _TOUCH)
        & (shapes[:, 3] >= edges[1] - _TOUCH)
    )
    same = np.abs(shapes - edges).max(axis=1) < 0.5
    return bool((near & ~same).any())
