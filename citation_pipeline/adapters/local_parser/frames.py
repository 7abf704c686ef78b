"""How a parser and its worker processes talk: frames of a kind, a length and a payload, over two pipes.

To the worker: one `OPTIONS` (JSON), then per document a `JOB` (JSON) and, when the file is not to be read
from a path, its `CONTENT`. Back: a `BEAT` when it begins and after every page, and one `RESULT` (an encoded
document). Payloads are JSON or the encoding of `encoding.py`, never pickle.
"""

import struct
from collections.abc import Iterator
from typing import IO

OPTIONS, JOB, CONTENT, BEAT, RESULT = b"O", b"J", b"C", b"B", b"R"

_HEAD = struct.Struct("<cQ")
_LARGEST = 4 * 2**30


class BrokenFrameError(Exception):
    """The other side sent something that is no frame."""


def write_frame(stream: IO[bytes], kind: bytes, payload: bytes = b"") -> None:
    """Write one frame and flush."""
    stream.write(_HEAD.pack(kind, len(payload)))
    stream.write(payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """Read one frame, waiting for it; None at the end of the stream."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, length = _HEAD.unpack(head)
    payload = stream.read(length)
    return (kind, payload) if len(payload) == length else None


class FrameBuffer:
    """Frames out of bytes that arrive in pieces."""

    def __init__(self) -> None:
        self._pieces = bytearray()

    def feed(self, piece: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Add a piece and yield every frame that is now whole; raises BrokenFrameError."""
        self._pieces += piece
        while len(self._pieces) >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._pieces)
            if kind not in (BEAT, RESULT) or length > _LARGEST:
                raise BrokenFrameError("a worker sent something that is no frame; it is not trusted further")
            end = _HEAD.size + length
            if len(self._pieces) < end:
                return
            with memoryview(self._pieces) as pieces:
                payload = bytes(pieces[_HEAD.size : end])
            del self._pieces[:end]
            yield kind, payload
