"""Files of the store, on this machine or in object storage: each is there whole, or not at all.

Where the bytes lie is a `FilePlace`; all else is the same for both. What files hold belongs to `claim_store`.
"""

import copy
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from citation_pipeline.adapters.object_storage.addresses import (
    REMOTE_WORK_DIR,
    is_remote,
    read_address,
    without_credentials,
)
from citation_pipeline.adapters.object_storage.mirror import MIRROR_BYTES, Mirror
from citation_pipeline.adapters.object_storage.objects import ObjectFiles
from citation_pipeline.adapters.tables.file_places import ANYTHING, FileInfo, FilePlace
from citation_pipeline.adapters.tables.local_files import LocalFiles
from citation_pipeline.adapters.tables.store_errors import ChangedMeanwhileError, StoreError

_RUN_S = 60.0  # longer than most stages of a claim take
_PASS_S = 900.0  # longer than a pass over all claims takes
_OPENINGS = 3  # a copy may be superseded twice between finding and opening it
_CHANGES = 10  # of one small file, by as many writers at once
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Copies:
    """Where copies of what lies in object storage are kept, how much, and for how long they are relied on.

    For `max_age` seconds the storage is not asked again whether a file has changed; 0 asks every time. A
    folder of this machine is never copied.
    """

    folder: Path = Path(REMOTE_WORK_DIR, "mirror")
    most_bytes: int = MIRROR_BYTES
    max_age: float = 0.0


class StoredFiles:
    """Reads and writes files under one root: a path of this machine, or an object-storage URL."""

    def __init__(self, root: str | Path, *, copies: Copies = Copies()) -> None:  # noqa: B008 - it is frozen
        url = str(root)
        self.place: FilePlace
        if is_remote(url):
            self.root = url
            self.shown_root = read_address(url).shown
            name = hashlib.sha256(self.url.encode()).hexdigest()[:16]
            self.host_folder = (copies.folder / name).resolve()
            mirror = Mirror(self.host_folder / "objects", most_bytes=copies.most_bytes)
            self.place = ObjectFiles(url, mirror=mirror, max_age=copies.max_age)
        else:
            path = unquote(urlsplit(url).path) if url.startswith("file://") else url
            self.host_folder = Path(path).resolve()
            self.root = self.shown_root = str(self.host_folder)
            self.place = LocalFiles(self.host_folder)
        self._passes: dict[tuple[str, ...], tuple[float, Self]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_passes": {}}

    @property
    def is_local(self) -> bool:
        """Whether the store is a folder of this machine."""
        return self.place.is_local

    @property
    def max_age(self) -> float:
        """For how many seconds what was asked of a remote store is relied on."""
        return self.place.max_age if isinstance(self.place, ObjectFiles) else 0.0

    @property
    def url(self) -> str:
        """The root as somebody may be given it to open: without credentials."""
        return without_credentials(self.root)

    def current(self) -> Self:
        """Return the same store, which relies on nothing that was asked before."""
        if not isinstance(self.place, ObjectFiles) or not self.place.max_age:
            return self
        found = copy.copy(self)
        found.place = ObjectFiles(self.root, mirror=self.place.mirror, max_age=0.0)
        return found

    def within_run(self) -> Self:
        """Return the same store for a run, which asks once for what it reads and knows what it wrote itself.

        For claims that are worked on under a lease: for a minute a file is not asked about again, unless a
        lease was waited for (`forget_asked`) or another writer was met. A folder of this machine is the same.
        """
        if not isinstance(self.place, ObjectFiles):
            return self
        found = copy.copy(self)
        found.place = ObjectFiles(self.root, mirror=self.place.mirror, max_age=_RUN_S, of_run=True)
        found._passes = {}
        return found

    @property
    def is_within_run(self) -> bool:
        """Whether this is what `within_run` returned, of a remote store."""
        return isinstance(self.place, ObjectFiles) and self.place.of_run

    def forget_asked(self) -> None:
        """Rely on nothing that was asked before."""
        if isinstance(self.place, ObjectFiles):
            self.place.forget_asked()

    def listed(self, *folders: str) -> Self:
        """Return the same store as it is now, for a pass over many files of these folders.

        What lies there is asked for once, and at most `max_age` seconds ago, instead of file by file.
        """
        if not isinstance(self.place, ObjectFiles):
            return self
        made_at, known = self._passes.get(folders, (float("-inf"), self))
        if time.monotonic() - made_at < self.place.max_age and not self.is_within_run:
            return known
        found = copy.copy(self)
        found.place = ObjectFiles(self.root, mirror=self.place.mirror, max_age=_PASS_S)
        made_at = time.monotonic()
        found.place.look_at(folders)
        self._passes[folders] = (made_at, found)
        return found

    def path(self, *parts: str) -> str:
        """Return where a file lies, to be shown: its path, or its URL without query."""
        return "/".join([self.shown_root.rstrip("/"), *parts])

    def local_path(self, *parts: str) -> Path:
        """Return a path on this machine; raises StoreError for a store in object storage."""
        if not self.is_local:
            raise StoreError(
                f"{'/'.join(parts)} is needed on this machine, but the store is {self.shown_root}"
            )
        return self.host_folder.joinpath(*parts)

    def host_path(self, *parts: str) -> Path:
        """Return where this machine keeps what it makes of the store itself, such as the search index.

        In the store where that is a folder of this machine, else beside the copies of its objects.
        """
        return self.host_folder.joinpath(*parts)

    def write_bytes(self, data: bytes | pa.Buffer, *parts: str, expected: str | None = ANYTHING) -> str:
        """Write one file whole, or nothing on an error; return its mark.

        `expected` is the mark of the file that may be replaced, None for none: raises ChangedMeanwhileError
        where another is there.
        """
        return self.place.write("/".join(parts), memoryview(data), expected=expected)

    def write_json(self, value: Any, *parts: str) -> None:
        """Write a value as indented JSON; as `write_bytes`."""
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        self.write_bytes(text.encode("utf-8", "replace"), *parts)

    def change_bytes(self, change: Callable[[bytes | None], bytes], *parts: str) -> None:
        """Write what `change` makes of a file's bytes (None without one), again where another was first."""
        for tries_left in reversed(range(_CHANGES)):
            mark = self.current().file_mark(*parts)
            try:
                before = self.current().read_bytes(*parts) if mark is not None else None
                self.write_bytes(change(before), *parts, expected=mark)
            except (ChangedMeanwhileError, FileNotFoundError):
                if not tries_left:
                    raise
            else:
                return

    def copy(self, source: Sequence[str], target: Sequence[str]) -> None:
        """Put a file in place as another's copy; raises FileNotFoundError."""
        self.place.copy("/".join(source), "/".join(target))

    def read_bytes(self, *parts: str) -> bytes:
        """Return one file's bytes; raises FileNotFoundError."""
        return self.read_with(Path.read_bytes, *parts)

    def read_with(self, read: Callable[[Path], _Read], *parts: str) -> _Read:
        """Return what `read` makes of a file of this machine with the bytes; raises FileNotFoundError."""
        path = "/".join(parts)
        for _ in range(_OPENINGS - 1 if not self.is_local else 0):
            found = self.place.local_copy(path)
            try:
                return read(found)
            except FileNotFoundError:
                continue
        return read(self.place.local_copy(path))

    def has(self, *parts: str) -> bool:
        """Tell whether a file is there."""
        return self.file_info(*parts) is not None

    def file_info(self, *parts: str) -> FileInfo | None:
        """Return a file's mark, size and time, None without one."""
        return self.place.info("/".join(parts))

    def file_mark(self, *parts: str) -> str | None:
        """Return a mark that changes whenever a file is exchanged, or None when there is no such file."""
        info = self.file_info(*parts)
        return info.mark if info is not None else None

    def remove(self, *parts: str) -> bool:
        """Remove a file; tell whether it was there."""
        return self.place.remove("/".join(parts))

    def names(self, folder: str, suffix: str) -> list[str]:
        """Return the names of a folder's files that end so, without that end, sorted."""
        return sorted(n.removesuffix(suffix) for n in self.place.files(folder) if n.endswith(suffix))
