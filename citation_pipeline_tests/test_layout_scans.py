"""Scanned pages: the rules and checkboxes of the picture, lines that climb, and words from a recognizer."""

import numpy as np
import pypdfium2
import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.layout.content import (
    Drawings,
    PageContent,
    PagePicture,
    words_of_boxes,
)
from citation_pipeline.core.layout.forms import checkboxes_of, fields_of
from citation_pipeline.core.layout.grids import find_grids, straighten
from citation_pipeline.core.layout.pages import lay_out
from citation_pipeline.core.layout.pictures import find_rulings
from citation_pipeline.core.layout.squares import find_squares
from citation_pipeline.core.layout.straightening import slope_of, slope_of_page, slope_of_rules
from citation_pipeline.core.layout.tables import tables_of
from citation_pipeline_tests.drawn_pdfs import HEIGHT, WIDTH, draw, parse
from citation_pipeline_tests.sample_claim import drawing
from citation_pipeline_tests.sample_claim.scanning import scan, skewed

NO_EDGES = np.zeros((0, 4))


def picture_of(*pages, dpi: float = 200) -> PagePicture:
    document = pypdfium2.PdfDocument(draw(*pages))
    bitmap = document[0].render(scale=dpi / 72, grayscale=True)
    grey = np.array(bitmap.to_numpy()).reshape(bitmap.height, bitmap.width)
    bitmap.close()
    document.close()
    return PagePicture(grey=grey, dpi=dpi, page=1, width_pt=WIDTH, height_pt=HEIGHT)


class Oracle:
    """A recognizer that knows the words of the page as drawn, and where the fax put them."""

    def __init__(self, data: bytes):
        self.words = parse(data).words

    def __call__(self, picture, *, known):
        found = []
        for text, (left, top, width, height) in zip(self.words.texts, self.words.boxes.tolist(), strict=True):
            drawn = drawing.Box(left, top, width, height, text)
            box = skewed(drawn, width=picture.width_pt, height=picture.height_pt)
            found.append((text, Box(box.left, box.top, box.width, box.height), 0.9))
        return found


def test_lines_of_a_picture_are_rules_where_they_were_drawn():
    def page(sheet):
        sheet.line(60, 100, 400, 100)
        sheet.line(200, 100, 200, 300)
        sheet.text(60, 400, "letters are no rules, however many of them")

    rules = straighten(find_rulings(picture_of(page)), NO_EDGES)
    assert rules.across == pytest.approx(np.array([[100, 60, 400]]), abs=0.8)
    assert rules.down == pytest.approx(np.array([[200, 100, 300]]), abs=0.8)


def test_a_photograph_has_no_rules():
    noise = np.random.default_rng(4).integers(0, 255, (1000, 800), dtype=np.uint8)
    picture = PagePicture(grey=noise, dpi=100, page=1, width_pt=WIDTH, height_pt=HEIGHT)
    assert find_grids(straighten(find_rulings(picture), NO_EDGES)) == []
    dark = PagePicture(grey=np.zeros((900, 700), np.uint8), dpi=100, page=1, width_pt=500, height_pt=600)
    assert all(len(grid.cells) == 1 for grid in find_grids(straighten(find_rulings(dark), NO_EDGES)))
    assert find_squares(dark) == []


def test_little_squares_are_checkboxes_and_letters_are_not():
    def page(sheet):
        for y, crossed in ((100, True), (120, False)):
            sheet.box(60, y - 8, 9, 9)
            if crossed:
                sheet.line(61, y - 7, 68, y)
                sheet.line(61, y, 68, y - 7)
            sheet.text(76, y, "Remain off work, DOB and EOB")

    ticks = sorted(find_squares(picture_of(page)), key=lambda tick: tick.edges[1])
    assert [tick.checked for tick in ticks] == [True, False]
    assert ticks[0].edges == pytest.approx((60, 92, 69, 101), abs=1.0)


@pytest.mark.parametrize("slope", [0.0, 0.012, -0.03])
def test_the_slope_of_a_scan_is_found_from_its_words(slope):
    words = [
        (
            f"word{i}",
            Box(0.1 + 0.06 * i, 0.1 + 0.02 * row + slope * 0.06 * i * WIDTH / HEIGHT, 0.05, 0.012),
            0.9,
        )
        for row in range(12)
        for i in range(12)
    ]
    found = slope_of(words_of_boxes(words, width_pt=WIDTH, height_pt=HEIGHT))
    assert found == pytest.approx(slope, abs=0.001)


def test_a_recognized_word_with_a_space_is_two_words():
    words = words_of_boxes([(" 12 34", Box(0.1, 0.1, 0.5, 0.02), 0.9)], width_pt=100, height_pt=100)
    assert words.texts == ["12", "34"]
    assert words.edges[:, [0, 2]] == pytest.approx(np.array([[10, 30], [40, 60]]))


def test_rules_that_say_nothing_of_a_slope_leave_the_page_level():
    flat = np.array([[60.0, y, 400.0, y + 0.4] for y in (100, 200, 300)])
    assert slope_of_rules(flat) == 0.0
    assert slope_of_rules(flat[:1]) is None


def test_the_rim_of_a_shade_does_not_turn_a_page_whose_words_are_level():
    words = [
        (f"word{i}", Box(0.1 + 0.06 * i, 0.1 + 0.02 * row, 0.05, 0.012), 0.9)
        for row in range(12)
        for i in range(12)
    ]
    level = words_of_boxes(words, width_pt=WIDTH, height_pt=HEIGHT)
    rim = np.array([[60.0 + 90 * i, 300 + 5.0 * i, 150.0 + 90 * i, 301 + 5.0 * i] for i in range(5)])
    assert slope_of_rules(rim) > 0.04
    assert slope_of_page(level, rim) == 0.0
    assert slope_of_page(level.chosen(np.arange(len(level)) < 3), rim) > 0.04


def typed(*lines: str, pitch: float = 7.2) -> PageContent:
    """A typewriter's page as a recognizer gives it: the boxes end at the ink of the first and last letter."""
    found = []
    for number, line in enumerate(lines):
        at = 0
        for word in line.split(" "):
            thin = [0.3 if letter in "Iil1.,:t" else 0.12 for letter in (word or " ")]
            left, right = (at + thin[0]) * pitch, (at + len(word) - thin[-1]) * pitch
            box = Box((60 + left) / WIDTH, (100 + 14 * number) / HEIGHT, (right - left) / WIDTH, 7 / HEIGHT)
            found += [(word, box, 0.95)] if word else []
            at += len(word) + 1
    return PageContent(1, WIDTH, HEIGHT, words_of_boxes(found, width_pt=WIDTH, height_pt=HEIGHT), Drawings())


def test_a_typewritten_letter_is_read_in_paragraphs():
    page = typed(
        "I will call on the mill in April and ask for the final bill, as",
        "I told them in the hall. If it is still to be paid until then I",
        "shall let them know that all of it will fall due. The tall wall",
        "at the inn is still ill built, and I will not let it stand so.",
    )
    (block,) = lay_out(page)
    assert block.type == "Text"
    assert [line[0][0] for line in block.lines] == ["I", "I", "shall", "at"]


def test_a_typewritten_list_keeps_its_columns():
    page = typed(
        "Payment     Sum        Received",
        "rental      1,250.00   Monday",
        "supplies      418.20   Friday",
        "lumber        977.45   Tuesday",
        "electrical  2,300.00   Thursday",
        "plumber       614.00   Wednesday",
    )
    (block,) = lay_out(page)
    assert block.type == "Table"
    assert "<tr><td>lumber</td><td>977.45</td><td>Tuesday</td></tr>" in block.content


def test_lines_of_a_page_that_lies_askew_are_not_mixed():
    slope = 0.035
    words = [
        (
            f"r{row}w{i}",
            Box(0.1 + 0.06 * i, 0.1 + 0.02 * row + slope * 0.06 * i * WIDTH / HEIGHT, 0.05, 0.012),
            0.9,
        )
        for row in range(10)
        for i in range(13)
    ]
    page = PageContent(1, WIDTH, HEIGHT, words_of_boxes(words, width_pt=WIDTH, height_pt=HEIGHT), Drawings())
    lines = [[text for text, _ in line] for block in lay_out(page) for line in block.lines]
    assert lines == [[f"r{row}w{i}" for i in range(13)] for row in range(10)]


def form(sheet):
    for y in (100, 136, 172):
        sheet.line(60, y, 540, y)
    for x in (60, 300, 540):
        sheet.line(x, 100, x, 172)
    for x, y, label, value in (
        (64, 109, "1. NAME OF EMPLOYEE", "Ada Quist"),
        (304, 109, "2. DATE OF BIRTH", "03/14/1980"),
        (64, 145, "3. EMPLOYER", "Harbor Foods"),
        (304, 145, "4. OCCUPATION", "Forklift operator"),
    ):
        sheet.text(x, y, label, size=6)
        sheet.text(x + 2, y + 18, value, size=11)
    for y, text, checked in ((220, "Remain off work", False), (240, "Modified duty", True)):
        sheet.box(60, y - 8, 9, 9)
        if checked:
            sheet.line(61, y - 7, 68, y)
            sheet.line(61, y, 68, y - 7)
        sheet.text(76, y, text, size=11)


def test_a_faxed_form_keeps_its_boxes_and_ticks():
    data = draw(form)
    document = parse(scan(data, seed=3), recognize_page=Oracle(data))
    texts = document.words.texts
    fields = {
        " ".join(texts[i] for i in field.label_ids): " ".join(texts[i] for i in field.value_ids)
        for field in fields_of(document)
    }
    assert fields["2. DATE OF BIRTH"] == "03/14/1980"
    assert fields["4. OCCUPATION"] == "Forklift operator"
    boxes = {" ".join(texts[i] for i in box.label_ids): box.checked for box in checkboxes_of(document)}
    assert boxes == {"Remain off work": False, "Modified duty": True}
    assert document.pages[0].words_from == "ocr"


def test_a_faxed_table_keeps_its_cells():
    rows = [("Date", "Payee", "Paid"), ("01/05/2026", "Bo Lind", "84.00"), ("01/09/2026", "Cy Orr", "140.00")]

    def page(sheet):
        for number, row in enumerate(rows):
            for x, text in zip((64, 204, 404), row, strict=True):
                sheet.text(x, 114 + 20 * number, text)
        for y in (100, 120, 140, 160):
            sheet.line(60, y, 540, y)
        for x in (60, 200, 400, 540):
            sheet.line(x, 100, x, 160)
        for number in range(8):
            sheet.text(60, 220 + 14 * number, "prose under the table that tells how the page lies")

    data = draw(page)
    document = parse(scan(data, seed=5), recognize_page=Oracle(data))
    table = list(tables_of(document))[0]
    assert [[cell.text for cell in table.row(row)] for row in range(table.rows)] == [
        list(row) for row in rows
    ]
