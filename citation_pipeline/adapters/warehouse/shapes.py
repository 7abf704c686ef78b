"""The tables of the warehouse: which columns of the store's tables it keeps, and which it makes itself.

`docs/warehouse.md` describes them for those who query. Views are in `views`, the wide tables of the
fields in `fields`; filling and publishing is done in `filling` and `publishing`.
"""

from collections.abc import Mapping

import pyarrow as pa

from citation_pipeline.adapters.outbound_ledger import SHAPE as OUTBOUND
from citation_pipeline.adapters.tables.shapes import SHAPES

TABLES: Mapping[str, tuple[str, ...]] = {
    "source_documents": (),
    "documents": (),
    "similar_pages": (),
    "raw_extraction": ("reply",),  # what a reply cost is asked across claims, what it said is not
    # snippets are in `citations`, with their places; candidates are no values
    "fields": ("snippets", "candidates"),
    "field_history": (),
    "answer_issues": (),
    "conflicts": ("snippets",),
    "unread_pages": (),
    "violations": ("statements",),
    # the viewer asks for places, claim by claim, and finds them in the store
    "citations": (
        "block_regions",
        "snippet_regions",
        "value_regions",
        "word_ids",
        "word_ranges",
        "candidates",
    ),
    "field_confidences": (),
    "citation_changes": (),
    "promotions": (),
}
"""The store's table to the columns that are left out. Words, pages, blocks and chunks stay in Parquet."""


def _shape(*columns: str, **others: pa.DataType) -> pa.Schema:
    return pa.schema([*((name, pa.string()) for name in columns), *others.items()])


REGISTRATIONS = _shape("claim_id", "schema", "parser", "extractor", "folder", is_archived=pa.bool_())
FAILED_TRIES = _shape(
    "claim_id", "stage", "reason", is_transient=pa.bool_(), nights=pa.int32(), failed_at=pa.string()
)
VERIFICATIONS = _shape(
    "claim_id",
    "field_key",
    "action",
    "reviewer",
    "made_at",
    "value",
    "seen_value",
    "comment",
    places=pa.int32(),
    verification_id=pa.int64(),
)
"""One row per event of a person; the values are JSON."""

FIELD_REVIEWS = _shape(
    "claim_id",
    "field_key",
    "state",
    "verdict",
    "value",
    "pipeline_value",
    "reviewer",
    "made_at",
    comments=pa.int32(),
    events=pa.int32(),
)
"""One row per field that anybody said something about: what its events add up to, and whether that holds."""

FIELD_STATES = _shape("claim_id", "field_key", "state", candidates=pa.int32(), unread_documents=pa.int32())
"""One row per field of a shown dataset: whether it has a value, and if not, whether that means anything."""

RUNS = pa.schema(
    [
        ("run_id", pa.string()),
        ("job", pa.string()),
        ("status", pa.string()),
        ("claim_id", pa.string()),
        ("claims", pa.int32()),
        ("stages", pa.list_(pa.string())),
        ("reasons", pa.string()),
        ("night", pa.string()),
        ("started_at", pa.float64()),
        ("ended_at", pa.float64()),
        ("updated_at", pa.float64()),
    ]
)
"""One row per run of the pipeline; `claim_id` is null for a run of several, times are seconds since 1970."""

# `at` is a word of DuckDB's grammar
OUTBOUND_SHAPE = pa.schema(
    [("sent_at", pa.string()), *(column for column in OUTBOUND if column.name != "at"), ("file", pa.string())]
)
UNREADABLE = _shape("claim_id", "table_name", "reason", "mark", "noticed_at")
"""What the store has and the warehouse could not read; of a file of the ledger, `claim_id` is its name."""

FIELD_COLUMNS = _shape("table_name", "column_name", "field_key", "column_type")
"""Which column of which wide table holds which field."""

LOADED = _shape("claim_id", "table_name", "mark")
MADE = _shape("name", "fingerprint")
"""What each table was made by: one that another version made differently is made again."""


def shape_of(table: str) -> pa.Schema:
    """Return the columns of a store's table that the warehouse keeps."""
    return pa.schema([column for column in SHAPES[table] if column.name not in TABLES[table]])
