"""How sure a field's value is, in a word: never surer than its fitted confidence."""

import math
from collections.abc import Mapping
from typing import Any

HIGH, MEDIUM, LOW = "high", "medium", "low"
_ORDER = (LOW, MEDIUM, HIGH)

# a value that a check speaks against has one half at most
_LOW_UP_TO = 0.5
_HIGH_FROM = 0.8


def sureness(field: Mapping[str, Any]) -> str | None:
    """Return the word for a dataset's field: the lesser of the extractor's and of the fitted confidence.

    None where neither says anything.
    """
    said = field.get("confidence")
    fitted = confidence_of(field)
    words = [word for word in (said, None if fitted is None else word_for(fitted)) if word in _ORDER]
    return min(words, key=_ORDER.index, default=None)


def word_for(confidence: float) -> str:
    """Return the word for a number between 0 and 1."""
    return LOW if confidence <= _LOW_UP_TO else MEDIUM if confidence < _HIGH_FROM else HIGH


def confidence_of(field: Mapping[str, Any]) -> float | None:
    """Return how likely a dataset's field is right, None where nothing says so: a person gave the value."""
    value = (field.get("fieldConfidence") or {}).get("value")
    return None if value is None else float(value)


def confidence_text(confidence: float) -> str:
    """Write a confidence with two digits, never rounded up and never 1.00: what is judged is not certain."""
    return f"{min(0.99, math.floor(confidence * 100 + 1e-9) / 100):.2f}"
