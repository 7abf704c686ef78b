"""What a worker says of the run that it works on, in the instance's own database: which run, and a count.

A worker raises the count of its slot every few seconds. Whoever watches sees a worker that is gone by a
count that does not move, by its own clock: no two clocks have to agree, no port has to be open, and a
restarted broker is nobody's death. One small row per slot, written over, never one per run.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import dagster as dg
from dagster._core.storage.daemon_cursor import DaemonCursorStorage

WORKER_TAG = "citation_pipeline/worker"  # of a run: the worker and its slot


@dataclass(frozen=True, slots=True)
class Note:
    """What stands in a slot's row."""

    run_id: str
    count: int
    process: str  # host, process id and start of the run's process; empty before there is one


@dataclass(frozen=True, slots=True)
class _Seen:
    note: Note | None
    at: float  # by the watcher's clock


class Watch:
    """Remembers when each run's note last changed, as one watching process saw it."""

    def __init__(self, lost_after_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._lost_after_s = lost_after_s
        self._clock = clock
        self._seen: dict[str, _Seen] = {}

    def reason_lost(self, instance: dg.DagsterInstance, run: dg.DagsterRun) -> str | None:
        """Return why a run's worker counts as gone, None while it does not."""
        place = run.tags.get(WORKER_TAG)
        if place is None:
            return None
        note, now = read_note(instance, place), self._clock()
        if note is not None and note.run_id != run.run_id:
            return f"the worker {place} went on to another run"
        seen = self._seen.get(run.run_id)
        if seen is None or seen.note != note:
            self._seen[run.run_id] = _Seen(note, now)
            return None
        if now - seen.at < self._lost_after_s:
            return None
        return f"the worker {place} gave no sign of life for {now - seen.at:.0f} s"

    def forget(self, run_id: str) -> None:
        """Let go of what was seen of a run that ended."""
        self._seen.pop(run_id, None)


def write_note(instance: dg.DagsterInstance, place: str, note: Note) -> None:
    """Write over what a slot said."""
    _rows(instance).set_cursor_values({_key(place): json.dumps(asdict(note))})


def read_note(instance: dg.DagsterInstance, place: str) -> Note | None:
    """Return what a slot said last, None if it never said anything."""
    written = _rows(instance).get_cursor_values({_key(place)}).get(_key(place))
    return Note(**json.loads(written)) if written else None


def _rows(instance: dg.DagsterInstance) -> DaemonCursorStorage:
    found: DaemonCursorStorage = instance.daemon_cursor_storage
    return found


def _key(place: str) -> str:
    return f"{WORKER_TAG}/{place}"
