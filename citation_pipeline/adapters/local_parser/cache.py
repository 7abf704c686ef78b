"""The parse cache: encoded documents by parser fingerprint and content hash, bounded in bytes.

Shared by every claim and every process that is given the same folder. Safe without locks: an entry is
written beside its place and moved there, a reader that meets half an entry (kill -9, a full disk) counts it
as a miss, and the entry used longest ago goes first when the folder outgrows its bound.

Hosts without a common folder share entries through the store: what one has parsed is put there, too, and
what is not in the folder is looked for there. Neither is needed for anything but time.
"""

import contextlib
import hashlib
import os
import re
import time
from pathlib import Path

from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline.adapters.local_parser.encoding import EncodedDocumentError, decode
from citation_pipeline.adapters.tables.store_errors import StoreError
from citation_pipeline.adapters.whole_files import PRIVATE, write_whole
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

DEFAULT_BYTES = 4 * 2**30  # about 200,000 pages of text

_SHA256 = re.compile(r"[0-9a-f]{64}")
_ABANDONED_SECONDS = 3600.0  # no write takes an hour: a temporary file that old lost its writer
_SWEEP_SHARE = 32  # the folder is measured again after 1/32 of its bound was written


class ParseCache:
    """A folder of parses under one parser fingerprint, sharing the bound with other fingerprints.

    `shared` are parses that all hosts have, under names of their contents and parsers.
    """

    def __init__(
        self,
        folder: Path,
        *,
        fingerprint: str,
        max_bytes: int = DEFAULT_BYTES,
        shared: KeptBytes | None = None,
    ) -> None:
        self._folder, self._shared = folder, shared
        # a fingerprint is a readable sentence of versions; a path wants something short
        self._parser = hashlib.sha256(fingerprint.encode()).hexdigest()[:16]
        self._shelf = folder / self._parser
        self._max_bytes = max_bytes
        self._written_since_sweep: int | None = None

    def path_of(self, sha256: str) -> Path:
        """Return where this content's parse lies; anything but a lower-case hex digest is a ValueError."""
        if not _SHA256.fullmatch(sha256):
            raise ValueError("a content hash must be 64 lower-case hex digits; pass hashlib's hexdigest()")
        return self._shelf / sha256[:2] / f"{sha256}.parse"

    def load(self, source: SourceDocument) -> ParsedDocument | None:
        """Return the stored parse as `source`'s, or None; a damaged entry is removed and counts as none."""
        path = self.path_of(source.sha256)
        try:
            data = path.read_bytes()
        except OSError:
            return self._load_shared(source)
        try:
            document = decode(data, source=source)
        except EncodedDocumentError:
            with contextlib.suppress(OSError):
                path.unlink()
            return self._load_shared(source)
        with contextlib.suppress(OSError):
            os.utime(path)
        return document

    def _load_shared(self, source: SourceDocument) -> ParsedDocument | None:
        """Return another host's parse, and keep it here; a store that does not answer has none."""
        if self._shared is None:
            return None
        try:
            data = self._shared.find(self._shared_name(source.sha256))
            document = decode(data, source=source) if data is not None else None
        except (EncodedDocumentError, OSError, StoreError):
            return None
        if data is not None:
            self._write(source.sha256, data)
        return document

    def store(self, sha256: str, encoded: bytes) -> None:
        """Keep an encoded parse; a place that cannot be written to is not an error of the parse."""
        if self._shared is not None:
            with contextlib.suppress(OSError, StoreError):
                self._shared.keep(self._shared_name(sha256), encoded)
        self._write(sha256, encoded)

    def _shared_name(self, sha256: str) -> str:
        return f"{self.path_of(sha256).stem}-{self._parser}.parse"

    def _write(self, sha256: str, encoded: bytes) -> None:
        path = self.path_of(sha256)
        if len(encoded) > self._max_bytes:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, encoded, is_durable=False, mode=PRIVATE)
        except OSError:
            return
        if self._written_since_sweep is not None:
            self._written_since_sweep += len(encoded)
        if self._written_since_sweep is None or self._written_since_sweep > self._max_bytes // _SWEEP_SHARE:
            self.sweep()

    def forget(self, sha256: str) -> None:
        """Remove a content's parse, so that it is parsed anew."""
        self.path_of(sha256).unlink(missing_ok=True)
        if self._shared is not None:
            self._shared.remove(self._shared_name(sha256))

    def sweep(self) -> None:
        """Remove abandoned temporary files, and what was used longest ago until the bound holds."""
        self._written_since_sweep = 0
        entries: list[tuple[float, int, Path]] = []
        now = time.time()
        for path in self._folder.rglob("*"):
            with contextlib.suppress(OSError):
                stat = path.stat()
                if path.suffix == ".parse":
                    entries.append((stat.st_mtime, stat.st_size, path))
                elif path.suffix == ".tmp" and now - stat.st_mtime > _ABANDONED_SECONDS:
                    path.unlink()
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries, key=lambda entry: entry[0]):
            if total <= self._max_bytes:
                break
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size
