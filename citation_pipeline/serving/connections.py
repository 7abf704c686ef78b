"""Connections with limits: how long a request's head may be, how long it and the body may take, how many.

uvicorn's own protocol reads a head of any length for any time; a few hundred half-sent requests would keep
every connection, and a head of megabytes a processor.

Where an address has too many connections, those give way whose request is not whole: whoever sends half
requests by the thousand keeps nobody out who shares the address, and loses their own.
"""

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64_000  # request line and headers
MAX_HEADERS = 200
HEAD_SECONDS = 15.0  # from the first byte, or from the connection, to the end of the head
BODY_SECONDS = 30.0  # without `MIN_BODY_BYTES` more of the body
MIN_BODY_BYTES = 8_000
MAX_PER_ADDRESS = 200  # a proxy's readers share its address; 50 readers hold six each at most
MOST_PER_ADDRESS = 3_000  # for less than `GRACE_SECONDS`
GRACE_SECONDS = 0.3  # a whole request that came with a flood is read before anything is closed
WRITE_SECONDS = 60.0  # without taking some 50 kB of the answer

_REASONS = {408: b"Request Timeout", 431: b"Request Header Fields Too Large", 503: b"Service Unavailable"}

# a line for each request that is none would let whoever sends garbage fill the disk
_LOGGER = logging.getLogger("uvicorn.error.requests")


class BoundedProtocol(HttpToolsProtocol):
    """One connection; what goes beyond its limits is answered in a line and closed."""

    # open connections by address, oldest first; of the whole process: one server runs in it
    addresses: dict[str, dict["BoundedProtocol", None]] = {}  # noqa: RUF012

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _LOGGER.setLevel(logging.ERROR)  # here: when the server configures logging it forgets the level
        self.logger = _LOGGER
        self._head_bytes = self._taken = self._body_bytes = 0
        self._reads_head, self._is_head_too_large = True, False
        self._deadline: asyncio.TimerHandle | None = None
        self._writing_deadline: asyncio.TimerHandle | None = None
        self._sweep: asyncio.TimerHandle | None = None
        self._heard_at = 0.0
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection against its address; the head has to come in time."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._heard_at = self.loop.time()
        known = self.addresses.setdefault(self._address, {})
        known[self] = None
        self._expect_within(HEAD_SECONDS)
        if len(known) > MOST_PER_ADDRESS:
            next(iter(known)).give_way()
        elif len(known) > MAX_PER_ADDRESS:
            # every open request is whole and waits for its answer: there is nothing to close instead
            if not any(other.yields() for other in known if other is not self):
                self._refuse(503)
            else:
                self._sweep = self.loop.call_later(GRACE_SECONDS, self._make_room)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        for handle in (self._sweep, self._writing_deadline):
            if handle is not None:
                handle.cancel()
        known = self.addresses.get(self._address, {})
        known.pop(self, None)
        if not known:
            self.addresses.pop(self._address, None)
        super().connection_lost(exc)

    def yields(self) -> int:
        """Return how readily the connection gives way: 0 not at all, 3 first.

        First whose head is not whole, then who asks for nothing, then whose body has stopped coming.
        """
        if self.transport.is_closing():
            return 0
        if self._reads_head and self._deadline is not None:
            return 3
        if self.cycle is None or self.cycle.response_complete:
            return 2
        return 1 if self._deadline is not None and self._silent_for() > GRACE_SECONDS else 0

    def give_way(self) -> None:
        """Close in favour of others of the address."""
        self._refuse(503)

    def _silent_for(self) -> float:
        return self.loop.time() - self._heard_at

    def _make_room(self) -> None:
        """Close what gives way most readily, longest silent first, until the address keeps its limit."""
        known = list(self.addresses.get(self._address, ()))
        beyond = len(known) - MAX_PER_ADDRESS
        # whoever came a moment ago has its turn when its own connection makes room
        ready = [one for one in known if one.yields() and one._silent_for() >= GRACE_SECONDS]
        for one in sorted(ready, key=lambda one: (-one.yields(), one._heard_at))[: max(0, beyond)]:
            one.give_way()

    def pause_writing(self) -> None:
        """Give a client that does not take its answer some time."""
        super().pause_writing()
        if self._writing_deadline is not None:
            self._writing_deadline.cancel()
        self._writing_deadline = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on answering."""
        if self._writing_deadline is not None:
            self._writing_deadline.cancel()
            self._writing_deadline = None
        super().resume_writing()

    def shutdown(self) -> None:
        """End what this connection answers at its own pace: the server stops."""
        if (watchers := self.app_state.get("watchers")) is not None:
            watchers.close()
        super().shutdown()

    def data_received(self, data: bytes) -> None:
        """Feed the parser within the limits."""
        if self.transport.is_closing():
            return
        self._heard_at = self.loop.time()
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
        """Wait for the body from now on; an address with another host in it than `Host` is refused."""
        if not self.url.startswith(b"/"):
            raise ValueError("not an address of this server")
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
