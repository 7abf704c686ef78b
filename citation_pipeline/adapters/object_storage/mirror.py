"""Copies on this machine of what lies in object storage, each under the mark of what it was copied from.

`<folder>/<path of the object>/<mark>-<bytes>`: a copy is of use only while the object has that mark. All of
it may be deleted at any time. Copies of one object: the present one and the one before, which somebody may be
reading.
"""

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from citation_pipeline.adapters.whole_files import PRIVATE, replacing, write_whole

MIRROR_BYTES = 20_000_000_000
_END = ".end"
_KEPT = 2
_TOUCHED_EVERY_S = 3600  # a copy in use is marked as such this often
_PRUNED_EVERY = 500  # copies that were made


class Mirror:
    """A folder of copies, of at most `most_bytes`; those unused longest go first."""

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        self.folder, self.most_bytes = folder, most_bytes
        self._made = 0

    def find(self, path: str, mark: str) -> Path | None:
        """Return the copy of an object as it was under a mark, None without one."""
        return next((place for place in self._copies(path) if _mark_of(place) == mark), None)

    def newest(self, path: str) -> tuple[str, Path] | None:
        """Return the last copy that was made of an object with its mark, None without one."""
        copies = self._copies(path)
        return (_mark_of(copies[0]), copies[0]) if copies else None

    def keep(self, path: str, mark: str, data: memoryview) -> Path:
        """Put a copy in place and return it."""
        with self.keeping(path, mark, size=data.nbytes) as stream:
            stream.write(data)
        return self.folder / path / _name_of(mark, data.nbytes)

    @contextmanager
    def keeping(self, path: str, mark: str, *, size: int) -> Iterator[BinaryIO]:
        """Give a stream whose bytes become a copy when the block ends without an error."""
        place = self.folder / path / _name_of(mark, size)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(place, is_durable=False, mode=PRIVATE) as stream:
            yield stream
        for old in self._copies(path)[_KEPT:]:
            old.unlink(missing_ok=True)
        self._made += 1
        if self._made % _PRUNED_EVERY == 0:
            self.prune()

    def find_end(self, path: str, mark: str) -> Path | None:
        """Return the copy of an object's last bytes, None without one."""
        place = self._end_place(path, mark)
        return place if place.is_file() else None

    def keep_end(self, path: str, mark: str, data: memoryview) -> None:
        """Put a copy of an object's last bytes in place, and no other."""
        place = self._end_place(path, mark)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(place, data, is_durable=False, mode=PRIVATE)
        for old in place.parent.glob(f"*{_END}"):
            if old != place:
                old.unlink(missing_ok=True)

    def forget(self, path: str) -> None:
        """Remove every copy of an object."""
        shutil.rmtree(self.folder / path, ignore_errors=True)

    def forget_all_but(self, marks: Mapping[str, str]) -> None:
        """Remove every copy but those of these objects under these marks."""
        for copy in [place for place in self.folder.rglob("*") if place.is_file()]:
            mark = marks.get(copy.parent.relative_to(self.folder).as_posix())
            if mark is None or mark not in (_mark_of(copy), unquote(copy.name.removesuffix(_END))):
                copy.unlink(missing_ok=True)
                with suppress(OSError):
                    copy.parent.rmdir()  # its name may be a claim's

    def prune(self) -> None:
        """Remove what was unused longest until the rest is within its bounds."""
        found = []
        for place in self.folder.rglob("*"):
            with suppress(FileNotFoundError):
                if place.is_file():
                    status = place.stat()
                    found.append((status.st_mtime, status.st_size, place))
        total = sum(size for _, size, _ in found)
        for _, size, place in sorted(found):
            if total <= self.most_bytes:
                break
            place.unlink(missing_ok=True)
            total -= size

    def _copies(self, path: str) -> list[Path]:
        """Return an object's whole copies, the last one first."""
        found = []
        now = time.time()
        try:
            with os.scandir(self.folder / path) as entries:
                for entry in entries:
                    if entry.name.startswith(".") or entry.name.endswith(_END) or not entry.is_file():
                        continue
                    status = entry.stat()
                    # nothing waits for the disk: after a power cut a copy may be shorter than its name says
                    if entry.name.rpartition("-")[2] == str(status.st_size):
                        found.append((status.st_mtime_ns, Path(entry.path)))
        except (FileNotFoundError, NotADirectoryError):
            return []
        found.sort(reverse=True)
        if found and now - found[0][0] / 1e9 > _TOUCHED_EVERY_S:
            with suppress(OSError):
                found[0][1].touch()
        return [place for _, place in found]

    def _end_place(self, path: str, mark: str) -> Path:
        return self.folder / path / f"{quote(mark, safe='')}{_END}"


def _name_of(mark: str, size: int) -> str:
    return f"{quote(mark, safe='')}-{size}"


def _mark_of(place: Path) -> str:
    return unquote(place.name.rpartition("-")[0])
