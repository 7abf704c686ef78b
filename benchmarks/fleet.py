"""Measures a fleet: one database, one broker, one object store, several hosts; and a night full of faults.

    .venv/bin/python benchmarks/fleet.py [--claims 300] [--workers 1,2,3] [--minutes 24] [--json FILE]
    .venv/bin/python benchmarks/fleet.py --claims 60 --faults [--json FILE]

Hosts are network, process and host-name namespaces where this may make them, else processes with folders of
their own; the result says which. The object store is moto (one process): a real one is faster. All hosts
share this machine's cores, so efficiency says what the fleet costs, not what more machines would bring.

The whole lasts at most `--minutes`: a night that has not ended by its share of them is stopped, and its rate
is that of the claims that were made; how many those are is said. What a night makes is compared byte by byte
with every other night's and, of up to `--compared` claims, with one machine's over a folder.
"""

import argparse
import atexit
import contextlib
import hashlib
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
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
from citation_pipeline.core.planning.stages import REMATCH_STAGES  # noqa: E402
from citation_pipeline.defs.dagster_internals.worker_notes import WORKER_TAG  # noqa: E402
from citation_pipeline_tests.daemons import submit_backfill, wait_for_backfill  # noqa: E402
from citation_pipeline_tests.night_scene import write_inbox  # noqa: E402

_SAYS_EVERY_S = 15.0
_AROUND_A_NIGHT_S = 150.0  # start of the servers, intake, re-match
LOCATION = "citation_pipeline.defs.definitions"
OPEN = [dg.DagsterRunStatus[name] for name in ("QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING")]


class Fleet:
    """Servers, a daemon and workers over one empty store."""

    def __init__(
        self,
        root: Path,
        network: Network,
        *,
        workers: int,
        claims: int,
        nice: int,
        given: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.root, self.network, self.nice = root, network, nice
        self.code = PROJECT  # of what is started from now on
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
            # one run waits in the broker for each slot: short runs else wait for the daemon's next look
            "CITATION_PIPELINE_RUNS": str(2 * workers),
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
            **given,
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
            code=self.code,
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
            cursor.execute("SELECT count(*) FROM event_logs")
            events = cursor.fetchone()[0]
        log = (self.root / "s3.log").read_text(errors="replace")
        return {
            "transactions": int(transactions),
            "database_bytes": int(size),
            "object_requests": log.count(' HTTP/1.1" '),
            "object_writes": log.count('"PUT '),
            "events": int(events),
            # of the whole machine: what one claim costs where nothing else runs
            "machine_cpu_ms": busy_ms(),
            "object_store_cpu_ms": cpu_ms(self.s3.process.pid) if self.s3.process is not None else 0,
        }

    def store_bytes(self) -> int:
        return sum(info.size for _, info in self.store.place.all_files())  # type: ignore[attr-defined]

    def run_seconds(self) -> list[float]:
        """How long the runs of claims took, from start to end."""
        records = self.instance.get_run_records(dg.RunsFilter(job_name="process_claims"))
        return [
            round(one.end_time - one.start_time, 2)
            for one in records
            if one.start_time is not None and one.end_time is not None
        ]

    def step_seconds(self, most: int = 40) -> dict[str, float]:
        """The median time of each stage and check, over some of the runs."""
        taken: dict[str, list[float]] = {}
        ended = dg.RunsFilter(job_name="process_claims", statuses=[dg.DagsterRunStatus.SUCCESS])
        for run in self.instance.get_runs(ended, limit=most):
            for step in self.instance.get_run_step_stats(run.run_id):
                if step.start_time is not None and step.end_time is not None:
                    taken.setdefault(step.step_key, []).append(step.end_time - step.start_time)
        return {name: round(statistics.median(times), 3) for name, times in taken.items()}

    def is_complete(self, name: str) -> bool:
        return self.store.has("viewer_dataset", name, "data.json") and self.store.has(
            "chunks", f"{name}.parquet"
        )

    def made(self) -> set[str]:
        """The claims that a run reported as made to the end."""
        reported = self.instance.get_materialized_partitions(dg.AssetKey("search_index"))
        return set(reported) & set(self.names)

    def is_settled(self) -> bool:
        if len(self.made()) < len(self.names):
            return False
        return not self.instance.get_runs(dg.RunsFilter(statuses=OPEN), limit=1)

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
        log = self.root / "daemon.log"
        return start_process(words, self.environment("daemon"), log, nice=self.nice, code=self.code)

    def _command(self, *words: str) -> None:
        command = [sys.executable, "-m", "citation_pipeline", *words]
        subprocess.run(command, env=self.environment("daemon"), cwd=PROJECT, check=True, capture_output=True)

    def switch_on(self, schedule: str) -> None:
        command = [sys.executable, "-m", "dagster", "schedule", "start", schedule, "-m", LOCATION]
        subprocess.run(command, env=self.environment("daemon"), cwd=PROJECT, check=True, capture_output=True)


def no_settings(_address: str) -> Mapping[str, str]:
    return {}


@contextmanager
def running(
    root: Path,
    *,
    workers: int,
    claims: int,
    nice: int,
    given: Callable[[str], Mapping[str, str]] = no_settings,
) -> Iterator[Fleet]:
    """A fleet that ends with the block; `given` returns more settings for the address of its servers."""
    network = Network()
    fleet = None
    try:
        more = given(network.address)
        fleet = Fleet(root, network, workers=workers, claims=claims, nice=nice, given=more)
        yield fleet
    finally:
        if fleet is not None:
            fleet.end()
        network.remove()


def measure(
    root: Path, *, workers: int, claims: int, nice: int, seconds: float, ends: float
) -> dict[str, Any]:
    """A night and a re-match of every claim, nothing disturbed; the night is stopped after some seconds."""
    say(f"{workers} workers: servers, daemon and workers start")
    with running(root, workers=workers, claims=claims, nice=nice) as fleet:
        before = fleet.counted()
        fleet.switch_on("nightly")
        first = wait_for_first_run(fleet)
        watched = watch(fleet, f"{workers} workers, night", until=first + seconds)
        after = fleet.counted()
        made = fleet.made()
        found: dict[str, Any] = {
            "workers": workers,
            "claims": claims,
            "claims_made": len(made),
            "hosts": "namespaces" if fleet.network.is_real else "processes with folders of their own",
            "night_s": round(watched, 1),
            "night_claims_a_minute": round(len(made) / watched * 60, 1),
            **{
                f"night_{name}_a_claim": round((after[name] - before[name]) / max(1, len(made)))
                for name in after
            },
            "store_bytes_a_claim": round(fleet.store_bytes() / max(1, len(made))),
            "runs_by_host": by_host(fleet),
            "run_seconds": fleet.run_seconds(),
            "step_seconds": fleet.step_seconds(),
            "data": {name: fleet.bytes_of(name) for name in sorted(made)},
        }
        if len(made) < claims:
            found["stopped"] = "the time was up: the rest of the night and the re-match were left out"
            return found
        began, before = time.monotonic(), after
        say(f"{workers} workers: re-match of {claims} claims")
        try:
            rematch(fleet, seconds=max(90.0, ends - began))
        except TimeoutError as error:
            return found | {"stopped": str(error)}
        after = fleet.counted()
        rematch_s = time.monotonic() - began
        say(f"{workers} workers: re-matched in {rematch_s:.0f} s")
        return found | {
            "rematch_s": round(rematch_s, 1),
            "rematch_claims_a_minute": round(claims / rematch_s * 60, 1),
            **{f"rematch_{name}_a_claim": round((after[name] - before[name]) / claims) for name in after},
            "data": {name: fleet.bytes_of(name) for name in fleet.names},
        }


def watch(fleet: Fleet, what: str, *, until: float) -> float:
    """Say how far a night is until it has settled or its time is up; return how long it lasted."""
    began = told = time.monotonic()
    made, last = 0, began
    while True:
        with contextlib.suppress(Exception):  # a server that is being restarted
            now = len(fleet.made())
            made, last = now, time.monotonic() if now > made else last
            if fleet.is_settled():
                return last - began
        moment = time.monotonic()
        if moment > until:
            say(f"{what}: STOPPED with {made} of {len(fleet.names)} claims")
            return moment - began
        if moment - told > _SAYS_EVERY_S:
            told = moment
            left = (moment - began) / made * (len(fleet.names) - made) if made else float("nan")
            say(f"{what}: {made} of {len(fleet.names)} claims, {moment - began:.0f} s, {left:.0f} s to go")
        time.sleep(1)


def busy_ms() -> int:
    """CPU time that this machine spent so far, in milliseconds."""
    user, nice, system, *_ = map(int, Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system) * 1000 // os.sysconf("SC_CLK_TCK")


def cpu_ms(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 // os.sysconf("SC_CLK_TCK")


def say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def rematch(fleet: Fleet, *, seconds: float) -> None:
    from citation_pipeline.defs.definitions import build_definitions

    backfill = submit_backfill(fleet.instance, build_definitions(), REMATCH_STAGES, fleet.names)
    wait_for_backfill(fleet.instance, backfill, seconds=seconds)


def wait_for_first_run(fleet: Fleet) -> float:
    wait_for(lambda: bool(fleet.instance.get_runs(limit=1)), "the night never began", 300)
    return time.monotonic()


def by_host(fleet: Fleet) -> dict[str, int]:
    counts: dict[str, int] = {}
    for run in fleet.instance.get_runs():
        host = run.tags.get(WORKER_TAG, "none").partition("@")[0]
        counts[host] = counts.get(host, 0) + 1
    return counts


def alone(root: Path, claims: int, compared: int) -> dict[str, str]:
    """Some of the claims on one machine, over a folder: the bytes that every fleet has to give."""
    names = write_inbox(root / "inbox", claims)
    names = names[:: max(1, len(names) // compared)][:compared]
    say(f"one machine makes {len(names)} of the claims, to compare with")
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("CITATION_PIPELINE_", "DAGSTER_"))}
    command = [sys.executable, "-m", "citation_pipeline", "run", "--store", str(root / "store")]
    folders = [str(root / "inbox" / name) for name in names]
    subprocess.run([*command, *folders], env=kept, cwd=PROJECT, check=True, capture_output=True)
    files = {name: root / "store" / "viewer_dataset" / name / "data.json" for name in names}
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def nights(root: Path, options: argparse.Namespace, wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    """A night for each number of workers, the most first: each gets half of the time that is left."""
    results: list[dict[str, Any]] = []
    numbers = sorted(map(int, options.workers.split(",")), reverse=True)
    ends = options.began + options.minutes * 60
    known: dict[str, str] = {}
    for place, number in enumerate(numbers):
        # the first is to be whole; of the others some minutes are enough for a rate
        left = ends - time.monotonic()
        share = left if place == len(numbers) - 1 else left / 2
        seconds = max(60.0, share - _AROUND_A_NIGHT_S)
        try:
            found = measure(
                root / f"workers{number}",
                workers=number,
                claims=options.claims,
                nice=options.nice,
                seconds=seconds,
                ends=ends,
            )
        except Exception as error:  # the other nights are measured all the same
            say(f"{number} workers: FAILED: {type(error).__name__}: {error}")
            results.append({"workers": number, "failed": f"{type(error).__name__}: {error}"})
            continue
        data = found.pop("data")
        found |= {
            "same_bytes_as_alone": sum(data.get(name) == mark for name, mark in wanted.items()),
            "compared_with_alone": sum(name in data for name in wanted),
            "other_bytes_than_another_night": sum(
                known.get(name, mark) != mark for name, mark in data.items()
            ),
        }
        known |= data
        results.append(found)
        keep(results, options.json)
    return results


def keep(results: Sequence[Mapping[str, Any]], path: Path | None) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(results, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", type=int, default=300)
    parser.add_argument("--workers", default="1,2,3")
    parser.add_argument("--minutes", type=float, default=24, help="of all nights together")
    parser.add_argument("--compared", type=int, default=24, help="claims that one machine makes, too")
    parser.add_argument("--faults", action="store_true", help="the night of faults, in place of the others")
    parser.add_argument("--cut", type=float, default=60, metavar="S", help="a host is cut off for so long")
    parser.add_argument("--unwell", type=float, default=30, metavar="S", help="the object store answers 503")
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--scratch", default=None, help="a folder for all files; default: the system's")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.began = time.monotonic()
    warnings.simplefilter("ignore")  # Dagster's notes on its own previews
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers and namespaces are removed
    root = Path(tempfile.mkdtemp(prefix="fleet", dir=options.scratch))
    root.chmod(0o755)  # PostgreSQL is another user
    if options.scratch is None:
        atexit.register(shutil.rmtree, root, ignore_errors=True)
    if options.faults:
        from fleet_faults import night_of_faults

        results = [night_of_faults(root / "faults", options)]
    else:
        results = nights(root, options, alone(root / "alone", options.claims, options.compared))
    first = next((found for found in results if found.get("workers") == 1 and "failed" not in found), None)
    for found in results if first is not None else ():
        if "failed" not in found:
            found["efficiency"] = round(
                found["night_claims_a_minute"] / first["night_claims_a_minute"] / found["workers"], 2
            )
    keep(results, options.json)
    shown = [{name: value for name, value in found.items() if name != "run_seconds"} for found in results]
    print(json.dumps(shown, indent=1), flush=True)
    say(f"done after {(time.monotonic() - options.began) / 60:.1f} minutes")
    sys.exit(1 if any("failed" in found or found.get("faulty") for found in results) else 0)


if __name__ == "__main__":
    main()
