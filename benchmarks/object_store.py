"""What object storage costs beside a folder of this machine: warehouse, search, viewer, and its requests.

    nice -n 10 .venv/bin/python -m benchmarks.object_store CLAIM_DIR [--copies 4] [--json FILE]

Runs copies of a claim into a folder and into a bucket of an S3 server on loopback (moto), as a host that has
parsed the claim before; then compares, with this machine's copies of the bucket in place:

- a re-match of one claim, and the requests that it makes
- the warehouse: made from nothing, and refreshed after one claim changed
- the search index: made from nothing, and one query
- the viewer: first page (dataset and page image) and click (another page's image), first visit and later

Times are medians; the server's own work is in them, which a real storage does elsewhere. Ends with 1 when a
later visit takes more than 1.5 times what it takes over a folder.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

BUCKET = "claims"
GOAL = 1.5
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


@contextmanager
def server(log: Path) -> Iterator[str]:
    """Run moto with a log of its requests; yields a URL without the store's prefix."""
    port = _free_port()
    command = [
        sys.executable,
        "-c",
        "from moto.server import main; main()",
        "-H",
        "127.0.0.1",
        "-p",
        str(port),
    ]
    with log.open("w") as target:
        process = subprocess.Popen(command, stdout=target, stderr=target)
        try:
            _wait(lambda: httpx.put(f"http://127.0.0.1:{port}/{BUCKET}"))
            yield f"s3://{BUCKET}/STORE?scheme=http&endpoint_override=127.0.0.1:{port}&region=us-east-1"
        finally:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


def _wait(ask: Callable[[], httpx.Response]) -> None:
    for _ in range(600):
        try:
            ask()
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("a server did not start")


def requests_of(log: Path) -> Counter[str]:
    """Count the requests that the S3 server has logged, by method."""
    return Counter(
        method
        for line in log.read_text(errors="replace").splitlines()
        for method in ("GET", "PUT", "HEAD", "DELETE", "POST")
        if f'"{method} ' in line
    )


def command(work: Path, store: str, *arguments: str) -> float:
    """Run a command of a host whose local folder is `work`; return its CPU seconds."""
    environment = {**os.environ, **CREDENTIALS, "CITATION_PIPELINE_WORK_DIR": str(work)}
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", "citation_pipeline", *arguments, "--store", store],
        env=environment, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def timed(call: Callable[[], object], times: int = 1) -> float:
    """Return the median seconds of a call."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def measure_tables(store_url: str, work: Path, changed: str) -> dict[str, float]:
    """Return the seconds of warehouse and search."""
    from citation_pipeline.adapters.read_model.model import ReadModel
    from citation_pipeline.adapters.read_model.searches import search
    from citation_pipeline.adapters.tables.claim_store import ClaimStore
    from citation_pipeline.adapters.tables.stored_files import Copies
    from citation_pipeline.adapters.verifications.database import default_url
    from citation_pipeline.adapters.verifications.store import VerificationStore
    from citation_pipeline.adapters.warehouse.places import remove_warehouse
    from citation_pipeline.adapters.warehouse.publishing import refresh_warehouse

    store = ClaimStore(store_url, copies=Copies(work / "mirror", max_age=5.0))
    remove_warehouse(store)
    found = {"warehouse_new_s": timed(lambda: refresh_warehouse(store))}
    table = store.read_bytes("fields", f"{changed}.parquet")
    store.remove("fields", f"{changed}.parquet")
    refresh_warehouse(store)
    store.write_bytes(table, "fields", f"{changed}.parquet")
    found["warehouse_one_claim_s"] = timed(lambda: refresh_warehouse(store))
    index = work / "bench_index.sqlite"
    index.unlink(missing_ok=True)
    reviews = VerificationStore(default_url(work))
    model = ReadModel(store, reviews, index_path=index)
    found["search_new_s"] = timed(lambda: model.refresh(force=True))
    found["search_query_s"] = timed(lambda: search(model, "average weekly wage"), 20)
    reviews.close()
    return found


def measure_viewer(store_url: str, work: Path, claim_id: str) -> dict[str, float]:
    """Return the seconds of a first page and a click, the first time and later."""
    port = _free_port()
    environment = {**os.environ, **CREDENTIALS, "CITATION_PIPELINE_WORK_DIR": str(work)}
    process = subprocess.Popen(
        [sys.executable, "-m", "citation_pipeline", "serve", "--store", store_url, "--port", str(port)],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            _wait(lambda: client.get("/health"))
            client.get("/api/session")
            dataset: dict[str, Any] = {}

            def image(source: dict[str, Any], page: int) -> None:
                path = f"/api/claims/{claim_id}/sources/{source['id']}/pages/{page}/image"
                client.get(path, params={"w": 900}).raise_for_status()

            def first_page() -> None:
                dataset.update(client.get(f"/api/claims/{claim_id}").raise_for_status().json())
                image(dataset["sources"][0], 1)

            found = {"first_page_first_s": timed(first_page)}
            found["click_first_s"] = timed(lambda: image(dataset["sources"][1], 1))
            found["first_page_s"] = timed(first_page, 40)
            found["click_s"] = timed(lambda: image(dataset["sources"][1], 1), 40)
            found["claims_list_s"] = timed(lambda: client.get("/api/claims").raise_for_status(), 40)
            return found
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    """Measure both and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("claim", type=Path)
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    os.environ.update(CREDENTIALS)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folders = []
        for number in range(given.copies):
            folders.append(root / "in" / f"{given.claim.name}-{number}")
            shutil.copytree(given.claim, folders[-1])
        log = root / "requests.log"
        found: dict[str, dict[str, float]] = {}
        with server(log) as address:
            stores = {"folder": str(root / "store"), "objects": address.replace("STORE", "store")}
            for kind, store in stores.items():
                work = root / f"work_{kind}"
                os.environ["CITATION_PIPELINE_PARSE_CACHE"] = str(root / "parse_cache")
                command(work, store, "run", str(folders[0]))  # parses, for all
                asked = requests_of(log)
                cpu = command(work, store, "run", *map(str, folders[1:]))
                figures = {"run_cpu_s": cpu / (given.copies - 1)}
                run = requests_of(log) - asked
                asked = requests_of(log)
                figures["rematch_cpu_s"] = command(work, store, "rematch", folders[0].name)
                rematch = requests_of(log) - asked
                if kind == "objects":
                    figures |= {f"run_{m.lower()}": n / (given.copies - 1) for m, n in run.items()}
                    figures |= {f"rematch_{m.lower()}": float(n) for m, n in rematch.items()}
                figures |= measure_tables(store, work, folders[1].name)
                figures |= measure_viewer(store, work, folders[0].name)
                found[kind] = figures
    ratios = {name: found["objects"][name] / value for name, value in found["folder"].items() if value}
    for name, value in found["objects"].items():
        local = found["folder"].get(name)
        beside = f"  folder {local:.4f}  ratio {ratios[name]:.2f}" if local else ""
        print(f"{name:24} {value:.4f}{beside}")
    if given.json:
        given.json.write_text(json.dumps({**found, "ratios": ratios}, indent=1))
    return int(any(ratios[name] > GOAL for name in ("first_page_s", "click_s")))


if __name__ == "__main__":
    sys.exit(main())
