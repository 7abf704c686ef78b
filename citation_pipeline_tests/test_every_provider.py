"""One claim by the command line through every provider, on loopback: paid once, and told to nobody."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from citation_pipeline.adapters.outbound_ledger import read_ledger
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.records import Settings
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_openai import DIALECTS, FakeChat, said
from citation_pipeline_tests.fake_platforms import BEDROCK_MODEL, VERTEX_MODEL, FakePlatform

KEY = "planted-key-a2f7"
FILES = ("Claim Metadata Snapshot.pdf", "Nguyen PR-4.pdf")
SAID = ("Nguyen", "Barrag", "PCA-24-0091827", "accepted conditions")
NAMES = ("claude", "claude-bedrock", "claude-vertex", "openai", "azure-openai")


@dataclass
class Provider:
    """A provider on loopback: how many answers it has given, and how to make its next call fail."""

    name: str
    variables: dict[str, str]
    answers: Callable[[], int]
    fail: Callable[[], None]


@pytest.fixture(params=NAMES)
def provider(request: pytest.FixtureRequest, project: Path) -> Iterator[Provider]:
    answer = json.loads((project / "data/samples/sample_claim/extraction_raw.json").read_text())
    answers = ReferenceAnswers(answer, must_be_read=True)
    name = request.param
    if name in ("openai", "azure-openai"):
        dialect = DIALECTS["azure" if name == "azure-openai" else "openai"]
        with FakeChat(dialect, answers, key=KEY) as chat:
            azure = {
                "AZURE_OPENAI_ENDPOINT": chat.root,
                "AZURE_OPENAI_API_KEY": KEY,
                "CITATION_PIPELINE_MODEL": "extractor",
            }
            plain = {
                "OPENAI_BASE_URL": chat.url,
                "OPENAI_API_KEY": KEY,
                "CITATION_PIPELINE_MODEL": "gpt-5.4",
            }
            yield Provider(
                name,
                azure if name == "azure-openai" else plain,
                lambda: chat.counters["answers"],
                lambda: setattr(chat, "always", {"status": 401, "body": said(f"key {KEY} for Nguyen")}),
            )
        return
    with FakeAnthropic(answers, settings=Settings(api_key=KEY if name == "claude" else "test-key")) as claude:

        def fail() -> None:
            claude.add("messages", "status", status=401, message="near Nguyen", times=-1)

        def count() -> int:
            return int(claude.records.counters["answers"])

        if name == "claude":
            yield Provider(name, {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": claude.url}, count, fail)
            return
        with FakePlatform(claude, token=KEY) as platform:
            bedrock = {
                "AWS_REGION": "us-east-1",
                "AWS_BEARER_TOKEN_BEDROCK": KEY,
                "ANTHROPIC_BEDROCK_BASE_URL": platform.url,
                "CITATION_PIPELINE_MODEL": BEDROCK_MODEL,
            }
            vertex = {
                "CLOUD_ML_REGION": "us-east5",
                "ANTHROPIC_VERTEX_PROJECT_ID": "project1",
                "VERTEX_ACCESS_TOKEN": KEY,
                "ANTHROPIC_VERTEX_BASE_URL": platform.url,
                "CITATION_PIPELINE_MODEL": VERTEX_MODEL,
            }
            yield Provider(name, bedrock if name == "claude-bedrock" else vertex, count, fail)


@pytest.fixture
def claim(project: Path, tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    for name, value in {**provider.variables, "CITATION_PIPELINE_WORKERS": "1"}.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "inbox" / "CLM-7"
    folder.mkdir(parents=True)
    for name in FILES:
        shutil.copy(project / "data" / "samples" / "sample_claim" / "documents" / name, folder / name)
    return folder


def test_a_claim_is_read_paid_once_and_told_to_nobody(
    provider: Provider, claim: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    store = tmp_path / "store"
    arguments = ("run", claim, "--store", store, "--extractor", provider.name, "--json")
    outputs = [command(*arguments)]
    assert outputs[0].exit_code == 0, outputs[0].output
    record = json.loads(outputs[0].stdout.splitlines()[-1])
    assert record["fields_found"] > 15
    asked = provider.answers()
    assert asked >= 1

    outputs.append(command(*arguments, "--force"))
    outputs.append(command("rematch", "--store", store))
    outputs.append(command("plan", "--store", store, "--json"))
    assert [output.exit_code for output in outputs] == [0, 0, 0, 0]
    assert provider.answers() == asked
    paid = [row for row in read_ledger(store / "ledger").to_pylist() if row["cost_usd"]]
    assert len(paid) == asked

    provider.fail()
    (claim / "more.txt").write_text("Another letter about Nguyen.")
    outputs.append(command("run", claim, "--store", store, "--extractor", provider.name))
    assert outputs[-1].exit_code == 1
    assert "401" in outputs[-1].output
    kept = {"output": "".join(output.output for output in outputs).encode(), "log": caplog.text.encode()}
    for folder in ("dagster_home", "ledger", "model_servers"):
        for path in (store / folder).rglob("*"):
            if path.is_file():
                kept[path.relative_to(store).as_posix()] = path.read_bytes()
    assert any(name.endswith(".db") for name in kept)
    for name, data in kept.items():
        for secret in (KEY, *SAID):
            assert secret.encode() not in data, f"{name} tells {secret!r}"
