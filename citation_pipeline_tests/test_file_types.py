"""A file is what its content says, whatever it is called."""

import codecs

import pytest

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.file_types import DOCX, JPEG, MAIL, PDF, PNG, TEXT, TIFF, UNKNOWN, sniff

_MAIL = b"Return-Path: <a@example.com>\r\nFrom: a@example.com\r\nSubject: status\r\n\r\nHello.\r\n"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"%PDF-1.7 ...", PDF),
        (b"\0\0junk from a scanner%PDF-1.4", PDF),
        (b"\x89PNG\r\n\x1a\n....", PNG),
        (b"\xff\xd8\xff\xe0....", JPEG),
        (b"II*\0....", TIFF),
        (b"MM\0*....", TIFF),
        (_MAIL, MAIL),
        (b"From: adjuster\nTo: file\nDate: 03/14/2023\nSubject: DOI\n\nThe DOI was corrected.\n", TEXT),
        ("Núñez, accepted – paid".encode(), TEXT),
        ("Núñez, accepted – paid".encode("cp1252"), TEXT),
        (codecs.BOM_UTF16_LE + "Núñez".encode("utf-16-le"), TEXT),
        (b"BMI: 30, MZ", TEXT),
        (b"", UNKNOWN),
        (b"   \n", UNKNOWN),
        (b"\xef\xbb\xbf<?xml version='1.0'?><a/>", UNKNOWN),
        (b"GIF89a..", UNKNOWN),
        (b"\x00\x01\x02\x03" * 10, UNKNOWN),
        (bytes(range(1, 32)) * 4, UNKNOWN),
        (b"PK\x03\x04[Content_Types].xml word/document.xml cut off", DOCX),
    ],
)
def test_content_decides(data, media_type):
    assert sniff(data) == media_type


@pytest.mark.parametrize(
    ("file", "media_type", "wrong"),
    [
        ("photo.pdf", JPEG, True),
        ("photo.JPEG", JPEG, False),
        ("letter.pdf", PDF, False),
        ("letter", PDF, True),
        ("notes.pdf", TEXT, True),
        ("notes.2023", TEXT, False),
        ("notes.docx", TEXT, True),
        ("anything.pdf", UNKNOWN, False),
    ],
)
def test_a_name_is_only_compared_with_the_content(file, media_type, wrong):
    assert file_types.is_wrongly_named(file, media_type) is wrong


def test_what_is_refused_is_named_for_the_reader():
    assert file_types.kind_of_unsupported(b"GIF89a") == "a GIF image"
    assert "XML" in file_types.kind_of_unsupported(b"<?xml version='1.0'?><claim/>")
    assert "spreadsheet" in file_types.kind_of_unsupported(b"PK\x03\x04 xl/workbook.xml")
    assert file_types.kind_of_unsupported(b"\0\0\0") == "of no kind that is known here"
