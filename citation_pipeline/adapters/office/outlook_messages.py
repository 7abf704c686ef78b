"""Outlook messages (MSG) as mails: headers, body and attachments, read from their MAPI properties.

Each property is a stream named after its number and type; what is needed of them are twenty.
"""

import struct
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from itertools import islice

import olefile

from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.office.ole_files import open_container, read_stream

_SUBJECT, _BODY, _HTML = "0037", "1000", "1013"
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = "0C1A", "0C1F", "5D01"
_TO, _CC, _BCC = "0E04", "0E03", "0E02"
_SENT, _DELIVERED = 0x0039, 0x0E06
_LONG_NAME, _SHORT_NAME, _CONTENT = "3707", "3704", "3701"
_PROPERTIES = "__properties_version1.0"
_DEEPEST = 8


def message_of(data: bytes, *, limits: ParseLimits) -> bytes:
    """Return the message as a mail's bytes (RFC 822); raises RefusedDocumentError."""
    mail = _mail(open_container(data), (), limits, 0)
    return mail.as_bytes()


def _mail(
    container: olefile.OleFileIO, place: Sequence[str], limits: ParseLimits, depth: int
) -> EmailMessage:
    mail = EmailMessage()
    name = _text(container, place, _SENDER_NAME)
    address = _text(container, place, _SENDER_SMTP) or _text(container, place, _SENDER_ADDRESS)
    if "@" in address and address != name:
        name = f"{name} <{address}>" if name else address
    for header, value in (
        ("From", name),
        ("To", _text(container, place, _TO)),
        ("Cc", _text(container, place, _CC)),
        ("Bcc", _text(container, place, _BCC)),
        ("Date", _date(container, place)),
        ("Subject", _text(container, place, _SUBJECT)),
    ):
        if value.strip():
            # a header that any text is allowed in: names of recipients are no addresses
            mail[f"X-Shown-{header}"] = " ".join(value.split())
    mail["MIME-Version"] = "1.0"
    body, rich = _text(container, place, _BODY), _html(container, place)
    mail.set_content(body if body.strip() or not rich else "")
    if rich and not body.strip():
        mail.set_content(rich, subtype="html")
    for attachment in islice(_attachments(container, place), limits.attachments + 1):
        _attach(mail, container, attachment, limits, depth)
    return mail


def _attach(
    mail: EmailMessage, container: olefile.OleFileIO, place: Sequence[str], limits: ParseLimits, depth: int
) -> None:
    name = _text(container, place, _LONG_NAME) or _text(container, place, _SHORT_NAME)
    embedded = [*place, f"__substg1.0_{_CONTENT}000D"]
    if container.exists([*embedded, _PROPERTIES]) and depth < _DEEPEST:
        mail.add_attachment(_mail(container, embedded, limits, depth + 1), filename=name or None)
        return
    content = read_stream(container, [*place, f"__substg1.0_{_CONTENT}0102"])
    mail.add_attachment(content, maintype="application", subtype="octet-stream", filename=name or None)


def _attachments(container: olefile.OleFileIO, place: Sequence[str]) -> Iterator[list[str]]:
    depth = len(place)
    found = {
        entry[depth]
        for entry in container.listdir()
        if entry[:depth] == list(place) and len(entry) > depth + 1 and entry[depth].startswith("__attach_")
    }
    for name in sorted(found):
        yield [*place, name]


def _text(container: olefile.OleFileIO, place: Sequence[str], number: str) -> str:
    wide = read_stream(container, [*place, f"__substg1.0_{number}001F"])
    if wide:
        return wide.decode("utf-16-le", "replace").rstrip("\0")
    return _decoded(read_stream(container, [*place, f"__substg1.0_{number}001E"])).rstrip("\0")


def _html(container: olefile.OleFileIO, place: Sequence[str]) -> str:
    return _text(container, place, _HTML) or _decoded(
        read_stream(container, [*place, f"__substg1.0_{_HTML}0102"])
    )


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _date(container: olefile.OleFileIO, place: Sequence[str]) -> str:
    """Return when the message was sent: a count of 100 nanoseconds since 1601 among the fixed properties."""
    properties = read_stream(container, [*place, _PROPERTIES])
    found = {}
    for at in range(24 if place else 32, len(properties) - 15, 16):
        kind, number = struct.unpack_from("<HH", properties, at)
        if kind == 0x0040:
            (found[number],) = struct.unpack_from("<Q", properties, at + 8)
    ticks = found.get(_SENT) or found.get(_DELIVERED)
    if not ticks:
        return ""
    try:
        return format_datetime(datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10))
    except OverflowError:
        return ""
