"""Print that shows something else than the file says, or that a sign, a pen or a stamp changes."""

import random

import pytest

from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer
from citation_pipeline.adapters.pdfium.outlines import FIGURES, nearest_figures
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.documents.struck_words import struck_words
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline_tests.drawn_pdfs import HEIGHT, draw, parse
from citation_pipeline_tests.test_hidden_text import HALF_PAINTED_OVER, _pdf, _stream

VALUE = "5,417.20"


def said_otherwise(font: bytes, text: bytes, **figures: str) -> bytes:
    """A page in a font whose table of letters is true but for some figures (`n3="8"`: 3 is said to be 8)."""
    said = {chr(code): chr(code) for code in range(33, 127)}
    said |= {name[1]: figure for name, figure in figures.items()}
    pairs = b" ".join(b"<%02X> <%04X>" % (ord(one), ord(other)) for one, other in said.items())
    table = _stream(
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange "
        b"<00><FF> endcodespacerange %d beginbfchar %s endbfchar endcmap end end" % (len(said), pairs)
    )
    lying = b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding/ToUnicode 7 0 R>>" % font
    page = _pdf(b"BT /F2 12 Tf 1 0 0 1 72 400 Tm (%s) Tj ET\n" % text, lying, table)
    return page.replace(b"/F1 5 0 R>>", b"/F1 5 0 R/F2 6 0 R>>")


def unsure(document):
    return {
        text
        for text, sure in zip(document.words.texts, document.words.confidence.tolist(), strict=True)
        if sure < 0.9
    }


LIES = [
    pytest.param(b"Helvetica", b"Rent 3,310.00", {"n3": "8", "n8": "3"}, {"8,810.00"}, id="exchanged"),
    pytest.param(b"Times-Roman", b"Rent 1,310.00", {"n1": "7"}, {"7,370.00"}, id="one for another"),
    pytest.param(b"Courier", b"Rent 6,316.00", {"n6": "9"}, {"9,319.00"}, id="turned over"),
    pytest.param(
        b"Helvetica", b"Rent 8,310.00 33", {"n8": "3"}, {"3,310.00", "33"}, id="two glyphs, one figure"
    ),
]


@pytest.mark.parametrize(("font", "text", "figures", "doubted"), LIES)
def test_figures_that_a_font_shows_otherwise_than_the_file_says_are_not_sure(font, text, figures, doubted):
    document = parse(said_otherwise(font, text, **figures))
    assert unsure(document) == doubted
    assert document.warnings == ("page 1: misleading_figures",)


def test_figures_that_are_said_wrongly_are_read_off_the_page():
    document = parse(
        said_otherwise(b"Helvetica", b"The rent is 3,310.00 a year", n3="8", n8="3"),
        recognize_page=PageRecognizer(),
    )
    assert "3,310.00" in document.words.texts
    assert "8,810.00" not in document.words.texts


@pytest.mark.parametrize("font", [b"Helvetica-BoldOblique", b"Times-BoldItalic", b"Courier-Oblique"])
def test_figures_of_a_font_that_says_what_it_shows_stay_sure(font):
    document = parse(said_otherwise(font, b"Rent 0123456789 and 9,876.50"))
    assert (unsure(document), document.warnings) == (set(), ())


def test_an_outline_that_is_no_figure_is_taken_for_what_the_file_says():
    random.seed(3)
    scribble = ((2, 0.0, 0.0), *((0, random.random(), random.random()) for _ in range(9)))
    assert nearest_figures([scribble] * len(FIGURES), FIGURES) == FIGURES


def drawn(change, text=f"The rent of {VALUE} is due"):
    """A page with a line of print at 300 points and what `change` draws, given the value's left edge."""

    def page(sheet):
        sheet.text(60, 100, "An agreement about the boathouse by the lake, made in spring.")
        sheet.text(60, 300, text)
        sheet.canvas.setLineWidth(0.9)
        change(sheet, 60 + sheet.canvas.stringWidth("The rent of ", "Helvetica", 10), HEIGHT - 300)

    return parse(draw(page))


WIDE = 39.0  # points of the value


def minus(sheet, left, base):
    sheet.canvas.rect(left - 4.6, base + 2.8, 3.6, 0.8, stroke=0, fill=1)


def point(sheet, left, base):
    sheet.canvas.circle(left + 5.6, base + 0.7, 0.7, stroke=0, fill=1)


def figure_one(sheet, left, base):
    sheet.canvas.line(left - 2.5, base, left - 2.5, base + 7.2)


def comma(sheet, left, base):
    sheet.canvas.line(left + WIDE + 1, base + 1, left + WIDE + 0.2, base - 2)


def brackets(sheet, left, base):
    for x, bent in ((left - 1.5, left - 4), (left + WIDE + 1.5, left + WIDE + 4)):
        sheet.canvas.bezier(x, base - 2, bent, base + 1, bent, base + 6, x, base + 8)


def letters(sheet, left, base):
    sheet.canvas.bezier(left - 14, base + 6, left - 20, base + 9, left - 20, base - 2, left - 14, base + 1)
    sheet.canvas.line(left - 11.5, base, left - 11.5, base + 7)
    sheet.canvas.bezier(left - 11.5, base + 7, left - 5, base + 7, left - 5, base + 4, left - 11.5, base + 4)
    sheet.canvas.line(left - 10, base + 4, left - 6, base)


def minus_in_a_cell(sheet, left, base):
    sheet.canvas.rect(left - 40, base - 5, 140, 18)
    sheet.canvas.rect(left - 8, base + 2.2, 5.5, 1.8, fill=1)


def underline(sheet, left, base):
    sheet.canvas.line(left, base - 1.8, left + WIDE, base - 1.8)


def bullet(sheet, left, base):
    sheet.canvas.circle(54, base + 3, 1.5, fill=1)


def ring_to_tick(sheet, left, base):
    sheet.canvas.circle(left - 9, base + 3.3, 3.6)


def bar(sheet, left, base):
    sheet.canvas.line(left + WIDE + 4.5, base - 1, left + WIDE + 4.5, base + 8)


def axis(sheet, left, base):
    sheet.canvas.line(left - 5, base - 60, left - 5, base + 60)
    sheet.canvas.line(left - 5, base + 3.3, left - 1.5, base + 3.3)


@pytest.mark.parametrize("sign", [minus, minus_in_a_cell, point, comma, figure_one, brackets, letters])
def test_a_sign_that_is_drawn_beside_figures_leaves_them_unsure(sign):
    document = drawn(sign)
    assert unsure(document) == {VALUE}
    assert document.warnings == ("page 1: drawn_signs",)


@pytest.mark.parametrize("shape", [underline, bullet, ring_to_tick, bar, axis])
def test_an_underline_a_bullet_a_ring_a_bar_and_a_tick_of_an_axis_are_no_signs(shape):
    document = drawn(shape)
    assert (unsure(document), document.warnings) == (set(), ())


def test_a_figure_typed_over_another_leaves_the_amount_unsure():
    document = drawn(lambda sheet, left, base: sheet.text(left, 300, "8"))
    assert unsure(document) == {VALUE, "8"}
    assert document.warnings == ("page 1: overtyped_figures",)
    stepped_back = _pdf(b"BT /F1 12 Tf 1 0 0 1 72 400 Tm [(Rent 8) 556 (3,310.00)] TJ ET\n")
    assert unsure(parse(stepped_back)) == {"83,310.00"}


def slash(sheet, left, base):
    sheet.canvas.line(left - 2, base - 2, left + WIDE + 2, base + 9)


def cross(sheet, left, base):
    slash(sheet, left, base)
    sheet.canvas.line(left - 2, base + 9, left + WIDE + 2, base - 2)


def scribble(sheet, left, base):
    path = sheet.canvas.beginPath()
    path.moveTo(left - 1, base)
    for step in range(1, 9):
        path.lineTo(left + WIDE * step / 8, base + 7 * (step % 2))
    sheet.canvas.drawPath(path)


def curve(sheet, left, base):
    sheet.canvas.bezier(left - 3, base + 3, left + 12, base + 7, left + 24, base, left + WIDE + 3, base + 5)


@pytest.mark.parametrize("pen", [slash, cross, scribble, curve])
def test_what_a_pen_goes_through_is_struck_out(pen):
    document = drawn(pen)
    assert [document.words.texts[word] for word in struck_words(document)] == [VALUE]
    assert "Signature" not in {block.type for block in document.blocks}


def test_a_large_cross_strikes_out_all_that_is_below_it():
    def crossed(sheet, left, base):
        sheet.canvas.line(55, base - 25, 300, base + 25)
        sheet.canvas.line(55, base + 25, 300, base - 25)

    document = drawn(crossed)
    assert {document.words.texts[word] for word in struck_words(document)} == set(
        f"The rent of {VALUE} is due".split()
    )


def circle(sheet, left, base):
    sheet.canvas.ellipse(left - 5, base - 5, left + WIDE + 5, base + 12)


def tick(sheet, left, base):
    sheet.canvas.line(48, base, 56, base + 9)


def long_line(sheet, left, base):
    sheet.canvas.line(40, base - 4, 560, base + 10)


def wave(sheet, left, base):
    sheet.canvas.bezier(left, base - 2.5, left + 12, base - 1, left + 24, base - 4, left + WIDE, base - 2.5)


@pytest.mark.parametrize("pen", [circle, tick, long_line, wave])
def test_what_a_pen_circles_ticks_or_underlines_is_not_struck_out(pen):
    assert not struck_words(drawn(pen))


def test_a_pen_over_a_typed_name_strikes_nothing_out():
    def signed(sheet, left, base):
        sheet.canvas.bezier(60, base + 1, 80, base + 12, 90, base - 6, 130, base + 6)

    assert not struck_words(drawn(signed, text="Dana Whitfield"))


def stamped(word, size, *, over=True, font="Helvetica-Bold"):
    def page(sheet):
        for row in range(12):
            sheet.text(
                60, 100 + 13 * row, f"visit {row} was charged at 1{row}4.50 and paid for by the fund at once"
            )
        sheet.text(180, 180 if over else 320, word, size=size, font=font)

    return draw(page)


VOIDED = [
    ("VOID", 40, True),
    ("SUPERSEDED", 26, True),
    ("CANCELLED", 18, False),
    ("DRAFT", 20, False),
    ("ANULADO", 36, True),
    ("NOT VALID", 18, False),
    ("VOID 03/14/2025", 16, False),
]


@pytest.mark.parametrize(("word", "size", "over"), VOIDED)
def test_a_page_that_is_stamped_as_not_holding_is_marked_void(word, size, over):
    assert "page 1: marked_void" in parse(stamped(word, size, over=over)).warnings


@pytest.mark.parametrize(
    ("word", "size"),
    [
        ("CONFIDENTIAL", 30),
        ("PRIVILEGED AND CONFIDENTIAL", 18),
        ("VOID CHECK REQUEST FORM", 18),
        ("Draft", 10),
        ("VOID", 10),
    ],
)
def test_a_confidential_page_a_form_about_voids_and_a_word_of_the_text_mark_no_page(word, size):
    assert parse(stamped(word, size, over=False)).warnings == ()
    assert parse(stamped("CONFIDENTIAL", 40)).warnings == ()


def cited(data: bytes, text: str, value: float):
    field = ExtractedField("amount", value, "number", (Snippet("letter", text),))
    (citation,) = resolve_claim([parse(data)], [field])
    return citation


def test_a_citation_of_a_page_that_does_not_hold_says_so():
    citation = cited(stamped("VOID", 40), "visit 1 was charged at 114.50", 114.5)
    assert citation.status is CitationStatus.FLAGGED
    assert citation.confidence <= 0.5
    assert "marked_void" in citation.warnings


def test_a_citation_of_a_page_with_other_large_words_names_them_and_stays():
    citation = cited(stamped("REFUND", 40), "visit 1 was charged at 114.50", 114.5)
    assert citation.status is CitationStatus.RESOLVED
    assert citation.warnings == ("printed_across",)


def test_a_citation_of_a_figure_that_is_not_sure_is_no_surer_than_that():
    citation = cited(HALF_PAINTED_OVER, "Settlement amount 99,999.99 dollars", 99999.99)
    assert (citation.status, citation.confidence <= 0.5) == (CitationStatus.FLAGGED, True)
    assert "unsure_words" in citation.warnings
    beside = cited(HALF_PAINTED_OVER, "Line number 3 of the report is plain print", 3)
    assert (beside.status, beside.warnings) == (CitationStatus.RESOLVED, ())
