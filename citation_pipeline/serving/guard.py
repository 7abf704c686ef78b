"""The outermost layer: host names, body sizes and the security headers of every answer.

One plain ASGI middleware, so that cached pages pass it at next to no cost.
"""

import json
from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = (
    2_000_000  # a correction of a long list is some kilobytes; 1 MB strings are to be refused kindly
)

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        "report-uri /csp-reports",
    )
)

_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


class _TooLargeError(Exception):
    """A body that went on after its limit."""


class Guard:
    """Refuses foreign hosts and large bodies, and puts the security headers on everything else."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: frozenset[str],
        max_body_bytes: int = MAX_BODY_BYTES,
        body_limits: Mapping[str, int] | None = None,
    ) -> None:
        self._app, self._hosts, self._max_body = app, hosts, max_body_bytes
        self._body_limits = body_limits or {}  # path to its own limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        if sum(name == b"host" for name, _ in scope["headers"]) > 1:
            await _refuse(send_guarded, 400, "two_hosts", "A request names one host.")
            return
        given = {name: value for name, value in scope["headers"] if name in (b"host", b"content-length")}
        if _host_name(given.get(b"host", b"")) not in self._hosts:
            await _refuse(send_guarded, 421, "unknown_host", "This server does not answer under that name.")
            return
        length = given.get(b"content-length", b"0")
        most = self._body_limits.get(scope["path"], self._max_body)
        if not length.isdigit() or len(length) > 15 or int(length) > most:
            await _refuse(send_guarded, 413, "too_large", "The request's body is too large.")
            return
        received = 0
        started = False

        async def receive_bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise _TooLargeError
            return message

        async def send_noting(message: Message) -> None:
            nonlocal started
            started = True
            await send_guarded(message)

        try:
            await self._app(scope, receive_bounded, send_noting)
        except _TooLargeError:
            if not started:
                await _refuse(send_guarded, 413, "too_large", "The request's body is too large.")


def _host_name(host: bytes) -> str:
    text = host.decode("latin-1").lower()
    if text.startswith("["):
        return text.partition("]")[0] + "]"
    return text.partition(":")[0]


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = json.dumps({"error": {"code": code, "message": message, "remedy": ""}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
