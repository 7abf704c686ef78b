"""Data cut to what an agent pays for: so many characters, no empty members, long texts shortened."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.viewer.citation_objects import PageBox

MOST_CHARACTERS = 7_400  # of an answer's JSON: it is sent twice, so some 4,000 tokens
MOST_VALUE = 300
_MOST_QUOTED = 400  # characters of a quotation: what it says, not the page

Json = dict[str, Any]


def fit(items: Sequence[Json], room: int) -> list[Json]:
    """Return the first items whose JSON fits into so many characters; at least one."""
    kept: list[Json] = []
    for item in items:
        room -= size_of(item)
        if room < 0 and kept:
            break
        kept.append(item)
    return kept


def size_of(data: Any) -> int:
    """Return the characters of a value's JSON."""
    return len(json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str))


def without_empty(data: Any) -> Any:
    """Return the data without members that say nothing: None, empty texts and empty lists."""
    if isinstance(data, Mapping):
        kept = {key: without_empty(value) for key, value in data.items()}
        return {key: value for key, value in kept.items() if value not in (None, "", [], {}, ())}
    if isinstance(data, list | tuple):
        return [without_empty(value) for value in data]
    return data


def short(text: Any, most: int = _MOST_QUOTED) -> Any:
    """Return a text, or the JSON of a long value, cut to a length."""
    if isinstance(text, list | dict):
        packed = json.dumps(text, ensure_ascii=False)
        return text if len(packed) <= most else packed[: most - 1] + "…"
    if not isinstance(text, str) or len(text) <= most:
        return text
    return text[: most - 1].rstrip() + "…"


def box_of(box: PageBox | None) -> Json | None:
    """Return a box's sides with four digits: a tenth of a millimetre."""
    if box is None:
        return None
    return {name: round(getattr(box, name), 4) for name in ("left", "top", "width", "height")}
