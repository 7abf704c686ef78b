"""Every way in which a model server can fail, and what the claim sees of it; none of it tells a document."""

import json
import logging
import pickle
import traceback
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.chat_completions.replies import read_reply, read_usage
from citation_pipeline.adapters.conversation.errors import (
    OversizedPromptError,
    ProviderAccessError,
    ProviderError,
    ProviderRequestError,
    ProviderUnavailableError,
)
from citation_pipeline.adapters.conversation.replies import UnreadableReplyError
from citation_pipeline.core.failures import describe_failure
from citation_pipeline_tests.chat_scenes import ChatDesk
from citation_pipeline_tests.claude_scenes import CLAIM, document_of
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_openai import DIALECTS, FakeChat, said
from citation_pipeline_tests.test_chat_asking import served
from citation_pipeline_tests.test_claude_asking import DOCUMENTS, EXPECTED, values_of

KEY = "sk-planted-key-7261"
WORDS = "Plantedpatient Markername"
PAGE = f"<html><body>{WORDS}</body></html>"
FILTERED = {
    "error": {
        "message": f"The response was filtered due to the prompt: {WORDS}",
        "code": "content_filter",
        "param": "prompt",
        "innererror": {"code": "ResponsibleAIPolicyViolation"},
    }
}


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"status": 429, "body": said("slow down", code="rate_limit_exceeded")}, "429"),
        ({"status": 500, "body": said("oops")}, "500"),
        ({"status": 502, "body": PAGE}, "502"),
        ({"status": 503, "body": "overloaded"}, "503"),
        ({"status": 504, "body": PAGE}, "504"),
        ({"kind": "reset"}, "connection_lost"),
        ({"kind": "cut"}, "connection_lost"),
        ({"kind": "no_end"}, "cut_reply"),
        ({"kind": "stream_error"}, "200_error"),
    ],
)
def test_what_passes_is_waited_for_and_each_attempt_is_in_the_ledger(
    fault: dict[str, Any], code: str, tmp_path: Path
):
    with served(faults=[fault]) as chat:
        desk = ChatDesk(chat, tmp_path)
        _, extraction = desk.run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED
    assert [row.code for row in desk.rows] == [code, "ok"]
    assert len(desk.time.waits) == 1


def test_a_stream_that_was_cut_enters_the_ledger_with_the_tokens_that_it_reported(tmp_path: Path):
    with served(faults=[{"kind": "usage_first"}]) as chat:
        desk = ChatDesk(chat, tmp_path)
        desk.run(DOCUMENTS)
    cut, whole = desk.rows
    assert (cut.code, whole.code) == ("connection_lost", "ok")
    assert cut.input_tokens == whole.input_tokens
    assert (cut.cost_usd or 0) > 0


def test_waiting_follows_retry_after_and_a_long_one_gives_the_claim_back(tmp_path: Path):
    with served(faults=[{"status": 429, "headers": {"retry-after": "7"}}]) as chat:
        desk = ChatDesk(chat, tmp_path)
        desk.run(DOCUMENTS)
        assert desk.time.waits == [7.5]
        chat.faults.append({"status": 429, "headers": {"retry-after": "3600"}})
        with pytest.raises(ProviderUnavailableError) as caught:
            desk.run([document_of("other", ["text"])])
    assert (caught.value.transient, caught.value.retry_after_s) == (True, 3600)


@pytest.mark.parametrize(
    ("status", "body", "code", "words"),
    [
        (401, said("Incorrect API key"), "401", "Check OPENAI_API_KEY"),
        (403, said("forbidden"), "403", "Check OPENAI_API_KEY"),
        (429, said("You exceeded your current quota", code="insufficient_quota"), "no_credit", "credit"),
        (402, said("Insufficient Balance"), "no_credit", "credit"),
        (404, said("The model 'm' does not exist", code="model_not_found"), "unknown_model", "'m'"),
        (404, {"object": "error", "message": "The model `m` does not exist."}, "unknown_model", "'m'"),
        (400, {"detail": "unknown model m"}, "unknown_model", "CITATION_PIPELINE_MODEL"),
        (404, said("nope", code="DeploymentNotFound"), "unknown_model", "'m'"),
        (404, PAGE, "no_api", "OPENAI_BASE_URL"),
        (403, PAGE, "403", "Check OPENAI_API_KEY"),
        (400, PAGE, "no_api", "OPENAI_BASE_URL"),
    ],
)
def test_what_a_person_has_to_put_right_is_said_at_once_and_asked_once(
    status: int, body: Any, code: str, words: str, tmp_path: Path
):
    with served(always={"status": status, "body": body}) as chat:
        desk = ChatDesk(chat, tmp_path)
        with pytest.raises(ProviderAccessError) as caught:
            desk.run(DOCUMENTS)
        assert chat.counters["calls"] == 1
    assert not caught.value.transient
    assert caught.value.code == code
    assert words in describe_failure(caught.value)


def test_a_web_page_with_status_200_is_no_answer_and_names_the_address(tmp_path: Path):
    with served(always={"status": 200, "body": PAGE}) as chat:
        desk = ChatDesk(chat, tmp_path)
        with pytest.raises(ProviderAccessError, match="OPENAI_BASE_URL"):
            desk.run(DOCUMENTS)


@pytest.mark.parametrize(
    "message",
    [
        said("This model's maximum context length is 8192 tokens", code="context_length_exceeded"),
        said("the request exceeds the available context size, try increasing it"),
        said("litellm.ContextWindowExceededError: input is too long"),
        {"error": "context length exceeded"},
    ],
)
def test_a_context_that_is_too_long_is_halved(message: dict[str, Any], tmp_path: Path):
    with served(faults=[{"status": 400, "body": message}]) as chat:
        _, extraction = ChatDesk(chat, tmp_path).run(DOCUMENTS)
        assert len(chat.requests) == 2
    assert values_of(extraction) == EXPECTED


def test_a_context_that_nothing_fits_ends_in_a_word_about_the_profile(tmp_path: Path):
    with served(always={"status": 413, "body": said("too large")}) as chat:
        with pytest.raises(OversizedPromptError, match="CITATION_PIPELINE_MODELS"):
            ChatDesk(chat, tmp_path).run(DOCUMENTS)
        assert chat.counters["calls"] < 30


@pytest.mark.parametrize(
    "fault", [{"kind": "refusal"}, {"kind": "content_filter"}, {"status": 400, "body": FILTERED}]
)
def test_a_refusal_is_asked_document_by_document(fault: dict[str, Any], tmp_path: Path):
    with served(faults=[fault]) as chat:
        replies, extraction = ChatDesk(chat, tmp_path).run(DOCUMENTS)
    assert len(replies) == 3
    assert values_of(extraction) == EXPECTED
    assert [issue.code for issue in extraction.issues] == ["refusal"]


def test_a_document_that_is_always_refused_is_unread_and_not_absent(tmp_path: Path):
    with served(always={"status": 400, "body": FILTERED}) as chat:
        _, extraction = ChatDesk(chat, tmp_path).run(DOCUMENTS)
    assert extraction.fields == ()
    unread = {issue.source_id for issue in extraction.issues if issue.code == "document_not_read"}
    assert unread == {"letter", "ledger"}


@pytest.mark.parametrize("kind", ["malformed", "length"])
def test_an_answer_that_is_not_whole_is_kept_as_far_as_it_goes_and_asked_again(kind: str, tmp_path: Path):
    with served(faults=[{"kind": kind}]) as chat:
        replies, extraction = ChatDesk(chat, tmp_path).run(DOCUMENTS)
    assert len(replies) > 1
    assert values_of(extraction) == EXPECTED


def test_thoughts_before_the_answer_are_no_part_of_it(tmp_path: Path):
    with served() as chat:
        chat.text_of = lambda body, whole=chat.text_of: f'<think>{{"extractions": []}}</think>{whole(body)}'  # type: ignore[method-assign]
        _, extraction = ChatDesk(chat, tmp_path).run(DOCUMENTS)
    assert values_of(extraction) == EXPECTED


def test_a_request_that_is_never_taken_in_any_format_is_permanent(tmp_path: Path):
    with served(always={"status": 400, "body": said("no")}) as chat:
        desk = ChatDesk(chat, tmp_path)
        with pytest.raises(ProviderRequestError) as caught:
            desk.run(DOCUMENTS)
        assert chat.counters["calls"] == 3  # with a schema, as JSON, as text
    assert not caught.value.transient


FAULTS: list[dict[str, Any]] = [
    {"status": 400, "body": said(f"near {WORDS}")},
    {"status": 401, "body": said(f"key {KEY} {WORDS}")},
    {"status": 404, "body": said(f"model {WORDS} does not exist")},
    {"status": 413, "body": said(WORDS)},
    {"status": 429, "body": said(WORDS, code=WORDS)},
    {"status": 500, "body": PAGE},
    {"status": 500, "body": said(f"schema {WORDS}")},
    {"status": 400, "body": FILTERED},
    {"status": 200, "body": PAGE},
    {"status": 200, "body": f'{{"choices": "{WORDS}"}}'},
    {"status": 200, "body": WORDS},
    {"kind": "stream_error"},
    {"kind": "cut"},
    {"kind": "reset"},
    {"kind": "malformed"},
    {"kind": "text", "text": WORDS},
    {"kind": "text", "text": f'{{"extractions": [{{"field_key": "{WORDS}"}}]}}'},
]


@pytest.mark.parametrize("dialect", ["openai", "azure"])
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_no_log_exception_ledger_or_repr_shows_a_key_or_a_document(
    fault: dict[str, Any], dialect: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "openai._base_client", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    answers = ReferenceAnswers({"extractions": []})
    with FakeChat(DIALECTS[dialect], answers, key=KEY, always=fault) as chat:
        desk = ChatDesk(chat, tmp_path)
        documents = [document_of("secret", [f"Patient: {WORDS}\nClaim number: C-1"], name=f"{WORDS}.pdf")]
        extractor = desk.extractor(api_key=KEY, attempts=2)
        seen = [repr(extractor), repr(extractor.connect()), repr(extractor.settings), str(vars(extractor))]
        try:
            replies = extractor.ask(CLAIM, documents, desk.schema)
            seen.append(repr(extractor.read(replies, documents, desk.schema).issues))
        except ProviderError as error:
            seen += [str(error), repr(error), describe_failure(error), str(vars(error))]
            seen += traceback.format_exception(error)
            seen.append(str(pickle.loads(pickle.dumps(vars(error)))))
        finally:
            extractor.close()
    seen += [record.getMessage() for record in caplog.records]
    seen += [str(record.__dict__) for record in caplog.records]
    seen += [repr(row) for row in desk.rows]
    seen += [path.read_text() for path in (tmp_path / "model_servers").glob("*")]
    assert desk.rows
    for secret in (KEY, WORDS, "Plantedpatient"):
        assert not [text for text in seen if secret in text]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": {}}]}',
        b'{"choices": [{"message": "stop", "finish_reason": "stop"}]}',
        b'{"choices": {"message": {"content": "a"}, "finish_reason": "stop"}}',
        b'{"error": "overloaded"}',
        b"data: {\n\n",
        b"\xff\xfe",
    ],
)
def test_bytes_that_are_no_reply_are_said_to_be_none(body: bytes):
    with pytest.raises(UnreadableReplyError):
        read_reply(body)
    assert read_usage(body) is None


def test_of_several_answers_the_first_is_read_and_of_its_parts_the_texts():
    parts = [{"type": "text", "text": "one "}, {"type": "image"}, "two", {"text": "three"}]
    whole = {"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]}
    assert read_reply(json.dumps(whole).encode()).text == "one three"
    events = [
        {"choices": [{"index": 0, "delta": {"content": "one "}}]},
        {"choices": [{"index": 1, "delta": {"content": "another"}, "finish_reason": "length"}]},
        {"choices": [{"index": 0, "delta": {"content": "two"}, "finish_reason": "stop"}]},
    ]
    reply = read_reply("".join(f"data: {json.dumps(event)}\n\n" for event in events).encode())
    assert (reply.text, reply.stop_reason) == ("one two", "end_turn")


@pytest.mark.parametrize("status", [405, 418])
def test_a_status_that_nobody_explained_is_permanent_and_quotes_nothing(status: int, tmp_path: Path):
    fault = {"status": status, "body": [WORDS], "times": -1}
    with served(faults=[fault]) as chat:
        desk = ChatDesk(chat, tmp_path)
        with pytest.raises(ProviderError) as caught:
            desk.run(DOCUMENTS)
    told = describe_failure(caught.value)
    assert WORDS not in told
    assert str(status) in told
