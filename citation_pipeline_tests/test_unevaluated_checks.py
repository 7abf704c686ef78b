"""A check that did not run is neither passed nor failed: what an earlier run found of it stays."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.execution.plan.objects import StepFailureData
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus

from citation_pipeline.defs.definitions import build_definitions
from citation_pipeline.defs.instances import open_instance
from citation_pipeline_tests.killed_runs import run_claim
from citation_pipeline_tests.scenario import write_claim

CHECK = dg.AssetCheckKey(dg.AssetKey("viewer_dataset"), "the_dataset_is_valid")


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    run_claim(write_claim(tmp_path / "tiny"), tmp_path / "store")
    with open_instance(tmp_path / "store" / "dagster_home") as opened:
        yield opened


def planned_run(instance: dg.DagsterInstance, store: Path) -> dg.DagsterRun:
    job = build_definitions(store=str(store)).resolve_job_def("process_claims")
    return instance.create_run_for_job(
        job, tags={"dagster/partition": "tiny"}, status=dg.DagsterRunStatus.STARTED
    )


def shown(instance: dg.DagsterInstance) -> AssetCheckExecutionRecordStatus:
    latest = instance.event_log_storage.get_latest_asset_check_execution_by_key([CHECK])
    return latest[CHECK].status


@pytest.mark.parametrize("ending", ["killed", "canceled"])
def test_a_run_that_died_before_its_checks_leaves_the_last_verdicts(
    instance: dg.DagsterInstance, tmp_path: Path, ending: str
) -> None:
    assert shown(instance) is AssetCheckExecutionRecordStatus.SUCCEEDED
    run = planned_run(instance, tmp_path / "store")
    assert shown(instance) is AssetCheckExecutionRecordStatus.PLANNED

    if ending == "killed":
        instance.report_run_failed(run, "its process is gone")
    else:
        instance.report_run_canceled(run)

    assert shown(instance) is AssetCheckExecutionRecordStatus.SUCCEEDED


def test_a_check_whose_own_step_failed_stays_failed(instance: dg.DagsterInstance, tmp_path: Path) -> None:
    run = planned_run(instance, tmp_path / "store")
    step = f"viewer_dataset_{CHECK.name}"
    instance.report_dagster_event(
        dg.DagsterEvent(
            event_type_value=dg.DagsterEventType.STEP_FAILURE.value,
            job_name=run.job_name,
            step_key=step,
            event_specific_data=StepFailureData(error=None, user_failure_data=None),
        ),
        run_id=run.run_id,
    )
    instance.report_run_failed(run)
    assert shown(instance) is AssetCheckExecutionRecordStatus.PLANNED
