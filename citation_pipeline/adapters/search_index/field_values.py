"""Asking the index for fields' values, and for the claims whose values meet conditions.

Every value that a caller gives is a bound parameter; whether a value meets a condition is for
`conditions.condition.holds` to say.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.retrieval.conditions.condition import (
    AllOf,
    AnyOf,
    Condition,
    Conditions,
    holds,
)


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
    changed: tuple[Any, Any] | None = None  # what was signed and what is read now, where they need review
    currency: str = ""  # that the words at its place name, where they name one
    content: str = ""  # the hash of the file that it is read in

    @property
    def is_settled(self) -> bool:
        """Tell whether others may be chosen by it: somebody verified it, or its words are found."""
        return self.is_verified or self.is_located


_FIELD_COLUMNS = (
    "f.claim_id, f.field_key, f.item_path, f.label, f.category, f.value_type, f.value, f.source_id, f.page, "
    "f.is_located, f.is_verified, f.confidence, f.place, coalesce(d.file, ''), "
    "f.changed, f.currency, coalesce(d.sha256, '')"
)


def find_values(
    connection: sqlite3.Connection,
    *,
    field_key: str,
    member: str = "",
    claim_ids: Iterable[str] | None = None,
) -> list[FieldValue]:
    """Return a field's whole values, or those of one member of its items, in the order of claims."""
    where, parameters = ["f.field_key = ?"], [field_key]
    if member:
        where.append("f.item_path LIKE '[%' AND substr(f.item_path, instr(f.item_path, '].') + 2) = ?")
        parameters.append(member)
    else:
        where.append("f.item_path = ''")
    if claim_ids is not None:
        where.append("f.claim_id IN (SELECT value FROM json_each(?))")
        parameters.append(json.dumps(sorted(claim_ids)))
    rows = connection.execute(
        f"SELECT {_FIELD_COLUMNS} FROM field_values f "
        "LEFT JOIN documents d ON d.claim_id = f.claim_id AND d.source_id = f.source_id "
        f"WHERE {' AND '.join(where)} ORDER BY f.claim_id, f.item_path",
        parameters,
    )
    return [_value(row) for row in rows]


def claims_meeting(
    connection: sqlite3.Connection,
    conditions: Conditions,
    claim_ids: Sequence[str] | None = None,
    *,
    settled: bool = False,
) -> dict[str, list[FieldValue]]:
    """Return the claims that meet conditions, each with the values that do.

    Conditions on members of one list that are joined by "and" must be met by one and the same item. With
    `settled` no value counts that is at no place and nobody verified, and none is missing that was not read.
    """
    scope = None if claim_ids is None else set(claim_ids)
    if isinstance(conditions, Condition):
        meeting = _by_claim(
            _meeting(connection, conditions, scope, settled=settled), connection, conditions, scope
        )
        if settled and conditions.operator == "missing":
            unsettled = unsettled_claims(connection, conditions.field_key)
            return {claim: values for claim, values in meeting.items() if claim not in unsettled}
        return meeting
    parts = [
        claims_meeting(connection, part, claim_ids, settled=settled) for part in _joined_items(conditions)
    ]
    for items in _item_groups(conditions):
        met = items_meeting(connection, items, claim_ids, settled=settled)
        parts.append(_by_claim(met.values(), connection, None, scope))
    found = parts[0]
    for part in parts[1:]:
        both = found.keys() & part.keys() if isinstance(conditions, AllOf) else found.keys() | part.keys()
        found = {claim: [*found.get(claim, ()), *part.get(claim, ())] for claim in both}
    return found


def unsettled_claims(connection: sqlite3.Connection, field_key: str) -> set[str]:
    """Return the claims without a value of a field that may have one.

    A page was not read for it, or what was read is doubted.
    """
    rows = connection.execute("SELECT claim_id FROM unsettled_fields WHERE field_key = ?", (field_key,))
    return {claim_id for (claim_id,) in rows}


def items_meeting(
    connection: sqlite3.Connection,
    conditions: Conditions,
    claim_ids: Sequence[str] | None = None,
    *,
    settled: bool = False,
) -> dict[tuple[str, str], FieldValue]:
    """Return the items of one list that meet conditions on its members, by claim and item (`[2]`)."""
    scope = None if claim_ids is None else set(claim_ids)
    if isinstance(conditions, Condition):
        met = _meeting(connection, conditions, scope, settled=settled)
        return {(v.claim_id, item_of(v)): v for v in met}
    parts = [items_meeting(connection, part, claim_ids, settled=settled) for part in conditions.parts]
    found = parts[0]
    for part in parts[1:]:
        if isinstance(conditions, AnyOf):
            found = {**part, **found}
        else:
            found = {key: value for key, value in found.items() if key in part}
    return found


def item_of(value: FieldValue) -> str:
    """Return the item that a member's value belongs to: `[2]` of `[2].amount`."""
    return value.item_path.partition("]")[0] + "]"


def list_of(conditions: Conditions) -> str | None:
    """Return the list whose members all of these conditions are about; None when there is none."""
    if isinstance(conditions, Condition):
        return conditions.field_key if conditions.member and conditions.operator != "missing" else None
    lists = {list_of(part) for part in conditions.parts}
    return next(iter(lists)) if len(lists) == 1 else None


def _item_groups(conditions: AllOf | AnyOf) -> list[Conditions]:
    if isinstance(conditions, AnyOf):
        return []
    groups: dict[str, list[Conditions]] = {}
    for part in conditions.parts:
        if (name := list_of(part)) is not None:
            groups.setdefault(name, []).append(part)
    return [AllOf(tuple(parts)) for parts in groups.values() if len(parts) > 1]


def _joined_items(conditions: AllOf | AnyOf) -> list[Conditions]:
    """Return the parts that are met by a claim for themselves, not by one item together with others."""
    together = {id(part) for group in _item_groups(conditions) for part in getattr(group, "parts", ())}
    return [part for part in conditions.parts if id(part) not in together]


def _meeting(
    connection: sqlite3.Connection, condition: Condition, scope: set[str] | None, *, settled: bool
) -> list[FieldValue]:
    values = find_values(connection, field_key=condition.field_key, member=condition.member, claim_ids=scope)
    return [value for value in values if holds(condition, value.value) and (value.is_settled or not settled)]


def _by_claim(
    values: Iterable[FieldValue],
    connection: sqlite3.Connection,
    condition: Condition | None,
    scope: set[str] | None,
) -> dict[str, list[FieldValue]]:
    if condition is not None and condition.operator == "missing":
        known = {
            value.claim_id
            for value in find_values(connection, field_key=condition.field_key, member=condition.member)
        }
        every = (row[0] for row in connection.execute("SELECT claim_id FROM claims ORDER BY claim_id"))
        return {claim: [] for claim in every if claim not in known and (scope is None or claim in scope)}
    return group_values(values)


def group_values(values: Iterable[FieldValue]) -> dict[str, list[FieldValue]]:
    """Return values by claim."""
    found: dict[str, list[FieldValue]] = {}
    for value in values:
        found.setdefault(value.claim_id, []).append(value)
    return found


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
        changed=tuple(json.loads(row[14])) if row[14] else None,
        currency=row[15],
        content=row[16],
    )
