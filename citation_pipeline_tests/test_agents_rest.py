"""Search, provenance, questions, documents, uploads and extraction over HTTP."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from starlette.testclient import TestClient

from citation_pipeline.core.viewer.citation_objects import citation_texts
from citation_pipeline.serving.api.agent_settings import AgentSettings, ExtractOutcome
from citation_pipeline.serving.api.intake_routes import clean_name
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings
from citation_pipeline_tests.agent_claims import build_searchable_store
from citation_pipeline_tests.viewer_claim import papers
from citation_pipeline_tests.viewer_claim.serving import client_of, decide
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

READER, REVIEWER = "reader-secret-0001", "reviewer-secret-01"
LETTER = f"{CLAIM_ID}:adjuster-letter"


class Runs:
    """Stands for the pipeline: remembers what it was asked to run."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    def __call__(self, claim_id: str, force: bool, **chosen: str) -> ExtractOutcome:
        self.asked.append((claim_id, force))
        self.chosen = chosen
        if claim_id == "broken":
            return ExtractOutcome(claim_id, False, error="its folder /srv/inbox/broken is gone")
        return ExtractOutcome(claim_id, True, ("parsed_documents",) if force else ())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    build_searchable_store(tmp_path)
    return tmp_path


@pytest.fixture
def runs() -> Runs:
    return Runs()


@pytest.fixture
def client(root: Path, runs: Runs) -> Iterator[TestClient]:
    settings = ServingSettings(str(root / "store"), render_workers=1, agents=AgentSettings(extract=runs))
    with client_of(settings) as client:
        yield client


def test_a_search_says_how_it_was_understood_and_cites(client: TestClient) -> None:
    answer = client.get("/api/search", params={"q": "average weekly wage over 1,000"}).json()
    condition = answer["query_interpretation"]["conditions"][0]
    assert (condition["field"], condition["operator"], condition["value"]) == (
        "financials.average_weekly_wage",
        ">",
        1000,
    )
    hit = answer["results"][0]
    assert hit["fields"][0]["value"] == 1182.5
    assert hit["citations"][0]["citation"]["short"] in answer["llm_context"]
    assert client.get("/api/search", params={"q": "average weekly wage under 1,000"}).json()["total"] == 0


def test_get_and_post_search_alike_page_by_page_and_answer_unchanged_with_304(client: TestClient) -> None:
    by_get = client.get("/api/search", params={"q": "paid wage", "limit": 1})
    assert client.post("/api/search", json={"query": "paid wage", "limit": 1}).json() == by_get.json()
    assert by_get.json()["next_offset"] == 1
    second = client.get("/api/search", params={"q": "paid wage", "limit": 1, "offset": 1}).json()
    assert second["results"][0]["document_id"] != by_get.json()["results"][0]["document_id"]
    again = client.get(
        "/api/search",
        params={"q": "paid wage", "limit": 1},
        headers={"If-None-Match": by_get.headers["etag"]},
    )
    assert (again.status_code, again.content) == (304, b"")


def test_a_citation_has_its_place_its_surroundings_and_its_links(client: TestClient) -> None:
    answer = client.get(f"/api/mcp/citations/{LETTER}/claimant.date_of_birth").json()
    assert (answer["value"], len(answer["citations"])) == ("1984-07-02", 1)
    cited = answer["citations"][0]
    assert cited["source"]["document_id"] == LETTER
    assert (
        cited["source"]["context_before"].rstrip().endswith("Marisol Quintanar")
        or cited["source"]["context_before"]
    )
    assert len(cited["source"]["context_before"]) <= 200
    assert 0 < cited["source"]["bbox"]["left"] < 1
    assert cited["source"]["bbox"]["page_width"] > 500
    page = client.get(cited["urls"]["page_pdf"])
    assert page.headers["content-type"] == "application/pdf"
    with pypdfium2.PdfDocument(io.BytesIO(page.content)) as document:
        assert len(document) == 1
        assert "07/02/1984" in document[0].get_textpage().get_text_range()
    assert (
        client.get(f"/api/mcp/citations/{CLAIM_ID}:payment-ledger/claimant.date_of_birth").status_code == 404
    )


def test_the_three_forms_read_as_agreed() -> None:
    texts = citation_texts("Invoice-001.pdf", 2, "Total  due $5", verified_at="2024-11-15T10:00:00+00:00")
    assert texts.short == "[Invoice-001.pdf, p.2]"
    assert texts.long == 'Invoice-001.pdf, Page 2: "Total due $5"'
    assert texts.academic == "Invoice-001.pdf (Page 2, verified Nov 15 2024)"


def test_history_tells_of_runs_and_of_people(client: TestClient) -> None:
    assert decide(client, CLAIM_ID, "claimant.name", "confirm").status_code == 201
    answer = client.get(f"/api/claims/{CLAIM_ID}/fields/claimant.name").json()
    assert [(entry["kind"], entry["value"]) for entry in answer["history"]] == [
        ("extraction", "Marisol Quintana"),
        ("review", "Marisol Quintanar"),
    ]
    verified = answer["citations"][0]["extraction"]
    assert (verified["verified"], verified["verified_by"]) == (True, "local reviewer")
    assert "verified" in answer["citations"][0]["citation"]["academic"]
    assert "not verified" not in answer["citations"][0]["citation"]["academic"]


@pytest.mark.parametrize(
    ("text", "place", "status"),
    [
        ("Date of birth: 07/02/1984", {"page": 1}, "verified"),
        ("Date of birth: 07/02/1984", {"page": 2}, "drifted"),
        ("Date of birth: 07/02/1984", {"page": 1, "bbox": [0.0, 0.9, 0.1, 0.05]}, "drifted"),
        ("Date of birth: 07/02/1984", {}, "verified"),
        ("Date of birth: 07/02/1984", {"bbox": [0.0, 0.9, 0.1, 0.05]}, "drifted"),
        ("Date of birth: 07/02/1984", {"page": 99}, "drifted"),
        ("Date of birth: 07/02/1985", {"page": 1}, "differs"),
        ("Date of birth: 07/02/1984", {"page": 1, "bbox": [0.0, 0.0, 1.0, 1.0]}, "drifted"),
        ("Date of injury: 14, 2023", {"page": 1}, "differs"),
        ("The claim was on 04/28/2023.", {"page": 1}, "differs"),
        ("Treating physician: Amelia Pradso, M.D.", {}, "differs"),  # a text layer has no misread letters
        ("D", {"page": 1}, "unknown"),
        ("Date of birth: 07/02/1984", {"sha256": "0" * 64}, "stale"),
        ("The moon is made of cheese", {"page": 1}, "unknown"),
    ],
)
def test_a_quotation_is_checked_against_the_document(
    client: TestClient, text: str, place: dict[str, Any], status: str
) -> None:
    answer = client.post("/api/citations/check", json={"document_id": LETTER, "text": text, **place})
    assert answer.json()["status"] == status


def test_a_check_tells_words_that_their_sentence_turns_from_other_words(
    tmp_path: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = papers.LETTER
    monkeypatch.setattr(
        papers, "LETTER", (first, (*second, "If the mooring holds, the ferry leaves at dawn."))
    )
    build_searchable_store(tmp_path)
    settings = ServingSettings(str(tmp_path / "store"), render_workers=1, agents=AgentSettings(extract=runs))
    with client_of(settings) as client:
        asked = {"document_id": LETTER, "text": "the ferry leaves at dawn"}
        answer = client.post("/api/citations/check", json=asked).json()
    assert (answer["status"], answer["reason"]) == ("turned", "turn_left_out")
    assert "If the mooring holds, the ferry leaves at dawn." in answer["message"]
    assert answer["found"]["source"]["text"] == "the ferry leaves at dawn."


def test_a_check_says_what_it_compared_and_what_the_document_says(client: TestClient) -> None:
    asked = {"document_id": LETTER, "text": "Date of birth: 07/02/1984"}
    answer = client.post("/api/citations/check", json=asked).json()
    assert (answer["checked"], answer["not_checked"]) == (["text"], ["page", "bbox", "sha256"])
    box = answer["found"]["source"]["bbox"]
    sides = [box["left"], box["top"], box["width"], box["height"]]
    answer = client.post("/api/citations/check", json={**asked, "page": 1, "bbox": sides}).json()
    assert (answer["status"], answer["checked"]) == ("verified", ["text", "page", "bbox"])
    asked["text"] = "Date of birth: 07/02/1985"
    answer = client.post("/api/citations/check", json=asked).json()
    assert "07/02/1984" in answer["message"]
    assert answer["reason"] == "digits_differ"


@pytest.mark.parametrize(
    "sides", ["[NaN, 0, 1, 1]", "[0, -0.5, 1, 1]", "[0, 0, 2, 1]", "[0.1, Infinity, 1, 1]"]
)
def test_a_box_that_is_none_is_refused_by_its_name(client: TestClient, sides: str) -> None:
    body = f'{{"document_id": "{LETTER}", "text": "Date of birth", "page": 1, "bbox": {sides}}}'
    answer = client.post("/api/citations/check", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"].startswith("bbox")


@pytest.mark.parametrize("sides", [[0.5, 0.5, 0.9, 0.1], [0.1, 0.1, 0.0, 0.0]])
def test_a_box_that_points_at_nothing_verifies_nothing(client: TestClient, sides: list[float]) -> None:
    asked = {"document_id": LETTER, "text": "Date of birth: 07/02/1984", "bbox": sides}
    answer = client.post("/api/citations/check", json=asked).json()
    assert (answer["status"], answer["reason"], answer["checked"]) == ("unknown", "bad_box", [])


def test_a_question_to_one_document_finds_nothing_of_another(client: TestClient) -> None:
    asked = {"question": "What is the total paid?", "document_id": f"{CLAIM_ID}:payment-ledger"}
    assert client.post("/ask", json=asked).json()["value"] == 21219.12
    asked["document_id"] = LETTER
    assert client.post("/ask", json=asked).json()["answer"] == "Not found in document."


def test_a_models_answer_without_a_model_is_refused_with_a_remedy(client: TestClient) -> None:
    refused = client.post(
        "/ask", json={"question": "When was she born?", "claim_id": CLAIM_ID, "method": "model"}
    )
    assert refused.status_code == 422
    assert refused.json()["error"]["code"] == "no_model"
    assert "ANTHROPIC_API_KEY" in refused.json()["error"]["remedy"]


def test_retrieval_can_be_looked_into(client: TestClient) -> None:
    answer = client.post(
        "/api/ask/debug", json={"question": "When was she born?", "claim_id": CLAIM_ID}
    ).json()
    assert answer["kind"] == "date"
    assert answer["retrieved"][0]["places"]["words"] == 1
    assert answer["reranked"][0]["score"] >= answer["reranked"][-1]["score"]


def test_uploads_arrive_whole_under_clean_names_in_the_inbox(
    client: TestClient, root: Path, runs: Runs
) -> None:
    data = b"%PDF-1.4 " + b"x" * 3_000_000  # more than any other request may carry
    files = [("files", ("../../evil/Report.pdf", data)), ("files", ("Report.pdf", b"other"))]
    answer = client.post("/upload", data={"claim_id": "new-claim"}, files=files)
    assert (answer.status_code, answer.json()["files"]) == (201, ["Report.pdf", "Report (2).pdf"])
    folder = root / "store" / "inbox" / "new-claim" / "documents"
    assert (folder / "Report.pdf").read_bytes() == data
    assert sorted(path.name for path in folder.iterdir()) == ["Report (2).pdf", "Report.pdf"]
    assert runs.asked == []
    client.post("/upload", data={"claim_id": "new-claim", "process": "true"}, files=files[:1])
    assert runs.asked == [("new-claim", False)]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("C:\\docs\\a.pdf", "a.pdf"),
        ("..", "document"),
        (".hidden", "hidden"),
        ("a\x00b\n.pdf", "a_b_.pdf"),
        ("x" * 400 + ".pdf", "x" * 150 + ".pdf"),
        ("", "document"),
    ],
)
def test_a_file_name_is_a_name_and_nothing_else(given: str, kept: str) -> None:
    assert clean_name(given) == kept


def test_an_extraction_runs_once_is_cached_and_can_be_forced(client: TestClient, runs: Runs) -> None:
    assert client.post("/extract", json={"claim_id": CLAIM_ID}).json()["cached"] is True
    forced = client.post("/extract", json={"claim_id": CLAIM_ID, "force": True}).json()
    assert (forced["cached"], forced["ran"]) == (False, ["parsed_documents"])
    broken = client.post("/extract", json={"claim_id": "broken"})
    assert (broken.status_code, broken.json()["error"]["code"]) == (409, "extraction_failed")
    assert runs.asked == [(CLAIM_ID, False), (CLAIM_ID, True), ("broken", False)]


def test_a_server_without_a_pipeline_says_so(root: Path) -> None:
    with client_of(ServingSettings(str(root / "store"), render_workers=1)) as client:
        answer = client.post("/extract", json={"claim_id": CLAIM_ID})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "no_extraction_here")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/search?q=wage", None),
        ("POST", "/api/search", {"query": "wage"}),
        ("POST", "/api/aggregates", {"operation": "sum", "field": "financials.total_paid"}),
        ("POST", "/api/citations/check", {"document_id": LETTER, "text": "x"}),
        ("GET", f"/api/mcp/citations/{LETTER}/claimant.name", None),
        ("GET", f"/api/claims/{CLAIM_ID}/fields", None),
        ("GET", f"/api/documents/{LETTER}/pdf", None),
        ("POST", "/ask", {"question": "Who?", "claim_id": CLAIM_ID}),
        ("POST", "/extract", {"claim_id": CLAIM_ID}),
    ],
)
def test_the_viewers_access_rules_hold_here_too(
    root: Path, method: str, path: str, body: dict[str, Any] | None
) -> None:
    tokens = (
        AccessToken.of(READER, name="Rea", role=Role.VIEWER),
        AccessToken.of(REVIEWER, name="Ada", role=Role.REVIEWER),
    )
    settings = ServingSettings(
        str(root / "store"), render_workers=1, tokens=tokens, agents=AgentSettings(extract=Runs())
    )
    with client_of(settings) as client:
        assert client.request(method, path, json=body).status_code == 401
        reader = client.request(method, path, json=body, headers={"Authorization": f"Bearer {READER}"})
        assert reader.status_code == (403 if path == "/extract" else 200)
        reviewer = client.request(method, path, json=body, headers={"Authorization": f"Bearer {REVIEWER}"})
        assert reviewer.status_code == 200


def test_every_refusal_has_one_shape(client: TestClient) -> None:
    refusals = [
        client.get("/api/search"),
        client.get("/api/claims/none/fields"),
        client.get("/api/documents/x/pdf"),
        client.get(f"/api/documents/{LETTER}/pdf", params={"page": 1, "bbox": "nan,0,1,1"}),
        client.post("/ask", json={"question": "Who?"}),
        client.post("/api/aggregates", json={"operation": "sum", "field": "moon"}),
    ]
    for answer in refusals:
        assert 400 <= answer.status_code < 500
        assert set(answer.json()["error"]) == {"code", "message", "remedy"}


def test_the_openapi_shows_examples(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()
    for path in ("/ask", "/upload", "/extract", "/api/search", "/api/aggregates", "/api/citations/check"):
        assert path in described["paths"]
    assert described["components"]["schemas"]["Asked"]["examples"]


def test_the_published_search_maps_citations_by_field(client: TestClient) -> None:
    asked = {"query": "average weekly wage over 1,000", "include_full_citations": True}
    answer = client.post("/api/mcp/search", json=asked).json()
    result = answer["results"][0]
    cited = result["citations"]["financials.average_weekly_wage"]
    assert cited["citation_string"].startswith("Adjuster Letter.pdf, Page 1")
    assert cited["source_text"]
    assert cited["page"] == 1
    assert cited["confidence"] > 0
    assert cited["citation"]["source"]["context"]["before"]
    assert result["data"]["financials.average_weekly_wage"] == 1182.5
    assert answer["mcp_context"]["all_verified"] is False
    assert answer["mcp_context"]["query"] == asked["query"]
    assert decide(client, CLAIM_ID, "financials.average_weekly_wage", "confirm").status_code == 201
    again = client.post("/api/mcp/search", json=asked).json()
    assert again["mcp_context"]["all_verified"] is True


def test_a_citation_is_in_points_of_the_page_where_that_is_asked_for(client: TestClient) -> None:
    asked = {"query": "average weekly wage over 1,000"}
    key = "financials.average_weekly_wage"
    ours = client.post("/api/mcp/search", json=asked).json()["results"][0]["citations"][key]
    theirs = client.post("/api/mcp/search", json={**asked, "bbox_units": "points"}).json()
    cited = theirs["results"][0]["citations"][key]
    box, share = cited["citation"]["source"]["bbox"], ours["citation"]["source"]["bbox"]
    assert set(box) == {"x", "y", "width", "height", "page_width", "page_height"}
    assert box["x"] == pytest.approx(share["left"] * share["page_width"], abs=0.01)
    assert box["y"] == pytest.approx(share["top"] * share["page_height"], abs=0.01)
    assert cited["bbox"] == [box["x"], box["y"], box["width"], box["height"]]
    assert box["width"] > 1
    got = client.get("/api/mcp/search", params={**asked, "bbox_units": "points", "citation_format": "long"})
    assert got.json() == theirs
    short = client.get("/api/mcp/search", params={**asked, "include_citations": "false"}).json()
    cited = short["results"][0]["citations"][key]
    assert (cited["citation"], cited["citation_string"]) == (None, "[Adjuster Letter.pdf, p.1]")


def test_a_condition_that_is_not_understood_is_a_422_with_field_reason_and_remedy(client: TestClient) -> None:
    asked = {"operation": "sum", "field": "financials.total_paid", "where": "total paid over 5 in 2025"}
    answer = client.post("/api/aggregates", json=asked)
    assert answer.status_code == 422
    detail = answer.json()["details"][0]
    assert detail["field"] == "where"
    assert "in 2025" in detail["reason"]
    assert detail["remedy"]
    unknown = client.post("/api/aggregates", json={**asked, "filter": "x"})
    assert (unknown.status_code, unknown.json()["details"][0]["field"]) == (422, "filter")


def test_a_review_is_in_the_history_with_its_words(client: TestClient) -> None:
    decide(client, CLAIM_ID, "claimant.name", "comment", comment="seen on the passport")
    entry = client.get(f"/api/claims/{CLAIM_ID}/fields/claimant.name").json()["history"][-1]
    assert (entry["kind"], entry["notes"]) == ("review", "seen on the passport")


def test_an_extraction_may_name_schema_and_extractor_but_no_path(client: TestClient, runs: Runs) -> None:
    wanted = {"claim_id": CLAIM_ID, "schema": "rate_confirmation", "extractor": "rules"}
    assert client.post("/extract", json=wanted).status_code == 200
    assert runs.chosen == {"schema": "rate_confirmation", "extractor": "rules"}
    assert client.post("/extract", json={"claim_id": CLAIM_ID, "schema": "../../etc"}).status_code == 422


def test_no_path_of_the_server_is_in_a_refusal(client: TestClient) -> None:
    refused = client.post("/extract", json={"claim_id": "broken"})
    assert "/" not in refused.json()["error"]["remedy"]
    assert "its folder" in refused.json()["error"]["remedy"]


def test_lists_say_where_they_go_on_and_answers_carry_etags(client: TestClient) -> None:
    listed = client.get("/api/claims", params={"limit": 1})
    assert listed.json()["next_offset"] is None
    for path in ("/api/claims", "/api/session", f"/api/claims/{CLAIM_ID}/queue", f"/api/claims/{CLAIM_ID}"):
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b""), path
