"""A few worker processes that draw: bounded in time and memory, replaced when they hang or die.

PDFium is not thread-safe and parses hostile files in C++; neither must touch the server's process.

A pool of its own for the reasons of `local_parser.worker_pool`, and apart from that one: a page is drawn in
milliseconds for somebody who waits, by processes that are forked ready; a document is parsed in minutes, by
processes that are given none of this one's environment.
"""

import contextlib
import math
import multiprocessing
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

_MEMORY_BYTES = 3_000_000_000  # address space of a worker: a page of 30 megapixels needs some 400 MB
_MAX_ANSWER_BYTES = 500_000_000  # an annotated copy is as large as its original
_START_SECONDS = 60.0  # on a machine with four times the work it can do, 20 s were too short
_LOW_PRIORITY = 10  # what nobody waits for gives way to what a reader waits for
_LONGEST_CODE = 60
_DONE, _FAILED = b"d", b"e"


class WorkerFailedError(Exception):
    """The task took its worker down (`code` is `crashed`) or too long (`timed_out`), or none was started.

    `not_started` says nothing of the task: the machine has no process, or is too busy to start one in time.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class TaskError(Exception):
    """The task said why it could not be done; `code` is its stable word for it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class RenderPool:
    """Runs named tasks in worker processes; calls block, so call from threads.

    `workers` draw what a reader waits for, for at most `quick_s` a task; `patient_workers`, of lower priority
    and started when first needed, take what may last up to `timeout_s` of processor or wall time. `passwords`
    are tried on PDFs that need one.
    """

    def __init__(
        self,
        *,
        workers: int,
        timeout_s: float,
        quick_s: float = 1.0,
        patient_workers: int = 1,
        passwords: Sequence[str] = (),
    ) -> None:
        methods = multiprocessing.get_all_start_methods()
        # a fork server starts workers quickly, and clean of the server's threads and locks
        self._context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            self._context.set_forkserver_preload(["citation_pipeline.serving.rendering.tasks"])
        self._timeout_s, self.quick_s = timeout_s, quick_s
        self._quick: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._patient: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._is_closed = False
        self.workers, self.patient_workers = workers, patient_workers
        for _ in range(workers):
            self._quick.put(_Worker(self._context, tuple(passwords), priority=0))
        for _ in range(patient_workers):
            self._patient.put(_Worker(self._context, tuple(passwords), priority=_LOW_PRIORITY))

    def run(self, task: str, *arguments: Any, timeout_s: float | None = None) -> bytes:
        """Run a task of `tasks.TASKS` within the limits; raises TaskError or WorkerFailedError."""
        return self._run_in(self._patient, task, arguments, timeout_s or self._timeout_s)

    def run_quickly(self, task: str, *arguments: Any) -> bytes:
        """Run a task that a reader waits for; after WorkerFailedError `timed_out`, `run` may still do it."""
        return self._run_in(self._quick, task, arguments, self.quick_s)

    def warm(self) -> None:
        """Start the quick workers before the first reader comes."""
        workers = [self._quick.get() for _ in range(self.workers)]
        for worker in workers:
            try:
                with contextlib.suppress(WorkerFailedError):  # the first reader's request will say so
                    worker.run("wake", (), self._timeout_s)
            finally:
                self._quick.put(worker)

    def close(self) -> None:
        """End the workers; tasks under way fail."""
        self._is_closed = True
        for idle, count in ((self._quick, self.workers), (self._patient, self.patient_workers)):
            for _ in range(count):
                with contextlib.suppress(queue.Empty):
                    idle.get(timeout=self._timeout_s).stop()
        self.workers = self.patient_workers = 0

    def _run_in(
        self, idle: "queue.LifoQueue[_Worker]", task: str, arguments: tuple[Any, ...], timeout_s: float
    ) -> bytes:
        if self._is_closed:
            raise WorkerFailedError("not_started")
        worker = idle.get()
        try:
            if self._is_closed:
                raise WorkerFailedError("not_started")
            return worker.run(task, arguments, timeout_s)
        finally:
            idle.put(worker)


class _Worker:
    """One process, started when first needed.

    What it sends is a tag and bytes, never a pickle: a page that takes the worker over must not reach the
    server by its answer.
    """

    def __init__(self, context: Any, passwords: Sequence[str], *, priority: int) -> None:
        self._context, self._passwords, self._priority = context, passwords, priority
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def run(self, task: str, arguments: tuple[Any, ...], timeout_s: float) -> bytes:
        """Run one task; see RenderPool.run."""
        pipe = self._started(timeout_s)
        try:
            pipe.send((task, arguments, timeout_s))
            if not pipe.poll(timeout_s):
                self.stop()
                raise WorkerFailedError("timed_out")
            answer = pipe.recv_bytes(_MAX_ANSWER_BYTES)
        except (EOFError, OSError) as error:
            code = "timed_out" if self._ran_out_of_time() else "crashed"
            self.stop()
            raise WorkerFailedError(code) from error
        if answer[:1] == _FAILED:
            raise TaskError(_code_of(answer[1:]))
        return answer[1:]

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
        self._pipe = self._process = None

    def _ran_out_of_time(self) -> bool:
        if self._process is None:
            return False
        self._process.join(5)
        return self._process.exitcode == -signal.SIGXCPU

    def _started(self, timeout_s: float) -> Connection:
        # an answer that nobody asked for would be taken for the next task's
        if self._pipe is None or self._process is None or not self._process.is_alive() or self._pipe.poll(0):
            self.stop()
            ours, theirs = self._context.Pipe()
            self._process = self._context.Process(
                target=serve_tasks, args=(theirs, self._passwords, self._priority), daemon=True
            )
            try:
                with _without_main_module():
                    self._process.start()
            except (OSError, RuntimeError) as error:  # no process to be had
                self._process = None
                raise WorkerFailedError("not_started") from error
            theirs.close()
            self._pipe = ours
            if not _has_begun(ours, max(timeout_s, _START_SECONDS)):
                self.stop()
                raise WorkerFailedError("not_started")
        return self._pipe


_starting = threading.Lock()


@contextlib.contextmanager
def _without_main_module() -> Iterator[None]:
    """Hide the program's own module: multiprocessing would import it in each worker, where nothing of it is
    used. Of the command line that were 50 MB a worker."""
    with _starting:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _has_begun(pipe: Connection, seconds: float) -> bool:
    """Wait for a worker's first word: its start is not its task's time, and takes seconds under load."""
    try:
        return pipe.poll(seconds) and pipe.recv_bytes(1) == _DONE
    except (EOFError, OSError):
        return False


def _code_of(answer: bytes) -> str:
    """Return a worker's word for a failure when it is one: codes are identifiers."""
    word = answer[:_LONGEST_CODE].decode("ascii", "replace")
    return word if word.isidentifier() else "failed"


def serve_tasks(pipe: Connection, passwords: Sequence[str] = (), priority: int = 0) -> None:
    """Answer tasks until the other side is gone: the worker process's main loop."""
    limit_memory()
    with contextlib.suppress(AttributeError, OSError):
        os.nice(priority)
    # what a worker needs, the server does not
    from citation_pipeline.serving.rendering.pdf_opening import use_passwords
    from citation_pipeline.serving.rendering.tasks import TASKS

    use_passwords(passwords)
    tasks: dict[str, Callable[..., bytes]] = dict(TASKS)
    pipe.send_bytes(_DONE)
    while True:
        try:
            name, arguments, seconds = pipe.recv()
        except (EOFError, OSError):
            return
        limit_processor_time(seconds)
        try:
            answer = _DONE + tasks[name](*arguments)
        except MemoryError:
            answer = _FAILED + b"too_large"
        except Exception as error:  # the worker lives on; the class name says nothing of the content
            answer = _FAILED + str(getattr(error, "code", type(error).__name__)).encode()
        pipe.send_bytes(answer)


def limit_memory() -> None:
    """Bound this process's address space, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on every system; without it the server's own limits hold

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


def limit_processor_time(seconds: float) -> None:
    """End this process when it uses more than `seconds` of processor time from now, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        # whole seconds, one more than asked for: the server's own clock is the exact one
        most = math.ceil(usage.ru_utime + usage.ru_stime + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
