"""Measure search over a thousand claims.

    python -m benchmarks.search [--claims 1000] [--chunks 60] [--queries 400]

Generates claims of `chunks` chunks of some 90 words each in a temporary folder, fills the index, and times
whole
searches as the API answers them (query understood, hits, fields, citations with context), one after another
in
one process after one warm-up query. Prints JSON: the time to fill, to find nothing changed, and the
quantiles.
"""

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from citation_pipeline.adapters.read_model.searches import search
from citation_pipeline.adapters.read_model.totals import aggregate_field
from citation_pipeline_tests.agent_claims import generate_claims, open_model, vocabulary


def queries(count: int, claims: int) -> list[str]:
    chance = random.Random(7)
    known, weights = vocabulary()
    made = []
    for number in range(count):
        kind = number % 4
        if kind == 0:
            made.append(" ".join(chance.choices(known, cum_weights=weights, k=3)))
        elif kind == 1:
            made.append(f"NUM-{chance.randrange(claims):06d}")
        elif kind == 2:
            made.append(f"total paid over {chance.randrange(1_000, 40_000)}")
        else:
            made.append(
                f"{chance.choices(known, cum_weights=weights)[0]} and claim status is "
                f"{chance.choice(['open', 'closed'])}"
            )
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--claims", type=int, default=1_000)
    parser.add_argument("--chunks", type=int, default=60)
    parser.add_argument("--queries", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = generate_claims(Path(folder), options.claims, chunks=options.chunks)
        model = open_model(store)
        start = time.perf_counter()
        model.refresh(force=True)
        filled = time.perf_counter() - start
        start = time.perf_counter()
        model.refresh(force=True)
        looked = time.perf_counter() - start
        search(model, "warm up")
        times: dict[str, list[float]] = {}
        computing: dict[str, list[float]] = {}
        for number, query in enumerate(queries(options.queries, options.claims)):
            start, busy = time.perf_counter(), time.process_time()
            search(model, query)
            name = ("words", "identifier", "condition", "words and condition")[number % 4]
            times.setdefault(name, []).append(time.perf_counter() - start)
            computing.setdefault(name, []).append(time.process_time() - busy)
        start = time.perf_counter()
        aggregate_field(model, "sum", "financials.total_paid")
        summed = time.perf_counter() - start
    everything = [t for each in times.values() for t in each]
    print(
        json.dumps(
            {
                "claims": options.claims,
                "chunks": options.claims * options.chunks,
                "fill_s": round(filled, 1),
                "nothing_changed_ms": round(looked * 1000, 1),
                "search_p50_ms": quantile(everything, 0.5),
                "search_p95_ms": quantile(everything, 0.95),
                # what the searches themselves took: the same on a machine that is busy with other things
                "cpu_p95_ms": quantile([t for each in computing.values() for t in each], 0.95),
                "cpu_p95_ms_by_kind": {name: quantile(each, 0.95) for name, each in computing.items()},
                "p95_ms_by_kind": {name: quantile(each, 0.95) for name, each in times.items()},
                "sum_over_all_ms": round(summed * 1000, 1),
            },
            indent=1,
        )
    )


def quantile(values: list[float], share: float) -> float:
    return round(sorted(values)[min(len(values) - 1, int(share * len(values)))] * 1000, 1)


if __name__ == "__main__":
    main()
