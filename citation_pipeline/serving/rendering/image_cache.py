"""Page images kept in memory and in a folder, both bounded; the least recently asked for go first.

Keys carry the content's hash, so nothing here ever expires.
"""

import contextlib
import os
import threading
from collections import OrderedDict
from pathlib import Path

from citation_pipeline.adapters.whole_files import write_whole


class ImageCache:
    """Images by key, safe to share between threads. Without a folder, memory only."""

    def __init__(self, folder: Path | None, *, max_bytes: int, memory_bytes: int) -> None:
        self._folder, self._max, self._memory_max = folder, max_bytes, memory_bytes
        self._memory: OrderedDict[str, bytes] = OrderedDict()
        self._memory_bytes = 0
        self._sizes: OrderedDict[str, int] | None = (
            None  # of the folder, oldest first; read when first needed
        )
        self._disk_bytes = 0
        self._lock = threading.Lock()

    @property
    def memory_bytes(self) -> int:
        """What is kept in memory now."""
        return self._memory_bytes

    def in_memory(self, key: str) -> bytes | None:
        """Return an image if memory has it; never waits for a disk."""
        with self._lock:
            image = self._memory.get(key)
            if image is not None:
                self._memory.move_to_end(key)
                if self._sizes is not None and key in self._sizes:  # what is asked for stays on disk too
                    self._sizes.move_to_end(key)
        return image

    def get(self, key: str) -> bytes | None:
        """Return an image, or None."""
        image = self.in_memory(key)
        if image is not None or self._folder is None:
            return image
        path = self._path(key)
        try:
            image = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        self._remember(key, image)
        with self._lock:
            if self._sizes is not None and key in self._sizes:
                self._sizes.move_to_end(key)
        return image

    def put(self, key: str, image: bytes) -> None:
        """Keep an image; a full disk leaves it in memory only."""
        self._remember(key, image)
        if self._folder is None or len(image) > self._max:
            return
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, image, is_durable=False)
        except OSError:
            return
        self._account(key, len(image))

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / key

    def _remember(self, key: str, image: bytes) -> None:
        if len(image) > self._memory_max:
            return
        with self._lock:
            self._memory_bytes += len(image) - len(self._memory.pop(key, b""))
            self._memory[key] = image
            while self._memory_bytes > self._memory_max:
                self._memory_bytes -= len(self._memory.popitem(last=False)[1])

    def _account(self, key: str, size: int) -> None:
        with self._lock:
            if self._sizes is None:
                self._sizes = self._scan()
                self._disk_bytes = sum(self._sizes.values())
            else:
                self._disk_bytes += size - self._sizes.pop(key, 0)
                self._sizes[key] = size
            while self._disk_bytes > self._max and len(self._sizes) > 1:
                oldest, freed = self._sizes.popitem(last=False)
                self._disk_bytes -= freed
                with contextlib.suppress(OSError):
                    self._path(oldest).unlink(missing_ok=True)

    def _scan(self) -> "OrderedDict[str, int]":
        assert self._folder is not None
        found: list[tuple[float, str, int]] = []
        for shelf in self._folder.iterdir():
            for path in shelf.iterdir() if shelf.is_dir() else ():
                with contextlib.suppress(OSError):
                    stat = path.stat()
                    if path.name.startswith("."):  # a draft whose process was killed
                        path.unlink(missing_ok=True)
                    else:
                        found.append((stat.st_mtime, path.name, stat.st_size))
        return OrderedDict((name, size) for _, name, size in sorted(found))
