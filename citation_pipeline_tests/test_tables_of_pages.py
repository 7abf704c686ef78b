"""Tables: ruled, half ruled and not ruled, with merged cells, over pages; their cells know their words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfbase.pdfmetrics import stringWidth

from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.layout.tables import CellDraft, tables_of, write_html
from citation_pipeline_tests.drawn_pdfs import Sheet, contents, parse, parse_drawn, source
from citation_pipeline_tests.properties import few_examples

STOPS = (60, 160, 300, 420, 540)
ROWS = [("Date", "Payee", "Coverage", "Amount")] + [
    (f"0{i}/14/2025", f"Payee {i} and Sons", "Medical", f"{i},120.{i}0") for i in range(1, 7)
]


def print_rows(sheet: Sheet, rows=ROWS, *, top: float = 120, step: float = 18) -> None:
    for number, row in enumerate(rows):
        for x, text in zip(STOPS, row, strict=False):
            (sheet.bold if number == 0 else sheet.text)(x + 4, top + step * (number + 0.7), text)


def rule(sheet: Sheet, rows: int, *, verticals: bool = True, top: float = 120, step: float = 18) -> None:
    for number in range(rows + 1):
        sheet.line(STOPS[0], top + step * number, STOPS[-1], top + step * number)
    for x in STOPS if verticals else ():
        sheet.line(x, top, x, top + step * rows)


def grid(document, number: int = 0) -> list[list[str]]:
    table = list(tables_of(document))[number]
    return [[cell.text for cell in table.row(row)] for row in range(table.rows)]


@pytest.mark.parametrize("ruled", ["full", "rows", "head", "none"])
def test_rows_and_columns_come_back_however_much_is_ruled(ruled):
    def page(sheet):
        print_rows(sheet)
        if ruled in ("full", "rows"):
            rule(sheet, len(ROWS), verticals=ruled == "full")
        elif ruled == "head":
            sheet.line(STOPS[0], 138, STOPS[-1], 138)

    document = parse_drawn(page)
    assert grid(document) == [list(row) for row in ROWS]
    assert list(tables_of(document))[0].header == ROWS[0]


def test_codes_set_close_behind_right_aligned_amounts_are_a_column_of_their_own():
    rows = [("1,250.00", "G1"), ("88.10", "PR-3"), ("12,400.75", "B4"), ("640.00", "G1")]

    def page(sheet):
        for x, text in ((60, "Service"), (240, "Billed"), (300, "Paid"), (338, "Reason")):
            sheet.bold(x, 120, text)
        for number, (paid, code) in enumerate(rows, start=1):
            y = 120 + 16 * number
            sheet.text(60, y, f"Visit {number}")
            sheet.text(240, y, f"{number}10.00")
            sheet.text(330 - stringWidth(paid, "Helvetica", 10), y, paid)
            sheet.text(338, y, code)

    found = grid(parse_drawn(page))
    assert [row[-2:] for row in found[1:]] == [list(row) for row in rows]


def test_rows_in_one_box_are_rows_though_only_some_have_a_remark():
    rows = [("01/05/2025", "310.00", "14", ""), ("02/07/2025", "1,200.00", "7", "Layoff")]
    rows += [("03/02/2025", "88.50", "3", ""), ("04/11/2025", "940.00", "21", "Holiday pay")]

    def page(sheet):
        for y in (120, 138, 138 + 14 * len(rows)):
            sheet.line(60, y, 540, y)
        for x in STOPS:
            sheet.line(x, 120, x, 138 + 14 * len(rows))
        for x, text in zip(STOPS, ("Period", "Wages", "Days", "Remarks"), strict=False):
            sheet.bold(x + 4, 133, text)
        for number, row in enumerate(rows):
            for x, text in zip(STOPS, row, strict=False):
                sheet.text(x + 4, 149 + 14 * number, text)

    assert grid(parse_drawn(page))[1:] == [list(row) for row in rows]


def test_cells_that_wrap_beside_centred_ones_stay_in_their_columns():
    rows = [
        ("Tramadol", ("Denied: not related to the industrial", "injury"), "Mill Creek LLC", "03/10/2023"),
        ("Gabapentin", ("Take one tablet by mouth twice daily", "with food"), "P. Anand", "09/24/2024"),
        ("Ibuprofen", ("Two units",), "Bayside Inc", "11/17/2024"),
        ("Lidocaine", ("Denied: not related to the industrial", "injury"), "Bayside Inc", "03/17/2023"),
    ]

    def page(sheet):
        for x, text in ((60, "Medication"), (160, "Directions"), (360, "Prescriber"), (460, "Filled")):
            sheet.bold(x, 120, text)
        sheet.line(56, 124, 540, 124)
        for number, (name, notes, prescriber, filled) in enumerate(rows):
            y = 142 + 34 * number
            for x, text in ((60, name), (360, prescriber), (460, filled)):
                sheet.text(x, y, text)
            for at, text in enumerate(notes):
                sheet.text(160, y + 12 * at - 6 * (len(notes) - 1), text)
            sheet.line(56, y + 14, 540, y + 14)

    assert grid(parse_drawn(page))[1:] == [[a, " ".join(b), c, d] for a, b, c, d in rows]


def test_an_amount_in_a_sentence_is_not_cut_from_what_follows():
    def page(sheet):
        for number, year in enumerate((2021, 2022, 2023, 2024)):
            y = 120 + 16 * number
            sheet.text(60, y, f"Year {year}")
            sheet.text(200, y, f"{number}00")
            sheet.text(300, y, "1,250.00 per week")

    assert [row[-1] for row in grid(parse_drawn(page))] == ["1,250.00 per week"] * 4


def test_merged_cells_have_their_spans():
    def page(sheet):
        rule(sheet, 0)
        for y in (120, 138, 156, 174, 192):
            sheet.line(60 if y != 174 else 160, y, 540, y)
        for x in STOPS:
            sheet.line(x, 120 if x in (60, 160, 300, 540) else 138, x, 192)
        for x, y, text in (
            *((64, 132, "Coverage"), (164, 132, "Period"), (380, 132, "Paid")),
            *((64, 150, "Kind"), (164, 150, "Weeks"), (304, 150, "Rate"), (424, 150, "Total")),
            *((64, 174, "Indemnity"), (164, 168, "4"), (304, 168, "310.00"), (424, 168, "1,240.00")),
            *((164, 186, "6"), (304, 186, "310.00"), (424, 186, "1,860.00")),
        ):
            sheet.text(x, y, text)

    cells = {cell.text: cell for cell in list(tables_of(parse_drawn(page)))[0].cells}
    assert (cells["Paid"].column, cells["Paid"].colspan) == (2, 2)
    assert (cells["Indemnity"].row, cells["Indemnity"].rowspan) == (2, 2)
    assert (cells["1,860.00"].row, cells["1,860.00"].column) == (3, 3)


def test_wrapped_cells_stay_one_row_and_blank_cells_stay():
    rows = [
        ("Date", "Service", "Units", "Charge"),
        ("01/05/2026", "Therapeutic exercise and", "2", "84.00"),
        ("", "manual techniques", "", ""),
        ("01/09/2026", "Office visit", "", "140.00"),
    ]

    def page(sheet):
        for number, (row, y) in enumerate(zip(rows, (132, 150, 162, 180), strict=True)):
            for x, text in zip(STOPS, row, strict=False):
                (sheet.bold if number == 0 else sheet.text)(x + 4, y, text)
        for y in (120, 138, 168, 186):
            sheet.line(60, y, 540, y)

    assert grid(parse_drawn(page)) == [
        ["Date", "Service", "Units", "Charge"],
        ["01/05/2026", "Therapeutic exercise and manual techniques", "2", "84.00"],
        ["01/09/2026", "Office visit", "", "140.00"],
    ]


def test_a_table_over_two_pages_is_linked_and_keeps_its_header():
    def first(sheet):
        print_rows(sheet)
        rule(sheet, len(ROWS))

    def second(sheet):
        print_rows(sheet, [("", "", "", ""), *ROWS[1:]], top=40)
        rule(sheet, len(ROWS) - 1, top=58)

    before, after = tables_of(parse_drawn(first, second))
    assert before.continues is None
    assert after.continues == before.block_id
    assert after.page == 2
    assert after.header == ROWS[0]


def test_cells_know_their_words_and_a_stored_block_gives_the_table_back():
    def page(sheet):
        sheet.text(60, 80, "Payments to date are listed below in full.")
        print_rows(sheet)
        rule(sheet, len(ROWS))

    document = parse_drawn(page)
    table = list(tables_of(document))[0]
    for cell in table.cells:
        assert " ".join(document.words.texts[i] for i in cell.word_ids) == cell.text
        assert cell.box is not None
    ids = [i for cell in table.cells for i in cell.word_ids]
    block = document.blocks[table.block_id]
    assert ids == list(range(block.word_start, block.word_end))


def test_a_row_is_one_line_of_words():
    def page(sheet):
        print_rows(sheet)
        rule(sheet, len(ROWS))

    document = parse_drawn(page)
    assert document.blocks[0].text.split("\n")[1] == "01/14/2025 Payee 1 and Sons Medical 1,120.10"


def test_prose_in_columns_lists_and_labels_are_no_tables():
    def page(sheet):
        for i in range(12):
            sheet.text(60, 80 + 13 * i, "the left column holds a line of plain prose")
            sheet.text(320, 80 + 13 * i, "and the right column holds another of them")
        for i in range(5):
            sheet.text(60, 300 + 14 * i, f"{i + 1}.")
            sheet.text(90, 300 + 14 * i, "an item of a list that says one thing")
            sheet.text(60, 420 + 14 * i, f"Label {i}:")
            sheet.text(200, 420 + 14 * i, f"value {i}")

    assert contents(parse_drawn(page), "Table") == []


def test_a_chart_is_a_figure_and_not_a_table():
    def page(sheet):
        for i in range(6):
            sheet.text(60, 200 + 30 * i, f"{500 - 100 * i}")
            sheet.text(100 + 60 * i, 380, f"Jan-{i:02}")
        sheet.line(95, 190, 95, 365)
        sheet.line(95, 365, 430, 365)
        for i in range(8):
            rise = 20 * (i % 3)
            sheet.canvas.line(100 + 40 * i, 560 - rise, 140 + 40 * i, 560 - 20 * ((i + 1) % 3) - 3)

    document = parse_drawn(page)
    assert contents(document, "Table") == []
    assert "Figure" in [block.type for block in document.blocks]


@few_examples(0.25)
@given(
    st.lists(
        st.lists(st.text("ab<>&\"' [](x)", max_size=8), min_size=1, max_size=4).filter(any),
        min_size=1,
        max_size=5,
    )
)
def test_any_text_survives_the_html(rows):
    texts = [[" ".join(text.split()) for text in row] for row in rows]
    cells = [CellDraft(r, c, 1, 1, text) for r, row in enumerate(texts) for c, text in enumerate(row)]
    from citation_pipeline.core.boxes import Box

    place = Box(0.1, 0.1, 0.1, 0.1)
    words = [(word, place) for row in texts for text in row for word in text.split()]
    document = compose_document(
        source(),
        pages=[PageDraft(600, 800)],
        blocks=[BlockDraft(1, "Table", [words], box=place, content=write_html(cells))],
        parser="test",
        parser_version="1",
    )
    table = list(tables_of(document))
    if not any("[ ]" in text for row in texts for text in row):  # a drawn box reads so, and is no word
        assert [[cell.text for cell in table[0].row(r)] for r in range(len(texts))] == texts


def test_competition_tables_keep_their_adjacency(shared, monkeypatch, project: Path):
    monkeypatch.syspath_prepend(str(project / "benchmarks"))
    from parsing_tables import f1, score, truth_tables

    for name in ("eu-001", "eu-002", "eu-016", "eu-024"):
        file = shared / "corpus" / "tables" / f"{name}.pdf"
        found = [
            [(c.row, c.column, c.rowspan, c.colspan, c.text) for c in table.cells]
            for table in tables_of(parse(file.read_bytes()))
        ]
        assert f1(*score(truth_tables(file.with_name(f"{name}-str.xml")), found)) > 0.9, name
