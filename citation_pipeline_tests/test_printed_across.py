"""Large words that run across the print of a page: a void, a copy, a draft."""

import pytest

from citation_pipeline_tests.drawn_pdfs import blocks, draw, parse


def lines_under(sheet):
    for row in range(8):
        sheet.text(60, 100 + 16 * row, f"line {row} of the notice says what was agreed upon by all of them")


@pytest.mark.parametrize(
    ("how", "matrix"), [("level", (1, 0, 0, 1, 70, 620)), ("aslant", (0.8, 0.6, -0.6, 0.8, 150, 540))]
)
def test_a_large_word_over_a_page_mixes_none_of_its_lines_and_is_warned_of(how, matrix):
    def page(sheet):
        lines_under(sheet)
        sheet.canvas.saveState()
        sheet.canvas.setFillGray(0.8)
        sheet.canvas.transform(*matrix)
        sheet.canvas.setFont("Helvetica-Bold", 110)
        sheet.canvas.drawString(0, 0, "ANNULLED"[: 4 if how == "level" else 8])
        sheet.canvas.restoreState()

    document = parse(draw(page))
    assert document.warnings == (f"page 1: {'printed_across' if how == 'level' else 'marked_void'}",)
    expected = [f"line {row} of the notice says what was agreed upon by all of them" for row in range(8)]
    assert blocks(document)[0] == ("Text", " ".join(expected))
    assert blocks(document)[1] == ("Figure", "ANNU" if how == "level" else "ANNULLED")


def test_a_headline_and_a_first_letter_over_three_lines_are_not_printed_across():
    def page(sheet):
        sheet.text(60, 80, "HARBOR NEWS", size=40)
        sheet.text(60, 124, "T", size=44)
        for row in range(8):
            sheet.text(
                95 if row < 3 else 60, 100 + 12 * row, "he ferry sails at noon, whatever the wind says"
            )

    assert parse(draw(page)).warnings == ()
