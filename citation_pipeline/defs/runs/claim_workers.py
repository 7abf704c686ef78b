"""The processes that a run spreads its claims over: started when first needed, kept until the run ends.

Assets and checks of a run share them, so that what Python takes to start is paid once. What is done with a
claim belongs to their caller. Only our own code runs in them, so a pool of `concurrent.futures` is enough.
"""

import gc
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

import pyarrow as pa

from citation_pipeline.adapters.object_storage.objects import forget_what_runs_asked
from citation_pipeline.adapters.tables.light_arrow import leave_pandas_out
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.defs.runs.verdicts import KeptVerdicts

T = TypeVar("T")

# below this many claims the processes' start (some seconds) costs more than they save
_WORTH_PROCESSES = 24
# claims handed to a process at once: amortises the hand-over, and keeps the progress lively
_CLAIMS_AT_ONCE = 4


class LostWorkerError(PipelineError):
    """A process that worked on claims is gone: killed, or out of memory. Trying again may help."""

    transient = True

    def __init__(self) -> None:
        super().__init__(
            "a process of the run was killed while it worked on this claim or its neighbours: run it again; "
            "if that repeats, lower CITATION_PIPELINE_WORKERS"
        )


class ClaimWorkers:
    """Does the same for many claims, on one core or on several; results come in the claims' order.

    `verdicts` are what the run found of its claims before the checks' own steps.
    """

    def __init__(self, processes: int = 1, *, preload: Sequence[str] = ()) -> None:
        self.verdicts = KeptVerdicts()
        self._processes = processes
        self._preload = list(preload)
        self._pool: ProcessPoolExecutor | None = None

    def map(self, work: Callable[[str], T], keys: Sequence[str]) -> Iterator[T | LostWorkerError]:
        """Yield what `work` returns for each key; a LostWorkerError for claims whose process died.

        With many keys `work` runs in other processes and must be picklable: a module's function, or a
        partial of one. It must not raise.
        """
        if self._processes < 2 or len(keys) < _WORTH_PROCESSES:
            yield from map(work, keys)
            return
        results = self._open().map(work, keys, chunksize=_CLAIMS_AT_ONCE)
        done = 0
        try:
            for result in results:
                yield result
                done += 1
        except BrokenProcessPool:
            self.close()
            yield from (LostWorkerError() for _ in range(len(keys) - done))
        finally:
            forget_what_runs_asked()

    def close(self) -> None:
        """End the processes; those to come are started anew."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # forked from a fresh process: this one has threads, and a fork of it may never wake up
            context = multiprocessing.get_context("forkserver")
            context.set_forkserver_preload(self._preload)
            self._pool = ProcessPoolExecutor(self._processes, mp_context=context, initializer=_start)
        return self._pool


def _start() -> None:
    threading.Thread(target=_end_with_run, daemon=True).start()
    leave_pandas_out(with_datasets=False)
    # Arrow's own pool keeps what it got: a quarter of what such a process holds for itself
    pa.set_memory_pool(pa.system_memory_pool())
    _collect_rarely()


def _end_with_run() -> None:
    """End this process when the run's own is gone.

    A run that is killed leaves nobody who would say that there is no more work; and the server that forks
    these processes lives as long as one of them does.
    """
    run = multiprocessing.parent_process()
    if run is not None:
        run.join()
        os._exit(1)


def _collect_rarely() -> None:
    """Look for cyclic garbage seldom, and never among the imported modules.

    A claim is tens of thousands of small objects in no cycles: searching them takes a fifth of its time.
    """
    gc.freeze()
    gc.set_threshold(1_000_000, 20, 20)


@contextmanager
def open_claim_workers(processes: int, *, preload: Sequence[str] = ()) -> Iterator[ClaimWorkers]:
    """Workers that are ended with the block."""
    workers = ClaimWorkers(processes, preload=preload)
    try:
        yield workers
    finally:
        workers.close()
