"""What is asked of Claude: how much at a time, in which shape, and under which fingerprint."""

from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from citation_pipeline.adapters.claude.attempts import Attempt
from citation_pipeline.adapters.claude.errors import ClaudeError, ClaudeUnavailableError
from citation_pipeline.adapters.claude.requests import build_request, fingerprint_of
from citation_pipeline.adapters.claude.settings import MODELS, ClaudeSettings
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.conversation.asks import Ask
from citation_pipeline.adapters.conversation.plans import plan_asks, readable_sources
from citation_pipeline.adapters.conversation.profiles import UnknownModelError
from citation_pipeline.adapters.outbound_ledger import OutboundRequest
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline_tests.claude_scenes import Desk, PatientClock, document_of
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

SMALL = flatten({"type": "object", "properties": {"rate": {"type": "number"}}}, name="small")


def test_a_requests_fingerprint_follows_what_it_says_and_not_the_order_it_is_said_in() -> None:
    body = {"model": "m", "max_tokens": 5, "system": [{"type": "text", "text": "ü"}]}
    assert fingerprint_of(body) == fingerprint_of(dict(reversed(body.items())))
    assert fingerprint_of(body) != fingerprint_of(body | {"max_tokens": 6})
    assert len(fingerprint_of(body)) == 64


@pytest.mark.parametrize(
    ("ask", "setting", "is_structured"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_a_structured_answer_is_asked_for_where_both_the_question_and_the_settings_want_it(
    ask: bool, setting: bool, is_structured: bool
) -> None:
    sources = tuple(readable_sources([document_of("a", ["text"])]))
    asked = Ask(sources=sources, model="claude-sonnet-5-5", structured=ask)
    body = build_request(asked, SMALL, ClaudeSettings(structured=setting)).body
    assert ("format" in body.get("output_config", {})) == is_structured


def test_a_request_counts_every_character_that_it_sends() -> None:
    sources = tuple(readable_sources([document_of("a", ["text"]), document_of("b", ["more", "text"])]))
    asked = Ask(sources=sources, model="claude-sonnet-5-5")
    request = build_request(asked, SMALL, ClaudeSettings())
    told = [*request.body["system"], *request.body["messages"][0]["content"]]
    assert request.character_count == sum(len(one["text"]) for one in told)
    assert (asked.page_count, asked.character_count) == (3, sum(map(len, sources)))


@pytest.mark.parametrize("model", MODELS)
def test_a_prompt_and_its_answer_fit_the_models_window(model: str) -> None:
    profile = MODELS[model]
    for wanted in (10_000, 180_000, 5_000_000):
        settings = ClaudeSettings(model=model, prompt_tokens=wanted)
        prompt, answer = settings.prompt_limit(), settings.answer_limit()
        assert prompt <= wanted
        assert answer <= profile.output_tokens
        assert prompt + answer <= profile.context_tokens
        assert prompt == wanted or prompt + answer == profile.context_tokens
    with pytest.raises(UnknownModelError, match="claude-sonnet-5-5"):
        ClaudeSettings().profile("nobody")


def test_pages_are_asked_together_up_to_the_limit_and_not_beyond() -> None:
    document = document_of("a", ["x" * 50, "y" * 50, "z" * 50])

    def pages_of(limit: int) -> list[tuple[int, int]]:
        settings = ClaudeSettings(prompt_tokens=limit)
        asks = plan_asks(
            readable_sources([document]), [document], SMALL, settings, count=lambda ask: ask.character_count
        )
        return [(s.first_page, s.last_page) for ask in asks for s in ask.sources]

    whole = readable_sources([document])[0]
    assert pages_of(len(whole)) == [(1, 3)]
    assert pages_of(len(whole) - 1) != [(1, 3)]
    assert [first for first, _ in pages_of(60)] == [1, 2, 3]


REPLY = StoredReply(request_fingerprint="f" * 64, provider="anthropic", model="m", body=b"{}")


def test_a_kept_reply_ends_what_was_noted_of_its_request(tmp_path: Path) -> None:
    archive = ReplyArchive(tmp_path)
    archive.note_sent(REPLY.request_fingerprint, {"claim_id": "c", "at": "now"})
    archive.note_batched(REPLY.request_fingerprint)
    assert archive.is_batched(REPLY.request_fingerprint)
    archive.keep(REPLY)
    assert not archive.is_batched(REPLY.request_fingerprint)
    assert not list(tmp_path.rglob("*.sent*"))
    assert archive.find(REPLY.request_fingerprint) == REPLY
    archive.keep(replace(REPLY, body=b"[]"))  # keeping again finds no notes and that is well
    assert archive.find(REPLY.request_fingerprint) == replace(REPLY, body=b"[]")


def test_a_request_that_failed_for_sure_is_not_reported_as_lost(tmp_path: Path) -> None:
    with FakeAnthropic() as claude:
        desk = Desk(claude, tmp_path)
        claude.add("messages", "status", status=401)
        with pytest.raises(ClaudeError):
            desk.run([document_of("a", ["text"])])
        desk.run([document_of("a", ["text"])])
        assert [row.code for row in desk.rows if "lost" in row.code] == []
        assert all(row.seconds >= 0 for row in desk.rows)


def test_a_programming_error_in_an_attempt_stays_what_it_is_and_leaves_a_ledger_row() -> None:
    patient, rows = PatientClock(), []
    clock = patient.clock()
    row = OutboundRequest(claim_id="c", vendor="anthropic", endpoint="messages", at=clock.now())
    with pytest.raises(ZeroDivisionError), Attempt(row, ledger=rows.append, clock=clock):
        raise ZeroDivisionError
    with pytest.raises(ClaudeUnavailableError), Attempt(row, ledger=rows.append, clock=clock):
        raise httpx2.ReadTimeout("slow")
    with Attempt(row, ledger=rows.append, clock=clock):
        patient.seconds += 3.0
    assert [one.code for one in rows] == ["ZeroDivisionError", "timed_out", row.code]
    assert [one.seconds for one in rows] == [0.0, 0.0, 3.0]
