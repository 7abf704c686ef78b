"""A chat completion's bytes, read: text, why it ended, tokens. Servers differ, so every part is checked.

Four shapes arrive: a completion as JSON, its event stream, a row of a batch's results, and the refusal of a
prompt by a content filter, which is an error's body and is kept as the reply that it is. Pure functions.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citation_pipeline.adapters.conversation.replies import (
    Reply,
    UnreadableReplyError,
    Usage,
    count_of,
    read_object,
)

WEB_PAGE = "web_page"
"""The error type of a page of HTML where a reply should be."""

_REASONS = {  # in the words of the conversation
    "stop": "end_turn",
    "eos": "end_turn",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "content_filter": "refusal",
    "model_length": "model_context_window_exceeded",
}
_FILTERS = frozenset({"content_filter", "responsibleaipolicyviolation", "content_policy_violation"})
# models without a field of their own for it think aloud before they answer
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


def read_reply(body: bytes) -> Reply:
    """Read a reply's bytes; raises UnreadableReplyError where they are cut, an error, or no reply."""
    start = body.lstrip()[:200].lower()
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")):
        raise UnreadableReplyError("the reply is a web page", error_type=WEB_PAGE)
    message = _assemble(body) if _is_stream(body) else _unwrapped(read_object(body))
    if is_filtered(message):
        return Reply(text="", stop_reason="refusal", usage=Usage())
    if message.get("error") is not None:
        raise UnreadableReplyError("the reply is an error", error_type=error_word(message))
    choices = message.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise UnreadableReplyError("the reply has no choice")
    choice = choices[0]
    said = choice.get("message")
    reason = choice.get("finish_reason")
    if not isinstance(said, dict):
        raise UnreadableReplyError("the reply has no message")
    if not isinstance(reason, str):
        raise UnreadableReplyError("the reply ended before the model did")
    refused = bool(said.get("refusal"))
    text = said.get("content")
    return Reply(
        text="" if refused else _THOUGHTS.sub("", _text(text)),
        # a new reason is no complete answer until somebody has looked at what it means
        stop_reason="refusal" if refused else _REASONS.get(reason, "unknown_stop_reason"),
        usage=_usage(message.get("usage")) or Usage(),
        model=str(message.get("model") or ""),
    )


def read_usage(body: bytes) -> Usage | None:
    """Return the tokens that a reply reports, or a part of its stream; None where it reports none."""
    try:
        if _is_stream(body):
            message: Mapping[str, Any] = _assemble(body[: body.rfind(b"\n\n") + 2])
        else:
            message = _unwrapped(read_object(body))
    except UnreadableReplyError:
        return None
    return _usage(message.get("usage"))


def is_filtered(message: Mapping[str, Any]) -> bool:
    """Tell whether an answer says that a content filter turned the prompt away."""
    error = message.get("error")
    if not isinstance(error, dict):
        return False
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    return any(str(code).lower() in _FILTERS for code in codes)


def error_word(message: Mapping[str, Any]) -> str:
    """Return what an error of a stream calls itself; only known words of it are ever shown."""
    error = message.get("error")
    if not isinstance(error, dict):
        return "error"
    return str(error.get("code") or error.get("type") or "error")


def _unwrapped(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the completion in a row of a batch's results; any other message as it is."""
    if "custom_id" not in message:
        return message
    response = message.get("response")
    body = response.get("body") if isinstance(response, dict) else None
    if not isinstance(body, dict):
        raise UnreadableReplyError("the row has no completion")
    return body


def _is_stream(body: bytes) -> bool:
    start = body.lstrip()[:6]
    return start.startswith((b"data:", b"event:", b":", b"id:"))


def _assemble(stream: bytes) -> dict[str, Any]:
    """Return the completion that an event stream tells; without its last events the reason is missing."""
    message: dict[str, Any] = {}
    said: dict[str, str] = {"content": "", "refusal": ""}
    reason: str | None = None
    for event in _events(stream):
        if event.get("error") is not None:
            return {"error": event["error"], "usage": event.get("usage") or message.get("usage")}
        message |= {key: event[key] for key in ("model", "usage") if event.get(key)}
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(choice, dict) or choice.get("index", 0) != 0:
            continue
        delta = choice.get("delta") or choice.get("message") or {}
        for part in said:
            if isinstance(delta, dict) and isinstance(delta.get(part), str):
                said[part] += delta[part]
        reason = choice.get("finish_reason") or reason
    message["choices"] = [{"message": said, "finish_reason": reason}]
    return message


def _events(stream: bytes) -> Iterator[Mapping[str, Any]]:
    for frame in stream.replace(b"\r\n", b"\n").split(b"\n\n"):
        data = b"".join(line[5:].strip() for line in frame.split(b"\n") if line.startswith(b"data:"))
        if data and data != b"[DONE]":
            yield read_object(data)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    prompt = count_of(usage.get("prompt_tokens"))
    cached = min(prompt, count_of(details.get("cached_tokens")) if isinstance(details, dict) else 0)
    return Usage(input=prompt - cached, output=count_of(usage.get("completion_tokens")), cache_read=cached)
