"""One claim by the command line through every provider, on loopback: paid once, and told to nobody."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from citation_pipeline.adapters.outbound_ledger import read_ledger
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.provider_scenes import KEY, NAMES, Provider, provider_on_loopback

FILES = ("Claim Metadata Snapshot.pdf", "Nguyen PR-4.pdf")
SAID = ("Nguyen", "Barrag", "PCA-24-0091827", "accepted conditions")


@pytest.fixture(params=NAMES)
def provider(request: pytest.FixtureRequest, project: Path) -> Iterator[Provider]:
    answer = json.loads((project / "data/samples/sample_claim/extraction_raw.json").read_text())
    with provider_on_loopback(request.param, ReferenceAnswers(answer, must_be_read=True)) as provider:
        yield provider


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
