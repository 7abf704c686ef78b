"""Answers with planted errors: a perfect answer of which every second field is wrong in a known way.

The errors are those of models, not of one extractor: another value under the right words, the right value
under invented words, under another field's or under none, an inverted yes or no. Which field gets which
follows from its name.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from citation_pipeline.core.schemas import Schema
from citation_pipeline.core.viewer.dataset import display_value

_INVENTED = "As discussed with counsel on several occasions, this was settled to everybody's satisfaction."


def plant_errors(answer: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the answer in the provider-neutral shape with its errors."""
    records = answer["extractions"]
    return {"extractions": [_plant(record, records, schema) for record in records]}


def _plant(record: Mapping[str, Any], records: Sequence[Mapping[str, Any]], schema: Schema) -> dict[str, Any]:
    key = record["field_key"]
    draw = int(hashlib.sha256(key.encode()).hexdigest()[:8], 16)
    other = records[draw % len(records)]
    match draw % 10:
        case 0 | 1:
            return {**record, "value": _altered(record["value"], key, records, schema)}
        case 2 | 6:
            source = record["citations"][0]["source_id"] if record["citations"] else ""
            said = _INVENTED if draw % 10 == 2 else f"{_INVENTED} It says {display_value(record['value'])}."
            return {**record, "citations": [{"source_id": source, "text_snippet": said}]}
        case 5:
            return {**record, "citations": []}
        case 3 if other is not record:
            return {**record, "citations": other["citations"][:1]}
        case 4:
            altered = _altered(record["value"], key, records, schema)
            return {**record, "value": altered, "citations": other["citations"][:1]}
        case _:
            return dict(record)


def _altered(value: Any, key: str, records: Sequence[Mapping[str, Any]], schema: Schema) -> Any:
    field = schema.by_key[key]
    match field.value_type:
        case "boolean":
            return not value
        case "number" | "integer":
            return value + 10
        case "date":
            return (date.fromisoformat(value) + timedelta(days=31)).isoformat()
        case "enum":
            return next(member for member in field.enum if member != value)
        case "array":
            return value[1:] if len(value) > 1 else [{"name": "Another"}] if field.items else ["Another"]
        case _:
            strings = [r["value"] for r in records if isinstance(r["value"], str) and r["value"] != value]
            return strings[len(key) % len(strings)]
