"""A claim's original files: found in its documents folder, and only while they are what was parsed."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import StoreError
from citation_pipeline.serving.errors import NotFoundError, SourceError

_KNOWN_DIGESTS = 20_000  # paths with their hash; some 3 MB


@dataclass(frozen=True, slots=True)
class Original:
    """A source document's file on this machine, its content checked."""

    path: Path
    sha256: str
    media_type: str


class Originals:
    """Finds original files; hashes each once until it changes."""

    def __init__(self, store: ClaimStore) -> None:
        self._store = store
        self._digests: OrderedDict[tuple[str, int, int], str] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, claim_id: str, source: Mapping[str, Any]) -> Original:
        """Return the file of one entry of the dataset's `sources`.

        Raises SourceError when it is gone, lies outside the claim's folder, or is not what was parsed.
        """
        try:
            folder = Path(self._store.claim(claim_id).documents_dir).resolve()
        except StoreError as error:
            raise NotFoundError("no_such_claim", "There is no claim of that id.") from error
        try:
            path = (folder / source["file"]).resolve()
            is_inside = path.is_relative_to(folder) and path.is_file()
        except (OSError, ValueError):  # a name too long, or with a NUL
            is_inside = False
        if not is_inside:
            raise SourceError(
                "original_missing",
                "The original file is not in the claim's folder any more.",
                "Put it back, or run the claim again.",
            )
        if self._digest(path) != source["sha256"]:
            raise SourceError(
                "original_changed",
                "The original file is not the one that was parsed.",
                "Run the claim again to see the new version.",
            )
        return Original(path, source["sha256"], source["mediaType"])

    def _digest(self, path: Path) -> str:
        stat = path.stat()
        key = (str(path), stat.st_mtime_ns, stat.st_size)
        with self._lock:
            known = self._digests.get(key)
        if known is None:
            with path.open("rb") as stream:
                known = hashlib.file_digest(stream, "sha256").hexdigest()
            with self._lock:
                self._digests[key] = known
                while len(self._digests) > _KNOWN_DIGESTS:
                    self._digests.popitem(last=False)
        return known
