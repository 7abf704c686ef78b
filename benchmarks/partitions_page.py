"""Times the Dagster UI's partitions page of an asset with very many claims, in Chromium.

    .venv/bin/python benchmarks/partitions_page.py [--keys 36000,100000] [--postgres] [--scratch DIR]

An instance as the project sets it up (SQLite, or a PostgreSQL server of its own as a fleet's), every claim
materialized for `resolved_citations` and `viewer_dataset`, some failed. With `--postgres` also: a backfill of
1,000 of them whose assets only report, through the real daemon, and what a night asks the instance.
The web server is started on it as `citation-pipeline dev` would, and the
page opened twice: the first time Dagster fills its cache of partition statuses. Needs Chromium at
/usr/bin/chromium; `--shots DIR` keeps pictures.
"""

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

import dagster as dg  # noqa: E402
from dagster._core import events as dagster_events  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from citation_pipeline.defs.automation.busy_claims import find_busy_claims  # noqa: E402
from citation_pipeline.defs.instances import open_instance  # noqa: E402
from citation_pipeline_tests.daemons import (  # noqa: E402
    environment,
    running_daemon,
    submit_backfill,
    wait_for_backfill,
)
from citation_pipeline_tests.postgres import running_postgres  # noqa: E402

POSTGRES_INSTANCE = """\
telemetry: {enabled: false}
storage:
  custom:
    module: citation_pipeline.defs.dagster_internals.postgres_storage
    class: FleetPostgresStorage
    config: {postgres_url: {env: CITATION_PIPELINE_DAGSTER_DATABASE_URL}}
run_queue: {dequeue_interval_seconds: 1}
"""
ASSETS = ("resolved_citations", "viewer_dataset")
LOCATION = "citation_pipeline.defs.definitions"
QUERY = """{ assetNodeOrError(assetKey: {path: ["viewer_dataset"]}) { ... on AssetNode {
    partitionStats { numMaterialized numFailed numPartitions } } } }"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keys", default="36000,100000")
    parser.add_argument("--failed", type=int, default=20, help="claims whose last run failed")
    parser.add_argument("--scratch", default=None)
    parser.add_argument("--shots", type=Path, default=None, help="a folder for screenshots")
    parser.add_argument("--postgres", action="store_true", help="a server as a fleet has, in place of SQLite")
    parser.add_argument("--backfilled", type=int, default=1000)
    options = parser.parse_args()
    if options.postgres:
        with running_postgres() as server:
            for size in (int(text) for text in options.keys.split(",")):
                with tempfile.TemporaryDirectory(prefix="partitions", dir=options.scratch) as folder:
                    on_postgres(Path(folder), size, server.new_database(), options)
        return
    for size in (int(text) for text in options.keys.split(",")):
        with tempfile.TemporaryDirectory(prefix="partitions", dir=options.scratch) as folder:
            found: dict[str, Any] = {"keys": size}
            root, began = Path(folder), time.monotonic()
            fill(root / "home", size, failed=options.failed)
            found["filled_s"] = round(time.monotonic() - began, 1)
            found["database_mb"] = round(
                sum(path.stat().st_size for path in (root / "home").rglob("*.db")) / 1e6
            )
            with serving(root) as (address, process):
                found |= look(address, options.shots, size)
                found["web_server_mb"] = resident_mb(process.pid)
            print(json.dumps(found), flush=True)


def on_postgres(root: Path, size: int, database: str, options: argparse.Namespace) -> None:
    """Measure the page, a backfill and what a night asks, and print each as it is known."""
    os.environ["CITATION_PIPELINE_DAGSTER_DATABASE_URL"] = database
    home, began = root / "home", time.monotonic()
    home.mkdir()
    (home / "dagster.yaml").write_text(POSTGRES_INSTANCE)
    fill(home, size, failed=options.failed)
    found: dict[str, Any] = {"keys": size, "filled_s": round(time.monotonic() - began, 1)}
    with dg.DagsterInstance.from_config(str(home)) as instance:
        began = time.monotonic()
        known = instance.get_dynamic_partitions("claims")
        find_busy_claims(instance)
        found["night_asks_s"] = round(time.monotonic() - began, 2)
        assert len(known) == size
        began = time.monotonic()
        instance.get_materialized_partitions(dg.AssetKey("viewer_dataset"))
        found["made_partitions_s"] = round(time.monotonic() - began, 2)
        print(json.dumps(found), flush=True)
        with serving(root) as (address, process):
            found |= look(address, options.shots, size)
            found["web_server_mb"] = resident_mb(process.pid)
        print(json.dumps(found), flush=True)
        found |= backfilled(instance, root, known[size // 2 :][: options.backfilled])
    print(json.dumps(found), flush=True)
    with serving(root) as (address, process):
        found |= look(address, options.shots, size)
        found["web_server_mb"] = resident_mb(process.pid)
    print(json.dumps(found), flush=True)


def backfilled(instance: dg.DagsterInstance, root: Path, keys: Sequence[str]) -> dict[str, Any]:
    """A backfill of some of the claims, whose assets only report them, through the real daemon."""
    sys.path.insert(0, str(PROJECT / "benchmarks"))
    import partitions_floor

    given = {"PYTHONPATH": f"{PROJECT}:{PROJECT / 'benchmarks'}"}
    with running_daemon(root / "home", root / "store", location="partitions_floor", given=given):
        time.sleep(20)  # the daemon loads its code location
        began = time.monotonic()
        backfill = submit_backfill(instance, partitions_floor.defs, ASSETS, keys)
        ended = wait_for_backfill(instance, backfill, seconds=600)
        seconds = time.monotonic() - began
    return {"backfill_s": round(seconds, 1), "backfill_ended": ended.status.value}


def fill(home: Path, size: int, *, failed: int) -> None:
    """Register the claims and report each as made; the last `failed` as failed afterwards."""
    keys = [f"claim-{number:06d}" for number in range(size)]
    on_server = (home / "dagster.yaml").is_file()
    with dg.DagsterInstance.from_config(str(home)) if on_server else open_instance(home) as instance:
        for start in range(0, size, 5000):
            instance.add_dynamic_partitions("claims", keys[start : start + 5000])
        for asset in ASSETS:
            for start in range(0, size, 1000):
                run_id = _run(instance, asset)
                report(instance, run_id, asset, keys[start : start + 1000])
        for key in keys[size - failed :]:
            run_id = _run(instance, "viewer_dataset", key)
            plan(instance, run_id, key)
            instance.report_run_failed(_known(instance, run_id))


def plan(instance: dg.DagsterInstance, run_id: str, key: str) -> None:
    """Report that a run means to make a claim: Dagster tells a failed partition by that."""
    data = dagster_events.AssetMaterializationPlannedData(dg.AssetKey("viewer_dataset"), partition=key)
    event = dg.DagsterEvent.build_asset_materialization_planned_event(
        "rematch_claims", "viewer_dataset", data
    )
    instance.report_dagster_event(event, run_id=run_id)


def _known(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRun:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run


def _run(instance: dg.DagsterInstance, asset: str, key: str = "") -> str:
    run = dg.DagsterRun(
        job_name="rematch_claims",
        status=dg.DagsterRunStatus.STARTED if key else dg.DagsterRunStatus.SUCCESS,
        asset_selection=frozenset({dg.AssetKey(asset)}),
        tags={"dagster/partition": key} if key else {},
    )
    instance.add_run(run)
    return run.run_id


def report(instance: dg.DagsterInstance, run_id: str, asset: str, keys: Sequence[str]) -> None:
    """Report claims as made, as a re-match does: in one batch."""
    events = [
        dg.EventLogEntry(
            error_info=None,
            level=10,
            user_message="",
            run_id=run_id,
            timestamp=time.time(),
            job_name="rematch_claims",
            dagster_event=dg.DagsterEvent(
                event_type_value=dg.DagsterEventType.ASSET_MATERIALIZATION.value,
                job_name="rematch_claims",
                event_specific_data=dagster_events.StepMaterializationData(
                    dg.AssetMaterialization(
                        asset,
                        partition=key,
                        tags={"dagster/data_version": "x" * 16},
                        metadata={"citations": 155},
                    )
                ),
            ),
        )
        for key in keys
    ]
    instance.event_log_storage.store_event_batch(events)


@contextlib.contextmanager
def serving(root: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the web server over the instance."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    with (root / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "dagster_webserver", "-m", LOCATION, "-p", str(port)],
            env=environment(root / "home", root / "store") | {"DAGSTER_GRPC_TIMEOUT_SECONDS": "300"},
            cwd=PROJECT,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/server_info", timeout=5).read()
                break
            time.sleep(1)
        yield address, process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()


def look(address: str, shots: Path | None, size: int) -> dict[str, Any]:
    """Open the page twice; return the seconds until its counts and its list of claims were there."""
    found: dict[str, Any] = {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1500, "height": 1000})
        page.set_default_timeout(300_000)
        for name in ("first", "again"):
            began = time.monotonic()
            page.goto(f"{address}/assets/viewer_dataset?view=partitions")
            page.wait_for_selector("text=/claim-0000/")
            found[f"{name}_s"] = round(time.monotonic() - began, 1)
        began = time.monotonic()
        page.locator("text=/claim-00000[0-9]/").first.click()
        page.wait_for_selector("text=/Latest materialization|Materialized|citations/")
        found["one_claim_s"] = round(time.monotonic() - began, 1)
        if shots is not None:
            shots.mkdir(parents=True, exist_ok=True)
            page.wait_for_timeout(1500)
            page.screenshot(path=shots / f"partitions_{size}.png")
        found["script_mb"] = round(page.evaluate("performance.memory.usedJSHeapSize") / 1e6)
        browser.close()
    request = urllib.request.Request(
        f"{address}/graphql",
        data=json.dumps({"query": QUERY}).encode(),
        headers={"content-type": "application/json"},
    )
    began = time.monotonic()
    told = json.load(urllib.request.urlopen(request, timeout=300))["data"]["assetNodeOrError"][
        "partitionStats"
    ]
    return found | {"counts_s": round(time.monotonic() - began, 1)} | told


def resident_mb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024


if __name__ == "__main__":
    main()
