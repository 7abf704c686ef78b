"""A total says what speaks against it: doubts, other currencies, one file twice, claims that are silent."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.questions import ask
from citation_pipeline.adapters.read_model.searches import search
from citation_pipeline.adapters.read_model.totals import aggregate_field
from citation_pipeline.core.values.currencies import only_currency
from citation_pipeline.serving.mcp.lean import lean_search
from citation_pipeline.serving.mcp.lean_aggregates import lean_aggregate
from citation_pipeline_tests.agent_claims import build_searchable_store, generate_claims, open_model
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

PAID, STATUS = "financials.total_paid", "metadata.claim_status"
Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def model_of(tmp_path: Path) -> Callable[..., ReadModel]:
    """Claims GC-00002 and so on, all with a total of 100 at a place; each is changed as said."""

    def made(*changes: Change) -> ReadModel:
        store = generate_claims(tmp_path, len(changes) + 2)
        for number in range(len(changes) + 2):
            path = Path(store.root) / "viewer_dataset" / f"GC-{number:05d}" / "data.json"
            dataset = json.loads(path.read_text())
            if number < 2:  # the generated ones that have no total, or no place for it
                dataset["fields"] = []
                dataset["unreadFields"] = []
            else:
                field_of(dataset, PAID).update(rawValue=100, value="100")
                field_of(dataset, PAID)["citations"][0]["snippet"] = "Paid so far 100.00"
                field_of(dataset, STATUS).update(rawValue="open", value="open")
                dataset["sources"][0]["sha256"] = f"{number:064d}"
                changes[number - 2](dataset)
            path.write_text(json.dumps(dataset))
        model = open_model(store, refresh_seconds=3600)
        model.refresh()
        return model

    return made


def field_of(dataset: dict[str, Any], key: str) -> dict[str, Any]:
    return next(field for field in dataset["fields"] if field["fieldKey"] == key)


def plain(dataset: dict[str, Any]) -> None:
    """A claim that nothing speaks against."""


def doubted(dataset: dict[str, Any]) -> None:
    field_of(dataset, PAID)["fieldConfidence"] = {"value": 0.5, "parts": {}}


def quoted(words: str) -> Change:
    return lambda dataset: field_of(dataset, PAID)["citations"][0].update(snippet=words)


def same_file(dataset: dict[str, Any]) -> None:
    dataset["sources"][0]["sha256"] = "f" * 64


def without_total(dataset: dict[str, Any]) -> None:
    dataset["fields"].remove(field_of(dataset, PAID))


def unread_total(dataset: dict[str, Any]) -> None:
    without_total(dataset)
    dataset["unreadFields"] = [{"fieldKey": PAID, "status": "unread", "label": "Total Paid"}]


def unplaced_status(dataset: dict[str, Any]) -> None:
    field_of(dataset, STATUS)["citations"] = []


def test_a_total_says_how_many_of_its_values_are_in_doubt(model_of: Callable[..., ReadModel]) -> None:
    answer = aggregate_field(model_of(plain, doubted, plain), "sum", PAID)
    assert answer.groups[0].value == 300
    assert answer.groups[0].note.endswith(", 1 in doubt")
    assert "GC-00003: 100 [ledger.pdf, p.1] (in doubt)" in answer.llm_context
    lean = lean_aggregate(answer, limit=10, offset=0)
    assert [source["confidence"] <= 0.5 for source in lean.sources] == [False, True, False]


def test_amounts_of_another_currency_are_not_added(model_of: Callable[..., ReadModel]) -> None:
    model = model_of(quoted("paid $100.00"), quoted("paid € 100,00"), plain, quoted("paid USD 100"))
    answer = aggregate_field(model, "sum", PAID)
    (view,) = answer.groups
    assert (view.value, [operand.claim_id for operand in view.excluded]) == (300, ["GC-00003"])
    assert "1 excluded, only USD, other currencies excluded" in view.note
    assert aggregate_field(model, "count", PAID).groups[0].value == 4


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("paid $40", "USD"),
        ("CAD $40 paid", "CAD"),
        ("40 €", "EUR"),
        ("40.00", ""),
        ("USD 40 (EUR 37)", ""),
        ("paid £40", "GBP"),
    ],
)
def test_the_one_currency_that_words_name_is_known(words: str, code: str) -> None:
    assert only_currency(words) == code


def test_one_file_in_two_claims_is_said_beside_a_total(model_of: Callable[..., ReadModel]) -> None:
    model = model_of(same_file, plain, same_file)
    note = aggregate_field(model, "sum", PAID).groups[0].note
    assert note.endswith("2 read in a file that another claim has as well")
    note = aggregate_field(model, "sum", PAID, claim_ids=["GC-00002", "GC-00003"]).groups[0].note
    assert "another claim" not in note


def test_claims_without_a_value_are_counted_beside_a_total(model_of: Callable[..., ReadModel]) -> None:
    model = model_of(plain, without_total, unread_total)
    answer = aggregate_field(model, "average", PAID, claim_ids=["GC-00002", "GC-00003", "GC-00004"])
    assert (answer.claims_without_value, answer.claims_unsettled) == (2, 1)
    assert answer.summary.endswith("; 2 claims have no value (1 not all read, or in doubt)")
    assert lean_aggregate(answer, limit=10, offset=0).llm_summary["confidence"] != "high"


def test_what_was_not_read_is_not_counted_as_missing(model_of: Callable[..., ReadModel]) -> None:
    model = model_of(plain, without_total, unread_total)
    (view,) = aggregate_field(model, "count", STATUS, where="total paid is missing").groups
    assert (view.value, [operand.claim_id for operand in view.excluded]) == (1, ["GC-00004"])
    answer = search(model, "total paid is missing", claim_ids=["GC-00003", "GC-00004"])
    assert [hit.snippet for hit in answer.results] == [
        "Total Paid: no value found",
        "Total Paid: no value found, and not all pages were read for it",
    ]
    for hit in lean_search(answer, "short").results:
        assert not {"citation", "page"} & hit.keys()


def test_a_value_that_is_nowhere_puts_nothing_into_a_group_or_a_selection(
    model_of: Callable[..., ReadModel],
) -> None:
    model = model_of(plain, unplaced_status)
    for answer in (
        aggregate_field(model, "sum", PAID, where="claim status is open"),
        aggregate_field(model, "sum", PAID, group_by="claim status"),
    ):
        (view,) = answer.groups
        assert (view.value, [operand.claim_id for operand in view.excluded]) == (100, ["GC-00003"])


@pytest.mark.parametrize(
    ("issues", "state"),
    [
        ([], "absent"),
        ([{"code": "document_unreadable", "sourceId": "adjuster-letter"}], "unread"),
        ([{"code": "pages_not_read", "sourceId": "adjuster-letter", "pages": [[2, 2]]}], "unread"),
        ([{"code": "document_not_read", "sourceId": "adjuster-letter"}], "absent"),
    ],
)
def test_what_is_not_found_is_absent_only_where_every_page_was_read(
    tmp_path: Path, issues: list[dict[str, Any]], state: str
) -> None:
    store = build_searchable_store(tmp_path)
    path = Path(store.root) / "viewer_dataset" / CLAIM_ID / "data.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "issues": issues}))
    answer = ask(open_model(store), "What is the name of the ship's cook?", claim_id=CLAIM_ID)
    assert (answer.answer, answer.state) == ("Not found in document.", state)
    assert ("could not be read, or not in full" in answer.searched) is (state == "unread")
