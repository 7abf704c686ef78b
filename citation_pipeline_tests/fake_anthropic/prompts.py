"""The fake's reading of a request: which documents it shows, which fields it asks for.

It reads the prompt as a model would, from its text alone; it shares no code with the prompt's writer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_CODE = re.compile(r"with the code ([0-9a-f]{8,64})")
_FIELD = re.compile(r"^- ([A-Za-z0-9_.-]+) \((array|[a-z]+)", re.MULTILINE)
_ASKED = re.compile(r"^- ([A-Za-z0-9_.-]+)(?: \(|$)", re.MULTILINE)


@dataclass(frozen=True)
class ReadPrompt:
    """What a request shows and asks; `types` gives the fields' types as the instructions tell them."""

    sources: Mapping[str, str]
    types: Mapping[str, str]
    asked: tuple[str, ...]


def read_prompt(body: Mapping[str, Any]) -> ReadPrompt:
    """Read a Messages body; one that is no extraction prompt has no sources and asks for nothing."""
    system = "\n".join(_texts(body.get("system")))
    user = [
        text
        for message in body.get("messages", ())
        if message.get("role") == "user"
        for text in _texts(message.get("content"))
    ]
    types = {key: kind for key, kind in _FIELD.findall(system)}
    shown = next((text for text in user if _CODE.search(text)), "")
    question = user[-1] if user else ""
    asked = tuple(key for key in _ASKED.findall(question) if key in types)
    if not asked and "every field" in question:
        asked = tuple(types)
    return ReadPrompt(sources=_sources(shown), types=types, asked=asked)


def characters_of(body: Mapping[str, Any]) -> int:
    """Return the characters that count as input."""
    texts = _texts(body.get("system"))
    for message in body.get("messages", ()):
        texts.extend(_texts(message.get("content")))
    return sum(len(text) for text in texts)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [
        block.get("text", "")
        for block in content or ()
        if isinstance(block, dict) and block.get("type") == "text"
    ]


def _sources(shown: str) -> dict[str, str]:
    code = _CODE.search(shown)
    if code is None:
        return {}
    pattern = re.compile(
        rf"<<<BEGIN DOCUMENT {code[1]}>>>\n### Source: ([^\n]*)\nTitle: [^\n]*\n"
        rf"(.*?)\n<<<END DOCUMENT {code[1]}>>>",
        re.DOTALL,
    )
    return {source_id: text for source_id, text in pattern.findall(shown)}
