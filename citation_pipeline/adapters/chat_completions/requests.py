"""A question as a chat: its messages, its fingerprint, and the arguments that one server takes."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.chat_completions.capabilities import Capabilities
from citation_pipeline.adapters.chat_completions.settings import ChatSettings
from citation_pipeline.adapters.conversation.asks import (
    Ask,
    Request,
    purpose_of,
    question_of,
    reply_schema_of,
)
from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.prompts.sources import render_sources
from citation_pipeline.core.schemas import Schema


def build_request(ask: Ask, schema: Schema, settings: ChatSettings) -> Request:
    """Return the request for an ask: instructions first, then documents, then the question.

    What a server takes beside the messages is no part of it: a reply answers the same question, whatever
    form it was asked for in.
    """
    instructions = render_instructions(schema, ask.guide)
    question = question_of(ask)
    # one message: chat templates of many models refuse two of the same role in a row
    shown = f"{render_sources(ask.sources)}\n\n{question}"
    body: dict[str, Any] = {
        "model": ask.model,
        "max_tokens": settings.answer_limit(ask.model),
        "messages": [
            {"role": "system", "content": instructions},
            {"role": "user", "content": shown},
        ],
    }
    if (effort := settings.effort_of(ask.model)) is not None:
        body["reasoning_effort"] = effort
    return Request(
        ask=ask,
        body=body,
        fingerprint=_fingerprint_of(body, settings),
        character_count=len(instructions) + len(shown),
        purpose=purpose_of(ask),
    )


def arguments_for(request: Request, capabilities: Capabilities) -> dict[str, Any]:
    """Return the SDK's arguments for a request to a server that takes this much."""
    body = dict(request.body)
    limit = body.pop("max_tokens")
    if not capabilities.takes_effort:
        body.pop("reasoning_effort", None)
    body |= {"stream": True, capabilities.limit: limit}
    if capabilities.reports_usage:
        body["stream_options"] = {"include_usage": True}
    if capabilities.answer_format == "json_schema":
        wanted = {"name": "extraction", "strict": True, "schema": dict(reply_schema_of(request.ask))}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    elif capabilities.answer_format == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def _fingerprint_of(body: Mapping[str, Any], settings: ChatSettings) -> str:
    # two servers of one name may serve two models
    asked = {"api": "chat.completions", "server": settings.base_url, "body": body}
    canonical = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
