"""How the folders of an inbox looked when they were last looked at, and which of them have settled."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from citation_pipeline.adapters.coordination.database import Coordination
from citation_pipeline.adapters.coordination.notes import Kind, Notes
from citation_pipeline.adapters.inbox import InboxFolder


@dataclass(frozen=True, slots=True)
class Sighting:
    """How a folder looked, and since when (seconds since 1970)."""

    signature: str
    since: float


def look_again(
    folders: Iterable[InboxFolder], before: Mapping[str, Sighting], *, now: float
) -> dict[str, Sighting]:
    """Return how each folder looks now, keeping since when it looks so."""
    sightings = {}
    for folder in folders:
        last = before.get(folder.name)
        same = last is not None and last.signature == folder.signature
        sightings[folder.name] = last if same and last else Sighting(folder.signature, now)
    return sightings


def is_settled(
    folder: InboxFolder, sighting: Sighting, *, now: float, settle_s: float, needs_marker: bool
) -> bool:
    """Tell whether a folder is whole: marked as such where markers are used, else unchanged long enough."""
    if folder.is_empty:
        return False
    return folder.has_marker if needs_marker else now - sighting.since >= settle_s


class Sightings:
    """How the folders of one inbox looked last, for whichever host looks next."""

    def __init__(self, coordination: Coordination, root: str, *, older: Path | None = None) -> None:
        """Name the inbox; `older` is the file in which an earlier version kept the same."""
        self._notes = Notes(coordination, Kind.SIGHTING)
        self._prefix = f"{hashlib.sha256(root.encode()).hexdigest()[:16]}/"
        self._older = older

    def read(self) -> dict[str, Sighting]:
        """Return what was seen last, nothing before the first look: folders then settle anew."""
        found = self._notes.items(prefix=self._prefix)
        if found:
            return {key.removeprefix(self._prefix): Sighting(**seen) for key, seen in found.items()}
        try:
            kept = json.loads(self._older.read_bytes()) if self._older is not None else {}
            return {name: Sighting(**seen) for name, seen in kept.items()}
        except (FileNotFoundError, ValueError, TypeError, AttributeError):
            return {}

    def keep(self, sightings: Mapping[str, Sighting]) -> None:
        """Write down what was seen."""
        if sightings != self.read():
            seen = {f"{self._prefix}{name}": asdict(one) for name, one in sightings.items()}
            self._notes.exchange(seen, prefix=self._prefix)
        if self._older is not None:
            self._older.unlink(missing_ok=True)
