"""What was submitted in batches and not collected yet, on disk, so that a restart forgets nothing.

An entry is written before its batch is created and completed afterwards; one that stays without a batch
id tells of a process that died in between.
"""

import json
import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from citation_pipeline.adapters.whole_files import write_whole


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
    """A folder of entries."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def open(self, requests: tuple[BatchedRequest, ...], *, at: str) -> BatchEntry:
        """Write down that a batch is about to be created."""
        entry = BatchEntry(entry_id=uuid.uuid4().hex[:16], requests=requests, submitted_at=at)
        self._write(entry)
        return entry

    def name(self, entry: BatchEntry, batch_id: str) -> BatchEntry:
        """Write down the id that the provider gave the batch."""
        named = replace(entry, batch_id=batch_id)
        self._write(named)
        return named

    def close(self, entry: BatchEntry) -> None:
        """Strike an entry out: its batch is collected, or was never created."""
        self._path(entry.entry_id).unlink(missing_ok=True)

    def entries(self) -> list[BatchEntry]:
        """Return the open entries, oldest first; raises BatchJournalError."""
        found = []
        for path in sorted(self.root.glob("*.json")) if self.root.is_dir() else ():
            try:
                facts = json.loads(path.read_bytes())
                requests = tuple(BatchedRequest(**request) for request in facts.pop("requests"))
                found.append(BatchEntry(requests=requests, **facts))
            except (ValueError, KeyError, TypeError):
                raise BatchJournalError(path) from None
        return sorted(found, key=lambda entry: entry.submitted_at)

    def _path(self, entry_id: str) -> Path:
        return self.root / f"{entry_id}.json"

    def _write(self, entry: BatchEntry) -> None:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(self._path(entry.entry_id), json.dumps(asdict(entry)).encode())
