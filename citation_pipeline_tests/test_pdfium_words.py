"""Words of a text layer: where they end, what they say, where they stand on the page as displayed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFont

from citation_pipeline.adapters.pdfium import characters
from citation_pipeline.core.layout.characters import to_paper, to_reading
from citation_pipeline_tests.drawn_pdfs import HEIGHT, WIDTH, draw, parse, parse_drawn
from citation_pipeline_tests.properties import few_examples


def test_a_word_box_is_the_font_s_own_extent_in_the_page_frame():
    document = parse_drawn(lambda s: s.text(60, 200, "Hello brave world", size=20))
    assert list(document.words.texts) == ["Hello", "brave", "world"]
    box = document.words.box(0)
    assert box.left * WIDTH == pytest.approx(60, abs=0.05)
    assert box.width * WIDTH == pytest.approx(stringWidth("Hello", "Helvetica", 20), abs=0.05)
    assert box.bottom * HEIGHT == pytest.approx(200 + 0.207 * 20, abs=0.05)
    assert box.top * HEIGHT == pytest.approx(200 - 0.718 * 20, abs=0.05)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_follow_the_page_s_rotation(rotation):
    def page(sheet):
        sheet.canvas.setPageRotation(rotation)  # reportlab swaps the sheet, so that it shows upright
        sheet.text(60, HEIGHT - 500, "Claim")

    document = parse_drawn(page)
    box, paper = document.words.box(0), document.pages[0]
    width, height = (HEIGHT, WIDTH) if rotation in (90, 270) else (WIDTH, HEIGHT)
    # the middle of the word on the sheet, before it is turned
    x, y = 60 + stringWidth("Claim", "Helvetica", 10) / 2, height - 500 - 0.2555 * 10
    shown = {0: (x, y), 90: (height - y, x), 180: (width - x, height - y), 270: (y, width - x)}[rotation]
    assert paper.rotation == rotation
    assert (paper.width_pt, paper.height_pt) == (WIDTH, HEIGHT)
    assert (box.left + box.width / 2) * paper.width_pt == pytest.approx(shown[0], abs=0.1)
    assert (box.top + box.height / 2) * paper.height_pt == pytest.approx(shown[1], abs=0.1)


def test_text_outside_the_crop_box_is_left_out_and_the_frame_is_the_crop():
    def page(sheet):
        sheet.canvas.setCropBox((100, 100, 500, 700))
        sheet.text(10, 50, "outside")
        sheet.text(110, 210, "inside")

    document = parse_drawn(page)
    assert list(document.words.texts) == ["inside"]
    assert document.words.box(0).left * 400 == pytest.approx(10, abs=0.1)
    assert document.pages[0].width_pt == 400


def test_a_page_printed_sideways_is_read_in_its_direction():
    def page(sheet):
        sheet.canvas.translate(WIDTH, 0)
        sheet.canvas.rotate(90)
        for number, line in enumerate(("first line of the slip", "second line of the slip")):
            sheet.canvas.drawString(50, WIDTH - 100 - number * 13, line)

    assert parse_drawn(page).text == "first line of the slip\nsecond line of the slip"


def test_glyphs_struck_twice_to_look_bold_count_once():
    def page(sheet):
        for shift in (0, 0.3):
            sheet.text(60 + shift, 100, "Total paid")
        for letter, x in zip("AWW", (60, 67, 77), strict=True):
            sheet.text(x, 130, letter)
            sheet.text(x + 0.2, 130, letter)

    assert list(parse_drawn(page).words.texts) == ["Total", "paid", "AWW"]


def test_invisible_text_is_left_out():
    def page(sheet):
        sheet.text(60, 100, "seen")
        invisible = sheet.canvas.beginText(60, 600)
        invisible.setTextRenderMode(3)
        invisible.textOut("unseen")
        sheet.canvas.drawText(invisible)
        sheet.canvas.setFillAlpha(0)
        sheet.text(60, 300, "transparent")

    assert list(parse_drawn(page).words.texts) == ["seen"]


def test_white_text_is_read_only_where_something_dark_is_behind_it():
    def page(sheet):
        sheet.canvas.setFillGray(0)
        sheet.canvas.rect(50, HEIGHT - 110, 300, 20, stroke=0, fill=1)
        sheet.canvas.setFillGray(1)
        sheet.text(60, 104, "heading")
        sheet.text(60, 300, "instructions nobody sees")
        sheet.canvas.setFillGray(0)
        sheet.text(60, 400, "body")

    assert list(parse_drawn(page).words.texts) == ["heading", "body"]


def test_words_drawn_letter_by_letter_and_in_pieces_are_whole():
    def page(sheet):
        x = 60.0
        for letter in "Ledger":
            sheet.text(x, 100, letter)
            x += stringWidth(letter, "Helvetica", 10)
        sheet.text(60, 130, "assi")
        sheet.text(300, 130, "later")
        sheet.text(60 + stringWidth("assi", "Helvetica", 10), 130, "gned")

    assert set(parse_drawn(page).words.texts) == {"Ledger", "assigned", "later"}


def test_ligatures_are_spelled_out():
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    document = parse_drawn(lambda s: s.text(60, 100, "The \ufb02ight of\ufb01cer \ufb01rst", font="Vera"))
    assert list(document.words.texts) == ["The", "flight", "officer", "first"]


def test_ligatures_and_symbol_glyphs_of_an_outside_report_are_spelled_out(shared):
    file = shared / "corpus/pdfs/pdfminer__pdfminer.six/issue-00352-asw-oct96-p41.pdf"
    texts = set(parse(file.read_bytes()).words.texts)
    assert {"flight", "first", "officer", "flying"} <= texts
    assert not any(0xFB00 <= ord(c) <= 0xFB06 for text in texts for c in text)


def test_form_fields_are_words_and_their_checkboxes_have_states():
    def page(sheet):
        form = sheet.canvas.acroForm
        sheet.text(60, 100, "Employee")
        form.textfield(name="employee", value="Quintanar", x=140, y=HEIGHT - 105, width=200, height=18)
        sheet.text(90, 200, "Certified")
        form.checkbox(name="yes", checked=True, x=60, y=HEIGHT - 205, size=14)
        sheet.text(90, 240, "Denied")
        form.checkbox(name="no", checked=False, x=60, y=HEIGHT - 245, size=14)

    document = parse_drawn(page)
    assert "Quintanar" in document.words.texts
    text = "\n".join(block.content for block in document.blocks)
    assert "[x] Certified" in text
    assert "[ ] Denied" in text


def test_every_word_of_hostile_coordinates_stays_on_the_page():
    def page(sheet):
        for x in (-40, -5, 580, 700, 1e7):
            sheet.text(x, 100, "wandering")
        sheet.text(60, 5, "high")
        sheet.text(60, 799, "low")

    boxes = parse_drawn(page).words.boxes
    assert len(boxes)
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, :2] + boxes[:, 2:] <= 1 + 1e-9).all()


@few_examples(0.3)
@given(
    st.integers(0, 3),
    st.tuples(st.floats(0, 500), st.floats(0, 700), st.floats(0.1, 100), st.floats(0.1, 100)),
)
def test_turning_to_the_reading_frame_and_back_changes_nothing(turns, place):
    left, top, width, height = place
    edges = np.array([[left, top, left + width, top + height]])
    there = to_reading(edges, turns, width=WIDTH, height=HEIGHT)
    assert (there[:, 2:] > there[:, :2]).all()
    assert np.allclose(to_paper(there, turns, width=WIDTH, height=HEIGHT), edges)


def test_the_same_bytes_give_the_same_document():
    data = draw(lambda s: [s.text(60, 100 + 14 * i, f"line {i} of the note") for i in range(20)] and None)
    first, second = parse(data), parse(data)
    assert first.text == second.text
    assert np.array_equal(first.words.boxes, second.words.boxes)


def _sheet_of(stream: bytes) -> bytes:
    """A PDF of one page with one content stream, for operators that a drawing library does not write."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body = b"".join(b"%d 0 obj%b endobj\n" % numbered for numbered in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R>>"  # PDFium rebuilds the cross-reference table


@pytest.mark.parametrize(
    "matrix",
    [b"1 0 0 1 300 400", b"-1 0 0 -1 300 400", b"0 1 -1 0 300 400", b"0 -1 1 0 300 400", b"-1 0 0 1 300 400"],
)
@pytest.mark.parametrize("size", [12, -12])
def test_a_negative_font_size_reads_like_the_matrix_that_it_amounts_to(size, matrix):
    stream = b"BT /F1 %d Tf %b Tm (Total due 1,234.56 on 03/14/2025) Tj ET" % (size, matrix)

    document = parse(_sheet_of(stream))

    assert list(document.words.texts) == ["Total", "due", "1,234.56", "on", "03/14/2025"]


def test_a_page_whose_words_the_pdf_library_reads_otherwise_is_warned_of_and_read_the_better_way(monkeypatch):
    place = characters._place

    def turned_round(run, font, paper):
        found = list(place(run, font, paper))
        found[5] = (found[5] + 2) % 4  # a direction that our geometry gets wrong
        return tuple(found)

    lines = ["Total due on the invoice of March", "Please return this form with the payment"]

    def page(sheet):
        for number, line in enumerate(lines):
            sheet.text(60, 200 + 20 * number, line)

    right = parse_drawn(page)
    monkeypatch.setattr(characters, "_place", turned_round)
    doubted = parse_drawn(page)

    assert right.warnings == ()
    assert list(doubted.warnings) == ["page 1: doubtful_text_order"]
    assert sorted(doubted.words.texts) == sorted(right.words.texts) == sorted(" ".join(lines).split())
    assert {word[::-1] for word in right.words.texts}.isdisjoint(doubted.words.texts)
