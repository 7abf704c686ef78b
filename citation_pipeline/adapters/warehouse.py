"""The warehouse: every claim's tables in one DuckDB file, for queries over many claims.

A refresh copies the file, exchanges the rows of the claims that changed and moves the copy over the old
one, so a reader holds one whole refresh and never meets a lock. Words stay in Parquet: they are by far
the most rows, and no question over many claims needs them.
"""

import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES

FILE_NAME = "warehouse.duckdb"

TABLES: Mapping[str, tuple[str, ...]] = {
    "source_documents": (),
    "documents": (),
    "pages": (),
    "blocks": (),
    "raw_extraction": ("reply",),  # what a reply cost is asked across claims, what it said is not
    "fields": (),
    "answer_issues": (),
    "conflicts": (),
    "citations": (),
}
"""Table to the columns that are left out."""

_CLAIMS_AT_ONCE = 500  # bounds the memory of a refresh

_VIEWS = {
    "claims": """
        SELECT s.claim_id,
            count(*) AS documents,
            coalesce(any_value(p.pages), 0) AS pages,
            coalesce(any_value(f.fields_found), 0) AS fields_found,
            coalesce(any_value(c.citations), 0) AS citations,
            coalesce(any_value(c.resolved), 0) AS resolved,
            coalesce(any_value(c.flagged), 0) AS flagged,
            coalesce(any_value(c.unresolved), 0) AS unresolved,
            coalesce(any_value(x.cost_usd), 0) AS cost_usd
        FROM source_documents s
        LEFT JOIN (SELECT claim_id, count(*) AS pages FROM pages GROUP BY ALL) p USING (claim_id)
        LEFT JOIN (SELECT claim_id, count(*) AS fields_found FROM fields WHERE value <> 'null' GROUP BY ALL) f
            USING (claim_id)
        LEFT JOIN (
            SELECT claim_id, count(*) AS citations,
                count(*) FILTER (status = 'resolved') AS resolved,
                count(*) FILTER (status = 'flagged') AS flagged,
                count(*) FILTER (status = 'unresolved') AS unresolved
            FROM citations GROUP BY ALL
        ) c USING (claim_id)
        LEFT JOIN (SELECT claim_id, sum(cost_usd) AS cost_usd FROM raw_extraction GROUP BY ALL) x
            USING (claim_id)
        GROUP BY s.claim_id
    """,
    "costs": """
        SELECT claim_id, provider, model, count(*) AS replies, sum(input_tokens) AS input_tokens,
            sum(output_tokens) AS output_tokens, sum(cost_usd) AS cost_usd
        FROM raw_extraction GROUP BY ALL
    """,
    "quality": """
        SELECT field_key, count(*) AS citations,
            avg((status = 'resolved')::INT) AS resolved_share, avg(confidence) AS mean_confidence
        FROM citations GROUP BY ALL
    """,
}


@dataclass(frozen=True, slots=True)
class Refresh:
    """What one refresh did: claims whose rows were exchanged, removed, or left; rows by table."""

    refreshed: int
    removed: int
    unchanged: int
    rows: Mapping[str, int]


def refresh_warehouse(store: ClaimStore) -> Refresh:
    """Bring the warehouse up to the store and publish it; an interrupted refresh leaves the old one."""
    place = store.local_path(FILE_NAME)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{FILE_NAME}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        if place.exists():
            shutil.copyfile(place, draft)
        with duckdb.connect(str(draft)) as warehouse:
            refresh = _exchange(warehouse, store)
            _run(warehouse, "CHECKPOINT")
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
        draft.with_name(f"{draft.name}.wal").unlink(missing_ok=True)
    return refresh


@contextmanager
def open_warehouse(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the published warehouse for reading; a refresh meanwhile does not disturb the reader."""
    connection = duckdb.connect(str(path), read_only=True)
    try:
        yield connection
    finally:
        connection.close()


def _exchange(warehouse: duckdb.DuckDBPyConnection, store: ClaimStore) -> Refresh:
    _run(warehouse, "CREATE TABLE IF NOT EXISTS loaded (claim_id VARCHAR, table_name VARCHAR, mark VARCHAR)")
    touched: set[str] = set()
    gone: set[str] = set()
    present: set[str] = set()
    rows = {}
    for table, left_out in TABLES.items():
        shape = pa.schema([column for column in SHAPES[table] if column.name not in left_out])
        _drop_if_outdated(warehouse, table, shape.names)
        _append(warehouse, f"CREATE TABLE IF NOT EXISTS {table} AS SELECT * FROM batch", shape.empty_table())
        marks = store.table_marks(table)
        loaded = dict(_run(warehouse, "SELECT claim_id, mark FROM loaded WHERE table_name = ?", [table]))
        changed = sorted(claim_id for claim_id, mark in marks.items() if loaded.get(claim_id) != mark)
        removed = sorted(loaded.keys() - marks.keys())
        _delete(warehouse, table, [claim_id for claim_id in changed if claim_id in loaded] + removed)
        for batch in _batches(changed):
            read = [store.read_table(table, claim_id, shape.names) for claim_id in batch]
            bare = pa.concat_tables([rows.replace_schema_metadata(None) for rows in read])
            _append(warehouse, f"INSERT INTO {table} BY NAME SELECT * FROM batch", bare)
            _mark(warehouse, table, {claim_id: marks[claim_id] for claim_id in batch})
        touched.update(changed)
        gone.update(removed)
        present.update(marks)
        rows[table] = _run(warehouse, f"SELECT count(*) FROM {table}")[0][0]
    for name, query in _VIEWS.items():
        _run(warehouse, f"CREATE OR REPLACE VIEW {name} AS {query}")
    return Refresh(len(touched), len(gone - present), len(present - touched), rows)


def _run(warehouse: duckdb.DuckDBPyConnection, query: str, parameters: list[Any] | None = None) -> list[Any]:
    # the rows are fetched even where there are none: DuckDB 2 takes nothing else until they are
    return warehouse.execute(query, parameters).fetchall()


def _append(warehouse: duckdb.DuckDBPyConnection, query: str, batch: pa.Table) -> None:
    warehouse.register("batch", batch)
    _run(warehouse, query)
    warehouse.unregister("batch")


def _drop_if_outdated(warehouse: duckdb.DuckDBPyConnection, table: str, columns: list[str]) -> None:
    """Drop a table that an older version made with other columns: it is filled again from the store."""
    query = (
        "SELECT column_name FROM information_schema.columns WHERE table_name = ? ORDER BY ordinal_position"
    )
    kept = [row[0] for row in _run(warehouse, query, [table])]
    if kept and kept != columns:
        _run(warehouse, f"DROP TABLE {table} CASCADE")
        _run(warehouse, "DELETE FROM loaded WHERE table_name = ?", [table])


def _delete(warehouse: duckdb.DuckDBPyConnection, table: str, claim_ids: list[str]) -> None:
    if claim_ids:
        listed = "claim_id IN (SELECT unnest(?))"
        _run(warehouse, f"DELETE FROM {table} WHERE {listed}", [claim_ids])
        _run(warehouse, f"DELETE FROM loaded WHERE table_name = ? AND {listed}", [table, claim_ids])


def _mark(warehouse: duckdb.DuckDBPyConnection, table: str, marks: Mapping[str, str]) -> None:
    columns = {
        "claim_id": list(marks),
        "table_name": [table] * len(marks),
        "mark": list(marks.values()),
    }
    _append(warehouse, "INSERT INTO loaded BY NAME SELECT * FROM batch", pa.table(columns))


def _batches(claim_ids: list[str]) -> Iterable[list[str]]:
    return (claim_ids[i : i + _CLAIMS_AT_ONCE] for i in range(0, len(claim_ids), _CLAIMS_AT_ONCE))
