"""A prompt as a chat: its messages, its fingerprint, and the arguments that one server takes."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.chat_completions.capabilities import Capabilities
from citation_pipeline.adapters.chat_completions.settings import ChatSettings
from citation_pipeline.adapters.conversation.asks import Ask, Request, purpose_of
from citation_pipeline.adapters.conversation.page_images import DrawnImage
from citation_pipeline.adapters.conversation.prompts import Prompt, prompt_of
from citation_pipeline.core.schemas import Schema


def build_request(ask: Ask, schema: Schema, settings: ChatSettings) -> Request:
    """Return the request for an ask: instructions first, then documents, then the question."""
    return request_of(prompt_of(ask, schema, settings), ask, settings, purpose=purpose_of(ask))


def request_of(prompt: Prompt, ask: Ask, settings: ChatSettings, *, purpose: str | None) -> Request:
    """Return the request for a prompt; `ask` says which documents are shown.

    What a server takes beside the messages is no part of it: a reply answers the same question, whatever
    form it was asked for in.
    """
    # one message: chat templates of many models refuse two of the same role in a row
    shown: Any = f"{prompt.documents}\n\n{prompt.question}"
    if prompt.images:
        shown = [
            {"type": "text", "text": f"{prompt.documents}\n\n{prompt.images_note}"},
            *(image.as_part() for image in prompt.images),
            {"type": "text", "text": prompt.question},
        ]
    body: dict[str, Any] = {
        "model": prompt.model,
        "max_tokens": prompt.answer_tokens,
        "messages": [
            {"role": "system", "content": prompt.instructions},
            {"role": "user", "content": shown},
        ],
    }
    if prompt.effort is not None:
        body["reasoning_effort"] = prompt.effort
    return Request(
        ask=ask,
        body=body,
        fingerprint=_fingerprint_of(body, settings),
        character_count=prompt.character_count + 2,
        text_shape=prompt.text_shape,
        purpose=purpose,
        reply_schema=prompt.reply_schema,
        image_tokens=prompt.image_tokens,
    )


def image_part(image: DrawnImage, settings: ChatSettings) -> dict[str, Any]:
    """Return a picture as a part of a message."""
    said = {"url": f"data:{image.media_type};base64,{image.text}"}
    # small letters need all the dots; other servers may not know the word
    return {"type": "image_url", "image_url": {**said, "detail": "high"} if settings.is_openai else said}


def arguments_for(request: Request, capabilities: Capabilities) -> dict[str, Any]:
    """Return the SDK's arguments for a request to a server that takes this much."""
    body = dict(request.body)
    limit = body.pop("max_tokens")
    if not capabilities.takes_effort:
        body.pop("reasoning_effort", None)
    body |= {"stream": True, capabilities.limit: limit}
    if capabilities.reports_usage:
        body["stream_options"] = {"include_usage": True}
    if capabilities.answer_format == "json_schema" and request.reply_schema is not None:
        wanted = {"name": "extraction", "strict": True, "schema": dict(request.reply_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    elif capabilities.answer_format == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def _fingerprint_of(body: Mapping[str, Any], settings: ChatSettings) -> str:
    # two servers of one name may serve two models
    asked = {"api": "chat.completions", "server": settings.base_url, "body": body}
    canonical = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
