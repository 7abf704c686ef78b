"""Old Office containers (OLE), opened with olefile (BSD): Outlook messages, and the text of DOC and PPT.

DOC and PPT give their text only: their layout is in tables that no permissive library reads.
"""

import io
import struct
from collections.abc import Iterator, Sequence

import olefile

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.placed_pages import Paper
from citation_pipeline.adapters.office.rich_text import set_body
from citation_pipeline.adapters.office.typesetting import Typesetter

_ENCRYPTED, _TABLE_1 = 0x0100, 0x0200  # flags of a DOC's header
_TEXT_COUNTS, _PIECES_AT = (
    0x4C,
    0x01A2,
)  # where the header says how long the texts are and where the pieces lie
_PIECES = 2  # the kind of the record that lists the pieces
_MASTER, _SLIDE_TEXT_WIDE, _SLIDE_TEXT_NARROW = 0x03F8, 0x0FA0, 0x0FA8


def open_container(data: bytes) -> olefile.OleFileIO:
    """Open an OLE file; a damaged one is a RefusedDocumentError."""
    try:
        return olefile.OleFileIO(io.BytesIO(data))
    except (OSError, ValueError, IndexError, struct.error) as error:
        raise refusals.corrupt("its directory of streams cannot be read") from error


def read_stream(container: olefile.OleFileIO, name: str | Sequence[str]) -> bytes:
    """Return a stream's bytes, empty where there is none."""
    path = [name] if isinstance(name, str) else list(name)
    try:
        return container.openstream(path).read() if container.exists(path) else b""
    except (OSError, ValueError, IndexError) as error:
        raise refusals.corrupt("one of its streams cannot be read") from error


def set_old_word_file(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out the text of a DOC (Word 97 and later); raises RefusedDocumentError."""
    container = open_container(data)
    document = read_stream(container, "WordDocument")
    if len(document) < _PIECES_AT + 8:
        raise refusals.corrupt("its header is cut off")
    (flags,) = struct.unpack_from("<H", document, 0x0A)
    if flags & _ENCRYPTED:
        raise refusals.encrypted()
    table = read_stream(container, "1Table" if flags & _TABLE_1 else "0Table")
    try:
        text = "".join(_pieces(document, table))
        # the body, then footnotes, headers, remarks, endnotes and text boxes follow one another
        (body,) = struct.unpack_from("<i", document, _TEXT_COUNTS)
    except (struct.error, ValueError, IndexError) as error:
        raise refusals.corrupt("its list of pieces cannot be followed") from error
    return _set_text(_shown(text[:body]) + "\n" + _shown(text[body:]), options)


def _pieces(document: bytes, table: bytes) -> Iterator[str]:
    start, length = struct.unpack_from("<II", document, _PIECES_AT)
    records = table[start : start + length]
    at = 0
    while at < len(records) and records[at] != _PIECES:
        (size,) = struct.unpack_from("<H", records, at + 1)  # formatting that pieces refer to
        at += 3 + size
    (size,) = struct.unpack_from("<I", records, at + 1)
    pieces = records[at + 5 : at + 5 + size]
    count = (size - 4) // 12
    places = struct.unpack_from(f"<{count + 1}I", pieces)
    for number in range(count):
        (place,) = struct.unpack_from("<I", pieces, 4 * (count + 1) + 8 * number + 2)
        letters = places[number + 1] - places[number]
        if place & 0x40000000:  # one byte a letter
            begin = (place & 0x3FFFFFFF) // 2
            yield document[begin : begin + letters].decode("cp1252", "replace")
        else:
            yield document[place : place + 2 * letters].decode("utf-16-le", "replace")


def _shown(text: str) -> str:
    """Return a DOC's text as lines: its marks are control codes, a field's code is not displayed."""
    parts: list[str] = []
    codes: list[bool] = []  # of each open field, whether its code is passing by
    for letter in text:
        if letter == "\x13":
            codes.append(True)
        elif letter == "\x14" and codes:
            codes[-1] = False
        elif letter == "\x15" and codes:
            codes.pop()
        elif not any(codes):
            parts.append(letter)
    # two cell ends in a row end the row
    shown = "".join(parts).replace("\x07\x07", "\x07\x06")
    shown = shown.replace("\r", "\n").replace("\x0b", "\n").replace("\x1e", "-").replace("\xa0", " ")
    return "".join(letter for letter in shown if letter in "\n\t\f\x06\x07" or letter >= " ")


def set_old_slides(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out the texts of a PPT, in the order in which they are stored; raises RefusedDocumentError."""
    container = open_container(data)
    if container.exists("EncryptedSummary"):
        raise refusals.encrypted()
    stream = read_stream(container, "PowerPoint Document")
    seen: set[str] = set()
    lines = []
    for text in _slide_texts(stream, 0, len(stream)):
        shown = text.replace("\r", "\n").replace("\x0b", "\n").strip()
        if shown and shown not in seen:  # the outline repeats what the slides say
            seen.add(shown)
            lines.append(shown)
    if not lines:
        raise refusals.empty_file()
    return _set_text("\n".join(lines), options)


def _set_text(text: str, options: OfficeOptions) -> Typesetter:
    setter = Typesetter(Paper(), on_page=options.on_page)
    set_body(setter, text, [], options)
    return setter


def _slide_texts(stream: bytes, at: int, end: int) -> Iterator[str]:
    """Yield the texts of a tree of records: version, kind, length, then content or more records."""
    while at + 8 <= end:
        version, kind, length = struct.unpack_from("<HHI", stream, at)
        at += 8
        last = min(end, at + length)
        if kind == _MASTER:  # "Click to edit" is on no slide
            pass
        elif version & 0x0F == 0x0F:
            yield from _slide_texts(stream, at, last)
        elif kind == _SLIDE_TEXT_WIDE:
            yield stream[at:last].decode("utf-16-le", "replace")
        elif kind == _SLIDE_TEXT_NARROW:
            yield stream[at:last].decode("latin-1")
        at = last
