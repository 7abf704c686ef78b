"""Fields of a form whose stored value is another than what the page shows in their place.

The page is what people see, the value what a program takes over; nobody knows which of them holds. The same
value in another form (an amount with its signs, a date, a text that is cut off) is no other value.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.matching.folding import fold

FIELD_DIFFERS = "field_differs"
"""Warning of a page with such a field."""

_NUMBER = re.compile(r"\d+")
_LEAST_SHOWN = 0.3  # of a long value that its field cuts off
_ROOM = 2.0  # points around a field

Edges = tuple[float, float, float, float]


def differing_words(fields: Sequence[tuple[str, Edges]], words: PageWords) -> tuple[NDArray[np.bool_], bool]:
    """Mark the words of fields (value, edges on the paper) that show something else, and tell whether any
    does, one that shows nothing among them."""
    differing, is_any = np.zeros(len(words), np.bool_), False
    x, y = (words.edges[:, 0] + words.edges[:, 2]) / 2, (words.edges[:, 1] + words.edges[:, 3]) / 2
    for value, (left, top, right, bottom) in fields:
        inside = (x > left - _ROOM) & (x < right + _ROOM) & (y > top - _ROOM) & (y < bottom + _ROOM)
        shown = " ".join(words.texts[at] for at in np.flatnonzero(inside).tolist())
        if fold(value) and not _says_the_same(value, shown):
            differing |= inside
            is_any = True
    return differing, is_any


def _says_the_same(value: str, shown: str) -> bool:
    stored, seen = fold(value), fold(shown)
    if stored in seen:
        return True
    if seen and seen in stored and len(seen) >= _LEAST_SHOWN * len(stored):
        return not any(map(str.isdigit, value))
    numbers = sorted(int(one[:18]) for one in _NUMBER.findall(value))
    others = [int(one[:18]) for one in _NUMBER.findall(shown)]
    if len(numbers) > 1 and len(others) > 1:  # a date, in another order or with its month's name
        return set(others) <= set(numbers) or set(numbers) <= set(others)
    if not seen:
        return bool(shown.strip())  # asterisks for a password
    amount, other = _amount(value), _amount(shown)
    return amount is not None and other is not None and _are_near(amount, other)


def _amount(text: str) -> float | None:
    plain = re.sub(r"[^\d.\-]", "", text)
    try:
        return float(plain)
    except ValueError:
        return None


def _are_near(one: float, other: float) -> bool:
    """Tell whether two numbers are one, rounded, as a share of a hundred or with its sign apart."""
    return any(abs(abs(one) * factor - abs(other)) <= 0.51 * 10**-2 for factor in (1, 100))
