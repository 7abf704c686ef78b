"""The night of faults of `benchmarks/fleet.py`: everything fails once, with both paid providers.

The providers are loopback ones that stumble themselves (429, 500, stalls). What they answered and what they
made is counted on their side and held against the ledger: a request that was on its way when its host was
killed may have been paid for nothing, and the ledger calls it lost; anything else that was answered twice is
a fault.
"""

import argparse
import contextlib
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import dagster as dg
from fleet import OPEN, Fleet, by_host, running, say, wait_for_first_run, watch
from fleet_hosts import kill

from citation_pipeline.adapters.coordination.database import open_at
from citation_pipeline.adapters.outbound_ledger import SentRequests, read_ledger
from citation_pipeline.core.planning.stages import STAGES
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_reducto.records import Settings as ReductoSettings
from citation_pipeline_tests.fake_reducto.server import FakeReducto
from citation_pipeline_tests.night_scene import ANSWER, FILES, KEY, Troubles, plant


def night_of_faults(root: Path, options: argparse.Namespace) -> dict[str, Any]:
    """A night in which everything fails once; then what it left is counted."""
    claims = options.claims
    with contextlib.ExitStack() as stack:
        paid: list[tuple[FakeAnthropic, FakeReducto]] = []

        def given(address: str) -> Mapping[str, str]:
            paid.append(paid_providers(stack, address, claims, Troubles()))
            return paid_settings(*paid[0])

        fleet = stack.enter_context(running(root, workers=3, claims=claims, nice=options.nice, given=given))
        fleet.switch_on("nightly")
        began = wait_for_first_run(fleet)
        log: list[str] = []

        def note(what: str) -> None:
            log.append(f"{time.monotonic() - began:.0f} s: {what}")
            say(log[-1])

        disturb(fleet, note, cut_s=options.cut, unwell_s=options.unwell)
        watch(fleet, "night of faults", until=options.began + options.minutes * 60)
        is_settled = fleet.is_settled()
        note("settled" if is_settled else "NOT SETTLED")
        found = {
            "claims": claims,
            "hosts": "namespaces" if fleet.network.is_real else "processes: nothing was cut off",
            "complete": sum(fleet.is_complete(name) for name in fleet.names),
            "open_runs": len(fleet.instance.get_runs(dg.RunsFilter(statuses=OPEN))),
            "failed_runs": len(
                fleet.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE]))
            ),
            "runs_by_host": by_host(fleet),
            "shown_as_made_and_missing": sorted(name for name in fleet.made() if not fleet.is_complete(name)),
            "made_twice": made_twice(fleet),
            "paid": what_was_paid(fleet, *paid[0]),
            "log": log,
        }
        found["faulty"] = bool(
            found["complete"] < claims
            or found["open_runs"]
            or found["made_twice"]
            or found["shown_as_made_and_missing"]
            or found["paid"]["twice"]
        )
        return found


def disturb(fleet: Fleet, note: Callable[[str], None], *, cut_s: float, unwell_s: float) -> None:
    """Let each part fail once, one after the other."""
    time.sleep(10)
    kill(fleet.processes["host1"])
    note("host1 killed (-9)")
    time.sleep(10)
    if fleet.network.is_real:
        fleet.network.cut("host2", off=True)
        note(f"host2 cut off for {cut_s:.0f} s")
    kill(fleet.processes["daemon"])
    note("daemon killed (-9)")
    time.sleep(cut_s)
    fleet.network.cut("host2", off=False)
    fleet.start_daemon()
    fleet.start_worker("host1")
    note("host2 connected, daemon and host1 started again")
    time.sleep(15)
    fleet.redis.stop()
    time.sleep(3)
    fleet.redis.start()
    note("broker restarted")
    time.sleep(10)
    fleet.postgres.stop()
    time.sleep(3)
    fleet.postgres.start()
    note("PostgreSQL restarted")
    time.sleep(10)
    fleet.front.turn(unwell=True)
    time.sleep(unwell_s)
    fleet.front.turn(unwell=False)
    note(f"object store answered 503 for {unwell_s:.0f} s")


def made_twice(fleet: Fleet) -> list[str]:
    """Name the claims and stages that two runs report as made of the same inputs."""
    found = []
    for stage in STAGES:
        made: dict[tuple[Any, str], list[str]] = {}
        for record in fleet.instance.fetch_materializations(dg.AssetKey(stage), limit=5000).records:
            event = record.asset_materialization
            if event is not None and "made_by" not in event.metadata:
                version = (event.tags or {}).get("dagster/data_version", "")
                made.setdefault((record.partition_key, version), []).append(record.run_id[:8])
        found += [f"{stage} of {claim} by {runs}" for (claim, _), runs in made.items() if len(runs) > 1]
    return found


def what_was_paid(fleet: Fleet, claude: FakeAnthropic, reducto: FakeReducto) -> dict[str, Any]:
    """Hold the providers' own counts against the ledger's."""
    sent = SentRequests(fleet.root / "bench" / "work" / "ledger", open_at(fleet.database))
    ledger = read_ledger(sent).to_pylist()
    bodies = Counter(
        hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        for body in claude.records.bodies
    )
    again = sum(bodies.values()) - len(bodies)
    asked = [row for row in ledger if row["endpoint"] == "/v1/messages"]
    # answered in whole and yet not to be used: unreadable, or on its way when its host ended
    excused = sum(row["code"] != "ok" for row in asked)
    received = Counter(row["request_fingerprint"] for row in asked if row["cost_usd"] and row["code"] == "ok")
    jobs = int(reducto.records.counters["parse_jobs"])
    documents = len(fleet.names) * len(FILES)
    troubled = sum(row["code"] != "ok" for row in ledger if row["vendor"] == "reducto")
    twice = [name for name, count in received.items() if count > 1]
    return {
        "answers": sum(bodies.values()),
        "of_requests": len(bodies),
        "answered_again": again,
        "ledger_not_ok": dict(
            Counter(f"{row['vendor']}: {row['code']}" for row in ledger if row["code"] != "ok")
        ),
        "parse_jobs": jobs,
        "of_documents": documents,
        "pages_billed": int(reducto.records.counters["billed_pages"]),
        "twice": len(twice) + max(0, again - excused) + max(0, jobs - documents - troubled),
    }


def paid_providers(
    stack: contextlib.ExitStack, address: str, claims: int, troubles: Troubles
) -> tuple[FakeAnthropic, FakeReducto]:
    """Both paid providers on loopback, with so much that goes wrong."""
    told = ReductoSettings(api_key=KEY, statuses=("Pending", "Completed"), retry_after="1")
    claude = stack.enter_context(FakeAnthropic(ReferenceAnswers(ANSWER, must_be_read=True), host=address))
    reducto = stack.enter_context(FakeReducto(told, host=address))
    plant(claude, reducto, troubles, claims=claims, seed=7)
    return claude, reducto


def paid_settings(claude: FakeAnthropic, reducto: FakeReducto) -> Mapping[str, str]:
    return {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": claude.url,
        "REDUCTO_API_KEY": KEY,
        "REDUCTO_BASE_URL": reducto.base_url,
        "CITATION_PIPELINE_REDUCTO_RATE": "50",
        "CITATION_PIPELINE_INBOX_PARSER": "reducto",
        "CITATION_PIPELINE_INBOX_EXTRACTOR": "claude",
        "CITATION_PIPELINE_RETRY_WAIT_S": "1",
    }
