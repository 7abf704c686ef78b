"""Where a store's bytes lie, and the little that is asked of such a place.

`local_files` is a folder of this machine, `object_storage.objects` a bucket. What the bytes mean is the task
of `stored_files` and `claim_store`, which are the same over both.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol

import pyarrow as pa

ANYTHING = "*"
"""Write over whatever is there, or nothing."""


class FileInfo(NamedTuple):
    """What a place knows of a file; `mark` changes whenever the file is exchanged."""

    mark: str
    size: int
    modified: float  # seconds since 1970: whoever lists 10,000 files wants few of their dates

    @property
    def modified_at(self) -> datetime:
        """When it was written."""
        return datetime.fromtimestamp(self.modified, UTC)


class FilePlace(Protocol):
    """Files by their path below a root, with `/` between its parts; each is there whole or not at all."""

    is_local: bool

    def local_copy(self, path: str, *, is_final: bool = False) -> Path:
        """Return a path of this machine that holds the file; raises FileNotFoundError.

        `is_final` says that the file is named by its content, so that a copy is never out of date.
        """

    def end(self, path: str) -> pa.NativeFile:
        """Return a file whose last bytes are the file's: enough for the footer of a table."""

    def write(self, path: str, data: memoryview, *, expected: str | None) -> str:
        """Write a file whole and return its mark.

        `expected` is the mark of what may be replaced, None for nothing, or ANYTHING. Raises
        ChangedMeanwhileError where something else is there.
        """

    def write_file(self, path: str, source: Path) -> None:
        """Write a file with the bytes of one of this machine, which may be large."""

    def copy(self, source: str, target: str) -> None:
        """Put a file in place as another's copy; raises FileNotFoundError."""

    def remove(self, path: str) -> bool:
        """Remove a file; tell whether it was there."""

    def info(self, path: str) -> FileInfo | None:
        """Return what is known of a file, None without one."""

    def files(self, folder: str) -> Mapping[str, FileInfo]:
        """Return a folder's own files by name, without hidden ones."""
