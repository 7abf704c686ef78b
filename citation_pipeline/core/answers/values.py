"""What an answer gives as a value, made into a value of the field's type, or refused with a stable code.

Here: a field's value as a whole, and lists. Scalars are `scalars`' work, records and citations `reading`'s.
"""

import json
import re
from typing import Any

from citation_pipeline.core.answers.json_text import decode_json
from citation_pipeline.core.answers.placeholders import is_denial, is_placeholder
from citation_pipeline.core.answers.scalars import TypedValue, read_scalar
from citation_pipeline.core.extraction import Value
from citation_pipeline.core.json_schemas.constraints import BROKEN, breaks
from citation_pipeline.core.schemas import Field, ItemField
from citation_pipeline.core.values.spans import fold

_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[\]}])')
# "neck, back and left knee" is three parts or one: only a semicolon or a line's end parts for certain
_UNPARTED = re.compile(r",\s|\s(?:and|or|y|et|und|&)\s", re.IGNORECASE)


def read_value(raw: Any, field: Field) -> TypedValue:
    """Read one field's value; what cannot be read is None with a code such as `not_a_date`.

    A list that is said to be empty is `[]` with the code `denied`: the caller has to find the denial in the
    cited words, or it is no value.
    """
    if raw is None:
        return TypedValue(None)
    if field.value_type == "array":
        typed = _read_array(raw, field)
    else:
        typed = read_scalar(raw, field.value_type, enum=field.enum, about=_about(field))
    return _within_limits(typed, field)


def _within_limits(typed: TypedValue, field: Field | ItemField) -> TypedValue:
    """Mark a value that the schema's limits do not allow; it is what the documents say and stays."""
    if typed.value is not None and breaks(typed.value, field.constraints):
        typed.codes.append(BROKEN)
    return typed


def _about(field: Field | ItemField) -> str:
    """Return what the schema says of a field: its name on the first line, the rest below."""
    if isinstance(field, ItemField):
        return f"{field.name}\n{field.description}"
    return "\n".join((field.key, field.title, field.description, *field.hints))


def _read_array(raw: Any, field: Field | ItemField) -> TypedValue:
    codes: list[str] = []
    if isinstance(raw, str):
        raw, codes = _list_of_text(raw, field)
    if raw is None:
        return TypedValue(None, codes)
    if not isinstance(raw, list):
        if not isinstance(raw, dict) and field.items:
            return TypedValue(None, ["not_an_array"])
        raw = [raw]
        codes.append("retyped")
    if _holds_texts(field) and (texts := [_as_text(given) for given in raw]) != raw:
        raw, codes = texts, [*codes, *(["retyped"] if "retyped" not in codes else [])]
    if raw and all(isinstance(given, str) and (is_denial(given) or is_placeholder(given)) for given in raw):
        return TypedValue([], ["denied"])
    items: list[Any] = []
    kept: list[int] = []
    for number, given in enumerate(raw):
        item, item_codes = _read_item(given, field)
        codes.extend(code for code in item_codes if code not in codes)
        if item is None:
            continue
        if _is_known(item, items):
            codes.extend(code for code in ("repeated_item",) if code not in codes)
            if not isinstance(item, dict):  # two equal payments may both have been made
                continue
        items.append(item)
        kept.append(number)
    if not raw:
        return TypedValue([], [*codes, "denied"])
    return TypedValue(items or None, codes, tuple(kept))


def _list_of_text(text: str, field: Field | ItemField) -> tuple[Any, list[str]]:
    """Return what a text in a list's place holds, and the codes; None where it is no list."""
    bare = text.strip()
    if not bare or bare.casefold() == "null":
        return None, ["empty_value"] if not bare else []
    try:
        return decode_json(bare), []
    except ValueError:
        pass
    if bare[0] in "[{":
        try:
            return decode_json(_TRAILING_COMMA.sub(lambda m: m[1] or m[2], bare)), ["retyped"]
        except ValueError:
            return None, ["not_an_array"]
    if is_denial(bare):
        return [bare], []
    if is_placeholder(bare):
        return None, ["placeholder_value", "not_an_array"]
    if field.items:
        return None, ["not_an_array"]  # which of its words is which member, nobody can tell
    parts = [part.strip() for part in bare.replace("\n", ";").split(";") if part.strip()]
    if len(parts) == 1 and _UNPARTED.search(bare):
        return None, ["not_an_array", "ambiguous_value"]
    return parts, ["retyped"]


def _holds_texts(field: Field | ItemField) -> bool:
    """Tell whether an item, or what identifies it, is a text."""
    return (field.items[0].value_type if field.items else field.item_type or "string") == "string"


def _as_text(given: Any) -> Any:
    """Return a number in a text's place as that text: [0] must mean what ["0"] does, a denial of items."""
    return str(given) if isinstance(given, int | float) and not isinstance(given, bool) else given


def _is_known(item: Any, items: list[Any]) -> bool:
    if isinstance(item, str):
        return any(isinstance(other, str) and fold(other) == fold(item) for other in items)
    return json.dumps(item, sort_keys=True) in (json.dumps(other, sort_keys=True) for other in items)


def _read_item(raw: Any, field: Field | ItemField) -> tuple[Any, list[str]]:
    """Return one item, None where nothing of it can be read, and its codes."""
    if not field.items:
        typed = read_scalar(raw, field.item_type or "string", enum=field.item_enum)
        if _holds_texts(field) and isinstance(typed.value, str) and is_denial(typed.value):
            return None, ["placeholder_value"]  # among real items, "none" is none of them
        return typed.value, typed.codes
    codes: list[str] = []
    if not isinstance(raw, dict):
        # a bare value stands for what identifies the item: its first member
        raw = {field.items[0].name: raw}
        codes.append("retyped")
        if field.items[0].value_type in ("array", "object"):
            return None, ["not_an_object"]
    if set(raw) - {member.name for member in field.items}:
        codes.append("unknown_member")
    item: dict[str, Value] = {}
    named = raw.get(field.items[0].name)
    if isinstance(named, str) and is_denial(named):
        return None, [*codes, "placeholder_value"]
    for member in field.items:
        if (given := raw.get(member.name)) is not None:
            typed = _read_member(given, member)
            codes.extend(typed.codes)
            if typed.value is not None:
                item[member.name] = typed.value
        if member.required and member.name not in item:
            codes.append("missing_member")
    named = item.get(field.items[0].name)
    if _holds_texts(field) and isinstance(named, str) and is_denial(named):
        return None, [*codes, "placeholder_value"]  # the list ["none"], or 0, in a text's place
    return (item, codes) if item else (None, [*codes, "empty_item"])


def _read_member(raw: Any, member: ItemField) -> TypedValue:
    """Read one member of an item: a scalar, a list of its own, or an object within it."""
    if member.value_type == "object":
        if not isinstance(raw, dict):
            return TypedValue(None, ["not_an_object"])
        value, codes = _read_item(raw, member)
        return TypedValue(value, codes)
    if member.value_type == "array":
        typed = _read_array(raw, member)
        # who denies a list within an item is not cited for it: silence is all that is known
        if "denied" in typed.codes:
            return TypedValue(None, [code for code in typed.codes if code != "denied"])
    else:
        typed = read_scalar(raw, member.value_type, enum=member.enum, about=_about(member))
    return _within_limits(typed, member)
