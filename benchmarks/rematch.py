"""Measures a re-match backfill through the real daemon and run launcher, beside pure resolution and the
naive way (one run per claim), on generated claims of 155 citations.

    .venv/bin/python benchmarks/rematch.py [--claims 100,1000] [--naive 20] [--json]

Dagster's own floor is measured too: the same backfill of assets that do nothing but report their claims, on
an instance as Dagster sets it up. Every claim was shown before, by an older matcher that doubted a citation
of every fifth. All times are wall seconds of this machine, whatever else runs on it: the numbers belong
together. Where PYTHONDONTWRITEBYTECODE is set and nothing is compiled, each process compiles 2,700 modules,
which an installed package never does: unset it (PYTHONPYCACHEPREFIX says where compiled modules go).
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "benchmarks")]

import dagster as dg  # noqa: E402
from generated_claims import show_claim, write_claim  # noqa: E402

from citation_pipeline.adapters.schema_files import load_schema  # noqa: E402
from citation_pipeline.adapters.tables.answer_rows import read_extraction  # noqa: E402
from citation_pipeline.adapters.tables.citation_rows import read_citations  # noqa: E402
from citation_pipeline.adapters.tables.claim_store import ClaimStore  # noqa: E402
from citation_pipeline.adapters.tables.document_rows import read_documents  # noqa: E402
from citation_pipeline.core.planning.stages import REMATCH_STAGES  # noqa: E402
from citation_pipeline.core.resolution.claims import resolve_claim  # noqa: E402
from citation_pipeline.core.viewer.dataset import build_viewer_dataset  # noqa: E402
from citation_pipeline.defs.instances import open_instance  # noqa: E402
from citation_pipeline_tests.daemons import (  # noqa: E402
    materialized,
    running_daemon,
    submit_backfill,
    wait_for_backfill,
)
from citation_pipeline_tests.loopback import free_port  # noqa: E402

LOCATION = "citation_pipeline.defs.definitions"
FLOOR = "rematch_floor"
NAIVE = "rematch_naive"


def main() -> None:
    options = _options()
    sizes = [int(size) for size in options.claims.split(",")]
    root = Path(tempfile.mkdtemp(prefix="rematch", dir=options.scratch))
    store = ClaimStore(root / "store")
    keys = [f"claim-{number:05d}" for number in range(max(sizes))]
    began = time.monotonic()
    alike = min(options.distinct, len(keys))
    with ProcessPoolExecutor() as pool:
        list(pool.map(partial(_write, store, options.doubted, keys, alike), range(alike)))
    _tell(options, {"what": "generated", "claims": len(keys), "distinct": alike, "seconds": _since(began)})
    if options.wait:
        input("generated: press Enter to measure ")
    for size in sizes:
        found: dict[str, Any] = {"claims": size}
        found["pure_s"] = (
            pure_seconds(store, keys[: min(size, options.pure)]) * size / min(size, options.pure)
        )
        home = root / f"home-{size}"
        found["backfill_s"], found["peak_mb"], runs = backfill_seconds(
            home / "real", store, keys[:size], LOCATION, REMATCH_STAGES
        )
        found["runs"] = runs
        found["claims_per_s"] = round(size / found["backfill_s"], 2)
        _tell(options, found)
        found["floor_s"] = backfill_seconds(
            home / "floor", store, keys[:size], FLOOR, REMATCH_STAGES, plain=True
        )[0]
        found["of_pure_plus_floor"] = found["backfill_s"] / (found["pure_s"] + found["floor_s"])
        _tell(options, found)
        if options.naive:
            some = keys[: options.naive]
            naive = backfill_seconds(home / "naive", store, some, NAIVE, REMATCH_STAGES)[0]
            naive = naive / len(some) * size
            times = naive / found["backfill_s"]
            _tell(options, {"claims": size, "naive_s": round(naive), "times_naive": round(times, 1)})
    citations = [len(read_citations(store, key)) for key in keys[:5]]
    _tell(options, {"what": "citations of the first claims", "counts": citations})


def _write(store: ClaimStore, every: int, keys: Sequence[str], alike: int, seed: int) -> None:
    """Write each `alike`-th claim from the seed-th on: they say the same."""
    schema = load_schema("workers_comp")
    for number in range(seed, len(keys), alike):
        write_claim(store, keys[number], schema, seed=seed)
        show_claim(store, keys[number], schema, seed=seed, doubts=number % every == 0)


def _plain_instance(home: Path) -> dg.DagsterInstance:
    home.mkdir(parents=True)
    (home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    return dg.DagsterInstance.from_config(str(home))


def pure_seconds(store: ClaimStore, keys: Sequence[str]) -> float:
    """Seconds of reading, resolving and building the datasets of these claims, in one process, unstored."""
    schema = load_schema("workers_comp")
    began = time.monotonic()
    for key in keys:
        documents, fields = read_documents(store, key), read_extraction(store, key).fields
        citations = resolve_claim(documents, fields, schema=schema, pins=())
        build_viewer_dataset(key, schema=schema, documents=documents, fields=fields, citations=citations)
    return time.monotonic() - began


def backfill_seconds(
    home: Path,
    store: ClaimStore,
    keys: Sequence[str],
    location: str,
    assets: Sequence[str],
    *,
    plain: bool = False,
) -> tuple[float, int, int]:
    """Seconds from asking for a backfill until it ended, the peak memory of its processes (MB), its runs.

    On the project's instance, or on one of Dagster's own making.
    """
    instance = _plain_instance(home) if plain else open_instance(home)
    instance.add_dynamic_partitions("claims", list(keys))
    definitions = _definitions(location, store)
    given = {"PYTHONPATH": f"{PROJECT}:{PROJECT / 'benchmarks'}"}
    # every two seconds: the thirty of a daemon at work would be most of a small backfill
    with running_daemon(
        home, Path(store.root), location=location, interval_s=2, given=given, code_port=free_port()
    ) as process:
        _wait_until_ready(instance)
        with peak_memory(process) as peak:
            began = time.monotonic()
            backfill_id = submit_backfill(instance, definitions, assets, keys)
            wait_for_backfill(instance, backfill_id, seconds=3000)
            seconds = time.monotonic() - began
    done = materialized(instance, assets[-1])
    if done != set(keys):
        raise SystemExit(f"{len(set(keys) - done)} claims were not done: see {home}/daemon.log")
    runs = instance.get_runs_count()
    instance.dispose()
    return seconds, peak["mb"], runs


@contextmanager
def peak_memory(process: subprocess.Popen[bytes]) -> Iterator[dict[str, int]]:
    """Watch the proportional memory of a process group; yields {"mb": peak} when the block ends."""
    peak, stop, group = {"mb": 0}, threading.Event(), os.getpgid(process.pid)

    def watch() -> None:
        while not stop.wait(1.0):
            peak["mb"] = max(peak["mb"], _group_kb(group) // 1024)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


def _group_kb(group: int) -> int:
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(folder.name)) != group:
                continue
            lines = (folder / "smaps_rollup").read_text().splitlines()
        except (OSError, ValueError):
            continue
        total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return total


def _wait_until_ready(instance: dg.DagsterInstance) -> None:
    """Wait until the daemon works and has loaded the code: its start is no part of a backfill."""
    deadline = time.monotonic() + 120
    while not instance.get_daemon_heartbeats() and time.monotonic() < deadline:
        time.sleep(0.2)
    time.sleep(10)


def _definitions(location: str, store: ClaimStore) -> dg.Definitions:
    os.environ["CITATION_PIPELINE_STORE"] = store.root
    found: dg.Definitions = importlib.import_module(location).defs
    return found


def _tell(options: argparse.Namespace, record: dict[str, Any]) -> None:
    record = {name: round(v, 2) if isinstance(v, float) else v for name, v in record.items()}
    text = "  ".join(f"{name} {value}" for name, value in record.items())
    print(json.dumps(record) if options.json else text, flush=True)


def _since(began: float) -> float:
    return round(time.monotonic() - began, 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", default="100,1000")
    parser.add_argument("--naive", type=int, default=20, help="runs of the naive way; 0 leaves it out")
    parser.add_argument("--doubted", type=int, default=5, help="each how many claims had a doubt; 1: all")
    parser.add_argument("--pure", type=int, default=200, help="claims of the pure resolution, extrapolated")
    parser.add_argument("--distinct", type=int, default=1000, help="claims that say different things")
    parser.add_argument("--wait", action="store_true", help="wait for Enter before measuring")
    parser.add_argument("--scratch", default=None, help="where to work; some 0.4 MB a claim")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
