"""Connections with limits: how long a request's head may be, how long it and the body may take, how many.

uvicorn's own protocol reads a head of any length for any time; a few hundred half-sent requests would keep
every connection, and a head of megabytes a processor.
"""

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64_000  # request line and headers
MAX_HEADERS = 200
HEAD_SECONDS = 15.0  # from the first byte, or from the connection, to the end of the head
BODY_SECONDS = 30.0  # without `MIN_BODY_BYTES` more of the body
MIN_BODY_BYTES = 8_000
MAX_PER_ADDRESS = 200  # a proxy's readers share its address; 50 readers hold six each at most

_REASONS = {408: b"Request Timeout", 431: b"Request Header Fields Too Large", 503: b"Service Unavailable"}


class BoundedProtocol(HttpToolsProtocol):
    """One connection; what goes beyond its limits is answered in a line and closed."""

    addresses: "Counter[str]" = Counter()  # of the whole process: one server runs in it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_bytes = self._taken = self._body_bytes = 0
        self._reads_head, self._is_head_too_large = True, False
        self._deadline: asyncio.TimerHandle | None = None
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection against its address; the head has to come in time."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self.addresses[self._address] += 1
        if self.addresses[self._address] > MAX_PER_ADDRESS:
            self._refuse(503)
            return
        self._expect_within(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        self.addresses[self._address] -= 1
        if self.addresses[self._address] <= 0:
            del self.addresses[self._address]
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End what this connection answers at its own pace: the server stops."""
        if (watchers := self.app_state.get("watchers")) is not None:
            watchers.close()
        super().shutdown()

    def data_received(self, data: bytes) -> None:
        """Feed the parser within the limits."""
        if self.transport.is_closing():
            return
        if self._reads_head:
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(431)
                return
            if not self._head_bytes:
                self._expect_within(HEAD_SECONDS)
            self._head_bytes += len(data)
        super().data_received(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header within the limits; an exception ends the parsing of this request."""
        self._taken += len(name) + len(value)
        if self._taken > MAX_HEAD_BYTES or len(self.headers) >= MAX_HEADERS:
            self._is_head_too_large = True
            raise ValueError("head too large")
        super().on_header(name, value)

    def on_message_begin(self) -> None:
        """Begin a request's head."""
        self._taken = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Wait for the body from now on."""
        self._reads_head = False
        self._body_bytes = 0
        self._expect_within(BODY_SECONDS)
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what cannot be parsed."""
        self._stop_waiting()
        if self._is_head_too_large:
            self._refuse(431)
        else:
            super().send_400_response(msg)

    def on_body(self, body: bytes) -> None:
        """Give a body that keeps coming more time."""
        self._body_bytes += len(body)
        if self._body_bytes >= MIN_BODY_BYTES:
            self._body_bytes = 0
            self._expect_within(BODY_SECONDS)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole; keep-alive's own limit holds until the next."""
        self._stop_waiting()
        self._reads_head, self._head_bytes = True, 0
        super().on_message_complete()

    def _expect_within(self, seconds: float) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(seconds, self._refuse, 408)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, status: int) -> None:
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            head = b"HTTP/1.1 %d %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            self.transport.write(head % (status, _REASONS[status]))
        self.transport.close()
