"""Checkboxes: printed as brackets or glyphs, drawn as little squares, or form fields; and their state.

Everywhere downstream a checkbox reads `[x]` or `[ ]`; the words stay as they were printed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import Drawings, EdgeArray, PageWords, Tick

CHECKED, UNCHECKED = "[x]", "[ ]"
LEADER = re.compile(r"[._…·]{4,}")  # printed from a label to its value, not read
_LONE_DOTS = re.compile(r"[.…·]+")  # of a leader with spaces between its dots
_CHECKED_GLYPHS = frozenset("☑☒✓✔✗✘🗹🗷⊠⮽")
_UNCHECKED_GLYPHS = frozenset("☐□❏❑◻▢⬜⬚")
_CHECKED_PRINT = re.compile(r"[\[({][xX✓✔✗✘*•][\])}]|_+[xX✓✔]_+")
_UNCHECKED_PRINT = re.compile(r"\[_*\]|\(_*\)|\[\]")
_MARKS = re.compile(r"[xX✓✔✗✘×☒☑lnu4]")  # the last four: ZapfDingbats without a map
# printed checkboxes measure 6 to 14 points; smaller squares are bullets, larger ones are fields
_SMALLEST, _LARGEST = 5.0, 15.0


@dataclass(frozen=True, eq=False)
class Ticks:
    """The checkboxes of a page: those made of a word as (position, checked), and those drawn.

    `boxes` (n,) marks the drawn rectangles that are checkboxes, so that they rule no grid.
    """

    printed: Sequence[tuple[int, bool]]
    drawn: Sequence[Tick]
    boxes: NDArray[np.bool_]


def state_of(text: str) -> bool | None:
    """Return whether a word is a checked or an unchecked box, or None when it is none."""
    if text in _CHECKED_GLYPHS or _CHECKED_PRINT.fullmatch(text):
        return True
    if text in _UNCHECKED_GLYPHS or _UNCHECKED_PRINT.fullmatch(text):
        return False
    return None


def find_ticks(words: PageWords, drawings: Drawings, *, recognized: bool = False) -> Ticks:
    """Return the checkboxes of a page; a mark printed or drawn inside a little square checks it.

    On a recognized page a letter in a square is what the recognizer took the box for.
    """
    printed: dict[int, bool] = {}
    for position, text in enumerate(words.texts):
        if len(text) <= 6 and not text.isalnum():
            state = state_of(text)
            if state is not None:
                printed[position] = state
    squares = _squares(drawings.boxes)
    drawn: list[Tick] = []
    for tick in drawings.ticks:
        _add(tick.edges, tick.checked, words, printed, drawn, misread=recognized)
    for edges in drawings.boxes[squares].tolist():
        left, top, right, bottom = edges
        crossed = _inside(drawings.diagonals, edges) or _inside(drawings.scribbles, edges)
        filled = _inside(drawings.fills, [left + 0.5, top + 0.5, right - 0.5, bottom - 0.5])
        _add((left, top, right, bottom), crossed or filled, words, printed, drawn)
    return Ticks(sorted(printed.items()), drawn, squares)


def _squares(boxes: EdgeArray) -> NDArray[np.bool_]:
    wide, tall = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    square: NDArray[np.bool_] = (
        (wide >= _SMALLEST) & (wide <= _LARGEST) & (tall >= _SMALLEST) & (tall <= _LARGEST)
    ) & (np.abs(wide - tall) < 0.3 * np.maximum(wide, tall))
    if square.sum() > 400:  # graph paper or a crossword
        square[:] = False
    return square


def _inside(shapes: EdgeArray, edges: Sequence[float]) -> bool:
    """Tell whether the middle of a shape of about the square's size lies in the square."""
    if not len(shapes):
        return False
    left, top, right, bottom = edges
    x, y = (shapes[:, 0] + shapes[:, 2]) / 2, (shapes[:, 1] + shapes[:, 3]) / 2
    small = (shapes[:, 2] - shapes[:, 0] < 2 * (right - left)) & (
        shapes[:, 2] - shapes[:, 0] > 0.25 * (right - left)
    )
    return bool((small & (x > left) & (x < right) & (y > top) & (y < bottom)).any())


def _add(
    edges: tuple[float, float, float, float],
    checked: bool,
    words: PageWords,
    printed: dict[int, bool],
    drawn: list[Tick],
    *,
    misread: bool = False,
) -> None:
    left, top, right, bottom = edges
    if misread and _in_a_word(words, (left + right) / 2, (top + bottom) / 2):
        return
    for other in drawn:  # a field over a drawn square, or a square drawn twice
        x, y = (other.edges[0] + other.edges[2]) / 2, (other.edges[1] + other.edges[3]) / 2
        if left < x < right and top < y < bottom:
            return
    at_x, at_y = (words.edges[:, 0] + words.edges[:, 2]) / 2, (words.edges[:, 1] + words.edges[:, 3]) / 2
    inside = (at_x > left - 1) & (at_x < right + 1) & (at_y > top - 2) & (at_y < bottom + 2)
    within = np.flatnonzero(inside).tolist()
    if len(within) > 1:
        return  # a small cell with text
    for position in within:
        if position in printed:
            printed[position] = checked if misread else printed[position]
            return
        text = words.texts[position]
        if misread and len(text) <= 2:
            printed[position] = checked
            return
        if _MARKS.fullmatch(text):
            printed[position] = True
            return
        if len(text) > 1 or text.isalnum():
            return  # one digit of a boxed number
    drawn.append(Tick(checked, edges))


def _in_a_word(words: PageWords, x: float, y: float) -> bool:
    """Tell whether a point lies in a word of several letters: a bold B or D looks like a box."""
    left, top, right, bottom = words.edges.T
    around = np.flatnonzero((left <= x) & (x <= right) & (top <= y) & (y <= bottom)).tolist()
    return any(len(words.texts[position]) > 2 for position in around)


def is_mark(text: str) -> bool:
    """Tell whether a word may be the mark inside a checkbox."""
    return _MARKS.fullmatch(text) is not None or state_of(text) is not None


def read_positions(texts: Sequence[str]) -> list[int]:
    """Return which words of a line are read: all but leaders, and dots that are a leader together."""
    lone = [_LONE_DOTS.fullmatch(text) is not None for text in texts]
    found: list[int] = []
    for at, text in enumerate(texts):
        if LEADER.fullmatch(text):
            continue
        if lone[at]:
            start, end = at, at
            while start and lone[start - 1]:
                start -= 1
            while end + 1 < len(lone) and lone[end + 1]:
                end += 1
            if end - start >= 2 or any(LEADER.fullmatch(texts[i]) for i in range(start, end + 1)):
                continue
        found.append(at)
    return found


def skip_leaders(token: str, texts: Sequence[str], at: int, end: int) -> int:
    """Return where the word of a token of content is, from `at` (before `end`): leaders are not read."""
    if LEADER.fullmatch(token) or _LONE_DOTS.fullmatch(token):
        return at
    while at < end and (LEADER.fullmatch(texts[at]) or _LONE_DOTS.fullmatch(texts[at])):
        at += 1
    return at


def split_tokens(content: str) -> list[str]:
    """Return the tokens of one line of content; an unchecked box, written with a space, is one."""
    return [
        UNCHECKED if token == "[\u00a0]" else token
        for token in content.replace(UNCHECKED, "[\u00a0]").split(" ")
        if token
    ]


def words_behind(token: str, texts: Sequence[str], at: int, end: int) -> int:
    """Return how many of the words from `at` (before `end`) a token of content stands for.

    A box printed as `[` and `]` is two words, a drawn one none; any other token is one.
    """
    if token not in (CHECKED, UNCHECKED):
        return 1
    if at + 1 < end and texts[at] + texts[at + 1] in ("[]", "()"):
        return 2
    return 1 if at < end and is_mark(texts[at]) else 0


def read_tokens(texts: Sequence[str], marks: Sequence[int]) -> list[str]:
    """Return words as read: boxes in the one notation, `[` and `]` that are apart taken together.

    `marks` pairs with `texts`: 1 checked, 0 unchecked, -1 no box.
    """
    tokens: list[str] = []
    skip = False
    for i, (text, mark) in enumerate(zip(texts, marks, strict=True)):
        if skip:
            skip = False
        elif mark >= 0:
            tokens.append(CHECKED if mark else UNCHECKED)
        elif text in ("[", "(") and i + 1 < len(texts) and texts[i + 1] == {"[": "]", "(": ")"}[text]:
            tokens.append(UNCHECKED)
            skip = True
        else:
            tokens.append(text)
    return tokens
