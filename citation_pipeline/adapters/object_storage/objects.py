"""A store's files as objects of a bucket, with copies of them on this machine.

An object appears when its upload is complete. Its mark is its ETag: size and time of two versions that were
written within a second may be equal. Every reading asks the storage whether the copy here is current, unless
that was asked less than `max_age` seconds ago. `of_run` is for who works on claims under a lease: what was
read or written itself is relied on, listings never, and being overtaken by another writer ends all reliance.
"""

import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from citation_pipeline.adapters.object_storage.bucket import Bucket, client_errors
from citation_pipeline.adapters.object_storage.mirror import Mirror
from citation_pipeline.adapters.tables.file_places import ANYTHING, FileInfo
from citation_pipeline.adapters.tables.store_errors import ChangedMeanwhileError

_END_BYTES = 65_536  # what a Parquet reader takes of a file's end at first
_LARGE = 64_000_000  # sent and taken in pieces
_PIECE = 8_000_000


_OF_RUNS: "weakref.WeakSet[ObjectFiles]" = weakref.WeakSet()


def forget_what_runs_asked() -> None:
    """Have every store of this process's runs rely on nothing: other processes worked on their claims."""
    for place in list(_OF_RUNS):
        place.forget_asked()


class ObjectFiles:
    """Objects below one prefix; safe to share between threads."""

    is_local = False

    def __init__(self, url: str, *, mirror: Mirror, max_age: float = 0.0, of_run: bool = False) -> None:
        self.mirror, self.max_age, self.of_run = mirror, max_age, of_run
        self._url, self._bucket = url, Bucket(url)
        self._infos: dict[str, tuple[float, FileInfo | None]] = {}
        self._lists: dict[str, tuple[float, Mapping[str, FileInfo]]] = {}
        self._looked_at: dict[str, float] = {}
        self._lock = threading.Lock()
        if of_run:
            _OF_RUNS.add(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self._url, "mirror": self.mirror, "max_age": self.max_age, "of_run": self.of_run}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    # --- reading ---------------------------------------------------------------------------------

    def local_copy(self, path: str, *, is_final: bool = False) -> Path:
        """Return a current copy of an object; raises FileNotFoundError, StoreError."""
        newest = self.mirror.newest(path)
        if is_final and newest is not None:
            return newest[1]
        if not self.max_age or (self.of_run and not self._recent(path)[0]):
            return self._fetch(path, newest)
        known = self.info(path)
        if known is None:
            raise FileNotFoundError(path)
        return self.mirror.find(path, known.mark) or self._fetch(path, None)

    def _fetch(self, path: str, newest: tuple[str, Path] | None) -> Path:
        """Return a copy of an object as it is now: the `newest` one where the storage says that it is."""
        options: Any = {"if_none_match": newest[0]} if newest is not None else None
        try:
            found = self._bucket.ask(lambda client: client.get(self._key(path), options=options))
            info = _info(found.meta)
            if info.size > _LARGE:
                self._bucket.ask(lambda _: self._take_in_pieces(path, info, found))
            else:
                data = memoryview(self._bucket.ask(lambda _: found.bytes()))
                self.mirror.keep(path, info.mark, data)
        except client_errors().NotModifiedError:
            assert newest is not None  # only asked with one
            if self.of_run:
                status = newest[1].stat()
                self._note(path, FileInfo(newest[0], status.st_size, status.st_mtime))
            return newest[1]
        except FileNotFoundError:
            self._note(path, None)
            self.mirror.forget(path)
            raise FileNotFoundError(path) from None
        self._note(path, info)
        kept = self.mirror.find(path, info.mark)
        if kept is None:  # shorter than announced, or pruned in this moment
            raise self._bucket.unreachable()
        return kept

    def _take_in_pieces(self, path: str, info: FileInfo, found: Any) -> None:
        with self.mirror.keeping(path, info.mark, size=info.size) as stream:
            _write_pieces(found, stream)

    def fetch(self, path: str, target: Path) -> None:
        """Write an object's bytes into a file and keep no copy; raises FileNotFoundError, StoreError."""
        try:
            found = self._bucket.ask(lambda client: client.get(self._key(path)))
            with target.open("wb") as stream:
                self._bucket.ask(lambda _: _write_pieces(found, stream))
        except FileNotFoundError:
            raise FileNotFoundError(path) from None

    def end(self, path: str) -> pa.NativeFile:
        """Return an object's last bytes, or a whole copy; raises FileNotFoundError, StoreError."""
        is_asked, known = self._recent(path)
        if is_asked and known is None:
            raise FileNotFoundError(path)
        if known is not None:
            copy = self.mirror.find_end(path, known.mark) or self.mirror.find(path, known.mark)
            if copy is not None:
                return pa.OSFile(str(copy))
        try:
            found = self._bucket.ask(
                lambda c: c.get(self._key(path), options={"range": {"suffix": _END_BYTES}})
            )
            info, data = _info(found.meta), memoryview(self._bucket.ask(lambda _: found.bytes()))
        except FileNotFoundError:
            self._note(path, None)
            raise FileNotFoundError(path) from None
        self._note(path, info)
        if _footer_bytes(data) > data.nbytes:
            return pa.OSFile(str(self.local_copy(path)))
        self.mirror.keep_end(path, info.mark, data)
        return pa.BufferReader(pa.py_buffer(data))

    def info(self, path: str) -> FileInfo | None:
        """Return what is known of an object; raises StoreError."""
        is_asked, known = self._recent(path)
        if is_asked:
            return known
        try:
            found = _info(self._bucket.ask(lambda client: client.head(self._key(path))))
        except FileNotFoundError:
            self._note(path, None)
            return None
        self._note(path, found)
        return found

    def files(self, folder: str) -> Mapping[str, FileInfo]:
        """Return the objects right below a folder by name; raises StoreError."""
        with self._lock:
            asked_at, known = self._lists.get(folder, (float("-inf"), {}))
        if time.monotonic() - asked_at < self.max_age and not self.of_run:
            return known
        now = time.monotonic()
        listed = self._bucket.ask(lambda client: client.list_with_delimiter(self._key(folder)))
        found = {}
        for meta in listed["objects"]:
            name = str(meta["path"]).rpartition("/")[2]
            if not name.startswith("."):
                found[name] = _info(meta)
        with self._lock:
            self._lists[folder] = (now, found)
            for name, info in found.items():
                self._infos[f"{folder}/{name}"] = (now, info)
        return found

    def look_at(self, folders: Iterable[str]) -> None:
        """Ask once for all objects below these folders, so that each need not be asked about."""
        for folder in folders:
            now = time.monotonic()
            skipped = len(self._key("")) if self._bucket.address.prefix else 0
            found = {
                str(meta["path"])[skipped:]: (now, _info(meta))
                for part in self._listing(folder)
                for meta in part
            }
            with self._lock:
                self._infos.update(found)
                self._looked_at[folder] = now

    def all_files(self) -> Iterator[tuple[str, FileInfo]]:
        """Yield every object of the store by its path below the root; raises StoreError."""
        skipped = len(self._bucket.address.prefix) + 1 if self._bucket.address.prefix else 0
        for part in self._listing(""):
            for meta in part:
                yield str(meta["path"])[skipped:], _info(meta)

    def _listing(self, folder: str) -> list[Any]:
        key = self._key(folder) if folder else self._bucket.address.prefix
        return self._bucket.ask(lambda client: list(client.list(key or None)))

    def keeps_versions(self, path: str) -> bool:
        """Tell whether the bucket keeps an object's former versions, deleted ones too."""
        try:
            version = self._bucket.ask(lambda client: client.head(self._key(path)))["version"]
        except FileNotFoundError:
            return False
        return version not in (None, "null")

    # --- writing ---------------------------------------------------------------------------------

    def write(self, path: str, data: memoryview, *, expected: str | None) -> str:
        """Write an object whole and return its ETag; raises ChangedMeanwhileError, StoreError."""
        mode: Any = "overwrite"
        if expected != ANYTHING:
            mode = "create" if expected is None else {"e_tag": expected}
        errors = client_errors()
        try:
            put = self._bucket.ask(
                lambda client: client.put(self._key(path), bytes(data), mode=mode, use_multipart=False)
            )
            mark = str(put["e_tag"])
        except (errors.AlreadyExistsError, errors.PreconditionError):
            mark = self._mark_of_own(path, data)
        except FileNotFoundError:
            if expected not in (ANYTHING, None):  # what was to be replaced is gone
                raise ChangedMeanwhileError(path) from None
            raise self._bucket.missing() from None
        self._forget_lists(path)
        self.mirror.keep(path, mark, data)
        self._infos.pop(path, None)
        if self.of_run:
            self._note(path, FileInfo(mark, data.nbytes, time.time()))
        return mark

    def _mark_of_own(self, path: str, data: memoryview) -> str:
        """Return the mark of an object that holds these bytes already; else another writer was first.

        A request whose answer was lost is sent again, and then meets the object that it has written itself.
        """
        self.forget_asked()
        try:
            found = self._bucket.ask(lambda client: client.get(self._key(path)))
            is_own = found.meta["size"] == data.nbytes and memoryview(found.bytes()) == data
        except FileNotFoundError:
            is_own = False
        if not is_own:
            raise ChangedMeanwhileError(path)
        return str(found.meta["e_tag"])

    def write_file(self, path: str, source: Path) -> None:
        """Upload a file of this machine, a large one in pieces; raises StoreError."""
        try:
            if source.stat().st_size < _LARGE:
                self._bucket.ask(lambda c: c.put(self._key(path), source.read_bytes(), use_multipart=False))
            else:
                self._bucket.ask(lambda c: c.put(self._key(path), source, use_multipart=True))
        except FileNotFoundError:
            if not source.is_file():
                raise
            raise self._bucket.missing() from None
        self._infos.pop(path, None)
        self._forget_lists(path)

    def copy(self, source: str, target: str) -> None:
        """Put an object in place as another's copy; raises FileNotFoundError, StoreError."""
        try:
            self._bucket.ask(lambda client: client.copy(self._key(source), self._key(target)))
        except FileNotFoundError:
            raise FileNotFoundError(source) from None
        self._infos.pop(target, None)
        self._forget_lists(target)

    def remove(self, path: str) -> bool:
        """Remove an object and its copies; tell whether it was there. Raises StoreError."""
        if not self.of_run:
            self._infos.pop(path, None)
        is_there = self.info(path) is not None
        if is_there:
            self._bucket.ask(lambda client: client.delete(self._key(path)))
        self._infos.pop(path, None)
        if self.of_run:
            self._note(path, None)
        self._forget_lists(path)
        self.mirror.forget(path)
        return is_there

    # --- what is known of a moment ago ------------------------------------------------------------

    def forget_asked(self) -> None:
        """Rely on nothing that was asked before: another process may have written since."""
        with self._lock:
            self._infos, self._lists, self._looked_at = {}, {}, {}

    def _recent(self, path: str) -> tuple[bool, FileInfo | None]:
        """Tell whether an object was asked about a moment ago, and what was found."""
        if not self.max_age:
            return False, None
        now = time.monotonic()
        asked_at, known = self._infos.get(path, (float("-inf"), None))
        if now - asked_at < self.max_age:
            return True, known
        looked_at = self._looked_at.get(path.partition("/")[0], float("-inf"))
        return now - looked_at < self.max_age, None

    def _note(self, path: str, info: FileInfo | None) -> None:
        if self.max_age:
            self._infos[path] = (time.monotonic(), info)

    def _forget_lists(self, path: str) -> None:
        with self._lock:
            self._lists.pop(path.rpartition("/")[0], None)
            self._looked_at.pop(path.partition("/")[0], None)

    def _key(self, path: str) -> str:
        return f"{self._bucket.address.prefix}/{path}" if self._bucket.address.prefix else path


def _write_pieces(found: Any, stream: BinaryIO) -> None:
    for piece in found.stream(min_chunk_size=_PIECE):
        stream.write(piece)


def _info(meta: Any) -> FileInfo:
    return FileInfo(str(meta["e_tag"]), int(meta["size"]), meta["last_modified"].timestamp())


def _footer_bytes(end: memoryview) -> int:
    """Return how many bytes of a Parquet file's end its footer takes."""
    return int.from_bytes(end[-8:-4], "little") + 8
