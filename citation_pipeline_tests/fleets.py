"""A small fleet for tests: a real database, a real broker, workers as processes, on one machine."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import dagster as dg
import yaml
from dagster._core.launcher.base import LaunchRunContext

from citation_pipeline_tests.postgres import PostgresServer
from citation_pipeline_tests.redis_server import RedisServer

PROJECT = Path(__file__).resolve().parent.parent


@dataclass
class Fleet:
    """Hosts of one database and one broker; each has a folder of its own."""

    folder: Path
    database: str
    broker: str
    lost_after_s: float = 6.0
    queues: Mapping[str, str] = field(default_factory=dict)
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        return os.environ | self.servers() | {"PYTHONPATH": str(PROJECT), "PYTHONWARNINGS": "ignore"}

    def servers(self) -> dict[str, str]:
        return {
            "CITATION_PIPELINE_DAGSTER_DATABASE_URL": self.database,
            "CITATION_PIPELINE_BROKER_URL": self.broker,
        }

    def home(self, host: str) -> Path:
        """The host's own DAGSTER_HOME, with the same settings as every other's."""
        home = self.folder / host / "dagster_home"
        home.mkdir(parents=True, exist_ok=True)
        module = "citation_pipeline.defs.dagster_internals"
        settings: dict[str, Any] = {
            "telemetry": {"enabled": False},
            "storage": {
                "custom": {
                    "module": f"{module}.postgres_storage",
                    "class": "FleetPostgresStorage",
                    "config": {"postgres_url": {"env": "CITATION_PIPELINE_DAGSTER_DATABASE_URL"}},
                }
            },
            "run_launcher": {
                "module": f"{module}.worker_launcher",
                "class": "WorkerRunLauncher",
                "config": {
                    "broker": {"env": "CITATION_PIPELINE_BROKER_URL"},
                    "lost_after_seconds": self.lost_after_s,
                    "beat_seconds": 0.5,
                    "queues": dict(self.queues),
                },
            },
            "run_retries": {"enabled": True, "max_retries": 2},
            "run_monitoring": {"enabled": True, "poll_interval_seconds": 1},
        }
        (home / "dagster.yaml").write_text(yaml.safe_dump(settings))
        return home

    @contextmanager
    def instance(self, host: str = "daemon") -> Iterator[dg.DagsterInstance]:
        home = self.home(host)
        with (
            mock.patch.dict(os.environ, self.servers()),  # puts back what storages switch on, too
            dg.DagsterInstance.from_config(str(home)) as opened,
        ):
            yield opened

    def start_worker(
        self, name: str, *, slots: int = 1, queues: tuple[str, ...] = ()
    ) -> "subprocess.Popen[bytes]":
        """Start a worker and wait until it takes runs."""
        home = self.home(name)
        command = [sys.executable, "-m", "citation_pipeline_tests.fleets_worker", name, str(slots), *queues]
        log = (home / "worker.log").open("ab")
        with log:
            process = subprocess.Popen(
                command,
                env={**self.environment(), "DAGSTER_HOME": str(home)},
                cwd=PROJECT,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.workers.append(process)
        return process

    def end(self) -> None:
        for worker in self.workers:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()


@contextmanager
def running_fleet(
    folder: Path, postgres: PostgresServer, redis: RedisServer, **chosen: Any
) -> Iterator[Fleet]:
    """A fleet without workers yet; they end with the block."""
    fleet = Fleet(folder, postgres.new_database(), redis.new_broker(), **chosen)
    try:
        yield fleet
    finally:
        fleet.end()


def launch(instance: dg.DagsterInstance, job: dg.JobDefinition, **tags: str) -> dg.DagsterRun:
    """Launch a run as the daemon does."""
    origin = dg.reconstructable(job).get_python_origin()
    run = instance.create_run_for_job(
        job, job_code_origin=origin, status=dg.DagsterRunStatus.STARTING, tags=tags
    )
    instance.run_launcher.launch_run(LaunchRunContext(run, None))
    return found(instance, run.run_id)


def found(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRun:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)
