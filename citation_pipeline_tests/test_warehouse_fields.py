"""The wide tables: whatever a claim answers and whatever a schema calls its fields, every claim is a row."""

import json
import math
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citation_pipeline.adapters.tables.answer_rows import extraction_tables
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.warehouse.fields import wide_table_of
from citation_pipeline.adapters.warehouse.publishing import refresh_warehouse
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.extraction import ExtractedField, Extraction, Provenance
from citation_pipeline_tests.properties import few_examples
from citation_pipeline_tests.warehouses import query


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    return ClaimStore(tmp_path / "store")


def answer(store: ClaimStore, claim_id: str, schema: str, fields: Mapping[str, tuple[str, Any]]) -> None:
    """Store a claim's answers: field key to type and value."""
    store.register(Claim(claim_id=claim_id, folder="none", documents_dir="none", schema=schema))
    made = tuple(
        ExtractedField(key, value, value_type, (), None, Provenance.EXTRACTED)
        for key, (value_type, value) in fields.items()
    )
    extraction = Extraction(schema_name=schema, fields=made, model="m", prompt_fingerprint="p")
    tables = extraction_tables(claim_id, extraction)
    store.write_stage("extracted_fields", claim_id, tables=tables, inputs={})


PROPER = {
    "seen": ("date", "2025-03-12"),
    "rate": ("number", 412.5),
    "weeks": ("integer", 12),
    "is_open": ("boolean", False),
    "parts": ("array", ["knee", {"side": "left"}]),
    "note": ("string", 'says "no"'),
}
ODD = {
    "seen": ("date", "March 2025"),
    "rate": ("number", "about 400"),
    "weeks": ("integer", 12.7),
    "is_open": ("boolean", "maybe"),
    "parts": ("array", "knee"),
    "note": ("string", ["a", 1]),
}
READ = (date(2025, 3, 12), 412.5, 12, False, PROPER["parts"][1], 'says "no"')


def test_values_are_typed_and_an_odd_one_is_null_there_and_told_beside_it(store: ClaimStore) -> None:
    answer(store, "claim-a", "plain", PROPER)
    answer(store, "claim-b", "plain", ODD)
    answer(store, "claim-c", "plain", {key: (value_type, None) for key, (value_type, _) in ODD.items()})
    answer(store, "claim-d", "plain", {"note": ("string", "alone")})
    refresh_warehouse(store)
    rows = query(store, "SELECT seen, rate, weeks, is_open, parts, note FROM fields_plain ORDER BY claim_id")
    assert [(*row[:4], row[4] and json.loads(row[4]), row[5]) for row in rows] == [
        READ,
        (None, None, None, None, None, '["a",1]'),
        (None,) * 6,
        (*(None,) * 5, "alone"),
    ]
    assert query(store, "SELECT claim_id, field_key, value_type, value FROM odd_values ORDER BY ALL") == [
        ("claim-b", "is_open", "boolean", "maybe"),
        ("claim-b", "parts", "array", "knee"),
        ("claim-b", "rate", "number", "about 400"),
        ("claim-b", "seen", "date", "March 2025"),
        ("claim-b", "weeks", "integer", "12.7"),
    ]
    assert query(store, "SELECT list(parts ->> '$[0]') FROM fields_plain WHERE parts IS NOT NULL") == [
        (["knee"],)
    ]


@pytest.mark.parametrize("text", ["infinity", "20255-01-01", "2025-13-40", "12/31/2025", "", "epoch"])
def test_only_days_that_exist_are_dates(store: ClaimStore, text: str) -> None:
    answer(store, "claim-a", "plain", {"seen": ("date", text)})
    refresh_warehouse(store)
    assert query(store, "SELECT seen FROM fields_plain") == [(None,)]
    assert query(store, "SELECT value FROM odd_values") == [(text,)]


def test_a_value_that_is_no_json_is_shown_as_it_stands(store: ClaimStore) -> None:
    answer(store, "claim-a", "plain", PROPER)
    row = {"claim_id": "claim-b", "field_key": "rate", "value_type": "number", "schema": "plain"}
    for claim_id, value in {"claim-b": "{torn", "claim-c": "NaN", "claim-d": None}.items():
        rows = pa.Table.from_pylist([row | {"claim_id": claim_id, "value": value}], schema=SHAPES["fields"])
        store.write_side_table("fields", claim_id, rows)
    refresh_warehouse(store)
    assert query(store, "SELECT claim_id, rate FROM fields_plain ORDER BY ALL") == [
        ("claim-a", 412.5),
        ("claim-b", None),
        ("claim-c", None),
        ("claim-d", None),
    ]
    assert query(store, "SELECT value FROM odd_values ORDER BY ALL") == [("NaN",), ("{torn",)]


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab$"), inner, max_size=2),
    max_leaves=4,
)


@settings(few_examples(0.02), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given_values=st.lists(values, min_size=1, max_size=30))
def test_no_value_of_any_type_stops_a_refresh_or_is_lost(tmp_path: Path, given_values: list[Any]) -> None:
    store = ClaimStore(tmp_path / "store")
    types = ("string", "enum", "number", "integer", "boolean", "date", "array", "unheard_of")
    answer(
        store,
        "claim-a",
        "any",
        {f"{kind}.{i}": (kind, value) for i, value in enumerate(given_values) for kind in types},
    )
    refresh_warehouse(store)
    ((filled,),) = query(store, "SELECT count(*) FROM fields WHERE value <> 'null'")
    ((odd,),) = query(store, "SELECT count(*) FROM odd_values")
    names = [row[0] for row in query(store, "SELECT column_name FROM field_columns")]
    counted = " + ".join(f'("{name}" IS NOT NULL)::INT' for name in names)
    assert query(store, f"SELECT {counted} FROM fields_any") == [(filled - odd,)]
    for i, value in enumerate(given_values):
        if isinstance(value, float) and math.isfinite(value):
            assert query(store, f'SELECT "number.{i}" FROM fields_any') == [(value,)]


def test_a_schema_of_ones_own_may_call_its_fields_anything(store: ClaimStore) -> None:
    keys = ("claim_id", "Claim_ID", "o'clock", 'a "b"', "select", "metadata.claim_id", "touched", "{touched}")
    answer(store, "claim-a", "My schema (v1)", {key: ("string", f"says {key}") for key in keys})
    refresh_warehouse(store)
    columns = dict(query(store, "SELECT field_key, column_name FROM field_columns"))
    assert columns == {key: key for key in keys} | {"claim_id": "claim_id_3", "Claim_ID": "Claim_ID_2"}
    for key, column in columns.items():
        name = column.replace('"', '""')
        assert query(store, f'SELECT claim_id, "{name}" FROM fields_my_schema__v1_') == [
            ("claim-a", f"says {key}")
        ]
    assert wide_table_of("My schema (v1)") == "fields_my_schema__v1_"


def test_two_schemas_of_one_store_have_a_table_each_and_one_that_nobody_uses_goes(store: ClaimStore) -> None:
    answer(store, "claim-a", "freight", {"weight": ("number", 3)})
    answer(store, "claim-b", "study", {"weight": ("string", "light")})
    refresh_warehouse(store)
    assert query(store, "SELECT * FROM fields_freight") == [("claim-a", 3.0)]
    assert query(store, "SELECT * FROM fields_study") == [("claim-b", "light")]
    answer(store, "claim-a", "study", {"weight": ("string", "3")})
    refresh_warehouse(store)
    tables = query(store, "SELECT DISTINCT table_name FROM field_columns")
    assert tables == [("fields_study",)]
    assert query(store, "SELECT * FROM fields_study ORDER BY ALL") == [("claim-a", "3"), ("claim-b", "light")]
    assert query(store, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'fields_freight'") == [(0,)]


def test_a_schema_that_gained_a_field_or_changed_a_type_keeps_its_older_claims(store: ClaimStore) -> None:
    answer(store, "claim-a", "plain", {"weeks": ("integer", 3), "seen": ("string", "spring 2025")})
    refresh_warehouse(store)
    newer = {"weeks": ("number", 3.5), "seen": ("date", "2025-03-12"), "added": ("boolean", True)}
    answer(store, "claim-b", "plain", newer)
    refresh_warehouse(store)
    assert query(store, "SELECT claim_id, weeks, seen, added FROM fields_plain ORDER BY ALL") == [
        ("claim-a", 3.0, "spring 2025", None),
        ("claim-b", 3.5, "2025-03-12", True),
    ]
    types = dict(query(store, "SELECT column_name, column_type FROM field_columns"))
    assert types == {"weeks": "DOUBLE", "seen": "VARCHAR", "added": "BOOLEAN"}


def test_a_null_in_a_wide_table_has_a_state_beside_it_that_says_whether_it_is_absent(
    store: ClaimStore,
) -> None:
    keys = ("resolved", "absent", "doubted", "unread")
    answer(store, "a", "trial", {key: ("string", "x" if key == "resolved" else None) for key in keys})
    named = {key: {"fieldKey": key, "status": key} for key in keys}
    named["doubted"]["candidates"] = [{}]
    named["unread"]["unread"] = [{}, {}]
    dataset = {
        "fields": [named["resolved"]],
        "absentFields": [named["absent"]],
        "unreadFields": [named["doubted"], named["unread"]],
    }
    store.write_viewer_dataset("a", dataset, inputs={})
    refresh_warehouse(store)
    assert query(store, "SELECT absent, doubted, unread FROM fields_trial") == [(None, None, None)]
    states = "SELECT field_key, state, candidates, unread_documents FROM field_states ORDER BY ALL"
    assert query(store, states) == [
        ("absent", "absent", 0, 0),
        ("doubted", "doubted", 1, 0),
        ("resolved", "resolved", 0, 0),
        ("unread", "unread", 0, 2),
    ]
