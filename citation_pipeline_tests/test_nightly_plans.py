"""The command `plan`: which claims a new matcher affects and why, and what a person reads of it."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.tables import claim_store
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.parquet_files import read_footer
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.assets import resolved_citations
from citation_pipeline.defs.runs import processing as processing_module
from citation_pipeline.defs.runs.processing import Processing
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.scenario import write_claim
from citation_pipeline_tests.test_nightly import READERS

AFFECTED = (
    ("resolved_citations", ["matcher"]),
    ("viewer_dataset", ["resolved_citations"]),
    ("search_index", ["resolved_citations"]),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Claims that are done, one of them archived, one that has no answer, and one that never ran."""
    root = tmp_path_factory.mktemp("plans")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(root / "home"))
        for name in ("parsers", "extractors"):  # the command line reads with the tests' readers
            patch.setattr(processing_module, name, lambda _, readers=READERS[name]: readers)
        processing = Processing(store=str(root / "store"))
        for claim_id in ("rematched", "stale-a", "stale-b", "archived", "unanswered", "new"):
            folder = write_claim(root / "inbox" / claim_id)
            if claim_id == "unanswered":
                (folder / "extraction_raw.json").unlink()
            claim = claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay")
            processing.store.register(claim)
            if claim_id != "new":
                assert (processing.run(claim, STAGES).failure is None) == (claim_id != "unanswered")
        processing.archive("archived")
        processing.close()
        yield str(root / "store")


@pytest.fixture
def store_of_its_own(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A copy of the store, for a test that changes it."""
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    return str(shutil.copytree(store, tmp_path / "store"))


@pytest.fixture
def newer_matcher() -> Iterator[None]:
    """The matcher's code is another, as after a release that changed it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resolved_citations, "matcher_fingerprint", lambda: "newer")
        yield


def call(store: str, *arguments: str) -> Result:
    return command(*arguments, "--store", store)


def plan_lines(store: str, *arguments: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The plan's records, and its total."""
    result = call(store, "plan", "--json", *arguments)
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return lines[:-1], lines[-1]


def test_a_plan_is_read_claim_by_claim_in_columns_with_a_total(store: str) -> None:
    result = call(store, "plan")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["new", "source_documents", "run", "never_ran"]
    assert "rematched   current" in lines
    assert lines[-1].startswith("5 claims: 1 would run, 1 held, 3 current; ")
    assert "0 calls, 0 tokens, $0.00" in lines[-1]
    assert len({line.index("run ") for line in lines if line.startswith("new ")}) == 1
    (held,) = [line.split() for line in lines if line.startswith("unanswered  raw_extraction ")]
    assert held[2:4] == ["hold", "failed:"]
    changed = call(store, "plan", "--changed").stdout
    assert "current" not in changed.splitlines()[:-1]
    assert "skip" not in changed


def test_claims_that_cannot_be_planned_are_named_on_stderr_and_the_command_ends_with_1(store: str) -> None:
    result = call(store, "plan", "nobody", "rematched")
    assert result.exit_code == 1
    assert result.stderr.startswith("nobody is not in the store")
    assert result.stdout.splitlines()[-1].startswith(
        "2 claims: 0 would run, 1 current, 1 cannot be looked at"
    )
    # neither is there anything to match again of a claim that is not known or was never answered
    result = call(store, "plan", "--rematch", "--json", "nobody", "unanswered", "stale-a", "stale-a")
    assert result.exit_code == 1
    assert [line.split()[0] for line in result.stderr.splitlines()] == ["nobody", "unanswered"]
    assert "has no extracted_fields: run it first" in result.stderr
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(r["claim_id"], r["stage"]) for r in records[:-1]] == [
        ("stale-a", "resolved_citations"),
        ("stale-a", "viewer_dataset"),
    ]
    assert (records[-1]["claims"], records[-1]["claims_problem"], records[-1]["calls"]) == (1, 2, 0)


def test_an_empty_store_says_how_to_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    (tmp_path / "store" / "claims").mkdir(parents=True)
    result = call(str(tmp_path / "store"), "plan")
    assert result.exit_code == 0
    assert "citation-pipeline run CLAIM_DIR" in result.stdout


@pytest.mark.usefixtures("newer_matcher")
def test_a_new_matcher_makes_the_plan_list_exactly_the_affected_claims_with_the_reason(
    store_of_its_own: str,
) -> None:
    store = store_of_its_own
    done = call(store, "rematch", "rematched")
    assert done.exit_code == 0, done.output
    lines, total = plan_lines(store, "--changed")
    runs = [
        (line["claim_id"], line["stage"], line["reasons"])
        for line in lines
        if line["action"] == "run" and line["claim_id"] != "new"
    ]
    assert runs == [(claim_id, *affected) for claim_id in ("stale-a", "stale-b") for affected in AFFECTED]
    new = {line["stage"]: line["reasons"] for line in lines if line["claim_id"] == "new"}
    assert new == {stage: ["never_ran"] for stage in STAGES}
    held = [line for line in lines if line["action"] == "hold"]
    assert {line["claim_id"] for line in held} == {"unanswered"}
    assert (total["claims"], total["claims_held"], total["claims_current"]) == (3, 1, 1)
    assert (total["calls"], total["dollars"]) == (0, 0.0)
    # what the plan says is what happens: after the re-match of those two, nothing waits for the matcher
    assert call(store, "rematch", "stale-a", "stale-b").exit_code == 0
    lines, total = plan_lines(store, "--changed")
    assert not [line for line in lines if "matcher" in line["reasons"]]
    assert (total["claims"], total["claims_current"]) == (1, 3)


def test_pages_that_were_read_are_counted_and_only_new_files_are_weighed(
    store_of_its_own: str, tmp_path: Path
) -> None:
    folder = write_claim(tmp_path / "inbox" / "grown")
    # by its weight four pages, but the parser saw one; of few words, as fifty thousand take a minute to read
    (folder / "documents" / "long.txt").write_text(f"{'l' * 1_000} " * 200)
    assert call(store_of_its_own, "run", str(folder), "--extractor", "replay").exit_code == 0
    documents = ClaimStore(store_of_its_own).read_rows("documents", "grown", ["page_count"])
    (folder / "documents" / "late.txt").write_text("A letter that came late.")
    lines, _ = plan_lines(store_of_its_own, "grown")
    (parsing,) = [line for line in lines if line["stage"] == "parsed_documents"]
    assert parsing["pages"] == sum(row["page_count"] or 1 for row in documents) + 1


def test_a_plan_reads_what_each_stage_left_once(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # thrice was most of a night's plan: at tens of thousands of claims the daemon gave up waiting for it
    read: Counter[str] = Counter()

    def count(file: Any, *, name: str) -> Any:
        read[name] += 1
        return read_footer(file, name=name)

    monkeypatch.setattr(claim_store, "read_footer", count)
    assert command("plan", "--store", store).exit_code in (0, 1)
    assert len(read) > 40
    assert set(read.values()) == {1}
