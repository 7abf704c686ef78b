"""Words of a text layer that were printed over one another: of those a reader sees one, or neither."""

import numpy as np

from citation_pipeline.core.layout.content import PageWords

_BAND = 6.0  # points between the middles of words of one line, at most
_LEVEL = 0.3  # of the smaller size
_SHARED = 0.5  # of the shorter word's length
_ALIKE = 0.5  # of the other's size: a watermark over small print is no second reading of it
_LETTERS = 2  # an accent or a cross in a box is drawn over other print on purpose


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


def _has_letters(text: str) -> bool:
    if len(text) < _LETTERS or text.isalnum():  # nearly every word is decided by this
        return len(text) >= _LETTERS
    return sum(map(str.isalnum, text)) >= _LETTERS


def _reads_alike(one: str, other: str) -> bool:
    """Tell whether one word is the other or a part of it: print struck twice, a sign set beside it."""
    return one in other or other in one
