"""A value read in a text, and the folding under which two written forms count as the same words.

What a date, a number or a name looks like lives beside this module, one grammar a file.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A value and the half-open range of the text that states it."""

    start: int
    end: int
    value: Any


# every ASCII byte that is no letter or digit; bytes.translate drops them in C
_NOT_ALPHANUMERIC = bytes(b for b in range(128) if not chr(b).isalnum())
_IS_ALPHANUMERIC = np.array([chr(b).isalnum() for b in range(128)])
_APOSTROPHES = frozenset("'\u2019\u2018`\u02bc")


def fold(text: str) -> str:
    """Return the text's letters and digits alone: no case, accents, punctuation or spaces."""
    if text.isascii():
        return text.encode().lower().translate(None, _NOT_ALPHANUMERIC).decode()
    return "".join(letter for letter, _ in _folded(text))


def fold_with_places(text: str) -> tuple[str, list[int]]:
    """Return the folded text, and where in the text each of its characters is."""
    if text.isascii():
        letters = np.frombuffer(text.encode(), np.uint8)
        return fold(text), np.flatnonzero(_IS_ALPHANUMERIC[letters]).tolist()
    folded = _folded(text)
    return "".join(letter for letter, _ in folded), [place for _, place in folded]


def fold_words(text: str) -> list[str]:
    """Return the text's words without case, accents or punctuation; `O'Rourke` and `D.P.M.` are one word."""
    if text.isascii():  # the same, in half of the time
        plain = text.lower().replace("'", "").replace("`", "")
    else:
        plain = unicodedata.normalize("NFKD", text).casefold()
        plain = "".join(c for c in plain if not unicodedata.combining(c) and c not in _APOSTROPHES)
    plain = re.sub(r"(?<=\b\w)\.(?=\w\b)", "", plain)
    return re.findall(r"[^\W_]+", plain)


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    plain = unicodedata.normalize("NFKD", character).casefold()
    return "".join(c for c in plain if c.isalnum())


def _folded(text: str) -> list[tuple[str, int]]:
    return [(letter, place) for place, c in enumerate(text) for letter in _fold_character(c)]


def find_folded(text: str, wanted: str) -> list[tuple[int, int]]:
    """Return the ranges of `text` whose folded form is `wanted`'s, at word boundaries, left to right."""
    key = fold(wanted)
    if not key or (text.isascii() and key not in fold(text)):
        return []  # most texts do not say it: where their letters are is not needed
    stream, places = fold_with_places(text)
    found: list[tuple[int, int]] = []
    at = stream.find(key)
    while at != -1:
        behind = at + len(key)
        start, end = places[at], places[behind - 1] + 1
        # "\u00df" folds to two letters: one of them alone is no character of the text
        cuts = any(places[n - 1] == places[n] for n in (at, behind) if 0 < n < len(places))
        if not cuts and _is_edge(text, start) and _is_edge(text, end):
            found.append((start, end))
            at = stream.find(key, at + len(key))
        else:
            at = stream.find(key, at + 1)
    return found


def _is_edge(text: str, place: int) -> bool:
    """Tell whether a word may begin or end here: not between two letters or digits."""
    if place <= 0 or place >= len(text):
        return True
    return not (text[place - 1].isalnum() and text[place].isalnum())
