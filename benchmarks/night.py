"""Runs a night of many claims against loopback fakes of both paid providers, which stumble as often as asked.

    .venv/bin/python benchmarks/night.py [--claims 200] [--scratch DIR]

Through the real sensor, schedule, queue, daemon and run launcher. Ends with 1 when a claim is neither
complete nor named with its reason, when something was paid twice, or when spend and ledger differ.
"""

import argparse
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from citation_pipeline_tests.night_scene import Troubles, as_json, run_night  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--claims", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=7200, help="give up after so long")
    parser.add_argument("--scratch", default=None)
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="night", dir=options.scratch))
    night = run_night(root, claims=options.claims, troubles=Troubles(), most_seconds=options.seconds)
    print(as_json(night))
    good = (
        len(night.complete) + len(night.named) == options.claims
        and night.billed_twice == 0
        and night.answers == night.distinct_requests
        and night.billed_tokens == night.ledger_tokens
        and night.billed_pages == night.ledger_pages
        and abs(night.ledger_dollars - night.stored_dollars) < 1e-6
    )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
