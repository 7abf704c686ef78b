"""The fake's HTTP: paths, headers, authentication, and faults acted out on the socket."""

import json
import socket
import struct
import uuid
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, cast

from citation_pipeline_tests.fake_anthropic import admin, batches
from citation_pipeline_tests.fake_anthropic.faults import Fault
from citation_pipeline_tests.fake_anthropic.messages import error_body, frame, frames
from citation_pipeline_tests.fake_anthropic.prompts import characters_of, read_prompt
from citation_pipeline_tests.fake_anthropic.records import Records
from citation_pipeline_tests.fake_anthropic.validation import MODELS, fault_of
from citation_pipeline_tests.fake_images import images_in
from citation_pipeline_tests.loopback import hold

_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"

    @property
    def records(self) -> Records:
        """The server's memory."""
        return cast(Records, self.server.records)  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the log of requests is in the records."""

    def do_GET(self) -> None:
        self._route("GET")

    def do_POST(self) -> None:
        self._route("POST")

    def do_DELETE(self) -> None:
        self._route("DELETE")

    def _route(self, method: str) -> None:
        self.request_id = f"req_{uuid.uuid4().hex[:20]}"
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0].rstrip("/")
        if path.startswith("/__admin"):
            status, answer = admin.answer(method, path, raw, self.records)
            self._send(status, answer)
            return
        if not self._is_welcome():
            return
        if len(raw) > self.records.settings.longest_body:
            # the edge in front of the API answers with a page of its own
            self._send_bytes(413, b"<html><body>413 Request Entity Too Large</body></html>", "text/html")
            return
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            self._fail(400, "The request body is not valid JSON")
            return
        if method == "POST" and path == "/v1/messages":
            self._messages(body, len(raw))
        elif method == "POST" and path == "/v1/messages/count_tokens":
            self._count_tokens(body, len(raw))
        elif path.startswith("/v1/messages/batches"):
            self._batches(method, path, body, len(raw))
        elif method == "GET" and path.startswith("/v1/models"):
            self._models(path)
        else:
            self._fail(404, "Not found")

    def _is_welcome(self) -> bool:
        key = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        if key != self.records.settings.api_key:
            self._fail(401, "invalid x-api-key")
            return False
        if not self.headers.get("anthropic-version"):
            self._fail(400, "anthropic-version: header is required")
            return False
        return True

    def _messages(self, body: Mapping[str, Any], size: int) -> None:
        fault = self._begin("messages", body, size)
        if fault is not None and self._acted_before(fault):
            return
        if not self._is_valid(body):
            return
        tokens = self.records.tokens_of(characters_of(body))
        limit = self.records.context_of(body["model"])
        if tokens > limit:
            self._fail(400, f"prompt is too long: {tokens} tokens > {limit} maximum")
            return
        full = self.records.complete(body, fault)
        if fault is not None and fault.kind == "reset_after":
            self._reset()
        elif body.get("stream"):
            self._stream(list(frames(full)), fault)
        elif fault is not None and fault.kind == "cut":
            data = json.dumps(full, ensure_ascii=False).encode()
            self._send_bytes(200, data, "application/json", sent=len(data) // 2)
        else:
            self._send(200, full)

    def _count_tokens(self, body: Mapping[str, Any], size: int) -> None:
        fault = self._begin("count_tokens", body, size)
        if fault is not None and self._acted_before(fault):
            return
        if self._is_valid(body, counting=True):
            self._send(200, {"input_tokens": self.records.tokens_of(characters_of(body))})

    def _batches(self, method: str, path: str, body: Mapping[str, Any], size: int) -> None:
        fault = self._begin("batches", body, size)
        if fault is not None and self._acted_before(fault):
            return
        if self.records.settings.hipaa:
            self._fail(400, "Message Batches are not available without Zero Data Retention")
            return
        parts = path.split("/")[4:]
        if not parts and method == "GET":
            base_url = self.server.base_url  # type: ignore[attr-defined]
            listed = [batches.describe(batch, base_url) for batch in self.records.batches.values()]
            self._send(200, {"data": listed, "has_more": False, "first_id": None, "last_id": None})
            return
        if not parts:
            self._create_batch(body)
            return
        batch = self.records.batches.get(parts[0])
        if batch is None:
            self._fail(404, "batch not found")
            return
        if parts[1:] == ["results"]:
            lines = [json.dumps(row, ensure_ascii=False) for row in batch.rows or ()]
            self._send_bytes(200, "\n".join(lines).encode() + b"\n", "application/x-jsonl")
            return
        if parts[1:] == ["cancel"]:
            batch.canceled = True
        else:
            batches.poll(batch, self.records)
        self._send(200, batches.describe(batch, self.server.base_url))  # type: ignore[attr-defined]

    def _create_batch(self, body: Mapping[str, Any]) -> None:
        message = batches.fault_of_batch(body)
        if message is not None:
            self._fail(400, message)
            return
        batch = self.records.add_batch(body["requests"])
        self._send(200, batches.describe(batch, self.server.base_url))  # type: ignore[attr-defined]

    def _models(self, path: str) -> None:
        known = [
            {
                "id": name,
                "type": "model",
                "display_name": name,
                "created_at": "2026-01-01T00:00:00Z",
                "max_input_tokens": sizes[0],
                "max_tokens": sizes[1],
            }
            for name, sizes in MODELS.items()
        ]
        wanted = path.removeprefix("/v1/models").strip("/")
        if not wanted:
            self._send(200, {"data": known, "has_more": False, "first_id": None, "last_id": None})
        elif wanted in MODELS:
            self._send(200, next(model for model in known if model["id"] == wanted))
        else:
            self._fail(404, f"model: {wanted}")

    def _begin(self, operation: str, body: Mapping[str, Any], size: int) -> Fault | None:
        prompt = read_prompt(body) if operation != "batches" else None
        model = str(body.get("model", ""))
        self.records.log(
            {
                "operation": operation,
                "path": self.path,
                "model": model,
                "bytes": size,
                "stream": bool(body.get("stream")),
                "version": self.headers.get("anthropic-version"),
                "retry_count": self.headers.get("x-stainless-retry-count"),
                "source_ids": list(prompt.sources) if prompt else [],
                "field_keys": list(prompt.asked) if prompt else [],
                "has_format": "format" in body.get("output_config", {}),
                "effort": body.get("output_config", {}).get("effort"),
                "max_tokens": body.get("max_tokens"),
            }
        )
        return self.records.faults.take(
            operation, source_ids=list(prompt.sources) if prompt else [], model=model
        )

    def _acted_before(self, fault: Fault) -> bool:
        """Act out a fault that comes before the operation; True when the request is over."""
        if fault.kind == "status":
            if fault.body is not None:
                data = fault.body if isinstance(fault.body, str) else json.dumps(fault.body)
                self._send_bytes(fault.status, data.encode(), "text/html", headers=fault.headers)
            else:
                self._fail(fault.status, fault.message, headers=fault.headers)
            return True
        if fault.kind == "reset":
            self._reset()
            return True
        if fault.kind == "stall":
            hold(self.connection, fault.seconds)
        return False

    def _is_valid(self, body: Mapping[str, Any], *, counting: bool = False) -> bool:
        message = fault_of(body, counting=counting)
        if message is None and self.records.settings.says_of_images and images_in(body):
            message = self.records.settings.says_of_images
        if message is not None:
            self._fail(400, message)
            return False
        if body["model"] not in MODELS:
            self._fail(404, f"model: {body['model']}")
            return False
        return True

    def _stream(self, events: list[bytes], fault: Fault | None) -> None:
        self.send_response(200)
        self._headers({"content-type": "text/event-stream"})
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        kind = fault.kind if fault else ""
        half = len(events) // 2
        if kind == "cut":
            self._chunks(events[:half])
            self.close_connection = True
            return
        if kind == "stream_error" and fault is not None:
            self._chunks(events[:half])
            error = error_body(fault.error_type, fault.message, self.request_id)
            self._chunks([frame("error", error)])
        elif kind == "stall_in_stream" and fault is not None:
            self._chunks(events[:half])
            hold(self.connection, fault.seconds)
            self._chunks(events[half:])
        else:
            self._chunks(events)
        self.wfile.write(b"0\r\n\r\n")

    def _chunks(self, events: Iterable[bytes]) -> None:
        for event in events:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.flush()

    def _reset(self) -> None:
        # linger of zero seconds: the peer sees a reset, not an orderly end
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def _fail(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        kind = _ERRORS.get(status, "api_error")
        self._send(status, error_body(kind, message, self.request_id), headers=headers)

    def _send(self, status: int, answer: Any, *, headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(answer, ensure_ascii=False).encode()
        self._send_bytes(status, data, "application/json", headers=headers)

    def _send_bytes(
        self,
        status: int,
        data: bytes,
        content_type: str,
        *,
        headers: Mapping[str, str] | None = None,
        sent: int | None = None,
    ) -> None:
        self.send_response(status)
        self._headers({"content-type": content_type, "content-length": str(len(data)), **(headers or {})})
        self.end_headers()
        self.wfile.write(data[:sent])
        if sent is not None:
            self.close_connection = True

    def _headers(self, headers: Mapping[str, str]) -> None:
        limits = {
            f"anthropic-ratelimit-{name}-{part}": value
            for name in ("requests", "input-tokens", "output-tokens")
            for part, value in (("limit", "1000"), ("remaining", "999"), ("reset", "2027-01-01T00:00:00Z"))
        }
        for name, value in {"request-id": self.request_id, **limits, **headers}.items():
            self.send_header(name, value)
