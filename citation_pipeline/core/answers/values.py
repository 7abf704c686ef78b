"""What an answer gives as a value, made into a value of the field's type, or refused with a stable code.

Here: the reading of one JSON value by a field's type. Not here: the grammars of dates and money in running
text (`values`), nor records and citations (`answers`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from citation_pipeline.core.answers.json_text import decode_json
from citation_pipeline.core.extraction import Value
from citation_pipeline.core.schemas import Field
from citation_pipeline.core.values.grammar import find_values, same_value

# a date, a number or a yes is a few words; a page of text is none of them
_LONGEST_SCALAR = 120
_ARTICLES = {"date": "a", "number": "a", "integer": "an", "boolean": "a"}


@dataclass(slots=True)
class TypedValue:
    """A value of the field's type; `codes` say what was refused (value None) or repaired on the way."""

    value: Value
    codes: list[str] = field(default_factory=list)


def read_value(raw: Any, field: Field) -> TypedValue:
    """Read one field's value; what cannot be read is None with a code such as `not_a_date`."""
    if raw is None:
        return TypedValue(None)
    if field.value_type == "array":
        return _read_array(raw, field)
    return _read_scalar(raw, field.value_type, field.enum)


def _read_scalar(raw: Any, value_type: str, enum: Sequence[str]) -> TypedValue:
    if isinstance(raw, str):
        raw = raw.strip()
        if not raw or raw.casefold() == "null":
            return TypedValue(None, ["empty_value"])
    if value_type == "string":
        return _read_string(raw)
    if value_type == "enum":
        return _read_enum(raw, enum)
    if value_type in ("number", "integer"):
        return _read_number(raw, value_type)
    if value_type == "boolean" and isinstance(raw, bool):
        return TypedValue(raw)
    return _read_text(raw, value_type)


def _read_text(raw: Any, value_type: str) -> TypedValue:
    refused = TypedValue(None, [f"not_{_ARTICLES[value_type]}_{value_type}"])
    if not isinstance(raw, str) or len(raw) > _LONGEST_SCALAR:
        return refused
    # the raw number of an int field may have a fraction: that is for the caller to refuse
    spans = find_values(raw, "number" if value_type == "integer" else value_type)
    if not spans:
        return refused
    parsed = spans[0].value
    if value_type == "boolean":
        if spans[0].start > 0:
            return refused
    elif not all(same_value(span.value, parsed, value_type) for span in spans):
        # "between 1 May and 3 June" is two dates: choosing one would be a guess
        return TypedValue(None, [*refused.codes, "ambiguous_value"])
    return TypedValue(parsed, [] if parsed == raw else ["retyped"])


def _read_string(raw: Any) -> TypedValue:
    if isinstance(raw, str):
        return TypedValue(raw)
    if isinstance(raw, int | float):
        return TypedValue(str(raw).lower(), ["retyped"])
    if isinstance(raw, list) and raw and all(isinstance(part, str) for part in raw):
        return TypedValue("; ".join(raw), ["retyped"])
    return TypedValue(None, ["not_a_string"])


def _read_enum(raw: Any, enum: Sequence[str]) -> TypedValue:
    if raw in enum:
        return TypedValue(raw)
    if isinstance(raw, str):
        # a structured reply does not guarantee the capitals of an enum's strings
        for allowed in enum:
            if _plain(allowed) == _plain(raw):
                return TypedValue(allowed, ["retyped"])
    return TypedValue(None, ["not_in_enum"])


def _plain(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())


def _read_number(raw: Any, value_type: str) -> TypedValue:
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        typed = _read_text(raw, value_type)
        raw = typed.value
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            return TypedValue(None, typed.codes)
        codes = typed.codes
    else:
        codes = []
    # beyond 64 bits no table can hold it
    if not math.isfinite(raw) or abs(raw) >= 2**63:
        return TypedValue(None, [f"not_{_ARTICLES[value_type]}_{value_type}"])
    if value_type == "integer" and isinstance(raw, float):
        return TypedValue(int(raw), codes) if raw.is_integer() else TypedValue(None, ["not_an_integer"])
    return TypedValue(raw, codes)


def _read_array(raw: Any, field: Field) -> TypedValue:
    codes: list[str] = []
    if isinstance(raw, str):
        try:
            raw = decode_json(raw)
        except ValueError:
            # a plain text where a list was asked for: its parts, if it is written as a list
            raw = [part.strip() for part in raw.replace("\n", ";").split(";") if part.strip()]
            codes.append("retyped")
    if raw is None:
        return TypedValue(None, codes)
    if not isinstance(raw, list):
        raw = [raw]
        codes.append("retyped")
    items: list[Any] = []
    for given in raw:
        item, item_codes = _read_item(given, field)
        codes.extend(code for code in item_codes if code not in codes)
        if item is not None:
            items.append(item)
    return TypedValue(items if items or not raw else None, codes)


def _read_item(raw: Any, field: Field) -> tuple[Any, list[str]]:
    """Return one item, None where nothing of it can be read, and its codes."""
    if not field.items:
        typed = _read_scalar(raw, field.item_type or "string", ())
        return typed.value, typed.codes
    codes: list[str] = []
    if not isinstance(raw, dict):
        # a bare value stands for what identifies the item: its first member
        raw = {field.items[0].name: raw}
        codes.append("retyped")
    if set(raw) - {member.name for member in field.items}:
        codes.append("unknown_member")
    item: dict[str, Value] = {}
    for member in field.items:
        if (given := raw.get(member.name)) is not None:
            typed = _read_scalar(given, member.value_type, member.enum)
            codes.extend(typed.codes)
            if typed.value is not None:
                item[member.name] = typed.value
        if member.required and member.name not in item:
            codes.append("missing_member")
    return (item, codes) if item else (None, [*codes, "empty_item"])
