"""The files of the published designs: their names and keys, over a claim that the command line ran."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.core.published.display import date_form_of, written
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.drawn_pdfs import draw

LEDGER = [
    ["Date", "Payee", "Type", "Amount"],
    ["03/14/2025", "Harbor Clinic", "medical", "$1,250.00"],
    ["04/02/2025", "Ada Reyes", "indemnity", "$809.80"],
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    documents = folder / "inbox" / "one_claim" / "documents"
    documents.mkdir(parents=True)

    def sheet(page: Any) -> None:
        page.text(60, 60, "Claim Status Report", size=16)
        page.text(60, 100, "Claim Number: WC-2025-0417")
        page.text(60, 120, "Date of Injury: 02/11/2025")
        page.text(60, 140, "Average weekly wage: $1,214.70. It was paid in full. Nothing is owed.")
        for row, cells in enumerate(LEDGER):
            for column, text in enumerate(cells):
                page.box(60 + 120 * column, 200 + 20 * row, 120, 20)
                page.text(64 + 120 * column, 214 + 20 * row, text)

    (documents / "Status Report.pdf").write_bytes(draw(sheet))
    (documents / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    store = str(folder / "store")
    run = command("run", str(folder / "inbox" / "one_claim"), "--store", store)
    assert "1 failed" in run.output or run.exit_code in (0, 1), run.output
    spans = folder / "spans.jsonl"
    span = {"source_id": "status-report", "start_token": 4, "end_token": 5, "start_text": "Number:"}
    spans.write_text(json.dumps({**span, "answer": "WC-2025-0417", "substr": "WC-2025-0417"}) + "\n")
    out = folder / "out"
    made = command("artifacts", "one_claim", "--store", store, "--out", str(out), "--spans", str(spans))
    assert made.exit_code == 0, made.output
    return out


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_register_names_each_source_with_its_text_and_its_parse(files: Path) -> None:
    by_id = {source["id"]: source for source in read(files / "sources_index.json")}
    assert by_id["status-report"] == {
        "id": "status-report",
        "name": "Status Report",
        "file": "Status Report.pdf",
        "pageCount": 1,
        "mdFile": "status-report.md",
        "jsonFile": "status-report.reducto.json",
    }
    assert by_id["broken"]["mdFile"] is None
    for name in ("mdFile", "jsonFile"):
        assert (files / by_id["status-report"][name]).is_file()


def test_a_run_leaves_the_register_and_the_raw_extraction_in_the_store(files: Path) -> None:
    kept = files.parent / "store" / "published" / "one_claim"
    assert read(kept / "sources_index.json") == read(files / "sources_index.json")
    raw = read(kept / "extraction_raw.json")["extractions"]
    number = next(record for record in raw if record["field_key"] == "metadata.claim_number")
    assert number["value"] == "WC-2025-0417"
    assert set(number["citations"][0]) == {"source_id", "text_snippet"}


def test_a_table_stays_a_table_in_the_text(files: Path) -> None:
    text = (files / "status-report.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert [row for row in rows if row[0] != "---"] == LEDGER


def test_the_data_reads_as_people_write_it_beside_the_typed_value(files: Path) -> None:
    data = read(files / "data.json")
    fields = {field["fieldKey"]: field for field in data["fields"]}
    wage, injured = fields["wages.average_weekly_wage"], fields["claimed_injury_description.date_of_injury"]
    assert (wage["value"], wage["rawValue"]) == ("$1,214.70", 1214.7)
    assert (injured["value"], injured["rawValue"]) == ("02/11/2025", "2025-02-11")
    assert set(wage["citations"][0]) == {"sourceId", "page", "bbox"}
    assert data["sources"][0].keys() == {"id", "name", "file", "fileName", "pageCount"}
    assert data["sources"][0]["file"] == "/api/claims/one_claim/sources/status-report/original"


def test_chunks_words_and_sentences_fit_together(files: Path) -> None:
    folder = files / "status-report"
    chunks, geometry, sentences = (
        read(folder / f"{name}.json") for name in ("ade_chunks", "fine_geometry", "sentence_index")
    )
    assert {chunk["chunk_id"] for chunk in chunks} == set(geometry) == set(sentences)
    texts = []
    for chunk in chunks:
        assert re.fullmatch(r"ade_c_\d{4}", chunk["chunk_id"])
        (grounding,) = chunk["groundings"]
        left, top, right, bottom = grounding["bbox"]
        words = {word["word_id"]: word for word in geometry[chunk["chunk_id"]]["words"]}
        for word in words.values():
            x0, y0, x1, y1 = word["bbox"]
            assert left - 0.5 <= x0 < x1 <= right + 0.5
            assert top - 0.5 <= y0 < y1 <= bottom + 0.5
            assert word["text"] in chunk["text"]
        lines = geometry[chunk["chunk_id"]]["lines"]
        assert [word for line in lines for word in line["word_ids"]] == list(words)
        texts += [chunk["text"][part["start"] : part["end"]] for part in sentences[chunk["chunk_id"]]]
    assert "It was paid in full." in texts
    assert max(word["bbox"][3] for chunk in geometry.values() for word in chunk["words"]) > 200  # points


def test_a_highlight_has_polygons_the_files_hash_and_its_pass(files: Path) -> None:
    highlights = read(files / "highlights.json")
    number = next(shown for shown in highlights if "WC-2025-0417" in shown["citation"])
    original = files.parent / "inbox" / "one_claim" / "documents" / "Status Report.pdf"
    assert number["doc_id"] == "Status Report.pdf"
    assert number["meta"]["doc_hash"] == hashlib.sha1(original.read_bytes()).hexdigest()
    assert number["meta"]["method"] == "pass1"
    assert number["meta"]["chunk_id"].startswith("ade_c_")
    for polygon in number["context"] + number["answer"]:
        assert set(polygon) == {"page", "poly"}
        assert all(0 <= edge <= 1 for point in polygon["poly"] for edge in point)


def test_artifacts_explain_a_resolution_and_a_models_span(files: Path) -> None:
    resolved = read(files / "artifacts" / "resolve" / "metadata.claim_number-0.json")
    geometry = read(files / "status-report" / "fine_geometry.json")
    words = {word["word_id"]: word["text"] for chunk in geometry.values() for word in chunk["words"]}
    assert "WC-2025-0417" in [words[word] for word in resolved["selected"]["word_ids"]]
    assert resolved["diagnostics"]["candidates"]
    span = read(files / "artifacts" / "llm_resolve" / "0.json")
    assert span["answer"] == "WC-2025-0417"
    assert [words[word] for word in span["word_ids"]] == ["Number:", "WC-2025-0417"]
    assert span["snapped"]["start_text"] == "Number:"
    assert span["pages"][0]["bbox"][0] > 50


def test_the_raw_extraction_can_be_replayed(files: Path, tmp_path: Path) -> None:
    claim = tmp_path / "one_claim"
    (claim / "documents").mkdir(parents=True)
    original = files.parent / "inbox" / "one_claim" / "documents" / "Status Report.pdf"
    (claim / "documents" / original.name).write_bytes(original.read_bytes())
    (claim / "extraction_raw.json").write_text((files / "extraction_raw.json").read_text())
    given = ["run", str(claim), "--store", str(tmp_path / "store"), "--extractor", "replay"]
    made = command(*given)
    assert made.exit_code == 0, made.output
    again = json.loads((tmp_path / "store" / "viewer_dataset" / "one_claim" / "data.json").read_text())
    first = read(files / "data.json")
    values = {field["fieldKey"]: field["rawValue"] for field in again["fields"]}
    assert values == {field["fieldKey"]: field["rawValue"] for field in first["fields"]}


@pytest.mark.parametrize(
    ("value", "snippet", "text"),
    [
        (26638.85, "Total liens $26,638.85", "$26,638.85"),
        (26638.85, "total of 26,638.85", "$26,638.85"),
        (-500, "Adjustment (500.00)", "-$500.00"),
        (1200, "EUR 1,200.00 due", "EUR 1,200.00"),
        (14, "14% WPI", "14%"),
        (8, "8 visits", "8"),
        (8.5, "nothing of it", "8.5"),
        (True, "", "Yes"),
        ("2025-12-05", "", "12/05/2025"),
        ("2025-13-45", "", "2025-13-45"),
        ([], "", "None"),
        ([{"amount": 12.5, "payee": "Ada"}], "Ada $12.50", "$12.50 (payee: Ada)"),
        (None, "", ""),
    ],
)
def test_values_are_written_as_their_documents_write_them(value: Any, snippet: str, text: str) -> None:
    assert written(value, snippets=[snippet]) == text


def test_dates_take_the_form_that_most_of_the_claims_dates_have() -> None:
    assert date_form_of(["on 03/14/2025 and 04/02/2025", "2025-01-01"]) == "%m/%d/%Y"
    assert date_form_of(["2025-01-01", "2025-02-01", "03/14/2025"]) == "%Y-%m-%d"
    assert date_form_of([]) == "%m/%d/%Y"
