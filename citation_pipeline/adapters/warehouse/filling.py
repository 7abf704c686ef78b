"""Filling the warehouse's draft: rows of what changed since the last refresh go in, old ones out.

Not here: copying and publishing the file (`publishing`), where rows come from (`reading`), and what
is made of them (`views`, `fields`).
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb
import pyarrow as pa

from citation_pipeline.adapters.warehouse.fields import FieldColumn, odd_rows, wide_tables
from citation_pipeline.adapters.warehouse.reading import Source
from citation_pipeline.adapters.warehouse.rows import (
    append_rows,
    create_table,
    delete_rows,
    in_batches,
    run_query,
    table_names,
)
from citation_pipeline.adapters.warehouse.shapes import (
    FAILED_TRIES,
    FIELD_COLUMNS,
    LOADED,
    MADE,
    RUNS,
    TABLES,
    UNREADABLE,
)
from citation_pipeline.adapters.warehouse.views import QUALITY, VIEWS, claim_rows, verified_rows

_BATCH = "claim_id IN (SELECT claim_id FROM batch)"
_EVERYBODY = "SELECT claim_id FROM registrations UNION SELECT claim_id FROM fields ORDER BY ALL"
_OWN_TABLES = {"loaded": LOADED, "made": MADE, "unreadable_tables": UNREADABLE, "failed_tries": FAILED_TRIES}
_COUNTED: Mapping[str, Callable[[str], str]] = {
    "claims": claim_rows,
    "odd_values": odd_rows,
    "verified_fields": verified_rows,
}
"""Table to the query for its rows of the claims that a condition names."""

RunsSince = Callable[[float], pa.Table]
"""Returns the rows (shape `RUNS`) of the runs that changed after a moment, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What one source has that the warehouse has not: marks of what changed, names of what went."""

    changed: Mapping[str, str]
    removed: Sequence[str]


@dataclass(frozen=True, slots=True)
class News:
    """All that a refresh has to do; nothing where `is_any` is false."""

    sources: Sequence[tuple[Source, Changes]]
    failed: pa.Table
    runs: pa.Table
    is_any: bool


def prepare(connection: duckdb.DuckDBPyConnection) -> None:
    """Put into a new file what `find_news` asks for."""
    for name, shape in {**_OWN_TABLES, "runs": RUNS}.items():
        create_table(connection, name, shape)
    append_rows(connection, "made", pa.table({"name": ["runs"], "fingerprint": [_fingerprint(RUNS)]}))


def find_news(
    connection: duckdb.DuckDBPyConnection,
    sources: Iterable[Source],
    *,
    failed: pa.Table,
    runs_since: RunsSince | None,
) -> News:
    """Compare the warehouse with its sources; nothing is written.

    A run that worked on no claim is no news: each refresh is one itself.
    """
    made = dict(run_query(connection, "SELECT name, fingerprint FROM made"))
    found = [(source, _changes(connection, source, made)) for source in sources]
    is_same = all(made.get(name) == _fingerprint(text) for name, text in _making().items())
    last = run_query(connection, "SELECT max(updated_at) FROM runs")[0][0] if _is_made(made, RUNS) else None
    runs = runs_since(last or 0.0).select(RUNS.names) if runs_since is not None else RUNS.empty_table()
    known = run_query(connection, "SELECT * FROM failed_tries ORDER BY ALL")
    failures = sorted(tuple(row.values()) for row in failed.to_pylist())
    is_any = (
        not is_same
        or any(changes.changed or changes.removed for _, changes in found)
        or any(claims for claims in runs["claims"].to_pylist())
        or known != failures
    )
    return News(found, failed, runs, is_any)


def fill(connection: duckdb.DuckDBPyConnection, news: News) -> set[str]:
    """Bring the draft up to the news; return the claims whose rows were exchanged or went."""
    made = dict(run_query(connection, "SELECT name, fingerprint FROM made"))
    touched: set[str] = set()
    for source, changes in news.sources:
        exchanged = _exchange(connection, source, changes, made)
        touched |= exchanged if source.key == "claim_id" else set()
    _make(connection, "runs", RUNS, made)
    delete_rows(connection, "runs", news.runs["run_id"].to_pylist(), key="run_id")
    append_rows(connection, "runs", news.runs)
    run_query(connection, "DELETE FROM failed_tries")
    append_rows(connection, "failed_tries", news.failed)
    tables = wide_tables(connection)
    _list_columns(connection, [column for columns, _ in tables.values() for column in columns])
    for table, query in (*_COUNTED.items(), *((name, query) for name, (_, query) in tables.items())):
        _count(connection, table, query, sorted(touched), made)
    for table in table_names(connection):
        if table.startswith("fields_") and table not in tables:  # no claim of that schema is left
            run_query(connection, f'DROP TABLE "{table}"')
            made.pop(table, None)
    run_query(connection, f"CREATE OR REPLACE TABLE quality AS {QUALITY}")
    for view, text in VIEWS.items():
        run_query(connection, f"CREATE OR REPLACE VIEW {view} AS {text}")
    made |= {name: _fingerprint(text) for name, text in _making().items()}
    run_query(connection, "DELETE FROM made")
    append_rows(connection, "made", pa.table({"name": list(made), "fingerprint": list(made.values())}))
    return touched


def row_counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return how many rows each of the store's tables has in the warehouse."""
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in TABLES)
    return dict(zip(TABLES, run_query(connection, f"SELECT {counts}")[0], strict=True))


def unreadable_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return what could not be read when it was tried last, as `table/claim`."""
    found = run_query(connection, "SELECT table_name, claim_id FROM unreadable_tables ORDER BY ALL")
    return [f"{table}/{name}" for table, name in found]


def _changes(connection: duckdb.DuckDBPyConnection, source: Source, made: Mapping[str, str]) -> Changes:
    is_made = all(made.get(table) == _fingerprint(shape) for table, shape in source.shapes.items())
    if source.marks is None:
        return Changes({}, [])
    query = "SELECT claim_id, mark FROM {} WHERE table_name = ?"
    loaded = dict(run_query(connection, query.format("loaded"), [source.name])) if is_made else {}
    faulty = dict(run_query(connection, query.format("unreadable_tables"), [source.name]))
    changed = {name: mark for name, mark in source.marks.items() if loaded.get(name) != mark}
    for name, mark in faulty.items():
        if name in source.marks and source.marks[name] != mark:  # another file by now
            changed[name] = source.marks[name]
        elif is_made and source.read([name]).unreadable:  # unless it was the disk and not the file
            changed.pop(name, None)
    return Changes(changed, sorted((loaded.keys() | faulty.keys()) - source.marks.keys()))


def _exchange(
    connection: duckdb.DuckDBPyConnection, source: Source, changes: Changes, made: dict[str, str]
) -> set[str]:
    """Exchange the rows of what changed in one source; return whose they were. What is torn keeps its own."""
    for table, shape in source.shapes.items():
        if _make(connection, table, shape, made):
            run_query(connection, "DELETE FROM loaded WHERE table_name = ?", [source.name])
    exchanged = set(changes.removed)
    for table in source.shapes:
        delete_rows(connection, table, changes.removed, key=source.key)
    _remember(connection, source.name, changes.removed, {}, {})
    for names in in_batches(sorted(changes.changed)):
        reading = source.read(names)
        read = sorted(reading.read)
        for table in source.shapes:
            delete_rows(connection, table, read, key=source.key)
            append_rows(connection, table, reading.rows.get(table))
        marks = {name: changes.changed[name] for name in names}
        _remember(connection, source.name, read, {name: marks[name] for name in read}, {})
        _remember(connection, source.name, [], marks, reading.unreadable)
        exchanged |= set(read)
    return exchanged


def _remember(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    settled: Sequence[str],
    marks: Mapping[str, str],
    unreadable: Mapping[str, str],
) -> None:
    """Keep what was loaded under which mark, and what could not be read."""
    for kept, names in (("loaded", settled), ("unreadable_tables", [*settled, *unreadable])):
        if names:
            query = f"DELETE FROM {kept} WHERE table_name = ? AND claim_id IN (SELECT unnest(?))"
            run_query(connection, query, [table, list(names)])
    now = datetime.now(UTC).isoformat(timespec="seconds")
    loaded = [{"claim_id": n, "table_name": table, "mark": marks[n]} for n in settled if n in marks]
    faulty = [
        {"claim_id": name, "table_name": table, "reason": reason, "mark": marks[name], "noticed_at": now}
        for name, reason in unreadable.items()
    ]
    append_rows(connection, "loaded", pa.Table.from_pylist(loaded, schema=LOADED))
    append_rows(connection, "unreadable_tables", pa.Table.from_pylist(faulty, schema=UNREADABLE))


def _count(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    query: Callable[[str], str],
    touched: Sequence[str],
    made: dict[str, str],
) -> None:
    """Make the touched claims' rows anew; every claim's in a table that was made by another query."""
    if made.get(table) != _fingerprint(query("true")):
        run_query(connection, f'CREATE OR REPLACE TABLE "{table}" AS {query("false")}')
        made[table] = _fingerprint(query("true"))
        touched = [name for (name,) in run_query(connection, _EVERYBODY)]
    # never all at once: a wide row of each of 10,000 claims takes 2 GB to make
    for names in in_batches(touched):
        connection.register("batch", pa.table({"claim_id": names}))
        run_query(connection, f'DELETE FROM "{table}" WHERE {_BATCH}')
        run_query(connection, f'INSERT INTO "{table}" {query(_BATCH)}')
        connection.unregister("batch")


def _list_columns(connection: duckdb.DuckDBPyConnection, columns: Sequence[FieldColumn]) -> None:
    rows = [
        {
            "table_name": column.table,
            "column_name": column.name,
            "field_key": column.field_key,
            "column_type": column.column_type,
        }
        for column in columns
    ]
    create_table(connection, "field_columns", FIELD_COLUMNS)
    append_rows(connection, "field_columns", pa.Table.from_pylist(rows, schema=FIELD_COLUMNS))


def _make(connection: duckdb.DuckDBPyConnection, table: str, shape: pa.Schema, made: dict[str, str]) -> bool:
    """Create a table, empty, unless it is there in this shape; tell whether it was created."""
    if made.get(table) == _fingerprint(shape):
        return False
    create_table(connection, table, shape)
    made[table] = _fingerprint(shape)
    return True


def _making() -> dict[str, str]:
    return {
        **{name: query("true") for name, query in _COUNTED.items()},
        "views": repr((QUALITY, sorted(VIEWS.items()))),
    }


def _is_made(made: Mapping[str, str], shape: pa.Schema) -> bool:
    return made.get("runs") == _fingerprint(shape)


def _fingerprint(what: str | pa.Schema) -> str:
    return hashlib.sha256(str(what).encode()).hexdigest()[:16]
