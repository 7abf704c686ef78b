"""Parsed documents as bytes: what the parse cache stores and what a worker sends back.

Not pickle: a worker has just read a hostile file, and a cache entry may have been cut off, so nothing in
here can name code. Layout: magic, BLAKE2b-16 of the rest, zlib of (header length, JSON header, columns in
little endian, text in UTF-8). The source is not part of it: the same content is named otherwise elsewhere.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.parsed import (
    Block,
    DocumentError,
    DocumentStatus,
    Page,
    ParsedDocument,
    SourceDocument,
    Words,
)

_MAGIC = b"parsed-document 1\n"
_DIGEST_BYTES = 16
_COLUMNS = (
    ("page", "<i4", 1),
    ("boxes", "<f8", 4),
    ("line", "<i4", 1),
    ("block", "<i4", 1),
    ("text_start", "<i4", 1),
    ("text_end", "<i4", 1),
    ("confidence", "<f4", 1),
)
_TEXT = "surrogatepass"  # a broken ToUnicode map may yield a lone surrogate; it must survive as it is
_STEP = 65536  # bytes, or words, handled at once
_LARGEST = 4 * 2**30  # of the unpacked form: half a million words take 60 MB


class EncodedDocumentError(Exception):
    """The bytes are not a whole encoded document."""


def encode(document: ParsedDocument) -> bytes:
    """Return the document without its source; every word's text must be its slice of the text."""
    words = document.words
    header = {
        "status": document.status.value,
        "parser": document.parser,
        "parser_version": document.parser_version,
        "error": None
        if document.error is None
        else [
            document.error.code,
            document.error.message,
            document.error.remedy,
            document.error.transient,
        ],
        "warnings": list(document.warnings),
        "word_count": len(words),
        "second_readings": sorted(words.second_readings.items()),
        "pages": [
            [
                p.page,
                p.width_pt,
                p.height_pt,
                p.rotation,
                p.text_start,
                p.text_end,
                p.has_text_layer,
                p.words_from,
            ]
            for p in document.pages
        ],
        "blocks": [_block_row(block, document.text) for block in document.blocks],
    }
    whole = document.text
    for text, (start, end) in zip(words.texts, _spans(words.text_start, words.text_end), strict=True):
        if whole[start:end] != text:
            raise ValueError("a word's text is not its slice of the normalized text; compose the document")
    head = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode()
    # part by part: two and a half million words are 150 MB, which need not be held twice
    packer = zlib.compressobj(level=1)
    packed = [packer.compress(struct.pack("<I", len(head))), packer.compress(head)]
    for name, dtype, _ in _COLUMNS:
        packed.append(packer.compress(np.ascontiguousarray(getattr(words, name), dtype=dtype).data))
    packed.append(packer.compress(document.text.encode("utf-8", _TEXT)))
    packed.append(packer.flush())
    body = b"".join(packed)
    return _MAGIC + hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() + body


def decode(data: bytes, *, source: SourceDocument) -> ParsedDocument:
    """Return the document that was encoded, as `source`'s; raises EncodedDocumentError."""
    begin = len(_MAGIC) + _DIGEST_BYTES
    if not data.startswith(_MAGIC):
        raise EncodedDocumentError("the entry does not begin as one; delete it")
    packed = memoryview(data)[begin:]
    digest = hashlib.blake2b(packed, digest_size=_DIGEST_BYTES).digest()
    if digest != data[len(_MAGIC) : begin]:
        raise EncodedDocumentError("the entry's checksum does not agree; delete it")
    try:
        return _decode_body(packed, source)
    except (ValueError, KeyError, TypeError, IndexError, struct.error, zlib.error) as error:
        raise EncodedDocumentError("the entry's parts do not fit together; delete it") from error


class _Unpacker:
    """Unpacks a stream piece by piece, so that it is never held packed, unpacked and as columns at once."""

    def __init__(self, packed: memoryview) -> None:
        self._packed = packed
        self._stream = zlib.decompressobj()
        self._at = 0
        self._tail = b""
        self._left = _LARGEST

    def read(self, count: int) -> bytearray:
        """Return the next `count` bytes; raises ValueError when there are fewer."""
        self._left -= count
        if count < 0 or self._left < 0:
            raise ValueError("not a size that is stored")
        found = bytearray(count)
        filled = 0
        while filled < count:
            piece = self._next(count - filled)
            found[filled : filled + len(piece)] = piece
            filled += len(piece)
        return found

    def read_rest(self) -> bytes:
        """Return what is left; raises ValueError when the stream is cut off."""
        pieces = []
        while not self._stream.eof or self._tail:
            pieces.append(self._next(self._left))
            self._left -= len(pieces[-1])
        return b"".join(pieces)

    def _next(self, most: int) -> bytes:
        if self._stream.eof or most <= 0:
            raise ValueError("not a whole stream")
        given = self._tail
        if not given:
            given = bytes(self._packed[self._at : self._at + _STEP])
            self._at += _STEP
        piece = self._stream.decompress(given, most)
        self._tail = self._stream.unconsumed_tail
        if not given and not piece:
            raise ValueError("not a whole stream")
        return piece


def _decode_body(packed: memoryview, source: SourceDocument) -> ParsedDocument:
    body = _Unpacker(packed)
    (head_length,) = struct.unpack("<I", body.read(4))
    header = json.loads(body.read(head_length))
    count = int(header["word_count"])
    columns: dict[str, Any] = {}
    for name, dtype, width in _COLUMNS:
        column = np.frombuffer(body.read(count * width * np.dtype(dtype).itemsize), dtype=dtype)
        columns[name] = column.reshape(count, width) if width > 1 else column
    text = body.read_rest().decode("utf-8", _TEXT)
    error = header["error"]
    known: dict[str, str] = {}  # most words of a long file repeat: each text is kept once
    return ParsedDocument(
        source=source,
        status=DocumentStatus(header["status"]),
        parser=str(header["parser"]),
        parser_version=str(header["parser_version"]),
        pages=tuple(
            Page(int(p[0]), float(p[1]), float(p[2]), int(p[3]), int(p[4]), int(p[5]), bool(p[6]), str(p[7]))
            for p in header["pages"]
        ),
        blocks=tuple(_blocks(header.pop("blocks"), text)),
        words=Words(
            texts=[
                known.setdefault(text[start:end], text[start:end])
                for start, end in _spans(columns["text_start"], columns["text_end"])
            ],
            **columns,
            second_readings={int(at): str(other) for at, other in header.get("second_readings", ())},
        ),
        error=None
        if error is None
        else DocumentError(str(error[0]), str(error[1]), str(error[2]), bool(error[3])),
        warnings=tuple(str(warning) for warning in header["warnings"]),
    )


def _spans(starts: NDArray[np.int32], ends: NDArray[np.int32]) -> Iterator[tuple[int, int]]:
    """Yield pairs of plain numbers; a list of them all would outweigh the columns."""
    for at in range(0, len(starts), _STEP):
        yield from zip(starts[at : at + _STEP].tolist(), ends[at : at + _STEP].tolist(), strict=True)


def _block_row(block: Block, text: str) -> list[Any]:
    own = text[block.text_start : block.text_end]
    return [
        block.type,
        block.page,
        [block.box.left, block.box.top, block.box.width, block.box.height],
        block.word_start,
        block.word_end,
        block.text_start,
        block.text_end,
        None if block.text == own else block.text,
        None if block.content == block.text else block.content,
        block.confidence,
    ]


def _blocks(rows: list[list[Any]], text: str) -> Iterator[Block]:
    """Yield the blocks of rows, which are emptied: those of 5,000 pages would outweigh the blocks."""
    for number, row in enumerate(rows):
        yield _block(number, row, text)
        row.clear()


def _block(number: int, row: list[Any], text: str) -> Block:
    kind, page, box, word_start, word_end, text_start, text_end, own, content, confidence = row
    block_text = text[text_start:text_end] if own is None else str(own)
    left, top, width, height = box
    return Block(
        block_id=number,
        type=str(kind),
        page=int(page),
        box=Box(float(left), float(top), float(width), float(height)),
        word_start=int(word_start),
        word_end=int(word_end),
        text_start=int(text_start),
        text_end=int(text_end),
        text=block_text,
        content=block_text if content is None else str(content),
        confidence=None if confidence is None else float(confidence),
    )
