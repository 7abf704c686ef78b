"""What the last resolution of a claim changed, whether that may be shown, and what is shown now.

Side tables: they describe runs and not the claim, so no stage's version depends on them.
"""

from collections.abc import Sequence

import pyarrow as pa

from citation_pipeline.adapters.tables.citation_rows import regions_of_rows
from citation_pipeline.adapters.tables.claim_store import ClaimStore, version_of
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.stored_files import StoreError
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.resolution.changes import Change, CitationChange, PlacedSnippet

TABLE = "citation_changes"
_PLACE_COLUMNS = ("citation_id", "field_key", "source_id", "snippet", "status", "method", "snippet_regions")


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


def write_promotion(store: ClaimStore, claim_id: str, reasons_to_hold: Sequence[str]) -> None:
    """Keep why the last resolution must not be shown; no reason lets it through."""
    row = {"claim_id": claim_id, "reasons_to_hold": list(reasons_to_hold)}
    store.write_side_table("promotions", claim_id, pa.Table.from_pylist([row], schema=SHAPES["promotions"]))


def read_reasons_to_hold(store: ClaimStore, claim_id: str) -> list[str]:
    """Return why the last resolution must not be shown."""
    try:
        rows = store.read_rows("promotions", claim_id)
    except StoreError:
        return []
    return list(rows[0]["reasons_to_hold"])


def mark_as_shown(store: ClaimStore, claim_id: str) -> None:
    """Remember the claim's citations as those that its viewer dataset shows from now on."""
    store.copy_table("citations", "shown_citations", claim_id)


def are_shown(store: ClaimStore, claim_id: str, citations: pa.Table) -> bool:
    """Tell whether the viewer dataset shows these very rows."""
    shown = store.table_state("shown_citations", claim_id)
    return shown is not None and shown.data_version == version_of({"citations": citations})


def read_shown_citations(store: ClaimStore, claim_id: str) -> list[PlacedSnippet]:
    """Return where the citations that the viewer dataset shows are, none before the first one."""
    try:
        rows = store.read_rows("shown_citations", claim_id, list(_PLACE_COLUMNS))
    except StoreError:
        return []
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
