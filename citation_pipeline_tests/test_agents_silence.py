"""An agent is told what is not known: claims without a value, fields not found, lists that are empty."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.provenance import trace
from citation_pipeline.adapters.read_model.searches import search
from citation_pipeline.serving.mcp.lean import lean_provenance, lean_search
from citation_pipeline.serving.mcp.tools import answering_tools
from citation_pipeline_tests.agent_claims import generate_claims, open_model

PAID, STATUS = "financials.total_paid", "metadata.claim_status"


@pytest.fixture
def model(tmp_path: Path) -> ReadModel:
    """Four claims; of the last two the first paid 100, and nothing is known of the other."""
    store = generate_claims(tmp_path, 4)
    for number in range(4):
        path = Path(store.root) / "viewer_dataset" / f"GC-{number:05d}" / "data.json"
        dataset = json.loads(path.read_text())
        paid = [field for field in dataset["fields"] if field["fieldKey"] == PAID]
        others = [field for field in dataset["fields"] if field["fieldKey"] != PAID]
        if number == 2:
            paid[0].update(rawValue=100, value="100")
            empty = {"value": "", "rawValue": [], "valueType": "array", "label": "Filed", "category": "liens"}
            dataset["fields"].append({**others[0], **empty, "id": "liens.filed", "fieldKey": "liens.filed"})
        else:
            dataset["fields"] = others
            silent = {"id": PAID, "fieldKey": PAID, "label": "Total Paid", "category": "financials"}
            dataset["absentFields"] = [{**silent, "status": "absent", "absenceConfidence": 0.75}]
        for field in others:
            if field["fieldKey"] == STATUS:
                field.update(rawValue="reopened", value="reopened")
        path.write_text(json.dumps(dataset))
    model = open_model(store, refresh_seconds=3600)
    model.refresh()
    return model


def call(model: ReadModel, name: str, **arguments: Any) -> Any:
    tool = next(tool for tool in answering_tools(model) if tool.name == name)
    run: Callable[..., Any] = tool.fn
    return anyio.run(lambda: run(**arguments)).root


def test_a_search_counts_the_claims_that_have_no_value_to_compare(model: ReadModel) -> None:
    found = search(model, "total paid over 50")
    assert (found.total, found.claims_without_value) == (1, 3)
    shown = lean_search(found, "short")
    assert shown.claims_without_value == 3
    assert "3 claims have no value of Total Paid to compare." in shown.summary
    assert "3 claims have no value" in shown.llm_context["confidence_note"]
    assert search(model, "total paid is missing").claims_without_value == 0


def test_where_nothing_is_exactly_so_the_claims_that_contain_it_are_counted(model: ReadModel) -> None:
    found = search(model, 'claim number is "NUM-0000"')
    assert found.total == 0
    assert "is exactly that in no claim, and contains it in 4" in lean_search(found, "short").summary


def test_where_a_value_is_not_found_its_provenance_says_what_that_means(model: ReadModel) -> None:
    traced = lean_provenance(trace(model, "GC-00003", PAID))
    assert (traced.value, traced.absence_confidence) == (None, 0.75)
    assert "of 100 such fields 25 are in the documents" in str(traced.absence_note)
    assert lean_provenance(trace(model, "GC-00002", PAID)).absence_note is None


def test_a_claims_category_lists_what_is_absent_of_it_alone(model: ReadModel) -> None:
    assert call(model, "get_claim", claim_id="GC-00003", category="financials")["absent_fields"] == [PAID]
    assert call(model, "get_claim", claim_id="GC-00003", category="metadata")["total_absent"] == 0


def test_a_list_that_the_documents_call_empty_is_a_value(model: ReadModel) -> None:
    (filed,) = call(model, "get_claim", claim_id="GC-00002", category="liens")["fields"]
    assert filed["value"] == []
