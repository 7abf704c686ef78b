"""Measures a fleet: one database, one broker, one object store, several hosts; and a night full of faults.

    .venv/bin/python benchmarks/fleet.py [--claims 300] [--workers 1,2,3] [--faults] [--json FILE]

Hosts are network, process and host-name namespaces where this may make them, else processes with folders of
their own; the result says which. The object store is moto (one process): a real one is faster. All hosts
share this machine's cores, so efficiency says what the fleet costs, not what more machines would bring.
"""

import argparse
import atexit
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "benchmarks")]

import dagster as dg  # noqa: E402
import psycopg2  # noqa: E402
from fleet_hosts import (  # noqa: E402
    Front,
    Network,
    kill,
    postgres_at,
    redis_at,
    s3_at,
    start_process,
    wait_for,
)

from citation_pipeline.adapters.tables.claim_store import ClaimStore  # noqa: E402
from citation_pipeline.core.planning.stages import REMATCH_STAGES, STAGES  # noqa: E402
from citation_pipeline.defs.dagster_internals.worker_notes import WORKER_TAG  # noqa: E402
from citation_pipeline_tests.daemons import submit_backfill, wait_for_backfill  # noqa: E402
from citation_pipeline_tests.night_scene import write_inbox  # noqa: E402

LOCATION = "citation_pipeline.defs.definitions"
OPEN = [dg.DagsterRunStatus[name] for name in ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")]


class Fleet:
    """Servers, a daemon and workers over one empty store."""

    def __init__(self, root: Path, network: Network, *, workers: int, claims: int, nice: int) -> None:
        self.root, self.network, self.nice = root, network, nice
        root.mkdir(parents=True)
        self.inbox = root / "inbox"
        self.names = write_inbox(self.inbox, claims)
        self.postgres, database = postgres_at(root / "pg", network.address)
        self.redis, broker = redis_at(root / "redis", network.address)
        self.s3, port = s3_at(root, network.address)
        self.front = Front(network.address, port)
        for server in (self.postgres, self.redis, self.s3):
            server.start()
        self.front.start()
        endpoint = f"{network.address}:{self.front.port}"
        self.given = {
            "CITATION_PIPELINE_STORE": f"s3://claims/a?region=us-east-1&scheme=http&endpoint_override={endpoint}",
            "CITATION_PIPELINE_DAGSTER_DATABASE_URL": database,
            "CITATION_PIPELINE_COORDINATION_URL": database,
            "CITATION_PIPELINE_VERIFICATIONS_URL": database,
            "CITATION_PIPELINE_BROKER_URL": broker,
            "CITATION_PIPELINE_RUNS": str(workers),
            "CITATION_PIPELINE_RUNS_PARSING": str(workers),
            "CITATION_PIPELINE_WORKERS": "1",
            "CITATION_PIPELINE_LOST_AFTER_S": "20",
            "CITATION_PIPELINE_REMATCH_CLAIMS": str(max(1, math.ceil(claims / workers))),
            "CITATION_PIPELINE_NIGHT_CRON": "* * * * *",
            "CITATION_PIPELINE_INBOX": str(self.inbox),
            "CITATION_PIPELINE_INBOX_SETTLE_S": "0",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "QUICK_DAEMON_SECONDS": "2",
            "PYTHONPATH": str(PROJECT),
            "PYTHONWARNINGS": "ignore",
        }
        os.environ.update(self.given)
        os.environ["CITATION_PIPELINE_WORK_DIR"] = str(root / "bench" / "work")
        self.database = database
        self._command("fleet", "init")
        self._command("fleet", "pools")
        self.instance = dg.DagsterInstance.from_config(str(root / "daemon" / "home"))
        self.processes = {"daemon": self._start_daemon()}
        self.started = {}
        for number in range(workers):
            self.start_worker(f"host{number + 1}")
        self.store = ClaimStore(self.given["CITATION_PIPELINE_STORE"])

    def environment(self, host: str) -> dict[str, str]:
        folders = {
            "DAGSTER_HOME": str(self.root / host / "home"),
            "CITATION_PIPELINE_WORK_DIR": str(self.root / host / "work"),
        }
        return {**os.environ, **self.given, **folders}

    def start_worker(self, host: str) -> None:
        if host not in self.started:
            self.started[host] = self.network.add(host)
            home = self.root / host / "home"
            home.mkdir(parents=True)
            text = (self.root / "daemon" / "home" / "dagster.yaml").read_text()
            (home / "dagster.yaml").write_text(text)
        words = [*self.started[host], sys.executable, "-m", "citation_pipeline", "fleet", "worker"]
        self.processes[host] = start_process(
            [*words, "--slots", "1", "--name", host],
            self.environment(host),
            self.root / f"{host}.log",
            nice=self.nice,
        )

    def start_daemon(self) -> None:
        self.processes["daemon"] = self._start_daemon()

    def counted(self) -> dict[str, int]:
        """Return how much database and object store were asked so far."""
        with psycopg2.connect(self.database) as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT xact_commit + xact_rollback, pg_database_size(datname) "
                "FROM pg_stat_database WHERE datname = 'postgres'"
            )
            transactions, size = cursor.fetchone()
        log = (self.root / "s3.log").read_text(errors="replace")
        return {
            "transactions": int(transactions),
            "database_bytes": int(size),
            "object_requests": log.count(' HTTP/1.1" '),
            "object_writes": log.count('"PUT '),
        }

    def is_complete(self, name: str) -> bool:
        return self.store.has("viewer_dataset", name, "data.json") and self.store.has(
            "chunks", f"{name}.parquet"
        )

    def is_settled(self) -> bool:
        if self.instance.get_runs(dg.RunsFilter(statuses=OPEN), limit=1):
            return False
        made = self.instance.get_materialized_partitions(dg.AssetKey("search_index"))
        return made >= set(self.names)

    def bytes_of(self, name: str) -> str:
        return hashlib.sha256(self.store.read_bytes("viewer_dataset", name, "data.json")).hexdigest()

    def end(self) -> None:
        for process in self.processes.values():
            kill(process)
        self.instance.dispose()
        for server in (self.redis, self.s3, self.postgres):
            server.stop()

    def _start_daemon(self) -> "subprocess.Popen[bytes]":
        words = [sys.executable, "-m", "citation_pipeline_tests.quick_daemon", "run", "-m", LOCATION]
        return start_process(words, self.environment("daemon"), self.root / "daemon.log", nice=self.nice)

    def _command(self, *words: str) -> None:
        command = [sys.executable, "-m", "citation_pipeline", *words]
        subprocess.run(command, env=self.environment("daemon"), cwd=PROJECT, check=True, capture_output=True)

    def switch_on(self, schedule: str) -> None:
        command = [sys.executable, "-m", "dagster", "schedule", "start", schedule, "-m", LOCATION]
        subprocess.run(command, env=self.environment("daemon"), cwd=PROJECT, check=True, capture_output=True)


@contextmanager
def running(root: Path, *, workers: int, claims: int, nice: int) -> Iterator[Fleet]:
    network = Network()
    fleet = None
    try:
        fleet = Fleet(root, network, workers=workers, claims=claims, nice=nice)
        yield fleet
    finally:
        if fleet is not None:
            fleet.end()
        network.remove()


def measure(root: Path, *, workers: int, claims: int, nice: int) -> dict[str, Any]:
    """A night and a re-match of every claim, nothing disturbed."""
    with running(root, workers=workers, claims=claims, nice=nice) as fleet:
        before = fleet.counted()
        fleet.switch_on("nightly")
        first = wait_for_first_run(fleet)
        wait_for(fleet.is_settled, "the night never ended", 60 + claims * 60)
        night = time.monotonic() - first
        after = fleet.counted()
        found: dict[str, Any] = {
            "workers": workers,
            "claims": claims,
            "hosts": "namespaces" if fleet.network.is_real else "processes with folders of their own",
            "night_s": round(night, 1),
            "night_claims_a_minute": round(claims / night * 60, 1),
            **{f"night_{name}_a_claim": round((after[name] - before[name]) / claims) for name in after},
            "runs_by_host": by_host(fleet),
        }
        began, before = time.monotonic(), after
        rematch(fleet)
        after = fleet.counted()
        found |= {
            "rematch_s": round(time.monotonic() - began, 1),
            **{f"rematch_{name}_a_claim": round((after[name] - before[name]) / claims) for name in after},
            "data": {name: fleet.bytes_of(name) for name in fleet.names},
        }
        return found


def rematch(fleet: Fleet) -> None:
    from citation_pipeline.defs.definitions import build_definitions

    backfill = submit_backfill(fleet.instance, build_definitions(), REMATCH_STAGES, fleet.names)
    wait_for_backfill(fleet.instance, backfill, seconds=120 + 20 * len(fleet.names))


def wait_for_first_run(fleet: Fleet) -> float:
    wait_for(lambda: bool(fleet.instance.get_runs(limit=1)), "the night never began", 300)
    return time.monotonic()


def by_host(fleet: Fleet) -> dict[str, int]:
    counts: dict[str, int] = {}
    for run in fleet.instance.get_runs():
        host = run.tags.get(WORKER_TAG, "none").partition("@")[0]
        counts[host] = counts.get(host, 0) + 1
    return counts


def night_of_faults(root: Path, *, claims: int, nice: int, cut_s: float, unwell_s: float) -> dict[str, Any]:
    """A night in which everything fails once; then what it left is counted."""
    with running(root, workers=3, claims=claims, nice=nice) as fleet:
        fleet.switch_on("nightly")
        began = wait_for_first_run(fleet)
        log: list[str] = []

        def note(what: str) -> None:
            log.append(f"{time.monotonic() - began:.0f} s: {what}")

        time.sleep(10)
        kill(fleet.processes["host1"])
        note("host1 killed (-9)")
        time.sleep(10)
        if fleet.network.is_real:
            fleet.network.cut("host2", off=True)
            note(f"host2 cut off for {cut_s:.0f} s")
        kill(fleet.processes["daemon"])
        note("daemon killed (-9)")
        time.sleep(cut_s)
        fleet.network.cut("host2", off=False)
        fleet.start_daemon()
        fleet.start_worker("host1")
        note("host2 connected, daemon and host1 started again")
        time.sleep(15)
        fleet.redis.stop()
        time.sleep(3)
        fleet.redis.start()
        note("broker restarted")
        time.sleep(10)
        fleet.postgres.stop()
        time.sleep(3)
        fleet.postgres.start()
        note("PostgreSQL restarted")
        time.sleep(10)
        fleet.front.turn(unwell=True)
        time.sleep(unwell_s)
        fleet.front.turn(unwell=False)
        note(f"object store answered 503 for {unwell_s:.0f} s")
        try:
            wait_for(fleet.is_settled, "the night never ended", 600 + claims * 60)
        except TimeoutError:
            log.append("NOT SETTLED")
        note("settled")
        failed = fleet.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE]))
        return {
            "claims": claims,
            "hosts": "namespaces" if fleet.network.is_real else "processes: nothing was cut off",
            "complete": sum(fleet.is_complete(name) for name in fleet.names),
            "open_runs": len(fleet.instance.get_runs(dg.RunsFilter(statuses=OPEN))),
            "failed_and_retried_runs": len(failed),
            "runs_by_host": by_host(fleet),
            "made_twice": made_twice(fleet),
            "log": log,
            "data": {name: fleet.bytes_of(name) for name in fleet.names if fleet.is_complete(name)},
        }


def made_twice(fleet: Fleet) -> list[str]:
    """Name the claims and stages that two runs report as made of the same inputs."""
    found = []
    for stage in STAGES:
        made: dict[tuple[Any, str], list[str]] = {}
        for record in fleet.instance.fetch_materializations(dg.AssetKey(stage), limit=5000).records:
            event = record.asset_materialization
            if event is not None and "made_by" not in event.metadata:
                version = (event.tags or {}).get("dagster/data_version", "")
                made.setdefault((record.partition_key, version), []).append(record.run_id[:8])
        found += [f"{stage} of {claim} by {runs}" for (claim, _), runs in made.items() if len(runs) > 1]
    return found


def alone(root: Path, claims: int) -> dict[str, str]:
    """The same claims on one machine, over a folder: the bytes that every fleet has to give."""
    names = write_inbox(root / "inbox", claims)
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("CITATION_PIPELINE_", "DAGSTER_"))}
    command = [sys.executable, "-m", "citation_pipeline", "run", "--store", str(root / "store")]
    folders = [str(root / "inbox" / name) for name in names]
    subprocess.run([*command, *folders], env=kept, cwd=PROJECT, check=True, capture_output=True)
    files = {name: root / "store" / "viewer_dataset" / name / "data.json" for name in names}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", type=int, default=300)
    parser.add_argument("--workers", default="1,2,3")
    parser.add_argument("--faults", action="store_true", help="the night of faults, in place of the others")
    parser.add_argument("--cut", type=float, default=60, metavar="S", help="a host is cut off for so long")
    parser.add_argument("--unwell", type=float, default=30, metavar="S", help="the object store answers 503")
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--scratch", default=None, help="a folder for all files; default: the system's")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # Dagster's notes on its own previews
    root = Path(tempfile.mkdtemp(prefix="fleet", dir=options.scratch))
    root.chmod(0o755)  # PostgreSQL is another user
    if options.scratch is None:
        atexit.register(shutil.rmtree, root, ignore_errors=True)
    wanted = alone(root / "alone", options.claims)
    if options.faults:
        results = [
            night_of_faults(
                root / "faults",
                claims=options.claims,
                nice=options.nice,
                cut_s=options.cut,
                unwell_s=options.unwell,
            )
        ]
    else:
        results = [
            measure(root / f"workers{number}", workers=number, claims=options.claims, nice=options.nice)
            for number in map(int, options.workers.split(","))
        ]
    for found in results:
        data = found.pop("data")
        found["same_bytes_as_alone"] = sum(data.get(name) == mark for name, mark in wanted.items())
        print(json.dumps(found, indent=1), flush=True)
    first = next((found for found in results if found.get("workers") == 1), None)
    for found in results if first is not None else ():
        found["efficiency"] = round(
            found["night_claims_a_minute"] / first["night_claims_a_minute"] / found["workers"], 2
        )
        print(f"{found['workers']} workers: efficiency {found['efficiency']}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
