"""A claim's original files: found in its documents folder, and only while they are what was parsed."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.claim_originals import original_path
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.attached_files import holder_of, read_document
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import StoreError, UnreachableStoreError
from citation_pipeline.serving.errors import NotFoundError, SourceError

_KNOWN_DIGESTS = 20_000  # paths with their hash; some 3 MB


@dataclass(frozen=True, slots=True)
class Original:
    """A source document's file on this machine, its content checked.

    The path of an attachment goes on below the file that holds it (`read_document`).
    """

    path: Path
    sha256: str
    media_type: str

    @property
    def is_attached(self) -> bool:
        """Whether it is inside a mail or an archive."""
        return not self.path.is_file()

    def content(self) -> bytes:
        """Return its bytes."""
        return read_document(self.path)


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
            claim = self._store.claim(claim_id)
        except UnreachableStoreError:
            raise
        except StoreError as error:
            if self._store.has("claims", f"{claim_id}.json"):  # it is damaged
                raise
            raise NotFoundError("no_such_claim", "There is no claim of that id.") from error
        try:
            path = original_path(self._store, claim, source["file"]).resolve()
            folder = Path(claim.documents_dir).resolve()
            is_inside = bool(claim.files) or (
                path.is_relative_to(folder) and holder_of(path).is_relative_to(folder)
            )
            digest = self._digest(path) if is_inside else ""
        except (OSError, ValueError):  # a name too long, or with a NUL
            is_inside = False
        except RefusedDocumentError:  # inside a file that is another by now
            digest = ""
        if not is_inside:
            raise SourceError(
                "original_missing",
                "The original file is not in the claim's folder any more.",
                "Put it back, or run the claim again.",
            )
        if digest != source["sha256"]:
            raise SourceError(
                "original_changed",
                "The original file is not the one that was parsed.",
                "Run the claim again to see the new version.",
            )
        return Original(path, source["sha256"], source["mediaType"])

    def _digest(self, path: Path) -> str:
        holder = holder_of(path)
        stat = holder.stat()
        key = (str(path), stat.st_mtime_ns, stat.st_size)
        with self._lock:
            known = self._digests.get(key)
        if known is None:
            if holder == path:
                with path.open("rb") as stream:
                    known = hashlib.file_digest(stream, "sha256").hexdigest()
            else:
                known = hashlib.sha256(read_document(path)).hexdigest()
            with self._lock:
                self._digests[key] = known
                while len(self._digests) > _KNOWN_DIGESTS:
                    self._digests.popitem(last=False)
        return known
