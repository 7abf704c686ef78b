"""The worker pool: processes that parse one document each at a time, and are ended when one misbehaves.

A document that ends a worker costs that document, never the others. Which documents come is `parser.py`'s.

A pool of its own: one of `concurrent.futures` cannot end the one process that hangs, and both it and `pebble`
(LGPL) read pickles from the process that has read a hostile file.
"""

import selectors
from collections import deque
from collections.abc import Callable, Iterable

from citation_pipeline.adapters.local_parser.worker_processes import Job, Outcome, WorkerProcess

_POLL_SECONDS = 0.1  # how often memory and deadlines are looked at


class WorkerPool:
    """At most `workers` processes, kept warm between runs; not for use from two threads at once."""

    def __init__(self, *, workers: int, start: Callable[[], WorkerProcess]) -> None:
        if workers < 1:
            raise ValueError(f"{workers} workers parse nothing; give at least 1")
        self._workers = workers
        self._start = start
        self._idle: list[WorkerProcess] = []

    @property
    def idle_pids(self) -> list[int]:
        """The process ids of the workers between two documents."""
        return [worker.pid for worker in self._idle]

    def run(self, jobs: Iterable[Job], *, on_outcome: Callable[[Outcome], None]) -> None:
        """Parse every job, calling `on_outcome` as each ends, in the order of ending."""
        waiting = deque(jobs)
        busy: list[WorkerProcess] = []
        again: set[int] = set()  # jobs whose second try is under way
        with selectors.DefaultSelector() as selector:
            try:
                while waiting or busy:
                    while waiting and len(busy) < self._workers:
                        job = waiting.popleft()
                        worker = self._start() if id(job) in again else self._take()
                        worker.give(job)
                        selector.register(worker, selectors.EVENT_READ)
                        busy.append(worker)
                    ready = {key.fileobj for key, _ in selector.select(_POLL_SECONDS)}
                    for worker in list(busy):
                        outcome = worker.listen() if worker in ready else None
                        outcome = outcome or (worker.check() if worker.job is not None else None)
                        if outcome is None:
                            continue
                        self._release(worker, selector)
                        busy.remove(worker)
                        if outcome.is_crash and not worker.is_fresh and id(outcome.job) not in again:
                            # perhaps what an earlier document left behind: a new process tells
                            again.add(id(outcome.job))
                            waiting.appendleft(outcome.job)
                            continue
                        on_outcome(outcome)
            finally:
                for worker in busy:  # an exception is on its way: nobody will read their answers
                    worker.kill()

    def _take(self) -> WorkerProcess:
        while self._idle:
            worker = self._idle.pop()
            if not worker.is_worn_out:
                return worker
            worker.kill()
        return self._start()

    def _release(self, worker: WorkerProcess, selector: selectors.BaseSelector) -> None:
        for key in list(selector.get_map().values()):
            if key.fileobj is worker:
                selector.unregister(worker)
        if worker.is_worn_out:
            worker.kill()
        else:
            self._idle.append(worker)

    def close(self) -> None:
        """End the idle workers."""
        while self._idle:
            self._idle.pop().kill()
