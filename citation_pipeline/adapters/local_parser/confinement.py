"""What confines a worker process that reads hostile files: no connection, no program, no core dump, bounded
memory, and its end with its parser's."""

import os
import queue
import resource
import sys
from typing import IO, Any

from citation_pipeline.adapters.local_parser.frames import read_frame
from citation_pipeline.adapters.local_parser.limits import ParseLimits

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

_is_confined = False


class ForbiddenInWorkerError(RuntimeError):
    """Something in the worker tried to reach the network or to start a program."""


def refuse_events(event: str, _args: tuple[Any, ...]) -> None:
    """Be the audit hook: raise ForbiddenInWorkerError for connections and programs."""
    if event in _REFUSED_EVENTS:
        raise ForbiddenInWorkerError(f"{event}: a worker only reads the file it was given")


def take_over_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep stdin and stdout for frames; what C libraries print goes nowhere (it may quote the document)."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: PTH123, SIM115
    return requests, replies


def listen(requests: IO[bytes], frames: "queue.SimpleQueue[tuple[bytes, bytes]]") -> None:
    """Put each frame into the queue; end the process with the pipe."""
    while (frame := read_frame(requests)) is not None:
        frames.put(frame)
    os._exit(0)  # the parser is gone, perhaps killed: nobody waits for the page at hand


def confine(limits: ParseLimits) -> None:
    """Bound memory, leave no core dump, refuse connections and programs."""
    global _is_confined  # noqa: PLW0603 - once, for the rest of the process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would hold the document
    memory = limits.memory_bytes + _MEMORY_SLACK
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    sys.addaudithook(refuse_events)
    _is_confined = True


def is_confined() -> bool:
    """Tell whether this process may start no other."""
    return _is_confined
