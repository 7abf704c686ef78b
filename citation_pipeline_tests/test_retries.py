"""Trying again: inside a run when waiting helps, never when it does not; a paused provider is not called."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.coordination.database import coordination_of
from citation_pipeline.adapters.coordination.notes import Kind, Notes
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.provider_pauses import (
    LONGEST_PAUSE_S,
    ProviderPausedError,
    read_pause,
    respecting_pause,
)
from citation_pipeline.adapters.readers import Readers
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.tries import failed_tries, read_failed_try
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.stages import STAGES, FailedTry
from citation_pipeline.core.schemas import Schema
from citation_pipeline.defs.automation.retries import stages_to_retry
from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline_tests.scenario import LineParser, write_claim


class BusyError(PipelineError):
    transient = True

    def __init__(self, seconds: float | None) -> None:
        super().__init__("the provider is busy")
        self.retry_after_s = seconds


class RefusedError(PipelineError):
    """Will fail in the same way next time."""


class FlakyExtractor(ReplayExtractor):
    """Fails as scripted, then replays."""

    name = "flaky"

    def __init__(self, failures: list[PipelineError]) -> None:
        self.failures, self.asked = failures, 0

    def ask(self, claim: Claim, documents: Sequence[ParsedDocument], schema: Schema) -> list[StoredReply]:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return super().ask(claim, documents, schema)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaimStore:
    monkeypatch.setenv("CITATION_PIPELINE_RETRY_WAIT_S", "0.01")
    monkeypatch.setenv("CITATION_PIPELINE_LONGEST_WAIT_S", "2")
    store = ClaimStore(tmp_path / "store")
    folder = write_claim(tmp_path / "tiny")
    store.register(claim_of_folder(folder, schema="workers_comp", parser="local", extractor="flaky"))
    return store


def run(store: ClaimStore, extractor: FlakyExtractor) -> dg.ExecuteInProcessResult:
    readers: dict[str, Any] = {
        "parsers": Readers("parser", {"local": LineParser}),
        "extractors": Readers("extractor", {"flaky": lambda: extractor}),
    }
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("claims", ["tiny"])
        job = build_definitions(store=store.root, readers=readers).resolve_job_def("process_claims")
        return job.execute_in_process(
            instance=instance,
            partition_key="tiny",
            raise_on_error=False,
            asset_selection=[dg.AssetKey(stage) for stage in STAGES[:4]],
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )


def retries(result: dg.ExecuteInProcessResult) -> int:
    return sum(event.event_type_value == "STEP_UP_FOR_RETRY" for event in result.all_events)


def test_a_passing_fault_is_tried_again_in_the_same_run_and_forgotten_when_it_passed(
    store: ClaimStore,
) -> None:
    extractor = FlakyExtractor([BusyError(None), BusyError(0.01)])
    result = run(store, extractor)
    assert result.success
    assert (extractor.asked, retries(result)) == (3, 2)
    assert failed_tries(store) == {}


def test_a_permanent_fault_is_never_tried_again_by_the_run(store: ClaimStore) -> None:
    extractor = FlakyExtractor([RefusedError("the key was refused: check it")])
    result = run(store, extractor)
    assert not result.success
    assert (extractor.asked, retries(result)) == (1, 0)
    failed = read_failed_try(store, "raw_extraction", "tiny")
    assert failed is not None
    assert (failed.reason, failed.is_transient) == ("the key was refused: check it", False)


def test_after_three_tries_the_claim_is_given_back_as_transient(store: ClaimStore) -> None:
    extractor = FlakyExtractor([BusyError(None) for _ in range(9)])
    result = run(store, extractor)
    assert not result.success
    assert (extractor.asked, retries(result)) == (3, 2)
    failed = read_failed_try(store, "raw_extraction", "tiny")
    assert failed is not None
    assert (failed.is_transient, failed.nights) == (True, 1)


def test_a_provider_that_asks_for_too_long_a_wait_is_left_alone_by_every_run(store: ClaimStore) -> None:
    extractor = FlakyExtractor([BusyError(900)])
    assert not run(store, extractor).success
    assert extractor.asked == 1
    assert not run(store, extractor).success  # another claim's run, the same night
    assert extractor.asked == 1
    failed = read_failed_try(store, "raw_extraction", "tiny")
    assert failed is not None
    assert "asked to be left alone" in failed.reason
    assert failed.is_transient


def test_a_pause_is_noted_kept_capped_and_over_in_time(tmp_path: Path) -> None:
    def call(error: Exception | None) -> None:
        with respecting_pause(tmp_path, "claude"):
            if error is not None:
                raise error

    with pytest.raises(RefusedError):
        call(RefusedError("no"))
    assert read_pause(tmp_path, "claude") == 0
    with pytest.raises(BusyError):
        call(BusyError(10**9))
    with pytest.raises(ProviderPausedError) as paused:
        call(None)
    assert 0 < paused.value.retry_after_s <= LONGEST_PAUSE_S
    Notes(coordination_of(tmp_path), Kind.PAUSE).write("claude", {"until": 1.0})
    call(None)


def test_a_retry_takes_the_failed_stage_and_all_that_is_made_from_it() -> None:
    def failed(stage: str) -> list[FailedTry]:
        return [FailedTry(stage, {}, "x", False)]

    targets = stages_to_retry({"a": failed("raw_extraction"), "b": failed("viewer_dataset")})
    assert targets == {
        "raw_extraction": ["a"],
        "extracted_fields": ["a"],
        "resolved_citations": ["a"],
        "viewer_dataset": ["a", "b"],
        "search_index": ["a"],
    }
