"""Every way in which a file can be unreadable has its status, its code and a remedy."""

import io
import zipfile

import pytest
from PIL import Image

from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.parser import WRONGLY_NAMED, LocalParser
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.parser_files import image_bytes, letter_pdf, picture_of, put, source_of


@pytest.fixture(scope="module")
def parser():
    limits = ParseLimits(pages=3, file_bytes=200_000, image_pixels=5_000_000, unpacked_bytes=2_000_000)
    with LocalParser(None, workers=1, passwords=("wrong", "orange"), limits=limits) as parser:
        yield parser


def _docx(body: str, *, extra=()) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml",
            body
            if body.startswith("<?xml")
            else '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
            f"<w:body>{body}</w:body></w:document>",
        )
        for name, content in extra:
            archive.writestr(name, content)
    return buffer.getvalue()


_P = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
_ENTITY = (
    '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    "<w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>"
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600

_CASES = {
    "empty": (b"", DocumentStatus.EMPTY, "empty_file"),
    "blank": (b"\r\n \n", DocumentStatus.EMPTY, "empty_file"),
    "blank_word": (_docx(""), DocumentStatus.EMPTY, "empty_file"),
    "xml": (
        b"<?xml version='1.0'?><claim>x</claim>",
        DocumentStatus.UNSUPPORTED,
        "unsupported_type",
    ),
    "old_office_file": (_OLE, DocumentStatus.UNSUPPORTED, "unsupported_type"),
    "archive": (b"PK\x03\x04" + b"\0" * 40, DocumentStatus.UNSUPPORTED, "unsupported_type"),
    "encrypted_office": (
        _OLE + "EncryptedPackage".encode("utf-16-le"),
        DocumentStatus.ENCRYPTED,
        "encrypted",
    ),
    "cut_word": (_docx(_P.format("x" * 500))[:150], DocumentStatus.CORRUPT, "corrupt"),
    "broken_xml": (_docx("<w:p>"), DocumentStatus.CORRUPT, "corrupt"),
    "entities": (_docx(_ENTITY), DocumentStatus.CORRUPT, "corrupt"),
    "bomb": (
        _docx(_P.format("x"), extra=[("word/footnotes.xml", "<x>" + " " * 3_000_000 + "</x>")]),
        DocumentStatus.OVERSIZED,
        "unpacks_too_large",
    ),
    "large_picture": (
        image_bytes(Image.new("1", (3000, 3000)), "PNG"),
        DocumentStatus.OVERSIZED,
        "too_many_pixels",
    ),
    "picture_bomb": (
        image_bytes(Image.new("1", (30_000, 30_000)), "TIFF", compression="group4"),
        DocumentStatus.OVERSIZED,
        "too_many_pixels",
    ),
    "cut_picture": (
        image_bytes(picture_of(letter_pdf(), dpi=50), "JPEG")[:1500],
        DocumentStatus.CORRUPT,
        "corrupt",
    ),
    "too_large": (b"word " * 50_000, DocumentStatus.OVERSIZED, "too_many_bytes"),
    "many_pages": (b"page\f" * 5, DocumentStatus.OVERSIZED, "too_many_pages"),
    "many_frames": (
        image_bytes(
            Image.new("1", (40, 40)), "TIFF", save_all=True, append_images=[Image.new("1", (40, 40))] * 3
        ),
        DocumentStatus.OVERSIZED,
        "too_many_pages",
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_an_unreadable_file_has_its_status_code_and_remedy(parser, name):
    data, status, code = _CASES[name]
    document = parser.parse(source_of(data, f"{name}.bin"), data)
    assert (document.status, document.error.code) == (status, code)
    assert document.error.message.endswith(".")
    assert document.error.remedy.endswith(".")
    assert document.pages == ()


@pytest.mark.parametrize(
    ("name", "data"), [("corrupt", b"%PDF-1.7\nnothing that follows"), ("cut", letter_pdf()[:300])]
)
def test_a_damaged_pdf_is_corrupt(parser, name, data):
    assert parser.parse(source_of(data), data).status == DocumentStatus.CORRUPT


def test_an_encrypted_pdf_opens_with_a_configured_password_or_says_so(parser):
    known, unknown = letter_pdf(password="orange"), letter_pdf(password="lemon")
    assert parser.parse(source_of(known), known).status == DocumentStatus.PARSED
    document = parser.parse(source_of(unknown), unknown)
    assert document.status == DocumentStatus.ENCRYPTED
    assert "password" in document.error.remedy


def test_a_password_that_is_added_later_opens_a_file_refused_before(tmp_path):
    sources = [put(tmp_path, "locked.pdf", letter_pdf(password="orange"))]
    with LocalParser(tmp_path / "cache", workers=1) as parser:
        assert parser.parse_many(sources)[0].status == DocumentStatus.ENCRYPTED
    with LocalParser(tmp_path / "cache", workers=1, passwords=["orange"]) as parser:
        assert parser.parse_many(sources)[0].status == DocumentStatus.PARSED


def test_a_wrongly_named_file_is_read_by_its_content_with_a_warning(parser):
    data = image_bytes(picture_of(letter_pdf(), dpi=100), "JPEG")
    document = parser.parse(source_of(data, "photo of the area.pdf"), data)
    assert document.status == DocumentStatus.PARSED
    assert WRONGLY_NAMED in document.warnings
    assert "Claim" in document.text
    rightly = parser.parse(source_of(data, "photo.JPG"), data)
    assert WRONGLY_NAMED not in rightly.warnings


def test_nothing_of_a_document_is_in_its_error(parser):
    secret = b"Quintanar"
    for data in (b"%PDF-1.4\n" + secret * 3, _docx(f"<w:p>{secret.decode()}"), b"GIF89a " + secret):
        document = parser.parse(source_of(data, "a.bin"), data)
        assert document.error is not None
        assert "Quintanar" not in str(document.error)
