"""Kills the pipeline's processes at random moments while it works, and looks at what is left.

    .venv/bin/python benchmarks/kills.py [--kills 200] [--each 20] [--seed 1] [--scratch DIR]

Scene after scene: an inbox of claims, the daemon with intake and a night each minute, the web server, both
paid providers on loopback, a backfill over what is complete. `kill -9` hits the daemon, the web server, a
code server, a run's worker or a worker's own process; folders are edited, renamed and deleted meanwhile.
Daemon and web server are started again as a supervisor would. Then the scene is left alone until nothing is
open, and counted: lost, paid twice, stuck, made twice, and whether the UI's queries agree with the store.
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

import dagster as dg  # noqa: E402
from dagster._core.execution.backfill import BulkActionsFilter, BulkActionStatus  # noqa: E402

from citation_pipeline.adapters.outbound_ledger import read_ledger  # noqa: E402
from citation_pipeline.adapters.tables.claim_store import ClaimStore  # noqa: E402
from citation_pipeline.adapters.tables.tries import failed_tries  # noqa: E402
from citation_pipeline.core.planning.stages import STAGES  # noqa: E402
from citation_pipeline.defs.automation.night_settings import RunLimits  # noqa: E402
from citation_pipeline.defs.automation.retries import request_backfill  # noqa: E402
from citation_pipeline.defs.dagster_internals.dead_runs import PROCESS_TAG  # noqa: E402
from citation_pipeline.defs.instances import open_instance  # noqa: E402
from citation_pipeline_tests.daemons import environment  # noqa: E402
from citation_pipeline_tests.drawn_pdfs import Sheet, draw  # noqa: E402
from citation_pipeline_tests.night_scene import KEY, providers, write_inbox  # noqa: E402

LOCATION = "citation_pipeline.defs.definitions"
LIMIT = 3
OPEN = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
VICTIMS = {
    "citation_pipeline_tests.quick_daemon": "daemon",
    "dagster_webserver": "web server",
    "grpc": "code server",
    "execute_run": "run worker",
}
RUN_ID = re.compile(r'"pipeline_run_id": "([^"]+)"')


@dataclass
class Outcome:
    """What one scene left behind."""

    kills: Counter[str] = field(default_factory=Counter)  # by victim and the state of its run, or of all
    most_workers: int = 0
    claims: int = 0
    complete: int = 0
    named: int = 0
    lost: list[str] = field(default_factory=list)
    paid_twice: int = 0
    parsed_twice: int = 0
    stuck: list[str] = field(default_factory=list)
    made_twice: list[str] = field(default_factory=list)
    disagreements: list[str] = field(default_factory=list)
    reloads: int = 0  # of the web server's workspace, by hand
    seconds: float = 0.0


def _state_of(pid: int) -> str:
    """Tell a process's parent, state, age and processor seconds, by the kernel."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        up = float(Path("/proc/uptime").read_text().split()[0])
    except OSError:
        return "gone"
    ticks = os.sysconf("SC_CLK_TCK")
    age, worked = up - int(fields[19]) / ticks, (int(fields[11]) + int(fields[12])) / ticks
    return f"parent {fields[1]}, {fields[0]}, {age:.1f} s old, {worked:.1f} s of cpu"


def _told(record: dg.RunRecord, now: float) -> str:
    run = record.dagster_run
    ended = f", ended {now - record.end_time:.1f} s ago" if record.end_time else ""
    return f"{run.status.value}{ended}, tag {run.tags.get(PROCESS_TAG, 'none').partition(':')[2]}"


class Scene:
    """One inbox with everything that works on it."""

    def __init__(self, root: Path, *, claims: int, given: dict[str, str], chance: random.Random) -> None:
        self.root, self.chance, self.inbox = root, chance, root / "inbox"
        self.names = set(write_inbox(self.inbox, claims))
        self.deleted: set[str] = set()
        self.home, self.store = root / "home", ClaimStore(root / "store")
        self.instance = open_instance(self.home, limits=RunLimits(runs=LIMIT, parsing=2))
        self.environment = environment(self.home, Path(self.store.root)) | given
        self.environment |= {"CITATION_PIPELINE_INBOX": str(self.inbox), "DAGSTER_GRPC_TIMEOUT_SECONDS": "60"}
        self.port = 20_000 + os.getpid() % 20_000 + chance.randrange(500)
        self.watched: dict[str, subprocess.Popen[bytes]] = {}
        self.excesses: list[list[str]] = []  # of each moment with more workers than the limit: all of them
        self.longest_exit_s = 0.0  # from a run's end to that of its process

    def supervise(self) -> None:
        """Start the daemon and the web server where they are not running."""
        commands = {
            "daemon": ["-m", "citation_pipeline_tests.quick_daemon", "run", "-m", LOCATION],
            "web server": ["-m", "dagster_webserver", "-m", LOCATION, "-p", str(self.port)],
        }
        for name, command in commands.items():
            if name not in self.watched or self.watched[name].poll() is not None:
                with (self.root / f"{name}.log").open("ab") as log:
                    self.watched[name] = subprocess.Popen(
                        [sys.executable, *command],
                        env=self.environment | {"QUICK_DAEMON_SECONDS": "3"},
                        cwd=PROJECT,
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                    )

    def end(self) -> None:
        """Kill all of the scene's processes."""
        for _ in range(3):
            for pid, _name in self.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.3)
        self.instance.dispose()

    def processes(self) -> Iterator[tuple[int, str]]:
        """Yield the scene's processes, known by their DAGSTER_HOME, with what each is."""
        yield from ((pid, name) for pid, name, _ in self._described())

    def _described(self) -> Iterator[tuple[int, str, str]]:
        mark = f"DAGSTER_HOME={self.home}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark not in (folder / "environ").read_bytes().split(b"\0"):
                    continue
                words = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            if not any(words):
                continue
            name = next((kind for word, kind in VICTIMS.items() if word in words), "worker's process")
            told = next((word for word in words if word.startswith("{")), "")
            found = RUN_ID.search(told)
            yield int(folder.name), name, found.group(1) if found else ""

    def kill_one(self) -> str:
        """Kill one process of a kind drawn at random; return the kind with the state it was in."""
        by_kind: dict[str, list[int]] = {}
        for pid, name in self.processes():
            by_kind.setdefault(name, []).append(pid)
        runs = self.instance.get_runs(dg.RunsFilter(statuses=OPEN))
        states = {
            int(run.tags[PROCESS_TAG].split(":")[-2]): run.status for run in runs if PROCESS_TAG in run.tags
        }
        if not by_kind:
            return "nothing"
        # workers twice as often: most of what can be lost is theirs
        kind = self.chance.choice([*sorted(by_kind), *(k for k in by_kind if "worker" in k)])
        pid = self.chance.choice(by_kind[kind])
        if kind == "run worker" and pid in states:
            state = states[pid].value
        else:
            state = "+".join(sorted({run.status.value for run in runs})) or "idle"
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return f"{kind} ({state})"

    def count_workers(self) -> int:
        """Return how many runs have a process and are not over.

        Counted by runs: a process that is starting another shows its own command line for that moment. One
        that has reported its run's end takes seconds to exit on a machine under load, and works on nothing.
        """
        workers = [(pid, run_id) for pid, name, run_id in self._described() if name == "run worker"]
        known = (
            self.instance.get_run_records(dg.RunsFilter(run_ids=[r for _, r in workers])) if workers else []
        )
        records = {record.dagster_run.run_id: record for record in known}
        now, at_work = time.time(), set()
        for _, run_id in workers:
            record = records.get(run_id)
            if record is None or not record.dagster_run.is_finished:
                at_work.add(run_id)
            else:
                self.longest_exit_s = max(self.longest_exit_s, round(now - (record.end_time or now), 1))
        if len(at_work) > LIMIT:
            self.excesses.append(
                [
                    f"pid {pid} of {run_id[:8]}: {_state_of(pid)}, "
                    + (_told(records[run_id], now) if run_id in records else "no record")
                    for pid, run_id in workers
                ]
            )
        return len(at_work)

    def disturb(self) -> None:
        """Edit, rename or delete a folder."""
        name = self.chance.choice(sorted(self.names - self.deleted))
        what = self.chance.choice(["edit", "edit", "rename", "delete"])
        if what == "edit":
            text = f"Our file {name}, written again {self.chance.randrange(10**6)}."

            def page(sheet: Sheet) -> None:
                sheet.text(60, 80, "RE: Claim Number: ZX-2025-000417")
                sheet.text(60, 100, text)

            (self.inbox / name / "letter.pdf").write_bytes(draw(page))
        elif what == "rename" and len(self.names - self.deleted) > 2:
            (self.inbox / name).rename(self.inbox / f"{name}-r")
            self.deleted.add(name)
            self.names.add(f"{name}-r")
        elif what == "delete" and len(self.names - self.deleted) > 2:
            shutil.rmtree(self.inbox / name)
            self.deleted.add(name)

    def backfill(self) -> None:
        """Ask for a re-match of what is complete."""
        done = sorted(n for n in self.names - self.deleted if self.is_complete(n))
        if done:
            targets = {stage: done for stage in ("resolved_citations", "viewer_dataset")}
            request_backfill(self.instance, targets, title="re-match under fire")

    def is_complete(self, name: str) -> bool:
        return self.store.has("viewer_dataset", name, "data.json") and self.store.has(
            "chunks", f"{name}.parquet"
        )

    def is_current(self, name: str) -> bool:
        """Tell whether a claim was made of the files that lie in its folder now."""
        if not self.is_complete(name):
            return False
        import hashlib

        wanted = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (self.inbox / name).glob("*.pdf")}
        states = self.store.stage_states(name)
        known = set(self.store.read_table("documents", name, ["sha256"]).column(0).to_pylist())
        chained = all(
            states[stage] is not None
            and all(
                states[stage].inputs.get(up) == v
                for up, v in self.store.upstream_versions(stage, name).items()
            )
            for stage in STAGES
        )
        return wanted == known and chained

    def is_settled(self) -> bool:
        if self.instance.get_runs(dg.RunsFilter(statuses=OPEN), limit=1):
            return False
        if self.instance.get_backfills(filters=BulkActionsFilter(statuses=[BulkActionStatus.REQUESTED])):
            return False
        return all(self.is_current(name) for name in self.names - self.deleted)

    def ask(self, query: str) -> Any:
        """Ask the web server, as the UI does."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql",
            data=json.dumps({"query": query}).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["data"]


def play(scene: Scene, *, kills: int, most_seconds: float, claude: Any, reducto: Any) -> Outcome:
    """Disturb a scene, let it settle, count."""
    outcome, began = Outcome(), time.monotonic()
    scene.supervise()
    for schedule in ("nightly",):
        command = [sys.executable, "-m", "dagster", "schedule", "start", schedule, "-m", LOCATION]
        for last in (False, False, True):  # a machine under load may take longer than the command waits
            ended = subprocess.run(
                command, env=scene.environment, cwd=PROJECT, check=last, capture_output=True
            )
            if not ended.returncode:
                break
    wait = time.monotonic() + 240
    while not scene.instance.get_runs(limit=1) and time.monotonic() < wait:
        time.sleep(0.5)
    for number in range(kills):
        end = time.monotonic() + scene.chance.choice((1, 3, 10)) * scene.chance.random()
        while time.monotonic() < end:
            outcome.most_workers = max(outcome.most_workers, scene.count_workers())
            time.sleep(0.5)
        outcome.kills[scene.kill_one()] += 1
        if number % 5 == 3:
            scene.disturb()
        if number % 8 == 6:
            scene.backfill()
        time.sleep(0.5)
        scene.supervise()
    end = time.monotonic() + most_seconds
    while time.monotonic() < end and not scene.is_settled():
        scene.supervise()
        outcome.most_workers = max(outcome.most_workers, scene.count_workers())
        time.sleep(2)
    count(scene, outcome, claude, reducto)
    outcome.seconds = round(time.monotonic() - began)
    return outcome


def count(scene: Scene, outcome: Outcome, claude: Any, reducto: Any) -> None:
    """Look at what the scene left."""
    kept = scene.names - scene.deleted
    tries = failed_tries(scene.store)
    outcome.claims = len(kept)
    current = {name for name in kept if scene.is_current(name)}
    outcome.complete = len(current)
    outcome.named = sum(name in tries for name in kept - current)
    outcome.lost = sorted(name for name in kept - current if name not in tries)
    ledger = read_ledger(Path(scene.store.root) / "ledger").to_pylist()
    paid = Counter(r["request_fingerprint"] for r in ledger if r["vendor"] == "anthropic" and r["cost_usd"])
    outcome.paid_twice = claude.records.counters["answers"] - len(paid)
    jobs = Counter(job.sha256 for job in reducto.records.jobs.values())
    outcome.parsed_twice = sum(times - 1 for times in jobs.values())
    for run in scene.instance.get_runs(dg.RunsFilter(statuses=OPEN)):
        outcome.stuck.append(f"run {run.run_id[:8]} {run.status.value}")
    for pool in ("parsing", "extraction", "warehouse"):
        info = scene.instance.event_log_storage.get_concurrency_info(pool)
        if info.active_slot_count or info.pending_step_count:
            outcome.stuck.append(
                f"pool {pool}: {info.active_slot_count} held, {info.pending_step_count} wait"
            )
    for backfill in scene.instance.get_backfills():
        if backfill.status is BulkActionStatus.REQUESTED:
            outcome.stuck.append(f"backfill {backfill.backfill_id}")
    made_twice(scene, outcome)
    compare_with_ui(scene, outcome, current)


def made_twice(scene: Scene, outcome: Outcome) -> None:
    """Name the claims and stages that two runs report as made although neither was asked to make it again."""
    backfills = {r.run_id for r in scene.instance.get_runs() if r.tags.get("dagster/backfill")}
    for stage in STAGES:
        records = scene.instance.fetch_materializations(dg.AssetKey(stage), limit=5000).records
        made: dict[tuple[str, str], list[str]] = {}
        for record in records:
            found = record.asset_materialization
            if record.run_id not in backfills and "made_by" not in found.metadata:
                version = (found.tags or {}).get("dagster/data_version", "")
                made.setdefault((record.partition_key, version), []).append(record.run_id[:8])
        outcome.made_twice += [
            f"{stage} of {claim} by {', '.join(runs)}" for (claim, _), runs in made.items() if len(runs) > 1
        ]


def compare_with_ui(scene: Scene, outcome: Outcome, current: set[str]) -> None:
    """Compare what the UI's queries say of each claim with the store."""
    scene.supervise()
    query = """{ assetNodeOrError(assetKey: {path: ["viewer_dataset"]}) { ... on AssetNode {
        assetPartitionStatuses { ... on DefaultPartitionStatuses {
        materializedPartitions failedPartitions materializingPartitions } } } }
        runsOrError(filter: {statuses: [STARTED, STARTING, QUEUED]}) { ... on Runs { count } } }"""
    for second in range(120):
        with contextlib.suppress(OSError):
            told = scene.ask(query)
            if "assetPartitionStatuses" in told["assetNodeOrError"]:  # its code location is loaded
                break
            if second % 30 == 29:  # its code server was killed while it was loaded: as the UI's button does
                scene.ask("mutation { reloadWorkspace { __typename } }")
                outcome.reloads += 1
        time.sleep(1)
    else:
        outcome.disagreements.append("the web server does not answer")
        return
    statuses = told["assetNodeOrError"]["assetPartitionStatuses"]
    shown, failed = set(statuses["materializedPartitions"]), set(statuses["failedPartitions"])
    for name in sorted(current - shown):
        outcome.disagreements.append(
            f"{name} is made, the UI says {'failed' if name in failed else 'missing'}"
        )
    for name in sorted(n for n in shown if not scene.is_complete(n)):
        outcome.disagreements.append(f"{name} is not made, the UI says it is")
    if statuses["materializingPartitions"] or told["runsOrError"]["count"]:
        outcome.disagreements.append("the UI shows work going on")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--each", type=int, default=20, help="kills of one scene")
    parser.add_argument("--claims", type=int, default=6)
    parser.add_argument("--settle", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scratch", default=None)
    options = parser.parse_args()
    total, kills, failures = Outcome(), Counter[str](), 0
    for number in range(-(-options.kills // options.each)):
        chance = random.Random(options.seed * 1000 + number)
        root = Path(tempfile.mkdtemp(prefix="kills", dir=options.scratch))
        with providers() as (claude, reducto):
            given = {
                "ANTHROPIC_API_KEY": KEY,
                "ANTHROPIC_BASE_URL": claude.url,
                "REDUCTO_API_KEY": KEY,
                "REDUCTO_BASE_URL": reducto.base_url,
                "CITATION_PIPELINE_REDUCTO_RATE": "50",
                "CITATION_PIPELINE_WORKERS": "1",
                "CITATION_PIPELINE_INBOX_SETTLE_S": "1",
                "CITATION_PIPELINE_INBOX_PARSER": "reducto",
                "CITATION_PIPELINE_INBOX_EXTRACTOR": "claude",
                "CITATION_PIPELINE_NIGHT_CRON": "* * * * *",
                "CITATION_PIPELINE_RETRY_WAIT_S": "1",
            }
            scene = Scene(root, claims=options.claims, given=given, chance=chance)
            try:
                outcome = play(
                    scene, kills=options.each, most_seconds=options.settle, claude=claude, reducto=reducto
                )
            finally:
                scene.end()
        kills += outcome.kills
        bad = outcome.lost or outcome.stuck or outcome.disagreements or outcome.paid_twice
        failures += bool(bad)
        print(
            json.dumps(
                {
                    "scene": number,
                    **vars(outcome),
                    "longest_exit_s": scene.longest_exit_s,
                    "excesses": scene.excesses,
                }
            ),
            flush=True,
        )
        for name in ("claims", "complete", "named", "paid_twice", "parsed_twice"):
            setattr(total, name, getattr(total, name) + getattr(outcome, name))
        for name in ("lost", "stuck", "made_twice", "disagreements"):
            getattr(total, name).extend(getattr(outcome, name))
        total.most_workers = max(total.most_workers, outcome.most_workers)
        if not bad:
            shutil.rmtree(root, ignore_errors=True)
        else:
            print(f"  left in {root}", flush=True)
    print("\n| killed (state of its run, or of all) | times |\n| --- | --- |")
    for what, times in sorted(kills.items()):
        print(f"| {what} | {times} |")
    print(json.dumps({k: v for k, v in vars(total).items() if k not in ("kills", "seconds")}))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
