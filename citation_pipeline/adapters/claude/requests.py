"""A question to Claude as a request: its body on the wire, and its fingerprint."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.claude.settings import API_VERSION, ClaudeSettings
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


def build_request(ask: Ask, schema: Schema, settings: ClaudeSettings) -> Request:
    """Return the request for an ask: stable instructions first, then documents, then the question."""
    instructions = render_instructions(schema, ask.guide)
    documents = render_sources(ask.sources)
    question = question_of(ask)
    cache = {"cache_control": {"type": "ephemeral", "ttl": settings.cache_ttl}}
    config: dict[str, Any] = {}
    if (effort := settings.effort_of(ask.model)) is not None:
        config["effort"] = effort
    if ask.structured and settings.structured:
        config["format"] = {"type": "json_schema", "schema": reply_schema_of(ask)}
    body: dict[str, Any] = {
        "model": ask.model,
        "max_tokens": settings.answer_limit(ask.model),
        "system": [{"type": "text", "text": instructions, **cache}],
        "messages": [
            {
                "role": "user",
                "content": [
                    # writing a cache costs more than it saves unless another question follows
                    {"type": "text", "text": documents, **(cache if ask.shares_documents else {})},
                    {"type": "text", "text": question},
                ],
            }
        ],
    }
    if config:
        body["output_config"] = config
    return Request(
        ask=ask,
        body=body,
        fingerprint=fingerprint_of(body),
        character_count=len(instructions) + len(documents) + len(question),
        purpose=purpose_of(ask),
    )


def fingerprint_of(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a body in canonical form, with the API version it is sent under."""
    canonical = json.dumps(
        {"version": API_VERSION, "body": body}, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()
