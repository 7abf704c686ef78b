"""What was submitted in batches and not collected yet, noted where every host looks.

An entry is written before its batch is created and completed afterwards; one that stays without a batch
id tells of a process that died in between.
"""

import json
import uuid
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.coordination.database import Coordination, coordination_of
from citation_pipeline.adapters.coordination.leases import holding
from citation_pipeline.adapters.coordination.notes import Kind, Notes


class BatchJournalError(ValueError):
    """An entry that cannot be read; `path` is its file."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"the batch journal's {path.name} cannot be read: restore it from a copy")
        self.path = path


@dataclass(frozen=True, slots=True)
class BatchedRequest:
    """One request of a batch: its fingerprint is its custom id."""

    fingerprint: str
    claim_id: str
    model: str
    scope: str


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """One batch: `batch_id` None until the provider has given it; `submitted_at` is ISO 8601 UTC."""

    entry_id: str
    requests: tuple[BatchedRequest, ...]
    submitted_at: str
    batch_id: str | None = None

    @property
    def claim_ids(self) -> tuple[str, ...]:
        """The claims of the batch, each once."""
        return tuple(dict.fromkeys(request.claim_id for request in self.requests))


class BatchJournal:
    """The open entries; those that an earlier version left as files in `root` are among them."""

    def __init__(self, root: Path, *, coordination: Coordination | None = None) -> None:
        self.root = root
        self._coordination = coordination_of(coordination or root)
        self._notes = Notes(self._coordination, Kind.BATCH)

    def working(self) -> AbstractContextManager[bool]:
        """Let nobody else submit or collect meanwhile: both would do it twice."""
        return holding(self._coordination, "batches")

    def open(self, requests: tuple[BatchedRequest, ...], *, at: str) -> BatchEntry:
        """Write down that a batch is about to be created."""
        entry = BatchEntry(entry_id=uuid.uuid4().hex[:16], requests=requests, submitted_at=at)
        self._notes.write(entry.entry_id, asdict(entry))
        return entry

    def name(self, entry: BatchEntry, batch_id: str) -> BatchEntry:
        """Write down the id that the provider gave the batch."""
        named = replace(entry, batch_id=batch_id)
        self._notes.write(entry.entry_id, asdict(named))
        return named

    def close(self, entry: BatchEntry) -> None:
        """Strike an entry out: its batch is collected, or was never created."""
        self._notes.forget(entry.entry_id)
        (self.root / f"{entry.entry_id}.json").unlink(missing_ok=True)

    def entries(self) -> list[BatchEntry]:
        """Return the open entries, oldest first; raises BatchJournalError."""
        found = {entry_id: _entry(facts) for entry_id, facts in self._notes.items().items()}
        for path in sorted(self.root.glob("*.json")) if self.root.is_dir() else ():
            try:
                entry = _entry(json.loads(path.read_bytes()))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise BatchJournalError(path) from None
            found.setdefault(entry.entry_id, entry)
        return sorted(found.values(), key=lambda entry: entry.submitted_at)


def _entry(facts: Mapping[str, Any]) -> BatchEntry:
    requests = tuple(BatchedRequest(**request) for request in facts["requests"])
    return BatchEntry(**{**facts, "requests": requests})
