"""A finished answer as the API's Message object, and as the frames of its event stream."""

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer; `cache_write` and `cache_read` are no part of `input`."""

    input: int
    output: int
    cache_write: int = 0
    cache_read: int = 0
    thinking: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The API's usage object."""
        return {
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_write,
            "cache_read_input_tokens": self.cache_read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.cache_write,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": self.output,
            "output_tokens_details": {"thinking_tokens": self.thinking},
            "service_tier": "standard",
            "inference_geo": "global",
            "server_tool_use": None,
        }


def message(
    text: str | None, *, model: str, usage: Usage, stop_reason: str = "end_turn", thinks: bool = True
) -> dict[str, Any]:
    """A Message: a thinking block first, as 5.x models give it, then the text if there is any."""
    content: list[dict[str, Any]] = []
    if text is not None:
        if thinks:
            content.append({"type": "thinking", "thinking": "", "signature": "c2lnbmF0dXJl"})
        content.append({"type": "text", "text": text, "citations": None})
    details = (
        {"type": "refusal", "category": "bio", "explanation": None} if stop_reason == "refusal" else None
    )
    return {
        "id": f"msg_01{uuid.uuid4().hex[:20]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "container": None,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "stop_details": details,
        "usage": usage.as_dict(),
    }


def frames(full: Mapping[str, Any], *, piece: int = 400) -> Iterator[bytes]:
    """The Message as server-sent events, its text in pieces of `piece` characters."""
    start = {**full, "content": [], "stop_reason": None, "stop_details": None}
    start["usage"] = {**full["usage"], "output_tokens": 1}
    yield frame("message_start", {"message": start})
    yield frame("ping", {})
    for index, block in enumerate(full["content"]):
        yield from _block(index, block, piece)
    delta = {key: full[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    yield frame("message_delta", {"delta": delta, "usage": {"output_tokens": full["usage"]["output_tokens"]}})
    yield frame("message_stop", {})


def frame(event: str, data: Mapping[str, Any]) -> bytes:
    """One server-sent event."""
    return f"event: {event}\ndata: {json.dumps({'type': event, **data}, ensure_ascii=False)}\n\n".encode()


def error_body(kind: str, text: str, request_id: str) -> dict[str, Any]:
    """The API's error shape."""
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": request_id}


def _block(index: int, block: Mapping[str, Any], piece: int) -> Iterator[bytes]:
    if block["type"] == "thinking":
        yield frame(
            "content_block_start",
            {"index": index, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
        )
        yield frame(
            "content_block_delta",
            {"index": index, "delta": {"type": "signature_delta", "signature": block["signature"]}},
        )
    else:
        yield frame(
            "content_block_start",
            {"index": index, "content_block": {"type": "text", "text": "", "citations": None}},
        )
        for start in range(0, len(block["text"]), piece):
            yield frame(
                "content_block_delta",
                {
                    "index": index,
                    "delta": {"type": "text_delta", "text": block["text"][start : start + piece]},
                },
            )
    yield frame("content_block_stop", {"index": index})
