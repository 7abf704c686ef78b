"""What is shown as verified or sure deserves it: of this value, at this place, by somebody who saw it."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from starlette.testclient import TestClient

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.published.study_protocol import extraction_results
from citation_pipeline.core.review.second_eyes import SecondEyes
from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline.serving.evidence.pack import highlights_of
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.agent_claims import add_chunks
from citation_pipeline_tests.viewer_claim.serving import INTENT, client_of, decide
from citation_pipeline_tests.viewer_claim.store import (
    CLAIM_ID,
    answers,
    build_store,
    cite,
    documents,
    write_dataset,
)

PAID, TD, NAME, WAGE = (
    "financials.total_paid",
    "financials.td_paid",
    "claimant.name",
    "financials.average_weekly_wage",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A claim whose name has two places and whose wage a check has spoken against."""
    store = build_store(tmp_path)
    read = documents(tmp_path / "folders" / CLAIM_ID)
    fields, citations = answers(read)
    letter: ParsedDocument = read[0]
    more = cite(letter, NAME, "Marisol Quintanar", "Marisol Quintanar", index=1)
    doubted = [
        replace(one, warnings=("label_of_another_field",)) if one.field_key == WAGE else one for one in fields
    ]
    write_dataset(store, read, doubted, [*citations, replace(more, citation_id=f"{NAME}#1")])
    add_chunks(store, CLAIM_ID)
    return tmp_path


@pytest.fixture
def client(root: Path) -> Iterator[TestClient]:
    with client_of(ServingSettings(str(root / "store"), render_workers=1, local_reviewer="Ada")) as client:
        yield client


def field_of(client: TestClient, key: str) -> dict[str, Any]:
    found = client.get(f"/api/claims/{CLAIM_ID}").json()
    return next(field for field in found["fields"] if field["fieldKey"] == key)


def traced(client: TestClient, key: str) -> dict[str, Any]:
    answer = client.get(f"/api/claims/{CLAIM_ID}/fields/{key}")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def pack_of(client: TestClient) -> zipfile.ZipFile:
    answer = client.get(f"/api/claims/{CLAIM_ID}/evidence.zip")
    assert answer.status_code == 200
    return zipfile.ZipFile(io.BytesIO(answer.content))


def test_a_citation_that_nobody_had_in_view_is_not_verified_though_its_value_is(client: TestClient) -> None:
    assert decide(client, CLAIM_ID, NAME, "confirm", seenCitations=[0]).status_code == 201
    found = traced(client, NAME)
    assert (found["verified"], found["review_state"]) == (True, "confirmed")
    seen, unseen = found["citations"]
    assert (seen["extraction"]["verified"], seen["extraction"]["verified_by"]) == (True, "Ada")
    assert (unseen["extraction"]["verified"], unseen["extraction"]["verified_by"]) == (False, None)
    assert (
        "not verified" in seen["citation"]["academic"],
        "not verified" in unseen["citation"]["academic"],
    ) == (
        False,
        True,
    )


def test_a_corrected_value_is_not_verified_at_the_place_of_the_value_that_it_replaced(
    client: TestClient,
) -> None:
    assert decide(client, CLAIM_ID, PAID, "correct", value="30000").status_code == 201
    found = traced(client, PAID)
    assert (found["value"], found["verified"], found["confidence"]) == (30000, True, None)
    for cited in found["citations"]:
        assert cited["extraction"]["verified"] is False
        assert cited["extraction"]["found_for"] == "21219.12"
        assert "not verified" in cited["citation"]["academic"]


def test_a_persons_value_does_not_wear_the_confidence_of_the_pipelines(client: TestClient) -> None:
    assert field_of(client, PAID)["fieldConfidence"]["value"] > 0.5
    decide(client, CLAIM_ID, PAID, "correct", value="30000")
    shown = field_of(client, PAID)
    assert "fieldConfidence" not in shown
    assert shown["confidence"] is None
    kept = json.loads(pack_of(client).read("data.json"))
    assert list_breaches(kept) == []


def test_a_value_in_doubt_is_no_surer_because_its_words_were_found(client: TestClient) -> None:
    """The wage's quotation is on the page beyond doubt, under another field's label."""
    doubt = field_of(client, WAGE)["fieldConfidence"]["value"]
    assert doubt <= 0.3
    (cited,) = traced(client, WAGE)["citations"]
    assert cited["extraction"]["confidence"] == pytest.approx(doubt, abs=1e-3)
    assert cited["extraction"]["match_confidence"] > 0.9
    asked = {"query": "average weekly wage over 1,000"}
    published = client.post("/api/mcp/search", json=asked).json()
    assert published["results"][0]["citations"][WAGE]["confidence"] <= 0.3
    assert published["mcp_context"]["confidence_summary"].startswith("0 of 1 ")
    assert "1182.5 (in doubt)" in published["llm_context"]["suggested_answer"]
    total = client.post("/api/aggregates", json={"operation": "sum", "field": WAGE}).json()
    assert total["groups"][0]["operands"][0]["confidence"] <= 0.3
    decide(client, CLAIM_ID, WAGE, "confirm")
    (signed,) = traced(client, WAGE)["citations"]
    assert signed["extraction"]["confidence"] > 0.9


def test_a_doubted_value_is_of_low_confidence_in_lists_and_queues_whatever_the_model_said(
    client: TestClient,
) -> None:
    assert field_of(client, WAGE)["confidence"] == "medium"
    assert "low_confidence" in field_of(client, WAGE)["risk"]["reasons"]
    line = client.get("/api/claims").json()["claims"][0]
    # the wage, the benefits of which the extractor says so itself, and the physician of whom no page tells
    assert line["lowConfidence"] == 3


def test_the_study_protocols_word_is_no_surer_than_the_fitted_confidence(root: Path) -> None:
    path = root / "store" / "viewer_dataset" / CLAIM_ID / "data.json"
    results = {
        one["field_name"]: one for one in extraction_results(json.loads(path.read_text(encoding="utf-8")))
    }
    assert results[WAGE]["confidence"] == "low"
    assert results["claimant.date_of_birth"]["confidence"] in ("medium", "high")


def test_all_verified_speaks_of_every_value_that_is_shown(client: TestClient) -> None:
    decide(client, CLAIM_ID, PAID, "correct", value="30000")  # verified, at a place that nobody signed
    found = client.post("/api/mcp/search", json={"query": "total paid over 5"}).json()
    assert found["results"][0]["data"][PAID] == 30000
    assert found["mcp_context"]["all_verified"] is False


def test_the_packs_highlights_bear_a_reviewers_name_only_where_they_signed(client: TestClient) -> None:
    decide(client, CLAIM_ID, NAME, "confirm", seenCitations=[0])
    decide(client, CLAIM_ID, PAID, "correct", value="30000")
    dataset = json.loads(pack_of(client).read("data.json"))
    names = [one for one in highlights_of(dataset, "adjuster-letter") if "Marisol" in one.comment]
    assert {(one.author, "PLACE NOT REVIEWED" in one.comment) for one in names} == {
        ("Ada", False),
        ("citation_pipeline", True),
    }
    paid = [one for one in highlights_of(dataset, "payment-ledger") if "30000" in one.comment]
    assert {one.author for one in paid} == {"citation_pipeline"}
    assert all("found for: 21219.12" in one.comment for one in paid)


def test_the_packs_workbook_tells_signed_places_from_the_others(client: TestClient) -> None:
    decide(client, CLAIM_ID, NAME, "confirm", seenCitations=[0])
    book = load_workbook(io.BytesIO(pack_of(client).read("data.xlsx")))
    head, *rows = book["Citations"].iter_rows(values_only=True)
    at = head.index("Place signed")
    assert [row[at] for row in rows if row[-1] == NAME] == ["yes", None]
    assert not any(row[at] for row in rows if row[-1] != NAME)


def test_what_a_person_signed_first_and_waits_for_a_second_is_not_counted_as_reviewed(root: Path) -> None:
    tokens = [
        AccessToken.of(f"{name}-secret-of-{name}", name=name, role=Role.REVIEWER) for name in ("ada", "ben")
    ]
    settings = ServingSettings(
        str(root / "store"), render_workers=1, tokens=tokens, second_eyes=SecondEyes(amount=20_000)
    )
    with client_of(settings) as client:
        client.headers.update({**INTENT, "Authorization": "Bearer ada-secret-of-ada"})
        assert (
            decide(client, CLAIM_ID, PAID, "confirm").json()["field"]["review"]["state"] == "awaiting_second"
        )
        queue = client.get(f"/api/claims/{CLAIM_ID}/queue").json()
        assert PAID not in [one["fieldKey"] for one in queue["queue"]]
        assert queue["reviewed"] == 0
        (cited,) = traced(client, PAID)["citations"]
        assert cited["extraction"]["verified"] is False


def test_a_remark_or_a_retraction_is_nobodys_verification_in_a_fields_history() -> None:
    from citation_pipeline.adapters.read_model.shapes import HistoryView, ProvenanceAnswer
    from citation_pipeline.serving.mcp.lean import lean_provenance

    events = [
        HistoryView(at=f"2026-01-0{day}", kind="review", by="Ada", value=1, status=action, page=None)
        for day, action in enumerate(("comment", "confirm", "reopen"), start=1)
    ]
    answer = ProvenanceAnswer("c", "f", "F", 1, "number", "resolved", [], [], events, "/claims/c")
    told = lean_provenance(answer).extraction_history
    assert [entry.get("verified_by") for entry in told] == [None, "Ada", None]
    assert [entry["method"] for entry in told] == ["review_comment", "manual_verification", "review_reopen"]


@pytest.mark.parametrize(("excluded", "word", "verified"), [(0, "high", True), (1, "medium", False)])
def test_a_total_that_leaves_values_out_is_neither_sure_nor_verified(
    excluded: int, word: str, verified: bool
) -> None:
    from citation_pipeline.adapters.read_model.shapes import (
        AggregateAnswer,
        AggregateView,
        InterpretationView,
        OperandView,
    )
    from citation_pipeline.serving.mcp.lean_aggregates import lean_aggregate

    operand = OperandView("c", 5, "c:d", 1, None, "[d, p.1]", "/", verified=True, confidence=0.99)
    left_out = [replace(operand, verified=False, needs_review=True)] * excluded
    view = AggregateView(None, 5, "located", [operand], left_out)
    understood = InterpretationView("", "", (), ())
    answer = AggregateAnswer("sum", "f", "F", understood, [view], "sum", "")
    told = lean_aggregate(answer, limit=10, offset=0).llm_summary
    assert (told["confidence"], told["all_verified"]) == (word, verified)
