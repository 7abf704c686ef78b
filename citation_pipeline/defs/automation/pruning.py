"""Forgetting old runs: the job `prune_history` and its weekly schedule.

Each re-match of a claim adds some 48 kB of events. What matters does not lie there: nights waited are kept in
the store, decisions and reviews in their database, failed tries and versions beside the tables, the runs'
figures in the warehouse.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import dagster as dg

from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline.defs.automation.night_settings import NightSettings
from citation_pipeline.defs.dagster_internals.history import runs_that_tell_states
from citation_pipeline.defs.dagster_internals.placing import renamed
from citation_pipeline.defs.namespaces import HERE, Namespace
from citation_pipeline.defs.settings import Settings

_ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
_RUNS_AT_ONCE = 200
ASSETS = (*STAGES, "claims_warehouse", "claim_plans", "nightly_batches", "verified_quality")


@dataclass(frozen=True, slots=True)
class Pruning:
    """How many old runs were deleted, and how many stay since they tell a partition's state."""

    deleted: int
    kept: int


def prune_runs(instance: dg.DagsterInstance, place: Namespace = HERE, *, before: datetime) -> Pruning:
    """Delete ended runs of before a moment, but for the last that made or tried each partition."""
    needed = runs_that_tell_states(instance, (place.key(name) for name in ASSETS))
    deleted = kept = 0
    cursor = None
    while True:
        runs = instance.get_runs(
            dg.RunsFilter(statuses=_ENDED, created_before=before), limit=_RUNS_AT_ONCE, cursor=cursor
        )
        for run in runs:
            if run.run_id in needed or not place.owns(run):
                kept += 1
                cursor = run.run_id  # the next page begins behind one that is still there
            else:
                instance.delete_run(run.run_id)
                deleted += 1
        if len(runs) < _RUNS_AT_ONCE:
            return Pruning(deleted, kept)


def build_pruning_job(place: Namespace = HERE) -> dg.JobDefinition:
    """Return the job that forgets a namespace's old runs."""

    def forget_old_runs(context: dg.OpExecutionContext, settings: dg.ResourceParam[Settings]) -> None:
        """Delete runs older than the settings' days whose claims were made or tried again since."""
        days = settings.night.keep_runs_days
        if not days:
            context.log.info("every run is kept: CITATION_PIPELINE_KEEP_RUNS_DAYS is 0")
            return
        pruning = prune_runs(context.instance, place, before=datetime.now(UTC) - timedelta(days=days))
        context.log.info(f"{pruning.deleted} runs deleted, {pruning.kept} older than {days} days kept")
        context.add_output_metadata({"deleted": pruning.deleted, "kept": pruning.kept, "days": days})

    op = dg.op(name=place.name("forget_old_runs"))(renamed(forget_old_runs, place))

    @dg.job(
        name=place.name("prune_history"),
        executor_def=dg.in_process_executor,
        description="Deletes old runs and their events; what a partition's state is told by stays.",
    )
    def prune_history() -> None:
        op()

    return prune_history


def build_weekly(
    night: NightSettings, job: dg.JobDefinition, place: Namespace = HERE
) -> dg.ScheduleDefinition:
    """Return the schedule; it is on from the start where runs are kept for a number of days."""
    on = dg.DefaultScheduleStatus.RUNNING if night.keep_runs_days else dg.DefaultScheduleStatus.STOPPED
    return dg.ScheduleDefinition(
        name=place.name("weekly"),
        job=job,
        cron_schedule="0 12 * * 0",  # far from the night
        execution_timezone=night.timezone,
        default_status=on,
        description="Deletes runs older than CITATION_PIPELINE_KEEP_RUNS_DAYS that no partition needs.",
    )
