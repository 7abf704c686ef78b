"""E-mail onto pages: headers, the body's text, and the names of its attachments.

The attachments are documents of their own (`attached_files`); the mail's pages name them under the names that
are part of their paths.
"""

import codecs
import email
import email.policy
import re
from collections.abc import Iterator
from email.message import EmailMessage, MIMEPart
from functools import partial
from typing import Any

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.attachments import Attachment, named_apart
from citation_pipeline.adapters.office.font_metrics import BOLD
from citation_pipeline.adapters.office.html_text import text_of_html
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.placed_pages import Paper, Style
from citation_pipeline.adapters.office.plain_text import add_lines
from citation_pipeline.adapters.office.typesetting import Typesetter

_PAPER = Paper(left=36.0, right=36.0, top=54.0, bottom=54.0)
_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
_HEADER = Style("Key Value", space_before=2.0)
_NAME = Style("Section Header", BOLD, 11.0, space_before=14.0)
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDE_CHARSET = re.compile(r"(?i)(charset\s*=\s*[\"']?)utf-?16(?:-?[bl]e)?")
_NEXT_MAIL = re.compile(rb"(\r?\n\r?\n)(?=From [^\r\n]*\d{4}\s*\r?\n[!-9;-~]+:)")
_SMALLEST_PICTURE = 8192  # bytes; logos and spacer pixels of signatures are smaller, scans never
_WORD, _FIGURE = re.compile(r"\w+"), re.compile(r"\d")
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|\[[^\]\n]*\]")
_BESIDE = 0.1  # of the plain part's words
PARTS_DIFFER = "mail_parts_differ"
"""Warning of a mail whose plain text has other words than its displayed one."""
_SEALS = ("pkcs7-signature", "x-pkcs7-signature", "pgp-signature", "pgp-keys")  # say nothing to a reader
_SUFFIXES = {
    "message/rfc822": ".eml",
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/tiff": ".tif",
    "text/plain": ".txt",
    "text/html": ".html",
}


def set_mail(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out a mail's headers, its body and the names of its attachments; raises RefusedDocumentError."""
    message, attachments = _opened(data)
    setter = Typesetter(_PAPER, on_page=options.on_page)
    for name in _HEADERS:
        value = " ".join(str(_header(message, name)).split())
        if value:
            setter.paragraph(f"{name}: {value}", _HEADER)
    text, differs = _body(message)
    add_lines(setter, text)
    if differs:
        setter.warn(PARTS_DIFFER)
    for attachment in attachments[: options.limits.attachments]:
        setter.paragraph(f"Attachment: {attachment.name}", _NAME)
    return setter


def attachments_of_mail(data: bytes) -> list[Attachment]:
    """Return a mail's attachments; of a file of several mails (mbox) the others are attachments of the first.

    Raises RefusedDocumentError.
    """
    return _opened(data)[1]


def _opened(data: bytes) -> tuple[EmailMessage, list[Attachment]]:
    first, *others = _mails_of(_in_bytes(data))
    message = _message(first)
    attachments = list(_attachments(message))
    attachments += [
        Attachment(f"mail {number}.eml", partial(bytes, other))
        for number, other in enumerate(others, start=2)
    ]
    return message, named_apart(attachments)


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
    except (ValueError, LookupError, IndexError, RecursionError) as error:
        raise refusals.corrupt("its mail structure cannot be followed") from error
    assert isinstance(message, EmailMessage)
    return message


def _body(message: EmailMessage) -> tuple[str, bool]:
    """Return the text that a mail program displays, and whether the mail says otherwise to others."""
    plain, rich = (message.get_body(preferencelist=(kind,)) for kind in ("plain", "html"))
    text = _text(plain) if plain is not None else ""
    displayed = text_of_html(_text(rich)) if rich is not None else ""
    if not displayed.strip() or not text.strip():
        return displayed or text, False
    said, shown = (frozenset(_WORD.findall(_ADDRESS.sub(" ", one).lower())) for one in (text, displayed))
    if shown <= said:
        return text, False
    beside = said - shown
    differs = len(beside) > _BESIDE * len(said) or any(map(_FIGURE.search, beside))
    return displayed, differs


def _text(part: "MIMEPart[Any, Any]") -> str:
    try:
        return str(part.get_content())
    except (LookupError, ValueError, KeyError):  # a charset nobody knows, or a broken encoding
        payload = part.get_payload(decode=True)
        return payload.decode("cp1252", "replace") if isinstance(payload, bytes) else ""


def _attachments(message: EmailMessage) -> Iterator[Attachment]:
    body = {id(message.get_body(preferencelist=(kind,))) for kind in ("plain", "html")}
    for number, part in enumerate(_leaves(message), start=1):
        if id(part) in body or part.get_content_subtype() in _SEALS:
            continue
        is_mail = part.get_content_type() == "message/rfc822"
        if part.get_content_disposition() != "attachment" and not is_mail:
            is_picture = part.get_content_maintype() == "image"
            if len(_content(part)) < _SMALLEST_PICTURE if is_picture else part.get_filename() is None:
                continue  # a signature's logo, or another form of the body
        unnamed = f"part {number}{_SUFFIXES.get(part.get_content_type(), '')}"
        name = str(part.get_filename() or unnamed).replace("/", "_").replace("\\", "_")
        yield Attachment(name, partial(_content, part))


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
