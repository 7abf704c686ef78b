"""What a file is, determined by its content; its name is only compared with that.

No parsing here: `sniff` looks at signatures and at a ZIP's list of names, never at what is compressed.
"""

import codecs
import io
import re
import struct
import zipfile
import zlib
from pathlib import PurePath

import olefile

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TEXT = "text/plain"
MAIL = "message/rfc822"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"
WEBP = "image/webp"
BMP = "image/bmp"
HEIC = "image/heic"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
OPEN_DOCUMENT = "application/vnd.oasis.opendocument"  # text, spreadsheet or presentation
RTF = "application/rtf"
HTML = "text/html"
ZIP = "application/zip"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
MSG = "application/vnd.ms-outlook"
UNKNOWN = "application/octet-stream"

IMAGES = (PNG, JPEG, TIFF, WEBP, BMP, HEIC)

OFFICE_FILES = (DOCX, XLSX, PPTX, OPEN_DOCUMENT, RTF, HTML, DOC, XLS, PPT, TEXT)
"""What is laid out on pages of our own."""

CONTAINERS = (MAIL, MSG, ZIP)
"""What holds other files, whose pages follow its own."""

_SUFFIXES = {
    PDF: (".pdf",),
    DOCX: (".docx", ".docm", ".dotx"),
    TEXT: (".txt", ".text", ".log", ".md", ".csv", ".tsv", ".asc", ""),
    MAIL: (".eml", ".mht", ".mhtml", ".mbox", ".msg.txt"),
    PNG: (".png",),
    JPEG: (".jpg", ".jpeg", ".jpe", ".jfif"),
    TIFF: (".tif", ".tiff"),
    WEBP: (".webp",),
    BMP: (".bmp", ".dib"),
    HEIC: (".heic", ".heif"),
    XLSX: (".xlsx", ".xlsm", ".xltx"),
    PPTX: (".pptx", ".pptm", ".ppsx", ".potx"),
    OPEN_DOCUMENT: (".odt", ".ods", ".odp", ".ott", ".ots", ".otp"),
    RTF: (".rtf", ".doc"),  # Word opens both under either name
    HTML: (".html", ".htm", ".xhtml", ".xht"),
    ZIP: (".zip",),
    DOC: (".doc", ".dot"),
    XLS: (".xls", ".xlt"),
    PPT: (".ppt", ".pps", ".pot"),
    MSG: (".msg", ".oft"),
}

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STREAMS = (
    ("__properties_version1.0", MSG),
    ("WordDocument", DOC),
    ("Workbook", XLS),
    ("Book", XLS),
    ("PowerPoint Document", PPT),
)
_BMP_HEADERS = (12, 40, 52, 56, 64, 108, 124)
_HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")

_PDF_HEADER_WITHIN = (
    1024  # bytes of junk before %PDF- that Acrobat, and so every scanner's firmware, forgives
)
_TEXT_SAMPLE = 65536

_MAIL_HEADER = re.compile(rb"(?:[!-9;-~]+:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n)+\r?\n")
# A typed memo also begins From/To/Date/Subject; only software writes one of these.
_MAIL_PROOF = re.compile(rb"(?im)^(?:mime-version|message-id|received|return-path|content-type)[ \t]*:")

_MBOX_LINE = re.compile(rb"\A>?From [^\r\n]*\r?\n")
# Printed memos name people; a mail's sender is an address, and its date is written as software writes it.
_MAIL_SENDER = re.compile(rb"(?im)^from[ \t]*:[^\r\n]*[^\s@<]+@[^\s@>]+")
_MAIL_REST = re.compile(
    rb"(?im)^(?:(?:to|cc|reply-to)[ \t]*:[^\r\n]*@|date[ \t]*:.*\d{1,2}:\d\d|subject[ \t]*:)"
)
_WEB_PAGE = re.compile(
    rb"(?is)\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|meta|title|style|table|div|p|h[1-6]|ul|ol|font|span)\b[^<]*>"
)
_MARKUP = re.compile(rb"(?is)\A\s*(?:<!doctype\s+html|<html|<head|<body|<\?xml|<svg|\{\\rtf|%!PS)")

_KINDS = (
    (b"PK\x03\x04", "a ZIP archive that cannot be listed"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"GIF8", "a GIF image"),
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
    if data.startswith(b"PK\x03\x04"):  # before PDF: the first file in an archive may be one
        return _package_type(data)
    if data.startswith(_OLE):
        return _container_type(data)
    if b"%PDF-" in data[:_PDF_HEADER_WITHIN]:
        return PDF
    if (picture := _picture_type(data)) is not None:
        return picture
    if data.startswith(b"{\\rtf"):
        return RTF
    data = _readable_bytes(data)
    if _WEB_PAGE.match(_without_bom(data[:_TEXT_SAMPLE])):
        return HTML
    if any(data.startswith(signature) for signature, _ in _KINDS if len(signature) > 2):
        return UNKNOWN
    if not data.strip() or _MARKUP.match(_without_bom(data[:_TEXT_SAMPLE])):
        return UNKNOWN
    if is_mail(data):
        return MAIL
    return TEXT if text_encoding(data) else UNKNOWN


def is_mail(data: bytes) -> bool:
    """Tell whether the content is an e-mail as software stores it, not a memo that looks like one."""
    sample = _without_bom(data[:_TEXT_SAMPLE]).lstrip(b"\r\n")
    mbox = _MBOX_LINE.match(sample)
    header = _MAIL_HEADER.match(sample[mbox.end() if mbox else 0 :])
    if header is None:
        return False
    head = header.group()
    return _MAIL_PROOF.search(head) is not None or (
        _MAIL_SENDER.search(head) is not None and (mbox is not None or _MAIL_REST.search(head) is not None)
    )


def text_encoding(data: bytes) -> str | None:
    """Return the codec in which the whole content is readable text, or None when it is not text."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16" if _decodes(data, "utf-16") else None
    if b"\0" in data[:_TEXT_SAMPLE]:
        return _unmarked_wide_codec(data)
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
        return "an old Office file of another kind than DOC, XLS, PPT and MSG"
    if data.startswith(b"PK\x03\x04") and b"application/epub+zip" in data[:100]:
        return "an e-book (EPUB)"
    if data.startswith(b"PK\x03\x04") and b"xl/workbook" in data:
        return "a binary spreadsheet (XLSB)" if b"xl/workbook.bin" in data else "a damaged spreadsheet (XLSX)"
    if data[4:8] == b"ftyp":
        return "a video or a photograph of another kind than HEIC"
    if data[:4] == b"RIFF":
        return "a sound or a video"
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


def _picture_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    if data[:2] == b"BM" and len(data) > 26 and int.from_bytes(data[14:18], "little") in _BMP_HEADERS:
        return BMP
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC_BRANDS:
        return HEIC
    return None


def _package_type(data: bytes) -> str:
    """Return what a ZIP holds, by its list of names."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {name.lower() for name in archive.namelist()}
            if "mimetype" in names and archive.read("mimetype")[:80].startswith(OPEN_DOCUMENT.encode()):
                return OPEN_DOCUMENT
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, KeyError, RuntimeError):
        # a truncated one: still a Word file, and refused as corrupt by its parser
        return DOCX if b"word/" in data else UNKNOWN
    if "word/document.xml" in names:
        return DOCX
    if "[content_types].xml" in names:
        for folder, media_type in (("word/", DOCX), ("xl/", XLSX), ("ppt/", PPTX)):
            if any(name.startswith(folder) and name.endswith(".xml") for name in names):
                return media_type if "xl/workbook.bin" not in names else UNKNOWN
    return UNKNOWN if "mimetype" in names else ZIP


def _container_type(data: bytes) -> str:
    """Return what an OLE file holds, by the streams at its root."""
    try:
        container = olefile.OleFileIO(io.BytesIO(data))
        names = {entry[0] for entry in container.listdir()}
    except (OSError, ValueError, IndexError, TypeError, AttributeError, struct.error):
        return UNKNOWN
    for stream, media_type in _STREAMS:
        if stream in names:
            return media_type
    return UNKNOWN


def _readable_bytes(data: bytes) -> bytes:
    """Return text in two-byte letters as UTF-8, so that signatures and headers are found in it."""
    codec = text_encoding(data) if b"\0" in data[:_TEXT_SAMPLE] else None
    return data.decode(codec, "replace").encode("utf-8", "replace") if codec else data


def _unmarked_wide_codec(data: bytes) -> str | None:
    """Return in which order two-byte letters without a mark are stored, None when they are no text.

    Read in the wrong order, a space is a letter of another kind: real text has many of either.
    """
    for codec in ("utf-16-le", "utf-16-be"):
        try:
            text = data[: _TEXT_SAMPLE & ~1].decode(codec)
        except UnicodeDecodeError:
            continue
        spaces = sum(letter in " \n\r\t" for letter in text)
        odd = sum(not letter.isprintable() and letter not in "\n\r\t\f\xa0" for letter in text)
        if spaces * 50 >= len(text) > odd * 100 and _decodes(data, codec):
            return codec
    return None


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
