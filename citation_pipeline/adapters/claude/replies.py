"""A reply's bytes, read: text, stop reason, tokens, cost. The SDK validates nothing, so this does.

Four shapes arrive: a Message as JSON, its event stream, the same in Amazon's frames, and a row of a batch's
results. Pure functions of bytes. Not here: what the text answers (`core/answers`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from citation_pipeline.adapters.claude.event_streams import as_events, is_event_stream
from citation_pipeline.adapters.conversation.replies import (
    COMPLETE,
    Reply,
    UnreadableReplyError,
    Usage,
    count_of,
    read_object,
)

_INCOMPLETE = frozenset({"max_tokens", "pause_turn", "refusal", "model_context_window_exceeded"})


def read_reply(body: bytes) -> Reply:
    """Read a reply's bytes; raises UnreadableReplyError where they are cut, an error, or no reply."""
    if is_event_stream(body):
        body = as_events(body)
    if _is_stream(body):
        return _read_message(_assemble(body))
    message: Any = read_object(body)
    if "custom_id" in message:
        result = message.get("result")
        message = result.get("message") if isinstance(result, dict) else None
    return _read_message(message)


def read_usage(body: bytes) -> Usage | None:
    """Return the tokens that a reply reports, or a part of its stream; None where it reports none."""
    usage: dict[str, Any] = {}
    if is_event_stream(body):
        body = as_events(body)
    try:
        if not _is_stream(body):
            usage = read_object(body).get("usage") or {}
        else:
            for event in _events(body[: body.rfind(b"\n\n") + 2]):
                said = event.get("message") if event.get("type") == "message_start" else event
                usage |= (said.get("usage") or {}) if isinstance(said, dict) else {}
    except (UnreadableReplyError, AttributeError, TypeError):
        return None
    return _usage(usage) if usage else None


def _is_stream(body: bytes) -> bool:
    return body.lstrip()[:6] in (b"event:", b"data: ") or body.lstrip().startswith(b":")


def _usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        input=count_of(usage.get("input_tokens")),
        output=count_of(usage.get("output_tokens")),
        cache_read=count_of(usage.get("cache_read_input_tokens")),
        cache_write=count_of(usage.get("cache_creation_input_tokens")),
    )


def _read_message(message: Any) -> Reply:
    if not isinstance(message, dict):
        raise UnreadableReplyError("the reply is not a message")
    if message.get("type") == "error":
        raise _error_of(message)
    content, stop_reason, usage = message.get("content"), message.get("stop_reason"), message.get("usage")
    if not isinstance(content, list) or not isinstance(usage, dict):
        raise UnreadableReplyError("the reply has no content or no usage")
    if not isinstance(stop_reason, str):
        raise UnreadableReplyError("the reply ended before the model did")
    # a thinking block is before the text, so blocks are chosen by type and not by place
    texts = [
        block["text"]
        for block in content
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    return Reply(
        text="".join(texts),
        # a new reason is no complete answer until somebody has looked at what it means
        stop_reason=stop_reason if stop_reason in COMPLETE | _INCOMPLETE else "unknown_stop_reason",
        usage=_usage(usage),
        model=str(message.get("model") or ""),
    )


def _assemble(stream: bytes) -> dict[str, Any]:
    """Return the Message that an event stream tells; without its last events the stop reason is missing."""
    message: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    for event in _events(stream):
        kind = event.get("type")
        if kind == "error":
            raise _error_of(event)
        if kind == "message_start" and isinstance(event.get("message"), dict):
            message = dict(event["message"])
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            blocks[count_of(event.get("index"))] = dict(event["content_block"])
        elif kind == "content_block_delta" and isinstance(event.get("delta"), dict):
            text = event["delta"].get("text")
            if event["delta"].get("type") == "text_delta" and isinstance(text, str):
                block = blocks.setdefault(count_of(event.get("index")), {"type": "text", "text": ""})
                block["text"] = str(block.get("text") or "") + text
        elif kind == "message_delta":
            message.update(event.get("delta") or {})
            message["usage"] = {**(message.get("usage") or {}), **(event.get("usage") or {})}
    message["content"] = [blocks[index] for index in sorted(blocks)]
    return message


def _events(stream: bytes) -> Iterator[Mapping[str, Any]]:
    for frame in stream.replace(b"\r\n", b"\n").split(b"\n\n"):
        data = b"".join(line[5:].strip() for line in frame.split(b"\n") if line.startswith(b"data:"))
        if data:
            yield read_object(data)


def _error_of(event: Mapping[str, Any]) -> UnreadableReplyError:
    error = event.get("error")
    kind = error.get("type") if isinstance(error, dict) else None
    return UnreadableReplyError("the reply is an error", error_type=str(kind or "api_error"))
