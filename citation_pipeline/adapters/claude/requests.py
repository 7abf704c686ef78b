"""A prompt to Claude as a request: its body on the wire, and its fingerprint."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.claude.settings import API_VERSION, ClaudeSettings
from citation_pipeline.adapters.conversation.asks import Ask, Request, purpose_of
from citation_pipeline.adapters.conversation.page_images import DrawnImage
from citation_pipeline.adapters.conversation.prompts import Prompt, prompt_of
from citation_pipeline.core.schemas import Schema

_END_OF_PICTURES = "The pictures end here."


def build_request(ask: Ask, schema: Schema, settings: ClaudeSettings) -> Request:
    """Return the request for an ask: stable instructions first, then documents, then the question."""
    return request_of(prompt_of(ask, schema, settings), ask, settings, purpose=purpose_of(ask))


def request_of(prompt: Prompt, ask: Ask, settings: ClaudeSettings, *, purpose: str | None) -> Request:
    """Return the request for a prompt; `ask` says which documents are shown."""
    cache = {"cache_control": {"type": "ephemeral", "ttl": settings.cache_ttl}}
    config: dict[str, Any] = {}
    if prompt.effort is not None:
        config["effort"] = prompt.effort
    if prompt.reply_schema is not None:
        config["format"] = {"type": "json_schema", "schema": prompt.reply_schema}
    kept = cache if prompt.keeps_instructions else {}
    # writing a cache costs more than it saves unless another question follows
    shown = cache if prompt.keeps_documents else {}
    body: dict[str, Any] = {
        "model": prompt.model,
        "max_tokens": prompt.answer_tokens,
        "system": [{"type": "text", "text": prompt.instructions, **kept}],
        "messages": [
            {
                "role": "user",
                "content": [*_documents_of(prompt, shown), {"type": "text", "text": prompt.question}],
            }
        ],
    }
    if config:
        body["output_config"] = config
    return Request(
        ask=ask,
        body=body,
        fingerprint=fingerprint_of(body),
        character_count=prompt.character_count,
        text_shape=prompt.text_shape,
        purpose=purpose,
        image_tokens=prompt.image_tokens,
    )


def _documents_of(prompt: Prompt, kept: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the documents and the pictures of their pages; the cache keeps what is before its mark."""
    documents = {"type": "text", "text": prompt.documents}
    if not prompt.images:
        return [{**documents, **kept}]
    return [
        documents,
        {"type": "text", "text": prompt.images_note},
        *(image.as_part() for image in prompt.images),
        {"type": "text", "text": _END_OF_PICTURES, **kept},
    ]


def image_part(image: DrawnImage) -> dict[str, Any]:
    """Return a picture as a block of a message."""
    source = {"type": "base64", "media_type": image.media_type, "data": image.text}
    return {"type": "image", "source": source}


def fingerprint_of(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a body in canonical form, with the API version it is sent under."""
    canonical = json.dumps(
        {"version": API_VERSION, "body": body}, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode()).hexdigest()
