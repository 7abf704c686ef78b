"""Runs of a fleet: taken by workers through a real broker, watched through a real database."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.launcher.base import WorkerStatus

from citation_pipeline.defs.dagster_internals.run_forks import RunForks
from citation_pipeline.defs.dagster_internals.worker_launcher import WorkerRunLauncher
from citation_pipeline.defs.dagster_internals.worker_notes import WORKER_TAG, read_note
from citation_pipeline.defs.dagster_internals.worker_runs import Slot, work_on
from citation_pipeline_tests import sleeping_job, spreading_job
from citation_pipeline_tests.fleets import Fleet, found, launch, running_fleet, wait_until
from citation_pipeline_tests.postgres import PostgresServer, running_postgres
from citation_pipeline_tests.redis_server import RedisServer, running_redis

STARTED, SUCCESS = dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.SUCCESS
FAILURE, CANCELED = dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture
def fleet(tmp_path: Path, postgres: PostgresServer, redis: RedisServer) -> Iterator[Fleet]:
    with running_fleet(tmp_path, postgres, redis) as made:
        yield made


@pytest.fixture(scope="module")
def standing(
    tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer, redis: RedisServer
) -> Iterator[Fleet]:
    """A fleet with a worker of many slots, for what leaves it as it is.

    Its workers are lost late: between ending a run oneself and being lost a busy machine needs some room.
    """
    with running_fleet(tmp_path_factory.mktemp("fleet"), postgres, redis, lost_after_s=20.0) as made:
        made.start_worker("host-1", slots=12)
        yield made


def launcher_of(instance: dg.DagsterInstance) -> WorkerRunLauncher:
    launcher = instance.run_launcher
    assert isinstance(launcher, WorkerRunLauncher)
    return launcher


def wait_for(instance: dg.DagsterInstance, run: dg.DagsterRun, status: dg.DagsterRunStatus) -> dg.DagsterRun:
    wait_until(lambda: found(instance, run.run_id).status is status, f"the run was never {status.value}", 120)
    return found(instance, run.run_id)


def process_of(instance: dg.DagsterInstance, run: dg.DagsterRun) -> int:
    note = read_note(instance, found(instance, run.run_id).tags[WORKER_TAG])
    assert note is not None
    return int(note.process.split(":")[-2])


def is_gone(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def processes_of(group: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            found.append(int(folder.name))
    return found


def test_a_run_on_a_worker_may_have_processes_of_its_own(standing: Fleet) -> None:
    with standing.instance() as instance:
        run = wait_for(instance, launch(instance, spreading_job.spreading), SUCCESS)
    assert run.tags[WORKER_TAG].startswith("worker@host-1/")


def test_a_run_that_is_stopped_is_canceled_by_the_worker_that_has_it(standing: Fleet) -> None:
    with standing.instance() as instance:
        run = wait_for(instance, launch(instance, sleeping_job.sleeping), STARTED)
        assert instance.run_launcher.terminate(run.run_id)
        wait_for(instance, run, CANCELED)
        assert not instance.run_launcher.terminate(run.run_id)


def test_a_run_that_no_worker_has_taken_is_canceled_at_once_and_never_started(fleet: Fleet) -> None:
    with fleet.instance() as instance:
        run = launch(instance, sleeping_job.ending)
        assert instance.run_launcher.terminate(run.run_id)
        assert found(instance, run.run_id).status is CANCELED
        fleet.start_worker("host-1")
        other = wait_for(instance, launch(instance, sleeping_job.ending), SUCCESS)  # behind it in the queue
        assert found(instance, run.run_id).status is CANCELED
        assert WORKER_TAG in other.tags
        assert WORKER_TAG not in found(instance, run.run_id).tags


def test_a_run_whose_process_is_killed_is_failed_at_once_by_its_worker(standing: Fleet) -> None:
    with standing.instance() as instance:
        run = wait_for(instance, launch(instance, sleeping_job.sleeping), STARTED)
        wait_until(lambda: process_of_or_none(instance, run) is not None, "the process was never named")
        os.kill(process_of(instance, run), signal.SIGKILL)
        assert wait_for(instance, run, FAILURE).tags.get("dagster/will_retry") != "false"


def process_of_or_none(instance: dg.DagsterInstance, run: dg.DagsterRun) -> int | None:
    note = read_note(instance, found(instance, run.run_id).tags[WORKER_TAG])
    return int(note.process.split(":")[-2]) if note and note.process else None


def test_a_killed_worker_takes_its_run_and_the_processes_of_the_run_with_it_and_is_noticed(
    fleet: Fleet,
) -> None:
    worker = fleet.start_worker("host-1")
    with fleet.instance() as instance:
        run = wait_for(instance, launch(instance, spreading_job.spreading_long), STARTED)
        wait_until(lambda: process_of_or_none(instance, run) is not None, "the process was never named")
        pid = process_of(instance, run)
        wait_until(lambda: len(processes_of(pid)) > 2, "the run never had processes of its own")
        assert instance.run_launcher.check_run_worker_health(found(instance, run.run_id)).status is (
            WorkerStatus.RUNNING
        )
        os.kill(worker.pid, signal.SIGKILL)
        wait_until(lambda: processes_of(pid) == [], "processes of the run outlive its worker")
        wait_until(
            lambda: (
                instance.run_launcher.check_run_worker_health(found(instance, run.run_id)).status
                is WorkerStatus.FAILED
            ),
            "the worker's end is not noticed",
        )


def test_a_worker_that_is_frozen_does_not_work_on_when_its_run_was_given_away(fleet: Fleet) -> None:
    worker = fleet.start_worker("host-1")
    with fleet.instance() as instance:
        run = wait_for(instance, launch(instance, sleeping_job.sleeping), STARTED)
        wait_until(lambda: process_of_or_none(instance, run) is not None, "the process was never named")
        pid = process_of(instance, run)
        os.kill(worker.pid, signal.SIGSTOP)
        instance.report_run_failed(found(instance, run.run_id), "given away")
        os.kill(worker.pid, signal.SIGCONT)
        wait_until(lambda: is_gone(pid), "its process works on")


def test_a_run_is_ended_by_its_worker_before_it_may_be_given_away_when_the_database_is_gone(
    standing: Fleet, postgres: PostgresServer
) -> None:
    with standing.instance() as instance:
        run = wait_for(instance, launch(instance, sleeping_job.sleeping), STARTED)
        wait_until(lambda: process_of_or_none(instance, run) is not None, "the process was never named")
        pid = process_of(instance, run)
        postgres.stop()
        try:
            wait_until(lambda: is_gone(pid), "it works on, unseen", standing.lost_after_s)
        finally:
            postgres.start()
        wait_for(instance, run, FAILURE)


def test_a_restarted_broker_is_nobodys_death_and_new_runs_are_taken(
    standing: Fleet, redis: RedisServer
) -> None:
    with standing.instance() as instance:
        run = wait_for(instance, launch(instance, sleeping_job.sleeping), STARTED)
        redis.stop()
        health = instance.run_launcher.check_run_worker_health(found(instance, run.run_id))
        assert health.status is WorkerStatus.RUNNING
        redis.start()
        wait_for(instance, launch(instance, sleeping_job.ending), SUCCESS)
        assert found(instance, run.run_id).status is STARTED


def test_a_message_that_comes_twice_starts_nothing_twice(standing: Fleet) -> None:
    with standing.instance() as instance:
        run = wait_for(instance, launch(instance, sleeping_job.sleeping), STARTED)
        origin = dg.reconstructable(sleeping_job.sleeping).get_python_origin()
        second = Slot("worker@host-2/0", 60, 1)
        assert work_on(instance, run.run_id, origin, slot=second, forks=RunForks()) == "left alone"
        assert found(instance, run.run_id).status is STARTED


def test_runs_go_to_the_queue_of_their_first_named_stage_and_wait_for_its_worker(
    tmp_path: Path, postgres: PostgresServer, redis: RedisServer
) -> None:
    queues = {"parsed_documents": "cpu", "raw_extraction": "few"}
    with running_fleet(tmp_path, postgres, redis, queues=queues) as fleet, fleet.instance() as instance:
        launcher = launcher_of(instance)

        def queue_of(*stages: str, **tags: str) -> str:
            chosen = frozenset(dg.AssetKey(stage) for stage in stages)
            return launcher.queue_of(
                dg.DagsterRun("job", asset_selection=chosen or None, tags=tags)  # type: ignore[call-arg]
            )

        assert queue_of("raw_extraction", "parsed_documents") == "cpu"
        assert queue_of("raw_extraction", "viewer_dataset") == "few"
        assert queue_of("viewer_dataset") == "dagster"
        assert queue_of("parsed_documents", **{"dagster-celery/queue": "mine"}) == "mine"

        fleet.start_worker("few-only", queues=("few",))
        ours = launch(instance, sleeping_job.ending, **{"dagster-celery/queue": "few"})
        other = launch(instance, sleeping_job.ending, **{"dagster-celery/queue": "cpu"})
        wait_for(instance, ours, SUCCESS)
        assert found(instance, other.run_id).status is dg.DagsterRunStatus.STARTING
        fleet.start_worker("cpu-only", queues=("cpu",))
        assert wait_for(instance, other, SUCCESS).tags[WORKER_TAG].startswith("worker@cpu-only/")


def test_no_run_waits_at_a_busy_worker_while_another_is_idle(fleet: Fleet) -> None:
    fleet.start_worker("host-1")
    with fleet.instance() as instance:
        wait_for(instance, launch(instance, sleeping_job.sleeping), STARTED)
        waiting = launch(instance, sleeping_job.ending)
        fleet.start_worker("host-2")
        assert wait_for(instance, waiting, SUCCESS).tags[WORKER_TAG].startswith("worker@host-2/")


def test_a_worker_that_is_asked_to_stop_finishes_its_run_and_takes_no_other(fleet: Fleet) -> None:
    worker = fleet.start_worker("host-1")
    with fleet.instance() as instance:
        run = wait_for(instance, launch(instance, spreading_job.spreading), STARTED)
        os.kill(worker.pid, signal.SIGTERM)
        wait_for(instance, run, SUCCESS)
        assert worker.wait(60) == 0
