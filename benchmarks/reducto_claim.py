"""A claim of many documents through the Reducto client, against the loopback server at an enforced rate.

Run: `python -m benchmarks.reducto_claim [--documents 200] [--rate 10] [--kill-after 60]` from the project's
root. A child process parses the claim; with `--kill-after N` it is killed (SIGKILL) when N documents are
done, and another one finishes. Prints one JSON object: seconds, requests, the time that the rate alone
demands, requests the server had to refuse, uploads and jobs (equal to the documents unless the kill hit an
upload on its way), credits. Nothing here calls the real service.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.options import Connection
from citation_pipeline.adapters.reducto.parsers import ReductoParser
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline_tests.fake_reducto.drawn_documents import draw
from citation_pipeline_tests.fake_reducto.process import spawn_fake_reducto

CLAIM = "BENCH-200"


def parse_claim(base_url: str, folder: Path, *, rate: float, concurrency: int) -> int:
    """The child: parse every PDF of the folder, print one line per document done."""
    sources = []
    for path in sorted((folder / "documents").glob("*.pdf")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        size = path.stat().st_size
        row = SourceDocument(path.stem, path.stem, path.name, digest, "application/pdf", size)
        sources.append((row, path))
    connection = Connection("test-key", base_url=base_url, requests_per_second=rate, concurrency=concurrency)
    with ReductoClient(connection) as client:
        parser = ReductoParser(client, results_folder=folder / "results", journal_folder=folder / "journal")

        def on_parsed(document: ParsedDocument, cached: bool) -> None:
            print(json.dumps({"source_id": document.source.source_id, "cached": cached}), flush=True)

        documents = parser.parse_many(sources, on_parsed=on_parsed, claim_id=CLAIM)
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime
    readable = sum(document.is_readable for document in documents)
    print(json.dumps({"readable": readable, "cpu_s": round(cpu, 1), "peak_mb": used.ru_maxrss // 1024}))
    return 0


def run_child(base_url: str, folder: Path, options: argparse.Namespace, *, kill_after: int) -> list[str]:
    command = [sys.executable, "-m", "benchmarks.reducto_claim", "--child", str(folder), base_url]
    command += ["--rate", str(options.rate), "--concurrency", str(options.concurrency)]
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            lines.append(line)
            if len(lines) % 20 == 0:
                print(f"{len(lines)} lines", file=sys.stderr)
            if kill_after and len(lines) == kill_after:
                os.kill(child.pid, signal.SIGKILL)
                break
    if not kill_after and child.returncode:
        raise SystemExit(f"the child ended with {child.returncode}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--rate", type=float, default=10.0, help="requests a second, enforced by the server")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--kill-after", type=int, default=0, help="documents done before SIGKILL; 0 = never")
    parser.add_argument("--child", nargs=2, metavar=("FOLDER", "URL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        folder, base_url = options.child
        return parse_claim(base_url, Path(folder), rate=options.rate, concurrency=options.concurrency)
    # A twentieth above the client's rate and a burst of its threads: room for jitter, not for cheating.
    limit = ["--rate", str(options.rate * 1.05), "--burst", str(options.concurrency)]
    with tempfile.TemporaryDirectory() as name, spawn_fake_reducto(*limit) as fake:
        folder = Path(name)
        (folder / "documents").mkdir()
        for number in range(options.documents):
            drawn = draw((((72, 100, f"Letter number {number} of this claim"),), ((72, 90, "Page two"),)))
            (folder / "documents" / f"letter-{number:04}.pdf").write_bytes(drawn.data)
        began = time.monotonic()
        first = run_child(fake.base_url, folder, options, kill_after=options.kill_after)
        last = run_child(fake.base_url, folder, options, kill_after=0) if options.kill_after else first
        seconds, counters = time.monotonic() - began, fake.counters
    requests = sum(n for key, n in counters.items() if key.startswith("requests:") and "storage" not in key)
    report = {
        "documents": options.documents,
        "rate": options.rate,
        "concurrency": options.concurrency,
        "killed_after": options.kill_after or None,
        "seconds": round(seconds, 1),
        "requests": requests,
        "seconds_the_rate_demands": round(requests / options.rate, 1),
        "refused_by_rate": counters["rate_limited"],
        "uploads": counters["uploads"],
        "jobs": counters["parse_jobs"],
        "deleted_uploads": counters["deleted_uploads"],
        "deleted_jobs": counters["deleted_jobs"],
    }
    print(json.dumps(report | json.loads(last[-1])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
