"""One worker process as its parser sees it: the document it was given, and what became of it.

A worker that dies, works for too long without finishing a page or outgrows its memory is ended, and its
document refused. What is inside a worker is `worker.py`'s; how many there are is `worker_pool.py`'s; how time
is counted, `worker_clocks.py`'s.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.local_parser.encoding import EncodedDocumentError, decode
from citation_pipeline.adapters.local_parser.frames import (
    BEAT,
    CONTENT,
    JOB,
    OPTIONS,
    BrokenFrameError,
    FrameBuffer,
    write_frame,
)
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.local_parser.worker_clocks import WorkerClock
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument, SourceDocument

_READ_BYTES = 2**20
_WORN_OUT_SHARE = 0.5  # a worker that kept this much of its memory after a document is replaced


@dataclass(frozen=True, slots=True)
class Job:
    """A document to parse: read from `path`, or from `data` where there is no path."""

    source: SourceDocument
    path: Path | None = None
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job: the document with the bytes it was decoded from, or the refusal."""

    job: Job
    document: ParsedDocument | None = None
    encoded: bytes = b""
    refusal: RefusedDocumentError | None = None

    @property
    def is_crash(self) -> bool:
        """Tell whether the worker ended by itself."""
        return self.refusal is not None and self.refusal.status == DocumentStatus.CRASHED


class WorkerProcess:
    """One child process and the job it has."""

    def __init__(self, *, passwords: Sequence[str], limits: ParseLimits, ocr: bool, module: str) -> None:
        self._limits = limits
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a C library's complaint may quote the document
            env=worker_environment(),
        )
        # a parser that nobody closes ends its workers when it is forgotten
        self._end = weakref.finalize(self, end_process, self._process)
        self._end.atexit = False  # a forked child's end must not be theirs; the pipe's end is
        self._frames = FrameBuffer()
        self._clock = WorkerClock(self._process.pid)
        self._started = self._heard = 0.0  # by the worker's clock
        self._has_begun = False
        self.job: Job | None = None
        self.is_fresh = True
        options = {"passwords": list(passwords), "limits": asdict(limits), "ocr": ocr}
        self._send(OPTIONS, json.dumps(options).encode())

    @property
    def pid(self) -> int:
        return self._process.pid

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when the worker says something or dies."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def give(self, job: Job) -> None:
        """Hand over a document; a worker that died meanwhile shows at the next `listen`."""
        self.job = job
        self._started = self._heard = self._clock.spent()
        self._has_begun = False
        request = {"source": asdict(job.source), "path": None if job.path is None else str(job.path)}
        self._send(JOB, json.dumps(request).encode())
        if job.path is None:
            self._send(CONTENT, job.data or b"")

    def listen(self) -> Outcome | None:
        """Read what has arrived; returns the outcome when the document is done or the worker has died."""
        assert self.job is not None
        piece = os.read(self.fileno(), _READ_BYTES)
        if not piece:
            return self._died()
        self._heard = self._clock.spent()
        try:
            for kind, payload in self._frames.feed(piece):
                if kind == BEAT:
                    if not self._has_begun:  # until then a new process was starting
                        self._started, self._has_begun = self._heard, True
                    continue
                document = decode(payload, source=self.job.source)
                return self._done(Outcome(self.job, document, payload))
        except (BrokenFrameError, EncodedDocumentError):
            self.kill()
            return self._done(Outcome(self.job, refusal=refusals.worker_crashed("its answer was damaged")))
        return None

    def check(self) -> Outcome | None:
        """Return the outcome when the worker has used up its time or memory, after ending it."""
        assert self.job is not None
        now, limits = self._clock.spent(), self._limits
        refusal = None
        if now - self._started > limits.total_seconds or now - self._heard > limits.silent_seconds:
            refusal = refusals.timed_out(seconds=now - self._started)
        elif self.resident_bytes() > limits.memory_bytes:
            refusal = refusals.out_of_memory(limit=limits.memory_bytes)
        if refusal is None:
            return None
        self.kill()
        return self._done(Outcome(self.job, refusal=refusal))

    def resident_bytes(self) -> int:
        """Return the child's resident memory; 0 where the system does not tell (then only rlimits hold)."""
        try:
            pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    @property
    def is_worn_out(self) -> bool:
        """Tell whether the process has ended or has kept so much memory that a new one is better."""
        return (
            self._process.poll() is not None
            or self.resident_bytes() > _WORN_OUT_SHARE * self._limits.memory_bytes
        )

    def kill(self) -> None:
        """End the process at once and wait for it."""
        self._end()

    def _died(self) -> Outcome:
        assert self.job is not None
        code = self._process.wait()
        how = f"exit code {code}"
        if code < 0:
            with contextlib.suppress(ValueError):
                how = signal.Signals(-code).name
        self.kill()
        return self._done(Outcome(self.job, refusal=refusals.worker_crashed(how)))

    def _done(self, outcome: Outcome) -> Outcome:
        self.job = None
        self.is_fresh = outcome.is_crash and self.is_fresh
        return outcome

    def _send(self, kind: bytes, payload: bytes) -> None:
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError):  # the worker died: `listen` will say how
            write_frame(stream, kind, payload)


def worker_environment() -> dict[str, str]:
    """Return a worker's environment: nothing of this process's, since keys live there and the child reads
    hostile files."""
    return {
        "PYTHONPATH": os.pathsep.join(_import_roots()),
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",  # one process per core: BLAS threads would only spin
        "OPENBLAS_NUM_THREADS": "1",
        "LC_ALL": "C.UTF-8",
    }


def _import_roots() -> list[str]:
    """Return where the worker must look for this package: beside it, and wherever this process looked."""
    package = Path(refusals.__file__).resolve().parents[3]
    return list(dict.fromkeys([str(package), *(entry for entry in sys.path if entry)]))


def end_process(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process, wait for it and close its pipes."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):  # unsent bytes have nobody to go to
                stream.close()
