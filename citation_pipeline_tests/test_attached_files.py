"""Files inside mails and archives are documents of the claim, each with its path and its own status."""

import pytest

from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents, file_of
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.attached_files import list_attached_files, read_document
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline_tests.parser_files import image_bytes, letter_pdf, mail_of, package, picture_of


def _written(data: bytes, folder, name: str = "mail.eml") -> Claim:
    place = folder / "claim-1"
    place.mkdir(exist_ok=True)
    (place / name).write_bytes(data)
    return claim_of_folder(place, schema="workers_comp", parser="local", extractor="rules")


def _parsed(claim: Claim, parser: LocalParser) -> dict[str, ParsedDocument]:
    sources = [(source, file_of(claim, source)) for source in describe_documents(claim)]
    return {document.source.file: document for document in parser.parse_many(sources)}


def test_a_mail_is_its_headers_and_its_body_and_each_attachment_a_document(parser, tmp_path):
    mail = mail_of(html="<p>Hello in HTML</p>")
    mail.add_attachment(letter_pdf(), maintype="application", subtype="pdf", filename="letter.pdf")
    mail.add_attachment(b"GIF89a nothing", maintype="image", subtype="gif", filename="banner.gif")
    locked = letter_pdf(("Behind a password",), password="orange")
    mail.add_attachment(locked, maintype="application", subtype="octet-stream", filename="locked.bin")
    scan = image_bytes(picture_of(letter_pdf(("On a fax",))), "TIFF", dpi=(200, 200))
    mail.add_attachment(scan, maintype="image", subtype="tiff", filename="fax.tif")
    data = mail.as_bytes()
    found = _parsed(_written(data, tmp_path), parser)
    document = found["mail.eml"]
    assert document.status == DocumentStatus.PARSED
    contents = [block.content for block in document.blocks if block.page == 1]
    assert "From: Núñez <a@example.com>" in contents
    assert "Subject: Work status – Tomás" in contents
    assert "Hello in HTML" in contents
    assert "Attachment: banner.gif" in contents
    assert len(document.pages) == 1
    assert "WC-2023-00417" in found["mail.eml/letter.pdf"].text
    assert found["mail.eml/locked.bin"].text == "Behind a password"
    assert found["mail.eml/fax.tif"].text == "On a fax"
    assert found["mail.eml/fax.tif"].pages[0].words_from == "ocr"
    assert found["mail.eml/banner.gif"].status == DocumentStatus.UNSUPPORTED  # alone: the others are read
    assert "please see attached" not in document.text  # the body that a mail program does not display


def test_a_forwarded_mails_attachments_have_its_path_and_damage_nothing_beside_them(parser, tmp_path):
    inner = mail_of(plain="forwarded")
    inner.add_attachment(letter_pdf(), maintype="application", subtype="pdf", filename="letter.pdf")
    inner.add_attachment(letter_pdf(("Two",)), maintype="application", subtype="pdf", filename="letter.pdf")
    mail = mail_of()
    mail.add_attachment(b"%PDF-1.4 broken", maintype="application", subtype="pdf", filename="../broken.pdf")
    mail.add_attachment(inner)
    claim = _written(mail.as_bytes(), tmp_path)
    found = _parsed(claim, parser)
    assert list(found) == [
        "mail.eml",
        "mail.eml/.._broken.pdf",
        "mail.eml/part 3.eml",
        "mail.eml/part 3.eml/letter.pdf",
        "mail.eml/part 3.eml/letter (2).pdf",
    ]
    assert found["mail.eml/.._broken.pdf"].status == DocumentStatus.CORRUPT
    assert found["mail.eml/part 3.eml"].text.count("forwarded") == 1
    assert "WC-2023-00417" in found["mail.eml/part 3.eml/letter.pdf"].text
    assert found["mail.eml/part 3.eml/letter (2).pdf"].text == "Two"
    ids = [document.source.source_id for document in found.values()]
    assert ids[0] == "mail"
    assert len(set(ids)) == len(ids)


def test_an_attachment_with_the_bytes_of_a_filed_document_is_its_duplicate(tmp_path):
    mail = mail_of()
    mail.add_attachment(letter_pdf(), maintype="application", subtype="pdf", filename="l.pdf")
    _written(letter_pdf(), tmp_path, "the letter as it was filed by the carrier.pdf")
    sources = describe_documents(_written(mail.as_bytes(), tmp_path, "m.eml"))
    assert {source.file: source.duplicate_of for source in sources} == {
        "m.eml": None,
        "the letter as it was filed by the carrier.pdf": None,
        "m.eml/l.pdf": "the-letter-as-it-was-filed-by-the-carrier",
    }


def test_the_same_mail_filed_twice_has_its_attachments_once(tmp_path):
    mail = mail_of()
    mail.add_attachment(letter_pdf(), maintype="application", subtype="pdf", filename="l.pdf")
    _written(mail.as_bytes(), tmp_path, "a.eml")
    _written(package({"copy.eml": mail.as_bytes()}), tmp_path, "all.zip")
    sources = describe_documents(_written(mail.as_bytes(), tmp_path, "b.eml"))
    assert [source.file for source in sources] == [
        "a.eml", "all.zip", "b.eml", "a.eml/l.pdf", "all.zip/copy.eml"
    ]  # fmt: skip
    assert [source.duplicate_of for source in sources] == [None, None, "a", None, "a"]


def test_more_attachments_than_are_read_are_one_row_that_says_so(tmp_path):
    mail = mail_of()
    for number in range(5):
        mail.add_attachment(
            f"note {number}".encode(), maintype="text", subtype="plain", filename=f"{number}.txt"
        )
    data = mail.as_bytes()
    limits = ParseLimits(attachments=3)
    found = [one.file for one in list_attached_files(data, known=set(), limits=limits)]
    assert found == ["0.txt", "1.txt", "2.txt", "(further files)"]
    (tmp_path / "mail.eml").write_bytes(data)
    assert read_document(tmp_path / "mail.eml" / "2.txt", limits=limits) == b"note 2"
    with pytest.raises(RefusedDocumentError, match="too_many_attachments"):
        read_document(tmp_path / "mail.eml" / "(further files)", limits=limits)
    with pytest.raises(FileNotFoundError):
        read_document(tmp_path / "mail.eml" / "4.pdf", limits=limits)


def test_an_archive_lists_its_files_and_each_is_a_document_with_its_path(parser, tmp_path):
    data = package(
        {
            "mail/letter.pdf": letter_pdf(),
            "inner.zip": package({"deep/note.txt": "In the inner archive"}),
            "__MACOSX/x": "no",
            "tool.exe": "MZ\0\0",
        }
    )
    found = _parsed(_written(data, tmp_path, "file.zip"), parser)
    assert [block.content for block in found["file.zip"].blocks] == [
        "File: mail/letter.pdf", "File: inner.zip", "File: tool.exe"
    ]  # fmt: skip
    assert "WC-2023-00417" in found["file.zip/mail/letter.pdf"].text
    assert found["file.zip/inner.zip/deep/note.txt"].text == "In the inner archive"
    assert found["file.zip/tool.exe"].status == DocumentStatus.UNSUPPORTED


def test_archives_in_archives_end_somewhere(parser, tmp_path):
    data = package({"note.txt": "deep down"})
    for _ in range(12):
        data = package({"inner.zip": data})
    found = _parsed(_written(data, tmp_path, "file.zip"), parser)
    last = list(found.values())[-1]
    assert last.source.file.endswith("inner.zip/(further files)")
    assert last.status == DocumentStatus.OVERSIZED
    assert last.error.code == "nested_too_deep"


def test_an_archive_of_a_bomb_is_refused_and_an_encrypted_member_alone(parser, tmp_path):
    bomb = package({"note.txt": "a"}).replace(b"\x01\0\0\0\x01\0\0\0", b"\x01\0\0\0\xff\xff\xff\x7f")
    found = _parsed(_written(bomb, tmp_path, "bomb.zip"), parser)
    assert {one.status for one in found.values()} == {DocumentStatus.OVERSIZED}
    (tmp_path / "claim-1" / "bomb.zip").unlink()
    locked = bytearray(package({"a.txt": "secret", "b.txt": "plain"}))
    at = locked.index(b"PK\x01\x02")
    locked[at + 8] |= 1  # the directory's flag of the first member: encrypted
    found = _parsed(_written(bytes(locked), tmp_path, "locked.zip"), parser)
    assert found["locked.zip/a.txt"].status == DocumentStatus.ENCRYPTED
    assert found["locked.zip/b.txt"].text == "plain"


def test_names_that_lead_elsewhere_stay_below_their_file(tmp_path):
    data = package(
        {"../../etc/passwd": "x", "/abs/file.txt": "y", "a\\..\\b.txt": "z", "A.txt": "1", "a.txt": "2"}
    )
    claim = _written(data, tmp_path, "odd.zip")
    files = [source.file for source in describe_documents(claim)][1:]
    assert files == [
        "odd.zip/etc/passwd", "odd.zip/abs/file.txt", "odd.zip/a/b.txt", "odd.zip/A.txt", "odd.zip/a (2).txt"
    ]  # fmt: skip
    assert read_document(tmp_path / "claim-1" / "odd.zip" / "a (2).txt") == b"2"


def test_the_mails_of_one_file_are_a_mail_and_documents_beside_it(parser, tmp_path):
    one = (
        "From ana@x.com Tue Mar 14 10:00:00 2023\n"
        "From: Ana <ana@x.com>\nTo: b@x.com\nSubject: {}\n\nBody {}\n\n"
    )
    data = "".join(one.format(n, n) for n in ("first", "second")).encode()
    found = _parsed(_written(data, tmp_path, "box.mbox"), parser)
    assert "Subject: first" in [block.content for block in found["box.mbox"].blocks]
    assert "Subject: second" in [block.content for block in found["box.mbox/mail 2.eml"].blocks]
