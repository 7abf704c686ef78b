"""Which claims are being worked on, or will be: open runs, retries to come, backfills that have not ended."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg

from citation_pipeline.defs.dagster_internals.backfills import claims_of_open_backfills
from citation_pipeline.defs.namespaces import HERE, Namespace

# what Dagster calls its tags, and which runs have not ended: `test_dagster_internals` compares
ASSET_PARTITION_RANGE_START_TAG = "dagster/asset_partition_range_start"
ASSET_PARTITION_RANGE_END_TAG = "dagster/asset_partition_range_end"
AUTO_RETRY_RUN_ID_TAG = "dagster/auto_retry_run_id"
PARTITION_NAME_TAG = "dagster/partition"
WILL_RETRY_TAG = "dagster/will_retry"
_ENDED = ("SUCCESS", "FAILURE", "CANCELED", "MANAGED")  # the last: runs that Dagster only hears of
NOT_FINISHED_STATUSES = [status for status in dg.DagsterRunStatus if status.value not in _ENDED]

# the retry daemon starts a retry within a minute; one that is a day late was switched off
_RETRY_WITHIN = timedelta(days=1)
_TAGGED_WITHIN = timedelta(minutes=2)  # milliseconds, and much more on a machine under load


def find_busy_claims(instance: dg.DagsterInstance, place: Namespace = HERE) -> set[str]:
    """Return the claims of every queued or running run, of every failed one whose automatic retry has not
    started yet, and of every backfill that has not ended."""
    busy: set[str] = set()
    known = instance.get_dynamic_partitions(place.claims_name)
    for run in (
        *instance.get_runs(dg.RunsFilter(statuses=NOT_FINISHED_STATUSES)),
        *_runs_to_be_retried(instance),
    ):
        if place.owns(run):
            busy.update(claims_of_run(run.tags, known))
    busy |= claims_of_open_backfills(instance, place)
    return busy


def _runs_to_be_retried(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    failed = instance.get_runs(
        dg.RunsFilter(
            statuses=[dg.DagsterRunStatus.FAILURE],
            tags={WILL_RETRY_TAG: "true"},
            updated_after=datetime.now(UTC) - _RETRY_WITHIN,
        )
    )
    waiting = [run for run in failed if AUTO_RETRY_RUN_ID_TAG not in run.tags]
    if not instance.run_retries_enabled:
        return waiting
    # a run is failed a moment before it is tagged with whether it will be tried again
    just_failed = instance.get_runs(
        dg.RunsFilter(
            statuses=[dg.DagsterRunStatus.FAILURE], updated_after=datetime.now(UTC) - _TAGGED_WITHIN
        )
    )
    return [*waiting, *(run for run in just_failed if WILL_RETRY_TAG not in run.tags)]


def claims_of_run(tags: Mapping[str, str], known: Sequence[str]) -> list[str]:
    """Return the claims of a run by its tags; `known` are all partitions in the instance's order."""
    if PARTITION_NAME_TAG in tags:
        return [tags[PARTITION_NAME_TAG]]
    first, last = tags.get(ASSET_PARTITION_RANGE_START_TAG), tags.get(ASSET_PARTITION_RANGE_END_TAG)
    if first is None or last is None:
        return []
    if first not in known or last not in known:  # archived meanwhile
        return [first, last]
    return list(known[known.index(first) : known.index(last) + 1])
