"""Limits that a schema sets for values: read once, merged where two places set one, checked on answers.

A value beyond a limit is kept as the documents say it, with a warning: the limit is the schema's wish, the
value the documents' word.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from citation_pipeline.core.json_schemas.errors import SchemaError

CONSTRAINTS = frozenset(
    {
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "uniqueItems",
    }
)
BROKEN = "breaks_constraint"
"""The code of a value that its schema does not allow."""

_LOWER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems"})
_UPPER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems"})
_BY_KIND = {
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    "string": ("minLength", "maxLength", "pattern"),
    "array": ("minItems", "maxItems", "uniqueItems"),
}
# a pattern is tried on what documents say, and some take minutes on a page of text
_LONGEST_MATCHED = 500


@dataclass(frozen=True, slots=True)
class Constraint:
    """A limit that a schema sets for a value: `keyword` is JSON Schema's (minimum, pattern, …)."""

    keyword: str
    bound: Any


def merge_constraint(keywords: dict[str, Any], keyword: str, bound: Any, pointer: str) -> None:
    """Put a limit among the keywords, the narrower of two; raises SchemaError for one that is no limit."""
    if keyword == "pattern":
        bound = _checked_pattern(bound, pointer)
    elif keyword == "uniqueItems":
        if not isinstance(bound, bool):
            raise SchemaError(pointer, "must be true or false")
    elif isinstance(bound, bool) or not isinstance(bound, int | float):
        raise SchemaError(pointer, "must be a number")
    elif keyword == "multipleOf" and bound <= 0:
        raise SchemaError(pointer, "must be more than 0")
    known = keywords.get(keyword)
    if known is None or known == bound:
        keywords[keyword] = bound
    elif keyword in _LOWER:
        keywords[keyword] = max(known, bound)
    elif keyword in _UPPER:
        keywords[keyword] = min(known, bound)
    elif keyword == "uniqueItems":
        keywords[keyword] = True
    else:
        raise SchemaError(pointer, f"is given twice, as {known} too; write one {keyword} that says both")


def constraints_of(keywords: Mapping[str, Any], value_type: str) -> tuple[Constraint, ...]:
    """Return the limits among the keywords that a value of the type can break."""
    kind = {"integer": "number"}.get(value_type, value_type)
    return tuple(Constraint(k, keywords[k]) for k in _BY_KIND.get(kind, ()) if k in keywords)


def breaks(value: Any, constraints: tuple[Constraint, ...]) -> bool:
    """Tell whether a value of its field's type is beyond one of the limits."""
    return any(True for _ in _broken(value, constraints))


def _broken(value: Any, constraints: tuple[Constraint, ...]) -> Iterator[str]:
    for constraint in constraints:
        bound = constraint.bound
        match constraint.keyword:
            case "minimum":
                is_kept = value >= bound
            case "maximum":
                is_kept = value <= bound
            case "exclusiveMinimum":
                is_kept = value > bound
            case "exclusiveMaximum":
                is_kept = value < bound
            case "multipleOf":
                is_kept = Decimal(str(value)) % Decimal(str(bound)) == 0
            case "minLength" | "minItems":
                is_kept = len(value) >= bound
            case "maxLength" | "maxItems":
                is_kept = len(value) <= bound
            case "uniqueItems":
                is_kept = not bound or len({repr(item) for item in value}) == len(value)
            case _:
                is_kept = re.search(bound, value[:_LONGEST_MATCHED]) is not None
        if not is_kept:
            yield constraint.keyword


def _checked_pattern(pattern: Any, pointer: str) -> str:
    if not isinstance(pattern, str):
        raise SchemaError(pointer, "must be a regular expression")
    try:
        re.compile(pattern)
    except re.error as error:
        raise SchemaError(pointer, f"is no regular expression of Python's: {error.msg}") from error
    return pattern
