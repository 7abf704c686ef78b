"""What the last resolution of a claim changed, whether that may be shown, and what is shown now.

Side tables: they describe runs and not the claim, so no stage's version depends on them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from citation_pipeline.adapters.tables.citation_rows import regions_of_rows
from citation_pipeline.adapters.tables.claim_store import ClaimStore, version_of
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.store_errors import (
    DamagedTableError,
    MissingTableError,
    OutdatedTableError,
    StoreError,
)
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.resolution.changes import Change, CitationChange, PlacedSnippet

TABLE = "citation_changes"
_JUDGED_COLUMNS = (
    "field_key",
    "value",
    "value_type",
    "confidence",
    "belief",
    "provenance",
    "warnings",
    "candidates",
)
PLACE_COLUMNS = ("citation_id", "field_key", "source_id", "snippet", "status", "method", "snippet_regions")


def write_changes(store: ClaimStore, claim_id: str, changes: Sequence[CitationChange]) -> None:
    """Keep what the last resolution changed; citations that stayed the same are only counted elsewhere."""
    rows = [
        {
            "claim_id": claim_id,
            "citation_id": change.citation_id,
            "field_key": change.field_key,
            "change": change.change.value,
            "overlap": change.overlap,
            "is_verified": change.is_verified,
        }
        for change in changes
        if change.change is not Change.SAME
    ]
    store.write_side_table(TABLE, claim_id, pa.Table.from_pylist(rows, schema=SHAPES[TABLE]))


def read_changes(store: ClaimStore, claim_id: str) -> list[CitationChange]:
    """Return what the last resolution changed, none where there was no earlier one."""
    try:
        rows = store.read_rows(TABLE, claim_id)
    except StoreError:
        return []
    return [
        CitationChange(
            row["citation_id"], row["field_key"], Change(row["change"]), row["overlap"], row["is_verified"]
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class Promotion:
    """The verdict on a claim's last resolution.

    `version` names the set (`set_version`); `reasons` say why it is held.
    """

    version: str
    reasons: Sequence[str] = ()
    misplaced: Sequence[str] = ()  # ids of citations whose boxes hold other words than they quote


def set_version(citations: pa.Table, fields: pa.Table) -> str:
    """Return what names a set of values and citations: a decision on it says nothing of any other.

    Values and doubts belong to it: another value may well be quoted from the very same words.
    """
    return version_of({"citations": citations, "fields": fields.select(_JUDGED_COLUMNS)})


def write_promotion(store: ClaimStore, claim_id: str, promotion: Promotion) -> None:
    """Keep the verdict on the last resolution; no reason lets it through."""
    row = {
        "claim_id": claim_id,
        "reasons_to_hold": list(promotion.reasons),
        "version": promotion.version,
        "misplaced": list(promotion.misplaced),
    }
    store.write_side_table("promotions", claim_id, pa.Table.from_pylist([row], schema=SHAPES["promotions"]))


def read_promotion(store: ClaimStore, claim_id: str) -> Promotion | None:
    """Return the verdict on the last resolution, None before the first one."""
    try:
        (row,) = store.read_rows("promotions", claim_id)
    except MissingTableError:
        return None
    except OutdatedTableError:  # of version 0.1, which kept the reasons alone: what was held stays held
        (row,) = store.read_rows("promotions", claim_id, ["reasons_to_hold"])
        return Promotion("", tuple(row["reasons_to_hold"]))
    return Promotion(row["version"], tuple(row["reasons_to_hold"]), tuple(row["misplaced"]))


def mark_as_shown(store: ClaimStore, claim_id: str) -> None:
    """Remember the claim's values and citations as those that its viewer dataset shows from now on."""
    store.copy_table("fields", "shown_fields", claim_id)
    store.copy_table("citations", "shown_citations", claim_id)


def read_shown_values(store: ClaimStore, claim_id: str) -> dict[str, Any]:
    """Return the shown values by field key, none before the first dataset.

    Raises DamagedTableError: values that cannot be read are not values that are not shown.
    """
    try:
        rows = store.read_rows("shown_fields", claim_id, ["field_key", "value"])
    except (MissingTableError, OutdatedTableError):
        return {}
    return {row["field_key"]: json.loads(row["value"]) for row in rows}


def read_model(store: ClaimStore, claim_id: str, *, shown: bool = False) -> str | None:
    """Return the model that gave a claim's values, or those that are shown.

    "" where it is not named (a recorded answer), None where there are no values.
    """
    try:
        rows = store.read_rows("shown_fields" if shown else "fields", claim_id, ["model"])
    except StoreError:
        return None
    if not rows:
        return None
    return next((str(row["model"]) for row in rows if row["model"]), "")


def values_are_shown(store: ClaimStore, claim_id: str, version: str) -> bool:
    """Tell whether the viewer dataset shows the values of this version of `extracted_fields`."""
    shown = store.table_state("shown_fields", claim_id)
    return shown is not None and shown.data_version == version


def are_shown(store: ClaimStore, claim_id: str, citations: pa.Table) -> bool:
    """Tell whether the viewer dataset shows these very rows."""
    shown = store.table_state("shown_citations", claim_id)
    return shown is not None and shown.data_version == version_of({"citations": citations})


def read_shown_citations(store: ClaimStore, claim_id: str) -> list[PlacedSnippet]:
    """Return where the citations that the viewer dataset shows are, none before the first one.

    Raises DamagedTableError, as `read_shown_values`.
    """
    try:
        return read_places(store, claim_id, table="shown_citations")
    except (MissingTableError, OutdatedTableError):
        return []


def lost_of_shown(store: ClaimStore, claim_id: str) -> list[str]:
    """Return the tables of what the viewer dataset shows that are gone or damaged while it is there."""
    lost = []
    for name in ("shown_fields", "shown_citations"):
        if store.table_state(name, claim_id) is None and store.has("viewer_dataset", claim_id, "data.json"):
            try:
                store.read_table(name, claim_id, ["claim_id"])
            except (MissingTableError, DamagedTableError):
                lost.append(name)
    return lost


def dataset_is_made_of(store: ClaimStore, claim_id: str, citations: pa.Table, *, fields_version: str) -> bool:
    """Tell whether the viewer dataset says that it was made of these very citations and values.

    One that was left as it was, since the set was refused, says so too.
    """
    state = store.stage_state("viewer_dataset", claim_id)
    return state is not None and (
        state.inputs.get("resolved_citations") == version_of({"citations": citations})
        and state.inputs.get("extracted_fields") == fields_version
    )


def read_places(store: ClaimStore, claim_id: str, *, table: str = "citations") -> list[PlacedSnippet]:
    """Return where a claim's citations are, without candidates and the rest; raises MissingTableError."""
    return places_of_rows(store.read_rows(table, claim_id, list(PLACE_COLUMNS)))


def places_of_rows(rows: Iterable[Mapping[str, Any]]) -> list[PlacedSnippet]:
    """Return the places in rows with at least `PLACE_COLUMNS`."""
    return [
        PlacedSnippet(
            citation_id=row["citation_id"],
            field_key=row["field_key"],
            source_id=row["source_id"],
            snippet_text=row["snippet"],
            status=CitationStatus(row["status"]),
            method=row["method"],
            snippet=regions_of_rows(row["snippet_regions"]),
        )
        for row in rows
    ]
