"""The nightly schedule and the plan: what starts, what does not, and why; nothing starts twice."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.readers import PaidReaderError, Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.assets import resolved_citations
from citation_pipeline.defs.automation.busy_claims import find_busy_claims
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.automation.nightly import build_nightly
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.readers import extractors
from citation_pipeline.defs.resources import ExtractorsResource, read_settings
from citation_pipeline.defs.runs.processing import Processing
from citation_pipeline_tests.chosen_settings import settings_over
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.scenario import LineParser, write_claim

READERS: dict[str, Any] = {
    "parsers": Readers("parser", {"local": LineParser}),
    "extractors": Readers("extractor", {"replay": ReplayExtractor}),
}
NIGHT = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def processing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processing]:
    """Three claims that are done, and one that failed for good for want of a recorded answer."""
    root = tmp_path_factory.mktemp("nightly")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(root / "home"))
        patch.delenv("CITATION_PIPELINE_STORE", raising=False)
        processing = Processing(store=str(root / "store"), readers=READERS)
        for claim_id in ("claim-a", "claim-b", "claim-c", "unanswered"):
            folder = write_claim(root / "inbox" / claim_id)
            if claim_id == "unanswered":
                (folder / "extraction_raw.json").unlink()
            claim = Claim(claim_id, str(folder), str(folder / "documents"), extractor="replay")
            processing.store.register(claim)
            outcome = processing.run(claim, STAGES)
            assert (outcome.failure is None) == (claim_id != "unanswered")
        yield processing
        processing.close()


def night(processing: Processing, **given: Any) -> list[dg.RunRequest | dg.SkipReason]:
    """What one tick of the schedule asks for."""
    context = dg.build_schedule_context(processing._instance, scheduled_execution_time=NIGHT)
    found = build_nightly(NightSettings())(
        context,
        store=processing.store,
        settings=read_settings(processing.store.root),
        **READERS | given,
    )
    return list(found)


def last_plan(processing: Processing) -> dict[str, Any]:
    event = processing._instance.get_latest_materialization_event(dg.AssetKey("claim_plans"))
    assert event is not None
    assert event.asset_materialization is not None
    return dict(event.asset_materialization.metadata)


def test_a_night_without_changes_starts_nothing_and_names_what_is_held(processing: Processing) -> None:
    (skipped,) = night(processing)
    assert isinstance(skipped, dg.SkipReason)
    metadata = last_plan(processing)
    assert (metadata["claims/current"].value, metadata["claims/held"].value) == (3, 1)
    first = metadata["plan"].value.records[0].data
    assert (first["claim_id"], first["verdict"], first["stage"]) == ("unanswered", "held", "raw_extraction")
    assert "choose another extractor" in first["reasons"]


def test_a_changed_document_starts_that_claim_once_with_its_stages_and_the_reason(
    processing: Processing, tmp_path: Path
) -> None:
    claim = processing.store.claim("claim-a")
    letter = Path(claim.documents_dir) / "Older Letter.txt"
    kept = letter.read_text()
    letter.write_text("RE: nothing of the old letter is left")
    first, second = night(processing), night(processing)
    letter.write_text(kept)
    (request,) = first
    assert isinstance(request, dg.RunRequest)
    assert request.partition_key == "claim-a"
    assert [key.to_user_string() for key in request.asset_selection or ()] == list(STAGES)
    assert request.tags["citation_pipeline/reasons"] == "files"
    assert request.tags["citation_pipeline/night"] == "2026-03-01"
    # a tick that is evaluated again asks under the same key, and Dagster starts it once
    assert [r.run_key for r in second if isinstance(r, dg.RunRequest)] == [request.run_key]


def test_a_new_matcher_starts_exactly_the_claims_it_affects_and_the_ui_says_why(
    processing: Processing, monkeypatch: pytest.MonkeyPatch
) -> None:
    affected = ("resolved_citations", "viewer_dataset", "search_index")
    monkeypatch.setattr(resolved_citations, "matcher_fingerprint", lambda: "newer")
    ahead = processing.run(processing.store.claim("claim-c"), affected)  # matched again by hand already
    assert ahead.failure is None
    before = marks(processing.store)

    requests = [request for request in night(processing) if isinstance(request, dg.RunRequest)]

    assert {request.partition_key for request in requests} == {"claim-a", "claim-b"}
    for request in requests:
        assert [key.to_user_string() for key in request.asset_selection or ()] == list(affected)
        assert request.tags["citation_pipeline/reasons"] == "matcher"
        ended = processing.run(processing.store.claim(str(request.partition_key)), affected)
        assert ended.failure is None
    metadata = last_plan(processing)
    assert (metadata["claims/start"].value, metadata["start_because/matcher"].value) == (2, 2)
    changed = {place for place, mark in marks(processing.store).items() if mark != before.get(place)}
    assert {claim_id for _, claim_id in changed} == {"claim-a", "claim-b"}
    assert not {table for table, _ in changed} & {"documents", "words", "raw_extraction", "fields"}
    (skipped,) = night(processing)  # nothing waits for the matcher any more
    assert isinstance(skipped, dg.SkipReason)
    monkeypatch.undo()
    for claim_id in ("claim-a", "claim-b", "claim-c"):  # as the other tests expect them
        assert processing.run(processing.store.claim(claim_id), affected).failure is None


def marks(store: ClaimStore) -> dict[tuple[str, str], str]:
    """What is in place of every table and claim."""
    return {
        (table, claim_id): mark for table in SHAPES for claim_id, mark in store.table_marks(table).items()
    }


def test_an_answer_that_arrived_lifts_the_hold(processing: Processing) -> None:
    folder = Path(processing.store.claim("unanswered").folder)
    (folder / "extraction_raw.json").write_text(json.dumps({"extractions": []}))
    (request,) = night(processing)
    (folder / "extraction_raw.json").unlink()
    assert isinstance(request, dg.RunRequest)
    assert request.partition_key == "unanswered"
    assert [key.to_user_string() for key in request.asset_selection or ()][0] == "raw_extraction"


def test_a_claim_that_a_run_or_backfill_works_on_is_not_started(processing: Processing) -> None:
    instance = processing._instance
    run = dg.DagsterRun(
        job_name="process_claims", tags={"dagster/partition": "claim-b"}, status=dg.DagsterRunStatus.STARTED
    )
    instance.add_run(run)
    shared = dg.DagsterRun(
        job_name="__ASSET_JOB",
        status=dg.DagsterRunStatus.STARTED,
        tags={
            "dagster/asset_partition_range_start": "claim-b",
            "dagster/asset_partition_range_end": "unanswered",
        },
    )
    assert find_busy_claims(instance) == {"claim-b"}
    instance.add_run(shared)
    assert find_busy_claims(instance) == {"claim-b", "claim-c", "unanswered"}
    for one in (run, shared):
        instance.delete_run(one.run_id)


def test_a_claim_whose_crashed_run_will_be_retried_is_busy_until_the_retry_has_started(
    processing: Processing,
) -> None:
    instance = processing._instance
    tags = {"dagster/partition": "claim-b", "dagster/will_retry": "true"}
    # failed a moment ago: Dagster has not written yet whether it will be tried again
    untold = dg.DagsterRun(
        job_name="process_claims", tags={"dagster/partition": "claim-c"}, status=dg.DagsterRunStatus.FAILURE
    )
    instance.add_run(untold)
    assert find_busy_claims(instance) == {"claim-c"}
    instance.add_run_tags(untold.run_id, {"dagster/will_retry": "false"})
    assert find_busy_claims(instance) == set()
    crashed = dg.DagsterRun(job_name="process_claims", tags=tags, status=dg.DagsterRunStatus.FAILURE)
    instance.add_run(crashed)
    assert find_busy_claims(instance) == {"claim-b"}
    instance.add_run_tags(crashed.run_id, {"dagster/auto_retry_run_id": "the-retry"})
    assert find_busy_claims(instance) == set()
    instance.delete_run(crashed.run_id)


def test_an_archived_claim_is_left_out_of_nights_and_plans_and_stays_readable(processing: Processing) -> None:
    processing.archive("claim-c")
    try:
        assert "claim-c" not in processing._instance.get_dynamic_partitions("claims")
        night(processing)
        assert last_plan(processing)["claims/current"].value == 2
        assert processing.store.read_viewer_dataset("claim-c")["fields"]
    finally:
        assert processing.reopen("claim-c")
    assert "claim-c" in processing._instance.get_dynamic_partitions("claims")


def plan_lines(processing: Processing, *arguments: str) -> list[dict[str, Any]]:
    result = command("plan", "--json", "--store", processing.store.root, *arguments)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def line_readers(monkeypatch: pytest.MonkeyPatch, processing: Processing) -> None:
    """The command line reads with the tests' readers too."""
    from citation_pipeline.defs.runs import processing as module

    monkeypatch.setenv("DAGSTER_HOME", str(Path(processing.store.root).parent / "home"))
    monkeypatch.setattr(module, "parsers", lambda _: READERS["parsers"])
    monkeypatch.setattr(module, "extractors", lambda _: READERS["extractors"])


@pytest.mark.usefixtures("line_readers")
def test_the_plan_of_a_rematch_says_no_call_and_no_dollar(processing: Processing) -> None:
    lines = plan_lines(processing, "claim-a", "--rematch")
    assert [line["stage"] for line in lines] == ["resolved_citations", "viewer_dataset", "total"]
    assert all(line["calls"] == 0 and line["dollars"] == 0 for line in lines)


@pytest.mark.usefixtures("line_readers")
def test_the_plan_counts_what_claude_would_be_asked_without_a_key(
    processing: Processing, monkeypatch: pytest.MonkeyPatch
) -> None:
    from citation_pipeline.defs.runs import processing as module

    monkeypatch.setattr(module, "extractors", extractors)
    claim = processing.store.claim("claim-a")
    processing.store.register(Claim(claim.claim_id, claim.folder, claim.documents_dir, extractor="claude"))
    lines = plan_lines(processing, "claim-a")
    processing.store.register(claim)
    (asked,) = [line for line in lines if line["stage"] == "raw_extraction"]
    assert (asked["action"], asked["reasons"], asked["calls"]) == ("run", ["extractor"], 1)
    assert asked["input_tokens"] > 1000
    assert 0 < asked["dollars"] < 1
    assert lines[-1]["dollars"] == asked["dollars"]


def test_a_rematch_run_that_asks_for_a_paid_client_fails(tmp_path: Path) -> None:
    @dg.asset
    def asks(extractors: dg.ResourceParam[Readers[Any]]) -> None:
        extractors.get("claude")

    def run(tags: dict[str, str]) -> dg.ExecuteInProcessResult:
        with dg.DagsterInstance.ephemeral() as instance:
            job = dg.Definitions(
                assets=[asks],
                jobs=[dg.define_asset_job("look", selection=[asks])],
                resources={"extractors": ExtractorsResource(store=str(tmp_path))},
            ).resolve_job_def("look")
            return job.execute_in_process(instance=instance, tags=tags, raise_on_error=False)

    assert run({}).success
    refused = run(dict(build_definitions(store=str(tmp_path)).resolve_job_def("rematch_claims").tags))
    assert not refused.success
    with pytest.raises(PaidReaderError, match="a re-match makes no external call"):
        extractors(settings_over(str(tmp_path))).without_paid().get("claude")
    assert ClaimStore(tmp_path).claim_ids() == []
