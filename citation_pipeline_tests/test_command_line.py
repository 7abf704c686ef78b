"""The command line as people and machines use it: exit codes, JSON lines, and work that is not done twice."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import Result

from citation_pipeline.adapters.installed_readers import InstalledReader
from citation_pipeline_tests.closed_parsers import built_parsers  # noqa: F401 - fixtures
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.scenario import write_claim
from citation_pipeline_tests.test_hidden_text import HALF_PAINTED_OVER


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.delenv("CITATION_PIPELINE_STORE", raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    return tmp_path / "store"


@pytest.fixture
def claim(tmp_path: Path) -> Path:
    return write_claim(tmp_path / "inbox" / "tiny")


pytestmark = pytest.mark.usefixtures("built_parsers")


def records(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_run_tells_what_it_read_found_and_resolved_and_where_it_is(claim: Path, store: Path) -> None:
    result = command("run", claim, "--store", store, "--extractor", "replay", "--json")
    assert result.exit_code == 0, result.output
    (record,) = records(result)
    assert record["claim_id"] == "tiny"
    assert record["document_statuses"] == {"duplicate": 1, "empty": 1, "parsed": 2}
    assert record["fields_found"] == 4
    assert record["citations"] == {"resolved": 3, "unresolved": 1}
    assert Path(record["viewer_dataset"]).is_file()
    assert "tiny: nothing was not read: empty_file" in result.stderr


def test_a_second_run_does_nothing_again_and_says_so(claim: Path, store: Path) -> None:
    command("run", claim, "--store", store, "--extractor", "replay")
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")}
    result = command("run", claim, "--store", store, "--extractor", "replay", "--json")
    assert records(result) == [{"claim_id": "tiny", "status": "unchanged", "ran": []}]
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*.parquet")} == before


def test_a_changed_document_runs_what_depends_on_it_and_plan_says_why(claim: Path, store: Path) -> None:
    command("run", claim, "--store", store, "--extractor", "replay")
    (claim / "documents" / "Older Letter.txt").write_text("RE: nothing of the old letter is left")
    planned = {line["stage"]: line for line in records(command("plan", "--store", store, "--json"))}
    assert planned["source_documents"]["reasons"] == ["files"]
    assert planned["parsed_documents"]["reasons"] == ["source_documents"]
    assert planned["viewer_dataset"]["action"] == "run"
    (record,) = records(command("run", claim, "--store", store, "--extractor", "replay", "--json"))
    assert record["ran"][:2] == ["source_documents", "parsed_documents"]
    assert record["citations"]["unresolved"] == 2


def test_a_rematch_builds_no_parser_and_no_extractor(
    claim: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("run", claim, "--store", store, "--extractor", "replay")
    dataset = (store / "viewer_dataset/tiny/data.json").read_text()

    def refuse(*_: object) -> None:
        raise AssertionError("a re-match built a reader")

    monkeypatch.setattr(InstalledReader, "__call__", refuse)
    result = command("rematch", "--store", store, "--json")
    assert result.exit_code == 0, result.output
    (record,) = records(result)
    assert record["ran"] == ["resolved_citations", "viewer_dataset"]
    assert (store / "viewer_dataset/tiny/data.json").read_text() == dataset


def test_one_bad_claim_fails_alone_and_is_named(claim: Path, tmp_path: Path, store: Path) -> None:
    other = write_claim(tmp_path / "inbox" / "unanswered")
    (other / "extraction_raw.json").unlink()
    bad_name = tmp_path / "inbox" / "no good name!"
    bad_name.mkdir()
    result = command(
        "run", other, bad_name, tmp_path / "nowhere", claim, "--store", store, "--extractor", "replay"
    )
    assert result.exit_code == 1
    assert "unanswered: raw_extraction" in result.stderr
    assert "put it there or choose another extractor" in result.stderr
    assert "'no good name!' cannot be a claim id" in result.stderr
    assert "nowhere is not a folder" in result.stderr
    assert (store / "viewer_dataset/tiny/data.json").is_file()


@pytest.mark.parametrize(
    "arguments", [["run"], ["run", "x", "--parser", "magic"], ["nonsense"], ["parse", "x"], ["show"]]
)
def test_wrong_usage_ends_with_two(arguments: list[str]) -> None:
    assert command(*arguments).exit_code == 2


def test_show_prints_citations_as_lines_and_the_extraction_in_the_neutral_shape(
    claim: Path, store: Path
) -> None:
    command("run", claim, "--store", store, "--extractor", "replay")
    lines = records(command("show", "tiny", "--citations", "--store", store))
    first = lines[0]
    assert (first["field_key"], first["citation_index"]) == ("metadata.claim_number", 0)
    assert (first["status"], first["source_id"], first["page"]) == ("resolved", "newer-letter", 1)
    assert first["file"] == "newer_letter.txt"
    assert all({"left", "top", "width", "height"} <= set(box) for box in first["boxes"])
    assert [line["status"] for line in lines].count("unresolved") == 1
    extraction = json.loads(command("show", "tiny", "--extraction", "--store", store).stdout)
    values = {record["field_key"]: record["value"] for record in extraction["extractions"]}
    assert values["mmi_status.mmi_date"] == "2025-03-12"
    assert values["mmi_status.is_mmi"] is None
    assert set(extraction["extractions"][0]["citations"][0]) == {"source_id", "text_snippet"}


def test_show_of_an_unknown_claim_fails_and_says_what_to_do(store: Path) -> None:
    result = command("show", "nobody", "--citations", "--store", store)
    assert result.exit_code == 1
    assert "run a claim first" in result.stderr


def test_the_viewer_dataset_has_the_published_shape(claim: Path, store: Path) -> None:
    command("run", claim, "--store", store, "--extractor", "replay")
    dataset = json.loads((store / "viewer_dataset/tiny/data.json").read_text())
    assert {"id", "name", "file", "pageCount"} <= set(dataset["sources"][0])
    fields = {field["fieldKey"]: field for field in dataset["fields"]}
    assert set(fields) == {
        "metadata.claim_number",
        "mmi_status.mmi_date",
        "temporary_disability.weekly_rate",
        "treating_physician.facility",
    }
    mmi = fields["mmi_status.mmi_date"]
    assert (mmi["label"], mmi["category"], mmi["value"]) == ("Mmi Date", "MMI Status", "2025-03-12")
    (citation,) = mmi["citations"]
    assert (citation["sourceId"], citation["page"]) == ("newer-letter", 1)
    assert set(citation["bbox"]) == {"left", "top", "width", "height"}
    (unresolved,) = fields["treating_physician.facility"]["unresolvedCitations"]
    assert unresolved["status"] == "unresolved"
    assert unresolved["reason"]


def test_parse_writes_one_json_a_file_and_names_what_it_could_not_read(tmp_path: Path, store: Path) -> None:
    good, empty = tmp_path / "Good Letter.txt", tmp_path / "empty.pdf"
    good.write_text("Date of injury: 09/12/2024")
    empty.write_bytes(b"")
    result = command("parse", good, empty, tmp_path / "missing.pdf", "--out", tmp_path / "out", "--json")
    assert result.exit_code == 1
    parsed = json.loads((tmp_path / "out" / "good-letter.json").read_text())
    assert parsed["status"] == "parsed"
    assert [word[0] for word in parsed["pages"][0]["words"]] == ["Date", "of", "injury:", "09/12/2024"]
    assert all(0 <= edge <= 1 for word in parsed["pages"][0]["words"] for edge in word[1:])
    assert json.loads((tmp_path / "out" / "empty.json").read_text())["status"] == "empty"
    assert "empty.pdf: empty_file" in result.stderr
    assert "missing.pdf: is not a file" in result.stderr


def test_parse_gives_each_word_its_confidence_and_null_where_there_is_none(
    tmp_path: Path, store: Path
) -> None:
    letter = tmp_path / "letter.pdf"
    letter.write_bytes(HALF_PAINTED_OVER)
    assert command("parse", letter, "--out", tmp_path / "out").exit_code == 0
    (page,) = json.loads((tmp_path / "out" / "letter.json").read_text())["pages"]
    given = zip([word[0] for word in page["words"]], page["confidences"], strict=True)
    assert [one for one in given if one[1] is not None] == [("99,999.99", 0.5)]


def test_parse_says_which_words_are_struck_out(tmp_path: Path, store: Path) -> None:
    letter = tmp_path / "letter.html"
    letter.write_text("<p>The barge may carry <s>40 tons</s> 25 tons in winter.</p>", encoding="utf-8")
    assert command("parse", letter, "--out", tmp_path / "out").exit_code == 0
    (page,) = json.loads((tmp_path / "out" / "letter.json").read_text())["pages"]
    assert [page["words"][at][0] for at in page["struck"]] == ["40", "tons"]


def test_a_text_written_in_pieces_reads_back_whole(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citation_pipeline.cli.files._TEXT_AT_ONCE", 5)
    letter = tmp_path / "letter.txt"
    letter.write_text('He said "no" – twice \\ thrice.\nDate of injury: 09/12/2024', encoding="utf-8")
    assert command("parse", letter, "--out", tmp_path / "out").exit_code == 0
    text = json.loads((tmp_path / "out" / "letter.json").read_text(encoding="utf-8"))["text"]
    assert text == 'He said "no" – twice \\ thrice.\nDate of injury: 09/12/2024'


def test_parse_writes_the_neutral_files_beside_it(tmp_path: Path, store: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Date of injury: 09/12/2024. The claim was accepted.")
    result = command("parse", letter, "--out", tmp_path / "out", "--neutral")
    assert result.exit_code == 0, result.output
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {
        "letter.json",
        "letter.chunks.json",
        "letter.geometry.json",
        "letter.sentences.json",
        "letter.md",
        "letter.reading_view.txt",
    }
    assert "[0:0]Date [1:1]of [2:2]injury:" in (tmp_path / "out" / "letter.reading_view.txt").read_text()


def test_resolve_answers_every_query_in_order_also_for_documents_that_are_not_there(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    words = [
        [text, 1, 0.1 * i, 0.1, 0.08, 0.01] for i, text in enumerate(["Hearing", "set", "for", "02/05/2026"])
    ]
    (documents / "noh.json").write_text(json.dumps({"doc_id": "noh", "words": words, "blocks": []}))
    queries = [
        {"query_id": "a", "doc_id": "gone", "text_snippet": "Hearing set"},
        {"query_id": "b", "doc_id": "noh", "text_snippet": "hearing set  for 02/05/2026"},
        {"query_id": "c", "doc_id": "noh", "text_snippet": "a lien of the county"},
    ]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries))
    result = command(
        "resolve",
        "--documents", documents,
        "--queries", tmp_path / "queries.jsonl",
        "--out", tmp_path / "out.jsonl",
    )  # fmt: skip
    assert result.exit_code == 1
    assert "gone" in result.stderr
    answers = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(a["query_id"], a["status"]) for a in answers] == [
        ("a", "unresolved"),
        ("b", "resolved"),
        ("c", "unresolved"),
    ]


def test_a_letter_filed_again_with_other_bytes_is_linked_to_the_first(tmp_path: Path, store: Path) -> None:
    folder = tmp_path / "inbox" / "twice"
    folder.mkdir(parents=True)
    letter = " ".join(f"sentence {number} of a letter about the knee of the worker," for number in range(12))
    (folder / "letter.txt").write_text(letter)
    (folder / "letter by fax.txt").write_text(f"{letter}  ")
    (folder / "another.txt").write_text(letter.replace("knee", "wrist").replace("worker", "baker")[::-1])
    assert command("run", folder, "--store", store).exit_code == 0
    rows = pq.read_table(store / "similar_pages" / "twice.parquet").to_pylist()
    assert [{row["source_id"], row["similar_source_id"]} for row in rows] == [{"letter", "letter-by-fax"}]
