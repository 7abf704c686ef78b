"""Parsed documents as bytes: what the parse cache stores and what a worker sends back.

Not pickle: a worker has just read a hostile file, and a cache entry may have been cut off, so nothing in
here can name code. Layout: magic, BLAKE2b-16 of the rest, zlib of (header length, JSON header, columns in
little endian, text in UTF-8). The source is not part of it: the same content is named otherwise elsewhere.
"""

import hashlib
import json
import struct
import zlib
from typing import Any

import numpy as np

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
    for text, start, end in zip(words.texts, words.text_start.tolist(), words.text_end.tolist(), strict=True):
        if document.text[start:end] != text:
            raise ValueError("a word's text is not its slice of the normalized text; compose the document")
    head = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode()
    parts = [struct.pack("<I", len(head)), head]
    for name, dtype, _ in _COLUMNS:
        parts.append(np.ascontiguousarray(getattr(words, name), dtype=dtype).tobytes())
    parts.append(document.text.encode("utf-8", _TEXT))
    body = zlib.compress(b"".join(parts), level=1)
    return _MAGIC + hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() + body


def decode(data: bytes, *, source: SourceDocument) -> ParsedDocument:
    """Return the document that was encoded, as `source`'s; raises EncodedDocumentError."""
    begin = len(_MAGIC) + _DIGEST_BYTES
    if not data.startswith(_MAGIC):
        raise EncodedDocumentError("the entry does not begin as one; delete it")
    digest = hashlib.blake2b(data[begin:], digest_size=_DIGEST_BYTES).digest()
    if digest != data[len(_MAGIC) : begin]:
        raise EncodedDocumentError("the entry's checksum does not agree; delete it")
    try:
        return _decode_body(_unpack(data[begin:]), source)
    except (ValueError, KeyError, TypeError, IndexError, struct.error, zlib.error) as error:
        raise EncodedDocumentError("the entry's parts do not fit together; delete it") from error


def _unpack(packed: bytes) -> bytes:
    stream = zlib.decompressobj()
    body = stream.decompress(packed, _LARGEST)
    if stream.unconsumed_tail or not stream.eof:
        raise ValueError("not a whole stream")
    return body


def _decode_body(body: bytes, source: SourceDocument) -> ParsedDocument:
    (head_length,) = struct.unpack_from("<I", body)
    at = 4 + head_length
    header = json.loads(body[4:at])
    count = int(header["word_count"])
    columns: dict[str, Any] = {}
    for name, dtype, width in _COLUMNS:
        size = count * width * np.dtype(dtype).itemsize
        column = np.frombuffer(body[at : at + size], dtype=dtype)
        columns[name] = column.reshape(count, width) if width > 1 else column
        if len(columns[name]) != count:
            raise ValueError("a column is cut off")
        at += size
    text = body[at:].decode("utf-8", _TEXT)
    error = header["error"]
    return ParsedDocument(
        source=source,
        status=DocumentStatus(header["status"]),
        parser=str(header["parser"]),
        parser_version=str(header["parser_version"]),
        pages=tuple(
            Page(int(p[0]), float(p[1]), float(p[2]), int(p[3]), int(p[4]), int(p[5]), bool(p[6]), str(p[7]))
            for p in header["pages"]
        ),
        blocks=tuple(_block(number, row, text) for number, row in enumerate(header["blocks"])),
        words=Words(
            texts=[
                text[start:end]
                for start, end in zip(
                    columns["text_start"].tolist(), columns["text_end"].tolist(), strict=True
                )
            ],
            **columns,
        ),
        error=None
        if error is None
        else DocumentError(str(error[0]), str(error[1]), str(error[2]), bool(error[3])),
        warnings=tuple(str(warning) for warning in header["warnings"]),
    )


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
