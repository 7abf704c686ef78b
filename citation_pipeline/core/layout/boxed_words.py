"""Checkboxes of a scan among its recognized words: which are letters, and which a word's box reaches over.

A recognizer's box of "Yes" often begins at the checkbox before it, though only the letters were read.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from citation_pipeline.core.layout.content import PageWords, Tick

_BOX_SIGNS = frozenset("□☐☑☒口囗回囚冈凶X×xVvYM[]|")  # what a checkbox is taken for, or the mark in it
_READ = 0.7  # a letter surer than this was printed
_OF_A_LINE = 0.3  # ideographs surer than this
_REACHES = 0.7  # of the square's side: a cross reaches out of its square, and the word's box with it
_LEAST_REST = 0.5  # of the side: room for the letters of the word


def separate_boxes(ticks: Sequence[Tick], words: PageWords) -> tuple[list[Tick], PageWords]:
    """Return the checkboxes that are no letters, and the words, their boxes cut back to beside those."""
    kept: list[Tick] = []
    edges = words.edges.copy()
    for tick in ticks:
        cuts: list[tuple[int, int, float]] = []
        for at in _over(tick, words):
            cut = _cut(tick, words.edges[at].tolist())
            if _is_letter(words.texts[at], float(words.confidences[at]), alone=cut is None):
                break
            if cut is not None:
                if len(words.texts[at]) > 2 and not tick.is_whole:
                    break
                cuts.append((at, *cut))
        else:
            kept.append(tick)
            for at, side, value in cuts:
                edges[at, side] = value
    return kept, replace(words, edges=edges)


def _over(tick: Tick, words: PageWords) -> list[int]:
    """Return the upright words whose box has the middle of a square in it."""
    left, top, right, bottom = words.edges.T
    x, y = (tick.edges[0] + tick.edges[2]) / 2, (tick.edges[1] + tick.edges[3]) / 2
    over = (left <= x) & (x <= right) & (top <= y) & (y <= bottom) & (words.turns == 0)
    return [int(at) for at in np.flatnonzero(over)]


def _cut(tick: Tick, edges: Sequence[float]) -> tuple[int, float] | None:
    """Return which edge of a word to move and where to, when the square is at one of its ends."""
    left, _, right, _ = tick.edges
    side = right - left
    if left < edges[0] + _REACHES * side and right < edges[2] - _LEAST_REST * side:
        return 0, right + 0.05 * side
    if right > edges[2] - _REACHES * side and left > edges[0] + _LEAST_REST * side:
        return 2, left - 0.05 * side
    return None


def _is_letter(text: str, confidence: float, *, alone: bool) -> bool:
    """Tell whether what was read at a square was printed there."""
    if any(_is_ideograph(sign) for sign in text):
        return confidence > _OF_A_LINE
    if np.isnan(confidence):
        return text not in _BOX_SIGNS
    return alone and len(text) <= 2 and text.isalnum() and text not in _BOX_SIGNS and confidence >= _READ


def _is_ideograph(sign: str) -> bool:
    return sign not in _BOX_SIGNS and unicodedata.category(sign) == "Lo" and sign >= "\u1100"
