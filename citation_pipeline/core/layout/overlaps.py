"""Words printed over one another: of two in one place a reader sees one, or neither; large ones (VOID, COPY)
run across the lines of a page."""

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.characters import UNSEEN, Characters
from citation_pipeline.core.layout.content import PageWords

_BAND = 6.0  # points between the middles of words of one line, at most
_LEVEL = 0.3  # of the smaller size
_SHARED = 0.5  # of the shorter word's length
_ALIKE = 0.5  # of the other's size: a watermark over small print is no second reading of it
_OVERTYPED = 0.35  # of a figure's width, how far apart two in one place begin
_NO_WIDTH = 0.9  # of its size: so wide are letters of a font whose widths are not known
_LETTERS = 2  # an accent or a cross in a box is drawn over other print on purpose
_LINES, _RIM = 2.0, 0.2  # sizes of usual print that such a word is high, and the share of it that is no ink
_ASLANT = 1.6  # of its own size: level print is no higher
_FEWEST_ACROSS = 3  # letters: signs of formulas are as large
_MOST_ACROSS = 400  # words that are looked at: more is a poster


def overlapping_words(words: PageWords) -> list[tuple[int, int]]:
    """Return pairs of words that lie in one place on the same line, each pair once.

    Signs (dots of a leader, a blank's underscores) are no words here: values are written over them.
    """
    printed = [n for n, text in enumerate(words.texts) if _has_letters(text)]
    at = np.array(printed, np.int64)
    if len(at) < 2:
        return []
    edges = words.edges[at].copy()
    upright = words.turns[at] % 2 == 0
    edges[~upright] = edges[~upright][:, [1, 0, 3, 2]]  # along, across, along, across
    sizes, turns = words.sizes[at], words.turns[at]
    middles = (edges[:, 1] + edges[:, 3]) / 2
    found: set[tuple[int, int]] = set()
    for shift in (0.0, _BAND / 2):  # two ways of cutting into bands: near middles share one of them
        bands = np.floor((middles + shift) / _BAND)
        order = np.lexsort((edges[:, 0], bands, turns))
        a, b = order[:-1], order[1:]
        shared = np.minimum(edges[a, 2], edges[b, 2]) - edges[b, 0]
        lengths = np.minimum(edges[a, 2] - edges[a, 0], edges[b, 2] - edges[b, 0])
        small, large = np.minimum(sizes[a], sizes[b]), np.maximum(sizes[a], sizes[b])
        over = (
            (shared > _SHARED * lengths)
            & (bands[a] == bands[b])
            & (turns[a] == turns[b])
            & (np.abs(middles[a] - middles[b]) < _LEVEL * small)
            & (small > _ALIKE * large)
        )
        for one, other in zip(at[a[over]].tolist(), at[b[over]].tolist(), strict=True):
            if not _reads_alike(words.texts[one], words.texts[other]):
                found.add((min(one, other), max(one, other)))
    return sorted(found)


def overtyped_figures(characters: Characters) -> list[tuple[int, int]]:
    """Return pairs of different figures that are printed in one place, as positions of characters."""
    codes = characters.codes
    at = np.flatnonzero((codes >= ord("0")) & (codes <= ord("9")) & (characters.hidden != UNSEEN))
    if len(at) < 2:
        return []
    edges, sizes = characters.edges[at], characters.sizes[at]
    usual = edges[:, 2] - edges[:, 0] < _NO_WIDTH * sizes
    at, edges, sizes = at[usual], edges[usual], sizes[usual]
    base, turns = characters.baselines[at], characters.turns[at]
    found: set[tuple[int, int]] = set()
    for shift in (0.0, _BAND / 2):
        bands = np.floor((base + shift) / _BAND)
        order = np.lexsort((edges[:, 0], bands, turns))
        a, b = order[:-1], order[1:]
        widths = np.minimum(edges[a, 2] - edges[a, 0], edges[b, 2] - edges[b, 0])
        small = np.minimum(sizes[a], sizes[b])
        over = (
            (np.abs(edges[b, 0] - edges[a, 0]) < _OVERTYPED * widths)
            & (np.abs(base[a] - base[b]) < _LEVEL * small)
            & (small > _ALIKE * np.maximum(sizes[a], sizes[b]))
            & (bands[a] == bands[b])
            & (turns[a] == turns[b])
            & (codes[at[a]] != codes[at[b]])
        )
        found |= set(zip(at[a[over]].tolist(), at[b[over]].tolist(), strict=True))
    return sorted(found)


def words_across(words: PageWords) -> NDArray[np.bool_]:
    """Mark words that lie across several lines of smaller ones, large ones set aslant, and the same words
    elsewhere on the page."""
    across = np.zeros(len(words), np.bool_)
    if not len(words):
        return across
    wide, tall = (words.edges[:, 2:] - words.edges[:, :2]).T
    usual = float(np.median(words.sizes))
    large = np.minimum(wide, tall) > _LINES * usual
    candidates = [
        at
        for at in np.flatnonzero(large).tolist()[:_MOST_ACROSS]
        if sum(map(str.isalpha, words.texts[at])) >= _FEWEST_ACROSS
    ]
    if not candidates:
        return across
    small = words.edges[~large]
    x, y = (small[:, 0] + small[:, 2]) / 2, (small[:, 1] + small[:, 3]) / 2
    for at in candidates:
        left, top, right, bottom = words.edges[at].tolist()
        rim = _RIM * (bottom - top)
        under = y[(x > left) & (x < right) & (y > top + rim) & (y < bottom - rim)]
        size = float(words.sizes[at])
        is_aslant = size > _LINES * usual and min(right - left, bottom - top) > _ASLANT * size
        across[at] = is_aslant or len(under) > 1 and float(np.ptp(under)) > usual
    texts = {words.texts[at] for at in np.flatnonzero(across).tolist()}
    across[[at for at in candidates if words.texts[at] in texts]] = True
    return across


def _has_letters(text: str) -> bool:
    if text.isdigit():
        return True  # one figure set over another is a correction
    if len(text) < _LETTERS or text.isalnum():  # nearly every word is decided by this
        return len(text) >= _LETTERS
    return sum(map(str.isalnum, text)) >= _LETTERS


def _reads_alike(one: str, other: str) -> bool:
    """Tell whether one word is the other or a part of it: print struck twice, a sign set beside it."""
    return one in other or other in one
