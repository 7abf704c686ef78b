"""The run launcher: Dagster's default one, which also notices that a run's process is gone.

The default launcher cannot tell a dead process from a slow one, so after a power cut its runs would stay
"started" for ever, and backfills with them. Here a run is asked after by the process id in its own log.
"""

import os
import time
from pathlib import Path

import dagster as dg
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus
from dagster._core.launcher.default_run_launcher import DefaultRunLauncher

# a process writes its first log line some seconds after its run counts as started; many at once take longer
_SILENT_FOR_S = 120.0
_CLOCKS_DIFFER_S = 2.0  # a process's start is known to a clock tick, an event's time is taken later


class WatchedRunLauncher(DefaultRunLauncher):
    """Launches runs as processes on this machine and tells which of them died."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        """Whether run monitoring may ask: it may."""
        return True

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Tell whether the run's latest process still runs."""
        events = self._instance.get_records_for_run(
            run.run_id, of_type=dg.DagsterEventType.ENGINE_EVENT, ascending=False, limit=50
        ).records
        for record in events:
            event = record.event_log_entry.dagster_event
            pid = event.engine_event_data.metadata.get("pid") if event else None
            if pid is not None:
                alive = is_running(int(str(pid.value)), since=record.timestamp)
                status = WorkerStatus.RUNNING if alive else WorkerStatus.FAILED
                return CheckRunHealthResult(status, "" if alive else f"its process {pid.value} is gone")
        stats = self._instance.get_run_record_by_id(run.run_id)
        if stats is not None and stats.start_time and time.time() - stats.start_time > _SILENT_FOR_S:
            return CheckRunHealthResult(WorkerStatus.FAILED, "no process of it ever spoke")
        return CheckRunHealthResult(WorkerStatus.RUNNING)


def is_running(pid: int, *, since: float) -> bool:
    """Tell whether a process lives and is the one that lived at a moment, not a later one of the same id."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        fields = stat.read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return False
    if fields[0] in "ZX":  # dead, and nobody has asked for its exit code
        return False
    lines = Path("/proc/stat").read_text().splitlines()
    boot = next(float(line.split()[1]) for line in lines if line.startswith("btime"))
    started = boot + int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return started <= since + _CLOCKS_DIFFER_S
