"""Bedrock and Vertex on loopback: their addresses, sign-in and frames before the fake Claude."""

import base64
import http.client
import json
import re
import socket
import threading
import zlib
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

BEDROCK_MODEL = "us.anthropic.claude-sonnet-5-5-20260901-v1:0"
VERTEX_MODEL = "claude-sonnet-5-5@20260901"
_VERTEX = re.compile(r"/projects/(\w+)/locations/([\w-]+)/publishers/anthropic/models/([^:]+):(\w+)")


def frame(payload: bytes, **headers: str) -> bytes:
    """One frame of Amazon's event stream."""
    head = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + len(value).to_bytes(2, "big") + value.encode()
        for name, value in ((f":{key.replace('_', '-')}", value) for key, value in headers.items())
    )
    total = 12 + len(head) + len(payload) + 4
    prelude = total.to_bytes(4, "big") + len(head).to_bytes(4, "big")
    whole = prelude + zlib.crc32(prelude).to_bytes(4, "big") + head + payload
    return whole + zlib.crc32(whole).to_bytes(4, "big")


class FakePlatform:
    """A platform before a fake Claude; `says` answers every call with a status and a body of its own."""

    def __init__(self, claude: FakeAnthropic, *, token: str = "test-token") -> None:
        self.claude, self.token = claude, token
        self.calls: Counter[str] = Counter()
        self.says: tuple[int, dict[str, Any], dict[str, str]] | None = None
        self.breaks_after: int | None = None  # frames of a stream, then an exception
        self.signed: list[str] = []

    def __enter__(self) -> "FakePlatform":
        platform = self

        class Handler(_Handler):
            fake = platform

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *arguments: None  # type: ignore[method-assign]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakePlatform

    def log_message(self, *arguments: Any) -> None: ...

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = urlsplit(self.path).path
        if self.fake.says is not None:
            status, said, headers = self.fake.says
            self.fake.calls["refused"] += 1
            return self._send(status, json.dumps(said).encode(), headers)
        signature = self.headers.get("authorization", "")
        self.fake.signed.append(signature)
        is_signed = signature.startswith("AWS4-HMAC-SHA256 Credential=")
        if signature != f"Bearer {self.fake.token}" and not is_signed:
            return self._send(403, b'{"message": "no"}', {"x-amzn-errortype": "AccessDeniedException"})
        if path.startswith("/model/"):
            return self._bedrock(path, body)
        return self._vertex(path, body)

    def _bedrock(self, path: str, body: dict[str, Any]) -> None:
        model, _, action = unquote(path.removeprefix("/model/")).rpartition("/")
        self.fake.calls[action] += 1
        if model != BEDROCK_MODEL or body.pop("anthropic_version", None) is None:
            said = {"message": "The provided model identifier is invalid."}
            return self._send(400, json.dumps(said).encode(), {"x-amzn-errortype": "ValidationException"})
        streamed = action == "invoke-with-response-stream"
        status, data = self._ask("/v1/messages", {**body, "stream": streamed})
        if streamed and status == 200:
            data = self._framed(data)
        return self._send(status, data, {"x-amzn-requestid": "4f7b"})

    def _framed(self, stream: bytes) -> bytes:
        events = [part for part in stream.split(b"\n\n") if b"data: " in part]
        frames: list[Any] = []
        for number, event in enumerate(events):
            if number == self.fake.breaks_after:
                self.fake.breaks_after = None
                said = frame(
                    b'{"message": "wait"}', message_type="exception", exception_type="throttlingException"
                )
                return b"".join([*frames, said])
            data = base64.b64encode(event.partition(b"data: ")[2]).decode()
            payload = json.dumps({"bytes": data, "p": "abcd"}).encode()
            frames.append(
                frame(payload, event_type="chunk", content_type="application/json", message_type="event")
            )
        return b"".join(frames)

    def _vertex(self, path: str, body: dict[str, Any]) -> None:
        found = _VERTEX.search(unquote(path))
        if found is None or body.pop("anthropic_version", None) is None:
            said = {"error": {"code": 404, "status": "NOT_FOUND", "message": "not found"}}
            return self._send(404, json.dumps(said).encode())
        _, _, model, action = found.groups()
        self.fake.calls[f"{model}:{action}"] += 1
        if model == "count-tokens":
            return self._send(*self._ask("/v1/messages/count_tokens", body))
        return self._send(*self._ask("/v1/messages", {**body, "stream": action == "streamRawPredict"}))

    def _ask(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        """Ask the fake Claude as the platform does for us."""
        address = urlsplit(self.fake.claude.url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
        asked = json.dumps({**body, "model": "claude-sonnet-5-5"})
        headers = {"authorization": "Bearer test-key", "anthropic-version": "2026-10-21"}
        connection.request("POST", path, asked, {**headers, "content-type": "application/json"})
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        except http.client.IncompleteRead as cut:
            return answer.status, cut.partial
        except OSError:
            self.connection.shutdown(socket.SHUT_RDWR)
            raise
        finally:
            connection.close()

    def _send(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "content-type": "application/json",
            "content-length": str(len(data)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
