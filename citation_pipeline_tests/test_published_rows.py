"""The published designs, row by row, done as an outsider would: by command line, REST, MCP and Python.

A row's number is that of the review of the designs (files 000 to 004 and the card); 0 is read from their
texts. Each row's check does what the design describes, on a claim that the command line ran.
A row that `differs` has a line in `docs/differences.md` with the reason and the way to the published
behaviour; its check goes that way where there is one. What only a browser shows names its test.
"""

import ast
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import jsonschema
import pytest

import citation_pipeline
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.conversation.estimates import estimate
from citation_pipeline.adapters.read_model.searches import search
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.defs.definitions import defs as pipeline
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.claude_scenes import workers_comp
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.drawn_pdfs import HEIGHT, WIDTH
from citation_pipeline_tests.published_walk import CLAIM, LEDGER, QUOTED, REPORT, ROWS, Walk, walking
from citation_pipeline_tests.viewer_claim.serving import client_of, decide

HERE = Path(__file__).resolve().parent
WAGE = "wages.average_weekly_wage"


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    with walking(tmp_path_factory.mktemp("walk")) as walk:
        yield walk


@dataclass(frozen=True)
class Row:
    """A row of the designs, and what shows that it works."""

    number: int
    what: str
    check: Callable[[Walk], None]
    differs: str = ""
    in_browser: str = ""


CHECKED: list[Row] = []


def row(number: int, what: str, *, differs: str = "", in_browser: str = "") -> Callable[..., None]:
    """Keep a check under its row."""

    def keep(check: Callable[[Walk], None]) -> None:
        CHECKED.append(Row(number, what, check, differs, in_browser))

    return keep


# --- 000: extraction pipeline with citations --------------------------------------------------------------


@row(6, "page markers enabled", differs="page markers asked of the parser")
def _(walk: Walk) -> None:
    assert (walk.files / "status-report.md").read_text().startswith("<!-- page 1 -->")
    parse = walk.read("status-report.reducto.json")
    assert {block["bbox"]["page"] for block in parse["result"]["chunks"][0]["blocks"]} == {1}


@row(10, "{slug}.md keeps tables")
def _(walk: Walk) -> None:
    lines = (walk.files / "ledger.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    assert [cells for cells in rows if cells[0] != "---"] == ROWS


@row(11, "sources_index.json")
def _(walk: Walk) -> None:
    kept = json.loads((Path(walk.store) / "published" / CLAIM / "sources_index.json").read_text())
    assert kept == walk.read("sources_index.json")
    by_id = {source["id"]: source for source in kept}
    assert by_id["status-report"] == {
        "id": "status-report",
        "name": "Status Report",
        "file": "Status Report.pdf",
        "pageCount": 1,
        "mdFile": "status-report.md",
        "jsonFile": "status-report.reducto.json",
    }
    assert all((walk.files / source[name]).is_file() for source in kept for name in ("mdFile", "jsonFile"))


@row(13, "two seconds between calls", differs="two seconds between calls")
def _(walk: Walk) -> None:
    assert "CITATION_PIPELINE_REDUCTO_RATE" in walk.said("config")


@row(23, "one fixed model", differs="one fixed model")
def _(walk: Walk) -> None:
    old = ClaudeSettings(model="claude-sonnet-4-5-20250929").profile()
    assert "CITATION_PIPELINE_MODEL" in walk.said("config")
    assert old.price_of(100_000).input == 3
    assert ClaudeSettings(model=old.model).answer_limit() >= 16_384


@row(24, "a single answer", differs="one prompt, one answer")
def _(walk: Walk) -> None:
    settings = ClaudeSettings(model="claude-sonnet-4-5-20250929", second_look_fields=0)
    assert estimate(list(walk.documents.values()), workers_comp(), settings).calls == 1


@row(25, "extraction_raw.json, from which the rest is made again without a call")
def _(walk: Walk) -> None:
    raw = walk.read("extraction_raw.json")
    number = next(one for one in raw["extractions"] if one["field_key"] == "metadata.claim_number")
    assert number["value"] == "WC-2025-0417"
    assert set(number["citations"][0]) == {"source_id", "text_snippet"}
    again = walk.copied("replayed")
    (again / "extraction_raw.json").write_text(json.dumps(raw))
    store = str(walk.folder / "replayed-store")
    walk.said("run", again, "--extractor", "replay", "--store", store)
    fields = json.loads(Path(store, "viewer_dataset", "replayed", "data.json").read_text())["fields"]
    first = {field["fieldKey"]: field["rawValue"] for field in walk.read("data.json")["fields"]}
    assert {field["fieldKey"]: field["rawValue"] for field in fields} == first


@row(28, "substring beats fuzzy", differs="substring before fuzzy")
def _(walk: Walk) -> None:
    documents = list(walk.documents.values())

    def found(snippet: str) -> tuple[CitationStatus, float]:
        field = ExtractedField("mmi", "2025-04-10", "date", (Snippet("status-report", snippet),))
        (citation,) = resolve_claim(documents, [field])
        return citation.status, citation.score

    assert found("PTP Dr. Nguyen declares P&S/MMI as of 04/10/2025") == (CitationStatus.RESOLVED, 1.0)
    status, score = found("PTP Dr. Nguyen declares P&S/MMI as of 04/19/2025")
    assert status is not CitationStatus.RESOLVED
    assert score < 1.0


@row(33, "display values as people write them")
def _(walk: Walk) -> None:
    fields = {field["fieldKey"]: field for field in walk.read("data.json")["fields"]}
    wage, injured = fields[WAGE], fields["claimed_injury_description.date_of_injury"]
    assert (wage["value"], wage["rawValue"]) == ("$1,214.70", 1214.7)
    assert (injured["value"], injured["rawValue"]) == ("02/11/2025", "2025-02-11")
    assert (injured["label"], injured["category"]) == ("Date Of Injury", "Claimed Injury Description")


@row(35, "sources of data.json with a path that is served")
def _(walk: Walk) -> None:
    (source,) = (one for one in walk.read("data.json")["sources"] if one["id"] == "status-report")
    original = walk.claim_folder / "documents" / "Status Report.pdf"
    assert walk.client.get(source["file"]).content == original.read_bytes()


@row(
    40,
    "a blue rectangle that fades",
    differs="a blue rectangle that fades",
    in_browser="viewer_browser::the_blue_rectangle_of_the_published_design_is_a_setting",
)
def _(walk: Walk) -> None:
    said = walk.said("config")
    assert "CITATION_VIEWER_HIGHLIGHT" in said
    assert "CITATION_VIEWER_FADE_SECONDS" in said


@row(46, "a static site with pdf.js", differs="a static site with pdf.js")
def _(walk: Walk) -> None:
    out = walk.folder / "site"
    walk.said("export", CLAIM, "--out", out, "--store", walk.store)
    page = (out / "index.html").read_text()
    assert "://" not in page  # nothing is fetched from anywhere
    assert any(path.suffix in (".png", ".webp") for path in out.rglob("*"))


@row(50, "documents known by the slug of their name", differs="blocks as `source_id` slugs")
def _(walk: Walk) -> None:
    claim, store = walk.copied("renamed"), str(walk.folder / "renamed-store")
    walk.said("run", claim, "--store", store)
    report = claim / "documents" / "Status Report.pdf"
    report.rename(report.with_name("other name.pdf"))
    walk.said("run", claim, "--store", store)
    frames = citation_pipeline.open_store(store)
    named = dict(zip(frames.documents()["source_id"], frames.documents()["file"], strict=True))
    assert named["status-report"] == "other name.pdf"
    assert "status-report" in set(frames.citations()["source_id"])


@row(52, "confidence")
def _(walk: Walk) -> None:
    def sure(snippet: str, value: float = 1214.7) -> float:
        field = ExtractedField("wage", value, "number", (Snippet("status-report", snippet),))
        return resolve_claim(list(walk.documents.values()), [field])[0].confidence

    assert sure(QUOTED) > 0.9 > sure("Average weekly wage: $1,241.70.") > sure("No wages are known.", 88.25)


# --- 001: study protocol ----------------------------------------------------------------------------------


@row(56, "names of a snippet's offsets", differs="`field_name`, `startOffset`, `endOffset`")
def _(walk: Walk) -> None:
    results = {one["field_name"]: one for one in walk.read("extraction_results.json")}
    wage = results[WAGE]
    assert wage.keys() == {"field_name", "value", "confidence", "citations", "provenance"}
    assert wage["confidence"] in ("low", "medium", "high")
    assert wage["provenance"] == "extracted"
    for citation in wage["citations"]:
        text = walk.read(f"{citation['source_id']}/normalized_text.json")
        (page,) = (
            one["page"]
            for one in text["page_boundaries"]
            if one["startOffset"] <= citation["startOffset"] < one["endOffset"]
        )
        assert page == citation["page"]
        quoted = text["normalized_text"][citation["startOffset"] : citation["endOffset"]]
        assert "1,214.70" in quoted
        assert " ".join(quoted.split()) == " ".join(citation["snippet"].split())


@row(61, "Zod schemas", differs="Zod schemas in a shared package")
def _(walk: Walk) -> None:
    shape = json.loads((HERE.parent / "citation_pipeline/core/viewer/data_schema.json").read_text())
    data = json.loads((Path(walk.store) / "viewer_dataset" / CLAIM / "data.json").read_text())
    jsonschema.validate(data, shape)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**data, "fields": [{"id": "f1"}]}, shape)


# --- 002: data model --------------------------------------------------------------------------------------


@row(62, "ade_chunks.json")
def _(walk: Walk) -> None:
    for chunk in walk.read("status-report/ade_chunks.json"):
        assert re.fullmatch(r"ade_c_\d{4}", chunk["chunk_id"])
        assert chunk["text"]
        (grounding,) = chunk["groundings"]
        left, top, right, bottom = grounding["bbox"]
        assert grounding["page"] == 1
        assert 0 <= left < right <= WIDTH
        assert 0 <= top < bottom <= HEIGHT
        assert set(chunk["meta"]) == {"source", "section_tags"}


@row(63, "fine_geometry.json")
def _(walk: Walk) -> None:
    chunks = {chunk["chunk_id"]: chunk for chunk in walk.read("status-report/ade_chunks.json")}
    geometry = walk.read("status-report/fine_geometry.json")
    assert set(geometry) == set(chunks)
    for name, part in geometry.items():
        words = {word["word_id"]: word["text"] for word in part["words"]}
        assert [word for line in part["lines"] for word in line["word_ids"]] == list(words)
        assert " ".join(words.values()).split() == chunks[name]["text"].split()


@row(64, "sentence_index.json")
def _(walk: Walk) -> None:
    chunks = {chunk["chunk_id"]: chunk["text"] for chunk in walk.read("status-report/ade_chunks.json")}
    index = walk.read("status-report/sentence_index.json")
    said = [chunks[name][one["start"] : one["end"]] for name, rows in index.items() for one in rows]
    assert "It was paid in full." in said
    assert "Nothing is owed." in said


@row(65, "highlights")
def _(walk: Walk) -> None:
    shown = next(one for one in walk.read("highlights.json") if "WC-2025-0417" in one["citation"])
    original = walk.claim_folder / "documents" / shown["doc_id"]
    assert shown["meta"]["doc_hash"] == hashlib.sha1(original.read_bytes()).hexdigest()
    assert shown["meta"]["method"] in ("pass1", "pass2")
    assert 0 <= shown["meta"]["confidence"] <= 1
    for polygon in shown["context"] + shown["answer"]:
        assert len(polygon["poly"]) == 4
        assert all(0 <= edge <= 1 for point in polygon["poly"] for edge in point)


@row(67, "a number before every token", differs="a number before every token")
def _(walk: Walk) -> None:
    said = walk.said(
        *("highlight", CLAIM, "--document", "status-report", "--reading-view", "--json"),
        *("--store", walk.store),
    )
    tokens = [token for line in json.loads(said)["lines"] for token in line["tokens"]]
    assert [number for number, _, _ in tokens] == list(range(len(tokens)))
    texts = walk.documents["status-report"].words.texts
    assert all(texts[word] == text for _, word, text in tokens)


@row(69, "resolve artifact")
def _(walk: Walk) -> None:
    artifact = walk.read(f"artifacts/resolve/{WAGE}-0.json")
    words = {
        word["word_id"]: word["text"]
        for part in walk.read("status-report/fine_geometry.json").values()
        for word in part["words"]
    }
    assert any("1,214.70" in words[word] for word in artifact["selected"]["word_ids"])
    assert artifact["selected"]["pages"][0]["polys"]
    assert artifact["diagnostics"]["candidates"]


@row(70, "llm_resolve artifact")
def _(walk: Walk) -> None:
    span = walk.read("artifacts/llm_resolve/0.json")
    assert span["answer"] == "WC-2025-0417"
    assert span["snapped"]["start_text"] == "Number:"
    assert len(span["word_ids"]) == 2
    assert span["pages"][0]["bbox"][0] > 50


# --- 003: MCP ---------------------------------------------------------------------------------------------


@row(71, "citation object")
def _(walk: Walk) -> None:
    found = walk.posted("/api/mcp/search", query="average weekly wage over $1,000", bbox_units="points")
    whole = found["results"][0]["citations"][WAGE]["citation"]
    assert whole["field"] == {"name": WAGE, "value": 1214.7, "type": "number"}
    box = whole["source"]["bbox"]
    assert (box["page_width"], box["page_height"]) == (WIDTH, HEIGHT)
    assert 60 < box["x"] < box["x"] + box["width"] < 400
    assert set(whole["source"]["context"]) == {"before", "after"}
    assert {"method", "confidence", "verified", "verified_at", "verified_by"} <= set(whole["extraction"])
    assert whole["citation"]["short"] == "[Status Report.pdf, p.1]"
    assert whole["citation"]["long"].startswith('Status Report.pdf, Page 1: "')


@row(74, "search result with summary and context for a model")
def _(walk: Walk) -> None:
    answer = walk.tool("search_documents", query="average weekly wage over $1,000", citation_format="long")
    assert set(answer["llm_context"]) == {"query_interpretation", "confidence_note", "suggested_answer"}
    assert "1214.7" in answer["llm_context"]["suggested_answer"]
    (found,) = answer["results"]
    assert found["summary"].endswith("[Status Report.pdf, p.1]")
    assert found["citations"][0]["citation"]["long"].startswith("Status Report.pdf, Page 1")


@row(75, "get_field_provenance(document_id, field_name)")
def _(walk: Walk) -> None:
    found = walk.tool("get_field_provenance", document_id=REPORT, field_name=WAGE)
    assert (found["field"], found["value"]) == (WAGE, 1214.7)
    assert found["full_citation"]["source"]["filename"] == "Status Report.pdf"
    assert found["extraction_history"][0]["value"] == 1214.7
    assert found["source_document_url"].endswith("/pdf")
    link = found["source_location_url"]
    assert walk.client.get(link[link.index("/api/") :]).headers["content-type"] == "application/pdf"


@row(78, "aggregate(query, template)")
def _(walk: Walk) -> None:
    found = walk.tool(
        "aggregate_with_citations", query="sum of all average weekly wage", template="workers_comp"
    )
    told = {"type": "sum", "field": WAGE, "result": 1214.7, "count": 1, "excluded": 0}
    # what the design does not have: the claims that the total says nothing of
    assert found["aggregation"] == {**told, "claims_unsettled": 0, "claims_without_value": 0}


@row(79, "aggregation with sources and a summary")
def _(walk: Walk) -> None:
    found = walk.tool("aggregate_with_citations", query="sum of average weekly wage", template="workers_comp")
    (source,) = found["sources"]
    assert (source["value"], source["citation"]) == (1214.7, "[Status Report.pdf, p.1]")
    summary = found["llm_summary"]
    assert (summary["confidence"], summary["all_verified"]) == ("high", False)
    assert "1214.7" in summary["answer"]
    assert summary["citations"]


@row(80, "GET /api/search with citations by field")
def _(walk: Walk) -> None:
    found = walk.got("/api/search", query="average weekly wage over $1,000", include_citations="true")
    cited = found["results"][0]["citations"][WAGE]
    assert found["results"][0]["data"] == {"filename": "Status Report.pdf", WAGE: 1214.7}
    assert cited["citation_string"] == "[Status Report.pdf, p.1]"
    assert "1,214.70" in cited["source_text"]
    assert found["mcp_context"]["citation_format"] == "Cite as: [filename, p.X]"
    assert found["mcp_context"]["all_verified"] is False
    assert "1 of 1" in found["mcp_context"]["confidence_summary"]
    assert isinstance(walk.got("/api/search", q="wage")["results"][0]["citations"], list)


@row(82, "POST /api/mcp/search")
def _(walk: Walk) -> None:
    found = walk.posted(
        "/api/mcp/search", query="average weekly wage over $1,000", include_full_citations=True
    )
    assert found["results"][0]["citations"][WAGE]["citation_string"].startswith("Status Report.pdf, Page 1")


@row(86, "verified of these words")
def _(walk: Walk) -> None:
    claim, store = walk.copied("signed"), str(walk.folder / "signed-store")
    walk.said("run", claim, "--store", store)
    address = f"/api/claims/signed/fields/{WAGE}"
    with client_of(ServingSettings(store, render_workers=1, local_reviewer="Ada")) as client:
        assert decide(client, "signed", WAGE, "confirm").status_code == 201
        (cited,) = client.get(address).json()["citations"]
        assert (cited["extraction"]["verified"], cited["extraction"]["verified_by"]) == (True, "Ada")
    changed = walk.folder / "copies" / "signed" / "documents" / "Status Report.pdf"
    changed.write_bytes(changed.with_name("ledger.pdf").read_bytes())
    command("run", claim, "--store", store)
    with client_of(ServingSettings(store, render_workers=1, local_reviewer="Ada")) as client:
        answer = client.get(address)
        later = answer.json().get("citations", []) if answer.status_code == 200 else []
        assert not any(cited["extraction"]["verified"] for cited in later)
        assert "Ada" not in str(client.get("/api/search", params={"q": "wage"}).json())


@row(89, "ordering by value, quarters")
def _(walk: Walk) -> None:
    ordered = walk.got("/api/search", q="claims sorted by average weekly wage descending")
    assert [result["fields"][0]["name"] for result in ordered["results"]] == [WAGE]
    assert ordered["sorting"]["descending"] is True
    for quarter, count in (("Q1 2025", 1), ("Q2 2025", 0)):
        assert walk.got("/api/search", q=f"date of injury in {quarter}")["total"] == count
    tool = walk.tool("search_documents", query="claim number", order_by=WAGE, descending=True)
    assert tool["results"]


# --- 004: UltraDoc ----------------------------------------------------------------------------------------

INVOICE = (
    "INVOICE\nInvoice Number: 55120\nInvoice Date: 03/03/2021\nBill to: Harbor Mart LLC\n"
    "Description: Quarterly rent of cold store 4\nPayment terms: net 30\nAmount due: $1,250.00\n"
)


@row(
    90,
    "upload, in the page too",
    in_browser="viewer_upload::a_document_is_uploaded_into_a_claim_with_a_schema_and_read",
    differs="`file` and `document_id` of an upload",
)
def _(walk: Walk) -> None:
    files = {"files": ("note.txt", b"Claim Number: N-1", "text/plain")}
    answer = walk.client.post("/upload", data={"claim_id": "uploaded"}, files=files)
    assert answer.status_code == 201
    assert answer.json()["files"] == ["note.txt"]
    assert (Path(walk.store) / "inbox" / "uploaded" / "documents" / "note.txt").read_bytes()


@row(92, "names of the confidence's parts", differs="`confidence_details` names")
def _(walk: Walk) -> None:
    details = walk.answered("What is the claim number?", boost=0.12).confidence_details
    assert details is not None
    parts = (0.62 * details.top1_calibrated, 0.23 * details.agreement_rerank, 0.15 * details.coverage)
    assert details.confidence == pytest.approx(min(1.0, sum(parts) + details.keyword_boost), abs=1e-3)
    assert 0 <= details.keyword_boost <= 0.12
    assert 0 <= details.top1_raw <= 1


@row(93, "floor and boosts", differs="`confidence_details` names")
def _(walk: Walk) -> None:
    answer = walk.answered("What is the claim number?", floor=0.995, boost=0.12)
    assert answer.confidence_details is not None
    assert (answer.confidence_details.confidence, answer.confidence_details.floor_applied) == (0.995, 0.995)
    assert answer.confidence.value < 0.995  # the fitted one stays as it is


@row(94, "Not found in document.")
def _(walk: Walk) -> None:
    found = walk.posted("/ask", question="What is the claim number?", document_id=REPORT)
    assert (found["answer"], found["found"]) == ("WC-2025-0417", True)
    lost = walk.posted("/ask", question="Who is the landlord of the warehouse?", document_id=LEDGER)
    assert (lost["answer"], lost["found"], lost["sources"]) == ("Not found in document.", False, [])


@row(95, "MIN_SIMILARITY")
def _(walk: Walk) -> None:
    assert "MIN_SIMILARITY" in walk.said("config")
    assert walk.answered("What is the claim number?", least=0.0).found
    assert walk.answered("What is the claim number?", least=1.0).answer == "Not found in document."


@row(97, "metadata of documents")
def _(walk: Walk) -> None:
    chunks = ClaimStore(walk.store).read_rows("chunks", CLAIM)
    assert {"status-report"} <= {chunk["source_id"] for chunk in chunks if chunk["document_type"]}
    assert {"WC20250417"} <= {name for chunk in chunks for name in chunk["identifiers"]}
    assert walk.got("/api/search", q="WC-2025-0417")["query_interpretation"]["identifiers"] == ["WC20250417"]


@row(98, "hybrid retrieval", differs="hybrid retrieval always on")
def _(walk: Walk) -> None:
    first = search(walk.model, "payments to the harbor clinic").results[0]
    assert first.document_id == LEDGER
    assert "words" in first.retrieval.places


@row(99, "schema by document type in /extract")
def _(walk: Walk) -> None:
    files = {"files": ("invoice.txt", INVOICE.encode(), "text/plain")}
    assert walk.client.post("/upload", data={"claim_id": "inv"}, files=files).status_code == 201
    assert walk.posted("/extract", claim_id="inv", schema="auto")["status"] == "ready"
    dataset = walk.got("/api/claims/inv")
    assert dataset["schema"]["name"] == "invoice"
    assert "55120" in [field["value"] for field in dataset["fields"]]
    assert walk.posted("/extract", claim_id="inv")["cached"] is True
    assert walk.posted("/extract", claim_id="inv", force=True)["cached"] is False


@row(100, "schema by document type on the command line")
def _(walk: Walk) -> None:
    claim = walk.folder / "copies" / "bill"
    (claim / "documents").mkdir(parents=True)
    (claim / "documents" / "bill.txt").write_text(INVOICE)
    store = str(walk.folder / "bill-store")
    walk.said("run", claim, "--schema", "auto", "--store", store)
    assert (
        json.loads(Path(store, "viewer_dataset", "bill", "data.json").read_text())["schema"]["name"]
        == "invoice"
    )


@row(0, "a document's file under the published address")
def _(walk: Walk) -> None:
    original = (walk.claim_folder / "documents" / "ledger.pdf").read_bytes()
    assert walk.client.get(f"/documents/{LEDGER}/file").content == original
    assert walk.client.get(f"/documents/{CLAIM}:nothing/file").status_code == 404


# --- card -------------------------------------------------------------------------------------------------


@row(107, "pandas")
def _(walk: Walk) -> None:
    store = citation_pipeline.open_store(walk.store)
    fields = store.fields().query(f"claim_id == '{CLAIM}'").set_index("field_key")
    assert fields.loc[WAGE, "number"] == 1214.7
    assert str(fields.loc["claimed_injury_description.date_of_injury", "date"])[:10] == "2025-02-11"
    assert set(store.documents()["source_id"]) >= {"status-report", "ledger"}
    assert store.quality().loc[CLAIM, "located_share"] == 1.0


@row(109, "a partition per PDF", differs="a partition per PDF")
def _(walk: Walk) -> None:
    documents = citation_pipeline.open_store(walk.store).documents().set_index(["claim_id", "source_id"])
    assert documents.loc[(CLAIM, "ledger"), "status"] == "parsed"
    assert walk.posted("/extract", claim_id=CLAIM, documents=["ledger"])["status"] == "ready"
    tried = json.loads((Path(walk.store) / "document_tries" / f"{CLAIM}.json").read_text())
    assert tried["ledger"]["tries"] == tried["status-report"]["tries"] + 1


@row(111, "DuckDB over the store")
def _(walk: Walk) -> None:
    with duckdb.connect(str(Path(walk.store) / "warehouse.duckdb"), read_only=True) as connection:
        asked = f"SELECT value FROM fields WHERE claim_id = '{CLAIM}' AND field_key = '{WAGE}'"
        assert connection.sql(asked).fetchall() == [("1214.7",)]


@row(114, "nightly batches", differs="nightly batches from the start")
def _(walk: Walk) -> None:
    night = pipeline.resolve_schedule_def("nightly")
    assert night.default_status.value == "STOPPED"
    assert night.cron_schedule


@row(115, "extractor, parser and schema of nights are settings")
def _(walk: Walk) -> None:
    said = walk.said("config")
    for name in ("EXTRACTOR", "PARSER", "SCHEMA"):
        assert f"CITATION_PIPELINE_INBOX_{name}" in said


NUMBERS = [
    *(6, 10, 11, 13, 23, 24, 25, 28, 33, 35, 40, 46, 50, 52, 56, 61, 62, 63, 64, 65, 67, 69, 70, 71, 74, 75),
    *(78, 79, 80, 82, 86, 89, 90, 92, 93, 94, 95, 97, 98, 99, 100, 107, 109, 111, 114, 115),
]
"""The rows that the review found missing, partly there, or different."""


def test_every_row_of_the_review_is_here_once() -> None:
    assert sorted(one.number for one in CHECKED if one.number) == NUMBERS


@pytest.mark.parametrize("one", CHECKED, ids=lambda one: f"{one.number} {one.what}")
def test_a_row_does_what_the_design_describes(one: Row, walk: Walk) -> None:
    one.check(walk)


@pytest.mark.parametrize("one", [one for one in CHECKED if one.differs], ids=lambda one: one.differs)
def test_what_differs_says_why_and_how_to_get_the_published_behaviour(
    one: Row, differences: dict[str, list[str]]
) -> None:
    found = next((cells for what, cells in differences.items() if what.startswith(one.differs)), None)
    assert found is not None, f"docs/differences.md has no line of {one.differs!r}"
    assert all(len(cell) > 10 for cell in found)


@pytest.mark.parametrize("name", [one.in_browser for one in CHECKED if one.in_browser])
def test_what_only_a_browser_shows_has_its_test(name: str) -> None:
    module, _, test = name.partition("::")
    tree = ast.parse((HERE / f"test_{module}.py").read_text(encoding="utf-8"))
    assert f"test_{test}" in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.fixture(scope="module")
def differences() -> dict[str, list[str]]:
    """The lines of the tables in docs/differences.md: the first cell to the others."""
    text = (HERE.parent / "docs" / "differences.md").read_text(encoding="utf-8")
    cells = [line.strip().strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {line[0].strip(): [cell.strip() for cell in line[1:]] for line in cells if len(line) > 1}
