"""Aggregates over a thousand claims, against DuckDB's own arithmetic on the published datasets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.shapes import AggregateAnswer
from citation_pipeline.adapters.read_model.totals import aggregate_field
from citation_pipeline.core.retrieval.aggregates import Operand, Operation, aggregate
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline_tests.agent_claims import generate_claims, open_model

CLAIMS = 1_000
_SQL = {"sum": "sum", "count": "count", "average": "avg", "min": "min", "max": "max"}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ReadModel:
    made = open_model(generate_claims(tmp_path_factory.mktemp("thousand"), CLAIMS), refresh_seconds=3600)
    made.refresh()
    return made


@pytest.fixture(scope="module")
def published(model: ReadModel) -> Iterator[duckdb.DuckDBPyConnection]:
    """The datasets' values as a table, read by DuckDB alone."""
    glob = Path(model.store.root) / "viewer_dataset" / "*" / "data.json"
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE published AS SELECT claimId AS claim_id, f->>'fieldKey' AS key, "
            "f->>'rawValue' AS value, "
            "json_array_length(f->'citations') > 0 AS located "
            "FROM (SELECT claimId, unnest(fields) AS f FROM read_json(?, columns={claimId: "
            "'VARCHAR', fields: 'JSON[]'}))",
            [str(glob)],
        ).fetchall()
        yield connection


def value_of(connection: duckdb.DuckDBPyConnection, query: str, *parameters: Any) -> Any:
    return connection.execute(query, list(parameters)).fetchall()[0][0]


@pytest.mark.parametrize("operation", get_args(Operation))
def test_an_aggregate_equals_independent_sql(
    model: ReadModel, published: duckdb.DuckDBPyConnection, operation: str
) -> None:
    answer = aggregate_field(model, operation, "financials.total_paid")
    expected = value_of(
        published,
        f"SELECT {_SQL[operation]}(value::DECIMAL(18, 2)) FROM published "
        "WHERE key = 'financials.total_paid' AND located",
    )
    assert answer.groups[0].value == pytest.approx(float(expected), abs=1e-6)


def test_a_condition_and_a_grouping_equal_independent_sql(
    model: ReadModel, published: duckdb.DuckDBPyConnection
) -> None:
    answer = aggregate_field(
        model, "sum", "financials.total_paid", where="reserve over 4,000", group_by="metadata.claim_status"
    )
    assert [(c.field, c.operator, c.value) for c in answer.query_interpretation.conditions] == [
        ("financials.reserve", ">", 4000)
    ]
    rows = published.execute(
        "SELECT s.value, sum(p.value::DECIMAL(18, 2)) FROM published p JOIN published s USING (claim_id) "
        "JOIN published r USING (claim_id) WHERE p.key = 'financials.total_paid' AND p.located "
        "AND s.key = 'metadata.claim_status' AND r.key = 'financials.reserve' AND r.value::DOUBLE > 4000 "
        "GROUP BY 1"
    ).fetchall()
    found = {view.group: view.value for view in answer.groups}
    assert found == {group: pytest.approx(float(total), abs=1e-6) for group, total in rows}


def test_operands_without_a_place_are_left_out_and_counted(
    model: ReadModel, published: duckdb.DuckDBPyConnection
) -> None:
    view = aggregate_field(model, "sum", "financials.total_paid").groups[0]
    lost = value_of(
        published, "SELECT count(*) FROM published WHERE key = 'financials.total_paid' AND NOT located"
    )
    total = value_of(published, "SELECT count(*) FROM published WHERE key = 'financials.total_paid'")
    assert view.note == f"{total - lost} of {total} operands located, {lost} excluded"
    assert len(view.excluded) == lost


def test_every_operand_leads_to_its_place(model: ReadModel) -> None:
    answer: AggregateAnswer = aggregate_field(model, "max", "financials.total_paid")
    operands = answer.groups[0].operands
    assert len({operand.claim_id for operand in operands}) == len(operands) > 800
    for operand in operands:
        assert operand.url is not None
        assert operand.url.startswith(f"/claims/{operand.claim_id}#?source=ledger&page=1&box=0.1000,0.2500,")
        assert (operand.page, operand.citation) == (1, "[ledger.pdf, p.1]")
        assert operand.bbox is not None
        assert operand.bbox.page_height == 792.0


def test_a_condition_that_is_not_understood_is_refused_not_ignored(model: ReadModel) -> None:
    with pytest.raises(NotUnderstoodError, match="the expensive ones"):
        aggregate_field(model, "sum", "financials.total_paid", where="the expensive ones; DROP TABLE claims")


def test_a_field_that_no_claim_has_is_refused_with_the_names_that_there_are(model: ReadModel) -> None:
    with pytest.raises(NotUnderstoodError, match="financials"):
        aggregate_field(model, "sum", "financials.moon_phase")


cents = st.integers(min_value=-(10**9), max_value=10**9)


@given(st.lists(cents, min_size=1, max_size=60))
def test_sums_are_exact_to_the_cent(values: list[int]) -> None:
    operands = [Operand(str(number), "x", value / 100, True) for number, value in enumerate(values)]
    total = aggregate("sum", operands).value
    assert round(total * 100) == sum(values)


@given(st.lists(st.sampled_from(["2024-01-31", "2023-12-01", "2025-06-30"]), min_size=1))
def test_extremes_of_dates_are_dates(days: list[str]) -> None:
    operands = [Operand(str(number), "x", day, True) for number, day in enumerate(days)]
    assert aggregate("max", operands).value == max(days)
    assert aggregate("sum", operands).value is None
