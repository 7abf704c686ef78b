"""Amazon's event streams, in which Bedrock sends a streamed reply: frames made into the API's own events.

A frame is its length and that of its headers (four bytes each), a checksum of the two, headers, payload and
a checksum of it all. Replies are stored as they came, so the library that signs requests is not needed to
read them.
"""

import base64
import json
import zlib
from collections.abc import Iterator, Mapping

_PRELUDE, _CHECKSUM = 12, 4
_ERRORS = {  # exceptions in a stream, in the words of the Messages API
    "throttlingException": "rate_limit_error",
    "serviceUnavailableException": "overloaded_error",
    "modelTimeoutException": "timeout_error",
    "validationException": "invalid_request_error",
}


def is_event_stream(body: bytes) -> bool:
    """Tell whether bytes begin with a frame."""
    return len(body) >= _PRELUDE and zlib.crc32(body[:8]) == int.from_bytes(body[8:12], "big")


def as_events(body: bytes) -> bytes:
    """Return the frames that are whole, as the event stream of the Messages API."""
    events = []
    for headers, payload in _frames(body):
        kind = headers.get(":exception-type") or headers.get(":error-code")
        if kind is not None:
            error = {"type": "error", "error": {"type": _ERRORS.get(kind, "api_error")}}
            events.append(json.dumps(error).encode())
            continue
        try:
            events.append(base64.b64decode(json.loads(payload)["bytes"]))
        except (ValueError, KeyError, TypeError):
            continue
    return b"".join(b"data: " + event + b"\n\n" for event in events)


def _frames(body: bytes) -> Iterator[tuple[Mapping[str, str], bytes]]:
    at = 0
    while is_event_stream(body[at:]):
        total, head = (int.from_bytes(body[at + place : at + place + 4], "big") for place in (0, 4))
        frame = body[at : at + total]
        if len(frame) < total or zlib.crc32(frame[:-4]) != int.from_bytes(frame[-4:], "big"):
            return
        yield _headers(frame[_PRELUDE : _PRELUDE + head]), frame[_PRELUDE + head : -_CHECKSUM]
        at += total


def _headers(data: bytes) -> dict[str, str]:
    """Return the headers that are texts: all that these streams have."""
    found, at = {}, 0
    while at < len(data):
        size = data[at]
        name = data[at + 1 : at + 1 + size].decode("utf-8", errors="replace")
        at += 1 + size
        if data[at : at + 1] != b"\x07":  # the type of a text
            break
        length = int.from_bytes(data[at + 1 : at + 3], "big")
        found[name] = data[at + 3 : at + 3 + length].decode("utf-8", errors="replace")
        at += 3 + length
    return found
