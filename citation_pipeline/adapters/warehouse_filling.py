"""Filling the warehouse's draft: rows of what changed since the last refresh go in, old ones out.

Not here: copying and publishing the file (`warehouse`), and what its tables are (`warehouse_shapes`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from citation_pipeline.adapters.outbound_ledger import read_ledger_file
from citation_pipeline.adapters.tables.archived_claims import archived_claim_ids
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.tries import failed_tries
from citation_pipeline.adapters.warehouse_shapes import (
    CLAIM_ROWS,
    FAILED_TRIES,
    OUTBOUND_SHAPE,
    REGISTRATIONS,
    RUNS,
    TABLES,
    VIEWS,
    columns_of,
    wide_column,
    wide_table_of,
)

_CLAIMS_AT_ONCE = 500  # bounds the memory of a refresh
_OLDER_TABLES = ("pages", "blocks")  # filled by older versions; the store has them

RunsSince = Callable[[float], pa.Table]
"""Returns the rows (shape `RUNS`) of the runs that changed after a moment, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """What one refresh did: claims whose rows were exchanged, removed, or left; rows by table.

    `unreadable` are tables that could not be read, as `table/claim`: their old rows are gone.
    """

    refreshed: int
    removed: int
    unchanged: int
    rows: Mapping[str, int]
    unreadable: tuple[str, ...] = ()


class Filling:
    """One refresh's work on the draft."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, store: ClaimStore) -> None:
        self._connection, self._store = connection, store
        self._unreadable: list[str] = []

    def exchange(self) -> Refresh:
        """Exchange the rows of the claims that changed."""
        for table in _OLDER_TABLES:
            run_query(self._connection, f"DROP TABLE IF EXISTS {table} CASCADE")
        for view in (*VIEWS, "claims"):  # views of an older version may name columns that change now
            self._drop_view(view)
        self._sql("CREATE TABLE IF NOT EXISTS loaded (claim_id VARCHAR, table_name VARCHAR, mark VARCHAR)")
        touched, gone, present, rows = self._take_registrations()
        for table in TABLES:
            shape = pa.schema([SHAPES[table].field(name) for name in columns_of(table)])
            self._make(table, shape)
            changed, removed, kept = self._changes(table, self._store.table_marks(table))
            for batch in _batches(sorted(changed)):
                self._append(table, self._read(table, batch, shape))
                self._mark(table, {claim_id: changed[claim_id] for claim_id in batch})
            touched |= changed.keys() | set(removed)
            gone |= set(removed)
            present |= kept
            rows[table] = self._sql(f"SELECT count(*) FROM {table}")[0][0]
        self._replace("failed_tries", _failed_rows(self._store))
        self._make_claims(sorted(touched))
        self._make_wide(sorted(touched))
        refreshed = touched & present
        return Refresh(
            len(refreshed), len(gone - present), len(present - touched), rows, tuple(self._unreadable)
        )

    def take_ledger(self, folder: Path) -> None:
        """Load the days of the outbound ledger that grew."""
        self._make("outbound", OUTBOUND_SHAPE)
        marks = {path.name: str(path.stat().st_size) for path in sorted(folder.glob("*.jsonl"))}
        changed, _, _ = self._changes("outbound", marks, key="file")
        for name in sorted(changed):
            found = read_ledger_file(folder / name)
            found = found.rename_columns(["sent_at" if name == "at" else name for name in found.column_names])
            self._append("outbound", found.append_column("file", pa.array([name] * len(found), pa.string())))
            self._mark("outbound", {name: changed[name]})

    def take_runs(self, runs_since: RunsSince) -> None:
        """Load the runs that changed since the last refresh."""
        self._make("runs", RUNS)
        (last,) = self._sql("SELECT coalesce(max(updated_at), 0) FROM runs")[0]
        found = runs_since(last)
        self._delete("runs", found["run_id"].to_pylist(), key="run_id")
        self._append("runs", found.select(RUNS.names))

    def make_views(self) -> None:
        """Put the views in place."""
        self._make("outbound", OUTBOUND_SHAPE)
        self._make("runs", RUNS)
        for name, query in VIEWS.items():
            self._sql(f"CREATE OR REPLACE VIEW {name} AS {query}")

    def _take_registrations(self) -> tuple[set[str], set[str], set[str], dict[str, int]]:
        """Load how claims are registered; return touched, removed and present claims, and row counts."""
        self._make("registrations", REGISTRATIONS)
        archived = archived_claim_ids(self._store)
        marks = {
            claim_id: f"{mark}{'-archived' if claim_id in archived else ''}"
            for claim_id, mark in self._store.table_marks("claims", ".json").items()
        }
        changed, removed, present = self._changes("registrations", marks)
        rows = []
        for claim_id in sorted(changed):
            claim = self._store.claim(claim_id)
            rows.append(
                {
                    "claim_id": claim_id,
                    "schema": claim.schema,
                    "parser": claim.parser,
                    "extractor": claim.extractor,
                    "folder": claim.folder,
                    "is_archived": claim_id in archived,
                }
            )
        self._append("registrations", pa.Table.from_pylist(rows, schema=REGISTRATIONS))
        self._mark("registrations", changed)
        return set(changed) | set(removed), set(removed), present, {}

    def _make_claims(self, touched: Sequence[str]) -> None:
        """Count the touched claims anew; all of them when the table's columns are another version's."""
        wanted = self._sql(f"DESCRIBE {CLAIM_ROWS.format(touched='false')}")
        if [row[0] for row in wanted] != self._columns("claims"):
            self._sql(f"CREATE OR REPLACE TABLE claims AS {CLAIM_ROWS.format(touched='true')}")
            return
        self._delete("claims", touched)
        for batch in _batches(touched):
            self._connection.register("batch", pa.table({"claim_id": batch}))
            only = CLAIM_ROWS.format(touched="claim_id IN (SELECT claim_id FROM batch)")
            self._sql(f"INSERT INTO claims {only}")
            self._connection.unregister("batch")

    def _make_wide(self, touched: Sequence[str]) -> None:
        """Fill each schema's wide table, one row a claim and one column a field."""
        found = self._sql(
            "SELECT DISTINCT schema, field_key, first(value_type) FROM fields "
            "WHERE schema IS NOT NULL GROUP BY schema, field_key ORDER BY ALL"
        )
        by_table: dict[str, dict[str, str]] = {}
        schemas: dict[str, list[str]] = {}
        for schema, key, value_type in found:
            by_table.setdefault(wide_table_of(schema), {})[key] = value_type
            if schema not in schemas.setdefault(wide_table_of(schema), []):
                schemas[wide_table_of(schema)].append(schema)
        for table, keys in by_table.items():
            columns = ", ".join(wide_column(key, value_type) for key, value_type in keys.items())
            listed = ", ".join("'" + name.replace("'", "''") + "'" for name in schemas[table])
            query = (
                f"SELECT claim_id, {columns} FROM fields WHERE schema IN ({listed}) "
                "AND {touched} GROUP BY claim_id"
            )
            if self._columns(table) != ["claim_id", *keys]:
                self._sql(f'CREATE OR REPLACE TABLE "{table}" AS {query.replace("{touched}", "true")}')
                continue
            self._delete(f'"{table}"', touched)
            for batch in _batches(touched):
                self._connection.register("batch", pa.table({"claim_id": batch}))
                only = query.replace("{touched}", "claim_id IN (SELECT claim_id FROM batch)")
                self._sql(f'INSERT INTO "{table}" {only}')
                self._connection.unregister("batch")

    def _changes(
        self, table: str, marks: Mapping[str, str], *, key: str = "claim_id"
    ) -> tuple[dict[str, str], list[str], set[str]]:
        """Drop the rows of what changed or went; return the changed ones' marks, the gone, the present."""
        loaded = dict(self._sql("SELECT claim_id, mark FROM loaded WHERE table_name = ?", [table]))
        changed = {name: mark for name, mark in marks.items() if loaded.get(name) != mark}
        removed = sorted(loaded.keys() - marks.keys())
        stale = [name for name in changed if name in loaded] + removed
        self._delete(table, stale, key=key)
        for batch in _batches(stale):
            self._sql(
                "DELETE FROM loaded WHERE table_name = ? AND claim_id IN (SELECT unnest(?))", [table, batch]
            )
        return changed, removed, set(marks)

    def _read(self, table: str, claim_ids: Sequence[str], shape: pa.Schema) -> pa.Table:
        try:
            return self._store.read_tables(table, claim_ids, shape.names)
        except (OSError, pa.ArrowException, ValueError):
            pass
        read = []
        for claim_id in claim_ids:  # one of them cannot be read: find it, and take the others
            try:
                read.append(self._store.read_tables(table, [claim_id], shape.names))
            except Exception:  # noqa: BLE001 - a torn table of one claim must not keep all others out
                self._unreadable.append(f"{table}/{claim_id}")
        return pa.concat_tables(read) if read else shape.empty_table()

    def _make(self, table: str, shape: pa.Schema) -> None:
        """Create a table; one that an older version made with other columns is filled again."""
        kept = self._columns(table)
        if kept == shape.names:
            return
        if kept:
            self._sql(f"DROP TABLE {table} CASCADE")
            self._sql("DELETE FROM loaded WHERE table_name = ?", [table])
        self._connection.register("batch", shape.empty_table())
        self._sql(f"CREATE TABLE {table} AS SELECT * FROM batch")
        self._connection.unregister("batch")

    def _columns(self, table: str) -> list[str]:
        query = "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
        return [row[0] for row in self._sql(f"{query} ORDER BY ordinal_position", [table])]

    def _replace(self, table: str, rows: pa.Table) -> None:
        self._make(table, rows.schema)
        self._sql(f"DELETE FROM {table}")
        self._append(table, rows)

    def _append(self, table: str, rows: pa.Table) -> None:
        if len(rows):
            self._connection.register("batch", rows.replace_schema_metadata(None))
            self._sql(f"INSERT INTO {table} BY NAME SELECT * FROM batch")
            self._connection.unregister("batch")

    def _delete(self, table: str, names: Sequence[str], *, key: str = "claim_id") -> None:
        for batch in _batches(names):
            self._sql(f"DELETE FROM {table} WHERE {key} IN (SELECT unnest(?))", [batch])

    def _mark(self, table: str, marks: Mapping[str, str]) -> None:
        rows = {"claim_id": list(marks), "table_name": [table] * len(marks), "mark": list(marks.values())}
        self._append("loaded", pa.table(rows))

    def _drop_view(self, name: str) -> None:
        query = "SELECT table_type FROM information_schema.tables WHERE table_name = ?"
        if self._sql(query, [name]) == [("VIEW",)]:
            self._sql(f"DROP VIEW {name}")

    def _sql(self, query: str, parameters: list[Any] | None = None) -> list[Any]:
        return run_query(self._connection, query, parameters)


def run_query(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: list[Any] | None = None
) -> list[Any]:
    """Run a query and return all its rows."""
    # the rows are fetched even where there are none: DuckDB 2 takes nothing else until they are
    return connection.execute(query, parameters).fetchall()


def _failed_rows(store: ClaimStore) -> pa.Table:
    rows = [
        {
            "claim_id": claim_id,
            "stage": failed.stage,
            "reason": failed.reason,
            "is_transient": failed.is_transient,
            "nights": failed.nights,
            "failed_at": failed.at,
        }
        for claim_id, tries in failed_tries(store).items()
        for failed in tries
    ]
    return pa.Table.from_pylist(rows, schema=FAILED_TRIES)


def _batches(names: Iterable[str]) -> Iterator[list[str]]:
    listed = list(names)
    return (listed[i : i + _CLAIMS_AT_ONCE] for i in range(0, len(listed), _CLAIMS_AT_ONCE))
