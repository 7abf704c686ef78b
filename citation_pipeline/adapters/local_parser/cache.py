"""The parse cache: encoded documents by parser fingerprint and content hash, bounded in bytes.

Shared by every claim and every process that is given the same folder. Safe without locks: an entry is
written beside its place and moved there, a reader that meets half an entry (kill -9, a full disk) counts it
as a miss, and the entry used longest ago goes first when the folder outgrows its bound.
"""

import contextlib
import hashlib
import os
import re
import time
from pathlib import Path

from citation_pipeline.adapters.local_parser.encoding import EncodedDocumentError, decode
from citation_pipeline.adapters.whole_files import PRIVATE, write_whole
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

DEFAULT_BYTES = 4 * 2**30  # about 200,000 pages of text

_SHA256 = re.compile(r"[0-9a-f]{64}")
_ABANDONED_SECONDS = 3600.0  # no write takes an hour: a temporary file that old lost its writer
_SWEEP_SHARE = 32  # the folder is measured again after 1/32 of its bound was written


class ParseCache:
    """A folder of parses under one parser fingerprint, sharing the bound with other fingerprints."""

    def __init__(self, folder: Path, *, fingerprint: str, max_bytes: int = DEFAULT_BYTES) -> None:
        self._folder = folder
        # a fingerprint is a readable sentence of versions; a path wants something short
        self._shelf = folder / hashlib.sha256(fingerprint.encode()).hexdigest()[:16]
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
            return None
        try:
            document = decode(data, source=source)
        except EncodedDocumentError:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return document

    def store(self, sha256: str, encoded: bytes) -> None:
        """Keep an encoded parse; a folder that cannot be written to is not an error of the parse."""
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
