"""The Dagster instance of a store: where runs and events are kept, and how it is set up on first use."""

from pathlib import Path

import dagster as dg

_SETTINGS = """\
# Written on first use; yours to change afterwards.
telemetry:
  enabled: false  # nothing about claims leaves this machine

nux:
  enabled: false  # no sign-up form over a claim

run_monitoring:
  enabled: true  # a run whose process was killed is marked failed, not left running for ever

concurrency:
  runs:
    max_concurrent_runs: 2
  pools:
    default_limit: 1
    granularity: run
"""


def open_instance(home: Path) -> dg.DagsterInstance:
    """Open the instance in a folder, set up with the project's settings when it is new."""
    home.mkdir(parents=True, exist_ok=True)
    settings = home / "dagster.yaml"
    if not settings.exists():
        settings.write_text(_SETTINGS)
    return dg.DagsterInstance.from_config(str(home))
