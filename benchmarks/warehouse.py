"""Measures warehouse queries over many generated claims, and refreshes beside a reader that checks them.

    .venv/bin/python benchmarks/warehouse.py [--claims 10000]

Twenty claims are written through the pipeline's own tables and copied under the other names, with values,
snippets and scores of their own, so that 10,000 claims take minutes and not hours. Every query of
docs/warehouse.md is timed with a connection opened for it; three questions are also asked straight of the
store's Parquet files. Ends with 1 when a query takes longer than 200 ms or a reader saw anything but whole
refreshes; that the reader's check can fail is shown with a file that holds half of one.
"""

import argparse
import json
import multiprocessing
import random
import re
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "benchmarks")]

import duckdb  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from generated_claims import WORDS, write_claim  # noqa: E402

from citation_pipeline.adapters.outbound_ledger import append_to  # noqa: E402
from citation_pipeline.adapters.schema_files import load_schema  # noqa: E402
from citation_pipeline.adapters.tables.answer_rows import read_extraction  # noqa: E402
from citation_pipeline.adapters.tables.change_rows import write_changes  # noqa: E402
from citation_pipeline.adapters.tables.citation_rows import citation_table  # noqa: E402
from citation_pipeline.adapters.tables.claim_store import ClaimStore  # noqa: E402
from citation_pipeline.adapters.tables.document_rows import read_documents  # noqa: E402
from citation_pipeline.adapters.verifications.database import default_url  # noqa: E402
from citation_pipeline.adapters.verifications.store import NewVerification, VerificationStore  # noqa: E402
from citation_pipeline.adapters.warehouse.publishing import (  # noqa: E402
    FILE_NAME,
    Refresh,
    open_warehouse,
    refresh_warehouse,
)
from citation_pipeline.adapters.warehouse.shapes import RUNS  # noqa: E402
from citation_pipeline.core.claims import Claim  # noqa: E402
from citation_pipeline.core.resolution.changes import Change, CitationChange  # noqa: E402
from citation_pipeline.core.resolution.claims import resolve_claim  # noqa: E402
from citation_pipeline.core.review.verifications import Action  # noqa: E402

MOST_MS = 200.0  # what a person takes for "at once"
SEEDS = 20
CHANGED = 100
COPIED = (
    "source_documents",
    "documents",
    "raw_extraction",
    "fields",
    "answer_issues",
    "conflicts",
    "citations",
)
STRAIGHT = {
    "located shares by field": (
        "SELECT * FROM quality ORDER BY resolved_share LIMIT 10",
        "SELECT field_key, count(*), avg((status = 'resolved')::INT) AS share, avg(confidence) "
        "FROM read_parquet('{root}/citations/*.parquet') GROUP BY ALL ORDER BY share LIMIT 10",
    ),
    "claims by a date": (
        "SELECT claim_id FROM fields_workers_comp WHERE \"mmi_status.mmi_date\" >= DATE '2026-01-01'",
        "SELECT claim_id FROM read_parquet('{root}/fields/*.parquet') "
        "WHERE field_key = 'mmi_status.mmi_date' AND TRY_CAST(value ->> '$' AS DATE) >= DATE '2026-01-01'",
    ),
    "documents nobody could read": (
        "SELECT count(*) FROM documents WHERE status NOT IN ('parsed', 'duplicate', 'empty')",
        "SELECT count(*) FROM read_parquet('{root}/documents/*.parquet') "
        "WHERE status NOT IN ('parsed', 'duplicate', 'empty')",
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--scratch", default=None, help="where to work; some 90 kB a claim")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warehouse", dir=options.scratch) as scratch:
        is_good = _measure(ClaimStore(Path(scratch) / "store"), options.claims)
    sys.exit(0 if is_good else 1)


def _measure(store: ClaimStore, count: int) -> bool:
    seconds, claims = _timed(lambda: _fill(store, count))
    print(f"{count} claims written in {seconds:.0f} s", flush=True)
    workers = multiprocessing.get_context("forkserver")
    told: Any = workers.Queue()
    first = workers.Process(target=_first_refresh, args=(str(store.root), count, told))
    first.start()
    seconds, rows, peak = told.get(timeout=1_200)
    first.join()
    place = store.local_path(FILE_NAME)
    size = place.stat().st_size / 1e6
    print(f"first refresh: {seconds:.1f} s, {size:.0f} MB, {peak:.0f} MB of memory, {rows}")
    worst = _time_queries(store)
    _ask_straight(store)
    _refresh_without_news(store)
    reader = workers.Process(target=_read_on, args=(str(place), told))
    reader.start()
    time.sleep(2)
    _time_refreshes(store, claims)
    (Path(store.root) / "stop").touch()
    reads, states, errors, halves, slowest = told.get(timeout=120)
    reader.join()
    found = _finds_half_a_refresh(place)
    print(
        f"a reader meanwhile: {reads} looks at {states} states, {errors} errors, {halves} half refreshes, "
        f"slowest look {slowest * 1000:.0f} ms; a planted half refresh is {'found' if found else 'NOT found'}"
    )
    return worst <= MOST_MS and not errors and not halves and found and states > 1


# --- what is measured ----------------------------------------------------------------------------


def _first_refresh(root: str, count: int, told: Any) -> None:
    seconds, refresh = _timed(lambda: _refresh(ClaimStore(root), count))
    told.put((seconds, dict(refresh.rows), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def _refresh(store: ClaimStore, runs: int = 0) -> Refresh:
    return refresh_warehouse(
        store,
        ledger=Path(store.root) / "ledger",
        runs_since=lambda moment: _runs(runs) if not moment else RUNS.empty_table(),
        verifications_url=default_url(store.root),
    )


def _time_queries(store: ClaimStore) -> float:
    text = (PROJECT / "docs" / "warehouse.md").read_text()
    (block,) = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    worst = 0.0
    for query in (query.strip() for query in block.split(";") if query.strip()):
        times, found = zip(*(_timed(lambda query=query: _ask(store, query)) for _ in range(5)), strict=True)
        worst = max(worst, *(1000 * seconds for seconds in times))
        name = " ".join(line for line in query.splitlines() if not line.startswith("--"))[:70]
        print(f"{min(times) * 1000:7.1f} – {max(times) * 1000:7.1f} ms  {len(found[0]):6d} rows  {name}")
    print(f"slowest of all, opening included: {worst:.0f} ms (at most {MOST_MS:.0f})", flush=True)
    return worst


def _ask(store: ClaimStore, query: str) -> list[Any]:
    with open_warehouse(store.local_path(FILE_NAME)) as warehouse:
        return warehouse.execute(query).fetchall()


def _ask_straight(store: ClaimStore) -> None:
    for name, (query, straight) in STRAIGHT.items():
        ours = min(_timed(lambda query=query: _ask(store, query))[0] for _ in range(3))
        with duckdb.connect() as connection:
            asked = straight.format(root=store.root)
            theirs, _ = _timed(lambda asked=asked: connection.execute(asked).fetchall())
        print(
            f"{name}: {ours * 1000:.0f} ms, straight from the Parquet files {theirs * 1000:.0f} ms: "
            f"{theirs / ours:.0f} times as long",
            flush=True,
        )


def _refresh_without_news(store: ClaimStore) -> None:
    seconds, refresh = _timed(lambda: _refresh(store))
    assert not refresh.is_published
    print(f"refresh without news: {seconds:.2f} s, the file is left alone")


def _time_refreshes(store: ClaimStore, claims: "Claims") -> None:
    place = store.local_path(FILE_NAME)
    before, generation = place.stat().st_size, 0
    for changed in (CHANGED, 1):
        times = []
        for _ in range(5):
            generation += 1
            # with one changed claim, the others of the hundred are left and hold the last whole generation
            claims.change(range(changed) if changed > 1 else [CHANGED], generation)
            seconds, refresh = _timed(lambda: _refresh(store))
            assert refresh.refreshed == changed
            times.append(seconds)
        print(f"refresh of {changed} changed claims: {min(times):.2f} – {max(times):.2f} s", flush=True)
    copying, _ = _timed(lambda: shutil.copyfile(place, place.with_name("copy")))
    print(f"of which copying the file: {copying:.2f} s")
    for _ in range(20):
        generation += 1
        claims.change(range(CHANGED), generation)
        _refresh(store)
    print(f"the file after {generation} refreshes: {before / 1e6:.0f} -> {place.stat().st_size / 1e6:.0f} MB")


def _is_whole(warehouse: duckdb.DuckDBPyConnection) -> tuple[float, bool]:
    """Return the generation of the claims that change together, and whether all that is told of it agrees."""
    changing = f"claim_id < 'claim-{CHANGED:05d}'"
    ((low, high, claims, counted),) = warehouse.execute(
        f"SELECT min(cost_usd), max(cost_usd), count(*), sum(citations) FROM claims WHERE {changing}"
    ).fetchall()
    ((least, most, citations),) = warehouse.execute(
        f"SELECT min(score), max(score), count(*) FROM citations WHERE {changing}"
    ).fetchall()
    ((kept, everything),) = warehouse.execute(
        "SELECT (SELECT sum(citations) FROM claims), (SELECT count(*) FROM citations)"
    ).fetchall()
    agree = low == high == least == most and claims == CHANGED and counted == citations and kept == everything
    return low, agree


def _read_on(path: str, told: Any) -> None:
    """Look again and again, each time twice over one connection; tell what was seen when `stop` appears."""
    reads, errors, halves, slowest, states = 0, 0, 0, 0.0, set()
    while not Path(path).with_name("stop").exists():
        began = time.monotonic()
        try:
            with open_warehouse(Path(path)) as warehouse:
                state, agree = _is_whole(warehouse)
                slowest = max(slowest, time.monotonic() - began)
                time.sleep(0.05)  # a refresh may be published now: this reader keeps what it opened
                again, still = _is_whole(warehouse)
            reads += 1
            states.add(state)
            halves += not (agree and still and state == again)
        except Exception as error:  # noqa: BLE001 - every kind of error counts
            errors += 1
            print(f"reader: {error!r}", flush=True)
    told.put((reads, len(states), errors, halves, slowest))


def _finds_half_a_refresh(place: Path) -> bool:
    """Plant half a refresh in a copy, and tell whether the reader's check sees it."""
    planted = place.with_name("planted")
    shutil.copyfile(place, planted)
    with duckdb.connect(str(planted)) as connection:
        connection.execute("UPDATE citations SET score = 99 WHERE claim_id = 'claim-00001'").fetchall()
    with open_warehouse(planted) as warehouse:
        return not _is_whole(warehouse)[1]


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.monotonic()
    result = work()
    return time.monotonic() - began, result


# --- generated claims ----------------------------------------------------------------------------


@dataclass
class Sent:
    """A ledger row as a vendor's adapter writes it."""

    at: datetime
    claim_id: str
    vendor: str
    model: str
    code: str
    input_tokens: int
    output_tokens: int
    cost_usd: float
    page_count: int
    seconds: float


class Claims:
    """Writes claims into a store as copies of a few, each with values of its own."""

    def __init__(self, store: ClaimStore, seeds: list[str]) -> None:
        self._store, self._chance = store, random.Random(7)
        self._seeds = [
            {table: pq.read_table(store.path(table, f"{seed}.parquet")) for table in COPIED} for seed in seeds
        ]
        self._folder = str(Path(store.root) / "none")

    def write(self, number: int, generation: int = 0) -> None:
        """Write a claim's tables, unlike the store without syncing each file, and register it."""
        name = f"claim-{number:05d}"
        for table, rows in self._seeds[number % SEEDS].items():
            rows = rows.set_column(0, "claim_id", pa.array([name] * len(rows), pa.string()))
            for column, values in self._own(table, rows, generation):
                rows = rows.set_column(rows.column_names.index(column), column, values)
            pq.write_table(rows, self._store.path(table, f"{name}.parquet"))
        self._store.register(Claim(claim_id=name, folder=self._folder, documents_dir=self._folder))

    def change(self, numbers: Any, generation: int) -> None:
        """Write claims again; score and cost tell the generation."""
        for number in numbers:
            self.write(number, generation)

    def _own(self, table: str, rows: pa.Table, generation: int) -> list[tuple[str, pa.Array]]:
        chance = self._chance
        if table == "raw_extraction":
            return [("cost_usd", pa.array([float(generation)] * len(rows)))]
        if table == "fields":
            return [("value", pa.array([self._value(kind) for kind in rows["value_type"].to_pylist()]))]
        if table == "citations":
            snippets = [
                " ".join(chance.choices(WORDS, k=8)) + f" {chance.random():.9f}" for _ in range(len(rows))
            ]
            return [
                ("snippet", pa.array(snippets)),
                ("score", pa.array([float(generation)] * len(rows))),
                ("confidence", pa.array([chance.random() for _ in snippets])),
                (
                    "status",
                    pa.array(chance.choices(["resolved", "flagged", "unresolved"], (95, 3, 2), k=len(rows))),
                ),
            ]
        return []

    def _value(self, kind: str) -> str:
        chance = self._chance
        if chance.random() < 0.3:  # the documents are silent
            return "null"
        made: dict[str, Any] = {
            "number": round(chance.random() * 5_000, 2),
            "integer": chance.randrange(500),
            "boolean": chance.random() < 0.5,
            "date": str(datetime(2025, 1, 1).date() + timedelta(days=chance.randrange(600))),
            "array": chance.choices(WORDS, k=3),
        }
        return json.dumps(made.get(kind, " ".join(chance.choices(WORDS, k=4)) + f" {chance.random():.6f}"))


def _fill(store: ClaimStore, count: int) -> Claims:
    schema = load_schema("workers_comp")
    seeds = [f"claim-{number:05d}" for number in range(SEEDS)]
    for number, seed in enumerate(seeds):
        write_claim(store, seed, schema, seed=number)
        fields = read_extraction(store, seed).fields
        citations = resolve_claim(read_documents(store, seed), fields, schema=schema, pins=())
        inputs = store.upstream_versions("resolved_citations", seed)
        tables = {"citations": citation_table(seed, citations)}
        store.write_stage("resolved_citations", seed, tables=tables, inputs=inputs)
    claims = Claims(store, seeds)
    append = append_to(Path(store.root) / "ledger")
    for number in range(count):
        claims.write(number)
        at = datetime(2026, 11, 21, 23, tzinfo=UTC) - timedelta(days=number % 30)
        for vendor, model in (("anthropic", "generated"), ("reducto", "")):
            append(Sent(at, f"claim-{number:05d}", vendor, model, "ok", 40_000, 9_000, 0.17, 36, 12.5))
    for number in range(0, count, 20):
        changes = [CitationChange(str(i), "k", Change.MOVED, 0.5) for i in range(20)]
        write_changes(store, f"claim-{number:05d}", changes)
    kept = VerificationStore(default_url(store.root))
    for number in range(0, count, 100):
        for key in [field.key for field in schema.fields][:5]:
            claim_id = f"claim-{number:05d}"
            kept.append(NewVerification(claim_id, key, Action.CONFIRM, "r", 0, f"{number}-{key}", "v", "v"))
    kept.close()
    return claims


def _runs(count: int) -> pa.Table:
    began = datetime(2026, 11, 21, 22, tzinfo=UTC).timestamp()
    rows = [
        {
            "run_id": f"{number:032x}",
            "job": "process_claims",
            "status": "SUCCESS",
            "claim_id": f"claim-{number:05d}",
            "claims": 1,
            "night": "2026-11-21",
            "started_at": began + number,
            "ended_at": began + number + number % 90,
            "updated_at": began + number + 90,
        }
        for number in range(count)
    ]
    return pa.Table.from_pylist(rows, schema=RUNS)


if __name__ == "__main__":
    main()
