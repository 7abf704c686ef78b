"""One HTTP exchange of the fake: reading a body, sending an answer, and acting out a fault on the socket.

Not here: what the endpoints mean (`http_api`).
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from citation_pipeline_tests.fake_reducto.faults import Fault
from citation_pipeline_tests.fake_reducto.records import Records
from citation_pipeline_tests.loopback import hold

MESSAGES = {
    400: ("file_download_failure", "the input could not be downloaded"),
    401: ("authentication_error", "missing or incorrect API key"),
    403: ("permission_error", "not allowed"),
    404: ("not_found", "no such thing"),
    409: ("deletion_in_progress", "the job is being deleted"),
    410: ("deleted", "the job was deleted"),
    413: ("payload_too_large", "use a presigned upload"),
    415: ("conversion_error", "the file cannot be converted"),
    422: ("processing_error", "the table could not be processed"),
    429: ("rate_limit", "too many requests"),
    442: ("password_protected", "the document is password protected"),
}


@dataclass(frozen=True)
class Answer:
    """A response: status, body bytes and headers."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """A JSON response."""
    body = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return Answer(status, body, {"Content-Type": "application/json", **(headers or {})})


def error_answer(status: int, headers: Mapping[str, str] | None = None) -> Answer:
    """An error in the documented body shape."""
    kind, message = MESSAGES.get(status, ("internal_error", "something went wrong"))
    return json_answer({"error": {"message": message, "type": kind, "code": status}}, status, headers)


def xml_answer(status: int, code: str, message: str) -> Answer:
    """An error as object storage words it."""
    body = f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>{message}</Message></Error>'
    return Answer(status, body.encode(), {"Content-Type": "application/xml"})


def json_or_none(body: bytes) -> Any:
    """The JSON value of a body, None when it is empty or is no JSON."""
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None


class Exchange(BaseHTTPRequestHandler):
    """The shared half of both hosts' handlers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60  # an idle keep-alive connection must not keep its thread for ever
    records: Records  # set on the subclass that a server makes for itself

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet; the log of requests is an admin endpoint."""

    def handle_one_request(self) -> None:
        """As usual, but a peer that hangs up is not worth a traceback."""
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def read_body(self) -> bytes:
        """All bytes of the request's body."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def respond(self, answer: Answer, *, sent: float = 1.0) -> None:
        """Send an answer, or only the given share of its body and then hang up."""
        with contextlib.suppress(ConnectionError):
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: int(len(answer.body) * sent)])
        if sent < 1.0:
            self.close_connection = True

    def reset_connection(self) -> None:
        """Send a TCP reset."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.close(self.connection.detach())  # close at once, before anyone sends an orderly FIN

    def act(self, operation: str, perform: Callable[[], Answer]) -> None:
        """Do what was asked, spoilt by the next fault that was scripted for this operation."""
        fault = self.records.faults.take(operation)
        if fault is None:
            self.respond(perform())
            return
        self.records.count("faults")
        self.records.count(f"fault:{operation}:{fault.kind}")
        if fault.kind in ("status", "body", "garbage", "expire"):
            self.respond(_spoilt(fault))
        elif fault.kind == "reset":
            self.reset_connection()
        elif fault.kind == "stall":
            hold(self.connection, fault.seconds)
            self.respond(perform())
        else:
            answer = perform()
            if fault.kind == "reset_after":
                self.reset_connection()
            elif fault.kind == "stall_after":
                hold(self.connection, fault.seconds)
                self.respond(answer)
            else:
                self.respond(answer, sent=0.5)


def _spoilt(fault: Fault) -> Answer:
    if fault.kind == "garbage":
        return Answer(200, b"<html>not json", {"Content-Type": "text/html", **fault.headers})
    if fault.kind == "expire":
        return xml_answer(403, "AccessDenied", "Request has expired")
    if fault.kind == "body":
        return json_answer(fault.body, headers=fault.headers)
    if fault.body is not None:
        return json_answer(fault.body, fault.status, fault.headers)
    return error_answer(fault.status, fault.headers)
