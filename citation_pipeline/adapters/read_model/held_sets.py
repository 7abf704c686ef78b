"""A set that the promotion gate holds back, beside what is shown: what would change, field by field.

Reads tables only; deciding is the pipeline's.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.adapters.tables.change_rows import Promotion, read_changes, read_promotion
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import DamagedTableError, StoreError
from citation_pipeline.adapters.verifications.promotions import decision_on
from citation_pipeline.adapters.verifications.store import read_reviews, signed_fields_of
from citation_pipeline.core.viewer.dataset import display_value

_NO_VERDICT = "the gate's verdict on the newest set cannot be read: re-match the claim"
_COLUMNS = ["citation_id", "field_key", "source_id", "snippet", "status", "page", "snippet_regions"]


@dataclass(frozen=True, slots=True)
class HeldSet:
    """What waits for a decision: the set's version, why it is held, and each change with both sides."""

    version: str
    reasons: Sequence[str]
    changes: Sequence[Mapping[str, Any]]

    def as_json(self) -> dict[str, Any]:
        """Return it as the viewer takes it."""
        return {"version": self.version, "reasons": list(self.reasons), "changes": list(self.changes)}


def held_promotion(store: ClaimStore, url: str, claim_id: str) -> Promotion | None:
    """Return the verdict on a claim's set that waits for a decision, None where nothing does.

    A verdict that cannot be read holds the set back too, and says so.
    """
    try:
        promotion = read_promotion(store, claim_id)
    except DamagedTableError:
        return Promotion("", (_NO_VERDICT,))
    except StoreError:
        return None
    if promotion is None or not promotion.reasons:
        return None
    return promotion if decision_on(url, claim_id, promotion.version) is None else None


def read_held_set(store: ClaimStore, url: str, claim_id: str) -> HeldSet | None:
    """Return the claim's held set beside the shown one, None where nothing waits for a decision.

    What somebody signed comes first, then changed values, then places.
    """
    promotion = held_promotion(store, url, claim_id)
    if promotion is None:
        return None
    signed = signed_fields_of(read_reviews(url, claim_id))
    changes = [
        *_value_changes(store, claim_id, signed),
        *_place_changes(store, claim_id, promotion.misplaced),
    ]
    changes.sort(key=lambda change: not change["isVerified"])
    return HeldSet(promotion.version, promotion.reasons, changes)


def _value_changes(store: ClaimStore, claim_id: str, signed: frozenset[str]) -> Iterable[dict[str, Any]]:
    before, after = (_values(store, claim_id, table) for table in ("shown_fields", "fields"))
    for key in dict.fromkeys([*before, *after]):
        if before.get(key) != after.get(key):
            yield {
                "kind": "value",
                "change": "changed",
                "fieldKey": key,
                "isVerified": key in signed,
                "before": {"value": display_value(before.get(key))},
                "after": {"value": display_value(after.get(key))},
            }


def _place_changes(store: ClaimStore, claim_id: str, misplaced: Sequence[str]) -> Iterable[dict[str, Any]]:
    before, after = (_places(store, claim_id, table) for table in ("shown_citations", "citations"))
    changed = {change.citation_id: change for change in read_changes(store, claim_id)}
    for citation_id in dict.fromkeys([*changed, *misplaced]):
        found = changed.get(citation_id)
        one, other = before.get(citation_id), after.get(citation_id)
        if one is None and other is None:
            continue
        yield {
            "kind": "place",
            "change": found.change.value if found else "misplaced",
            "isMisplaced": citation_id in misplaced,
            "citationId": citation_id,
            "fieldKey": found.field_key if found else (other or one or {})["fieldKey"],
            "isVerified": bool(found and found.is_verified),
            "before": one,
            "after": other,
        }


def _values(store: ClaimStore, claim_id: str, table: str) -> dict[str, Any]:
    try:
        rows = store.read_rows(table, claim_id, ["field_key", "value"])
    except StoreError:
        return {}
    return {row["field_key"]: json.loads(row["value"]) for row in rows}


def _places(store: ClaimStore, claim_id: str, table: str) -> dict[str, dict[str, Any]]:
    try:
        rows = store.read_rows(table, claim_id, _COLUMNS)
    except StoreError:
        return {}
    return {
        row["citation_id"]: {
            "fieldKey": row["field_key"],
            "sourceId": row["source_id"],
            "page": row["page"],
            "status": row["status"],
            "snippet": row["snippet"],
            "regions": {"snippet": row["snippet_regions"] or []},
        }
        for row in rows
    }
