"""A worker: takes runs from queues of the broker and works on as many at once as it has slots."""

import os
import platform
import queue
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import dagster as dg

from citation_pipeline.core.failures import PipelineError
from citation_pipeline.defs.dagster_internals.run_forks import RunForks
from citation_pipeline.defs.dagster_internals.worker_launcher import TASK_NAME, WorkerRunLauncher
from citation_pipeline.defs.dagster_internals.worker_runs import Slot, unpack_origin, work_on
from citation_pipeline.defs.fleet.versions import code_version

REPORT = "citation_pipeline_report"
LOADED_AHEAD = "citation_pipeline.defs.fleet.loading:load_ahead"


class NoFleetError(PipelineError):
    """The instance's `dagster.yaml` sends runs to no worker."""


def launcher_of(instance: dg.DagsterInstance) -> WorkerRunLauncher:
    """Return the launcher that sends runs to workers. Raises NoFleetError."""
    launcher = instance.run_launcher
    if not isinstance(launcher, WorkerRunLauncher):
        raise NoFleetError(
            f"the dagster.yaml of this instance launches runs by {type(launcher).__name__}: write one with "
            "`citation-pipeline fleet init --launcher celery`"
        )
    return launcher


def run_worker(
    instance: dg.DagsterInstance,
    *,
    slots: int,
    queues: Sequence[str] = (),
    name: str = "",
    store: str = "",
    environment: Mapping[str, str] | None = None,
    module: str = "",
) -> None:
    """Work until asked to stop (SIGTERM): runs under way are finished, none is taken any more.

    `environment` is for the processes of runs, in place of this process's own; `module` is the code location
    that they find loaded, as it was when the worker started. Runs of another load it themselves.
    """
    launcher = launcher_of(instance)
    worker = f"{name or 'worker'}@{socket.gethostname()}"
    taken = tuple(queues) or (launcher.default_queue, *sorted(set(launcher.queues.values())))
    report = partial(report_of, slots=slots, queues=taken, store=store)
    forks = RunForks(module, environment, ahead=LOADED_AHEAD)
    forks.load()  # before any run is taken: it takes seconds, and a run that waits gives no sign of life
    _register(launcher, instance, worker=worker, slots=slots, report=report, forks=forks)
    launcher.celery.worker_main(
        [
            "worker",
            f"--hostname={worker}",
            f"--concurrency={slots}",
            "--pool=threads",  # a slot only watches a process
            f"--queues={','.join(dict.fromkeys(taken))}",
            "--without-gossip",
            "--without-mingle",
            "--loglevel=WARNING",
        ]
    )


def _register(
    launcher: WorkerRunLauncher,
    instance: dg.DagsterInstance,
    *,
    worker: str,
    slots: int,
    report: Callable[[], dict[str, Any]],
    forks: RunForks,
) -> None:
    from celery.worker.control import inspect_command

    free: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(slots):
        free.put(number)

    def execute_run(run_id: str, origin: Any) -> str:
        number = free.get()
        slot = Slot(f"{worker}/{number}", launcher.lost_after_s, launcher.beat_s)
        try:
            return work_on(instance, run_id, unpack_origin(origin), slot=slot, forks=forks)
        finally:
            free.put(number)

    launcher.celery.task(name=TASK_NAME, ignore_result=True)(execute_run)

    def answer(_state: Any) -> dict[str, Any]:
        return report()

    inspect_command(name=REPORT)(answer)


def report_of(*, slots: int, queues: Sequence[str], store: str) -> dict[str, Any]:
    """Return what `doctor` compares: versions, the clock, the store and what the worker takes."""
    return {
        "at": time.time(),
        "version": version("citation-pipeline"),
        "code": code_version(),
        "dagster": dg.__version__,
        "python": platform.python_version(),
        "store": store,
        "slots": slots,
        "cores": os.cpu_count() or 1,
        "queues": sorted(set(queues)),
    }
