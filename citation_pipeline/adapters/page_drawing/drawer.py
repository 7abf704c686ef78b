"""Draws pages for models in a process of its own: a hostile page costs that process, and its picture."""

import contextlib
import json
import os
import selectors
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

from citation_pipeline.adapters.local_parser.frames import (
    BEAT,
    JOB,
    OPTIONS,
    BrokenFrameError,
    FrameBuffer,
    write_frame,
)
from citation_pipeline.adapters.local_parser.worker_processes import end_process, worker_environment
from citation_pipeline.core.prompts.page_images import PageImage

_MODULE = "citation_pipeline.adapters.page_drawing.worker"
_PAGE_SECONDS = (
    20.0  # a scanned page of 600 dpi takes one, on a machine with four times the work it can do four
)
_START_SECONDS = 60.0
_READ_BYTES = 2**20
_LARGEST = 8 * 2**20  # more than any picture that the worker makes


class PageDrawer:
    """One process, started when first needed and again after a page that ended it; safe for threads."""

    def __init__(self, *, passwords: Sequence[str] = (), page_seconds: float = _PAGE_SECONDS) -> None:
        self._passwords, self._page_seconds = tuple(passwords), page_seconds
        self._lock = threading.Lock()
        self._process: _Process | None = None

    def draw(self, path: Path, image: PageImage) -> bytes | None:
        """Return a page as PNG or JPEG, None where it cannot be drawn; never raises for what a page holds."""
        job = {
            "path": str(path),
            "sha256": image.sha256,
            "media_type": image.media_type,
            "page": image.page,
            "scale": image.width / max(image.width_pt, 1.0),
            "width": image.width,
            "height": image.height,
        }
        with self._lock:
            try:
                if self._process is None:
                    self._process = _Process(self._passwords)
                data = self._process.draw(job, seconds=self._page_seconds)
            except (_EndedError, OSError, BrokenFrameError):
                self._end()
                return None
        return data or None

    def close(self) -> None:
        """End the process; the next page starts another."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


class _EndedError(Exception):
    """The process died, or took too long."""


class _Process:
    def __init__(self, passwords: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a C library's complaint may quote the document
            env=worker_environment(),
        )
        self.end = weakref.finalize(self, end_process, self._process)
        self.end.atexit = False
        self._frames = FrameBuffer()
        self._send(OPTIONS, json.dumps({"passwords": list(passwords)}).encode())
        if self._next(_START_SECONDS)[0] != BEAT:
            raise _EndedError

    def draw(self, job: dict[str, object], *, seconds: float) -> bytes:
        self._send(JOB, json.dumps(job).encode())
        return self._next(seconds)[1]

    def _next(self, seconds: float) -> tuple[bytes, bytes]:
        """Return the next frame; raises _EndedError."""
        stream = self._process.stdout
        assert stream is not None
        until, size = time.monotonic() + seconds, 0
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while selector.select(max(0.0, until - time.monotonic())):
                piece = os.read(stream.fileno(), _READ_BYTES)
                size += len(piece)
                if not piece or size > _LARGEST:
                    break
                for frame in self._frames.feed(piece):
                    return frame
        raise _EndedError

    def _send(self, kind: bytes, payload: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it died: the answer will not come
            write_frame(self._process.stdin, kind, payload)
