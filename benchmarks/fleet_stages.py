"""What each stage of a claim costs a fleet: CPU, bytes and requests of the store, events, dollars.

    nice -n 10 .venv/bin/python benchmarks/fleet_stages.py [--claims 8] [--paid] [--json FILE]

Over real servers on loopback (PostgreSQL, moto as object store), one stage of one claim after the other in
this process, so that whatever a counter rose by belongs to that stage and its checks. A first claim loads and
compiles what a worker has loaded, and is not counted. `--paid` reads by Reducto and Claude on loopback, at
their prices, in place of `local` and `rules`. What a run costs around its stages is the difference to
`benchmarks/fleet.py`.
"""

import argparse
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "benchmarks")]

import dagster as dg  # noqa: E402
import psycopg2  # noqa: E402
from fleet_faults import paid_providers, paid_settings  # noqa: E402
from fleet_hosts import postgres_at, s3_at  # noqa: E402

from citation_pipeline.adapters.coordination.database import open_at  # noqa: E402
from citation_pipeline.adapters.outbound_ledger import SentRequests, read_ledger  # noqa: E402
from citation_pipeline.core.planning.stages import STAGES  # noqa: E402
from citation_pipeline_tests.night_scene import Troubles, write_inbox  # noqa: E402

ADDRESS = "127.0.0.1"


class Counters:
    """What has been used so far, by kind."""

    def __init__(self, root: Path, database: str, store: Any) -> None:
        self._root, self._database, self._store = root, database, store

    def read(self) -> dict[str, float]:
        own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        log = (self._root / "s3.log").read_text(errors="replace")
        with psycopg2.connect(self._database) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM event_logs")
            (events,) = cursor.fetchone()
        sent = SentRequests(self._root / "work" / "ledger", open_at(self._database))
        return {
            "cpu_s": own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime,
            "requests": log.count(' HTTP/1.1" '),
            "writes": log.count('"PUT '),
            "events": events,
            "bytes": sum(info.size for _, info in self._store.place.all_files()),
            "dollars": sum(row["cost_usd"] or 0.0 for row in read_ledger(sent).to_pylist()),
        }


def measure(root: Path, database: str, claims: int) -> dict[str, dict[str, float]]:
    """The medians of what each stage of a claim used; of dollars the mean."""
    from citation_pipeline.defs.automation.intake import register_claims
    from citation_pipeline.defs.definitions import build_definitions
    from citation_pipeline.defs.resources import read_settings

    settings = read_settings()
    store = settings.open_store()
    names: list[str] = []
    for _ in range(2):  # a folder is taken when it was seen unchanged
        names += register_claims(settings, store, known=set(names), now=time.time())[0]
        time.sleep(0.1)
    assert len(set(names)) == claims + 1, names
    job = build_definitions().resolve_job_def("process_claims")
    found: dict[str, list[dict[str, float]]] = {stage: [] for stage in STAGES}
    with dg.DagsterInstance.from_config(os.environ["DAGSTER_HOME"]) as instance:
        instance.add_dynamic_partitions("claims", sorted(set(names)))
        for number, name in enumerate(sorted(set(names))):
            for stage in STAGES:
                counters = Counters(root, database, store)
                before = counters.read()
                # what the counting itself used is no stage's
                began = counters.read()
                ended = job.execute_in_process(
                    instance=instance, partition_key=name, asset_selection=[dg.AssetKey(stage)]
                )
                assert ended.success, f"{stage} of {name} failed"
                after = counters.read()
                if number:
                    counting = {kind: began[kind] - before[kind] for kind in began}
                    found[stage].append({kind: after[kind] - began[kind] - counting[kind] for kind in after})
    return {stage: _middle(used) for stage, used in found.items()}


def _middle(used: list[dict[str, float]]) -> dict[str, float]:
    return {
        kind: round(
            statistics.fmean(one[kind] for one in used)
            if kind == "dollars"
            else statistics.median(one[kind] for one in used),
            5,
        )
        for kind in used[0]
    }


def settings_of(root: Path, database: str, port: int) -> dict[str, str]:
    return {
        "CITATION_PIPELINE_STORE": f"s3://claims/a?region=us-east-1&scheme=http&endpoint_override={ADDRESS}:{port}",
        "CITATION_PIPELINE_DAGSTER_DATABASE_URL": database,
        "CITATION_PIPELINE_COORDINATION_URL": database,
        "CITATION_PIPELINE_VERIFICATIONS_URL": database,
        "CITATION_PIPELINE_BROKER_URL": "redis://127.0.0.1:1/0",
        "CITATION_PIPELINE_WORKERS": "1",
        "CITATION_PIPELINE_INBOX": str(root / "inbox"),
        "CITATION_PIPELINE_INBOX_SETTLE_S": "0",
        "CITATION_PIPELINE_WORK_DIR": str(root / "work"),
        "DAGSTER_HOME": str(root / "home"),
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "PYTHONWARNINGS": "ignore",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", type=int, default=8)
    parser.add_argument("--paid", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with contextlib.ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stages")))
        root.chmod(0o755)  # PostgreSQL is another user
        write_inbox(root / "inbox", options.claims + 1)
        postgres, database = postgres_at(root / "pg", ADDRESS)
        s3, port = s3_at(root, ADDRESS)
        for server in (postgres, s3):
            server.start()
            stack.callback(server.stop)
        given = settings_of(root, database, port)
        if options.paid:
            given |= paid_settings(*paid_providers(stack, ADDRESS, options.claims + 1, Troubles(0, 0, 0, 0)))
        os.environ.update(given)
        (root / "home").mkdir()
        command = [sys.executable, "-m", "citation_pipeline", "fleet", "init"]
        subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
        found = measure(root, database, options.claims)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1))
    print(f"{'stage':<20} " + " ".join(f"{kind:>9}" for kind in next(iter(found.values()))))
    for stage, used in found.items():
        print(f"{stage:<20} " + " ".join(f"{value:>9.5g}" for value in used.values()))


if __name__ == "__main__":
    main()
