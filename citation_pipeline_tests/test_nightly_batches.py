"""Batches at night: the schedule parses, the sensor submits, collects and starts what the batch answered."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from citation_pipeline.adapters.readers import Readers
from citation_pipeline.core.claims import Claim
from citation_pipeline.defs.automation.batches import build_batch_sensor
from citation_pipeline.defs.automation.nightly import build_nightly
from citation_pipeline.defs.readers import extractors
from citation_pipeline.defs.resources import read_settings
from citation_pipeline.defs.runs.processing import Processing
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.records import Settings as ClaudeSettings
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_openai import DIALECTS, FakeChat
from citation_pipeline_tests.scenario import ANSWER, LineParser, write_claim

BILL = (
    "INVOICE\nInvoice Number: {number}\nInvoice Date: 03/04/2024\nBill to: Marsh Mill LLC\n"
    "Description: Quarterly rent of shed 4\nPayment terms: net 30\nAmount due: $1,250.00\n"
)
ORDER = (
    "KQXZ-TV\nORDER\nAdvertiser: Neighbors for Parks\nAgency: Bluebird Media\nOrder number: 55120\n"
    "Flight dates: 09/01/2024 - 09/14/2024\nSpots: 48 at :30\nGross amount: $9,600.00\n"
)
MIXED = {"bill-1.txt": BILL.format(number=4411), "bill-2.txt": BILL.format(number=5822), "order.txt": ORDER}
PARSERS: dict[str, Any] = {"parsers": Readers("parser", {"local": LineParser})}


@pytest.fixture
def claude() -> Iterator[FakeAnthropic]:
    with FakeAnthropic(ReferenceAnswers(ANSWER), settings=ClaudeSettings(batch_polls=1)) as claude:
        yield claude


@pytest.fixture
def processing(
    tmp_path: Path, claude: FakeAnthropic, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Processing]:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", claude.url)
    monkeypatch.setenv("CITATION_PIPELINE_CLAUDE_BATCHES", "1")
    processing = Processing(store=str(tmp_path / "store"), readers=PARSERS)
    folder = write_claim(tmp_path / "inbox" / "tiny")
    processing.store.register(Claim("tiny", str(folder), str(folder / "documents"), extractor="claude"))
    processing._instance.add_dynamic_partitions("claims", ["tiny"])
    yield processing
    processing.close()


def tick(processing: Processing, kind: str, **changed: Any) -> list[Any]:
    settings = read_settings(processing.store.root)
    settings = replace(settings, night=replace(settings.night, **changed))
    given = {"store": processing.store, "settings": settings, "extractors": extractors(settings)} | PARSERS
    if kind == "schedule":
        return list(build_nightly(settings.night)(dg.build_schedule_context(processing._instance), **given))
    context = dg.build_sensor_context(processing._instance)
    return list(build_batch_sensor(settings.night)(context, **given))


def test_the_night_parses_the_sensor_asks_and_the_claim_is_paid_for_once(
    processing: Processing, claude: FakeAnthropic
) -> None:
    (request,) = tick(processing, "schedule")
    stages = [key.to_user_string() for key in request.asset_selection]
    assert stages == ["source_documents", "parsed_documents"]
    claim = processing.store.claim("tiny")
    assert processing.run(claim, stages).failure is None
    (skipped,) = tick(processing, "sensor")
    assert "1 batches submitted" in skipped.skip_message
    (waiting,) = tick(processing, "schedule")  # the rest is the sensor's
    assert isinstance(waiting, dg.SkipReason)
    for _ in range(4):
        (found,) = tick(processing, "sensor")
        if isinstance(found, dg.RunRequest):
            break
    assert isinstance(found, dg.RunRequest)
    assert found.partition_key == "tiny"
    stages = [key.to_user_string() for key in found.asset_selection or ()]
    assert stages[0] == "raw_extraction"
    assert processing.run(claim, stages).failure is None
    assert claude.records.counters["answers"] == 1
    assert len(processing.store.read_viewer_dataset("tiny")["fields"]) == 4
    (skipped,) = tick(processing, "sensor")
    assert "0 batches submitted" in skipped.skip_message


def test_a_claim_of_several_schemas_is_asked_in_one_batch_and_read_by_document(
    processing: Processing, claude: FakeAnthropic, tmp_path: Path
) -> None:
    folder = tmp_path / "inbox" / "mixed" / "documents"
    folder.mkdir(parents=True)
    for name, text in MIXED.items():
        (folder / name).write_text(text)
    claim = Claim("mixed", str(folder.parent), str(folder), schema="auto", extractor="claude")
    processing.store.register(claim)
    processing._instance.add_dynamic_partitions("claims", ["mixed"])
    assert processing.run(claim, ["source_documents", "parsed_documents"]).failure is None
    (skipped,) = tick(processing, "sensor")
    assert "1 batches submitted" in skipped.skip_message
    found = next(
        request
        for _ in range(5)
        for request in tick(processing, "sensor")
        if isinstance(request, dg.RunRequest)
    )
    assert found.partition_key == "mixed"
    answered = claude.records.counters["answers"]
    assert answered == len(MIXED)
    stages = [key.to_user_string() for key in found.asset_selection or ()]
    assert processing.run(claim, stages).failure is None
    assert claude.records.counters["answers"] == answered  # nothing was asked again
    dataset = processing.store.read_viewer_dataset("mixed")
    known = (*dataset["fields"], *dataset["absentFields"], *dataset.get("unreadFields", ()))
    assert {field["document"] for field in known if "document" in field} == {"bill-1", "bill-2", "order"}


def test_a_second_look_goes_into_the_next_batch_before_the_claim_is_run(
    processing: Processing, claude: FakeAnthropic
) -> None:
    doubted = [{**record, "confidence": "low"} for record in ANSWER["extractions"]]
    claude.records.answers = ReferenceAnswers({"extractions": doubted})
    claim = processing.store.claim("tiny")
    assert processing.run(claim, ["source_documents", "parsed_documents"]).failure is None
    messages = []
    for _ in range(6):
        (found,) = tick(processing, "sensor")
        if isinstance(found, dg.RunRequest):
            break
        messages.append(found.skip_message)
    assert isinstance(found, dg.RunRequest)
    assert sum("1 batches submitted" in message for message in messages) == 2
    stages = [key.to_user_string() for key in found.asset_selection or ()]
    assert processing.run(claim, stages).failure is None
    assert claude.records.counters["answers"] == 2
    assert claude.records.counters["messages"] == 0  # nothing was asked live


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeChat]:
    dialect = replace(DIALECTS["vllm"], key_header="authorization")
    with FakeChat(dialect, ReferenceAnswers(ANSWER), batch_polls=1) as chat:
        monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
        monkeypatch.setenv("OPENAI_API_KEY", chat.key)
        monkeypatch.setenv("CITATION_PIPELINE_MODEL_OPENAI", "gpt-5.4")
        yield chat


def asked_of_openai(processing: Processing) -> Claim:
    processing.store.register(replace(processing.store.claim("tiny"), extractor="openai"))
    return processing.store.claim("tiny")


def test_a_model_servers_claims_are_asked_in_its_batches(chat: FakeChat, processing: Processing) -> None:
    claim = asked_of_openai(processing)
    assert processing.run(claim, ["source_documents", "parsed_documents"]).failure is None
    (skipped,) = tick(processing, "sensor")
    assert "1 batches submitted" in skipped.skip_message
    (found,) = tick(processing, "sensor")
    stages = [key.to_user_string() for key in found.asset_selection or ()]
    assert processing.run(claim, stages).failure is None
    assert chat.counters["answers"] == 1
    assert chat.files == {}
    assert len(processing.store.read_viewer_dataset("tiny")["fields"]) == 4


def test_claims_of_a_server_without_batches_are_run_at_once(chat: FakeChat, processing: Processing) -> None:
    chat.has_files = False
    claim = asked_of_openai(processing)
    assert processing.run(claim, ["source_documents", "parsed_documents"]).failure is None
    (found,) = tick(processing, "sensor")
    assert isinstance(found, dg.RunRequest)
    stages = [key.to_user_string() for key in found.asset_selection or ()]
    assert processing.run(claim, stages).failure is None
    assert chat.counters["answers"] == 1


def test_without_the_deployments_word_nothing_is_sent(processing: Processing, claude: FakeAnthropic) -> None:
    (skipped,) = tick(processing, "sensor", batches_allowed=False)
    assert "batches are off" in skipped.skip_message
    assert claude.records.requests == []
