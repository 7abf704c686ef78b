"""A claim whose documents were not all read is partial, and says so wherever its values are shown."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from citation_pipeline.core.rules.extraction import RULES_VERSION
from citation_pipeline.core.rules.mentions import NOT_FOUND
from citation_pipeline.core.viewer.contract import list_breaches
from citation_pipeline.core.viewer.silent_fields import RULES_SILENCE
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.records import Settings
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

KEY = "sk-planted-partial"
FILES = ("Adjuster Activity Log.pdf", "Claim Metadata Snapshot.pdf", "Nguyen PR-4.pdf")
IDS = ("adjuster-activity-log", "claim-metadata-snapshot", "nguyen-pr-4")
FIELDS = 84


@pytest.fixture
def claim(project: Path, tmp_path: Path) -> Path:
    sample = project / "data" / "samples" / "sample_claim"
    folder = tmp_path / "inbox" / "CLM-7"
    (folder / "documents").mkdir(parents=True)
    for name in FILES:
        shutil.copy(sample / "documents" / name, folder / "documents" / name)
    return folder


@pytest.fixture
def claude(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeAnthropic]:
    answer = json.loads((project / "data/samples/sample_claim/extraction_raw.json").read_text())
    with FakeAnthropic(ReferenceAnswers(answer, must_be_read=True), settings=Settings(api_key=KEY)) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    return tmp_path / "store"


def run(
    claim: Path, store: Path, extractor: str, *more: str
) -> tuple[Result, dict[str, Any], dict[str, Any]]:
    arguments = ["run", str(claim), "--store", str(store), "--extractor", extractor, "--json", *more]
    result = command(*arguments)
    record = json.loads(result.stdout.splitlines()[0])
    dataset = json.loads((store / "viewer_dataset" / "CLM-7" / "data.json").read_text(encoding="utf-8"))
    assert list_breaches(dataset) == []
    return result, record, dataset


def keys(dataset: dict[str, Any], name: str) -> set[str]:
    return {field["fieldKey"] for field in dataset[name]}


def test_a_claim_that_was_read_is_done_and_each_absent_field_says_what_was_searched(
    claim: Path, store: Path, claude: FakeAnthropic
) -> None:
    result, record, dataset = run(claim, store, "claude")
    assert (result.exit_code, record["status"], record["fields_unread"]) == (0, "done", 0)
    assert result.stderr == ""
    assert (dataset["status"], dataset["unreadFields"]) == ("complete", [])
    assert dataset["absentFields"]
    pages = {source["id"]: source["pageCount"] for source in dataset["sources"]}
    for field in dataset["absentFields"]:
        assert field["status"] == "absent"
        searched = {one["sourceId"]: one["pages"] for one in field["searched"]}
        assert searched == {source_id: [[1, count]] for source_id, count in pages.items()}
        assert field["searchedBy"].startswith("claude-")
        assert "absenceConfidence" not in field  # nobody measured how often a model misses


def test_what_the_rules_do_not_find_is_not_called_surely_absent(claim: Path, store: Path) -> None:
    _, _, dataset = run(claim, store, "rules")
    assert dataset["absentFields"]
    for field in dataset["absentFields"]:
        assert field["searchedBy"] == RULES_VERSION
        assert field["absenceConfidence"] == RULES_SILENCE["workers_comp"] < 1
        assert "warnings" not in field
    # what the rules themselves warn of is in the written answer, and so in the dataset
    assert any("perhaps_overtaken" in one.get("warnings", ()) for one in dataset["fields"])
    open_fields = [one for one in dataset["unreadFields"] if not one.get("candidates")]
    assert open_fields
    for field in open_fields:
        assert field["status"] == "doubted"
        assert "absenceConfidence" not in field
        assert NOT_FOUND & set(field["warnings"])


def test_when_every_reply_is_a_refusal_nothing_is_absent_and_every_document_is_named(
    claim: Path, store: Path, claude: FakeAnthropic
) -> None:
    claude.add("messages", "refusal", times=-1)
    result, record, dataset = run(claim, store, "claude")
    assert result.exit_code == 1
    assert (record["status"], record["fields_found"], record["fields_absent"]) == ("partial", 0, 0)
    assert record["fields_unread"] == FIELDS
    for source_id in IDS:
        assert f"{source_id} was not read" in result.stderr
    assert "refus" in result.stderr
    assert (dataset["status"], dataset["absentFields"]) == ("partial", [])
    assert {field["status"] for field in dataset["unreadFields"]} == {"unread"}
    refused = [issue for issue in dataset["issues"] if issue["code"] == "document_not_read"]
    assert {(issue["sourceId"], issue["reason"]) for issue in refused} == {(i, "refusal") for i in IDS}

    again, record, _ = run(claim, store, "claude")
    assert (again.exit_code, record["status"], record["is_partial"]) == (1, "unchanged", True)
    assert "was not read" in again.stderr


def test_one_refused_document_of_three_is_named_alone_and_the_other_values_stand(
    claim: Path, store: Path, claude: FakeAnthropic
) -> None:
    claude.add("messages", "refusal", times=-1, source_id="nguyen-pr-4")
    result, record, dataset = run(claim, store, "claude")
    assert (result.exit_code, record["status"]) == (1, "partial")
    assert "nguyen-pr-4 was not read" in result.stderr
    assert "adjuster-activity-log was not read" not in result.stderr
    assert record["fields_found"] > 5
    assert dataset["absentFields"] == []
    for field in dataset["unreadFields"]:
        assert [(one["sourceId"], one["reason"]) for one in field["unread"]] == [("nguyen-pr-4", "refusal")]
        assert {one["sourceId"] for one in field["searched"]} == set(IDS) - {"nguyen-pr-4"}


def test_fields_that_a_cut_reply_never_reached_are_unread_and_the_others_are_not(
    claim: Path, store: Path, claude: FakeAnthropic
) -> None:
    claude.add("messages", "max_tokens", times=-1, fraction=0.2)
    result, record, dataset = run(claim, store, "claude")
    assert (result.exit_code, record["status"]) == (1, "partial")
    assert record["fields_unread"] > 0
    assert record["fields_unread"] + record["fields_absent"] + record["fields_found"] == FIELDS
    named = {issue["fieldKey"] for issue in dataset["issues"] if issue["code"] == "field_not_read"}
    assert keys(dataset, "unreadFields") <= named
    assert not keys(dataset, "absentFields") & named


def test_a_recorded_answer_that_is_cut_leaves_fields_unread(claim: Path, store: Path, project: Path) -> None:
    whole = (project / "data/samples/sample_claim/extraction_raw.json").read_text(encoding="utf-8")
    (claim / "extraction_raw.json").write_text(whole[: len(whole) // 2], encoding="utf-8")
    result, record, dataset = run(claim, store, "replay")
    assert (result.exit_code, record["status"]) == (1, "partial")
    assert record["fields_found"] > 10
    assert len(dataset["unreadFields"]) > 10
    assert {"malformed_answer"} <= {issue["code"] for issue in dataset["issues"]}


def test_a_recorded_answer_that_names_what_it_read_leaves_the_other_documents_unread(
    claim: Path, store: Path, project: Path
) -> None:
    answer = json.loads((project / "data/samples/sample_claim/extraction_raw.json").read_text())
    recorded = claim / "extraction_raw.json"
    recorded.write_text(json.dumps({**answer, "documents_read": list(IDS[:2])}))
    result, _, dataset = run(claim, store, "replay")
    assert result.exit_code == 1
    assert IDS[2] in result.stderr
    assert {field["status"] for field in dataset["unreadFields"]} == {"unread"}
    assert dataset["absentFields"] == []


def test_a_file_that_the_parser_could_not_read_makes_the_claim_partial(claim: Path, store: Path) -> None:
    (claim / "documents" / "Lien.pdf").write_bytes(b"%PDF-1.7 and then nothing that is a PDF")
    result, record, dataset = run(claim, store, "rules")
    assert (result.exit_code, record["status"]) == (1, "partial")
    assert "lien was not read" in result.stderr
    assert dataset["absentFields"] == []
    for field in dataset["unreadFields"]:
        assert [one["sourceId"] for one in field["unread"]] == ["lien"]
    codes = {issue["code"]: issue for issue in dataset["issues"]}
    assert codes["document_unreadable"]["sourceId"] == "lien"


def test_a_file_without_a_byte_is_named_but_could_hold_nothing(claim: Path, store: Path) -> None:
    (claim / "documents" / "Empty.pdf").write_bytes(b"")
    result, record, dataset = run(claim, store, "rules")
    assert (result.exit_code, record["status"], record["fields_unread"]) == (0, "done", 0)
    assert "empty was not read" in result.stderr
    assert [(i["code"], i["sourceId"]) for i in dataset["issues"]] == [("document_empty", "empty")]
    assert dataset["absentFields"]


def test_a_yes_or_no_that_is_neither_is_unreadable_and_an_issue(claim: Path, store: Path) -> None:
    answers = {"litigation.is_litigated": "N/A", "mmi_status.is_mmi": "Yes, but only in part"}
    records = [{"field_key": key, "value": value, "citations": []} for key, value in answers.items()]
    (claim / "extraction_raw.json").write_text(json.dumps({"extractions": records}), encoding="utf-8")
    result, _, dataset = run(claim, store, "replay")
    assert result.exit_code == 0
    assert answers.keys().isdisjoint(keys(dataset, "fields") | keys(dataset, "absentFields"))
    unread = {field["fieldKey"]: field["status"] for field in dataset["unreadFields"]}
    assert {unread[key] for key in answers} == {"unreadable"}
    assert answers.keys() <= {issue.get("fieldKey") for issue in dataset["issues"]}
