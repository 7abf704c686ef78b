"""The worker process: `python -m citation_pipeline.adapters.local_parser.worker`, started by `worker_pool`.

It reads hostile files, so it holds nothing worth stealing (its environment is empty), opens no connection and
starts no program (an audit hook refuses both), leaves no core dump, and ends when its parser does.
"""

import json
import os
import queue
import resource
import signal
import sys
import threading
from pathlib import Path
from typing import IO, Any

from citation_pipeline.adapters.local_parser.encoding import encode
from citation_pipeline.adapters.local_parser.frames import (
    BEAT,
    JOB,
    OPTIONS,
    RESULT,
    read_frame,
    write_frame,
)
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.reading import ReadingOptions, read_source
from citation_pipeline.core.documents.parsed import SourceDocument

_REFUSED_EVENTS = frozenset(
    (
        "socket.connect",
        "socket.bind",
        "socket.sendto",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.spawn",
        "os.system",
        "subprocess.Popen",
        "pty.spawn",
    )
)
# the pool's polling ends a worker first; this stops one that bursts between polls
_MEMORY_SLACK = 512 * 2**20


class ForbiddenInWorkerError(RuntimeError):
    """Something in the worker tried to reach the network or to start a program."""


def refuse_events(event: str, _args: tuple[Any, ...]) -> None:
    """Be the audit hook: raise ForbiddenInWorkerError for connections and programs."""
    if event in _REFUSED_EVENTS:
        raise ForbiddenInWorkerError(f"{event}: a worker only reads the file it was given")


def main() -> None:
    """Serve documents until the pipe from the parser closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parser's to handle
    requests, replies = _take_over_pipes()
    frames: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, frames), daemon=True).start()
    kind, payload = frames.get()
    if kind != OPTIONS:
        raise SystemExit("the first frame must be the options; start workers through worker_pool.py")
    options = _options(payload)
    _confine(options.limits)
    while True:
        kind, payload = frames.get()
        if kind != JOB:
            raise SystemExit("a job was expected; start workers through worker_pool.py")
        job = json.loads(payload)
        path = None if job["path"] is None else Path(job["path"])
        content = frames.get()[1] if path is None else None
        write_frame(replies, BEAT)  # begun: what went before was the start of the process
        document = read_source(
            SourceDocument(**job["source"]),
            path=path,
            data=content,
            options=options,
            on_page=lambda: write_frame(replies, BEAT),
        )
        write_frame(replies, RESULT, encode(document))
        del document, content


def _take_over_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep stdin and stdout for frames; what C libraries print goes nowhere (it may quote the document)."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: PTH123, SIM115
    return requests, replies


def _listen(requests: IO[bytes], frames: "queue.SimpleQueue[tuple[bytes, bytes]]") -> None:
    while (frame := read_frame(requests)) is not None:
        frames.put(frame)
    os._exit(0)  # the parser is gone, perhaps killed: nobody waits for the page at hand


def _confine(limits: ParseLimits) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would hold the document
    memory = limits.memory_bytes + _MEMORY_SLACK
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    sys.addaudithook(refuse_events)


def _options(payload: bytes) -> ReadingOptions:
    given = json.loads(payload)
    return ReadingOptions(
        passwords=tuple(given["passwords"]), limits=ParseLimits(**given["limits"]), ocr=bool(given["ocr"])
    )


if __name__ == "__main__":
    main()
