"""PDFs whose pages are not what they hold: portfolios, pinned files, forms only Adobe's programs draw."""

import ctypes
import io
import subprocess
import zlib
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfdoc  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from citation_pipeline.adapters.claim_folders import claim_of_folder, describe_documents, file_of
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.office import pdf_attachments
from citation_pipeline.adapters.office.attached_files import list_attached_files, read_document
from citation_pipeline.adapters.pdfium import embedded_names
from citation_pipeline.adapters.pdfium.embedded_names import may_hold_files
from citation_pipeline.core.answers.coverage import cover
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.viewer.issues import list_issues
from citation_pipeline_tests.drawn_pdfs import parse
from citation_pipeline_tests.parser_files import letter_pdf, mail_of, pdf_of

COVER = ("For the best experience, open this portfolio in Acrobat.",)


def carrying(files: dict[str, bytes], *, pinned: tuple[str, bytes] | None = None) -> bytes:
    """Return a cover page that carries files, one of them pinned to the page."""
    document = pdfium.PdfDocument(letter_pdf(COVER))
    for name, data in files.items():
        document.new_attachment(name).set_data(data)
    if pinned:
        name, data = pinned
        page = document[0]
        note = raw.FPDFPage_CreateAnnot(page, raw.FPDF_ANNOT_FILEATTACHMENT)
        spelled = (name + "\0").encode("utf-16-le")
        units = (raw.FPDF_WCHAR * (len(spelled) // 2)).from_buffer_copy(spelled)
        handle = raw.FPDFAnnot_AddFileAttachment(note, units)
        content = (ctypes.c_char * len(data)).from_buffer_copy(data)
        raw.FPDFAttachment_SetFile(handle, document, content, len(data))
        raw.FPDFPage_CloseAnnot(note)
        page.close()
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def locked_carrying(content: bytes, password: str) -> bytes:
    """Return a PDF behind a password that carries one file."""
    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption(password))
    canvas.drawString(72, 700, COVER[0])
    canvas.showPage()
    document = canvas._doc
    stream = pdfdoc.PDFStream(pdfdoc.PDFDictionary({"Type": pdfdoc.PDFName("EmbeddedFile")}), content)
    place = pdfdoc.PDFDictionary({"F": document.Reference(stream)})
    named = pdfdoc.PDFDictionary(
        {"Type": pdfdoc.PDFName("Filespec"), "F": pdfdoc.PDFString("a.txt"), "EF": place}
    )
    names = pdfdoc.PDFDictionary({"Names": pdfdoc.PDFArray([pdfdoc.PDFString("a.txt"), named])})
    document.Catalog.Names = pdfdoc.PDFDictionary({"EmbeddedFiles": names})
    canvas.save()
    return out.getvalue()


def form_of(root: bytes, fields: bytes = b"", page: bytes = b"") -> bytes:
    """Return a PDF of one page with an XFA form, as pdf.js and LiveCycle write them."""
    template = b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'><template/></xdp:xdp>"
    text = b"BT /F1 12 Tf 72 700 Td (Please wait... If this message is not replaced, upgrade.) Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[%s]/XFA 6 0 R>>%s>>" % (fields, root),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>%s>>" % page,
        b"<</Length %d>>stream\n%s\nendstream" % (len(text), text),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(template), template),
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/Rect[72 600 200 620]/P 3 0 R/V(12.00)/DA(/F1 12 Tf)>>",
    ]
    return pdf_of(*objects)


def _parsed(
    data: bytes, folder: Path, parser: LocalParser, name: str = "file.pdf"
) -> dict[str, ParsedDocument]:
    place = folder / "claim-1"
    place.mkdir()
    (place / name).write_bytes(data)
    claim = claim_of_folder(place)
    sources = [(source, file_of(claim, source)) for source in describe_documents(claim)]
    return {document.source.file: document for document in parser.parse_many(sources)}


def _codes(document: ParsedDocument) -> list[tuple[str, str]]:
    issues = list_issues(cover([document], None, ["a"]), (), [document])
    return [(issue["code"], issue["reason"]) for issue in issues if issue["code"] != "field_not_read"]


def test_the_files_of_a_portfolio_are_documents_with_its_path(parser: LocalParser, tmp_path: Path) -> None:
    mail = mail_of()
    mail.add_attachment(letter_pdf(("Inside",)), maintype="application", subtype="pdf", filename="in.pdf")
    files = {"report.pdf": letter_pdf(), "<2>../notes.txt": b"Seen on 3/4/2025", "mail.eml": mail.as_bytes()}
    found = _parsed(carrying(files), tmp_path, parser)
    assert sorted(found) == [
        "file.pdf",
        "file.pdf/.._notes.txt",
        "file.pdf/mail.eml",
        "file.pdf/mail.eml/in.pdf",
        "file.pdf/report.pdf",
    ]
    assert found["file.pdf"].warnings == ("embedded_files",)
    assert _codes(found["file.pdf"]) == []
    assert "WC-2023-00417" in found["file.pdf/report.pdf"].text
    assert found["file.pdf/.._notes.txt"].text == "Seen on 3/4/2025"
    assert found["file.pdf/mail.eml/in.pdf"].text == "Inside"


def test_a_portfolio_that_a_mail_carries_is_opened_too(parser: LocalParser, tmp_path: Path) -> None:
    mail = mail_of()
    portfolio = carrying({"report.pdf": letter_pdf()})
    mail.add_attachment(portfolio, maintype="application", subtype="pdf", filename="all.pdf")
    found = _parsed(mail.as_bytes(), tmp_path, parser, "m.eml")
    assert "WC-2023-00417" in found["m.eml/all.pdf/report.pdf"].text


def test_a_file_that_is_pinned_to_a_page_is_a_document_once(parser: LocalParser, tmp_path: Path) -> None:
    found = _parsed(carrying({}, pinned=("proof.txt", b"Pinned")), tmp_path, parser)
    assert found["file.pdf/proof.txt"].text == "Pinned"
    assert found["file.pdf"].warnings == ("embedded_files",)
    both = carrying({"proof.txt": b"Pinned"}, pinned=("proof.txt", b"Pinned"))
    assert [one.file for one in list_attached_files(both, known=set())] == ["proof.txt"]


def test_a_file_without_content_is_refused_alone(parser: LocalParser, tmp_path: Path) -> None:
    document = pdfium.PdfDocument(letter_pdf(COVER))
    document.new_attachment("a.pdf").set_data(letter_pdf())
    document.new_attachment("b.pdf")  # a name, and nothing behind it
    out = io.BytesIO()
    document.save(out)
    found = _parsed(out.getvalue(), tmp_path, parser)
    assert found["file.pdf/a.pdf"].status == DocumentStatus.PARSED
    assert found["file.pdf/b.pdf"].status == DocumentStatus.CORRUPT


def test_files_that_cannot_be_listed_are_one_row_that_is_refused(
    parser: LocalParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_attachments, "_WORKER", "citation_pipeline.no_such_module")
    found = _parsed(carrying({"report.pdf": letter_pdf()}), tmp_path, parser)
    row = found["file.pdf/(embedded files)"]
    assert row.status in (DocumentStatus.CORRUPT, DocumentStatus.CRASHED)
    assert row.error is not None


def test_files_behind_a_password_are_said_to_be_unread(tmp_path: Path) -> None:
    with LocalParser(None, workers=1, passwords=("orange",), ocr=False) as parser:
        found = _parsed(locked_carrying(b"Behind a password", "orange"), tmp_path, parser)
    assert list(found) == ["file.pdf"]
    assert found["file.pdf"].warnings == ("embedded_files_unread",)
    assert _codes(found["file.pdf"]) == [("document_unreadable", "embedded_files_unread")]


def test_more_files_than_are_read_are_one_row_that_says_so(tmp_path: Path) -> None:
    data = carrying({f"{number}.txt": b"note %d" % number for number in range(5)})
    limits = ParseLimits(attachments=3)
    found = [one.file for one in list_attached_files(data, known=set(), limits=limits)]
    assert found == ["0.txt", "1.txt", "2.txt", "(further files)"]
    (tmp_path / "a.pdf").write_bytes(data)
    assert read_document(tmp_path / "a.pdf" / "2.txt", limits=limits) == b"note 2"


def test_no_process_is_started_for_a_pdf_that_carries_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("started"))
    assert list(list_attached_files(letter_pdf(), known=set())) == []


@pytest.mark.parametrize(("packed", "may_hold"), [(b"<</EF<</F 9 0 R>>>>", True), (b"<</EFX 1>>", False)])
def test_files_that_are_named_in_packed_objects_are_seen(packed: bytes, may_hold: bool) -> None:
    body = zlib.compress(b"1 0 " + packed)
    data = b"%%PDF-1.5\n5 0 obj<</Type/ObjStm/N 1/First 4/Length %d>>stream\n%s\nendstream" % (
        len(body),
        body,
    )
    assert may_hold_files(data) is may_hold


@pytest.mark.parametrize(
    ("repeated", "times"),
    [
        (b"/ObjStm ", 2_000_000),
        (b"<</Type/ObjStm>>stream\n%s\nendstream " % zlib.compress(b""), 200_000),
        (b"<</Type/ObjStm>>stream\n%s\nendstream " % zlib.compress(bytes(15 * 2**20)), 2_000),
    ],
)
def test_the_look_at_a_hostile_pdf_is_bounded(
    repeated: bytes, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    unpacked = embedded_names._unpacked

    def counted(packed: bytes) -> bytes | None:
        objects = unpacked(packed)
        given.append(len(objects or b""))
        return objects

    monkeypatch.setattr(embedded_names, "_unpacked", counted)
    assert may_hold_files(b"%PDF-1.5\n" + repeated * times), (
        "what is not looked through, a confined process is"
    )
    assert len(given) <= 50_000
    assert sum(given) < 300 * 2**20


@pytest.mark.parametrize("root", [b"/NeedsRendering true", b""])
def test_a_page_that_stands_for_a_dynamic_form_is_unread(root: bytes) -> None:
    document = parse(form_of(root))
    assert document.warnings == ("page 1: dynamic_form",)
    assert _codes(document) == [("pages_not_read", "dynamic_form")]


def test_a_static_form_is_read_as_any_other() -> None:
    document = parse(form_of(b"", b"7 0 R", b"/Annots[7 0 R]"))
    assert document.warnings == ()
    assert "12.00" in document.text
