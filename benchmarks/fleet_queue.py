"""Replays measured runs through a fleet's queue: how long a night lasts, and what it waits for.

    .venv/bin/python benchmarks/fleet_queue.py [--night build/fleet.json] [--claims 10000,100000,1000000]
        [--slots 4,16,64,256,1024] [--seconds 12,40,95] [--transactions-a-second 8000] [--answers-a-minute 0]

Three things are shared and serve one claim after the other: the daemon, which starts runs; the database,
which takes a claim's transactions; the provider, which answers so many requests a minute. A run occupies a
slot from its start until its own time is over and the database and the provider are done with it. Times of
runs are drawn from those of a measured night (`benchmarks/fleet.py --json`) or from `--seconds`. What is busy
for more than nine tenths of the night is where it saturates: more of anything else makes it no shorter.
"""

import argparse
import heapq
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_SATURATED = 0.9


@dataclass(frozen=True)
class Fleet:
    """What is shared, as the seconds that one claim takes of it."""

    slots: int
    start_s: float  # the daemon's time for one run
    database_s: float
    provider_s: float
    look_s: float  # between two looks of the daemon at its queue


@dataclass(frozen=True)
class Night:
    """How long it lasted, and the share of it for which each thing was busy."""

    seconds: float
    busy: dict[str, float]

    @property
    def waits_for(self) -> str:
        """What more of would make it shorter."""
        # slots are taken all night also where their runs wait for something that is shared
        shared = {name: share for name, share in self.busy.items() if name != "slots"}
        name = max(shared, key=lambda one: shared[one])
        return name if shared[name] >= _SATURATED else "slots"


def simulate(fleet: Fleet, run_seconds: Sequence[float], claims: int, seed: int = 1) -> Night:
    """Replay a night of so many claims that all wait from its beginning."""
    chance = random.Random(seed)
    free = [0.0] * fleet.slots  # when each slot is
    heapq.heapify(free)
    daemon = database = provider = ends = occupied = 0.0
    for _ in range(claims):
        slot = heapq.heappop(free)
        # a slot that is free waits for the daemon's next look, then for the runs before it
        looked = -(-slot // fleet.look_s) * fleet.look_s
        began = max(looked, daemon)
        daemon = began + fleet.start_s
        own = daemon + chance.choice(run_seconds)
        database = max(database, daemon) + fleet.database_s
        provider = max(provider, daemon) + fleet.provider_s
        ended = max(own, database, provider)
        occupied += ended - slot
        heapq.heappush(free, ended)
        ends = max(ends, ended)
    return Night(
        ends,
        {
            "slots": occupied / (ends * fleet.slots),
            "daemon": claims * fleet.start_s / ends,
            "database": claims * fleet.database_s / ends,
            "provider": claims * fleet.provider_s / ends,
        },
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--night", type=Path, help="what benchmarks/fleet.py --json wrote")
    parser.add_argument("--seconds", default="12,40,95", help="run times, in place of a measured night's")
    parser.add_argument("--transactions", type=float, default=2031, help="of a claim, without --night")
    parser.add_argument("--claims", default="10000,100000,1000000")
    parser.add_argument("--slots", default="16,64,256,1024")
    parser.add_argument("--transactions-a-second", type=float, default=8000)
    parser.add_argument("--answers-a-minute", type=float, default=0, help="of the provider; 0: no limit")
    parser.add_argument("--answers", type=float, default=1, help="that a claim asks for")
    parser.add_argument("--start-s", type=float, default=0.06, help="the daemon's time for one run")
    parser.add_argument("--look-s", type=float, default=1.0)
    options = parser.parse_args()
    seconds, transactions = [float(text) for text in options.seconds.split(",")], options.transactions
    if options.night is not None:
        measured = [one for one in json.loads(options.night.read_text()) if one.get("run_seconds")]
        # a stopped night is mostly its beginning; of whole ones, with the fewest runs wait least for cores
        best = max(measured, key=lambda one: (one["claims_made"], -one["workers"]))
        seconds, transactions = best["run_seconds"], best["night_transactions_a_claim"]
    print(f"{len(seconds)} run times, {min(seconds):.1f} to {max(seconds):.1f} s")
    print(f"{transactions:.0f} transactions a claim, {options.transactions_a_second:.0f} a second at most")
    limit = options.answers_a_minute
    for claims in map(int, options.claims.split(",")):
        for slots in map(int, options.slots.split(",")):
            fleet = Fleet(
                slots,
                options.start_s,
                transactions / options.transactions_a_second,
                options.answers * 60 / limit if limit else 0.0,
                options.look_s,
            )
            # beyond this many the rate stays what it is
            replayed = min(claims, 200 * slots + 20_000)
            night = simulate(fleet, seconds, replayed)
            hours = night.seconds * claims / replayed / 3600
            busy = ", ".join(f"{name} {share:.0%}" for name, share in night.busy.items())
            print(
                f"{claims:>9,} claims, {slots:>5} slots: {hours:8.1f} h, waits for {night.waits_for} ({busy})"
            )


if __name__ == "__main__":
    main()
