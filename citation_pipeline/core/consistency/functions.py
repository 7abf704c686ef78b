"""What rules may call beside CEL's own functions: days between dates, sums, names that agree."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from citation_pipeline.core.values.spans import fold_words

_TITLES = frozenset(
    {"mr", "mrs", "ms", "miss", "dr", "md", "do", "dc", "phd", "esq", "jr", "sr", "ii", "iii"}
)


def days(first: str, last: str) -> float:
    """Return the days from one date to another; negative where the second is earlier."""
    return float((date.fromisoformat(last[:10]) - date.fromisoformat(first[:10])).days)


def years(first: str, last: str) -> float:
    """Return the years from one date to another."""
    return days(first, last) / 365.25


def near(value: float, wanted: float, share: float) -> bool:
    """Tell whether a number is another, give or take a share of it and half a cent."""
    return abs(value - wanted) <= abs(wanted) * share + 0.005


def total(numbers: Sequence[float]) -> float:
    """Return the sum of numbers."""
    return float(sum(numbers))


def same_text(one: str, other: str) -> bool:
    """Tell whether two texts have the same words, whatever their case, marks and accents."""
    return fold_words(one) == fold_words(other)


def same_person(one: str, other: str) -> bool:
    """Tell whether two names may be one person's: the words of the shorter are in the longer."""
    first, second = (name_words(name) for name in (one, other))
    shorter, longer = sorted((first, second), key=len)
    return bool(shorter) and all(_is_among(word, longer) for word in shorter)


def name_words(name: str) -> list[str]:
    """Return a name's words, folded, without titles."""
    return [word for word in fold_words(re.sub(r"[.’']", "", name)) if word not in _TITLES]


def _is_among(word: str, words: Sequence[str]) -> bool:
    return any(word == other or (1 in (len(word), len(other)) and word[0] == other[0]) for other in words)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "days": days,
    "years": years,
    "near": near,
    "total": total,
    "same_text": same_text,
    "same_person": same_person,
}
