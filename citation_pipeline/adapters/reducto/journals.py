"""The durable record of every job we paid for, so that a crash never pays twice.

One small JSON file per content hash and parser fingerprint in a folder of the caller's, written to a
temporary name and moved; a lock beside it keeps two threads or processes from paying for the same content
at once. Entries hold ids, hashes and times, nothing of a document. Here: reading and writing them. Not
here: what is done in which state (`document_steps`).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from citation_pipeline.adapters.reducto.errors import ReductoJournalError
from citation_pipeline.adapters.whole_files import PRIVATE, write_whole

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
    """The folder of entries; made when first used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, sha256: str, fingerprint: str) -> Path:
        return self.folder / f"{sha256}-{fingerprint}.json"

    @contextlib.contextmanager
    def hold(self, sha256: str, fingerprint: str) -> Iterator[None]:
        """Keep everybody else, in this process and others, from working on the same content.

        The operating system lets go of the lock when its holder dies.
        """
        locks = self.folder / "locks"
        locks.mkdir(parents=True, exist_ok=True)
        with (locks / f"{sha256}-{fingerprint}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def read(self, sha256: str, fingerprint: str) -> JournalEntry | None:
        """Return the entry, or None; a file that is not an entry is a `ReductoJournalError`."""
        path = self._path(sha256, fingerprint)
        if not path.exists():
            return None
        return _read(path)

    def write(self, entry: JournalEntry) -> JournalEntry:
        """Make the entry durable before anything that depends on it happens; hand it back."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._path(entry.sha256, entry.fingerprint)
        write_whole(path, json.dumps(asdict(entry), indent=1).encode(), mode=PRIVATE)
        return entry

    def forget(self, sha256: str, fingerprint: str) -> None:
        """Drop the entry: the next parse of this content starts, and pays, anew."""
        self._path(sha256, fingerprint).unlink(missing_ok=True)

    def unfinished(self) -> list[JournalEntry]:
        """Return the entries that still have something at the service, oldest first."""
        entries = [_read(path) for path in self.folder.glob("*.json")] if self.folder.exists() else []
        return sorted((e for e in entries if e.state != "done"), key=lambda e: e.started_at)


class Failures:
    """How often each content failed in a row, a file per content; made when first used."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def count(self, sha256: str) -> int:
        """Count one more failure and return how many there are now."""
        path = self._folder / sha256
        try:
            tries = int(path.read_text()) + 1
        except (FileNotFoundError, ValueError):
            tries = 1
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, str(tries).encode())
        return tries

    def forget(self, sha256: str) -> None:
        """Forget the failures of a content that was parsed."""
        (self._folder / sha256).unlink(missing_ok=True)


def _read(path: Path) -> JournalEntry:
    try:
        raw = json.loads(path.read_bytes())
        entry = JournalEntry(**raw)
        if entry.state not in _STATES or not entry.file_id:
            raise ValueError("not a state")
    except (ValueError, TypeError) as error:
        raise ReductoJournalError(
            f"the journal file {path.name} cannot be read",
            remedy="Delete it to parse that content anew; the job it stood for is then paid again.",
            operation="journal",
            code="journal_unreadable",
        ) from error
    return entry
