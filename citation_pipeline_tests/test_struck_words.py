"""What is struck out on a page is found and flagged; underlines and rules of tables strike nothing out."""

from collections.abc import Callable
from functools import cache

import pytest

from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.page_versions import are_versions
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.struck_words import struck_words
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline_tests.drawn_pdfs import HEIGHT, WIDTH, Sheet, draw
from citation_pipeline_tests.parser_files import image_bytes, picture_of, source_of

LINES = (
    "Progress report of the treating physician",
    "Claim Number: WC-2025-0417",
    "The injured worker slipped on a wet floor beside the loading ramp on 02/11/2025",
    "and hurt the left knee. Work restrictions: no lifting over 20 pounds until the",
    "Average weekly wage: $1,214.70",
    "Total paid: $9,108.25",
)
WAGE, TOTAL = 4, 5
VALUE = (172.0, 223.0)  # where $1,214.70 is, in points
RECOGNIZER = PageRecognizer()  # loads its networks at the first page


def ruled(row: int, start: float, end: float, *, rise: float, wide: float = 0.8) -> Callable[[Sheet], None]:
    def drawn(sheet: Sheet) -> None:
        sheet.canvas.setLineWidth(wide)
        y = HEIGHT - (90 + row * 34) + rise
        sheet.canvas.line(start, y, end, y)

    return drawn


def bar(row: int, start: float, end: float) -> Callable[[Sheet], None]:
    """A grey line as high as the words, under them."""

    def drawn(sheet: Sheet) -> None:
        sheet.canvas.saveState()
        sheet.canvas.setStrokeGray(0.8)
        ruled(row, start, end, rise=3.5, wide=14)(sheet)
        sheet.canvas.restoreState()
        sheet.text(60, 90 + row * 34, LINES[row], size=11)

    return drawn


def letter(*extras: Callable[[Sheet], None]) -> bytes:
    def page(sheet: Sheet) -> None:
        for number, text in enumerate(LINES):
            sheet.text(60, 90 + number * 34, text, size=11)
        for extra in extras:
            extra(sheet)

    return draw(page)


@cache
def read(kind: str, data: bytes) -> ParsedDocument:
    """Read a letter as text, as a scan or as a fax; one drawn alike is read once."""
    if kind != "text":
        picture = picture_of(data, degrees=0.5, noise=12, bilevel=kind == "fax").convert("L")
        data = image_bytes(picture, "PDF", resolution=picture.width / (WIDTH / 72))
    return parse_pdf(source_of(data, "letter.pdf"), data, recognize_page=RECOGNIZER)


@pytest.fixture(params=["text", "scan", "fax"])
def parsed(request: pytest.FixtureRequest) -> Callable[..., ParsedDocument]:
    return lambda *extras: read(request.param, letter(*extras))


def struck(document: ParsedDocument) -> list[str]:
    return [document.words.texts[word] for word in sorted(struck_words(document))]


@pytest.mark.parametrize("wide", [0.6, 1.6])
def test_a_line_through_a_value_strikes_it_out_and_nothing_else(
    parsed: Callable[..., ParsedDocument], wide: float
) -> None:
    document = parsed(ruled(WAGE, *VALUE, rise=3.5, wide=wide))
    (word,) = struck(document)
    assert word.endswith("214.70")


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(ruled(WAGE, *VALUE, rise=-2), id="an underline"),
        pytest.param(ruled(WAGE, 40, 560, rise=3.5), id="a rule that goes on beside the words"),
        pytest.param(ruled(WAGE, *VALUE, rise=14), id="a rule above"),
        pytest.param(ruled(WAGE, 60, 75, rise=3.5), id="a stroke that touches one letter"),
        pytest.param(bar(WAGE, *VALUE), id="a bar that the words are set on"),
    ],
)
def test_other_lines_strike_nothing_out(
    parsed: Callable[..., ParsedDocument], rule: Callable[[Sheet], None]
) -> None:
    assert struck(parsed(rule)) == []


def test_a_citation_of_struck_words_is_flagged_and_its_neighbour_is_not(
    parsed: Callable[..., ParsedDocument],
) -> None:
    document = parsed(ruled(WAGE, *VALUE, rise=3.5))
    fields = [
        ExtractedField("wage", 1214.7, "number", (Snippet("letter", "Average weekly wage: $1,214.70"),)),
        ExtractedField("total", 9108.25, "number", (Snippet("letter", "Total paid: $9,108.25"),)),
    ]
    wage, total = resolve_claim([document], fields)
    assert "struck_out" in wage.warnings
    assert (wage.status, wage.confidence <= 0.3) == (CitationStatus.FLAGGED, True)
    assert (total.status, "struck_out" in total.warnings) == (CitationStatus.RESOLVED, False)


def test_a_struck_label_beside_a_value_that_holds_does_not_doubt_the_value(
    parsed: Callable[..., ParsedDocument],
) -> None:
    document = parsed(ruled(WAGE, 60, 102, rise=3.5))
    assert struck(document) == ["Average"]
    field = ExtractedField("wage", 1214.7, "number", (Snippet("letter", "Average weekly wage: $1,214.70"),))
    (wage,) = resolve_claim([document], [field])
    assert "struck_out" not in wage.warnings


def test_a_page_with_words_struck_out_is_a_version_of_the_one_without(
    parsed: Callable[..., ParsedDocument],
) -> None:
    assert are_versions(parsed(ruled(WAGE, *VALUE, rise=3.5)), 1, parsed(), 1)
    assert not are_versions(parsed(), 1, parsed(), 1)
