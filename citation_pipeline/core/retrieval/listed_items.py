"""A list of things with properties as somebody would say it: "right wrist and neck", "aspirin 81 mg"."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_QUANTITY = re.compile(r"\d[\d.,/]*\s?[a-zA-Z%]")
_REMARK_WORDS = 6  # a longer property beside the thing's name is a sentence about it


def text_of_items(value: Any, *, remarks: bool = True) -> str:
    """Return a list of things in words; "" for any other value.

    Without `remarks` a sentence that a thing has for a property is left out: why a part is disputed.
    """
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        return ""
    return in_a_row([text_of_item(item, remarks=remarks) for item in value])


def in_a_row(items: Sequence[str]) -> str:
    """Return things as a sentence has them: "neck, hip and knee"; with semicolons where one has a comma."""
    mark = ";" if any("," in item for item in items) else ","
    *first, last = items or [""]
    return f"{f'{mark} '.join(first)}{mark if mark == ';' else ''} and {last}" if first else last


def text_of_item(item: Mapping[str, Any], *, remarks: bool = True) -> str:
    """Return a thing's properties in a row as papers have them; a side that its name has is said once."""
    said = ""
    for name, value in item.items():
        if value in (None, "", "n/a") or (said and not remarks and len(str(value).split()) > _REMARK_WORDS):
            continue
        if name == "side":
            said = said if str(value).lower() in said.lower().split() else f"{value} {said}".strip()
        else:
            said += f"{(' ' if _QUANTITY.match(str(value)) else ', ') if said else ''}{value}"
    return said
