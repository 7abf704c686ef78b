"""The Dagster instance of a store: where runs and events are kept, and how it is set up on first use."""

import json
import re
from pathlib import Path

import dagster as dg
from sqlalchemy.exc import DatabaseError, OperationalError

from citation_pipeline.adapters.whole_files import write_whole
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.defs.automation.night_settings import RunLimits
from citation_pipeline.defs.dagster_internals.output_capture import open_without_capture

LOG_NAME = "pipeline.jsonl"

WORKSPACE = """\
load_from:
  - python_module:
      module_name: citation_pipeline.defs.definitions
      location_name: citation_pipeline
"""
"""The code location as `workspace.yaml` and `[tool.dagster]` name it: one name, whatever started Dagster."""

_MOVED = {  # modules that a `dagster.yaml` of version 0.1 names by the places they had then
    "citation_pipeline.defs.event_storage": "citation_pipeline.defs.dagster_internals.event_storage",
    "citation_pipeline.defs.run_launchers": "citation_pipeline.defs.dagster_internals.run_launchers",
}

QUIET = """\
telemetry:
  enabled: false  # nothing about claims leaves this machine

nux:
  enabled: false  # no sign-up form over a claim

"""
_ONE_MACHINE = """\
python_logs:
  dagster_handler_config:  # one JSON object a line: ids, stages, counts, no document text
    formatters:
      json_lines:
        (): citation_pipeline.defs.logs.JsonLines
    handlers:
      json_lines:
        class: citation_pipeline.defs.logs.AppendingFile
        filename: {log}
        level: INFO
        formatter: json_lines

event_log_storage:  # SQLite, many events at once; for Postgres put a `storage:` section in its place
  module: citation_pipeline.defs.dagster_internals.event_storage
  class: BatchingSqliteEventLogStorage
  config:
    base_dir: {events}

run_launcher:
  module: citation_pipeline.defs.dagster_internals.run_launchers
  class: WatchedRunLauncher

"""
_RUN_RULES = """\
run_retries:
  enabled: true
  max_retries: 2
  retry_on_asset_or_op_failure: false  # only runs whose process died: a failed claim is nobody's accident

run_monitoring:
  enabled: true  # a run whose process was killed is marked failed, not left running for ever
  poll_interval_seconds: {poll_s}
  # a machine under load takes a minute to start Python; then the process is killed and the place is free
  start_timeout_seconds: {start_timeout_s}
  cancel_timeout_seconds: 120  # a step of a provider's call is let end; then the process is killed
  max_resume_run_attempts: 0  # a run whose process died is a failed one; its retry is a run of its own
  free_slots_after_run_end_seconds: 5

run_coordinator:
  module: citation_pipeline.defs.dagster_internals.run_queue
  class: ClaimRunQueue
  config:
    dequeue_interval_seconds: 1  # five would be most of a small run's time
    dequeue_use_threads: true
    max_user_code_failure_retries: 5  # a code server that is being started again loses no run
    user_code_failure_retry_delay: 10

concurrency:
  runs:
    max_concurrent_runs: {runs}
    tag_concurrency_limits:
      - key: citation_pipeline/spread  # the queue gives it to runs that spread many claims over every core
        value: "true"
        limit: {spread}
      - key: citation_pipeline/parser_pool  # the night's runs say which paid provider reads them
        value:
          applyLimitPerUniqueValue: true
        limit: {paid_parser}
      - key: citation_pipeline/extractor_pool
        value:
          applyLimitPerUniqueValue: true
        limit: {paid_extractor}
  pools:
    default_limit: 1
    granularity: op  # a claim holds a pool only while its step runs, not for the whole night's run

retention:  # of ticks; runs and their events are deleted by the job `prune_history`, see docs/operations.md
  schedule:
    purge_after_days: 90
  sensor:
    purge_after_days:
      skipped: 7  # a tick a minute
      failure: 30
      success: 90

schedules:
  use_threads: true
  num_workers: 2

sensors:
  use_threads: true
  num_workers: 2
"""


class InstanceError(PipelineError):
    """An instance whose databases cannot be opened: damaged files, or such that this user may not write."""

    def __init__(self, home: Path, error: DatabaseError) -> None:
        remedy = (
            "give the user who runs this the right to write there, and look whether its database runs"
            if isinstance(error, OperationalError)
            else "put it back from a backup, or move that folder away: a new one is set up, and only the "
            "history of runs is lost"
        )
        super().__init__(f"the Dagster instance in {home} cannot be opened: {remedy}")


def open_instance(
    home: Path, *, limits: RunLimits | None = None, captures_output: bool = True
) -> dg.DagsterInstance:
    """Open the instance in a folder, set up with the project's settings when it is new.

    `captures_output` is for runs in processes of their own, whose output has no other place. Pools that
    have no limit of their own are given one; `dagster instance concurrency set` changes them.
    """
    home.mkdir(parents=True, exist_ok=True)
    settings = home / "dagster.yaml"
    is_new = not settings.exists()
    chosen = limits or RunLimits()
    if is_new:
        settings.write_text(
            "# Written on first use; yours to change afterwards.\n"
            + QUIET
            + _ONE_MACHINE.format(
                log=json.dumps(str(home.resolve() / LOG_NAME)),
                events=json.dumps(str(home.resolve() / "history" / "runs")),
            )
            + run_rules(chosen)
        )
    else:
        _follow_moves(settings)
    try:
        instance = (
            dg.DagsterInstance.from_config(str(home)) if captures_output else open_without_capture(home)
        )
        limit_pools(instance, chosen)
    except DatabaseError as error:  # the message may hold the database's URL
        raise InstanceError(home, error) from error
    return instance


def run_rules(limits: RunLimits, *, poll_s: int = 30, start_timeout_s: int = 180) -> str:
    """Return the sections of `dagster.yaml` about retries, monitoring, the queue, limits and retention."""
    return _RUN_RULES.format(
        poll_s=poll_s,
        start_timeout_s=start_timeout_s,
        runs=limits.runs,
        spread=limits.spread,
        paid_parser=limits.paid_parser,
        paid_extractor=limits.paid_extractor,
    )


def pool_limits(limits: RunLimits) -> dict[str, int]:
    """Return how many steps may work at once in each pool."""
    return {"parsing": limits.parsing, "extraction": limits.extraction, "warehouse": 1}


def limit_pools(
    instance: dg.DagsterInstance, limits: RunLimits, *, anew: bool = False
) -> dict[str, tuple[int | None, int]]:
    """Give each pool its limit where it has none of its own, or `anew`; return former and new of those set.

    A pool that nobody limited has the default of one, whoever wrote `dagster.yaml`.
    """
    storage = instance.event_log_storage
    own = {pool.name: pool.limit for pool in storage.get_pool_limits() if not pool.from_default}
    changed = {}
    for pool, limit in pool_limits(limits).items():
        if pool not in own or (anew and own[pool] != limit):
            storage.set_concurrency_slots(pool, limit)
            changed[pool] = (own.get(pool), limit)
    return changed


def _follow_moves(settings: Path) -> None:
    """Name modules by their present places, and the files of this folder where all are of another one.

    So it is in a store that was copied or moved: its events would go on being written beside the first one.
    """
    written = settings.read_text()
    current = written
    home = settings.parent.resolve()
    places = {name: json.dumps(str(home / name)) for name in (LOG_NAME, "history/runs")}
    former = {path[: -len(name) - 2] for name in places for path in re.findall(rf'"[^"\n]*/{name}"', written)}
    if len(former) == 1:
        for name, place in places.items():
            current = current.replace(f'{former.copy().pop()}/{name}"', place)
    for old, new in _MOVED.items():
        current = current.replace(f"module: {old}\n", f"module: {new}\n")
    if current != written:
        write_whole(settings, current.encode())
