"""Scanned pages that lie askew: how far their lines climb, and the same page with level lines.

Only what layout compares is straightened; the words' own boxes stay where they are on the paper.
"""

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import EdgeArray, PageWords

_ENOUGH_PAIRS = 12
_SLOPE_STEP = 0.0005
_ENOUGH_RULE = 400.0  # points; less is an underline or two
_STEEPEST = 0.09  # five degrees; beyond that the recognizer has turned the page or failed
_LEVEL = 0.0015  # a point and a half over the page's width mixes no lines
_LIKE_WORDS = (
    0.01  # what rules and words may differ in slope: else the rules are the rim of a shade or a stamp
)
_ENOUGH_LETTERS, _FEWEST_TYPED = 4, 12  # letters of a word that tells a pitch, and such words of a page
_ONE_PITCH, _TYPED = (
    0.05,
    0.75,
)  # so much may a pitch differ, of so many: of other print it does in half the words
_SIDES, _THINNEST = 0.3, 0.4  # of a place: what first and last letter leave blank, and the ink of an `l`
_PLACE = 0.6  # of the size: a letter's place in all usual faces of one pitch


def slope_of_page(words: PageWords, rulings: EdgeArray) -> float:
    """Return how far a page's lines sink per point to the right: its rules tell best, if its words agree."""
    ruled, written = slope_of_rules(rulings), slope_of(words)
    if ruled is None or written is not None and abs(ruled - written) > _LIKE_WORDS:
        return written or 0.0
    return ruled


def slope_of(words: PageWords) -> float | None:
    """Return how far lines sink per point to the right, from words that follow one another; 0 when level,
    None where too few do."""
    if len(words) < _ENOUGH_PAIRS:
        return None
    edges = words.edges
    x, bottom, tall = edges[:, 0], edges[:, 3], edges[:, 3] - edges[:, 1]
    order = np.lexsort((x, np.round(bottom / max(float(np.median(tall)), 1.0))))
    a, b = order[:-1], order[1:]
    gap = edges[b, 0] - edges[a, 2]
    near = (gap > 0) & (gap < 1.5 * tall[a]) & (np.abs(tall[a] - tall[b]) < 0.35 * tall[a])
    near &= np.abs(bottom[a] - bottom[b]) < 0.5 * tall[a]
    if near.sum() < _ENOUGH_PAIRS:
        return None
    a, b = a[near], b[near]
    middle_a, middle_b = (edges[a, 0] + edges[a, 2]) / 2, (edges[b, 0] + edges[b, 2]) / 2
    # descenders move the bottom, ascenders the top: the median of many pairs does not see them
    steps = ((bottom[b] + edges[b, 1]) - (bottom[a] + edges[a, 1])) / 2 / (middle_b - middle_a)
    slope = float(np.median(steps))
    return slope if _LEVEL < abs(slope) < _STEEPEST else 0.0


def straighten_edges(edges: EdgeArray, slope: float, *, width: float, height: float) -> EdgeArray:
    """Return edges as they would lie on a level page: turned about its middle by the slope."""
    if not slope or not len(edges):
        return edges
    x = (edges[:, 0] + edges[:, 2]) / 2 - width / 2
    y = (edges[:, 1] + edges[:, 3]) / 2 - height / 2
    down, right = (-slope * x)[:, None], (slope * y)[:, None]
    level: EdgeArray = edges + np.concatenate([right, down, right, down], axis=1)
    return level


def slope_of_rules(rulings: EdgeArray) -> float | None:
    """Return how far flat rules sink per point to the right, or None when there are too few to tell.

    A skewed rule is a flight of steps on a scan; at the right slope the steps of each rule are level.
    """
    flat = rulings[(rulings[:, 2] - rulings[:, 0]) > 3 * (rulings[:, 3] - rulings[:, 1])]
    lengths = flat[:, 2] - flat[:, 0]
    if lengths.sum() < _ENOUGH_RULE:
        return None
    x, y = (flat[:, 0] + flat[:, 2]) / 2, (flat[:, 1] + flat[:, 3]) / 2
    best, sharpest = 0.0, -1.0
    steps = round(_STEEPEST / _SLOPE_STEP)
    # from level outwards: rules that lie one under the other look as sharp at every slope
    for slope in sorted(np.arange(-steps, steps + 1) * _SLOPE_STEP, key=abs):
        level = np.round(y - slope * x).astype(np.int64)
        heights = np.bincount(level - level.min(), weights=lengths)
        # neighbouring heights belong together: a rule is a few pixels thick
        sharp = float((heights**2).sum() + (heights[1:] * heights[:-1]).sum())
        if sharp > sharpest * 1.0001:
            best, sharpest = float(slope), sharp
    return best


def typed_places(words: PageWords) -> tuple[EdgeArray, NDArray[np.float64]]:
    """Return the words' edges, a typewriter's words as wide as the places of their letters, and what size
    they have at least, 0 where none is known.

    The ink of "I" ends so far from the next word's as two columns of other print are apart.
    """
    edges, none = words.edges, np.zeros(len(words))
    lengths = np.array([len(text) for text in words.texts], np.float64)
    wide = edges[:, 2] - edges[:, 0]
    telling = (lengths >= _ENOUGH_LETTERS) & (words.turns == 0)
    if telling.sum() < _FEWEST_TYPED:
        return edges, none
    pitch = float(np.median((wide / (lengths - _SIDES))[telling]))
    typed = np.abs(wide - (lengths - _SIDES) * pitch) < _ONE_PITCH * lengths * pitch
    if typed[telling].mean() < _TYPED:
        return edges, none
    places = lengths * pitch
    typed |= (lengths < _ENOUGH_LETTERS) & (wide > _THINNEST * places)
    typed &= words.turns == 0
    blank = np.where(typed, np.maximum(places - wide, 0.0) / 2, 0.0)
    widened = edges + np.outer(blank, [-1.0, 0.0, 1.0, 0.0])
    return widened, np.where(typed, pitch / _PLACE, 0.0)
