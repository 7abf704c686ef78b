"""What the fake remembers: its settings, counters, the log of requests (without bodies), batches, cache."""

import hashlib
import json
import math
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers, spoil
from citation_pipeline_tests.fake_anthropic.faults import Fault, FaultQueue
from citation_pipeline_tests.fake_anthropic.messages import Usage, message
from citation_pipeline_tests.fake_anthropic.prompts import characters_of, read_prompt
from citation_pipeline_tests.fake_anthropic.validation import MODELS
from citation_pipeline_tests.fake_images import tokens_of_images

# shorter prefixes are not cached, and no error says so
_LEAST_CACHED = 512


@dataclass
class Settings:
    """How this server behaves; the admin endpoint may change any of them while it runs."""

    api_key: str = "test-key"
    characters_per_token: float = 3.5
    context_tokens: int | None = None  # instead of the model's own
    longest_body: int = 32_000_000
    hipaa: bool = False  # refuse batches and files, as a HIPAA-ready organization's API does
    batch_polls: int = 2  # retrievals before a batch has ended
    thinking_tokens: int = 20
    says_of_images: str = ""  # the error that any picture earns


@dataclass
class Batch:
    """One message batch; its rows are made when it ends."""

    batch_id: str
    requests: list[dict[str, Any]]
    created: float = field(default_factory=time.time)
    polls: int = 0
    rows: list[dict[str, Any]] | None = None
    canceled: bool = False


class Records:
    """The server's memory; every method is safe for many threads."""

    def __init__(self, settings: Settings | None = None, answers: ReferenceAnswers | None = None) -> None:
        self.settings = settings or Settings()
        self.answers = answers or ReferenceAnswers()
        self.faults = FaultQueue()
        self.lock = threading.RLock()
        self.reset()

    def reset(self) -> None:
        """Forget everything but settings and answers."""
        with self.lock:
            self.counters: Counter[str] = Counter()
            self.requests: list[dict[str, Any]] = []
            self.bodies: list[Mapping[str, Any]] = []  # that were answered
            self.batches: dict[str, Batch] = {}
            self.cached: set[str] = set()
            self.faults.clear()

    def log(self, entry: Mapping[str, Any]) -> None:
        """Remember a request; entries hold no text of the body."""
        with self.lock:
            self.requests.append(dict(entry))
            self.counters[entry["operation"]] += 1

    def tokens_of(self, characters: int) -> int:
        """Tokens of that many characters, by this server's rate."""
        return math.ceil(characters / self.settings.characters_per_token)

    def context_of(self, model: str) -> int:
        """The model's context window in tokens."""
        return self.settings.context_tokens or MODELS[model][0]

    def complete(self, body: Mapping[str, Any], fault: Fault | None) -> dict[str, Any]:
        """The Message that answers a valid body, spoilt by the fault if it is one of content."""
        kind = fault.kind if fault else ""
        stop_reason, text = "end_turn", cast(str | None, self._text(body, fault))
        if kind == "refusal":
            stop_reason, text = "refusal", None
        elif kind == "empty":
            text = None
        elif kind in ("max_tokens", "model_context_window_exceeded", "malformed") and fault and text:
            text = text[: int(len(text) * fault.fraction)]
            stop_reason = "end_turn" if kind == "malformed" else kind
        elif text and self.tokens_of(len(text)) > body["max_tokens"]:
            text = text[: int(body["max_tokens"] * self.settings.characters_per_token)]
            stop_reason = "max_tokens"
        usage = self._usage(body, text or "")
        with self.lock:
            self.counters["answers"] += 1
            self.bodies.append(body)
            self.counters["input_tokens"] += usage.input + usage.cache_write + usage.cache_read
            self.counters["output_tokens"] += usage.output
            self.counters["cache_read_tokens"] += usage.cache_read
        return message(text, model=body["model"], usage=usage, stop_reason=stop_reason)

    def add_batch(self, requests: list[dict[str, Any]]) -> Batch:
        """Start a batch."""
        batch = Batch(f"msgbatch_01{uuid.uuid4().hex[:16]}", requests)
        with self.lock:
            self.batches[batch.batch_id] = batch
        return batch

    def _text(self, body: Mapping[str, Any], fault: Fault | None) -> str:
        if fault is not None and fault.kind == "text":
            return str(fault.body)
        records = self.answers.answer(read_prompt(body))
        if fault is not None and records:
            records = spoil(records, fault.kind, names=fault.names, count=fault.count)
        return json.dumps({"extractions": records}, ensure_ascii=False)

    def _usage(self, body: Mapping[str, Any], text: str) -> Usage:
        total = self.tokens_of(characters_of(body)) + tokens_of_images(body)
        written = read = pictures = 0
        before = hashlib.sha256(str(body.get("model")).encode())
        length = 0
        with self.lock:
            for block in _cacheable(body):
                before.update((block.get("text") or str(block.get("source"))).encode())
                length += len(block.get("text", ""))
                if block.get("type") == "image":
                    pictures += tokens_of_images({"messages": [{"content": [block]}]})
                prefix = self.tokens_of(length) + pictures
                if "cache_control" not in block or prefix < _LEAST_CACHED:
                    continue
                if before.hexdigest() in self.cached:
                    read, written = prefix, 0
                else:
                    self.cached.add(before.hexdigest())
                    written = prefix - read
        thinking = self.settings.thinking_tokens
        return Usage(
            input=total - read - written,
            output=self.tokens_of(len(text)) + thinking,
            cache_write=written,
            cache_read=read,
            thinking=thinking,
        )


def _cacheable(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    blocks = body.get("system", [])
    found = [{"text": blocks}] if isinstance(blocks, str) else list(blocks)
    for one in body.get("messages", ()):
        content = one.get("content")
        found.extend([{"text": content}] if isinstance(content, str) else content)
    return found
