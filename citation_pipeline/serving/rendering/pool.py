"""A few worker processes that draw: bounded in time and memory, replaced when they hang or die.

PDFium is not thread-safe and parses hostile files in C++; neither must touch the server's process.
"""

import contextlib
import multiprocessing
import queue
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

_MEMORY_BYTES = 3_000_000_000  # address space of a worker: a page of 30 megapixels needs some 400 MB


class WorkerFailedError(Exception):
    """The task took its worker down, or too long; `code` is `timed_out` or `crashed`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class TaskError(Exception):
    """The task said why it could not be done; `code` is its stable word for it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class RenderPool:
    """Runs named tasks in `workers` processes; calls block, so call from threads.

    `passwords` are tried on PDFs that need one.
    """

    def __init__(self, *, workers: int, timeout_s: float, passwords: Sequence[str] = ()) -> None:
        methods = multiprocessing.get_all_start_methods()
        # a fork server starts workers quickly, and clean of the server's threads and locks
        self._context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            self._context.set_forkserver_preload(["citation_pipeline.serving.rendering.tasks"])
        self._timeout_s = timeout_s
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._lock = threading.Lock()
        self._is_closed = False
        self.workers = workers
        for _ in range(workers):
            self._idle.put(_Worker(self._context, tuple(passwords)))

    def run(self, task: str, *arguments: Any, timeout_s: float | None = None) -> Any:
        """Run a task of `tasks.TASKS`; raises TaskError or WorkerFailedError."""
        worker = self._idle.get()
        try:
            if self._is_closed:
                raise WorkerFailedError("crashed")
            return worker.run(task, arguments, timeout_s or self._timeout_s)
        finally:
            self._idle.put(worker)

    def warm(self) -> None:
        """Start the workers before the first reader comes."""
        workers = [self._idle.get() for _ in range(self.workers)]
        for worker in workers:
            try:
                worker.run("wake", (), self._timeout_s)
            finally:
                self._idle.put(worker)

    def close(self) -> None:
        """End the workers; tasks under way fail."""
        self._is_closed = True
        with self._lock:
            for _ in range(self.workers):
                with contextlib.suppress(queue.Empty):
                    self._idle.get(timeout=self._timeout_s).stop()
            self.workers = 0


class _Worker:
    """One process, started when first needed."""

    def __init__(self, context: Any, passwords: Sequence[str]) -> None:
        self._context = context
        self._passwords = passwords
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def run(self, task: str, arguments: tuple[Any, ...], timeout_s: float) -> Any:
        """Run one task; see RenderPool.run."""
        pipe = self._started()
        try:
            pipe.send((task, arguments))
            if not pipe.poll(timeout_s):
                self.stop()
                raise WorkerFailedError("timed_out")
            kind, answer = pipe.recv()
        except (EOFError, OSError) as error:
            self.stop()
            raise WorkerFailedError("crashed") from error
        if kind == "error":
            raise TaskError(answer)
        return answer

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
        self._pipe = self._process = None

    def _started(self) -> Connection:
        if self._pipe is None or self._process is None or not self._process.is_alive():
            self.stop()
            ours, theirs = self._context.Pipe()
            self._process = self._context.Process(
                target=serve_tasks, args=(theirs, self._passwords), daemon=True
            )
            self._process.start()
            theirs.close()
            self._pipe = ours
        assert self._pipe is not None
        return self._pipe


def serve_tasks(pipe: Connection, passwords: Sequence[str] = ()) -> None:
    """Answer tasks until the other side is gone: the worker process's main loop."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # not on every system; without it the server's own limits hold

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    # what a worker needs, the server does not
    from citation_pipeline.serving.rendering.pdf_opening import use_passwords
    from citation_pipeline.serving.rendering.tasks import TASKS

    use_passwords(passwords)
    tasks: dict[str, Callable[..., Any]] = dict(TASKS)
    while True:
        try:
            name, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = ("done", tasks[name](*arguments))
        except MemoryError:
            answer = ("error", "too_large")
        except Exception as error:  # the worker lives on; the class name says nothing of the content
            answer = ("error", getattr(error, "code", type(error).__name__))
        pipe.send(answer)
