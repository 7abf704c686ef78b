"""Every way in which Claude can fail, and what the claim sees of it: nothing is lost without a word."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.errors import (
    ClaudeAccessError,
    ClaudeRequestError,
    ClaudeUnavailableError,
    PromptTooLongError,
    error_of_status,
)
from citation_pipeline.adapters.conversation.errors import retry_after
from citation_pipeline.core.failures import PipelineError, describe_failure
from citation_pipeline_tests.claude_scenes import Desk, field_of
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.test_claude_asking import DOCUMENTS, EXPECTED, REFERENCE, values_of


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with FakeAnthropic(ReferenceAnswers(REFERENCE, must_be_read=True)) as claude:
        yield Desk(claude, tmp_path / "replies")


@pytest.mark.parametrize(
    ("kind", "details", "code"),
    [
        ("status", {"status": 429}, "429_rate_limit_error"),
        ("status", {"status": 529}, "529_overloaded_error"),
        ("status", {"status": 500}, "500_api_error"),
        ("status", {"status": 504}, "504_timeout_error"),
        ("status", {"status": 503, "body": "<html>maintenance</html>"}, "503"),
        ("reset", {}, "connection_lost"),
        ("reset_after", {}, "connection_lost"),
        ("cut", {}, "connection_lost"),
        ("stream_error", {"error_type": "overloaded_error"}, "200_overloaded_error"),
        ("stall", {"seconds": 60}, "timed_out"),
        ("stall_in_stream", {"seconds": 60}, "timed_out"),
    ],
)
def test_what_passes_is_waited_for_and_each_attempt_is_in_the_ledger(
    desk: Desk, kind: str, details: dict[str, Any], code: str
):
    desk.claude.add("messages", kind, **details)
    _, extraction = desk.run(DOCUMENTS, silence_timeout_s=5.0 if "stall" in kind else 60.0)
    assert values_of(extraction) == EXPECTED
    assert [row.code for row in desk.rows] == [code, "ok"]
    assert len(desk.time.waits) == 1


def test_an_unstreamed_answer_that_is_cut_is_asked_for_again(desk: Desk):
    desk.claude.add("messages", "cut")
    _, extraction = desk.run(DOCUMENTS, answer_tokens=20_000)
    assert values_of(extraction) == EXPECTED
    assert desk.rows[0].code in ("connection_lost", "cut_reply")


def test_a_stream_that_ends_orderly_without_a_stop_reason_is_no_answer(desk: Desk):
    # a proxy may close a cut stream as if it were whole
    original = desk.claude.records.complete

    def without_end(*arguments: Any) -> dict[str, Any]:
        desk.claude.records.complete = original  # type: ignore[method-assign]
        return {**original(*arguments), "stop_reason": None}

    desk.claude.records.complete = without_end  # type: ignore[method-assign]
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED
    assert [row.code for row in desk.rows] == ["cut_reply", "ok"]


def test_waiting_follows_retry_after_and_else_doubles(desk: Desk):
    desk.claude.add("messages", "status", status=429, headers={"retry-after": "7"})
    desk.claude.add("messages", "status", status=529, times=3)
    desk.run(DOCUMENTS)
    assert desk.time.waits == [7.5, 1.5, 3.0, 6.0]


def test_a_wait_longer_than_the_limit_gives_the_claim_back_with_the_time(desk: Desk):
    desk.claude.add("messages", "status", status=429, headers={"retry-after": "3600"})
    with pytest.raises(ClaudeUnavailableError) as caught:
        desk.run(DOCUMENTS)
    assert caught.value.transient
    assert caught.value.retry_after_s == 3600
    assert desk.time.waits == []


def test_an_outage_ends_as_a_transient_error_after_the_last_attempt(desk: Desk):
    desk.claude.add("messages", "status", status=529, times=-1)
    with pytest.raises(ClaudeUnavailableError) as caught:
        desk.run(DOCUMENTS, attempts=3)
    assert (caught.value.transient, caught.value.status) == (True, 529)
    assert len(desk.rows) == 3


def test_a_provider_that_says_not_to_repeat_is_obeyed(desk: Desk):
    desk.claude.add("messages", "status", status=500, headers={"x-should-retry": "false"})
    with pytest.raises(ClaudeUnavailableError):
        desk.run(DOCUMENTS)
    assert len(desk.rows) == 1


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_is_permanent_and_asked_once(desk: Desk, status: int):
    desk.claude.add("messages", "status", status=status, times=-1)
    with pytest.raises(ClaudeAccessError, match="Check the key") as caught:
        desk.run(DOCUMENTS)
    assert not caught.value.transient
    assert len(desk.rows) == 1


def test_a_prompt_that_upsets_the_structured_format_is_asked_without_it(desk: Desk):
    desk.claude.add("messages", "status", status=400)
    replies, extraction = desk.run(DOCUMENTS)
    assert [request["has_format"] for request in desk.claude.records.requests] == [True, False]
    assert len(replies) == 1
    assert values_of(extraction) == EXPECTED


def test_a_mid_stream_request_error_is_treated_like_a_refused_request(desk: Desk):
    desk.claude.add("messages", "stream_error", error_type="invalid_request_error")
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED
    assert [request["has_format"] for request in desk.claude.records.requests] == [True, False]


def test_a_request_that_is_never_taken_is_permanent(desk: Desk):
    desk.claude.add("messages", "status", status=400, times=-1)
    with pytest.raises(ClaudeRequestError) as caught:
        desk.run(DOCUMENTS)
    assert not caught.value.transient
    assert len(desk.rows) == 2


@pytest.mark.parametrize("status", [400, 413])
def test_a_prompt_too_long_is_halved(desk: Desk, status: int):
    body = "<html>too large</html>" if status == 413 else None
    desk.claude.add("messages", "status", status=status, message="prompt is too long: 9 > 5", body=body)
    replies, extraction = desk.run(DOCUMENTS)
    assert [r["source_ids"] for r in desk.claude.records.requests[1:]] == [["letter"], ["ledger"]]
    assert len(replies) == 2
    assert values_of(extraction) == EXPECTED


def test_a_prompt_too_long_that_cannot_be_halved_any_more_is_permanent(desk: Desk):
    desk.claude.add("messages", "status", status=413, times=-1)
    with pytest.raises(PromptTooLongError, match="prompt_tokens"):
        desk.run(DOCUMENTS)


def test_an_answer_cut_at_its_limit_keeps_what_is_whole_and_asks_for_the_rest_in_halves(desk: Desk):
    desk.claude.add("messages", "max_tokens", fraction=0.4)
    replies, extraction = desk.run(DOCUMENTS)
    assert len(replies) == 3
    asked = [set(request["field_keys"]) for request in desk.claude.records.requests]
    assert not asked[1] & asked[2]
    assert len(asked[1] | asked[2]) < 84
    assert values_of(extraction) == EXPECTED
    assert len(extraction.fields) == 84
    assert [issue.code for issue in extraction.issues] == ["max_tokens"]


def test_a_window_that_overflows_while_answering_is_asked_in_halves(desk: Desk):
    desk.claude.add("messages", "model_context_window_exceeded")
    replies, extraction = desk.run(DOCUMENTS)
    assert len(replies) == 3
    assert values_of(extraction) == EXPECTED


@pytest.mark.parametrize("kind", ["malformed", "empty"])
def test_an_answer_that_is_no_json_is_saved_as_far_as_it_goes_and_asked_again(desk: Desk, kind: str):
    desk.claude.add("messages", kind)
    replies, extraction = desk.run(DOCUMENTS)
    assert len(replies) == 2
    assert values_of(extraction) == EXPECTED
    assert [issue.code for issue in extraction.issues] == ["malformed_answer"]


def test_an_answer_that_stays_unreadable_leaves_every_document_unread_and_says_so(desk: Desk):
    desk.claude.add("messages", "text", body="I cannot do that.", times=-1)
    replies, extraction = desk.run(DOCUMENTS)
    assert len(replies) == 2
    assert extraction.fields == ()
    unread = [issue.source_id for issue in extraction.issues if issue.code == "document_not_read"]
    assert unread == ["letter", "ledger"]


def test_a_refusal_is_asked_of_the_other_model(desk: Desk):
    desk.claude.add("messages", "refusal")
    replies, extraction = desk.run(DOCUMENTS)
    assert [reply.model for reply in replies] == ["claude-sonnet-5-5", "claude-opus-5-5"]
    assert values_of(extraction) == EXPECTED
    assert [issue.code for issue in extraction.issues] == ["refusal"]


def test_a_document_that_everybody_refuses_is_not_read_and_the_others_are(desk: Desk):
    desk.claude.add("messages", "refusal", source_id="ledger", times=-1)
    _, extraction = desk.run(DOCUMENTS)
    assert field_of(extraction, "wages.hourly_rate").value == 22.63
    assert field_of(extraction, "metadata.date").value is None
    unread = [issue.source_id for issue in extraction.issues if issue.code == "document_not_read"]
    assert unread == ["ledger"]


def test_unknown_fields_and_sources_are_issues_and_change_nothing_else(desk: Desk):
    desk.claude.add("messages", "unknown_keys", count=2)
    _, extraction = desk.run(DOCUMENTS)
    assert len(extraction.fields) == 84
    assert [issue.code for issue in extraction.issues] == ["unknown_field"]
    assert values_of(extraction) == EXPECTED


def test_citations_of_documents_that_are_not_there_are_named(desk: Desk):
    desk.claude.add("messages", "unknown_sources")
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED
    named = {issue.field_key for issue in extraction.issues if issue.code == "unknown_source"}
    assert named == set(EXPECTED)
    assert "snippet_not_in_source" in field_of(extraction, "metadata.date").warnings


def test_reworded_quotations_are_found_by_the_evidence_check(desk: Desk):
    desk.claude.add("messages", "altered_quotes")
    _, extraction = desk.run(DOCUMENTS)
    assert all("snippet_not_in_source" in field_of(extraction, key).warnings for key in EXPECTED)


def test_contradicting_answers_in_one_reply_are_named(desk: Desk):
    desk.claude.add("messages", "repeated")
    _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction)["metadata.claim_number"] == "C-1"
    assert ("conflicting_answers", "metadata.claim_number") in {
        (issue.code, issue.field_key) for issue in extraction.issues
    }


def test_an_error_shows_status_kind_and_request_and_never_the_providers_words():
    error = error_of_status(
        400, kind="invalid_request_error", message="near 'Jane Doe'", headers={}, request_id="req_1"
    )
    assert isinstance(error, PipelineError)
    assert "req_1" in describe_failure(error)
    assert "Jane" not in describe_failure(error)
    hostile = error_of_status(500, kind="Jane Doe <b>", message="", headers={}, request_id=None)
    assert "Jane Doe" not in str(hostile)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "300", "retry-after": "9"}, 0.3),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None):
    assert retry_after(headers) == seconds
