"""Measures warehouse queries over many generated claims, and refreshes beside readers.

    .venv/bin/python benchmarks/warehouse.py [--claims 10000]

One generated claim is written through the pipeline's own tables and copied under the other names, so that
10,000 claims take minutes and not hours; every query of docs/warehouse.md is timed, best and worst of five.
"""

import argparse
import multiprocessing
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "benchmarks")]

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from generated_claims import write_claim  # noqa: E402

from citation_pipeline.adapters.schema_files import load_schema  # noqa: E402
from citation_pipeline.adapters.tables.answer_rows import citation_table, read_extraction  # noqa: E402
from citation_pipeline.adapters.tables.claim_store import ClaimStore  # noqa: E402
from citation_pipeline.adapters.tables.document_rows import read_documents  # noqa: E402
from citation_pipeline.adapters.warehouse import FILE_NAME, open_warehouse, refresh_warehouse  # noqa: E402
from citation_pipeline.adapters.warehouse_shapes import RUNS, TABLES  # noqa: E402
from citation_pipeline.core.claims import Claim  # noqa: E402
from citation_pipeline.core.resolution.claims import resolve_claim  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--scratch", default=None, help="where to work; some 60 kB a claim")
    options = parser.parse_args()
    store = ClaimStore(Path(tempfile.mkdtemp(prefix="warehouse", dir=options.scratch)) / "store")
    began = time.monotonic()
    _fill(store, options.claims)
    print(f"{options.claims} claims written in {time.monotonic() - began:.0f} s")
    began = time.monotonic()
    first = refresh_warehouse(store, ledger=Path(store.root) / "ledger", runs_since=_no_runs)
    size = store.local_path(FILE_NAME).stat().st_size / 1e6
    print(f"first refresh: {time.monotonic() - began:.1f} s, {dict(first.rows)}, {size:.0f} MB")
    _time_queries(store)
    context = multiprocessing.get_context("forkserver")
    told: Any = context.Queue()
    reader = context.Process(target=_read_on, args=(str(store.local_path(FILE_NAME)), 30.0, told))
    reader.start()
    for changed in (100, 1):
        for number in range(changed):
            _copy(store, store, f"claim-{number:05d}", f"claim-{number:05d}")
        began = time.monotonic()
        refreshed = refresh_warehouse(store).refreshed
        print(f"refresh of {refreshed} changed claims: {time.monotonic() - began:.1f} s")
    reads, errors, worst = told.get(timeout=120)
    reader.join()
    print(f"a reader meanwhile: {reads} reads, {errors} errors, slowest {worst * 1000:.0f} ms")


def _fill(store: ClaimStore, count: int) -> None:
    schema = load_schema("workers_comp")
    first = "claim-00000"
    write_claim(store, first, schema, seed=1)
    fields = read_extraction(store, first).fields
    citations = resolve_claim(read_documents(store, first), fields, schema=schema, pins=())
    store.write_stage(
        "resolved_citations",
        first,
        tables={"citations": citation_table(first, citations)},
        inputs=store.upstream_versions("resolved_citations", first),
    )
    for number in range(1, count):
        _copy(store, store, first, f"claim-{number:05d}")


_KEPT: dict[str, pa.Table] = {}


def _copy(source: ClaimStore, target: ClaimStore, claim_id: str, name: str) -> None:
    """Write a claim's tables under another name; unlike the store, without syncing each file."""
    for table in TABLES:
        path = Path(source.path(table, f"{claim_id}.parquet"))
        if not path.exists():
            continue
        rows = _KEPT.setdefault(f"{claim_id}/{table}", pq.read_table(path))
        names = pa.array([name] * len(rows), pa.string())
        pq.write_table(rows.set_column(0, "claim_id", names), target.path(table, f"{name}.parquet"))
    folder = str(Path(source.root) / "none")
    text = Claim(claim_id=name, folder=folder, documents_dir=folder)
    target.register(text)


def _no_runs(since: float) -> pa.Table:
    return RUNS.empty_table()


def _time_queries(store: ClaimStore) -> None:
    text = (PROJECT / "docs" / "warehouse.md").read_text()
    (block,) = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    queries = [query.strip() for query in block.split(";") if query.strip()]
    for query in queries:
        times = []
        for _ in range(5):
            with open_warehouse(store.local_path(FILE_NAME)) as warehouse:
                began = time.monotonic()
                rows = warehouse.execute(query).fetchall()
                times.append((time.monotonic() - began) * 1000)
        name = " ".join(line for line in query.splitlines() if not line.startswith("--"))[:70]
        print(f"{min(times):7.1f} – {max(times):7.1f} ms  {len(rows):6d} rows  {name}")


def _read_on(path: str, seconds: float, told: Any) -> None:
    reads, errors, worst = 0, 0, 0.0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            with open_warehouse(Path(path)) as warehouse:
                warehouse.execute("SELECT count(*), sum(citations) FROM claims").fetchall()
            reads += 1
        except Exception:  # noqa: BLE001 - every kind of error counts
            errors += 1
        worst = max(worst, time.monotonic() - began)
    told.put((reads, errors, worst))


if __name__ == "__main__":
    main()
