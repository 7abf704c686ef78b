"""The run launcher: each run is a process of its own on this machine, named in the run's tags.

Dagster's default launcher asks the code server to start the process and waits for it to speak. A machine
under load takes longer than that call may, so that the run counted as failed and its process worked all the
same, beyond every limit; and a process that died later was never noticed. Here the process is known from the
moment it is started: it ends with its run, and its run with it.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import dagster as dg
from dagster._core.launcher.base import CheckRunHealthResult, LaunchRunContext, WorkerStatus
from dagster._grpc.types import ExecuteRunArgs

from citation_pipeline.defs.dagster_internals.dead_runs import (
    PROCESS_TAG,
    fail_dead_runs,
    is_alive,
    locks_of,
    name_of,
    open_lock,
    process_of,
    signal_process,
    this_process,
)

# of a run that another launcher started: its process writes its first log line some seconds after it counts
# as started; many at once take longer
_SILENT_FOR_S = 120.0
_CLOCKS_DIFFER_S = 2.0  # a process's start is known to a clock tick, an event's time is taken later


class WatchedRunLauncher(dg.DefaultRunLauncher):
    """Launches runs as processes on this machine, tells which of them died and ends what is left of them."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        """Whether run monitoring may ask: it may."""
        return True

    def launch_run(self, context: LaunchRunContext) -> None:
        """Start the run's process and return; it fails its run if it dies, while this process lives.

        Until it has a name, the run bears this process's: if that is killed in between, the next daemon
        knows that nobody starts the run any more.
        """
        run, origin = context.dagster_run, context.job_code_origin
        if origin is None:
            raise dg.DagsterInvariantViolationError(f"the run {run.run_id} does not say where its code is")
        told = ExecuteRunArgs(job_origin=origin, run_id=run.run_id, instance_ref=self._instance.get_ref())
        python = origin.executable_path or sys.executable
        command = [python, "-m", "dagster", "api", "execute_run", dg.serialize_value(told)]
        self._instance.add_run_tags(run.run_id, {PROCESS_TAG: this_process()})
        process, lock = self._start(command)
        try:
            self._instance.add_run_tags(run.run_id, {PROCESS_TAG: name_of(process.pid)})
            threading.Thread(target=self._watch, args=(process, run.run_id, lock), daemon=True).start()
        except Exception:  # the run will be failed and its place given away: nothing of it may work on
            process.kill()
            process.wait()
            raise
        self._fail_dead_starts()

    def _start(self, command: list[str]) -> tuple["subprocess.Popen[bytes]", Path | None]:
        """Start a process that holds the lock of its name while it lives, and return both."""
        locks = locks_of(self._instance)
        if locks is None:
            return subprocess.Popen(command), None
        lock, draft = open_lock(locks)
        try:
            process = subprocess.Popen(command, pass_fds=[lock])
        except BaseException:
            draft.unlink()
            raise
        finally:
            os.close(lock)
        return process, draft.rename(locks / name_of(process.pid))

    def terminate(self, run_id: str) -> bool:
        """Ask the run's process to stop; tell whether it was asked or was gone already."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        owner = process_of(run)
        if owner is None:
            return bool(super().terminate(run_id))  # type: ignore[no-untyped-call]
        self._instance.report_run_canceling(run)
        if not is_alive(owner):
            self._instance.report_run_canceled(run)
            return True
        return signal_process(owner, signal.SIGTERM)

    def get_run_worker_debug_info(
        self, run: dg.DagsterRun, include_container_logs: bool | None = True
    ) -> str:
        """Kill what is left of a run that monitoring gives up, and say so.

        Asked just before a run is marked as failed or canceled: from then on its place counts as free, so
        nothing of it may work on.
        """
        owner = process_of(run)
        if owner is not None and is_alive(owner) and signal_process(owner, signal.SIGKILL):
            return f"Its process {owner} was killed."
        return ""

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Tell whether the run's process still runs."""
        self._fail_dead_starts()
        locks = locks_of(self._instance)
        owner = process_of(run, locks)
        if owner is None:
            return self._health_by_events(run)
        alive = is_alive(owner, locks)
        status = WorkerStatus.RUNNING if alive else WorkerStatus.FAILED
        return CheckRunHealthResult(status, "" if alive else f"its process {owner} is gone")

    def _fail_dead_starts(self) -> None:
        """Fail the runs of which a killed daemon left no process that starts them.

        Monitoring looks at no run before its start timeout, so whatever brings it here looks at all of them.
        """
        fail_dead_runs(self._instance, statuses=[dg.DagsterRunStatus.STARTING])

    def _watch(self, process: subprocess.Popen[bytes], run_id: str, lock: Path | None) -> None:
        code = process.wait()
        if lock is not None:
            lock.unlink(missing_ok=True)
        if not self.has_instance:  # this process ends: monitoring of the next one sees to it
            return
        run = self._instance.get_run_by_id(run_id)
        if run is not None and not run.is_finished:
            self._instance.report_run_failed(run, f"Its process {process.pid} ended with {code}.")

    def _health_by_events(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Tell by the process id in the log of a run that another launcher started."""
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
