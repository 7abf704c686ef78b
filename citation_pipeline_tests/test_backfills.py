"""Backfills through the real daemon and run launcher: partial failure stays with the claims that failed.

One story: twenty claims, of which some fail at each stage; the daemon and its runs are killed on the way and
started again; then the failed claims are mended and tried again.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus

from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.tries import failed_tries
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.dagster_internals.run_queue import SPREAD_TAG
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.instances import open_instance
from citation_pipeline.defs.runs.processing import Processing
from citation_pipeline_tests.daemons import (
    LOCATION,
    kill_group,
    materialized,
    running_daemon,
    submit_backfill,
    wait_for_backfill,
)
from citation_pipeline_tests.failing_claims import (
    CLAIMS,
    FAILING,
    GOOD,
    RETRIED,
    made_but_for_ids,
    made_of,
    mend_claims,
    register_claims,
)
from citation_pipeline_tests.scenario import LineParser
from citation_pipeline_tests.shown_assets import ShownPartitions, open_workspace, shown_partitions

LOOK_EVERY_S = 4  # so long a run takes to report twenty claims on a busy machine


@dataclass
class Story:
    """What was seen on the way."""

    instance: dg.DagsterInstance
    store: ClaimStore
    inbox: Path
    backfill: BulkActionStatus
    made_before_the_kill: dict[str, set[str]]
    shown: dict[str, ShownPartitions]
    remembered: dict[str, set[str]]


@pytest.fixture(scope="module")
def location() -> dg.Definitions:
    from citation_pipeline_tests.scenario_location import defs

    return defs


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def _open(home: Path) -> dg.DagsterInstance:
    """Open an instance whose dead runs are noticed within seconds."""
    open_instance(home).dispose()
    settings = home / "dagster.yaml"
    settings.write_text(settings.read_text().replace("poll_interval_seconds: 30", "poll_interval_seconds: 2"))
    return open_instance(home)


@pytest.fixture(scope="module")
def story(home: Path, location: dg.Definitions) -> Iterator[Story]:
    store = register_claims(home)
    instance = _open(home)
    instance.add_dynamic_partitions("claims", CLAIMS)
    with running_daemon(home, Path(store.root), interval_s=LOOK_EVERY_S) as daemon:
        backfill_id = submit_backfill(instance, location, STAGES, CLAIMS)
        deadline = time.monotonic() + 600
        while not materialized(instance, "parsed_documents") and time.monotonic() < deadline:
            time.sleep(0.3)
        kill_group(daemon)
    made = {stage: materialized(instance, stage) for stage in STAGES}
    with running_daemon(home, Path(store.root), interval_s=LOOK_EVERY_S):
        backfill = wait_for_backfill(instance, backfill_id, seconds=1200)
    yield Story(
        instance,
        store,
        home / "inbox",
        backfill.status,
        made,
        _shown(instance),
        {
            stage: {c for c, tries in failed_tries(store).items() for t in tries if t.stage == stage}
            for stage in STAGES
        },
    )
    instance.dispose()


def _shown(instance: dg.DagsterInstance) -> dict[str, ShownPartitions]:
    with open_workspace(instance, LOCATION) as workspace:
        return shown_partitions(workspace)


@pytest.mark.timeout(2000)
def test_every_claim_that_can_reaches_the_viewer_in_one_backfill_although_all_was_killed_once(
    story: Story,
) -> None:
    assert story.made_before_the_kill["parsed_documents"]
    assert not story.made_before_the_kill["viewer_dataset"]  # it was killed on the way
    assert story.backfill in (BulkActionStatus.COMPLETED_FAILED, BulkActionStatus.COMPLETED)
    assert story.shown["viewer_dataset"].materialized == GOOD
    for claim_id in GOOD:
        assert len(story.store.read_viewer_dataset(claim_id)["fields"]) == 4


def test_a_backfills_runs_that_keep_every_core_busy_are_tagged_for_the_queue(story: Story) -> None:
    runs = story.instance.get_runs()
    spread = {next(iter(run.asset_selection)).path[-1] for run in runs if SPREAD_TAG in run.tags}
    assert "resolved_citations" in spread
    assert not spread & {"source_documents", "parsed_documents", "raw_extraction"}


def test_the_partitions_that_the_ui_shows_as_failed_are_exactly_the_claims_that_failed(story: Story) -> None:
    failed = {stage: shown.failed for stage, shown in story.shown.items()}
    assert failed == {**{stage: set() for stage in STAGES}, **FAILING}
    assert not [stage for stage, shown in story.shown.items() if shown.materializing]
    before: set[str] = set()
    for stage, claims in FAILING.items():
        before |= claims
        assert story.shown[stage].materialized == set(CLAIMS) - before
    # what reads the places only does not wait for the dataset that is held back
    assert story.shown["search_index"].materialized == GOOD | FAILING["viewer_dataset"]


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
            limit=10,
        ).records[-1]  # of the run that made it: the one that went on after the kill only found it made
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
    for claim_id in ("claim-00", "claim-11"):
        claim = story.store.claim(claim_id)
        processing.store.register(claim)
        assert processing.run(claim, STAGES).failure is None
        made = made_of(processing.store, claim_id)
        assert len(made) > 11
        assert made_of(story.store, claim_id) == made
    processing.close()
    # all the others differ by their ids only: the folders hold the same documents
    first = made_but_for_ids(story.store, "claim-00")
    for claim_id in GOOD:
        assert made_but_for_ids(story.store, claim_id) == first, claim_id


@pytest.mark.timeout(2000)
def test_after_mending_a_retry_of_what_failed_completes_those_claims_and_no_other(
    story: Story, home: Path
) -> None:
    mend_claims(story.store, story.inbox)
    before = {claim_id: made_of(story.store, claim_id) for claim_id in GOOD}
    made = {stage: _materializations(story.instance, stage) for stage in STAGES}
    with running_daemon(home, Path(story.store.root), interval_s=LOOK_EVERY_S):
        job = build_definitions(store=story.store.root).resolve_job_def("retry_failed")
        asked = job.execute_in_process(instance=story.instance)
        assert asked.success
        (backfill,) = [b for b in story.instance.get_backfills() if b.title == "retry of failed claims"]
        ended = wait_for_backfill(story.instance, backfill.backfill_id, seconds=1200)
    assert ended.status in (BulkActionStatus.COMPLETED_SUCCESS, BulkActionStatus.COMPLETED)
    made_since = {stage: _materializations(story.instance, stage) - made[stage] for stage in STAGES}
    assert made_since == {stage: Counter(RETRIED.get(stage, ())) for stage in STAGES}  # once each
    shown = _shown(story.instance)
    assert shown["viewer_dataset"].materialized == set(CLAIMS) - FAILING["source_documents"]
    assert {stage: found.failed for stage, found in shown.items() if found.failed} == {
        "source_documents": FAILING["source_documents"]  # its folder is still gone
    }
    assert failed_tries(story.store) == {}
    # what was mended by exchanging a document is not stale for it
    listed, parsed = (
        {row["sha256"] for row in story.store.read_table(table, "claim-37", ["sha256"]).to_pylist()}
        for table in ("source_documents", "documents")
    )
    assert listed == parsed
    assert {claim_id: made_of(story.store, claim_id) for claim_id in GOOD} == before
    first = made_but_for_ids(story.store, "claim-00")
    for claim_id in FAILING["raw_extraction"] | FAILING["extracted_fields"] | FAILING["resolved_citations"]:
        assert made_but_for_ids(story.store, claim_id) == first, claim_id


def _materializations(instance: dg.DagsterInstance, stage: str) -> Counter[str | None]:
    """How often each claim's partition of a stage was materialized."""
    records = instance.fetch_materializations(dg.AssetKey(stage), limit=10_000).records
    return Counter(record.partition_key for record in records)
