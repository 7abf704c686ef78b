"""Runs launched as processes: each ends with its run, and its run with it, at every state."""

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.launcher.base import LaunchRunContext, WorkerStatus
from dagster._daemon.monitoring.run_monitoring import monitor_started_run, monitor_starting_run

from citation_pipeline.defs.dagster_internals import dead_runs
from citation_pipeline.defs.dagster_internals.dead_runs import (
    PROCESS_TAG,
    fail_dead_runs,
    find_process,
    is_alive,
)
from citation_pipeline.defs.dagster_internals.run_launchers import WatchedRunLauncher
from citation_pipeline.defs.instances import open_instance
from citation_pipeline_tests import sleeping_job

LOGGER = logging.getLogger("test")
PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    with open_instance(tmp_path / "home") as opened:
        yield opened
        for thread in threading.enumerate():
            if "_watch" in thread.name:  # it reports the end of a process, to this instance
                thread.join(60)


def launch(instance: dg.DagsterInstance, job: dg.JobDefinition) -> dg.DagsterRun:
    origin = dg.reconstructable(job).get_python_origin()
    run = instance.create_run_for_job(
        job, job_code_origin=origin, status=dg.DagsterRunStatus.STARTING, tags={}
    )
    instance.run_launcher.launch_run(LaunchRunContext(run, None))
    return found(instance, run.run_id)


def found(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRun:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def status_of(instance: dg.DagsterInstance, run: dg.DagsterRun) -> dg.DagsterRunStatus:
    return found(instance, run.run_id).status


def test_a_launched_run_is_named_with_its_process_and_ends(instance: dg.DagsterInstance) -> None:
    run = launch(instance, sleeping_job.ending)
    assert is_alive(run.tags[PROCESS_TAG])
    wait_until(lambda: status_of(instance, run) is dg.DagsterRunStatus.SUCCESS, "the run did not end")


@pytest.mark.parametrize("state", [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED])
def test_a_run_whose_process_is_killed_is_failed_at_once_and_run_again(
    instance: dg.DagsterInstance, state: dg.DagsterRunStatus
) -> None:
    run = launch(instance, sleeping_job.sleeping)
    wait_until(lambda: status_of(instance, run) is state, f"the run was never {state.value}")
    os.kill(int(run.tags[PROCESS_TAG].split(":")[-2]), signal.SIGKILL)
    wait_until(lambda: status_of(instance, run) is dg.DagsterRunStatus.FAILURE, "the run is not failed")
    wait_until(  # the tag follows the status
        lambda: found(instance, run.run_id).tags.get("dagster/will_retry") == "true", "no retry follows", 60
    )


@pytest.mark.parametrize("is_tagged", [True, False], ids=["tagged", "daemon killed before the tag"])
def test_a_run_that_takes_too_long_to_start_leaves_no_process_behind(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, is_tagged: bool
) -> None:
    if not is_tagged:
        monkeypatch.setattr(instance, "add_run_tags", lambda *_: None)
    run = launch(instance, sleeping_job.sleeping)
    owner = find_process(run.run_id)
    assert owner is not None
    assert run.tags.get(PROCESS_TAG) == (owner if is_tagged else None)
    os.kill(int(owner.split(":")[-2]), signal.SIGSTOP)  # as slow as can be
    instance.report_engine_event("starting", run)
    monkeypatch.setattr(
        type(instance), "run_monitoring_start_timeout_seconds", property(lambda _: 1), raising=True
    )
    monkeypatch.setattr(instance, "get_run_stats", lambda _: type("Stats", (), {"launch_time": 1.0}))
    record = instance.get_run_record_by_id(run.run_id)
    assert record is not None
    monitor_starting_run(instance, record, LOGGER)
    assert status_of(instance, run) is dg.DagsterRunStatus.FAILURE
    wait_until(lambda: not is_alive(owner), "its process works on, beyond the limit")


def test_a_dead_run_of_a_daemon_that_was_killed_too_is_failed_by_the_next_one(
    instance: dg.DagsterInstance,
) -> None:
    origin = dg.reconstructable(sleeping_job.sleeping).get_python_origin()
    run = instance.create_run_for_job(
        sleeping_job.sleeping,
        job_code_origin=origin,
        status=dg.DagsterRunStatus.STARTED,
        tags={PROCESS_TAG: f"{os.uname().nodename}:{os.getpid()}:1"},  # a former process of the same id
    )
    record = instance.get_run_record_by_id(run.run_id)
    assert record is not None
    monitor_started_run(instance, None, record, LOGGER)  # type: ignore[arg-type]
    assert status_of(instance, run) is dg.DagsterRunStatus.FAILURE


def test_runs_that_a_killed_daemon_was_starting_give_their_places_back_when_the_next_one_starts_a_run(
    instance: dg.DagsterInstance,
) -> None:
    gone = f"{os.uname().nodename}:{os.getpid()}:1"  # a former process of the same id
    origin = dg.reconstructable(sleeping_job.sleeping).get_python_origin()
    started_late = launch(instance, sleeping_job.sleeping)
    left, living = (
        instance.create_run_for_job(
            sleeping_job.sleeping,
            job_code_origin=origin,
            status=dg.DagsterRunStatus.STARTING,
            tags={PROCESS_TAG: owner},
        )
        for owner in (gone, started_late.tags[PROCESS_TAG])
    )
    # killed between the start of the process and its name: the process works, the tag is the daemon's
    instance.add_run_tags(started_late.run_id, {PROCESS_TAG: gone})
    other = launch(instance, sleeping_job.ending)
    assert status_of(instance, left) is dg.DagsterRunStatus.FAILURE
    assert status_of(instance, living) is dg.DagsterRunStatus.STARTING
    assert status_of(instance, started_late) is not dg.DagsterRunStatus.FAILURE
    owner = find_process(started_late.run_id)
    assert owner is not None
    os.kill(int(owner.split(":")[-2]), signal.SIGKILL)
    wait_until(lambda: found(instance, started_late.run_id).is_finished, "the run is not failed")
    wait_until(lambda: found(instance, other.run_id).is_finished, "the run did not end")


def test_a_live_run_in_another_container_of_this_host_name_is_left_alone_and_a_dead_one_is_failed(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the daemon was killed together with its container: nobody waits for the process
    left: list[subprocess.Popen[bytes]] = []
    monkeypatch.setattr(WatchedRunLauncher, "_watch", lambda _, process, *__: left.append(process))
    run = launch(instance, sleeping_job.sleeping)
    wait_until(lambda: status_of(instance, run) is dg.DagsterRunStatus.STARTED, "the run was never started")
    pid = int(run.tags[PROCESS_TAG].split(":")[-2])
    watching = WatchedRunLauncher()
    watching.register_instance(instance)
    with monkeypatch.context() as elsewhere:  # where process ids are others, and this one's means nobody
        elsewhere.setattr(dead_runs, "process_namespace", lambda: "4026530000")
        elsewhere.setattr(dead_runs, "find_process", lambda _: None)
        elsewhere.setattr(dead_runs, "name_of", lambda pid: f"{os.uname().nodename}@4026530000:{pid}:gone")
        alive = watching.check_run_worker_health(found(instance, run.run_id))
        assert alive.status is WorkerStatus.RUNNING
        assert fail_dead_runs(instance) == 0
        os.kill(pid, signal.SIGKILL)
        wait_until(
            lambda: (
                watching.check_run_worker_health(found(instance, run.run_id)).status is WorkerStatus.FAILED
            ),
            "its end is not seen from another container",
        )
    left[0].wait()


def test_a_process_whose_run_cannot_be_told_of_it_is_ended(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def refuse(run_id: str, tags: dict[str, str]) -> None:
        told.append(tags[PROCESS_TAG])
        if len(told) == 2:
            raise OSError("database is locked")

    monkeypatch.setattr(instance, "add_run_tags", refuse)
    with pytest.raises(OSError, match="locked"):  # Dagster fails the run, so that another takes its place
        launch(instance, sleeping_job.sleeping)
    assert told[0].split(":")[1] == str(os.getpid())
    wait_until(lambda: not is_alive(told[1]), "its process works on, beyond the limit")


def test_a_run_that_somebody_stops_is_canceled(instance: dg.DagsterInstance) -> None:
    run = launch(instance, sleeping_job.sleeping)
    wait_until(lambda: status_of(instance, run) is dg.DagsterRunStatus.STARTED, "the run was never started")
    wait_until(
        lambda: bool(instance.all_logs(run.run_id, of_type=dg.DagsterEventType.STEP_START)), "no step began"
    )
    assert instance.run_launcher.terminate(run.run_id)
    wait_until(lambda: status_of(instance, run) is dg.DagsterRunStatus.CANCELED, "the run is not canceled")
    assert not instance.run_launcher.terminate(run.run_id)
