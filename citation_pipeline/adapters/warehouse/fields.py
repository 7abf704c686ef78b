"""Fields as columns: one table per schema, one row a claim, one typed column a field.

A value that does not read as its field's type is null in its column and is in `odd_values` as it was
given; no value stops a refresh.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import duckdb

_TEXT = (
    "CASE WHEN value = 'null' THEN NULL WHEN json_valid(value) THEN value ->> '$' ELSE value END"  # bare text
)
_TYPES = {
    "number": ("DOUBLE", "CASE WHEN isfinite(TRY_CAST({x} AS DOUBLE)) THEN TRY_CAST({x} AS DOUBLE) END"),
    # a plain cast would round 12.7 to 13
    "integer": (
        "BIGINT",
        "CASE WHEN TRY_CAST({x} AS DOUBLE) = TRY_CAST({x} AS BIGINT) THEN TRY_CAST({x} AS BIGINT) END",
    ),
    "boolean": ("BOOLEAN", "TRY_CAST({x} AS BOOLEAN)"),
    # a plain cast takes "infinity" and five-digit years for dates, too
    "date": (
        "DATE",
        r"CASE WHEN regexp_full_match({x}, '\d{{4}}-\d{{2}}-\d{{2}}') THEN TRY_CAST({x} AS DATE) END",
    ),
    "array": ("JSON", "TRY_CAST({x} AS JSON)"),
}
_PLAIN = ("VARCHAR", "{x}")

_ODD = "CASE value_type " + " ".join(
    f"WHEN '{value_type}' THEN ({cast.format(x='x')}) IS NULL" for value_type, (_, cast) in _TYPES.items()
)
_ODD += " ELSE false END"


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """One column of a wide table: whose field it holds, and as what type of DuckDB's."""

    table: str
    name: str
    field_key: str
    column_type: str
    cast: str


def wide_table_of(schema: str) -> str:
    """Return the name of the wide table of a schema: `fields_workers_comp`."""
    return "fields_" + "".join(letter if letter.isalnum() else "_" for letter in schema.lower())


def odd_rows(touched: str) -> str:
    """Return the query for the values that do not read as the type that the schema gives their field."""
    return (
        "SELECT claim_id, schema, field_key, value_type, x AS value "
        f"FROM (SELECT *, {_TEXT} AS x FROM fields WHERE {touched}) WHERE x IS NOT NULL AND {_ODD}"
    )


def wide_tables(
    connection: duckdb.DuckDBPyConnection,
) -> Mapping[str, tuple[list[FieldColumn], Callable[[str], str]]]:
    """Return each wide table's columns, and the query for its rows of the claims that a condition names."""
    found = connection.execute(
        "SELECT schema, field_key, list(DISTINCT value_type ORDER BY value_type) FROM fields "
        # a document's own fields are as many as documents: they are rows of `fields` alone
        "WHERE schema IS NOT NULL AND field_key IS NOT NULL AND NOT contains(field_key, ':') "
        "GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    schemas: dict[str, list[str]] = {}
    types: dict[str, dict[str, set[str]]] = {}
    for schema, key, value_types in found:
        table = wide_table_of(schema)
        if schema not in schemas.setdefault(table, []):
            schemas[table].append(schema)
        types.setdefault(table, {}).setdefault(key, set()).update(value_types or ())
    tables = {}
    for table, by_key in types.items():
        columns = _columns(table, by_key)
        listed = ", ".join(_literal(name) for name in schemas[table])
        tables[table] = columns, partial(_query, columns, listed)
    return tables


def _columns(table: str, types: Mapping[str, set[str]]) -> list[FieldColumn]:
    """Name the columns by the fields' keys; DuckDB takes names that differ only in case for the same."""
    taken = {"claim_id"}
    columns = []
    for key in sorted(types):
        name, number = key or "_", 2
        while name.lower() in taken:
            name, number = f"{key}_{number}", number + 1
        taken.add(name.lower())
        column_type, cast = _type_of(types[key])
        columns.append(FieldColumn(table, name, key, column_type, cast))
    return columns


def _type_of(value_types: set[str]) -> tuple[str, str]:
    if value_types == {"integer", "number"}:
        return _TYPES["number"]
    # two versions of a schema that disagree about a field: text holds what either of them says
    return _TYPES.get(next(iter(value_types)), _PLAIN) if len(value_types) == 1 else _PLAIN


def _query(columns: Sequence[FieldColumn], schemas: str, touched: str) -> str:
    listed = ", ".join(
        f"{column.cast.format(x=_only(column.field_key))} AS {_quoted(column.name)}" for column in columns
    )
    return (
        f"SELECT claim_id, {listed} FROM (SELECT claim_id, field_key, {_TEXT} AS x FROM fields "
        f"WHERE schema IN ({schemas}) AND {touched}) GROUP BY claim_id"
    )


def _only(field_key: str) -> str:
    return f"any_value(x) FILTER (field_key = {_literal(field_key)})"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
