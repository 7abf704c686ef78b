"""The public API of the typed values: find, parse and compare them by the types of `core/schemas.py`.

Nothing here knows a field; labels, documents and places are left to the rules and the resolver.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from citation_pipeline.core.values.answers import find_booleans, find_enum_members, normal_enum
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.moments import find_moments, is_same_moment
from citation_pipeline.core.values.numbers import find_numbers, is_same_number
from citation_pipeline.core.values.spans import ValueSpan, find_folded, fold, fold_words

_SHORT = 200  # characters of a cell or a quotation
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def find_values(text: str, value_type: str, *, enum: Sequence[str] = ()) -> list[ValueSpan]:
    """Return every value of the type that the text states, left to right.

    A string is the text itself without the space around it; an array has no grammar of its own.
    """
    if len(text) <= _SHORT and value_type in ("date", "number", "integer"):
        return list(_find_in_short(text, value_type))
    if value_type == "date":
        return find_dates(text)
    if value_type == "datetime":
        return find_moments(text)
    if value_type == "number":
        return find_numbers(text)
    if value_type == "integer":
        return [span for span in find_numbers(text) if isinstance(span.value, int)]
    if value_type == "boolean":
        return find_booleans(text)
    if value_type == "enum":
        return find_enum_members(text, enum)
    if value_type == "string" and text.strip():
        start = len(text) - len(text.lstrip())
        return [ValueSpan(start, len(text.rstrip()), text.strip())]
    return []


@lru_cache(maxsize=8192)
def _find_in_short(text: str, value_type: str) -> tuple[ValueSpan, ...]:
    """Return the dates or numbers of a short text: a cell or a quotation is held against many values."""
    if value_type == "date":
        return tuple(find_dates(text))
    found = find_numbers(text)
    return tuple(span for span in found if value_type == "number" or isinstance(span.value, int))


def parse_value(text: str, value_type: str, *, enum: Sequence[str] = ()) -> Any:
    """Return the value that the text states first, or None when it states none of this type."""
    if value_type == "string":
        return " ".join(text.split()) or None
    if value_type == "enum":
        whole = normal_enum(text)
        for member in enum:
            if normal_enum(member) == whole:
                return member
    spans = find_values(text, value_type, enum=enum)
    return spans[0].value if spans else None


def same_value(a: Any, b: Any, value_type: str) -> bool:
    """Tell whether two values say the same, whatever form each is written in; None equals only None."""
    if a is None or b is None:
        return a is b
    if value_type == "array":
        return _same_items(a, b)
    if value_type == "enum":
        return normal_enum(str(a)) == normal_enum(str(b))
    if value_type == "string":
        return fold(str(a)) == fold(str(b)) and bool(fold(str(a)))
    left, right = _typed(a, value_type), _typed(b, value_type)
    if left is None or right is None:
        return False
    if value_type in ("number", "integer"):
        return is_same_number(float(left), float(right))
    if value_type == "datetime":
        return is_same_moment(left, right)
    return bool(left == right)


def find_value(text: str, value: Any, value_type: str) -> list[ValueSpan]:
    """Return every place in `text` where `value` is in any written form, left to right.

    Strings are found by their folded words, names also turned round (`Surname, First`); arrays by any of
    their items' members.
    """
    if value is None:
        return []
    if value_type == "array":
        return _find_items(text, value)
    if value_type == "enum":
        return [ValueSpan(s, e, value) for s, e in find_folded(text, str(value).replace("_", " "))]
    if value_type == "string":
        return [ValueSpan(s, e, value) for s, e in _find_string(text, str(value))]
    return [span for span in find_values(text, value_type) if same_value(span.value, value, value_type)]


def type_of_value(value: Any) -> str:
    """Return the value type that a bare JSON value shows: for members whose schema is not at hand."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list | Mapping):  # an object's members are compared as a list of one
        return "array"
    return "date" if isinstance(value, str) and _ISO_DATE.fullmatch(value) else "string"


def _typed(value: Any, value_type: str) -> Any:
    if value_type in ("number", "integer"):
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return value
    if value_type == "boolean" and isinstance(value, bool):
        return value
    return parse_value(str(value), value_type)


def _find_string(text: str, value: str) -> list[tuple[int, int]]:
    found = find_folded(text, value)
    if found:
        return sorted(set(found))
    words = fold_words(value)
    if 2 <= len(words) <= 5 and not any(c.isdigit() for c in value):
        for cut in range(1, len(words)):
            turned = find_folded(text, " ".join((*words[cut:], *words[:cut])))
            found += [(start, end) for start, end in turned if "," in text[start:end]]
    return sorted(set(found))


def _find_items(text: str, value: Any) -> list[ValueSpan]:
    items = value if isinstance(value, list) else [value]
    members = [
        member
        for item in items
        for member in (item.values() if isinstance(item, Mapping) else (item,))
        if member is not None
    ]
    found = [span for member in members for span in find_value(text, member, type_of_value(member))]
    return sorted(found, key=lambda span: (span.start, span.end))


def _same_items(a: Any, b: Any) -> bool:
    left = list(a) if isinstance(a, list) else [a]
    right = list(b) if isinstance(b, list) else [b]
    if len(left) != len(right):
        return False
    for item in left:
        match = next((i for i, other in enumerate(right) if _same_item(item, other)), None)
        if match is None:
            return False
        del right[match]
    return True


def _same_item(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        keys = {k for k in a if a[k] is not None} | {k for k in b if b[k] is not None}
        return all(same_value(a.get(k), b.get(k), type_of_value(a.get(k))) for k in keys)
    return same_value(a, b, type_of_value(a))
