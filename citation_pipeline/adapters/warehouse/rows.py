"""Rows into and out of the warehouse's tables. Which rows, and why, belongs to `filling`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import duckdb
import pyarrow as pa

_CLAIMS_AT_ONCE = 500  # bounds the memory of a refresh


def run_query(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: list[Any] | None = None
) -> list[Any]:
    """Run a query and return all its rows."""
    # the rows are fetched even where there are none: DuckDB 2 takes nothing else until they are
    return connection.execute(query, parameters).fetchall()


def create_table(connection: duckdb.DuckDBPyConnection, table: str, shape: pa.Schema) -> None:
    """Create a table without rows, in place of one of that name."""
    connection.register("batch", shape.empty_table())
    run_query(connection, f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM batch")
    connection.unregister("batch")


def append_rows(connection: duckdb.DuckDBPyConnection, table: str, rows: pa.Table | None) -> None:
    """Append rows, if there are any, by the names of their columns."""
    if rows:
        connection.register("batch", rows.replace_schema_metadata(None))
        run_query(connection, f"INSERT INTO {table} BY NAME SELECT * FROM batch")
        connection.unregister("batch")


def delete_rows(
    connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str], *, key: str = "claim_id"
) -> None:
    """Delete the rows of these names."""
    for batch in in_batches(names):
        run_query(connection, f"DELETE FROM {table} WHERE {key} IN (SELECT unnest(?))", [batch])


def table_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the tables of the file."""
    query = "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
    return [row[0] for row in run_query(connection, query)]


def in_batches(names: Iterable[str]) -> Iterator[list[str]]:
    """Return the names in lists that bound what a refresh holds at once."""
    listed = list(names)
    return (listed[i : i + _CLAIMS_AT_ONCE] for i in range(0, len(listed), _CLAIMS_AT_ONCE))
