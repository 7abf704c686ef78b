"""Old runs are forgotten, but nothing that a claim's state is told by, and nothing that matters."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.planning.nights import NightChoice, Verdict
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.assets.nightly_batches import read_waits, report_night
from citation_pipeline.defs.automation.pruning import prune_runs
from citation_pipeline.defs.instances import open_instance
from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.scenario import write_claim

CHECK = dg.AssetCheckKey(dg.AssetKey("viewer_dataset"), "the_dataset_is_valid")


def made(instance: dg.DagsterInstance) -> dict[str, set[str]]:
    return {stage: set(instance.get_materialized_partitions(dg.AssetKey(stage))) for stage in STAGES}


@pytest.mark.parametrize("days", [0, 30])
def test_a_run_whose_claim_was_made_again_goes_and_the_last_one_stays(tmp_path: Path, days: int) -> None:
    folder, store = write_claim(tmp_path / "tiny"), tmp_path / "store"
    run_claim(folder, store, STAGES)
    run_claim(folder, store, STAGES)
    now = datetime.now(UTC)
    with open_instance(store / "dagster_home") as instance:
        newer, older = instance.get_runs()
        before = made(instance)
        verdict = instance.event_log_storage.get_latest_asset_check_execution_by_key([CHECK])[CHECK]

        pruning = prune_runs(instance, before=now + timedelta(minutes=1) - timedelta(days=days))

        if days:
            assert (pruning.deleted, pruning.kept, len(instance.get_runs())) == (0, 0, 2)
            return
        assert (pruning.deleted, pruning.kept) == (1, 1)
        assert [run.run_id for run in instance.get_runs()] == [newer.run_id]
        assert made(instance) == before
        kept = instance.event_log_storage.get_latest_asset_check_execution_by_key([CHECK])[CHECK]
        assert (kept.id, kept.status) == (verdict.id, verdict.status)
    assert not list(store.rglob(f"{older.run_id}.db*"))
    assert list(store.rglob(f"{newer.run_id}.db"))


def test_a_run_that_tried_a_claim_last_stays_so_that_the_claim_stays_red(tmp_path: Path) -> None:
    folder, store = write_claim(tmp_path / "tiny"), tmp_path / "store"
    run_claim(folder, store, STAGES)
    (folder / "extraction_raw.json").write_text("no JSON")
    with pytest.raises(AssertionError, match="viewer_dataset"):
        run_claim(folder, store, STAGES)
    with open_instance(store / "dagster_home") as instance:
        prune_runs(instance, before=datetime.now(UTC) + timedelta(minutes=1))
        assert {run.status.value for run in instance.get_runs()} == {"SUCCESS", "FAILURE"}


def test_a_wiped_event_log_forgets_no_night_that_a_claim_waited(tmp_path: Path) -> None:
    store = ClaimStore(tmp_path / "store")
    waiting = [NightChoice("claim-1", Verdict.POSTPONED, ("limit",))]
    for day in (20, 21):
        with open_instance(tmp_path / f"home-{day}") as instance:  # each night on a new instance
            report_night(instance, store, waiting, night=date(2026, 11, day), requested=0)
    with open_instance(tmp_path / "home-new") as instance:
        waits = read_waits(instance, store)
    assert waits["claim-1"].nights == 2
    assert waits["claim-1"].since == date(2026, 11, 20)
