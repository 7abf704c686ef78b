"""A real Dagster daemon on an instance of its own, for tests of backfills, sensors and schedules."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import dagster as dg
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.utils import make_new_backfill_id

LOCATION = "citation_pipeline_tests.scenario_location"
PROJECT = Path(__file__).resolve().parent.parent


def environment(home: Path, store: Path) -> dict[str, str]:
    """The environment in which the daemon and its runs work: only this instance and this store."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC", "REDUCTO"))
    }
    warnings = "ignore"  # upstream's own, printed by every process it starts
    return kept | {
        "DAGSTER_HOME": str(home),
        "CITATION_PIPELINE_STORE": str(store),
        "PYTHONPATH": str(PROJECT),
        "PYTHONWARNINGS": warnings,
    }


@contextmanager
def running_daemon(
    home: Path,
    store: Path,
    *,
    location: str = LOCATION,
    interval_s: int = 1,
    given: Mapping[str, str] | None = None,
    code_port: int | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `dagster-daemon` over a code location until the block ends; its process group ends with it.

    `given` is added to its environment. With `code_port` a code server of its own has the location loaded, as
    in every deployment; without it the daemon starts one, and another every minute.

    A backfill goes on with what a running run has reported so far: the shorter the interval between two
    looks, the smaller the runs that follow.
    """
    env = {**environment(home, store), "QUICK_DAEMON_SECONDS": str(interval_s), **(given or {})}
    loaded = ["-m", location]
    with (home / "daemon.log").open("ab") as stream:
        start = partial(subprocess.Popen, env=env, cwd=PROJECT, stdout=stream, stderr=subprocess.STDOUT)
        group = 0
        if code_port is not None:
            words = ["dagster", "api", "grpc", "-h", "127.0.0.1", "-p", str(code_port), "-m", location]
            group = start([sys.executable, "-m", *words], process_group=0).pid
            loaded = ["--grpc-host", "127.0.0.1", "--grpc-port", str(code_port)]
        words = [sys.executable, "-m", "citation_pipeline_tests.quick_daemon", "run", *loaded]
        process = start(words, process_group=group)
    try:
        yield process
    finally:
        kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all it started, at once (SIGKILL)."""
    try:
        os.killpg(os.getpgid(process.pid), signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait(timeout=300)


def submit_backfill(
    instance: dg.DagsterInstance, definitions: dg.Definitions, assets: Sequence[str], keys: Sequence[str]
) -> str:
    """Ask for an asset backfill, as the UI does, and return its id."""
    backfill = PartitionBackfill.from_asset_partitions(
        backfill_id=make_new_backfill_id(),
        asset_graph=definitions.get_repository_def().asset_graph,
        partition_names=list(keys),
        asset_selection=[dg.AssetKey(name) for name in assets],
        backfill_timestamp=time.time(),
        tags={},
        dynamic_partitions_store=instance,
        all_partitions=False,
        title=None,
        description=None,
        run_config=None,
    )
    instance.add_backfill(backfill)
    return backfill.backfill_id


def wait_for_backfill(instance: dg.DagsterInstance, backfill_id: str, *, seconds: float) -> PartitionBackfill:
    """Wait until a backfill ended, and return it; raises TimeoutError."""
    ends = (
        BulkActionStatus.COMPLETED,
        BulkActionStatus.COMPLETED_SUCCESS,
        BulkActionStatus.COMPLETED_FAILED,
        BulkActionStatus.FAILED,
        BulkActionStatus.CANCELED,
    )
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        backfill = instance.get_backfill(backfill_id)
        if backfill is not None and backfill.status in ends:
            return backfill
        time.sleep(0.5)
    raise TimeoutError(f"the backfill {backfill_id} did not end within {seconds} s")


def materialized(instance: dg.DagsterInstance, asset: str) -> set[str]:
    """Return the partitions of an asset that were ever materialized."""
    return set(instance.get_materialized_partitions(dg.AssetKey(asset)))


def failed(instance: dg.DagsterInstance, asset: str, definitions: dg.Definitions) -> set[str]:
    """Return the partitions of an asset that the UI shows as failed."""
    from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value

    partitions = definitions.get_repository_def().asset_graph.get(dg.AssetKey(asset)).partitions_def
    cache = get_and_update_asset_status_cache_value(
        instance, dg.AssetKey(asset), partitions, dynamic_partitions_loader=instance
    )
    if cache is None or partitions is None:
        return set()
    return set(cache.deserialize_failed_partition_subsets(partitions).get_partition_keys())
