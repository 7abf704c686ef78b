"""Servers of the Chat Completions API on loopback, each in its dialect, with scripted faults."""

import json
import socket
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from citation_pipeline_tests import fake_openai_batches
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.prompts import read_prompt
from citation_pipeline_tests.fake_images import images_in, tokens_of_images

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Dialect:
    """What a server takes, where it listens, and how it says no."""

    path: str = "/v1/chat/completions"
    formats: tuple[str, ...] = ("json_schema", "json_object", "text")
    limits: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    refused: tuple[str, ...] = ()  # parameters that it does not know
    key_header: str | None = "authorization"  # None: a key is turned away
    api_version: str | None = None
    streams: bool = True
    models: tuple[str, ...] = ()
    context_tokens: int = 1_000_000
    cuts_silently: bool = False  # a prompt that does not fit
    says_of_images: tuple[int, str] | None = None  # the status and error that any picture earns

    def refusal(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the error body for what the server does not take, None where it takes all."""
        asked = (body.get("response_format") or {"type": "text"})["type"]
        if asked not in self.formats:
            return said(f"'response_format.type' {asked} is not supported", param="response_format")
        for name in ("max_tokens", "max_completion_tokens"):
            if name in body and name not in self.limits:
                return said(
                    f"Unsupported parameter: '{name}' is not supported with this model. Use another.",
                    code="unsupported_parameter",
                    param=name,
                )
        for name in self.refused:
            if name in body:
                return said(f"Unrecognized request argument supplied: {name}")
        return None


DIALECTS: Mapping[str, Dialect] = {
    "openai": Dialect(limits=("max_completion_tokens",)),
    "azure": Dialect(
        path="/openai/deployments/extractor/chat/completions",
        key_header="api-key",
        api_version="2024-10-21",
        refused=("stream_options",),
    ),
    "vllm": Dialect(key_header=None),
    "ollama": Dialect(key_header=None, limits=("max_tokens",)),
    "llama.cpp": Dialect(key_header=None, formats=("json_object", "text"), refused=("reasoning_effort",)),
    "lm studio": Dialect(key_header=None, formats=("json_schema", "text")),
    "plain": Dialect(key_header=None, formats=("text",), refused=("stream_options",), streams=False),
}


def said(message: str, **more: Any) -> dict[str, Any]:
    """Return an error's body in OpenAI's shape."""
    return {"error": {"message": message, "type": "invalid_request_error", "code": None, **more}}


@dataclass
class FakeChat:
    """A server; `faults` are used up one a request, `requests` keeps the bodies that were answered."""

    dialect: Dialect = field(default_factory=Dialect)
    answers: ReferenceAnswers = field(default_factory=ReferenceAnswers)
    key: str = "test-key"
    faults: list[dict[str, Any]] = field(default_factory=list)
    always: dict[str, Any] | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    batch_polls: int = 2  # retrievals before a batch has ended
    has_files: bool = True
    row_faults: list[dict[str, Any]] = field(default_factory=list)  # one a row of a batch
    loses_next_batch: bool = False  # it is created, and nobody hears of it
    answered_at_once: int | None = None  # later requests wait for `released`
    released: threading.Event = field(default_factory=threading.Event)
    callers: ExitStack = field(default_factory=ExitStack)  # whose connections are closed before the server is

    def __enter__(self) -> "FakeChat":
        fake = self

        class Handler(_Handler):
            chat = fake

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *arguments: None  # type: ignore[method-assign]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.root = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.root}/v1"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.callers.close()
        self._server.shutdown()
        self._server.server_close()

    def text_of(self, body: Mapping[str, Any]) -> str:
        """Return what a model would write."""
        records = self.answers.answer(read_prompt(as_prompt(body)))
        return json.dumps({"extractions": records}, ensure_ascii=False)

    def said(
        self, body: Mapping[str, Any], fault: Mapping[str, Any], tokens: int
    ) -> tuple[str, str, str | None, dict[str, Any]]:
        """Return the text of an answer, why it ended, its refusal and its usage."""
        kind, text, reason, refusal = fault.get("kind", ""), self.text_of(body), "stop", None
        limit = body.get("max_tokens") or body.get("max_completion_tokens") or 10**9
        if kind == "malformed":
            text = text[: len(text) // 2]
        elif kind == "text":
            text = fault["text"]
        elif kind == "refusal":
            text, refusal = "", "I cannot help with that."
        elif kind == "content_filter":
            text, reason = "", "content_filter"
        elif kind == "length" or len(text) > limit * CHARACTERS_PER_TOKEN:
            text, reason = text[: int(min(len(text) * 0.4, limit * CHARACTERS_PER_TOKEN))], "length"
        usage = {
            "prompt_tokens": tokens,
            "completion_tokens": max(1, len(text) // CHARACTERS_PER_TOKEN),
            "prompt_tokens_details": {"cached_tokens": tokens // 4},
        }
        return text, reason, refusal, {**usage, **fault.get("usage", {})}


def completion(
    body: Mapping[str, Any], text: str, reason: str, refusal: str | None, usage: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an answer as one object."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {"model": body["model"], "choices": [choice], "usage": usage}


def text_in(content: Any) -> str:
    """Return the text of a message, without its pictures."""
    if isinstance(content, str):
        return content
    return "\n\n".join(part["text"] for part in content if part["type"] == "text")


def tokens_of(body: Mapping[str, Any]) -> int:
    """Return what the prompt of a body counts as."""
    characters = sum(len(text_in(message["content"])) for message in body["messages"])
    return characters // CHARACTERS_PER_TOKEN + tokens_of_images(body)


def as_prompt(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat as the reader of prompts takes it: instructions, documents, question."""
    system, user = (text_in(message["content"]) for message in body["messages"])
    end = user.rindex("<<<END DOCUMENT")
    cut = user.index("\n", end)
    parts = [{"type": "text", "text": text} for text in (user[:cut], user[cut:])]
    return {"system": system, "messages": [{"role": "user", "content": parts}]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chat: FakeChat

    def log_message(self, *arguments: Any) -> None: ...

    def do_GET(self) -> None:
        self._serve_batches(b"")

    def do_DELETE(self) -> None:
        self._serve_batches(b"")

    def _serve_batches(self, data: bytes) -> None:
        wrong = self._wrong_key()
        if wrong is not None:
            return self._send(*wrong)
        status, answer = fake_openai_batches.answer(
            self.chat, self.command, urlsplit(self.path).path, data, self.headers.get("content-type", "")
        )
        if status == 0:
            self.connection.shutdown(socket.SHUT_RDWR)
            return None
        if isinstance(answer, bytes):
            return self._send(status, answer.decode())
        return self._send(status, answer)

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["content-length"]))
        if urlsplit(self.path).path.rpartition("/")[2] in ("files", "batches"):
            return self._serve_batches(data)
        body = json.loads(data)
        chat, address = self.chat, urlsplit(self.path)
        chat.counters["calls"] += 1
        fault = chat.faults.pop(0) if chat.faults else chat.always or {}
        wrong = self._wrong_address(address.path, parse_qs(address.query)) or self._wrong_key()
        if wrong is not None:
            return self._send(*wrong)
        if fault.get("status"):
            return self._send(fault["status"], fault.get("body", said("no")), fault.get("headers", {}))
        if fault.get("kind") == "reset":
            self.connection.shutdown(socket.SHUT_RDWR)
            return None
        refusal = chat.dialect.refusal(body)
        if refusal is not None:
            return self._send(400, refusal)
        if chat.dialect.says_of_images is not None and images_in(body):
            status, message = chat.dialect.says_of_images
            return self._send(status, said(message))
        tokens = tokens_of(body)
        if tokens > chat.dialect.context_tokens and not chat.dialect.cuts_silently:
            limit = chat.dialect.context_tokens
            return self._send(400, said(f"This model's maximum context length is {limit} tokens.", code=400))
        chat.requests.append(body)
        if chat.answered_at_once is not None and len(chat.requests) > chat.answered_at_once:
            chat.released.wait(60)
        return self._answer(body, fault, min(tokens, chat.dialect.context_tokens))

    def _wrong_address(self, path: str, query: Mapping[str, Sequence[str]]) -> tuple[int, Any] | None:
        dialect = self.chat.dialect
        if path != dialect.path:
            return 404, "<html><body>404 page not found</body></html>"
        if dialect.api_version and query.get("api-version") != [dialect.api_version]:
            return 404, said("Resource not found")
        return None

    def _wrong_key(self) -> tuple[int, Any] | None:
        header = self.chat.dialect.key_header
        if header is None:
            return (401, said("no keys here")) if self.headers.get("authorization") else None
        right = self.chat.key if header == "api-key" else f"Bearer {self.chat.key}"
        return None if self.headers.get(header) == right else (401, said(f"wrong key {self.chat.key}"))

    def _answer(self, body: Mapping[str, Any], fault: Mapping[str, Any], tokens: int) -> None:
        kind = fault.get("kind", "")
        text, reason, refusal, usage = self.chat.said(body, fault, tokens)
        if not (body.get("stream") and self.chat.dialect.streams):
            self.chat.counters["answers"] += 1
            return self._send(200, completion(body, text, reason, refusal, usage))
        return self._stream(body, text, reason, refusal, usage, kind)

    def _stream(
        self,
        body: Mapping[str, Any],
        text: str,
        reason: str,
        refusal: str | None,
        usage: Mapping[str, Any],
        kind: str,
    ) -> None:
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": text[at : at + 2000]} for at in range(0, len(text), 2000)]
        deltas += [{"refusal": refusal}] if refusal else []
        events: list[Any] = [
            {"model": body["model"], "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
            for delta in deltas
        ]
        if kind == "usage_first":
            events[0]["usage"] = usage
        if kind == "stream_error":
            events = [*events[:2], said(text, code="server_error")]
        elif kind not in ("cut", "no_end"):
            events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
            if (body.get("stream_options") or {}).get("include_usage"):
                events.append({"choices": [], "usage": usage})
        frames = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
        frames.append(b"data: [DONE]\n\n")
        data = b": ping\n\n" + b"".join(frames[:-1] if kind in ("cut", "usage_first") else frames)
        if kind == "endless":
            self._stream_for_ever(frames[1])
            return
        is_cut = kind in ("cut", "usage_first")
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data) + (100 if is_cut else 0)))
        self.end_headers()
        if not is_cut:
            self.chat.counters["answers"] += 1  # before it is sent: whoever has it may look at once
        self.wfile.write(data)
        self.wfile.flush()
        if is_cut:
            self.connection.shutdown(socket.SHUT_RDWR)

    def _stream_for_ever(self, frame: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        with suppress(OSError):
            while True:
                self.wfile.write(frame)

    def _send(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        kind = "text/html" if isinstance(body, str) else "application/json"
        for name, value in {
            "content-type": kind,
            "content-length": str(len(data)),
            "x-request-id": "req-1",
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
