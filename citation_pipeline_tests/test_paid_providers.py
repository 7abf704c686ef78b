"""Claude and Reducto behind the command line, on loopback: paid once, in the ledger, told to nobody else."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.outbound_ledger import read_ledger
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.records import Settings
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_reducto.process import FakeReductoHandle

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

KEY = "sk-planted-a2f7c1"
FILES = ("Adjuster Activity Log.pdf", "Claim Metadata Snapshot.pdf", "Nguyen PR-4.pdf")
# what these documents say, and so nobody but the tables may
SAID = ("Nguyen", "Barrag", "declares", "PCA-24-0091827", "accepted conditions")


@pytest.fixture
def claim(project: Path, tmp_path: Path) -> Path:
    sample = project / "data" / "samples" / "sample_claim"
    folder = tmp_path / "inbox" / "CLM-7"
    (folder / "documents").mkdir(parents=True)
    for name in FILES:
        shutil.copy(sample / "documents" / name, folder / "documents" / name)
    return folder


@pytest.fixture
def claude(project: Path) -> Iterator[FakeAnthropic]:
    answer = json.loads((project / "data/samples/sample_claim/extraction_raw.json").read_text())
    reference = ReferenceAnswers(answer, must_be_read=True)
    with FakeAnthropic(reference, settings=Settings(api_key=KEY)) as server:
        yield server


@pytest.fixture
def store(
    tmp_path: Path, claude: FakeAnthropic, fake: FakeReductoHandle, monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    for name, value in {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": claude.url,
        "REDUCTO_API_KEY": "test-key",
        "REDUCTO_BASE_URL": fake.base_url,
        "CITATION_PIPELINE_REDUCTO_RATE": "1000",
        "CITATION_PIPELINE_WORKERS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    return tmp_path / "store"


def test_a_claim_through_both_providers_is_paid_once_and_leaves_a_ledger(
    claim: Path, store: Path, claude: FakeAnthropic, fake: FakeReductoHandle
) -> None:
    arguments = ("run", claim, "--store", store, "--parser", "reducto", "--extractor", "claude", "--json")
    result = command(*arguments)
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["document_statuses"] == {"parsed": 3}
    assert record["fields_found"] > 20
    assert record["citations"].get("unresolved", 0) <= 1
    asked, uploads = claude.records.counters["messages"], fake.counters["uploads"]
    assert (asked >= 1, uploads) == (True, 3)

    again = command(*arguments, "--force")
    assert again.exit_code == 0, again.output
    rematch = command("rematch", "--store", store)
    assert rematch.exit_code == 0, rematch.output
    assert claude.records.counters["messages"] == asked
    assert fake.counters["uploads"] == uploads

    ledger = read_ledger(store / "ledger").to_pylist()
    paid = [row for row in ledger if row["vendor"] == "anthropic" and row["cost_usd"]]
    assert len(paid) == asked
    assert sum(row["vendor"] == "reducto" and row["byte_count"] > 0 for row in ledger) >= uploads
    assert {row["claim_id"] for row in ledger} == {"CLM-7"}


def test_neither_keys_nor_what_documents_say_reach_logs_events_or_the_ledger(
    claim: Path, store: Path, claude: FakeAnthropic, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    claude.add("messages", "malformed", fraction=0.5)
    claude.add("messages", "status", status=400, message="the prompt said: declares P&S")
    outputs = [
        command("run", claim, "--store", store, "--extractor", "claude"),
        command("plan", "--store", store),
        command("run", claim, "--store", store, "--parser", "reducto", "--extractor", "claude"),
    ]
    shown = "\n".join(result.output for result in outputs)
    kept: dict[str, Any] = {"output": shown.encode(), "log": caplog.text.encode()}
    for folder in ("dagster_home", "ledger", "reducto_jobs"):
        kept |= {
            path.relative_to(store).as_posix(): path.read_bytes()
            for path in (store / folder).rglob("*")
            if path.is_file()
        }
    assert any(name.endswith(".db") for name in kept)
    for name, data in kept.items():
        for secret in (KEY, *SAID):
            assert secret.encode() not in data, f"{name} tells {secret!r}"
