"""Dagster's runs in numbers: how many wait and work, and how long the oldest one has waited."""

import time
from collections import Counter

import dagster as dg

from citation_pipeline.adapters.observability.exposition import RunFigures

_OPEN = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def read_run_figures(instance: dg.DagsterInstance) -> RunFigures:
    """Return the figures of an instance's open runs, whoever asked for them."""
    records = instance.get_run_records(dg.RunsFilter(statuses=_OPEN))
    by_status = dict.fromkeys((status.value.lower() for status in _OPEN), 0)
    by_status |= Counter(record.dagster_run.status.value.lower() for record in records)
    queued = [
        record.create_timestamp.timestamp()
        for record in records
        if record.dagster_run.status is dg.DagsterRunStatus.QUEUED
    ]
    return RunFigures(by_status, max(time.time() - min(queued), 0.0) if queued else 0.0)
