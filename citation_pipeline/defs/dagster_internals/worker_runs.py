"""A run on a worker: a process of its own, followed until it ends, and ended when its run is given away.

The worker's task only watches: the run is `dagster api execute_run` in a process of its own (`run_forks`), so
that it may have processes in turn (Celery's own pool allows none), and takes nothing of the worker with it.
It dies with its worker, with its run, and when the database has not been reached for so long that the run may
have been given to another worker.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import Any

import dagster as dg
from dagster._core.origin import JobPythonOrigin
from dagster._grpc.types import ExecuteRunArgs
from dagster._serdes import unpack_value

from citation_pipeline.defs.dagster_internals.dead_runs import name_of
from citation_pipeline.defs.dagster_internals.run_forks import ForkedRun, RunForks, RunStartError
from citation_pipeline.defs.dagster_internals.worker_notes import WORKER_TAG, Note, write_note

_OPEN = (dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING)
# of the time after which a worker counts as gone: its own clock must have ended the run before
_FENCED_AFTER = 0.6
_LOOKS_EVERY_S = 0.5
# between a run's last event and the end of its process: traces are sent, processes joined
_ENDS_WITHIN_S = {dg.DagsterRunStatus.SUCCESS: 60.0}
_ENDS_WITHIN_OTHERWISE_S = 5.0
_REPORTS_FOR_S = 120.0


@dataclass(frozen=True, slots=True)
class Slot:
    """One of a worker's places for a run; `place` names it in the run's tag."""

    place: str
    lost_after_s: float
    beat_s: float


class _Pulse(threading.Thread):
    """Raises the slot's count and reads the run's status, in a thread: a database may take long to answer."""

    def __init__(self, instance: dg.DagsterInstance, slot: Slot, note: Note) -> None:
        super().__init__(name=f"pulse of {note.run_id}", daemon=True)
        self._instance, self._slot, self._note = instance, slot, note
        self._ended = threading.Event()
        self.reached_at = time.monotonic()
        self.status: dg.DagsterRunStatus | None = None
        self.finished_since: float | None = None

    def run(self) -> None:
        count = self._note.count
        while not self._ended.wait(self._slot.beat_s):
            began = time.monotonic()
            count += 1
            try:
                write_note(
                    self._instance, self._slot.place, Note(self._note.run_id, count, self._note.process)
                )
                found = self._instance.get_run_by_id(self._note.run_id)
            except Exception:  # whatever it is: unreached for too long, the run is ended
                continue
            self.status = found.status if found is not None else dg.DagsterRunStatus.CANCELED
            if self.finished_since is None and (found is None or found.is_finished):
                self.finished_since = began
            self.reached_at = began

    def end(self) -> None:
        """Stop; a call that hangs in the database is left to end by itself."""
        self._ended.set()
        self.join(self._slot.beat_s + 1)


def work_on(
    instance: dg.DagsterInstance,
    run_id: str,
    origin: JobPythonOrigin,
    *,
    slot: Slot,
    forks: RunForks,
) -> str:
    """Work on a run until it ends, and return how; a run that is no longer to be started is left alone.

    A message may be delivered twice, and late: whoever comes second finds the first one's tag.
    """
    run = instance.get_run_by_id(run_id)
    if run is None or run.status not in _OPEN or WORKER_TAG in run.tags:
        return "left alone"
    write_note(instance, slot.place, Note(run_id, 0, ""))
    instance.add_run_tags(run_id, {WORKER_TAG: slot.place})
    try:
        process = forks.start(_packed(run_id, origin))
    except RunStartError as error:
        _report(instance, run_id, f"{error}, on {slot.place}")
        return str(error)
    pulse = _Pulse(instance, slot, Note(run_id, 1, name_of(process.pid)))
    pulse.start()
    try:
        how = _follow(process, pulse, slot)
    finally:
        _kill_group(process)
        pulse.end()
    _report(instance, run_id, f"{how}, on {slot.place}")
    return how


def unpack_origin(packed: Any) -> JobPythonOrigin:
    """Return where a run's code is, as a message says it."""
    return unpack_value(packed, as_type=JobPythonOrigin)


def _packed(run_id: str, origin: JobPythonOrigin) -> str:
    # without an instance: this host reads its own `dagster.yaml`; and its own Python, wherever that lies
    told = ExecuteRunArgs(job_origin=origin, run_id=run_id, instance_ref=None, set_exit_code_on_failure=True)
    return dg.serialize_value(told)


def _follow(process: ForkedRun, pulse: _Pulse, slot: Slot) -> str:
    asked_to_stop = False
    while True:
        try:
            return f"its process {process.pid} ended with {process.wait(_LOOKS_EVERY_S)}"
        except subprocess.TimeoutExpired:
            pass
        now = time.monotonic()
        if now - pulse.reached_at > slot.lost_after_s * _FENCED_AFTER:
            return "its process was killed: the database could not be reached, and its run may be given away"
        if pulse.finished_since is not None:
            patience = _ENDS_WITHIN_S.get(
                pulse.status or dg.DagsterRunStatus.FAILURE, _ENDS_WITHIN_OTHERWISE_S
            )
            if now - pulse.finished_since > patience:
                return "its process was killed: its run had ended"
        if pulse.status is dg.DagsterRunStatus.CANCELING and not asked_to_stop:
            asked_to_stop = True
            process.send_signal(signal.SIGTERM)


def _kill_group(process: ForkedRun) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _report(instance: dg.DagsterInstance, run_id: str, how: str) -> None:
    """Fail a run that its process left open; who watches finds it all the same, by the slot's next run."""
    until = time.monotonic() + _REPORTS_FOR_S
    while True:
        try:
            run = instance.get_run_by_id(run_id)
            if run is not None and run.status is dg.DagsterRunStatus.CANCELING:
                instance.report_run_canceled(run)
            elif run is not None and not run.is_finished:
                instance.report_run_failed(run, how)
            return
        except Exception:
            if time.monotonic() > until:
                return
            time.sleep(1)
