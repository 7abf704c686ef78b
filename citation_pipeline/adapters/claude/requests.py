"""What is asked of Claude in one request, its body on the wire, and its fingerprint."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from citation_pipeline.adapters.claude.settings import API_VERSION, ClaudeSettings
from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.prompts.questions import render_question
from citation_pipeline.core.prompts.reply_format import REPLY_SCHEMA
from citation_pipeline.core.prompts.sources import SourceText, render_sources
from citation_pipeline.core.schemas import Schema


@dataclass(frozen=True)
class Ask:
    """One question about some documents: these fields (None: all), of this model.

    `round` is 0 for the first question about the documents and counts the times it was asked again;
    `shares_documents` tells that other questions about the same documents follow.
    """

    sources: tuple[SourceText, ...]
    model: str
    field_keys: tuple[str, ...] | None = None
    round: int = 0
    row_counts: Mapping[str, int] = field(default_factory=dict)
    structured: bool = True
    shares_documents: bool = False

    @cached_property
    def character_count(self) -> int:
        """Return the characters of the documents."""
        return sum(len(source) for source in self.sources)

    @property
    def page_count(self) -> int:
        """Return the number of pages shown."""
        return sum(source.last_page - source.first_page + 1 for source in self.sources)

    def scope(self) -> str:
        """Return what is asked as JSON without document text: it is stored with the reply."""
        return json.dumps(
            {
                "sources": [
                    [one.source_id, one.first_page, one.last_page, *([one.piece] if one.piece else [])]
                    for one in self.sources
                ],
                "field_keys": self.field_keys,
                "round": self.round,
            }
        )


@dataclass(frozen=True, slots=True)
class Request:
    """An `Ask` ready to send: the body without transport parameters, and its fingerprint."""

    ask: Ask
    body: Mapping[str, Any]
    fingerprint: str
    character_count: int
    purpose: str | None = None  # of a request that extracts nothing: for the ledger


def build_request(ask: Ask, schema: Schema, settings: ClaudeSettings) -> Request:
    """Return the request for an ask: stable instructions first, then documents, then the question."""
    instructions = render_instructions(schema)
    documents = render_sources(ask.sources)
    question = render_question(ask.field_keys, is_again=ask.round > 0, row_counts=ask.row_counts)
    cache = {"cache_control": {"type": "ephemeral", "ttl": settings.cache_ttl}}
    config: dict[str, Any] = {}
    if (effort := settings.effort_of(ask.model)) is not None:
        config["effort"] = effort
    if ask.structured and settings.structured:
        config["format"] = {"type": "json_schema", "schema": REPLY_SCHEMA}
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
    )


def fingerprint_of(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a body in canonical form, with the API version it is sent under."""
    canonical = json.dumps(
        {"version": API_VERSION, "body": body}, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()
