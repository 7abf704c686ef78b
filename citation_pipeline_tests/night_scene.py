"""A whole night on loopback: an inbox, the daemon with sensor and schedule, both paid providers faked.

The providers stumble as often as asked: too many requests, overload, server errors, answers that cannot be
read, stalls. The test runs a few claims; `benchmarks/night.py` runs two hundred.
"""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.outbound_ledger import read_ledger
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import StoreError
from citation_pipeline.adapters.tables.tries import failed_tries
from citation_pipeline.defs.automation.night_settings import RunLimits
from citation_pipeline.defs.instances import open_instance
from citation_pipeline_tests.daemons import PROJECT, environment, running_daemon
from citation_pipeline_tests.drawn_pdfs import Sheet, draw
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_reducto.faults import Fault
from citation_pipeline_tests.fake_reducto.records import Settings as ReductoSettings
from citation_pipeline_tests.fake_reducto.server import FakeReducto

LOCATION = "citation_pipeline.defs.definitions"
KEY = "test-key"
FILES = ("letter", "report")

ANSWER = {
    "extractions": [
        {
            "field_key": "metadata.claim_number",
            "value": "ZX-2025-000417",
            "citations": [{"source_id": "letter", "text_snippet": "Claim Number: ZX-2025-000417"}],
        },
        {
            "field_key": "temporary_disability.weekly_rate",
            "value": 412.5,
            "citations": [{"source_id": "report", "text_snippet": "paid at $412.50 per week"}],
        },
    ]
}


@dataclass(frozen=True)
class Troubles:
    """Shares of the providers' calls that go wrong; `stall_s` is how long a stalled one takes."""

    too_many: float = 0.05
    overloaded: float = 0.02
    unreadable: float = 0.01
    stalled: float = 0.01
    stall_s: float = 3.0


@dataclass
class Night:
    """What was left in the morning."""

    complete: set[str] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)  # claims that did not make it → the reason
    unexplained: set[str] = field(default_factory=set)
    faults: Counter[str] = field(default_factory=Counter)
    runs: Counter[str] = field(default_factory=Counter)
    answers: int = 0  # billed by the model's provider
    distinct_requests: int = 0
    billed_twice: int = 0
    jobs: int = 0
    documents: int = 0
    billed_pages: int = 0
    ledger_pages: int = 0
    billed_tokens: int = 0
    ledger_tokens: int = 0
    ledger_dollars: float = 0.0
    stored_dollars: float = 0.0
    seconds: float = 0.0


def write_inbox(inbox: Path, count: int) -> list[str]:
    """Draw that many claims of two PDFs each, no two alike, so that no answer can serve two claims."""
    names = [f"claim-{number:03d}" for number in range(count)]
    for name in names:
        folder = inbox / name
        folder.mkdir(parents=True)
        texts = {
            "letter": ["RE: Claim Number: ZX-2025-000417", f"Our file {name}, a letter to the adjuster."],
            "report": ["Temporary disability is paid at $412.50 per week", f"File {name}, page one of one."],
        }
        for file in FILES:

            def page(sheet: Sheet, lines: list[str] = texts[file]) -> None:
                for number, line in enumerate(lines):
                    sheet.text(60, 80 + number * 20, line)

            (folder / f"{file}.pdf").write_bytes(draw(page))
    return names


def plant(claude: FakeAnthropic, reducto: FakeReducto, troubles: Troubles, *, claims: int, seed: int) -> None:
    """Script the troubles at random places of as many calls as the night will make, and some more."""
    chance = random.Random(seed)
    _script(partial(claude.add, "messages"), troubles, claims * 2, chance, "malformed")
    for operation, calls in (("upload", claims * 3), ("parse_async", claims * 3), ("job", claims * 8)):

        def add(kind: str, operation: str = operation, **told: Any) -> None:
            if kind == "status" and told["status"] == 529:
                told["status"] = 503
            reducto.records.faults.add(Fault.read({"operation": operation, "kind": kind, **told}))

        _script(add, troubles, calls, chance, "garbage")


def _script(add: Any, troubles: Troubles, calls: int, chance: random.Random, unreadable: str) -> None:
    quiet = 0
    for _ in range(calls):
        drawn = chance.random()
        if drawn < troubles.too_many:
            add("status", skip=quiet, status=429, headers={"retry-after": "1"})
        elif drawn < troubles.too_many + troubles.overloaded:
            add("status", skip=quiet, status=chance.choice((529, 500)))
        elif drawn < troubles.too_many + troubles.overloaded + troubles.unreadable:
            add(unreadable, skip=quiet)
        elif drawn < troubles.too_many + troubles.overloaded + troubles.unreadable + troubles.stalled:
            add("stall", skip=quiet, seconds=troubles.stall_s)
        else:
            quiet += 1
            continue
        quiet = 0


@contextmanager
def providers() -> Iterator[tuple[FakeAnthropic, FakeReducto]]:
    """Both fakes, listening."""
    answers = ReferenceAnswers(ANSWER, must_be_read=True)
    reducto = FakeReducto(ReductoSettings(api_key=KEY, statuses=("Pending", "Completed"), retry_after="1"))
    with FakeAnthropic(answers) as claude, reducto:
        yield claude, reducto


def run_night(
    root: Path, *, claims: int, troubles: Troubles, seed: int = 7, most_seconds: float = 600
) -> Night:
    """Run one night from the inbox to the morning; the schedule's next nights follow a minute apart."""
    names = write_inbox(root / "inbox", claims)
    home, store = root / "home", ClaimStore(root / "store")
    instance = open_instance(home, limits=RunLimits(runs=4, parsing=4))
    began = time.monotonic()
    with providers() as (claude, reducto):
        plant(claude, reducto, troubles, claims=claims, seed=seed)
        given = environment(home, Path(store.root)) | {
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": claude.url,
            "REDUCTO_API_KEY": KEY,
            "REDUCTO_BASE_URL": reducto.base_url,
            "CITATION_PIPELINE_REDUCTO_RATE": "50",
            "CITATION_PIPELINE_WORKERS": "1",
            "CITATION_PIPELINE_INBOX": str(root / "inbox"),
            "CITATION_PIPELINE_INBOX_SETTLE_S": "0",
            "CITATION_PIPELINE_INBOX_PARSER": "reducto",
            "CITATION_PIPELINE_INBOX_EXTRACTOR": "claude",
            "CITATION_PIPELINE_NIGHT_CRON": "* * * * *",
            "CITATION_PIPELINE_RETRY_WAIT_S": "1",
        }
        with running_daemon(home, Path(store.root), location=LOCATION, given=given):
            command = [sys.executable, "-m", "dagster", "schedule", "start", "nightly", "-m", LOCATION]
            subprocess.run(command, env=given, cwd=PROJECT, check=True, capture_output=True)
            while time.monotonic() - began < most_seconds:
                if all(_is_complete(store, name) or _is_held(store, name) for name in names):
                    break
                time.sleep(2)
        night = _count(store, names, claude, reducto)
    night.seconds = round(time.monotonic() - began, 1)
    night.runs = Counter(run.status.value for run in instance.get_runs())
    instance.dispose()
    return night


def _is_complete(store: ClaimStore, name: str) -> bool:
    return store.has("viewer_dataset", name, "data.json") and store.has("chunks", f"{name}.parquet")


def _is_held(store: ClaimStore, name: str) -> bool:
    return any(not failed.is_transient for failed in failed_tries(store).get(name, []))


def _count(store: ClaimStore, names: list[str], claude: FakeAnthropic, reducto: FakeReducto) -> Night:
    night = Night(documents=len(names) * len(FILES))
    tries = failed_tries(store)
    for name in names:
        if _is_complete(store, name):
            night.complete.add(name)
        elif name in tries:
            night.named[name] = tries[name][0].reason
        else:
            night.unexplained.add(name)
    ledger = read_ledger(Path(store.root) / "ledger").to_pylist()
    asked = [row for row in ledger if row["vendor"] == "anthropic" and row["endpoint"] == "/v1/messages"]
    paid = Counter(row["request_fingerprint"] for row in asked if row["cost_usd"])
    night.faults = Counter(row["code"] for row in ledger if row["code"] != "ok")
    night.answers = claude.records.counters["answers"]
    night.distinct_requests, night.billed_twice = len(paid), sum(count > 1 for count in paid.values())
    night.billed_tokens = claude.records.counters["input_tokens"] + claude.records.counters["output_tokens"]
    night.ledger_tokens = sum((row["input_tokens"] or 0) + (row["output_tokens"] or 0) for row in asked)
    night.ledger_dollars = sum(row["cost_usd"] or 0.0 for row in asked)
    night.jobs, night.billed_pages = (
        reducto.records.counters["parse_jobs"],
        reducto.records.counters["billed_pages"],
    )
    night.ledger_pages = sum(row["page_count"] or 0 for row in ledger if row["vendor"] == "reducto")
    for name in names:
        try:
            costs = store.read_table("raw_extraction", name, ["cost_usd"])["cost_usd"].to_pylist()
        except StoreError:
            continue
        night.stored_dollars += sum(costs)
    return night


def as_json(night: Night) -> str:
    """One line for machines."""
    told = {name: sorted(value) if isinstance(value, set) else value for name, value in vars(night).items()}
    return json.dumps(told | {"complete": len(night.complete)})
