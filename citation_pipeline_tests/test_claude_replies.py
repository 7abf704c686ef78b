"""A reply's bytes, in the three shapes in which they arrive."""

import json
from typing import Any

import pytest

from citation_pipeline.adapters.claude.replies import read_reply
from citation_pipeline.adapters.claude.settings import MODELS
from citation_pipeline.adapters.conversation.replies import UnreadableReplyError, Usage

USAGE = {
    "input_tokens": 10,
    "output_tokens": 5,
    "cache_read_input_tokens": 3,
    "cache_creation_input_tokens": 2,
}


def message(**more: Any) -> dict[str, Any]:
    content = [
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "text", "text": "{}", "citations": None},
        {"type": "text", "text": " "},
    ]
    return {"type": "message", "content": content, "stop_reason": "end_turn", "usage": USAGE, **more}


def test_text_is_chosen_by_type_and_usage_counts_the_cache():
    reply = read_reply(json.dumps(message()).encode())
    assert (reply.text, reply.stop_reason, reply.is_complete) == ("{} ", "end_turn", True)
    assert reply.usage == Usage(input=10, output=5, cache_read=3, cache_write=2)
    assert reply.usage.prompt == 15


def test_a_row_of_a_batch_is_read_like_its_message():
    row = {"custom_id": "a", "result": {"type": "succeeded", "message": message()}}
    assert read_reply(json.dumps(row).encode()) == read_reply(json.dumps(message()).encode())


@pytest.mark.parametrize("missing", ["content", "stop_reason", "usage"])
def test_a_message_that_lacks_what_the_sdk_would_not_miss_is_unreadable(missing: str):
    broken = {key: value for key, value in message().items() if key != missing}
    with pytest.raises(UnreadableReplyError):
        read_reply(json.dumps(broken).encode())


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"custom_id": "a", "result": {"type": "expired"}}',
        b"event: ping\ndata: {}\n\n",
        b'event: x\ndata: {"type": "mess\n\n',
        b"[" * 100_000,
    ],
)
def test_bytes_that_are_no_reply_are_unreadable(body: bytes):
    with pytest.raises(UnreadableReplyError):
        read_reply(body)


def test_an_error_names_the_providers_type():
    body = b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error"}}\n\n'
    with pytest.raises(UnreadableReplyError) as caught:
        read_reply(body)
    assert caught.value.error_type == "overloaded_error"


def test_a_reason_that_nobody_knows_is_no_complete_answer_and_is_not_repeated():
    reply = read_reply(json.dumps(message(stop_reason="Jane Doe")).encode())
    assert (reply.stop_reason, reply.is_complete) == ("unknown_stop_reason", False)


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("claude-sonnet-5-5", Usage(input=1_000_000, output=100_000), 3.0),
        ("claude-sonnet-5-5", Usage(cache_read=1_000_000, cache_write=1_000_000), 2.6),
        ("claude-haiku-5-5", Usage(input=100_000, output=1_000_000), 0.51),
        ("claude-haiku-5-5", Usage(input=100_000, cache_read=1, output=1_000_000), 2.55),
        ("claude-opus-5-5", Usage(input=250_000, output=50_000), 2.0),
    ],
)
def test_the_cost_follows_the_prices_and_the_tier_of_the_whole_prompt(
    model: str, usage: Usage, dollars: float
):
    assert usage.cost(MODELS[model]) == pytest.approx(dollars, abs=1e-5)
    assert usage.cost(MODELS[model], is_batch=True) == pytest.approx(dollars / 2, abs=1e-5)


def events(*told: dict[str, Any]) -> bytes:
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in told)


START = {"type": "message_start", "message": {"type": "message", "content": [], "usage": USAGE}}
END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}


def test_a_stream_is_put_together_by_the_numbers_of_its_blocks():
    reply = read_reply(
        events(
            START,
            {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "b"}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}},
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "B"}},
            {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "C"}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "text": "no"}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 5}},
            END,
        )
    )
    assert (reply.text, reply.stop_reason) == ("abBC", "end_turn")
    assert (reply.usage.input, reply.usage.output) == (10, 9)  # the last count of each


def test_events_of_another_shape_than_agreed_change_nothing():
    reply = read_reply(
        events(
            START,
            {"type": "content_block_start", "index": 0, "content_block": "text"},
            {"type": "ping", "content_block": {"type": "text", "text": "x"}},
            {"type": "content_block_delta", "index": 0, "delta": "text"},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "{}"}},
            END,
        )
    )
    assert reply.text == "{}"
