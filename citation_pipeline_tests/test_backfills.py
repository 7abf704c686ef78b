"""Backfills through the real daemon and run launcher: partial failure stays with the claims that failed."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus

from citation_pipeline.adapters.claim_folders import claim_of_folder
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.stages import STAGES
from citation_pipeline.defs.instances import open_instance
from citation_pipeline_tests.daemons import (
    failed,
    materialized,
    running_daemon,
    submit_backfill,
    wait_for_backfill,
)
from citation_pipeline_tests.scenario import write_claim

CLAIMS = [f"claim-{number:02d}" for number in range(10)]
UNPARSABLE = {"claim-02", "claim-07"}
UNANSWERED = {"claim-04"}
GOOD = set(CLAIMS) - UNPARSABLE - UNANSWERED


@pytest.fixture(scope="module")
def location() -> dg.Definitions:
    from citation_pipeline_tests.scenario_location import defs

    return defs


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def store(home: Path) -> ClaimStore:
    """Ten registered claims: two with a document that makes the parser fail, one without an answer."""
    store = ClaimStore(home / "store")
    for claim_id in CLAIMS:
        folder = write_claim(home / "inbox" / claim_id)
        if claim_id in UNPARSABLE:
            (folder / "documents" / "bad.txt").write_text("CRASH")
        if claim_id in UNANSWERED:
            (folder / "extraction_raw.json").unlink()
        store.register(claim_of_folder(folder, schema="workers_comp", parser="local", extractor="replay"))
    return store


@pytest.fixture(scope="module")
def instance(home: Path, store: ClaimStore, location: dg.Definitions) -> Iterator[dg.DagsterInstance]:
    """The instance after one backfill of everything."""
    instance = open_instance(home)
    instance.add_dynamic_partitions("claims", CLAIMS)
    with running_daemon(home, Path(store.root)):
        backfill_id = submit_backfill(instance, location, STAGES, CLAIMS)
        backfill = wait_for_backfill(instance, backfill_id, seconds=200)
    assert backfill.status in (BulkActionStatus.COMPLETED_FAILED, BulkActionStatus.COMPLETED)
    yield instance
    instance.dispose()


def test_every_claim_that_can_reaches_the_viewer_in_one_backfill(
    instance: dg.DagsterInstance, store: ClaimStore
) -> None:
    assert materialized(instance, "viewer_dataset") == GOOD
    for claim_id in GOOD:
        assert len(store.read_viewer_dataset(claim_id)["fields"]) == 4


def test_failed_partitions_are_exactly_the_claims_that_failed(
    instance: dg.DagsterInstance, location: dg.Definitions
) -> None:
    assert materialized(instance, "source_documents") == set(CLAIMS)
    assert materialized(instance, "parsed_documents") == set(CLAIMS) - UNPARSABLE
    assert failed(instance, "parsed_documents", location) == UNPARSABLE
    assert materialized(instance, "raw_extraction") == GOOD
    assert failed(instance, "raw_extraction", location) == UNANSWERED
    assert failed(instance, "viewer_dataset", location) == set()


def test_a_run_of_many_claims_names_those_that_failed_and_quotes_no_document(
    instance: dg.DagsterInstance,
) -> None:
    messages = [
        event.user_message or "" for run in instance.get_runs() for event in instance.all_logs(run.run_id)
    ]
    text = "\n".join(messages)
    assert "claim-02: RuntimeError at scenario.py:" in text
    assert "(its message is withheld: it may quote a document)" in text
    assert "CRASH" not in text
    assert "Okafor" not in text


def test_each_claim_of_a_shared_run_has_metadata_of_its_own(instance: dg.DagsterInstance) -> None:
    for claim_id in ("claim-00", "claim-09"):
        record = instance.fetch_materializations(
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


def test_claims_share_runs_as_their_stage_allows(instance: dg.DagsterInstance) -> None:
    def keys_of(run: dg.DagsterRun) -> set[str]:
        start, end = (run.tags.get(f"dagster/asset_partition_range_{edge}") for edge in ("start", "end"))
        return {key for key in CLAIMS if start and end and start <= key <= end}

    by_stage = {
        stage: [run for run in instance.get_runs() if run.asset_selection == {dg.AssetKey(stage)}]
        for stage in STAGES
    }
    assert [keys_of(run) for run in by_stage["source_documents"]] == [set(CLAIMS)]
    assert [keys_of(run) for run in by_stage["parsed_documents"]] == [set(CLAIMS)]
    assert all(len(by_stage[stage]) < len(GOOD) for stage in STAGES)
