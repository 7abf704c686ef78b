"""The durable record of every job we paid for, so that a crash never pays twice, on whichever host.

One small note per content hash and parser fingerprint, beside the leases that keep two threads, processes or
hosts from paying for the same content at once. Notes hold ids, hashes and times, nothing of a document.
Here: reading and writing them. Not here: what is done in which state (`document_steps`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from citation_pipeline.adapters.coordination.database import Coordination, coordination_of
from citation_pipeline.adapters.coordination.leases import holding
from citation_pipeline.adapters.coordination.notes import Kind, Notes
from citation_pipeline.adapters.reducto.errors import ReductoJournalError

State = Literal[
    "promised",  # we have an id to put bytes under
    "uploaded",  # the bytes are there
    "submitting",  # a job was asked for; whether it exists is not known until job_id is
    "running",  # job_id is known
    "stored",  # the result lies at stored_path; upload and job still exist at the service
    "done",  # the result lies at stored_path, nothing is left at the service
]
_STATES: tuple[State, ...] = ("promised", "uploaded", "submitting", "running", "stored", "done")


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """How far one content has come; `started_at` is ISO time in UTC, `result_sha256` that of the file."""

    sha256: str
    fingerprint: str
    state: State
    started_at: str
    file_id: str
    job_id: str | None = None
    stored_path: str | None = None
    result_sha256: str | None = None


class Journal:
    """The entries of a deployment; those that an earlier version left as files in `folder` are among them."""

    def __init__(self, folder: Path, *, coordination: Coordination | None = None) -> None:
        self.folder = folder
        self._coordination = coordination_of(coordination or folder)
        self._notes = Notes(self._coordination, Kind.PAID_JOB)

    def hold(self, sha256: str, fingerprint: str) -> AbstractContextManager[bool]:
        """Keep everybody else, in this process and others, from working on the same content.

        A holder that dies gives it back.
        """
        return holding(self._coordination, f"paid_job/{sha256}-{fingerprint}")

    def read(self, sha256: str, fingerprint: str) -> JournalEntry | None:
        """Return the entry, or None; what is not an entry is a `ReductoJournalError`."""
        key = f"{sha256}-{fingerprint}"
        facts = self._notes.read(key)
        if facts is not None:
            return _entry(facts, key)
        path = self._older(key)
        return _read(path) if path.exists() else None

    def write(self, entry: JournalEntry) -> JournalEntry:
        """Make the entry durable before anything that depends on it happens; hand it back."""
        key = f"{entry.sha256}-{entry.fingerprint}"
        self._notes.write(key, asdict(entry))
        self._older(key).unlink(missing_ok=True)
        return entry

    def forget(self, sha256: str, fingerprint: str) -> None:
        """Drop the entry: the next parse of this content starts, and pays, anew."""
        key = f"{sha256}-{fingerprint}"
        self._notes.forget(key)
        self._older(key).unlink(missing_ok=True)

    def unfinished(self) -> list[JournalEntry]:
        """Return the entries that still have something at the service, oldest first."""
        entries = {key: _entry(facts, key) for key, facts in self._notes.items().items()}
        for path in self.folder.glob("*.json") if self.folder.exists() else ():
            entries.setdefault(path.stem, _read(path))
        return sorted((e for e in entries.values() if e.state != "done"), key=lambda e: e.started_at)

    def _older(self, key: str) -> Path:
        return self.folder / f"{key}.json"


class Failures:
    """How often each content failed in a row, wherever it was tried."""

    def __init__(self, coordination: Coordination | Path) -> None:
        self._notes = Notes(coordination_of(coordination), Kind.FAILURES)

    def count(self, sha256: str) -> int:
        """Count one more failure and return how many there are now."""
        known = self._notes.read(sha256)
        tries = int(known["tries"]) + 1 if known is not None else 1
        self._notes.write(sha256, {"tries": tries})
        return tries

    def forget(self, sha256: str) -> None:
        """Forget the failures of a content that was parsed."""
        if self._notes.read(sha256) is not None:
            self._notes.forget(sha256)


def _read(path: Path) -> JournalEntry:
    try:
        facts = json.loads(path.read_bytes())
    except ValueError as error:
        raise _unreadable(path.name) from error
    return _entry(facts, path.name)


def _entry(facts: Mapping[str, Any], name: str) -> JournalEntry:
    try:
        entry = JournalEntry(**facts)
        if entry.state not in _STATES or not entry.file_id:
            raise ValueError("not a state")
    except (ValueError, TypeError) as error:
        raise _unreadable(name) from error
    return entry


def _unreadable(name: str) -> ReductoJournalError:
    return ReductoJournalError(
        f"the journal's entry {name} cannot be read",
        remedy="Delete it to parse that content anew; the job it stood for is then paid again.",
        operation="journal",
        code="journal_unreadable",
    )
