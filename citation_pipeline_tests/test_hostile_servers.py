"""Model servers that are broken or hostile: nothing false is believed, nothing is paid without a row."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.conversation import client
from citation_pipeline.adapters.conversation.errors import ProviderUnavailableError
from citation_pipeline.adapters.extractors.by_document import read_and_check
from citation_pipeline.core.extraction import Extraction, Provenance
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.field_confidence import confidences_of
from citation_pipeline_tests.chat_scenes import ChatDesk
from citation_pipeline_tests.claude_scenes import CLAIM, Desk, field_of
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_openai import DIALECTS, FakeChat
from citation_pipeline_tests.test_claude_asking import DOCUMENTS, EXPECTED, REFERENCE, values_of

PROMPT_LIMIT = 200_000


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ChatDesk]:
    with FakeChat(DIALECTS["vllm"], ReferenceAnswers(REFERENCE, must_be_read=True)) as chat:
        yield ChatDesk(chat, tmp_path)


def told(desk: ChatDesk, text: str) -> tuple[Extraction, dict[str, float]]:
    """What is believed of a server that answers everything with one text."""
    desk.chat.always = {"kind": "text", "text": text}
    extractor = desk.extractor()
    replies = extractor.ask(CLAIM, DOCUMENTS, desk.schema)
    extractor.close()
    _, extraction = read_and_check(extractor, replies, DOCUMENTS, desk.schema)
    citations = resolve_claim(DOCUMENTS, extraction.fields, schema=desk.schema)
    sure = confidences_of(extraction.fields, citations)
    return extraction, {key: one.confidence for key, one in sure.items()}


def record(value: Any, *citations: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "field_key": "metadata.claim_number",
        "value": value,
        "confidence": "high",
        "citations": list(citations),
        **more,
    }


def quote(text: str, source_id: str = "letter", page: Any = 1) -> dict[str, Any]:
    return {"source_id": source_id, "text_snippet": text, "page": page}


@pytest.mark.parametrize(
    "records",
    [
        [record("EVIL-1")],
        [record("EVIL-1", quote("Claim number: EVIL-1"))],
        [record("EVIL-1", quote("Claim number: EVIL-1", "court-order"))],
        [record("EVIL-1", quote("")), record("EVIL-1", quote("   "))],
        [record("EVIL-1", quote("e"))],
        [record("EVIL-1", quote("Claim number: EVIL-1", page=10**12))],
        [record("EVIL-1", quote("Claim number: EVIL-1"), verified=True, status="confirmed", score=1.0)],
        [record(f"EVIL-{number}", quote("Claim number")) for number in range(3)],
    ],
    ids=["no-quote", "nowhere", "no-such-document", "blank", "a-letter", "no-such-page", "signed", "thrice"],
)
def test_a_value_that_no_document_states_is_never_sure(desk: ChatDesk, records: list[Any]) -> None:
    extraction, sure = told(desk, json.dumps({"extractions": records}))
    assert sure.get("metadata.claim_number", 0.0) <= 0.5
    assert len([one for one in extraction.fields if one.field_key == "metadata.claim_number"]) <= 1


def test_no_model_says_that_a_person_gave_a_value(desk: ChatDesk) -> None:
    given = record("ZX-1", quote("Claim"), provenance="user-provided")
    extraction, _ = told(desk, json.dumps({"extractions": [given]}))
    assert field_of(extraction, "metadata.claim_number").provenance is Provenance.INFERRED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "Sorry.",
        '{"sentences": []}',
        '{"extractions": {"metadata.claim_number": "EVIL-1"}}',
        '{"extractions": ["EVIL-1", 7, null, [[]]]}',
        '{"extractions": [{"field_key": {"a": 1}, "value": "EVIL-1"}]}',
        '{"extractions": [{"field_key": "metadata.claim_number", "value": NaN, "citations": 3}]}',
        '{"extractions": [{"field_key": "settlement.amount", "value": 1e400, "citations": []}]}',
        "[" * 5_000,
        '{"extractions": [' + '{"field_key": "metadata.claim_number", "value": "EVIL-1"},' * 3_000,
        '{"fields": [{"key": "metadata.claim_number", "value": "EVIL-1"}]}',
    ],
    ids=lambda text: text[:30],
)
def test_an_answer_of_another_form_is_survived_and_believed_nowhere(desk: ChatDesk, text: str) -> None:
    _, sure = told(desk, text)
    assert max(sure.values(), default=0.0) <= 0.5


@pytest.mark.parametrize("value", [-5, 0, 1.5, True, "many", None, 10**30, 999_999_999])
@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens"])
def test_tokens_that_cannot_be_are_estimated_and_a_paid_answer_is_never_shown_as_free(
    desk: ChatDesk, name: str, value: Any
) -> None:
    desk.chat.always = {"usage": {name: value, "prompt_tokens_details": None}}
    replies, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED
    (reply,) = replies
    assert 1_000 < reply.input_tokens + reply.cache_read_tokens < PROMPT_LIMIT
    assert 100 < reply.output_tokens < 32_000
    paid = sum(row.cost_usd or 0 for row in desk.rows)
    assert 0.001 < paid < 1
    assert paid == pytest.approx(reply.cost_usd)


def test_claude_is_no_more_believed_about_its_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeAnthropic(ReferenceAnswers(REFERENCE, must_be_read=True)) as claude:
        desk = Desk(claude, tmp_path)
        usage = claude.records._usage

        def inflated(body: Any, text: str) -> Any:
            return replace(usage(body, text), input=10**12, output=10**12)

        monkeypatch.setattr(claude.records, "_usage", inflated)
        (reply,), _ = desk.run(DOCUMENTS)
    assert reply.cost_usd < 1
    assert sum(row.cost_usd or 0 for row in desk.rows) < 1


def test_a_stream_without_an_end_is_broken_off_and_not_asked_for_again(
    desk: ChatDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "MOST_REPLY_BYTES", 500_000)
    desk.chat.always = {"kind": "endless"}
    with pytest.raises(ProviderUnavailableError, match="without an end"):
        desk.run(DOCUMENTS)
    assert len(desk.chat.requests) == 1
    assert [row.code for row in desk.rows] == ["cut_reply"]


def test_an_error_after_an_answer_was_made_leaves_a_row_for_each_attempt(desk: ChatDesk) -> None:
    desk.chat.faults = [{"status": 500}, {"status": 502, "body": "<html>"}]
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED
    assert [row.code for row in desk.rows] == ["500", "502", "ok"]
    assert desk.chat.counters["answers"] == 1
