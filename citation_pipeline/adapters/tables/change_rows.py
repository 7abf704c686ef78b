"""Citation changes as rows: what the last resolution of a claim changed, and what it held back.

A side table: it describes a run and not the claim, so no stage's version depends on it.
"""

from collections.abc import Sequence

import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore, MissingTableError
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.core.citation_changes import Change, CitationChange

TABLE = "citation_changes"


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
        rows = store.read_table(TABLE, claim_id).to_pylist()
    except MissingTableError:
        return []
    return [
        CitationChange(
            row["citation_id"], row["field_key"], Change(row["change"]), row["overlap"], row["is_verified"]
        )
        for row in rows
    ]
