"""Signs that are drawn beside figures and not printed: a minus, a point, a figure, letters. Words lack them.

Only geometry: a short level line in the middle of figures' height before them, a dot or a comma on their
baseline, one or a few shapes of their height that stand where letters would. A rule is longer, an underline
lower, a bullet farther away, a frame's parts touch what is larger.
"""

import re

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import Drawings, EdgeArray, PageWords

_MOST_SHAPES = 3_000  # a map, a chart, a drawing of lines
_MOST_SMALL = 400  # dots and dashes: a drawing, leaders, a hatching
_LARGEST = 18.0  # points
_HAS_FIGURE = re.compile(r"\d").search
_DESCENT = 0.24  # of a word's height, below its baseline
# shares of a word's size
_DASH, _FLAT, _DASH_HEIGHT, _BEFORE = (0.2, 0.9), 0.24, (0.14, 0.5), (-0.1, 0.4)
_DOT, _DOT_LOW, _DOT_HIGH, _DOT_ASIDE = (0.05, 0.24), -0.08, 0.14, 0.3
_COMMA, _COMMA_FOOT = (0.24, 0.45), (-0.3, 0.0)
_TALL, _FOOT, _NEAR = (0.55, 1.5), (-0.4, 0.2), 0.6
# a ring to be ticked and a bar between words stand farther off than a letter
_ROUND, _THIN, _NEARER = (0.85, 1.18), 0.25, 0.35
_LONGEST = 3.0  # of the height: a few letters
_TOUCH = 0.7  # points: what touches something larger is a tick of an axis, a frame, a leader
_ASIDE = 0.4  # of the height, between the parts of one sign


def words_beside_signs(words: PageWords, drawings: Drawings) -> NDArray[np.bool_]:
    """Mark level words with figures that a drawn sign belongs to."""
    beside = np.zeros(len(words), np.bool_)
    shapes = np.concatenate([drawings.rulings, drawings.fills, drawings.diagonals, drawings.scribbles])
    if not len(shapes) or len(shapes) > _MOST_SHAPES or not len(words):
        return beside
    is_small = (shapes[:, 2:] - shapes[:, :2]).max(axis=1) <= _LARGEST
    small = shapes[is_small]
    if not len(small) or len(small) > _MOST_SMALL:
        return beside
    figures = np.array([_HAS_FIGURE(text) is not None for text in words.texts], np.bool_) & (words.turns == 0)
    at = np.flatnonzero(figures)
    if not len(at):
        return beside
    larger = np.concatenate([shapes[~is_small], drawings.boxes])
    near = small[_are_near(small, words.edges[at], words.sizes[at])]
    for edges in _signs(near, small, larger):
        beside[at[_belongs(edges, words.edges[at], words.sizes[at])]] = True
    return beside


def _signs(near: EdgeArray, small: EdgeArray, larger: EdgeArray) -> list[NDArray[np.float64]]:
    """Return the edges of what small shapes near figures make together, but for what touches larger ones."""
    signs: list[NDArray[np.float64]] = []
    left = near
    while len(left):
        sign, left = left[0], left[1:]
        grown = True
        while grown:
            room = max(_TOUCH, _ASIDE * (sign[3] - sign[1]))
            parts = small[_touch(sign, small, room)]
            whole = np.concatenate(
                [
                    np.minimum(sign[:2], parts[:, :2].min(axis=0)),
                    np.maximum(sign[2:], parts[:, 2:].max(axis=0)),
                ]
            )
            grown = bool((whole != sign).any())
            sign = whole
        left = left[~_touch(sign, left, 0.0)]
        if not (_touch(sign, larger, _TOUCH) & ~_holds(larger, sign)).any():
            signs.append(sign)
    return signs


def _are_near(shapes: EdgeArray, words: EdgeArray, sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark the shapes that are on a line with a word and beside it: few are."""
    middles = (shapes[:, 1] + shapes[:, 3])[:, None] / 2
    near: NDArray[np.bool_] = (
        (middles > words[:, 1])
        & (middles < words[:, 3])
        & (shapes[:, 2, None] > words[:, 0] - _NEAR * sizes)
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
    dot = _in(tall, _DOT) & _in(foot, (_DOT_LOW, _DOT_HIGH))
    comma = _in(tall, _COMMA) & _in(foot, _COMMA_FOOT)
    point = _in(wide, _DOT) & (dot | comma) & (before <= _DOT_ASIDE) & (behind <= _DOT_ASIDE)
    shape = wide / np.maximum(tall, 1e-6)
    room = np.where(_in(shape, _ROUND) | (shape < _THIN), _NEARER, _NEAR)
    aside = np.maximum(before, behind)
    letters = (
        _in(tall, _TALL) & (wide < _LONGEST * tall) & _in(foot, _FOOT) & (aside >= -0.1) & (aside <= room)
    )
    found: NDArray[np.bool_] = dash | point | letters
    return found


def _in(numbers: NDArray[np.float64], bounds: tuple[float, float]) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (numbers >= bounds[0]) & (numbers <= bounds[1])
    return inside


def _touch(edges: NDArray[np.float64], shapes: EdgeArray, room: float) -> NDArray[np.bool_]:
    """Mark the shapes that touch one, or are not farther than some room beside it."""
    near: NDArray[np.bool_] = (
        (shapes[:, 0] <= edges[2] + room)
        & (shapes[:, 2] >= edges[0] - room)
        & (shapes[:, 1] <= edges[3] + _TOUCH)
        & (shapes[:, 3] >= edges[1] - _TOUCH)
    )
    return near


def _holds(shapes: EdgeArray, edges: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark the shapes that a sign is inside of, away from their frame: cells and panels."""
    left, top, right, bottom = (edges + [-_TOUCH, -_TOUCH, _TOUCH, _TOUCH]).tolist()
    held: NDArray[np.bool_] = (
        (shapes[:, 0] < left) & (shapes[:, 1] < top) & (shapes[:, 2] > right) & (shapes[:, 3] > bottom)
    )
    return held
