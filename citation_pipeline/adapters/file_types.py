"""What a file is, determined by its content; its name is only compared with that.

No parsing here: `sniff` looks at signatures and at a ZIP's list of names, never at what is compressed.
"""

import codecs
import io
import re
import zipfile
from pathlib import PurePath

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TEXT = "text/plain"
MAIL = "message/rfc822"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"
UNKNOWN = "application/octet-stream"

IMAGES = (PNG, JPEG, TIFF)

_SUFFIXES = {
    PDF: (".pdf",),
    DOCX: (".docx", ".docm", ".dotx"),
    TEXT: (".txt", ".text", ".log", ".md", ".csv", ".tsv", ".asc", ""),
    MAIL: (".eml", ".mht", ".msg.txt"),
    PNG: (".png",),
    JPEG: (".jpg", ".jpeg", ".jpe", ".jfif"),
    TIFF: (".tif", ".tiff"),
}

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")

_PDF_HEADER_WITHIN = (
    1024  # bytes of junk before %PDF- that Acrobat, and so every scanner's firmware, forgives
)
_TEXT_SAMPLE = 65536

_MAIL_HEADER = re.compile(rb"(?:[!-9;-~]+:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n)+\r?\n")
# A typed memo also begins From/To/Date/Subject; only software writes one of these.
_MAIL_PROOF = re.compile(rb"(?im)^(?:mime-version|message-id|received|return-path|content-type)[ \t]*:")

_MARKUP = re.compile(rb"(?is)\A\s*(?:<!doctype\s+html|<html|<head|<body|<\?xml|<svg|\{\\rtf|%!PS)")

_KINDS = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript file"),
    (b"\x00\x00\x00\x0cjP", "a JPEG 2000 image"),
    (b"ID3", "a sound file"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
)


def sniff(data: bytes) -> str:
    """Return the media type of the content, `application/octet-stream` for whatever cannot be read here."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return PNG
    if data.startswith(b"\xff\xd8\xff"):
        return JPEG
    if data[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return TIFF
    if b"%PDF-" in data[:_PDF_HEADER_WITHIN]:
        return PDF
    if data.startswith(b"PK\x03\x04"):
        return DOCX if _is_word_package(data) else UNKNOWN
    if any(data.startswith(signature) for signature, _ in _KINDS if len(signature) > 2):
        return UNKNOWN
    if not data.strip() or _MARKUP.match(_without_bom(data[:_TEXT_SAMPLE])):
        return UNKNOWN
    if is_mail(data):
        return MAIL
    return TEXT if text_encoding(data) else UNKNOWN


def is_mail(data: bytes) -> bool:
    """Tell whether the content is an e-mail as software stores it, not a memo that looks like one."""
    header = _MAIL_HEADER.match(data[:_TEXT_SAMPLE].lstrip(b"\r\n"))
    return header is not None and _MAIL_PROOF.search(header.group()) is not None


def text_encoding(data: bytes) -> str | None:
    """Return the codec in which the whole content is readable text, or None when it is not text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16" if _decodes(data, "utf-16") else None
    if b"\0" in data[:_TEXT_SAMPLE]:
        return None
    if _decodes(data, "utf-8-sig"):
        return "utf-8-sig" if _is_mostly_printable(data[:_TEXT_SAMPLE]) else None
    if _decodes(data, "cp1252") and _is_mostly_printable(data[:_TEXT_SAMPLE]):
        return "cp1252"
    return None


def is_encrypted_office_file(data: bytes) -> bool:
    """Tell whether the content is an Office document behind a password."""
    return data.startswith(_OLE) and _ENCRYPTED_PACKAGE in data


def kind_of_unsupported(data: bytes) -> str:
    """Name what `sniff` does not know, for the sentence that refuses it."""
    if data.startswith(_OLE):
        return "an old Office file (DOC, XLS, MSG)"
    if data.startswith(b"PK\x03\x04") and b"xl/workbook" in data:
        return "a spreadsheet (XLSX)"
    if data.startswith(b"PK\x03\x04") and b"ppt/presentation" in data:
        return "a presentation (PPTX)"
    if data[4:8] == b"ftyp":
        return "a video or a HEIC photo"
    if data[:4] == b"RIFF":
        return "a WebP image, a sound or a video"
    for signature, kind in _KINDS:
        if data.startswith(signature):
            return kind
    if _MARKUP.match(_without_bom(data[:_TEXT_SAMPLE])):
        return "a web page or XML"
    return "of no kind that is known here"


def is_wrongly_named(file: str, media_type: str) -> bool:
    """Tell whether the name's ending promises another type than the content is."""
    suffix = PurePath(file).suffix.lower()
    expected = _SUFFIXES.get(media_type)
    if expected is None or suffix in expected:
        return False
    # a text may be called anything that no other readable type claims
    return media_type != TEXT or any(suffix in suffixes for suffixes in _SUFFIXES.values())


def _is_word_package(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(name.lower() == "word/document.xml" for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return b"word/" in data  # a truncated one: still a Word file, and refused as corrupt by its parser


def _without_bom(data: bytes) -> bytes:
    return data.removeprefix(codecs.BOM_UTF8)


def _decodes(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _is_mostly_printable(sample: bytes) -> bool:
    control = sum(1 for byte in sample if byte < 32 and byte not in (9, 10, 12, 13, 27))
    return control * 200 <= len(sample)  # 0.5 %: a stray form feed or escape is still text
