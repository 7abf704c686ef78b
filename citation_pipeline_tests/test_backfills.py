"""Backfills through the real daemon and run launcher: partial failure stays with the claims that failed.

One story: forty claims, of which some fail at each stage; the daemon and its runs are killed on the way and
started again; then the failed claims are mended and tried again.
"""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.tables.citation_rows import citation_table, read_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.tries import failed_tries
from citation_pipeline.core.stages import STAGES
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.processing import Processing
from citation_pipeline_tests.daemons import (
    failed,
    kill_group,
    materialized,
    running_daemon,
    submit_backfill,
    wait_for_backfill,
)
from citation_pipeline_tests.scenario import ANSWER, LineParser, write_claim
from citation_pipeline_tests.stored_claims import store_claim

CLAIMS = [f"claim-{number:02d}" for number in range(40)]
FAILING = {
    "source_documents": {"claim-39"},  # its folder is gone
    "parsed_documents": {"claim-37", "claim-38"},  # a document makes the parser fail
    "raw_extraction": {"claim-35", "claim-36"},  # there is no recorded answer
    "extracted_fields": {"claim-34"},  # a folder stands where its table should
    "resolved_citations": {"claim-33"},
    "viewer_dataset": {"claim-32"},  # a citation that a person verified would be lost
}
BAD = set().union(*FAILING.values())
GOOD = set(CLAIMS) - BAD
LOOK_EVERY_S = 4  # so long a run takes to report forty claims on a busy machine
BLOCKED = ("fields/claim-34.parquet", "citations/claim-33.parquet")


@dataclass
class Story:
    """What was seen on the way."""

    instance: dg.DagsterInstance
    store: ClaimStore
    inbox: Path
    backfill: BulkActionStatus
    made_before_the_kill: int
    failed: dict[str, set[str]]
    remembered: dict[str, set[str]]
    materialized: dict[str, set[str]]


@pytest.fixture(scope="module")
def location() -> dg.Definitions:
    from citation_pipeline_tests.scenario_location import defs

    return defs


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def _register(home: Path) -> ClaimStore:
    store = ClaimStore(home / "store")
    for claim_id in CLAIMS:
        folder = write_claim(home / "inbox" / claim_id)
        store.register(claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay"))
        if claim_id in FAILING["source_documents"]:
            folder.rename(folder.with_name(f"{claim_id}.away"))
        if claim_id in FAILING["parsed_documents"]:
            (folder / "documents" / "bad.txt").write_text("CRASH")
        if claim_id in FAILING["raw_extraction"]:
            (folder / "extraction_raw.json").unlink()
    for place in BLOCKED:
        (Path(store.root) / place / "in the way").mkdir(parents=True)
    (unshown,) = FAILING["viewer_dataset"]
    _verify_what_will_be_lost(store, unshown, home)
    return store


def _verify_what_will_be_lost(store: ClaimStore, claim_id: str, home: Path) -> None:
    """Let the claim be shown with a verified citation that its answer's snippet will not be found for."""
    other = ClaimStore(home / "other")
    store_claim(other, write_claim(home / "before" / claim_id))
    citations = read_citations(other, claim_id)
    found = next(citation for citation in citations if citation.snippet)
    shown = [
        citation if citation.snippet else replace(citation, snippet=found.snippet, method="verified")
        for citation in citations
    ]
    store.write_side_table("shown_citations", claim_id, citation_table(claim_id, shown))


def _open(home: Path) -> dg.DagsterInstance:
    """Open an instance whose dead runs are noticed within seconds."""
    open_instance(home).dispose()
    settings = home / "dagster.yaml"
    settings.write_text(settings.read_text().replace("poll_interval_seconds: 30", "poll_interval_seconds: 2"))
    return open_instance(home)


@pytest.fixture(scope="module")
def story(home: Path, location: dg.Definitions) -> Iterator[Story]:
    store = _register(home)
    instance = _open(home)
    instance.add_dynamic_partitions("claims", CLAIMS)
    with running_daemon(home, Path(store.root)) as daemon:
        backfill_id = submit_backfill(instance, location, STAGES, CLAIMS)
        deadline = time.monotonic() + 120
        while not materialized(instance, "parsed_documents") and time.monotonic() < deadline:
            time.sleep(0.3)
        made = len(materialized(instance, "parsed_documents"))
        kill_group(daemon)
    with running_daemon(home, Path(store.root), interval_s=LOOK_EVERY_S):
        backfill = wait_for_backfill(instance, backfill_id, seconds=400)
    yield Story(
        instance,
        store,
        home / "inbox",
        backfill.status,
        made,
        {stage: failed(instance, stage, location) for stage in STAGES},
        {
            stage: {c for c, tries in failed_tries(store).items() for t in tries if t.stage == stage}
            for stage in STAGES
        },
        {stage: materialized(instance, stage) for stage in STAGES},
    )
    instance.dispose()


@pytest.mark.timeout(600)
def test_every_claim_that_can_reaches_the_viewer_in_one_backfill_although_all_was_killed_once(
    story: Story,
) -> None:
    assert story.made_before_the_kill > 0
    assert story.backfill in (BulkActionStatus.COMPLETED_FAILED, BulkActionStatus.COMPLETED)
    assert story.materialized["viewer_dataset"] == GOOD
    for claim_id in GOOD:
        assert len(story.store.read_viewer_dataset(claim_id)["fields"]) == 4


def test_failed_partitions_are_exactly_the_claims_that_failed(story: Story) -> None:
    assert story.failed == {**{stage: set() for stage in STAGES}, **FAILING}
    before: set[str] = set()
    for stage, claims in FAILING.items():
        before |= claims
        assert story.materialized[stage] == set(CLAIMS) - before


def test_the_table_of_failed_tries_names_the_claims_whose_inputs_were_known(story: Story) -> None:
    # a folder that is gone leaves no inputs to remember: the plan itself names it
    known = {stage: claims for stage, claims in FAILING.items() if stage != "source_documents"}
    assert story.remembered == {**{stage: set() for stage in STAGES}, **known}


def test_a_run_of_many_claims_names_those_that_failed_and_quotes_no_document(story: Story) -> None:
    messages = [
        event.user_message or ""
        for run in story.instance.get_runs()
        for event in story.instance.all_logs(run.run_id)
    ]
    text = "\n".join(messages)
    assert re.search(r"claim-37: RuntimeError .*\(its message is withheld", text)
    assert "CRASH" not in text
    assert "Okafor" not in text


def test_each_claim_of_a_shared_run_has_metadata_of_its_own(story: Story) -> None:
    for claim_id in ("claim-00", "claim-09"):
        record = story.instance.fetch_materializations(
            dg.AssetRecordsFilter(asset_key=dg.AssetKey("parsed_documents"), asset_partitions=[claim_id]),
            limit=1,
        ).records[0]
        metadata = record.asset_materialization.metadata
        assert metadata["documents"].value == 4
        assert metadata["status/duplicate"].value == 1
        assert metadata["status/empty"].value == 1
        table = metadata["document_table"]
        assert isinstance(table, dg.TableMetadataValue)
        assert {record.data["source_id"] for record in table.records} == {
            "older-letter",
            "newer-letter",
            "copy-of-newer",
            "nothing",
        }


def test_claims_share_runs_as_their_stage_allows(story: Story) -> None:
    runs = story.instance.get_runs()
    for stage in STAGES:
        made = [run for run in runs if dg.AssetKey(stage) in (run.asset_selection or ())]
        assert 0 < len(made) < len(CLAIMS) / 2


def test_what_a_killed_and_resumed_backfill_made_is_what_an_undisturbed_run_makes(
    story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    processing = Processing(
        store=str(tmp_path / "store"),
        readers={
            "parsers": Readers("parser", {"local": LineParser}),
            "extractors": Readers("extractor", {"replay": ReplayExtractor}),
        },
    )
    for claim_id in ("claim-00", "claim-31"):
        claim = story.store.claim(claim_id)
        processing.store.register(claim)
        assert processing.run(claim, STAGES).failure is None
        tables = [path for path in Path(processing.store.root).rglob(f"{claim_id}.parquet")]
        assert len(tables) > 10
        for path in tables:
            if path.parent.name != "field_history":  # it tells when something was recorded
                there = Path(story.store.root) / path.relative_to(processing.store.root)
                assert there.read_bytes() == path.read_bytes(), path.parent.name
        data = Path("viewer_dataset", claim_id, "data.json")
        assert (Path(story.store.root) / data).read_bytes() == (
            Path(processing.store.root) / data
        ).read_bytes()
    processing.close()


@pytest.mark.timeout(600)
def test_after_mending_a_retry_of_what_failed_completes_those_claims_and_no_other(
    story: Story, home: Path
) -> None:
    _mend(story)
    root = Path(story.store.root)
    before = {path: path.stat().st_mtime_ns for c in GOOD for path in root.rglob(f"{c}.parquet")}
    with running_daemon(home, Path(story.store.root), interval_s=LOOK_EVERY_S):
        job = build_definitions(store=story.store.root).resolve_job_def("retry_failed")
        asked = job.execute_in_process(instance=story.instance)
        assert asked.success
        (backfill,) = [b for b in story.instance.get_backfills() if b.title == "retry of failed claims"]
        ended = wait_for_backfill(story.instance, backfill.backfill_id, seconds=400)
    assert ended.status in (BulkActionStatus.COMPLETED_SUCCESS, BulkActionStatus.COMPLETED)
    retried = {
        found.partition_key for found in ended.asset_backfill_data.target_subset.iterate_asset_partitions()
    }
    assert retried == BAD - FAILING["source_documents"]
    assert materialized(story.instance, "viewer_dataset") == GOOD | retried
    assert failed_tries(story.store) == {}
    assert before == {path: path.stat().st_mtime_ns for path in before}


def _mend(story: Story) -> None:
    for claim_id in FAILING["parsed_documents"]:
        (story.inbox / claim_id / "documents" / "bad.txt").write_text("A third letter, readable now.")
    for claim_id in FAILING["raw_extraction"]:
        (story.inbox / claim_id / "extraction_raw.json").write_text(json.dumps(ANSWER))
    for place in BLOCKED:
        (Path(story.store.root) / place / "in the way").rmdir()
        (Path(story.store.root) / place).rmdir()
    for claim_id in FAILING["viewer_dataset"]:  # somebody looked, and lets the new set be shown
        (Path(story.store.root) / "promotions" / f"{claim_id}.parquet").unlink()
