"""Which process works on a run, by name; and runs whose process was killed.

The daemon watches over the runs that it launched; nobody else watches over a terminal's, so the command line
marks those as failed, and frees their places in the pools.

A process of another container of this host name cannot be seen: it has a process id of its own there. It is
judged by a lock on a file in the instance's folder, which the kernel gives back when the process ends.
"""

import contextlib
import fcntl
import os
import signal
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path

import dagster as dg

PROCESS_TAG = "citation_pipeline/process"
_LOCKS = "processes"  # a folder of the instance's

_UNDER_WAY = [
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


def this_process() -> str:
    """Return what names this process among all that ever ran: host and container, process id, start time."""
    return name_of(os.getpid())


def fail_dead_runs(
    instance: dg.DagsterInstance, *, statuses: Sequence[dg.DagsterRunStatus] = _UNDER_WAY
) -> int:
    """Mark runs as failed whose process on this machine is gone; return how many there were."""
    dead = 0
    locks = locks_of(instance)
    for run in instance.get_runs(filters=dg.RunsFilter(statuses=list(statuses))):
        owner = process_of(run, locks) if PROCESS_TAG in run.tags else None
        if owner is None or is_alive(owner, locks):
            continue
        instance.report_run_failed(run, message="The process was killed; what it had finished is kept.")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        if locks is not None:
            (locks / owner).unlink(missing_ok=True)
        dead += 1
    return dead


def process_of(run: dg.DagsterRun, locks: Path | None = None) -> str | None:
    """Return the name of the run's process, None where none is known.

    Where the named one is gone, another may work on the run: a daemon that was killed between the start of
    the process and its tag left its own name there, or none.
    """
    owner = run.tags.get(PROCESS_TAG)
    if owner is not None and is_alive(owner, locks):
        return owner
    return find_process(run.run_id) or owner


def find_process(run_id: str) -> str | None:
    """Return the name of a run's process by its command line, None where there is none on this machine.

    For a run without the tag: its daemon was killed between the start of the process and the tag.
    """
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"execute_run" in words and any(run_id.encode() in word for word in words):
            return name_of(int(folder.name))
    return None


def is_alive(owner: str, locks: Path | None = None) -> bool:
    """Tell whether a named process runs; one of another machine cannot be seen and counts as alive.

    One of another container of this host name is dead once its lock is given back; without a lock it counts
    as alive, too.
    """
    place, process_id, _ = owner.rsplit(":", 2)
    host, _, container = place.partition("@")
    if host != socket.gethostname():
        return True
    if container and container != process_namespace():
        return locks is None or not _is_given_back(locks / owner)
    return name_of(int(process_id)).rpartition(":")[2] == owner.rpartition(":")[2]


def process_namespace() -> str:
    """Return the number of this process's namespace of process ids, empty where there is no such thing."""
    with contextlib.suppress(OSError):
        return str(Path("/proc/self/ns/pid").stat().st_ino)
    return ""


def locks_of(instance: dg.DagsterInstance) -> Path | None:
    """Return the folder of locks, None for an instance without a folder."""
    with contextlib.suppress(Exception):  # Dagster's own check: an instance in memory
        return Path(instance.root_directory) / _LOCKS
    return None


def open_lock(locks: Path) -> tuple[int, Path]:
    """Return a locked file that a process about to start inherits, and the name that it has until then."""
    locks.mkdir(parents=True, exist_ok=True)
    lock, draft = tempfile.mkstemp(dir=locks, prefix=".")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock, Path(draft)


def hold_lock(instance: dg.DagsterInstance) -> None:
    """Hold the lock of this process for as long as it lives."""
    locks = locks_of(instance)
    if locks is None or (locks / this_process()).exists():
        return
    lock, draft = open_lock(locks)
    os.set_inheritable(lock, False)
    draft.rename(locks / this_process())


def _is_given_back(path: Path) -> bool:
    try:
        with path.open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # held, or not there
        return False
    return True


def signal_process(owner: str, number: signal.Signals) -> bool:
    """Send a signal to a named process of this machine; tell whether it was there."""
    place, process_id, _ = owner.rsplit(":", 2)
    host, _, container = place.partition("@")
    is_here = host == socket.gethostname() and container in ("", process_namespace())
    if not is_here or not is_alive(owner):
        return False
    try:
        os.kill(int(process_id), number)
    except ProcessLookupError:
        return False
    return True


def name_of(process_id: int) -> str:
    """Name a process; its start time tells it from a later one with the same id."""
    try:
        # field 22 of the kernel's account; the command before it may hold spaces, but ends with ")"
        fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
        # dead, and nobody has asked for its exit code
        started = "gone" if fields[0] in "ZX" else fields[19]
    except OSError:
        started = _signalled(process_id)
    namespace = process_namespace()
    return f"{socket.gethostname()}{'@' if namespace else ''}{namespace}:{process_id}:{started}"


def _signalled(process_id: int) -> str:
    """Tell a live process from none where the kernel keeps no account of its start."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return "gone"
    except PermissionError:
        return "alive"
    return "alive"
