"""Presigned addresses kept out of what is stored: whoever reads a store must not be able to fetch documents.

They expire, and nothing here needs them again: a result is downloaded at once.
"""

from __future__ import annotations

import json
from typing import Any

_KEYS = ("url", "link")
"""How the names of values end that hold an address: `url`, `image_url`, `pdf_url`, `studio_link`."""


def without_addresses(data: bytes) -> bytes:
    """Return an answer with its addresses made null; the same bytes where it has none or is no JSON."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return data
    kept, found = _without(value)
    return json.dumps(kept, ensure_ascii=False).encode() if found else data


def _without(value: Any) -> tuple[Any, bool]:
    if isinstance(value, list):
        parts = [_without(one) for one in value]
        return [part for part, _ in parts], any(found for _, found in parts)
    if not isinstance(value, dict):
        return value, False
    kept: dict[str, Any] = {}
    was_found = False
    for key, one in value.items():
        if str(key).lower().endswith(_KEYS) and isinstance(one, str) and one.lower().startswith("http"):
            kept[key], found = None, True
        else:
            kept[key], found = _without(one)
        was_found = was_found or found
    return kept, was_found
