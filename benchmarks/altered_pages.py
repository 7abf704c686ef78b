"""Alterations of a page around words that somebody signed for, each of which makes it say something else."""

import random
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks.rescanned_files import Pen
from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.matching.folding import fold

KINDS = (
    "figure", "word", "letter", "not", "disputed", "not accepted", "label", "name above", "number above",
    "exchanged",
)  # fmt: skip
_NAMES = ("Harlan", "Osei", "Vasquez", "Lindgren", "Petrov", "Moreno", "Okafor", "Brandt")
_EDGE = 0.045  # of the page's height: a fax's line is no part of what the page says
_LETTERS = "aeioubdgkmprtz"

Box = Sequence[float]
Drawing = Callable[[Pen], None]


def plan_alteration(words: Words, at: Sequence[int], kind: str, chance: random.Random) -> Drawing | None:
    """Return what draws an alteration of this kind for signed words; None where there is no place for it."""
    strokes = _Page(words, at, chance).strokes(kind)
    return partial(_draw, strokes) if strokes else None


def _draw(strokes: Sequence[tuple[Box, str, bool]], pen: Pen) -> None:
    for box, text, is_over in strokes:
        (pen.cover if is_over else pen.print)([float(edge) for edge in box], text)


class _Page:
    def __init__(self, words: Words, at: Sequence[int], chance: random.Random) -> None:
        self._words, self._at, self._chance = words, at, chance
        self._page = [int(word) for word in np.flatnonzero(words.page == words.page[at[0]])]
        self._height = float(np.median(words.boxes[list(at), 3]))

    def strokes(self, kind: str) -> list[tuple[Box, str, bool]]:
        if kind in ("not", "disputed", "not accepted"):
            return self._added(kind.title() if kind == "disputed" else kind)
        if kind == "exchanged":
            return self._exchanged()
        words = self._candidates(kind)
        if not words:
            return []
        word = self._chance.choice(words)
        return [(self._words.boxes[word], self._other(kind, word), True)]

    def _candidates(self, kind: str) -> list[int]:
        low = min(float(self._words.boxes[word, 1]) for word in self._at) - 1.5 * self._height
        above = [
            word
            for word in self._page
            if self._words.boxes[word, 1] < low and _EDGE < self._middle(word) < 1 - _EDGE
        ]
        return {
            "figure": [word for word in self._at if self._figures(word)],
            "word": [w for w in self._at if not self._figures(w) and len(fold(self._words.texts[w])) > 2],
            "letter": [word for word in self._at if self._is_name(word)],
            "label": [
                w
                for w in self._row()
                if w not in self._at and self._is_plain(w) and len(self._words.texts[w]) > 3
            ],
            "name above": [word for word in above if self._is_name(word)],
            "number above": [word for word in above if self._figures(word) > 2],
        }[kind]

    def _other(self, kind: str, word: int) -> str:
        text = self._words.texts[word]
        if kind in ("figure", "number above"):
            at = self._chance.choice([n for n, letter in enumerate(text) if letter.isdigit()])
            return (
                text[:at] + self._chance.choice([f for f in "0123456789" if f != text[at]]) + text[at + 1 :]
            )
        if kind == "letter":
            at = self._chance.randrange(1, len(text))
            other = self._chance.choice([letter for letter in _LETTERS if letter != text[at].lower()])
            return text[:at] + (other.upper() if text.isupper() else other) + text[at + 1 :]
        if kind == "label":
            others = [self._words.texts[w] for w in self._page if self._is_plain(w)]
            return self._chance.choice([one for one in others if fold(one) != fold(text)] or list(_NAMES))
        return {"yes": "No", "no": "Yes"}.get(text.lower().strip(".,")) or self._chance.choice(_NAMES)

    def _added(self, text: str) -> list[tuple[Box, str, bool]]:
        """Print a text beside the signed words, or above or below them, where there is room."""
        boxes = self._words.boxes
        left, top = float(boxes[self._at[0], 0]), float(boxes[self._at[0], 1])
        row, high, wide = self._row(), self._height, 0.75 * self._height * len(text)
        first = min(float(boxes[word, 0]) for word in row)
        last = max(float(boxes[word, 0] + boxes[word, 2]) for word in row)
        places = [
            (last + 0.6 * high, top), (first - wide - 0.6 * high, top), (left, top - 1.15 * high),
            (left, top + 1.15 * high),
        ]  # fmt: skip
        free = [(x, y, wide, high) for x, y in places if self._is_free((x, y, wide, high))]
        return [(free[0], text, False)] if free else []

    def _exchanged(self) -> list[tuple[Box, str, bool]]:
        """Exchange a signed figure with the nearest other one of its column."""
        texts, boxes = self._words.texts, self._words.boxes
        for word in (word for word in self._at if self._figures(word)):
            x = boxes[word, 0] + boxes[word, 2] / 2
            column = [
                other for other in self._page
                if other not in self._at and self._figures(other) and texts[other] != texts[word]
                and abs(boxes[other, 0] + boxes[other, 2] / 2 - x) < 0.04
            ]  # fmt: skip
            if column:
                other = min(column, key=lambda one: abs(float(boxes[one, 1] - boxes[word, 1])))
                return [(boxes[word], texts[other], True), (boxes[other], texts[word], True)]
        return []

    def _row(self) -> list[int]:
        return [
            w for w in self._page if abs(self._middle(w) - self._middle(self._at[0])) < 0.5 * self._height
        ]

    def _middle(self, word: int) -> float:
        return float(self._words.boxes[word, 1] + self._words.boxes[word, 3] / 2)

    def _figures(self, word: int) -> int:
        return sum(letter.isdigit() for letter in self._words.texts[word])

    def _is_plain(self, word: int) -> bool:
        return self._words.texts[word].strip(".,:;#").isalpha()

    def _is_name(self, word: int) -> bool:
        text = self._words.texts[word]
        return text.isalpha() and len(text) > 4 and text[0].isupper()  # noqa: PLR2004

    def _is_free(self, box: Box) -> bool:
        left, top, width, height = box
        if left < 0.02 or left + width > 0.98 or top < 0.01 or top + height > 0.99:  # noqa: PLR2004
            return False
        x, y, wide, high = self._words.boxes[self._page].T
        crossed = (
            (x < left + width)
            & (x + wide > left)
            & (y < top + 0.9 * height)
            & (y + high > top + 0.1 * height)
        )
        return not bool(crossed.any())
