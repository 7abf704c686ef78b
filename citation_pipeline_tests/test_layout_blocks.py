"""Blocks: their types, their reading order, forms and checkboxes, and the reading view."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.layout.forms import checkboxes_of, fields_of
from citation_pipeline.core.layout.order import reading_order
from citation_pipeline.core.layout.ticks import read_tokens
from citation_pipeline.core.retrieval.reading_view import read_view
from citation_pipeline_tests.drawn_pdfs import HEIGHT, WIDTH, blocks, contents, parse, parse_drawn
from citation_pipeline_tests.properties import few_examples

PROSE = (
    "The worker was seen on the fifth of May for a follow up of",
    "pain in the left shoulder. Symptoms have improved with the",
    "therapy but remain when reaching over head.",
)


def print_prose(sheet, x, y, lines=PROSE):
    for number, line in enumerate(lines):
        sheet.text(x, y + 13 * number, line)


def read_fields(document):
    texts = document.words.texts
    return {
        " ".join(texts[i] for i in field.label_ids): " ".join(texts[i] for i in field.value_ids)
        for field in fields_of(document)
    }


def test_a_letter_has_its_parts():
    def page(sheet):
        sheet.bold(60, 60, "Northern Lakes Adjusters", size=16)
        print_prose(sheet, 60, 110, ("Cara Moreno", "12 Harbor Street", "Duluth, MN 55802"))
        sheet.bold(60, 170, "Claim number:")
        sheet.text(140, 170, "NL-2026-0042")
        sheet.bold(60, 184, "Date of injury:")
        sheet.text(140, 184, "05/05/2026")
        sheet.bold(60, 220, "WORK STATUS")
        print_prose(sheet, 60, 240)
        sheet.text(60, 300, "1. Continue therapy")
        sheet.text(60, 314, "2. Return in four weeks")
        path = sheet.canvas.beginPath()
        path.moveTo(60, HEIGHT - 370)
        for x in range(70, 160, 20):
            path.curveTo(x, HEIGHT - 355, x + 10, HEIGHT - 355, x + 5, HEIGHT - 372)
        sheet.canvas.drawPath(path)
        sheet.text(60, 395, "Dev Patel, Examiner")
        sheet.text(280, 780, "Page 1 of 1", size=8)

    assert blocks(parse_drawn(page)) == [
        ("Title", "Northern Lakes Adjusters"),
        ("Text", "Cara Moreno 12 Harbor Street Duluth, MN 55802"),
        ("Key Value", "Claim number: NL-2026-0042 Date of injury: 05/05/2026"),
        ("Section Header", "WORK STATUS"),
        ("Text", " ".join(PROSE)),
        ("List Item", "1. Continue therapy"),
        ("List Item", "2. Return in four weeks"),
        ("Signature", ""),
        ("Text", "Dev Patel, Examiner"),
        ("Page Number", "Page 1 of 1"),
    ]


def test_two_columns_are_read_one_after_the_other_under_a_common_heading():
    def page(sheet):
        sheet.bold(180, 60, "A study of early therapy outcomes", size=15)
        for i in range(14):
            sheet.text(60, 120 + 13 * i, f"left line {i} goes on with plain prose words")
            sheet.text(320, 120 + 13 * i, f"right line {i} goes on with other prose words")

    text = parse_drawn(page).text
    assert (
        text.index("study")
        < text.index("left line 0")
        < text.index("left line 13")
        < text.index("right line 0")
    )


def test_blocks_side_by_side_are_not_mixed():
    def page(sheet):
        print_prose(sheet, 60, 100, ("BO LINDQVIST,", "Applicant,", "vs.", "HARBOR FOODS, Defendants."))
        print_prose(sheet, 340, 100, ("Case No. ADJ1234567", "NOTICE OF HEARING", "Duluth office", "Room 4"))

    text = " ".join(parse_drawn(page).text.split())
    assert "Applicant, vs. HARBOR FOODS, Defendants." in text
    assert "Case No. ADJ1234567 NOTICE OF HEARING" in text


def test_running_lines_are_headers_and_footers_by_repetition():
    def page(number):
        def draw(sheet):
            sheet.text(60, 90, f"RE: Quist, Ada - page {number}")
            print_prose(sheet, 60, 200)
            sheet.text(60, 700, "Confidential medical record")

        return draw

    kinds = dict((text, kind) for kind, text in blocks(parse_drawn(*[page(n) for n in (1, 2, 3)])))
    assert kinds["RE: Quist, Ada - page 2"] == "Header"
    assert kinds["Confidential medical record"] == "Footer"


def boxed(sheet):
    sheet.box(60, 100, 240, 36)
    sheet.box(300, 100, 240, 36)
    sheet.box(60, 136, 480, 36)
    sheet.text(64, 109, "1. NAME OF EMPLOYEE", size=6)
    sheet.text(66, 126, "Ada Quist")
    sheet.text(304, 109, "2. DATE OF BIRTH", size=6)
    sheet.text(306, 126, "03/14/1980")
    sheet.text(64, 145, "3. UNABLE TO WORK?", size=6)
    sheet.text(66, 162, "[X] Yes  [ ] No")


def test_boxes_with_labels_above_are_fields():
    document = parse_drawn(boxed)
    assert contents(document, "Key Value") == [
        "1. NAME OF EMPLOYEE\tAda Quist",
        "2. DATE OF BIRTH\t03/14/1980",
        "3. UNABLE TO WORK?\t[x] Yes [ ] No",
    ]
    assert read_fields(document)["2. DATE OF BIRTH"] == "03/14/1980"


def test_labels_left_of_values_are_fields_with_colons_leaders_or_columns():
    def page(sheet):
        for y, label, value in (
            (100, "Report date ..........", "12/15/2025"),
            (114, "Examiner ..............", "Dev Patel"),
            (128, "Place of injury", "Shipping dock"),
            (142, "Injury type ............", "Specific"),
        ):
            sheet.text(60, y, label)
            sheet.text(170, y, value)
        sheet.bold(60, 200, "Restrictions:")
        sheet.text(130, 200, "No lifting over twenty pounds, no climbing")
        sheet.text(130, 213, "and no work over head")

    fields = read_fields(parse_drawn(page))
    assert fields["Place of injury"] == "Shipping dock"
    assert fields["Report date .........."] == "12/15/2025"
    assert fields["Restrictions:"] == "No lifting over twenty pounds, no climbing and no work over head"


@pytest.mark.parametrize("kind", ["brackets", "drawn", "x in a box"])
def test_checkboxes_have_one_notation_and_words_stay_as_printed(kind):
    def page(sheet):
        for y, text, checked in ((100, "Remain off work", False), (116, "Modified duty", True)):
            if kind == "brackets":
                sheet.text(60, y, "[X]" if checked else "[ ]")
            else:
                sheet.box(60, y - 8, 9, 9)
            if checked and kind == "drawn":
                sheet.line(61, y - 7, 68, y)
                sheet.line(61, y, 68, y - 7)
            if checked and kind == "x in a box":
                sheet.text(61.5, y - 0.5, "X", size=9)
            sheet.text(76, y, text)

    document = parse_drawn(page)
    assert [block.content for block in document.blocks] == ["[ ] Remain off work", "[x] Modified duty"]
    boxes = list(checkboxes_of(document))
    assert [box.checked for box in boxes] == [False, True]
    assert [" ".join(document.words.texts[i] for i in box.label_ids) for box in boxes] == [
        "Remain off work",
        "Modified duty",
    ]
    assert "[x]" not in document.words.texts


def test_a_figure_beside_another_label_does_not_go_on_with_the_value_above():
    def page(sheet):
        for row, (label, at, value) in enumerate(
            [
                ("Mooring", 300, "310.00"),
                ("Cleaning", 300, "(95.00)"),
                ("Diesel", 300, "640.20"),
                ("Repairs", 300, "120.00"),
                ("Rebate", 290, "( 77.00"),
            ]
        ):
            sheet.text(60, 100 + 15 * row, label)
            sheet.text(at, 100 + 15 * row, value)

    (content,) = contents(parse_drawn(page), "Key Value")
    assert content.splitlines()[-1] == "Repairs\t120.00"


def test_the_text_is_the_words_and_offsets_find_them():
    document = parse_drawn(boxed, lambda sheet: print_prose(sheet, 60, 100))
    for i, text in enumerate(document.words.texts):
        assert document.text[document.words.text_start[i] : document.words.text_end[i]] == text
    for block in document.blocks:
        assert np.all(document.words.block[block.word_start : block.word_end] == block.block_id)


def test_the_reading_view_numbers_lines_tokens_and_words():
    document = parse_drawn(
        lambda sheet: print_prose(sheet, 60, 100, ("Ada Quist", "was seen")),
        lambda sheet: sheet.text(60, 100, "second page"),
    )
    assert read_view(document).text_with_words == (
        "0\t[0:0]Ada [1:1]Quist\n1\t[2:2]was [3:3]seen\n2\t[4:4]second [5:5]page"
    )
    assert read_view(document, pages={2}).text_with_words == "2\t[0:4]second [1:5]page"


edges = st.tuples(st.floats(0, 500), st.floats(0, 700), st.floats(1, 200), st.floats(1, 200)).map(
    lambda t: (t[0], t[1], t[0] + t[2], t[1] + t[3])
)


@few_examples(0.4)
@given(st.lists(edges, max_size=25))
def test_reading_order_loses_and_repeats_nothing(parts):
    assert sorted(reading_order(parts)) == list(range(len(parts)))


@few_examples(0.12)
@given(
    st.lists(
        st.tuples(
            st.integers(0, WIDTH),
            st.integers(0, HEIGHT),
            st.sampled_from(["a:", "1.", "[ ]", "word", "9.50"]),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_whatever_is_scattered_over_a_page_comes_back_once(places):
    document = parse_drawn(lambda sheet: [sheet.text(*place) for place in places] and None)
    assert document.text.split() == [part for text in document.words.texts for part in text.split()]
    assert all(block.word_end >= block.word_start for block in document.blocks)


def test_printed_units_of_the_claims_stand_together(claims):
    for claim in sorted(claims.glob("claim_*")):
        units_stand_together(claim)


def test_printed_units_of_the_sample_claim_stand_together(project):
    units_stand_together(project / "data" / "samples" / "sample_claim")


def units_stand_together(claim):
    """Form cells, labels with values, rows: what a person would quote is a run of words in one block."""
    truth = json.loads((claim / "truth.json").read_text(encoding="utf-8"))
    whole = together = 0
    documents = {}
    for field in truth["fields"].values():
        for citation in field["citations"]:
            if citation["scanned"] or citation["layout"] not in ("kv", "form", "table", "checkbox"):
                continue
            name = citation["file"]
            if name not in documents:
                documents[name] = parse((claim / "documents" / name).read_bytes())
            document = documents[name]
            ids = words_in(document, citation["page"], citation["boxes"])
            whole += 1
            blocks_hit = {int(document.words.block[i]) for i in ids}
            together += bool(ids) and len(blocks_hit) == 1
    assert whole > 50, claim.name
    assert together >= 0.97 * whole, claim.name


def words_in(document, page, boxes):
    left, top, width, height = document.words.boxes.T
    x, y = left + width / 2, top + height / 2
    inside = np.zeros(len(document.words), np.bool_)
    for box in boxes:
        inside |= (
            (document.words.page == page)
            & (x >= box["left"])
            & (x <= box["left"] + box["width"])
            & (y >= box["top"])
            & (y <= box["top"] + box["height"])
        )
    return np.flatnonzero(inside).tolist()


@given(st.lists(st.sampled_from(["[", "]", "(", ")", "[(", "[x]", "☐", "word", ""]), max_size=8))
def test_boxes_of_any_brackets_are_read_without_losing_words(texts):
    tokens = read_tokens(texts, [-1] * len(texts))
    assert len(tokens) + sum(token == "[ ]" for token in tokens) == len(texts)
