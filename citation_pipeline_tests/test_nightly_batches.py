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
from citation_pipeline_tests.scenario import ANSWER, LineParser, write_claim

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


def test_without_the_deployments_word_nothing_is_sent(processing: Processing, claude: FakeAnthropic) -> None:
    (skipped,) = tick(processing, "sensor", batches_allowed=False)
    assert "batches are off" in skipped.skip_message
    assert claude.records.requests == []
