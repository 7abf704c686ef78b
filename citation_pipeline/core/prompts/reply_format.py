"""The one JSON Schema of every reply, whatever the claim and the target schema.

It is fixed because the provider compiles and caches it outside its protection of health data: no field
key, source id or enum of a claim may be in it, and a fixed one compiles once. Within the API's limits:
no optional property (24 allowed), one union (16 allowed), no recursion.
"""

from collections.abc import Mapping
from typing import Any

_CITATION: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "source_id": {"type": "string"},
        "text_snippet": {"type": "string"},
        "page": {"type": "integer"},
    },
    "required": ["source_id", "text_snippet", "page"],
    "additionalProperties": False,
}

_RECORD: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "field_key": {"type": "string"},
        # arrays come as a string of JSON: a union with objects would need their members, which differ
        # from field to field
        "value": {"anyOf": [{"type": kind} for kind in ("string", "number", "boolean", "null")]},
        "confidence": {"type": "string", "enum": ["low", "medium", "high"]},
        "provenance": {"type": "string", "enum": ["extracted", "inferred", "user-provided"]},
        "citations": {"type": "array", "items": _CITATION},
    },
    "required": ["field_key", "value", "confidence", "provenance", "citations"],
    "additionalProperties": False,
}


def _reply_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {"extractions": {"type": "array", "items": record}},
        "required": ["extractions"],
        "additionalProperties": False,
    }


REPLY_SCHEMA = _reply_of(_RECORD)

# a model writes the members in this order: what it has quoted is what it then reads the value from
_QUOTES_FIRST = ("field_key", "citations", "value", "confidence", "provenance")

QUOTING_SCHEMA = _reply_of(
    {
        **_RECORD,
        "properties": {name: _RECORD["properties"][name] for name in _QUOTES_FIRST},
        "required": list(_QUOTES_FIRST),
    }
)
"""The form of a second look's answer; as fixed as the other."""
