"""Times the nightly schedule's own work with very many claims, of which none has anything to do.

    nice -n 10 .venv/bin/python benchmarks/night_plan.py [--claims 36000,100000] [--scratch DIR]

One claim is made; all others are it under other names (links, so that no disk is filled), registered and
added as partitions of an instance on a PostgreSQL server of its own. What is timed is one evaluation of the
schedule: the partitions, the plan of every claim from what its tables remember, open runs, the report. The
daemon waits for it as long as DAGSTER_SCHEDULE_GRPC_TIMEOUT_SECONDS says.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "benchmarks")]

import dagster as dg  # noqa: E402
from partitions_page import POSTGRES_INSTANCE  # noqa: E402

from citation_pipeline.defs.automation.nightly import build_nightly  # noqa: E402
from citation_pipeline.defs.readers import extractors, parsers  # noqa: E402
from citation_pipeline.defs.resources import read_settings  # noqa: E402
from citation_pipeline_tests.night_scene import write_inbox  # noqa: E402
from citation_pipeline_tests.postgres import running_postgres  # noqa: E402

FIRST = "claim-000"


def make_store(root: Path) -> None:
    write_inbox(root / "inbox", 1)
    command = [sys.executable, "-m", "citation_pipeline", "run", "--store", str(root / "store")]
    subprocess.run([*command, str(root / "inbox" / FIRST)], cwd=PROJECT, check=True, capture_output=True)


def multiply(store: Path, size: int) -> list[str]:
    """Put the first claim's files under so many names; returns the names."""
    files = [p.relative_to(store) for p in store.rglob("*") if p.is_file()]
    files = [p for p in files if any(part.partition(".")[0] == FIRST for part in p.parts)]
    names = [FIRST] + [f"copy-{number:06d}" for number in range(1, size)]
    for name in names[1:]:
        for file in files:
            target = store / str(file).replace(FIRST, name)
            if target.exists():
                continue
            target.parent.mkdir(exist_ok=True)
            if file.parts[0] == "claims":
                target.write_text((store / file).read_text().replace(f'"{FIRST}"', f'"{name}"'))
            else:
                os.link(store / file, target)
    return names


def measure(root: Path, names: list[str], database: str) -> dict[str, Any]:
    os.environ["CITATION_PIPELINE_DAGSTER_DATABASE_URL"] = database
    home = root / f"home{len(names)}"
    home.mkdir()
    (home / "dagster.yaml").write_text(POSTGRES_INSTANCE)
    settings = read_settings(str(root / "store"))
    with dg.DagsterInstance.from_config(str(home)) as instance:
        for start in range(0, len(names), 5000):
            instance.add_dynamic_partitions("claims", names[start : start + 5000])
        context = dg.build_schedule_context(instance, scheduled_execution_time=datetime.now(UTC))
        began, cpu = time.monotonic(), time.process_time()
        asked = list(
            build_nightly(settings.night)(
                context,
                store=settings.open_store().within_run(),
                settings=settings,
                parsers=parsers(settings),
                extractors=extractors(settings),
            )  # type: ignore[arg-type]
        )
        found = {
            "claims": len(names),
            "nightly_s": round(time.monotonic() - began, 1),
            "nightly_cpu_s": round(time.process_time() - cpu, 1),
            "asked_for": sum(isinstance(one, dg.RunRequest) for one in asked),
        }
    return found | {"said": [one.skip_message for one in asked if isinstance(one, dg.SkipReason)]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", default="36000,100000")
    parser.add_argument("--scratch", default=None)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with (
        tempfile.TemporaryDirectory(prefix="plans", dir=options.scratch) as folder,
        running_postgres() as server,
    ):
        root = Path(folder)
        os.environ["CITATION_PIPELINE_WORK_DIR"] = str(root / "work")
        make_store(root)
        for size in sorted(map(int, options.claims.split(","))):
            names = multiply(root / "store", size)
            print(json.dumps(measure(root, names, server.new_database())), flush=True)


if __name__ == "__main__":
    main()
