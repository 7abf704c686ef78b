"""Whether a predicted value is the true one: by type, words for strings, items one to one for lists.

The rules are those of the claims' scorer, so that figures can be compared. Counting lives in `scores`.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.values.grammar import parse_value, type_of_value
from citation_pipeline.core.values.numbers import find_number_spans, is_same_number

# Degrees, titles, legal forms and small words are printed or left out at will.
_LOOSE_WORDS = frozenset(
    ["md", "do", "dc", "dpm", "esq", "dr", "mr", "ms", "mrs", "inc", "llc", "apc", "pc", "llp", "lp", "co"]
    + ["the", "a", "an", "and", "of", "na"]
)
# Long strings are told in more than one way; names and short phrases are not.
_LONG = 8
_SAME_LONG, _SAME_SHORT, _SAME_ITEM = 0.6, 0.8, 0.67
_SHORTEST = 3
_NO_VALUE = (None, "", "n/a")


def words_of(value: Any) -> list[str]:
    """Return the words that count when strings are compared."""
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", str(value).lower()) if not unicodedata.combining(c)
    )
    plain = re.sub(r"(?<=\w)\.(?=\w\b)|'|\u2019", "", plain)
    words = re.findall(r"[a-z0-9]+", plain)
    return [word for word in words if word not in _LOOSE_WORDS] or words


def word_f1(a: Any, b: Any) -> float:
    """Return the F1 of two strings' words, in 0-1."""
    left, right = Counter(words_of(a)), Counter(words_of(b))
    if not left or not right:
        return 0.0
    return 2 * (left & right).total() / (left.total() + right.total())


def is_same_string(true: Any, predicted: Any) -> bool:
    """Tell whether two strings say the same: equal words for short ones, most words for long ones."""
    if predicted is None:
        return False
    wanted, got = words_of(true), words_of(predicted)
    if "".join(wanted) == "".join(got):
        return True
    if len(wanted) <= _SHORTEST:
        return sorted(wanted) == sorted(got)
    return word_f1(true, predicted) >= (_SAME_LONG if len(wanted) > _LONG else _SAME_SHORT)


def is_right(true: Any, predicted: Any, value_type: str) -> bool:
    """Tell whether a predicted value is the true one under its type."""
    if value_type == "date":
        day = parse_value(str(predicted), "date")
        return day is not None and day == parse_value(str(true), "date")
    if value_type in ("number", "integer"):
        number = _number(predicted)
        return number is not None and is_same_number(number, float(true))
    if value_type == "boolean":
        return _boolean(predicted) is not None and _boolean(predicted) == true
    if value_type == "enum":
        return _member(predicted) == _member(true)
    return is_same_string(true, predicted)


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    spans = find_number_spans(str(value))
    return spans[0].value if spans else None


def _boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("true", "yes", "y", "1"):
        return True
    return False if word in ("false", "no", "n", "0") else None


def _member(value: Any) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(value).strip().lower()).strip("_")


def item_score(true: Mapping[str, Any], predicted: Any) -> float:
    """Return 0 unless the first member agrees, else one half plus half the other members' share."""
    first = next(iter(true))
    given: Mapping[str, Any] = predicted if isinstance(predicted, Mapping) else {first: predicted}
    name = given.get(first)
    if name is None or not (is_same_string(true[first], name) or word_f1(true[first], name) >= _SAME_ITEM):
        return 0.0
    rest = [key for key in true if key != first and true[key] not in _NO_VALUE]
    if not rest:
        return 1.0
    right = sum(
        given.get(key) is not None and is_right(true[key], given[key], type_of_value(true[key]))
        for key in rest
    )
    return 0.5 + 0.5 * right / len(rest)


def pair_items(true: Sequence[Any], predicted: Sequence[Any]) -> list[tuple[int, int, float]]:
    """Pair items one to one, the best pairs first: (index of the true, of the predicted, score)."""
    scored = sorted(
        (
            (item_score(t if isinstance(t, Mapping) else {"": t}, p), i, j)
            for i, t in enumerate(true)
            for j, p in enumerate(predicted)
        ),
        reverse=True,
    )
    pairs: list[tuple[int, int, float]] = []
    for score, i, j in scored:
        if score > 0 and all(i != a and j != b for a, b, _ in pairs):
            pairs.append((i, j, score))
    return pairs
