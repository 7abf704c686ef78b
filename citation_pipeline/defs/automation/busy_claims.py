"""Which claims are being worked on, or will be: open runs, retries to come, backfills that have not ended."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster._core.execution.backfill import BulkActionsFilter, BulkActionStatus
from dagster._core.storage.dagster_run import NOT_FINISHED_STATUSES
from dagster._core.storage.tags import (
    ASSET_PARTITION_RANGE_END_TAG,
    ASSET_PARTITION_RANGE_START_TAG,
    AUTO_RETRY_RUN_ID_TAG,
    PARTITION_NAME_TAG,
    WILL_RETRY_TAG,
)

from citation_pipeline.defs.namespaces import HERE, Namespace

# the retry daemon starts a retry within a minute; one that is a day late was switched off
_RETRY_WITHIN = timedelta(days=1)


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
    for backfill in instance.get_backfills(filters=BulkActionsFilter(statuses=[BulkActionStatus.REQUESTED])):
        data = backfill.asset_backfill_data
        if data is not None:
            busy.update(
                found.partition_key
                for found in data.target_subset.iterate_asset_partitions()
                if found.partition_key is not None and tuple(found.asset_key.path[:-1]) == place.prefix
            )
    return busy


def _runs_to_be_retried(instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    failed = instance.get_runs(
        dg.RunsFilter(
            statuses=[dg.DagsterRunStatus.FAILURE],
            tags={WILL_RETRY_TAG: "true"},
            updated_after=datetime.now(UTC) - _RETRY_WITHIN,
        )
    )
    return [run for run in failed if AUTO_RETRY_RUN_ID_TAG not in run.tags]


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
