"""Files of the store, on this machine or in object storage: each is there whole, or not at all.

A file is written beside its place and moved there, so a reader sees the old one or the new one. What files
hold belongs to `claim_store`.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs

from citation_pipeline.adapters.whole_files import draft_of, write_whole
from citation_pipeline.core.failures import PipelineError


class StoreError(PipelineError):
    """Something the store cannot give or take; says what, and what to do."""


class StoredFiles:
    """Reads and writes files under one root: a path of this machine, or an object-storage URL."""

    def __init__(self, root: str | Path) -> None:
        url = str(root)
        if "://" in url:
            self._files, self._root = pa.fs.FileSystem.from_uri(url)
        else:
            self._files, self._root = pa.fs.LocalFileSystem(), str(Path(url).resolve())
        self.root = url if "://" in url else self._root
        self._is_local = isinstance(self._files, pa.fs.LocalFileSystem)

    def path(self, *parts: str) -> str:
        """Return the path of something below the root, as the file system knows it."""
        return "/".join([self._root.rstrip("/"), *parts])

    def local_path(self, *parts: str) -> Path:
        """Return a path on this machine; raises StoreError for a store in object storage."""
        if not self._is_local:
            raise StoreError(f"{'/'.join(parts)} is needed on this machine, but the store is {self.root}")
        return Path(self.path(*parts))

    def write_bytes(self, data: bytes | pa.Buffer, *parts: str) -> None:
        """Write one file whole: beside its place first, then moved over it. Nothing stays on an error.

        A file that holds these bytes already is left as it is, so that its mark tells of a change.
        """
        target = self.path(*parts)
        if not self._is_local:  # an object appears when its upload is complete
            with self._files.open_output_stream(target) as stream:
                stream.write(data)
            return
        place = Path(target)
        if _holds(place, data):
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, memoryview(data))

    def write_json(self, value: Any, *parts: str) -> None:
        """Write a value as indented JSON; as `write_bytes`."""
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        self.write_bytes(text.encode("utf-8", "replace"), *parts)

    def copy(self, source: Sequence[str], target: Sequence[str]) -> None:
        """Put a file in place as another's copy; raises FileNotFoundError.

        Files are exchanged and never changed, so on this machine a copy may share the other's bytes: nothing
        has to reach the disk.
        """
        if not self._is_local:
            self.write_bytes(self.read_bytes(*source), *target)
            return
        place = Path(self.path(*target))
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = draft_of(place)
        try:
            os.link(self.path(*source), draft)
        except FileNotFoundError:
            raise
        except OSError:  # a file system without hard links
            self.write_bytes(self.read_bytes(*source), *target)
            return
        try:
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)  # it stays where both names are one file already

    def read_bytes(self, *parts: str) -> bytes:
        """Return one file's bytes; raises FileNotFoundError."""
        with self._files.open_input_stream(self.path(*parts)) as stream:
            data: bytes = stream.read()
        return data

    def has(self, *parts: str) -> bool:
        """Tell whether a file is there."""
        info = self._files.get_file_info(self.path(*parts))
        return bool(info.type == pa.fs.FileType.File)

    def file_mark(self, *parts: str) -> str | None:
        """Return a mark that changes whenever a file is exchanged, or None when there is no such file."""
        info = self._files.get_file_info(self.path(*parts))
        return f"{info.size}-{info.mtime_ns}" if info.type == pa.fs.FileType.File else None

    def remove(self, *parts: str) -> bool:
        """Remove a file; tell whether it was there."""
        if not self.has(*parts):
            return False
        try:
            self._files.delete_file(self.path(*parts))
        except FileNotFoundError:  # another process was quicker
            return False
        return True

    def names(self, folder: str, suffix: str) -> list[str]:
        """Return the names of a folder's files that end so, without that end, sorted."""
        selector = pa.fs.FileSelector(self.path(folder), allow_not_found=True)
        names = (info.base_name for info in self._files.get_file_info(selector))
        return sorted(n.removesuffix(suffix) for n in names if n.endswith(suffix) and not n.startswith("."))


def _holds(place: Path, data: bytes | pa.Buffer) -> bool:
    try:
        return place.stat().st_size == len(data) and place.read_bytes() == memoryview(data)
    except OSError:
        return False
