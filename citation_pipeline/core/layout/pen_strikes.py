"""Words that a pen strikes out: a slash, a cross, a scribble; a large cross strikes out all that is below it.

Level lines are `strikes`'. What goes around words, beneath them or far beyond them (a circle, a wavy
underline, a line of a chart) strikes nothing out, nor does what curves over a name: it may be signed.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import Drawings, EdgeArray, PageWords

_CORE = (0.2, 0.9)  # of a word's height, from its top
_COLUMNS, _LEAST_CROSSED = 12, 0.5  # into which a word's width is cut, and the share of these that is crossed
_BEYOND, _ABOVE = 1.5, 1.3  # heights of the words that a pen goes on beside them, and above or below
_STEP = 0.5  # points
_BENT = 4.0
_MOST_POINTS = 4_000  # of one stroke
_MOST_STROKES = 200  # a drawing
_SAME = 0.6  # of the area of both lines of a large cross that they share
_LEAST_CROSS = 24.0  # points: smaller ones are in checkboxes

Stroke = NDArray[np.float64]
"""Points (n, 2) of a line that a pen draws, in the paper frame."""


def find_struck(words: PageWords, strokes: Sequence[Stroke]) -> tuple[NDArray[np.bool_], EdgeArray]:
    """Mark the words that strokes strike out, and return the edges of those strokes."""
    struck = np.zeros(len(words), np.bool_)
    used: list[NDArray[np.float64]] = []
    if not len(words) or not 0 < len(strokes) <= _MOST_STROKES:
        return struck, np.zeros((0, 4))
    bounds = [_around(stroke) for stroke in strokes]
    # a cross over a single letter ticks it; over a single figure it strikes it out
    written = np.array(
        [text.isdigit() or (len(text) > 1 and any(map(str.isalnum, text))) for text in words.texts], np.bool_
    ) & (words.turns == 0)
    figures = written & np.array([any(map(str.isdigit, text)) for text in words.texts], np.bool_)
    for stroke, edges in zip(strokes, bounds, strict=True):
        near = written if len(stroke) == 2 else figures
        found = _crossed(words, near & _overlap(words.edges, edges), stroke)
        if found.any() and _keeps_to(edges, words.edges[found]):
            struck |= found
            used.append(edges)
    for edges in _crosses(strokes, bounds):
        inside = _centres_in(words.edges, edges) & (words.turns == 0)
        if inside.any():
            struck |= inside
            used.append(edges)
    return struck, np.array(used).reshape(-1, 4)


def with_strikes(words: PageWords, drawings: Drawings) -> Drawings:
    """Return what a page draws, with a level line for the strokes through a word that a pen strikes out."""
    struck, used = find_struck(words, drawings.strokes)
    if not struck.any():
        return drawings
    left, top, right, bottom = words.edges[struck].T
    middle = (top + bottom) / 2
    lines = np.column_stack([left, middle, right, middle])
    return replace(
        drawings,
        rulings=np.concatenate([drawings.rulings, lines]),
        scribbles=_without(drawings.scribbles, used),
        diagonals=_without(drawings.diagonals, used),
    )


def _without(shapes: EdgeArray, used: EdgeArray) -> EdgeArray:
    """Return the shapes that are none of some; a curve's edges may be those of the points that bend it."""
    rest = np.ones(len(shapes), np.bool_)
    for left, top, right, bottom in (used + [-_BENT, -_BENT, _BENT, _BENT]).tolist():
        rest &= ~(
            (shapes[:, 0] >= left)
            & (shapes[:, 1] >= top)
            & (shapes[:, 2] <= right)
            & (shapes[:, 3] <= bottom)
        )
    return shapes[rest]


def _around(points: Stroke) -> NDArray[np.float64]:
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def _overlap(edges: EdgeArray, area: NDArray[np.float64]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (
        (edges[:, 0] < area[2]) & (edges[:, 2] > area[0]) & (edges[:, 1] < area[3]) & (edges[:, 3] > area[1])
    )
    return found


def _crossed(words: PageWords, near: NDArray[np.bool_], stroke: Stroke) -> NDArray[np.bool_]:
    """Mark the words of some through whose middle a stroke goes along half of their length."""
    crossed = np.zeros(len(words), np.bool_)
    if not near.any():
        return crossed
    x, y = _dense(stroke).T
    for at in np.flatnonzero(near).tolist():
        left, top, right, bottom = words.edges[at].tolist()
        tall = bottom - top
        inside = (x > left) & (x < right) & (y > top + _CORE[0] * tall) & (y < top + _CORE[1] * tall)
        columns = ((x[inside] - left) / (right - left) * _COLUMNS).astype(np.int64)
        crossed[at] = len(np.unique(columns)) >= _LEAST_CROSSED * _COLUMNS
    return crossed


def _dense(stroke: Stroke) -> Stroke:
    """Return a stroke's points and so many between them that no column of a word is jumped over."""
    lengths = np.hypot(*np.diff(stroke, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    count = min(int(along[-1] / _STEP) + 2, _MOST_POINTS)
    at = np.linspace(0.0, along[-1], count)
    return np.column_stack([np.interp(at, along, stroke[:, 0]), np.interp(at, along, stroke[:, 1])])


def _keeps_to(edges: NDArray[np.float64], words: EdgeArray) -> bool:
    """Tell whether a stroke is about some words: it goes little beyond them."""
    left, top = words[:, :2].min(axis=0)
    right, bottom = words[:, 2:].max(axis=0)
    tall = float(np.median(words[:, 3] - words[:, 1]))
    return bool(
        edges[0] >= left - _BEYOND * tall
        and edges[2] <= right + _BEYOND * tall
        and edges[1] >= top - _ABOVE * tall
        and edges[3] <= bottom + _ABOVE * tall
    )


def _crosses(strokes: Sequence[Stroke], bounds: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return the areas of large crosses: two straight lines that are the diagonals of one area."""
    lines = [
        (edges, bool((stroke[1, 0] > stroke[0, 0]) == (stroke[1, 1] > stroke[0, 1])))
        for stroke, edges in zip(strokes, bounds, strict=True)
        if len(stroke) == 2 and min(edges[2] - edges[0], edges[3] - edges[1]) >= _LEAST_CROSS
    ]
    found = []
    for number, (one, falls) in enumerate(lines):
        for other, falls_too in lines[:number]:
            low, high = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
            shared = float(np.prod(np.maximum(high - low, 0.0)))
            if falls != falls_too and shared >= _SAME * max(_area(one), _area(other)):
                found.append(np.concatenate([low, high]))
    return found


def _area(edges: NDArray[np.float64]) -> float:
    return float((edges[2] - edges[0]) * (edges[3] - edges[1]))


def _centres_in(edges: EdgeArray, area: NDArray[np.float64]) -> NDArray[np.bool_]:
    x, y = (edges[:, 0] + edges[:, 2]) / 2, (edges[:, 1] + edges[:, 3]) / 2
    inside: NDArray[np.bool_] = (x > area[0]) & (x < area[2]) & (y > area[1]) & (y < area[3])
    return inside
