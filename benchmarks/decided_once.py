"""What deciding once costs: claims run with rules, before and now, on SQLite and on PostgreSQL.

    python -m benchmarks.decided_once [--claims 50] [--repeats 3] [--before CHECKOUT]

`--before` is a checkout of a release to compare with (its packages are this environment's). Prints JSON
lines: CPU and wall seconds a claim, medians over repeats in turn, and of PostgreSQL the statements a claim.
Every claim has the same three documents of the shipped sample: all but the first find their parses cached.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SAMPLE = PROJECT / "data" / "samples" / "sample_claim" / "documents"
DOCUMENTS = ("Adjuster Activity Log.pdf", "Claim Metadata Snapshot.pdf", "Nguyen PR-4.pdf")


def claims_of(folder: Path, count: int) -> list[Path]:
    """Return the folders of so many claims of the same documents."""
    found = []
    for number in range(count):
        found.append(folder / f"claim-{number:03}")
        (found[-1] / "documents").mkdir(parents=True)
        for name in DOCUMENTS:
            shutil.copy(SAMPLE / name, found[-1] / "documents" / name)
    return found


def run(checkout: Path, claims: list[Path], store: Path, url: str = "") -> tuple[float, float]:
    """Run claims; return CPU and wall seconds of each."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("CITATION_")}
    environment = {**own, "PYTHONPATH": str(checkout), "CITATION_PIPELINE_WORKERS": "1"}
    if url:
        environment["CITATION_PIPELINE_COORDINATION_URL"] = url
    command = [sys.executable, "-m", "citation_pipeline", "run", *map(str, claims), "--store", str(store)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=store.parent, capture_output=True, check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr.decode()[-2000:])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu / len(claims), wall / len(claims)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--claims", type=int, default=50)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--before", type=Path)
    chosen = options.parse_args()
    from citation_pipeline_tests.postgres import running_postgres

    measured: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as name, running_postgres(logs_statements=True) as server:
        claims = claims_of(Path(name) / "claims", chosen.claims)
        for repeat in range(chosen.repeats):
            kinds = {"sqlite": (PROJECT, ""), "postgresql": (PROJECT, server.new_database())}
            if chosen.before is not None:
                kinds = {"before": (chosen.before, ""), **kinds}
            for kind, (checkout, url) in kinds.items():
                asked = server.statements()
                store = Path(name) / f"{kind}-{repeat}"
                measured.setdefault(kind, []).append(run(checkout, claims, store, url))
                if url:
                    statements = (server.statements() - asked) / chosen.claims
                    print(json.dumps({"what": "statements a claim", "statements": round(statements, 1)}))
                shutil.rmtree(store)
    for kind, figures in measured.items():
        cpu, wall = (statistics.median(column) for column in zip(*figures, strict=True))
        row = {"what": kind, "claims": chosen.claims, "cpu_s": round(cpu, 4), "wall_s": round(wall, 4)}
        print(json.dumps(row))


if __name__ == "__main__":
    main()
