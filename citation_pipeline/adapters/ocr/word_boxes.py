"""From a line's characters and its ink to words with boxes that end where the ink ends.

The recognizer knows the letters but only roughly where they are; the ink knows exactly where, but not what
it is. Spaces come from both: the recognizer misses the wide gap between two columns of a form.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.ocr.recognition import Character

Ink = NDArray[np.bool_]

# All lengths below are shares of the line picture's height, which is about 1.4 times the letters' own.
_COLUMN_GAP = 0.42  # no gap inside a word is this wide
_LEAST_SPACE = 0.2  # narrower than any space of a font: what a missed space must have at least
_OF_USUAL_SPACE = 0.8  # and this much of the spaces that were read on the same line
_OUTSIDE_GAP = 0.3  # ink beyond such a gap at a line's end belongs to its neighbour
_NUMERIC = "0123456789.,:/-$%"
_RAISED, _LOWEST, _HIGHEST = (
    0.3,
    0.3,
    0.75,
)  # of the tallest letter: a raised figure's foot, its least and most
_MOST_RAISED, _KERNED = 2, 0.2  # figures, and how far one may reach over the letter before it
_LOW = ",.:-"
_FIGURES = frozenset("0123456789/$€£()" + _LOW)
_MIXED = 0.7  # of letters that may be a footnote's
_CUT_GROUP = re.compile(r"\d,\d{0,2}$")  # of three figures behind a comma
_REST_OF_FIGURES, _NEAR_FIGURES = "0123456789)(.", 0.8
_TICK_BOXES = "☐☑☒□■"  # are close to what they tick, but are no letters of it


@dataclass(frozen=True, slots=True)
class LineWord:
    """A word on the line's picture, edges in its pixels."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    confidence: float
    least: float


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of columns and the characters that are there."""

    start: float
    end: float
    characters: tuple[Character, ...]


def words_of_line(characters: Sequence[Character], ink: Ink) -> list[LineWord]:
    """Return the words of a line picture whose ink is given, same size, left to right."""
    height, width = ink.shape
    # the rims hold the baselines and heads of the lines above and below
    rim = round(0.12 * height)
    runs = _runs(np.asarray(ink[rim : height - rim].any(axis=0)))
    words: list[LineWord] = []
    for whole in _spans(characters, runs, height, width):
        foot = 0.0
        for span in _raised_apart(whole, ink):
            left, top, right, bottom = _tight(span, runs, ink)
            foot = max(foot, bottom)  # a raised figure stays in its word's row
            text = "".join(character.text for character in span.characters)
            words.append(LineWord(text, left, top, right, foot, _confidence(span), _least(span)))
    return _broken_doubted(words, height)


def _broken_doubted(words: Sequence[LineWord], height: int) -> list[LineWord]:
    """Return the words, those in doubt that a streak makes of one amount: its figures end in mid-group."""
    kept = list(words)
    for at, (word, after) in enumerate(zip(words, words[1:], strict=False)):
        near = after.left - word.right < _NEAR_FIGURES * height
        if near and _CUT_GROUP.search(word.text) and after.text[:1] in _REST_OF_FIGURES:
            for place in (at, at + 1):
                one = kept[place]
                kept[place] = replace(
                    one, confidence=min(one.confidence, _MIXED), least=min(one.least, _MIXED)
                )
    return kept


def _spans(characters: Sequence[Character], runs: NDArray[np.int64], height: int, width: int) -> list[_Span]:
    """Group characters into words and give each word the columns up to the middle of the gaps around it."""
    spans: list[_Span] = []
    word: list[Character] = []
    start = 0.0
    gaps = _gaps(characters, runs)
    spaces = [gap_end - gap_start for gap_start, gap_end, spaced in gaps if spaced]
    wide = _COLUMN_GAP * height
    if len(spaces) >= 2:
        wide = min(wide, max(_LEAST_SPACE * height, _OF_USUAL_SPACE * float(np.median(spaces))))
    letters = [character for character in characters if character.text != " "]
    if not letters:
        return []
    for character, (gap_start, gap_end, spaced) in zip(letters, [(0.0, 0.0, False), *gaps], strict=True):
        if word:
            boxed = character.text in _TICK_BOXES or word[-1].text in _TICK_BOXES
            # digits are wide, "1" above all: between them only a column's gap counts
            numeric = character.text in _NUMERIC and word[-1].text in _NUMERIC
            if spaced or boxed or gap_end - gap_start >= (_COLUMN_GAP * height if numeric else wide):
                border = (gap_start + gap_end) / 2
                spans.append(_Span(start, border, tuple(word)))
                word, start = [], border
        word.append(character)
    if word:
        spans.append(_Span(start, float(width), tuple(word)))
    return [part for span in spans for part in _brackets_apart(span)]


def _brackets_apart(span: _Span) -> list[_Span]:
    """Part an empty pair of brackets: "[ ]" on a form is two words, whose space is not always seen."""
    if (
        len(span.characters) != 2
        or span.characters[0].text not in "[{(|"
        or span.characters[1].text not in "]})|"
    ):
        return [span]
    opening, closing = span.characters
    middle = (_middle(opening) + _middle(closing)) / 2
    return [
        _Span(span.start, middle, (replace(opening, text="["),)),
        _Span(middle, span.end, (replace(closing, text="]"),)),
    ]


def _raised_apart(span: _Span, ink: Ink) -> list[_Span]:
    """Part small figures raised behind an amount from it: they mark a footnote, and are none of its own."""
    letters = span.characters
    text = "".join(letter.text for letter in letters)
    if len(text) < 2 or not text[-1].isdigit() or not set(text) <= _FIGURES:
        return [span]
    start = max(0, round(span.start))
    part = ink[:, start : max(start + 1, round(span.end))].astype(np.uint8)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(part, connectivity=8)
    left, top, wide, tall, _ = boxes[1:].T  # the first is the paper
    if not len(tall):
        return [span]
    foot, tallest = int((top + tall).max()), int(tall.max())
    high = tall > _LOWEST * tallest  # no comma, no point, no dash
    is_raised = high & (top + tall <= foot - _RAISED * tallest) & (tall <= _HIGHEST * tallest)
    level = high & ~is_raised
    end = int((left + wide)[level].max(initial=0))
    count = int((is_raised & (left >= end - _KERNED * tallest)).sum())
    read = sum(letter not in _LOW for letter in text)
    if not 0 < count <= _MOST_RAISED or read == level.sum():
        return [span]  # none, or it was not read
    if read != level.sum() + count or not text[-count - 1 :].isdigit():
        # letters that touch: which of the figures is the mark cannot be told
        return [replace(span, characters=tuple(replace(one, probability=_MIXED) for one in letters))]
    border = float(start + (end + left[is_raised].min()) / 2)
    return [_Span(span.start, border, letters[:-count]), _Span(border, span.end, letters[-count:])]


def _gaps(characters: Sequence[Character], runs: NDArray[np.int64]) -> list[tuple[float, float, bool]]:
    """Return the widest gap between each two neighbouring letters, and whether a space was read there."""
    gaps: list[tuple[float, float, bool]] = []
    before: Character | None = None
    spaced = False
    for character in characters:
        if character.text == " ":
            spaced = True
            continue
        if before is not None:
            gaps.append((*_widest_gap(runs, _middle(before), _middle(character)), spaced))
        before, spaced = character, False
    return gaps


def _widest_gap(runs: NDArray[np.int64], left: float, right: float) -> tuple[float, float]:
    """Return the widest stretch without ink between two places; their middle when the ink has no gap."""
    middle = (left + right) / 2
    if not len(runs):
        return left, right
    starts = np.concatenate([[left], runs[:, 1]])
    ends = np.concatenate([runs[:, 0], [right]])
    starts, ends = np.maximum(starts, left), np.minimum(ends, right)
    widths = ends - starts
    at = int(widths.argmax())
    return (float(starts[at]), float(ends[at])) if widths[at] > 0 else (middle, middle)


def _tight(span: _Span, runs: NDArray[np.int64], ink: Ink) -> tuple[float, float, float, float]:
    """Return the edges of the span's own ink; where there is none, what the recognizer said."""
    height = ink.shape[0]
    start, end = round(span.start), round(span.end)
    first, last = span.characters[0].left, span.characters[-1].right
    start = _reach(runs, first, start, -1, _OUTSIDE_GAP * height)
    end = _reach(runs, last, end, +1, _OUTSIDE_GAP * height)
    part = ink[:, max(0, start) : max(0, end)]
    rows = _runs(np.asarray(part.any(axis=1)))
    own = [(top, bottom) for top, bottom in rows.tolist() if _is_own(top, bottom, height)]
    if not own:
        return first, 0.15 * height, last, 0.85 * height
    top, bottom = own[0][0], own[-1][1]
    columns = np.asarray(ink[top:bottom].any(axis=0))
    # the bar of a T may lie in the rim, where no run was looked for
    least, most = max(0, round(span.start)), min(ink.shape[1], round(span.end))
    start, end = max(0, start), min(ink.shape[1], end)
    while start > least and columns[start - 1]:
        start -= 1
    while end < most and columns[end]:
        end += 1
    inked = np.flatnonzero(columns[start:end])
    return float(start + inked[0]), float(top), float(start + inked[-1] + 1), float(bottom)


def _is_own(top: int, bottom: int, height: int) -> bool:
    """Tell whether rows of ink are this line's: those at a rim and short of the middle are a neighbour's."""
    if top < 0.62 * height and bottom > 0.38 * height:
        return True
    return top > 1 and bottom < height - 1


def _reach(runs: NDArray[np.int64], place: float, limit: int, direction: int, gap: float) -> int:
    """Follow the ink from `place` towards `limit` until a gap; returns the column where it ends."""
    reached = place
    ordered = runs if direction > 0 else runs[::-1]
    for start, end in ordered.tolist():
        near, far = (start, end) if direction > 0 else (end, start)
        if (far - place) * direction <= 0:
            continue
        if (near - reached) * direction > gap:
            break
        reached = far
    return round(min(reached, limit) if direction > 0 else max(reached, limit))


def _runs(line: Ink) -> NDArray[np.int64]:
    """Return (n, 2) half-open stretches of True."""
    padded = np.concatenate([[False], line, [False]]).astype(np.int8)
    change = np.diff(padded)
    return np.stack([np.flatnonzero(change == 1), np.flatnonzero(change == -1)], axis=1)


def _middle(character: Character) -> float:
    return (character.left + character.right) / 2


def _least(span: _Span) -> float:
    return min(character.probability for character in span.characters)


def _confidence(span: _Span) -> float:
    """Return the geometric mean of the characters' probabilities: one doubtful digit counts."""
    return math.exp(
        sum(math.log(max(character.probability, 1e-6)) for character in span.characters)
        / len(span.characters)
    )
