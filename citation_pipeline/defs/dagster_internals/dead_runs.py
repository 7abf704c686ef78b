"""Runs of the command line whose process was killed: marked failed, and their places in the pools freed.

The daemon does this for the runs that it launched; nobody else watches over a terminal's.
"""

import os
import socket
from pathlib import Path

import dagster as dg

PROCESS_TAG = "citation_pipeline/process"

_UNDER_WAY = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def this_process() -> str:
    """Return what names this process among all that ever ran: host, process id, start time."""
    return _name_of(os.getpid())


def fail_dead_runs(instance: dg.DagsterInstance) -> int:
    """Mark runs as failed whose process on this machine is gone; return how many there were."""
    dead = 0
    for run in instance.get_runs(filters=dg.RunsFilter(statuses=_UNDER_WAY)):
        owner = run.tags.get(PROCESS_TAG)
        if owner is None or _is_alive(owner):
            continue
        instance.report_run_failed(run, message="The process was killed; what it had finished is kept.")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        dead += 1
    return dead


def _is_alive(owner: str) -> bool:
    host, process_id, _ = owner.rsplit(":", 2)
    # another machine's process cannot be seen from here, so it counts as alive
    return host != socket.gethostname() or _name_of(int(process_id)) == owner


def _name_of(process_id: int) -> str:
    """Name a process; its start time tells it from a later one with the same id."""
    try:
        # field 22 of the kernel's account; the command before it may hold spaces, but ends with ")"
        started = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        started = _signalled(process_id)
    return f"{socket.gethostname()}:{process_id}:{started}"


def _signalled(process_id: int) -> str:
    """Tell a live process from none where the kernel keeps no account of its start."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return "gone"
    except PermissionError:
        return "alive"
    return "alive"
