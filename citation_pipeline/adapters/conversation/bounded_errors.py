"""Error answers without an end: the SDKs read such a body whole, so it is cut here."""

import time
from collections.abc import Iterator
from typing import Any

import httpx2  # with the SDKs, which whoever imports this has loaded

MOST_BYTES = 64_000
"""As they come over the wire: a packed body may be a thousand times as long."""
MOST_SECONDS = 60.0
_COUNTS = ("count_tokens", "count-tokens:rawPredict")


class _Cut(httpx2.SyncByteStream):
    """The beginning of a stream; what says why a request was refused is at the beginning."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        size, until = 0, time.monotonic() + MOST_SECONDS
        for piece in self._stream:
            yield piece
            size += len(piece)
            if size > MOST_BYTES or time.monotonic() > until:
                return

    def close(self) -> None:
        self._stream.close()


def cut_errors(response: httpx2.Response) -> None:
    """Be the hook of an HTTP client: bound what is read of an error, and of a count of tokens."""
    if response.status_code >= 400 or response.url.path.endswith(_COUNTS):
        response.stream = _Cut(response.stream)
