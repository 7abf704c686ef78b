"""E-mail onto pages: headers, the body's text, then every attachment as pages of its own.

A mail and its attachments stay one source document: a citation into an attachment names the mail's file and
the page, and nothing is read twice. The mail's own pages name every attachment, in the order of their pages;
one that cannot be read has no pages, and a warning says why.
"""

import codecs
import email
import email.policy
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage, MIMEPart
from typing import Any

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.font_metrics import BOLD
from citation_pipeline.adapters.office.html_text import text_of_html
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.placed_pages import Paper, Style
from citation_pipeline.adapters.office.plain_text import add_lines
from citation_pipeline.adapters.office.typesetting import Typesetter
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

ParseAttachment = Callable[[SourceDocument, bytes], ParsedDocument]

_PAPER = Paper(left=36.0, right=36.0, top=54.0, bottom=54.0)
_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_HEADER = Style("Key Value", space_before=2.0)
_NAME = Style("Section Header", BOLD, 11.0, space_before=14.0)
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDE_CHARSET = re.compile(r"(?i)(charset\s*=\s*[\"']?)utf-?16(?:-?[bl]e)?")
_NEXT_MAIL = re.compile(rb"(\r?\n\r?\n)(?=From [^\r\n]*\d{4}\s*\r?\n[!-9;-~]+:)")
_SMALLEST_PICTURE = 8192  # bytes; logos and spacer pixels of signatures are smaller, scans never


@dataclass(frozen=True, slots=True)
class Attachment:
    """One attached file: the name its sender gave it and its content."""

    name: str
    data: bytes


def set_mail(data: bytes, *, options: OfficeOptions) -> tuple[Typesetter, list[Attachment]]:
    """Lay out a mail's headers and body, and return its attachments; raises RefusedDocumentError.

    Of a file of several mails (mbox) the others are attachments of the first.
    """
    first, *others = _mails_of(_in_bytes(data))
    message = _message(first)
    setter = Typesetter(_PAPER, on_page=options.on_page)
    limits = options.limits
    for name in _HEADERS:
        value = " ".join(str(_header(message, name)).split())
        if value:
            setter.paragraph(f"{name}: {value}", _HEADER)
    add_lines(setter, _body(message))
    attachments = list(_attachments(message))
    attachments.extend(Attachment(f"mail {number}", other) for number, other in enumerate(others, start=2))
    for attachment in attachments:
        setter.paragraph(f"Attachment: {attachment.name}", _NAME)
    if len(attachments) > limits.attachments:
        raise refusals.oversized(
            "too_many_attachments", f"{len(attachments)} attachments", limit=limits.attachments
        )
    return setter, attachments


def source_of_attachment(source: SourceDocument, attachment: Attachment) -> SourceDocument:
    """Return the attachment as a source of its own, for the parser of its kind."""
    return SourceDocument(
        source_id=source.source_id,
        name=attachment.name,
        file=attachment.name,
        sha256=hashlib.sha256(attachment.data).hexdigest(),
        media_type=file_types.sniff(attachment.data),
        byte_count=len(attachment.data),
    )


def parse_attachments(
    attachments: list[Attachment], source: SourceDocument, parse: ParseAttachment
) -> tuple[list[ParsedDocument], list[str]]:
    """Parse what can be; returns the documents and a warning for each attachment that was refused."""
    parsed: list[ParsedDocument] = []
    warnings: list[str] = []
    for number, attachment in enumerate(attachments, start=1):
        try:
            document = parse(source_of_attachment(source, attachment), attachment.data)
            code = document.error.code if document.error is not None else ""
        except RefusedDocumentError as refusal:
            code = refusal.error.code
        if code:
            warnings.append(f"attachment {number}: {code}")
        else:
            parsed.append(document)
            warnings.extend(f"attachment {number}: {warning}" for warning in document.warnings)
    return parsed, warnings


def _in_bytes(data: bytes) -> bytes:
    """Return a mail that was saved in two-byte letters as UTF-8, which is then also what its parts are in."""
    codec = file_types.text_encoding(data) if data[:2] in _MARKS or b"\0" in data[:1024] else None
    if codec is None:
        return data.removeprefix(codecs.BOM_UTF8)
    text = data.decode(codec, "replace").removeprefix("\ufeff")
    text = _WIDE_CHARSET.sub(r"\1utf-8", text)
    return text.encode("utf-8", "replace")


def _mails_of(data: bytes) -> list[bytes]:
    """Return the mails of a file; each but the first follows an empty line and begins with "From "."""
    data = data.lstrip(b"\r\n")
    if not data.startswith((b"From ", b">From ")):
        return [data]
    starts = [0, *(match.end(1) for match in _NEXT_MAIL.finditer(data))]
    parts = [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]
    return [part.partition(b"\n")[2] for part in parts]


def _header(message: EmailMessage, name: str) -> object:
    try:
        return message.get(name, "") or message.get(f"X-Shown-{name}", "")
    except (ValueError, IndexError, AttributeError, LookupError):  # the parser of addresses has its limits
        return dict(message.raw_items()).get(name, "")


def _message(data: bytes) -> EmailMessage:
    try:
        message = email.message_from_bytes(data, policy=email.policy.default)
    except (ValueError, LookupError, IndexError) as error:
        raise refusals.corrupt("its mail structure cannot be followed") from error
    assert isinstance(message, EmailMessage)
    return message


def _body(message: EmailMessage) -> str:
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    text = _text(part)
    if part.get_content_subtype() == "html":
        return text_of_html(text)
    if not text.strip() and (rich := message.get_body(preferencelist=("html",))) is not None:
        return text_of_html(_text(rich))
    return text


def _text(part: "MIMEPart[Any, Any]") -> str:
    try:
        return str(part.get_content())
    except (LookupError, ValueError, KeyError):  # a charset nobody knows, or a broken encoding
        payload = part.get_payload(decode=True)
        return payload.decode("cp1252", "replace") if isinstance(payload, bytes) else ""


def _attachments(message: EmailMessage) -> Iterator[Attachment]:
    body = {id(message.get_body(preferencelist=(kind,))) for kind in ("plain", "html")}
    for number, part in enumerate(_leaves(message), start=1):
        if id(part) in body:
            continue
        data = _content(part)
        if part.get_content_disposition() != "attachment":
            is_picture = part.get_content_maintype() == "image"
            if len(data) < _SMALLEST_PICTURE if is_picture else part.get_filename() is None:
                continue  # a signature's logo, or another form of the body
        name = " ".join(str(part.get_filename() or f"part {number}").split())
        yield Attachment(name, data)


def _leaves(message: EmailMessage) -> Iterator[EmailMessage]:
    """Yield the parts that hold content; a forwarded mail is one part, read as a mail of its own."""
    if message.get_content_type() == "message/rfc822" or not message.is_multipart():
        yield message
        return
    for part in message.iter_parts():
        if isinstance(part, EmailMessage):
            yield from _leaves(part)


def _content(part: EmailMessage) -> bytes:
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        if isinstance(inner, list) and inner and isinstance(inner[0], EmailMessage):
            return inner[0].as_bytes()
        return b""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""
