"""A store's files in a folder of this machine."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from citation_pipeline.adapters.tables.file_places import ANYTHING, FileInfo
from citation_pipeline.adapters.tables.store_errors import ChangedMeanwhileError
from citation_pipeline.adapters.whole_files import draft_of, replacing, write_whole


class LocalFiles:
    """Files below one folder, each written beside its place and moved there."""

    is_local = True

    def __init__(self, root: Path) -> None:
        self.root, self._root = root, str(root)

    def local_copy(self, path: str, *, is_final: bool = False) -> Path:
        """Return the file itself, whether it is there or not: who opens it finds out."""
        return self.root / path

    def end(self, path: str) -> pa.NativeFile:
        """Return the file, opened; raises FileNotFoundError."""
        return pa.OSFile(f"{self._root}/{path}")

    def write(self, path: str, data: memoryview, *, expected: str | None) -> str:
        """Write a file whole; one that holds these bytes already is left, so that its mark tells of a change.

        What is `expected` is compared before: between processes of one machine a lease decides.
        """
        place = self.root / path
        if expected != ANYTHING:
            known = self.info(path)
            if (known.mark if known else None) != expected:
                raise ChangedMeanwhileError(path)
        if not _holds(place, data):
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, data)
        return "" if expected == ANYTHING else _info(place.stat()).mark

    def write_file(self, path: str, source: Path) -> None:
        """Write a file with another's bytes."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with source.open("rb") as stream, replacing(place) as target:
            while part := stream.read(1 << 20):
                target.write(part)

    def copy(self, source: str, target: str) -> None:
        """Put a file in place as another's copy; raises FileNotFoundError.

        Files are exchanged and never changed, so a copy may share the other's bytes: nothing has to reach the
        disk.
        """
        place = self.root / target
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = draft_of(place)
        try:
            os.link(self.root / source, draft)
        except FileNotFoundError:
            raise
        except OSError:  # a file system without hard links
            self.write(target, memoryview((self.root / source).read_bytes()), expected=ANYTHING)
            return
        try:
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)  # it stays where both names are one file already

    def remove(self, path: str) -> bool:
        """Remove a file; tell whether it was there."""
        try:
            (self.root / path).unlink()
        except FileNotFoundError:
            return False
        return True

    def info(self, path: str) -> FileInfo | None:
        """Return what is known of a file; None without one, and for a folder."""
        try:
            status = os.stat(f"{self._root}/{path}")  # noqa: PTH116 - asked once for every file of a plan
        except (FileNotFoundError, NotADirectoryError):
            return None
        return _info(status) if stat.S_ISREG(status.st_mode) else None

    def files(self, folder: str) -> Mapping[str, FileInfo]:
        """Return a folder's own files by name, without hidden ones; none where there is no such folder."""
        found = {}
        try:
            with os.scandir(f"{self._root}/{folder}") as entries:
                for entry in entries:
                    if not entry.name.startswith(".") and entry.is_file():
                        found[entry.name] = _info(entry.stat())
        except FileNotFoundError:
            return {}
        return found


def _info(status: os.stat_result) -> FileInfo:
    return FileInfo(f"{status.st_size}-{status.st_mtime_ns}", status.st_size, status.st_mtime)


def _holds(place: Path, data: memoryview) -> bool:
    try:
        return place.stat().st_size == data.nbytes and place.read_bytes() == data
    except OSError:
        return False
