"""What the warehouse holds: which columns of the store's tables, what is made of them, and the views.

`docs/warehouse.md` describes them for those who query. Filling and publishing are `warehouse`'s affair.
"""

from collections.abc import Mapping

import pyarrow as pa

from citation_pipeline.adapters.outbound_ledger import SHAPE as OUTBOUND
from citation_pipeline.adapters.tables.shapes import SHAPES

TABLES: Mapping[str, tuple[str, ...]] = {
    "source_documents": (),
    "documents": (),
    "raw_extraction": ("reply",),  # what a reply cost is asked across claims, what it said is not
    "fields": ("snippets",),  # they stand in `citations`, with their places
    "answer_issues": (),
    "conflicts": ("snippets",),
    # the viewer asks for places, claim by claim, and finds them in the store
    "citations": (
        "block_regions",
        "snippet_regions",
        "value_regions",
        "word_ids",
        "word_ranges",
        "candidates",
    ),
    "citation_changes": (),
}
"""The store's table to the columns that are left out. Words, pages and blocks stay in Parquet as a whole."""

REGISTRATIONS = pa.schema(
    [(name, pa.string()) for name in ("claim_id", "schema", "parser", "extractor", "folder")]
    + [("is_archived", pa.bool_())]
)
FAILED_TRIES = pa.schema(
    [
        ("claim_id", pa.string()),
        ("stage", pa.string()),
        ("reason", pa.string()),
        ("is_transient", pa.bool_()),
        ("nights", pa.int32()),
        ("failed_at", pa.string()),
    ]
)
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


def columns_of(table: str) -> list[str]:
    """Return the columns of a store's table that the warehouse keeps."""
    return [name for name in SHAPES[table].names if name not in TABLES[table]]


CLAIM_ROWS = """
    SELECT r.claim_id, r.schema, r.parser, r.extractor, r.is_archived,
        coalesce(s.documents, 0) AS documents,
        coalesce(d.documents_read, 0) AS documents_read,
        coalesce(d.pages, 0) AS pages,
        coalesce(f.fields_answered, 0) AS fields_answered,
        coalesce(f.fields_found, 0) AS fields_found,
        coalesce(c.citations, 0) AS citations,
        coalesce(c.resolved, 0) AS resolved,
        coalesce(c.flagged, 0) AS flagged,
        coalesce(c.unresolved, 0) AS unresolved,
        c.mean_confidence,
        coalesce(x.replies, 0) AS replies,
        coalesce(x.tokens, 0) AS tokens,
        coalesce(x.cost_usd, 0) AS cost_usd
    FROM registrations r
    LEFT JOIN (
        SELECT claim_id, count(*) AS documents FROM source_documents WHERE {touched} GROUP BY ALL
    ) s USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(*) FILTER (status IN ('parsed', 'duplicate')) AS documents_read,
            sum(page_count)::BIGINT AS pages
        FROM documents WHERE {touched} GROUP BY ALL
    ) d USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(*) AS fields_answered, count(*) FILTER (value <> 'null') AS fields_found
        FROM fields WHERE {touched} GROUP BY ALL
    ) f USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(*) AS citations,
            count(*) FILTER (status = 'resolved') AS resolved,
            count(*) FILTER (status = 'flagged') AS flagged,
            count(*) FILTER (status = 'unresolved') AS unresolved,
            avg(confidence) AS mean_confidence
        FROM citations WHERE {touched} GROUP BY ALL
    ) c USING (claim_id)
    LEFT JOIN (
        SELECT claim_id, count(*) AS replies, sum(input_tokens + output_tokens)::BIGINT AS tokens,
            sum(cost_usd) AS cost_usd
        FROM raw_extraction WHERE {touched} GROUP BY ALL
    ) x USING (claim_id)
    WHERE {touched}
"""
"""One row per claim, counted from its rows; `{touched}` limits it to the claims that a refresh changed."""

VIEWS: Mapping[str, str] = {
    "claim_status": """
        SELECT c.*, t.stage AS failed_stage, t.reason AS failed_reason, t.is_transient,
            t.nights AS failed_nights
        FROM claims c
        LEFT JOIN (
            SELECT DISTINCT ON (claim_id) * FROM failed_tries ORDER BY claim_id, failed_at
        ) t USING (claim_id)
    """,
    "costs": """
        SELECT claim_id, vendor, model, count(*) AS requests,
            count(*) FILTER (code <> 'ok') AS failed_requests,
            sum(input_tokens)::BIGINT AS input_tokens, sum(output_tokens)::BIGINT AS output_tokens,
            sum(cost_usd) AS cost_usd, sum(credits) AS credits,
            sum(page_count) FILTER (vendor = 'reducto')::BIGINT AS pages
        FROM outbound GROUP BY ALL
    """,
    "nights": """
        SELECT (sent_at::TIMESTAMPTZ AT TIME ZONE 'UTC' - INTERVAL 12 HOUR)::DATE AS night,
            count(DISTINCT claim_id) FILTER (claim_id <> '') AS claims, count(*) AS requests,
            count(*) FILTER (code <> 'ok') AS failed_requests,
            sum(input_tokens)::BIGINT AS input_tokens, sum(output_tokens)::BIGINT AS output_tokens,
            sum(cost_usd) AS cost_usd, sum(credits) AS credits,
            sum(page_count) FILTER (vendor = 'reducto')::BIGINT AS reducto_pages
        FROM outbound GROUP BY ALL
    """,
    "quality": """
        SELECT field_key, count(*) AS citations, count(DISTINCT claim_id) AS claims,
            avg((status = 'resolved')::INT) AS resolved_share,
            avg((status = 'flagged')::INT) AS flagged_share,
            avg((status = 'unresolved')::INT) AS unresolved_share,
            avg(confidence) AS mean_confidence
        FROM citations GROUP BY ALL
    """,
}

_CASTS = {
    "number": "TRY_CAST({text} AS DOUBLE)",
    "integer": "TRY_CAST({text} AS BIGINT)",
    "boolean": "TRY_CAST({text} AS BOOLEAN)",
    "date": "TRY_CAST({text} AS DATE)",
}


def wide_table_of(schema: str) -> str:
    """Return the name of the wide table of a schema: `fields_workers_comp`."""
    return "fields_" + "".join(letter if letter.isalnum() else "_" for letter in schema.lower())


def wide_column(field_key: str, value_type: str) -> str:
    """Return a field as a column: named by its key, typed where the schema says a type, else text."""
    key = field_key.replace("'", "''")
    name = field_key.replace('"', '""')
    text = f"any_value(value ->> '$') FILTER (field_key = '{key}' AND value <> 'null')"
    return f'{_CASTS.get(value_type, "{text}").format(text=text)} AS "{name}"'
