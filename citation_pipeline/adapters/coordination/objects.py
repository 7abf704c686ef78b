"""Bytes that cost something, kept in the store by the fingerprint of what made them.

A local store has them as files of their owner's alone, another as objects. They are written before any row
says so; who finds bytes without a row takes them, since they are whole or not there at all.
"""

import os
from pathlib import Path

from citation_pipeline.adapters.tables.stored_files import StoredFiles
from citation_pipeline.adapters.whole_files import PRIVATE, write_whole


class KeptBytes:
    """A folder of a store; names begin with a fingerprint."""

    def __init__(self, files: StoredFiles, folder: str) -> None:
        self._files, self._folder = files, folder

    def find(self, name: str) -> bytes | None:
        """Return what is kept under a name, or None."""
        try:
            return self._files.read_bytes(self._folder, name[:2], name)
        except FileNotFoundError:
            return None

    def keep(self, name: str, data: bytes) -> None:
        """Write bytes durably, whole or not at all."""
        if not self._files.is_local:
            self._files.write_bytes(data, self._folder, name[:2], name)
            return
        path = self._files.local_path(self._folder, name[:2], name)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, data, mode=PRIVATE)
        sync_folder(path.parent)

    def remove(self, name: str) -> None:
        """Remove what is kept under a name."""
        self._files.remove(self._folder, name[:2], name)


def sync_folder(folder: Path) -> None:
    """Make a new name durable: without it the name may be lost although the bytes are not."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
