"""What is known of analyses, by content, for all hosts: under way, in doubt, failed, and their results.

Results lie packed in the store, everything else is a note. What earlier versions left as files is found.
"""

import gzip
import json
import zlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

from citation_pipeline.adapters.azure_layout.client import API_VERSION
from citation_pipeline.adapters.coordination.database import Coordination, coordination_of
from citation_pipeline.adapters.coordination.leases import holding
from citation_pipeline.adapters.coordination.notes import Kind, Notes
from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline.adapters.tables.stored_files import StoredFiles

What = Literal["starting", "running", "doubt", "tries"]


class Analyses:
    """The analyses of a deployment, by the hash of the content."""

    def __init__(
        self, folder: Path, *, coordination: Coordination | None = None, kept: KeptBytes | None = None
    ) -> None:
        """Open them; without more than a folder of this machine everything lies in that folder."""
        self._folder = folder
        self._coordination = coordination_of(coordination or folder)
        self._notes = Notes(self._coordination, Kind.ANALYSIS)
        self._kept = kept or KeptBytes(StoredFiles(folder.parent), folder.name)

    def hold(self, digest: str) -> AbstractContextManager[bool]:
        """Keep everybody else from working on the same content; a dead holder's lease is free."""
        return holding(self._coordination, f"analysis/{digest}-{API_VERSION}")

    def result(self, digest: str) -> dict[str, Any] | None:
        """Return what was kept of an analysis; None where there is nothing that can be read."""
        packed = self._kept.find(f"{digest}-{API_VERSION}.result.json.gz")
        try:
            value = json.loads(gzip.decompress(packed)) if packed is not None else None
        except (OSError, EOFError, zlib.error, ValueError):
            return None
        return value if isinstance(value, dict) else self._older(digest, "result")

    def keep_result(self, digest: str, result: Mapping[str, Any]) -> None:
        """Keep a result, then forget that it was under way."""
        data = json.dumps(result, ensure_ascii=False).encode()
        self._kept.keep(f"{digest}-{API_VERSION}.result.json.gz", gzip.compress(data, mtime=0))
        self.forget(digest, "running")

    def read(self, digest: str, what: What) -> dict[str, Any] | None:
        """Return what is noted of a content, None where it is not so."""
        found = self._notes.read(_key(digest, what))
        return found if found is not None else self._older(digest, what)

    def write(self, digest: str, what: What, facts: Mapping[str, Any]) -> None:
        """Note something of a content; it is durable when this returns."""
        self._notes.write(_key(digest, what), facts)

    def forget(self, digest: str, what: What) -> None:
        """Forget it."""
        self._notes.forget(_key(digest, what))
        self._file(digest, what).unlink(missing_ok=True)

    def _older(self, digest: str, what: str) -> dict[str, Any] | None:
        try:
            value = json.loads(self._file(digest, what).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def _file(self, digest: str, what: str) -> Path:
        """Return where an earlier version has the same."""
        return self._folder / f"{digest}-{API_VERSION}.{what}.json"


def _key(digest: str, what: What) -> str:
    return f"{digest}-{API_VERSION}/{what}"
