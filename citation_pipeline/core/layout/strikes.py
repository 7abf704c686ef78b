"""Lines through words: print that somebody struck out. What is struck out is read all the same.

An underline runs below the letters and a table's rule goes on beside them; a line through words keeps to the
middle of their boxes, and begins and ends with them.
"""

from collections.abc import Sequence

import numpy as np

from citation_pipeline.core.layout.parts import Part
from citation_pipeline.core.layout.sheets import Sheet

_MIDDLE = (0.25, 0.75)  # of a word's height, where the line is
_CROSSED = 0.6  # of a word's width
_BEYOND = 1.5  # times the words' height that a pen goes on beside them
_LEAST_LETTERS = 2  # a lone sign is crossed by any line: a dash, a plus, a bar of a form
_MOST_RULES = 400  # a page of charts or tiles


def find_strikes(sheet: Sheet) -> list[Part]:
    """Return a figure without words, one point high, through the middle of each word that is struck out."""
    across = sheet.rules.across
    if not len(across) or not len(sheet.words) or len(across) > _MOST_RULES:
        return []
    left, top, right, bottom = sheet.words.edges.T
    height = bottom - top
    struck = np.zeros(len(sheet.words), np.bool_)
    for y, start, end in across.tolist():
        depth = (y - top) / np.maximum(height, 1e-6)
        inside = np.minimum(right, end) - np.maximum(left, start)
        crossed = (
            (sheet.words.turns == 0)
            & (depth >= _MIDDLE[0])
            & (depth <= _MIDDLE[1])
            & (inside >= _CROSSED * (right - left))
        )
        crossed[[at for at in np.flatnonzero(crossed).tolist() if not _is_word(sheet.words.texts[at])]] = (
            False
        )
        if crossed.any():
            room = _BEYOND * float(np.median(height[crossed]))
            if start >= left[crossed].min() - room and end <= right[crossed].max() + room:
                struck |= crossed
    # a scan was levelled for its layout; its words stay where they are on the paper
    places = sheet.words.edges if sheet.turns else sheet.paper_edges
    return [_through(places[at].tolist()) for at in np.flatnonzero(struck)]


def _is_word(text: str) -> bool:
    return len(text) >= _LEAST_LETTERS and any(map(str.isalnum, text))


def _through(edges: Sequence[float]) -> Part:
    left, top, right, bottom = edges
    y = (top + bottom) / 2
    return Part("Figure", (left, y - 0.5, right, y + 0.5), ())
