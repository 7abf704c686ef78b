"""Which words of a scan a hand wrote, and which a pen or a stamp runs through: told by where the ink ends.

Print stands on one level line, or on that and the one of its descending letters; a hand's letters end
anywhere. A printed word's box ends where its ink ends; ink that goes on beyond it is another's.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import EdgeArray, PagePicture, PageWords
from citation_pipeline.core.layout.lines import group_rows, split_pieces

_FEWEST_SHORT, _FEWEST_FILLED = 3, 2  # signs of a short value, and such values that tell together
_LONG = 12  # signs: a line that tells how the page slopes
_RUN = 0.6  # share of the signs that as many letters have in the page's print
_ON_RULE = 10.0  # points above a line to write on
_FEWEST_SIGNS = 9  # of a piece of a line: three letters are level by chance
# by which half of a piece's signs miss its level, in letters' heights; more are two lines taken for one
_UNEVEN = (0.028, 0.18)
_LEVEL = 0.9  # share of print's signs that end on one of two levels
_ROOM = 0.06  # share of the letters' height that counts as level, at least a pixel
_APART = 1.5  # share of the size: what is further apart is another hand's or another print's
_INVERTED = 0.6  # share of a word's box that is dark
_OTHER_LINE, _MOST_ON_IT = 0.7, 0.15  # signs that miss the level by this, and their share: of another line
_BRACKETS = frozenset("[]{}()|")
_CONTRAST = 60  # between paper and ink
_LAST_LATIN = 0x24F
_CROSSED = 0.015  # inches of ink over a word's edge: more than a letter's stem that touches the next line


def written_pieces(picture: PagePicture, words: PageWords, rulings: EdgeArray) -> list[NDArray[np.int64]]:
    """Return the upright pieces of lines (positions of words) that a hand wrote.

    Their letters do not stand on a level line, or run together where the page's print does not. What is
    filled in is short: all of a page is judged together.
    """
    scale = picture.dpi / 72
    pieces = list(_pieces(words))
    grey = _without_rules(picture, rulings)
    signs = [
        np.concatenate([_signs(grey, words.edges[at] * scale) for at in piece.tolist()]) for piece in pieces
    ]
    letters = [sum(len(words.texts[at]) for at in piece.tolist()) for piece in pieces]
    apart = [len(own) / count for own, count in zip(signs, letters, strict=True) if count >= _FEWEST_SIGNS]
    usual = float(np.median(apart)) if apart else 1.0
    slopes = [level.slope for level in map(_level, signs) if level is not None and len(level.off) > _LONG]
    slope = float(np.median(slopes)) if slopes else 0.0
    found: list[NDArray[np.int64]] = []
    filled: list[tuple[NDArray[np.int64], _Level]] = []
    for piece, own, count in zip(pieces, signs, letters, strict=True):
        level = _level(own)
        if (
            level is not None
            and level.is_uneven()
            or count >= _FEWEST_SIGNS
            and 0 < len(own) < _RUN * usual * count
        ):
            found.append(piece)
        elif is_filled_in(words, piece, rulings):
            level = _level(own, slope)
            if level is not None:
                filled.append((piece, level))
    if len(filled) >= _FEWEST_FILLED:
        together = _Level(
            0.0, *(np.concatenate([getattr(one, name) for _, one in filled]) for name in ("off", "room"))
        )
        if together.is_uneven():
            found.extend(piece for piece, _ in filled)
    return found


def is_filled_in(words: PageWords, piece: NDArray[np.int64], rulings: EdgeArray) -> bool:
    """Tell whether a piece of a line is a value: on a line to write on, or behind a colon."""
    left, top = words.edges[piece, :2].min(axis=0).tolist()
    right, bottom = words.edges[piece, 2:].max(axis=0).tolist()
    under = (np.abs(rulings[:, 1] - bottom) < _ON_RULE) & (rulings[:, 0] < right) & (rulings[:, 2] > left)
    if under.any():
        return True
    middle, edges = (top + bottom) / 2, words.edges
    beside = np.flatnonzero((edges[:, 2] <= left) & (edges[:, 1] < middle) & (edges[:, 3] > middle))
    return len(beside) > 0 and words.texts[int(beside[edges[beside, 2].argmax()])].endswith(":")


def _pieces(words: PageWords) -> Iterator[NDArray[np.int64]]:
    """Yield what is close together on upright lines, of letters that have a level."""
    upright = np.flatnonzero(words.turns == 0)
    rows = group_rows(words.edges[upright, 1], words.edges[upright, 3]) if len(upright) else []
    for group in rows:
        row = upright[group[words.edges[upright[group], 0].argsort(kind="stable")]]
        for piece in split_pieces(words, row, gap=_APART):
            if all(ord(letter) <= _LAST_LATIN for at in piece.words.tolist() for letter in words.texts[at]):
                # brackets, and what stands for a box, end where they like
                own = [at for at in piece.words.tolist() if not _BRACKETS.intersection(words.texts[at])]
                if own:
                    yield np.array(own, np.int64)


def crossed_words(picture: PagePicture, words: PageWords, rulings: EdgeArray) -> NDArray[np.bool_]:
    """Mark the upright words over whose upper or lower edge ink goes on that is no rule's."""
    scale = picture.dpi / 72
    grey = _without_rules(picture, rulings)
    crossed = np.zeros(len(words), np.bool_)
    least = max(2.0, _CROSSED * picture.dpi)
    edges = np.round(words.edges * scale).astype(np.int64).tolist()
    for at, (left, top, right, bottom) in enumerate(edges):
        if words.turns[at] != 0 or top < 3 or bottom > len(grey) - 3 or bottom - top < 6 or right <= left:
            continue
        left = max(left, 0)
        darkness = _darkness(grey[top:bottom, left:right])
        over = [(grey[y - 2 : y + 2, left:right] < darkness).all(axis=0).sum() for y in (top, bottom)]
        crossed[at] = max(over) >= least
    return crossed


def _without_rules(picture: PagePicture, rulings: EdgeArray) -> NDArray[np.uint8]:
    grey = picture.grey.copy()
    for left, top, right, bottom in (rulings * picture.dpi / 72).astype(np.int64).tolist():
        grey[max(top - 2, 0) : bottom + 3, max(left - 2, 0) : right + 3] = 255
    return grey


def _darkness(part: NDArray[np.uint8]) -> float:
    """Return the grey between a word's ink and its paper; 0 where both are alike."""
    if part.size == 0:
        return 0.0
    ink, paper = np.percentile(part, (3, 97)).tolist()
    return (ink + paper) / 2 if paper - ink >= _CONTRAST else 0.0


def _signs(grey: NDArray[np.uint8], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return middle, top and bottom (n, 3) of what white columns part in a word's box, in pixels."""
    left, top = max(int(edges[0]), 0), max(int(edges[1]), 0)
    part = grey[top : int(edges[3]) + 1, left : int(edges[2]) + 1]
    ink = part < _darkness(part)
    if not part.size or ink.mean() > _INVERTED:
        return np.zeros((0, 3))  # light print on a dark bar
    columns = ink.any(axis=0)
    steps = np.diff(np.concatenate([[0], columns.astype(np.int8), [0]]))
    begins, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    if not len(begins):
        return np.zeros((0, 3))
    first = np.where(columns, ink.argmax(axis=0), len(ink))
    last = np.where(columns, len(ink) - ink[::-1].argmax(axis=0), 0)
    return np.column_stack(
        [
            left + (begins + ends) / 2,
            top + np.minimum.reduceat(first, begins),
            top + np.maximum.reduceat(last, begins),
        ]
    )


@dataclass(frozen=True, eq=False)
class _Level:
    """By how much signs end below the line on which most end, and their room, in letters' heights."""

    slope: float
    off: NDArray[np.float64]
    room: NDArray[np.float64]

    def is_uneven(self) -> bool:
        """Tell whether signs end neither on one straight line nor on that and a second one below."""
        if len(self.off) < _FEWEST_SIGNS:
            return False
        if (np.abs(self.off) > _OTHER_LINE).mean() > _MOST_ON_IT:
            return False
        far = np.abs(self.off) > self.room
        other, room = self.off[far], self.room[far]
        level = len(self.off) - len(other)
        level += max((int((np.abs(other - one) <= room).sum()) for one in other.tolist()), default=0)
        return _UNEVEN[0] < float(np.median(np.abs(self.off))) < _UNEVEN[1] and level < _LEVEL * len(self.off)


def _level(signs: NDArray[np.float64], slope: float | None = None) -> _Level | None:
    """Return how level signs are, on a line of this slope or of their own; None of too few."""
    fewest = _FEWEST_SIGNS if slope is None else _FEWEST_SHORT
    tall = signs[:, 2] - signs[:, 1]
    if len(signs) < fewest:
        return None
    usual = float(np.median(tall[tall > 0.3 * tall.max()]))
    kept = signs[
        (tall > 0.55 * usual) & (tall < 2.2 * usual)
    ]  # no dots, commas, or letters that run together
    x, bottoms = kept[:, 0], kept[:, 2]
    if len(kept) < fewest or np.ptp(x) <= 0:
        return None
    line = np.polyfit(x, bottoms, 1) if slope is None else np.array([slope, 0.0])
    for _ in range(3 if slope is None else 0):
        off = bottoms - np.polyval(line, x)
        off = np.abs(off - np.median(off))
        near = off <= max(1.5, 2.5 * float(np.median(off)))
        if near.sum() >= 4 and np.ptp(x[near]) > 0:
            line = np.polyfit(x[near], bottoms[near], 1)
    off = bottoms - np.polyval(line, x)
    off = (off - np.median(off)) / usual
    return _Level(float(line[0]), off, np.full(len(off), max(1.01, _ROOM * usual) / usual))
