"""Run the fake Reducto by hand: `python -m citation_pipeline_tests.fake_reducto --port 8900`.

Prints one JSON line with its addresses, then serves until interrupted.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading

from citation_pipeline_tests.fake_reducto.oddities import ODDITIES
from citation_pipeline_tests.fake_reducto.records import STATUSES, Settings
from citation_pipeline_tests.fake_reducto.server import FakeReducto


def main() -> int:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(prog="fake_reducto", description=__doc__.split("\n")[0])
    parser.add_argument("--port", type=int, default=8900, help="API port; 0 picks a free one")
    parser.add_argument("--storage-port", type=int, default=0, help="port of presigned addresses")
    parser.add_argument("--api-key", default="test-key", help="the Bearer key to ask for")
    parser.add_argument("--rate", type=float, default=0.0, help="requests a second before 429; 0 = no limit")
    parser.add_argument("--burst", type=int, default=1, help="requests that may come at once")
    parser.add_argument(
        "--statuses", default=",".join(STATUSES), help="one per poll, e.g. Pending,Idle,Completed"
    )
    parser.add_argument(
        "--result-ttl", type=float, default=3600.0, help="seconds until a result address expires"
    )
    parser.add_argument("--oddities", default="", help=f"'all' or some of: {', '.join(ODDITIES)}")
    parser.add_argument("--fixtures", default=None, help="folder of <sha256>.json ParseResponses")
    options = parser.parse_args()
    names = list(ODDITIES) if options.oddities == "all" else [n for n in options.oddities.split(",") if n]
    unknown = [name for name in names if name not in ODDITIES]
    if unknown:
        parser.error(f"unknown oddities: {', '.join(unknown)}")
    settings = Settings(
        api_key=options.api_key,
        rate=options.rate,
        burst=options.burst,
        statuses=tuple(options.statuses.split(",")),
        result_ttl=options.result_ttl,
        oddities=tuple(names),
        fixtures=options.fixtures,
    )
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    with FakeReducto(settings, port=options.port, storage_port=options.storage_port) as fake:
        print(json.dumps({"base_url": fake.base_url, "storage_url": fake.storage_url}), flush=True)
        stop.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
