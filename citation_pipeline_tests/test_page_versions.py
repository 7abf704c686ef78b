"""Near-duplicates of which one alone bears a signature, a stamp or a note are versions, not copies."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.duplicates import find_similar_pages
from citation_pipeline.core.documents.page_versions import are_versions
from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.schemas import Field, Schema
from citation_pipeline.core.viewer.dataset import build_viewer_dataset
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.drawn_pdfs import HEIGHT, WIDTH, Sheet, draw
from citation_pipeline_tests.parser_files import image_bytes, picture_of, source_of

LINES = (
    "Progress report of the treating physician",
    "Claim Number: WC-2025-0417",
    "The injured worker slipped on a wet floor beside the loading ramp on 02/11/2025",
    "and hurt the left knee. Work restrictions: no lifting over 20 pounds until the",
    "next visit on 04/18/2025. Treatment goes on twice a week at the clinic.",
    "Average weekly wage: $1,214.70",
    "Treating physician signature:",
)
SNIPPET = "no lifting over 20 pounds"
Drawing = Callable[[Sheet], None]


def pen(x: float, y: float, *, wide: float = 160) -> Drawing:
    """A stroke of a pen: one path of curves."""

    def strokes(sheet: Sheet) -> None:
        t = np.linspace(0, 1, 61)
        across = x + wide * t + 8 * np.sin(40 * t)
        down = HEIGHT - y - 17 * np.sin(25 * t) * (0.4 + 0.6 * t)
        points = np.stack([across, down], axis=1).tolist()
        path = sheet.canvas.beginPath()
        path.moveTo(*points[0])
        for first, second, third in zip(points[1::3], points[2::3], points[3::3], strict=True):
            path.curveTo(*first, *second, *third)
        sheet.canvas.setLineWidth(1.4)
        sheet.canvas.drawPath(path)

    return strokes


def stamp(text: str, *, degrees: float = 0) -> Drawing:
    def stamped(sheet: Sheet) -> None:
        sheet.canvas.saveState()
        sheet.canvas.translate(340, HEIGHT - 420)
        sheet.canvas.rotate(degrees)
        sheet.canvas.setFont("Helvetica-Bold", 22)
        sheet.canvas.drawString(0, 0, text)
        sheet.canvas.restoreState()

    return stamped


def line(text: str, *, y: float = 420) -> Drawing:
    return lambda sheet: sheet.text(60, y, text, size=11)


def letter(*extras: Drawing) -> bytes:
    def page(sheet: Sheet) -> None:
        for number, text in enumerate(LINES):
            sheet.text(60, 90 + number * 34, text, size=11)
        for extra in extras:
            extra(sheet)

    return draw(page)


@pytest.fixture(scope="module")
def recognizer() -> PageRecognizer:
    return PageRecognizer()


def scan(recognizer: PageRecognizer, pdf: bytes, *, bilevel: bool = False) -> ParsedDocument:
    picture = picture_of(pdf, degrees=0.4, noise=12, bilevel=bilevel).convert("L")
    data = image_bytes(picture, "PDF", resolution=picture.width / (WIDTH / 72))
    return parse_pdf(source_of(data, "scan.pdf"), data, recognize_page=recognizer)


def twin(*extras: Drawing) -> ParsedDocument:
    data = letter(*extras)
    return parse_pdf(source_of(data, "twin.pdf"), data)


def place_of_quotation(*documents: ParsedDocument) -> tuple[str | None, bool]:
    field = ExtractedField("restrictions", SNIPPET, "string", (Snippet("scan", SNIPPET),))
    (found,) = resolve_claim(documents, [field], similar=find_similar_pages(documents))
    return found.source_id, "better_copy" in found.warnings


@pytest.mark.parametrize(
    ("extra", "bilevel"),
    [
        pytest.param(pen(230, 292), False, id="signature"),
        pytest.param(pen(230, 292), True, id="signature on a fax"),
        pytest.param(pen(330, 400), True, id="a note beside the print"),
        pytest.param(pen(60, 340, wide=60), False, id="initials"),
        pytest.param(stamp("RECEIVED MAR 14 2025"), False, id="stamp"),
        pytest.param(stamp("VOID", degrees=25), False, id="a stamp aslant"),
        pytest.param(line("Amended on 03/20/2025"), False, id="a printed line"),
    ],
)
def test_what_a_scan_alone_bears_keeps_its_quotations_on_the_scan(
    recognizer: PageRecognizer, extra: Drawing, bilevel: bool
) -> None:
    scanned = scan(recognizer, letter(extra), bilevel=bilevel)
    assert are_versions(scanned, 1, twin(), 1)
    assert place_of_quotation(twin(), scanned) == ("scan", False)


@pytest.mark.parametrize("extra", [pen(230, 292), line("/s/ Alma Reyes, M.D.", y=330)])
def test_what_the_twin_alone_bears_keeps_them_there_too(recognizer: PageRecognizer, extra: Drawing) -> None:
    assert place_of_quotation(twin(extra), scan(recognizer, letter())) == ("scan", False)


@pytest.mark.parametrize(
    ("extras", "bilevel"),
    [
        pytest.param((), False, id="nothing more"),
        pytest.param(
            (line("03/15/2025 16:12  FAX 312 555 0148  PAGE 002/007", y=18),), True, id="a fax head"
        ),
    ],
)
def test_a_scan_of_the_same_page_is_a_copy_whatever_the_machine_printed_on_its_edge(
    recognizer: PageRecognizer, extras: tuple[Drawing, ...], bilevel: bool
) -> None:
    assert place_of_quotation(twin(), scan(recognizer, letter(*extras), bilevel=bilevel)) == ("twin", True)


def test_both_signed_are_copies(recognizer: PageRecognizer) -> None:
    signed = pen(230, 292)
    assert place_of_quotation(twin(signed), scan(recognizer, letter(signed))) == ("twin", True)


def test_marks_of_other_parsers_count_without_a_word() -> None:
    plain = text_document("plain", *LINES)
    mark = Block(99, "Signature", 1, Box(0.5, 0.6, 0.2, 0.05), 0, 0, 0, 0, "", "")
    signed = replace(text_document("signed", *LINES), blocks=[*plain.blocks, mark])
    elsewhere = replace(signed, blocks=[*plain.blocks, replace(mark, box=Box(0.1, 0.1, 0.2, 0.05))])
    assert are_versions(plain, 1, signed, 1)
    assert are_versions(signed, 1, elsewhere, 1)
    assert not are_versions(signed, 1, signed, 1)


@pytest.mark.parametrize("extra", [(), ("Approved by the claims manager",)])
def test_the_dataset_says_whether_a_near_duplicate_is_a_version(extra: tuple[str, ...]) -> None:
    documents = (text_document("letter", *LINES), text_document("later", *LINES, *extra))
    documents = tuple(replace(d, source=replace(d.source, sha256=d.source.source_id)) for d in documents)
    dataset = build_viewer_dataset(
        "claim",
        schema=Schema("own", "Own", "", (Field("f", "string", "F", "own"),), "1"),
        documents=documents,
        fields=(),
        citations=(),
        similar=find_similar_pages(documents),
    )
    (copy,) = dataset["sources"][0]["pages"][0]["copies"]
    assert copy["isVersion"] is bool(extra)
