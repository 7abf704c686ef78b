"""Asking the index for fields' values: those of one field, or those that meet a condition.

Every value that a caller gives is a bound parameter.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.retrieval.query_grammar import ANY_AMOUNT, Condition

_COLUMN = {">": ">", ">=": ">=", "<": "<", "<=": "<=", "=": "="}


@dataclass(frozen=True, slots=True)
class FieldValue:
    """One value of a claim's field as the index keeps it; `item_path` is "" for the whole value."""

    claim_id: str
    field_key: str
    item_path: str
    label: str
    category: str
    value_type: str
    value: Any
    source_id: str | None
    page: int | None
    is_located: bool
    is_verified: bool
    confidence: float
    box: tuple[float, float, float, float] | None
    page_size: tuple[float, float]
    file: str


_FIELD_COLUMNS = (
    "f.claim_id, f.field_key, f.item_path, f.label, f.category, f.value_type, f.value, f.source_id, f.page, "
    "f.is_located, f.is_verified, f.confidence, f.place, coalesce(d.file, '')"
)


def find_values(
    connection: sqlite3.Connection,
    *,
    field_key: str | None = None,
    condition: Condition | None = None,
    claim_ids: Sequence[str] | None = None,
    limit: int = 100_000,
) -> list[FieldValue]:
    """Return the values of a field, or those that meet a condition, in the order of claims."""
    where, parameters = ["1 = 1"], []
    if field_key is not None:
        where.append("field_key = ?")
        parameters.append(field_key)
    if condition is not None:
        clause, bound = _where(condition)
        where.append(clause)
        parameters += bound
    if claim_ids is not None:
        where.append("f.claim_id IN (SELECT value FROM json_each(?))")
        parameters.append(json.dumps(list(claim_ids)))
    rows = connection.execute(
        f"SELECT {_FIELD_COLUMNS} FROM field_values f "
        "LEFT JOIN documents d ON d.claim_id = f.claim_id AND d.source_id = f.source_id "
        f"WHERE {' AND '.join(where)} ORDER BY f.claim_id, f.field_key, f.item_path LIMIT ?",
        (*parameters, limit),
    )
    return [_value(row) for row in rows]


def _where(condition: Condition) -> tuple[str, list[Any]]:
    if isinstance(condition.value, str):
        column = "day" if condition.value[:4].isdigit() else "word"
    else:
        column = "number"
    bounds = [condition.value] if condition.upper is None else [condition.value, condition.upper]
    if column == "word":
        bounds = [str(bound).casefold() for bound in bounds]
    clause = "" if condition.field_key == ANY_AMOUNT else "field_key = ? AND "
    parameters: list[Any] = [] if condition.field_key == ANY_AMOUNT else [condition.field_key]
    if condition.operator == "between":
        return f"{clause}{column} BETWEEN ? AND ?", [*parameters, *bounds]
    return f"{clause}{column} {_COLUMN[condition.operator]} ?", [*parameters, bounds[0]]


def _value(row: Sequence[Any]) -> FieldValue:
    place = json.loads(row[12]) if row[12] else None
    return FieldValue(
        claim_id=row[0],
        field_key=row[1],
        item_path=row[2],
        label=row[3],
        category=row[4],
        value_type=row[5],
        value=json.loads(row[6]),
        source_id=row[7],
        page=row[8],
        is_located=bool(row[9]),
        is_verified=bool(row[10]),
        confidence=row[11],
        box=tuple(place[:4]) if place else None,
        page_size=(place[4], place[5]) if place else (612.0, 792.0),
        file=row[13],
    )
