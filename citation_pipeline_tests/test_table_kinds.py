"""Tables as offices print them: leader dots, wrapped and stacked names, rows in one box, long ledgers."""

import pytest

from citation_pipeline.core.layout.tables import tables_of
from citation_pipeline.core.published.markdown import markdown_of
from citation_pipeline_tests.drawn_pdfs import Sheet, parse, parse_drawn

AMOUNTS = [
    ("Wages", "1,200", "84"),
    ("Medical care", "640", "12"),
    ("Legal fees", "95", "7"),
    ("Travel", "31", "2"),
]


def grid(document, number: int = 0) -> list[list[str]]:
    table = list(tables_of(document))[number]
    return [[cell.text for cell in table.row(row)] for row in range(table.rows)]


def right(sheet: Sheet, x: float, y: float, text: str) -> None:
    sheet.text(x - 5.56 * len(text.replace(",", "")), y, text)


@pytest.mark.parametrize("dots", [".", " .", "…"], ids=["close", "spaced", "ellipses"])
@pytest.mark.parametrize("gap", ["", " "], ids=["glued", "apart"])
def test_leader_dots_part_columns_and_are_no_text(dots, gap):
    def page(sheet):
        sheet.text(60, 100, "Kind")
        sheet.text(330, 100, "Paid")
        sheet.text(430, 100, "Cases")
        for number, (name, paid, cases) in enumerate(AMOUNTS):
            y = 118 + 15 * number
            step = sheet.canvas.stringWidth(dots, "Helvetica", 10)
            start = 60 + sheet.canvas.stringWidth(name + gap, "Helvetica", 10)
            sheet.text(60, y, name + gap + dots * int((300 - start) / step))
            right(sheet, 350, y, paid)
            right(sheet, 450, y, cases)

    document = parse_drawn(page)
    assert grid(document) == [["Kind", "Paid", "Cases"], *(list(row) for row in AMOUNTS)]
    table = next(tables_of(document))
    assert all(document.words.texts[i].strip(".…") for cell in table.cells for i in cell.word_ids)
    assert sum(len(cell.word_ids) for cell in table.cells) < len(document.words)


def test_a_value_right_behind_its_leader_is_a_word_of_its_own():
    document = parse_drawn(lambda sheet: sheet.text(60, 100, "Balance..........1,234.56"))
    assert list(document.words.texts) == ["Balance", "..........", "1,234.56"]


def test_a_table_of_contents_is_no_table():
    def page(sheet):
        for number, (name, at) in enumerate(
            (("History", 2), ("Findings", 5), ("Opinion", 9), ("Records", 14))
        ):
            sheet.text(60, 100 + 15 * number, f"{name} {'.' * 60} {at}")

    assert not list(tables_of(parse_drawn(page)))


def test_a_currency_sign_set_apart_belongs_to_its_amount():
    def page(sheet):
        sheet.text(300, 100, "2025")
        sheet.text(400, 100, "2026")
        for number, (name, *values) in enumerate(
            (("Income", "900.10", "12.00"), ("Rent", "75.20", "80.00"), ("Tax", "5.00", "6.50"))
        ):
            y = 115 + 14 * number
            sheet.text(60, y, name)
            for x, value in zip((280, 380), values, strict=True):
                if number != 1:
                    sheet.text(x, y, "$")
                right(sheet, x + 60, y, value)

    assert grid(parse_drawn(page))[1:] == [
        ["Income", "$ 900.10", "$ 12.00"],
        ["Rent", "75.20", "80.00"],
        ["Tax", "$ 5.00", "$ 6.50"],
    ]


def test_names_that_wrap_are_one_name_and_names_of_groups_span_their_columns():
    def page(sheet):
        sheet.text(235, 92, "Reported by employer")
        sheet.line(215, 96, 350, 96)
        sheet.text(425, 92, "Paid")
        sheet.line(380, 96, 500, 96)
        for x, first, second in (
            (220, "Number", "of cases"),
            (300, "Average", "days"),
            (385, "Total", "paid"),
            (455, "Rate", ""),
        ):
            sheet.text(x, 108, first)
            sheet.text(x, 119, second)
        sheet.text(60, 119, "District")
        sheet.line(60, 124, 510, 124)
        for number, name in enumerate(("North", "Harbor", "Valley", "Coast")):
            y = 138 + 14 * number
            sheet.text(60, y, name)
            for x in (250, 330, 415, 480):
                right(sheet, x, y, str(100 + x + number))

    table = next(tables_of(parse_drawn(page)))
    spans = {cell.text: (cell.column, cell.colspan) for cell in table.cells if cell.is_header and cell.text}
    assert spans["Reported by employer"] == (1, 2)
    assert spans["Paid"] == (3, 2)
    assert table.header == (
        "District",
        "Reported by employer Number of cases",
        "Reported by employer Average days",
        "Paid Total paid",
        "Paid Rate",
    )


def _boxed(sheet: Sheet, rows: list[tuple[str, ...]], stops=(60, 260, 340, 420)) -> None:
    for y in (90, 110, 116 + 14 * len(rows)):
        sheet.line(stops[0], y, stops[-1], y)
    for x in stops:
        sheet.line(x, 90, x, 116 + 14 * len(rows))
    for x, name in zip(stops, ("Kind", "Paid", "Cases"), strict=False):
        sheet.text(x + 4, 104, name)
    for number, row in enumerate(rows):
        for x, text in zip(stops, row, strict=False):
            sheet.text(x + 4, 124 + 14 * number, text)


def test_rows_that_share_one_ruled_box_are_rows():
    rows = [("Group one:", "", ""), *AMOUNTS[:2], ("Group two:", "", ""), *AMOUNTS[2:]]
    document = parse_drawn(lambda sheet: _boxed(sheet, rows))
    assert grid(document) == [["Kind", "Paid", "Cases"], *(list(row) for row in rows)]


def test_texts_that_wrap_side_by_side_in_one_ruled_row_are_one_row():
    rows = [
        ("Reclassified from the fair value", "Available for", "Held until"),
        ("of the assets through profit", "sale to loans", "maturity of"),
        ("and loss to loans as stated", "and payables", "the claims"),
    ]
    document = parse_drawn(lambda sheet: _boxed(sheet, rows, (60, 215, 285, 352)))
    assert grid(document)[1][0] == " ".join(row[0] for row in rows)
    assert len(grid(document)) == 2


def test_figures_in_the_middle_of_their_wrapped_text_share_its_row():
    texts = [
        ("Therapy of the shoulder", "three times a week for", "four weeks"),
        ("Report of the", "orthopedic surgeon", "as requested"),
        ("Copies of records", "sent to the examiner", "by courier"),
    ]

    def page(sheet):
        for x, name in ((60, "Date"), (160, "Service"), (360, "Amount")):
            sheet.bold(x, 90, name)
        for number, lines in enumerate(texts):
            for line, text in enumerate(lines):
                sheet.text(160, 110 + 44 * number + 12 * line, text)
            sheet.text(60, 122 + 44 * number, f"0{number + 1}/14/2025")
            right(sheet, 400, 122 + 44 * number, f"{number + 1}10.00")

    assert [row[1] for row in grid(parse_drawn(page))[1:]] == [" ".join(lines) for lines in texts]


def test_tables_side_by_side_are_two():
    def page(sheet):
        for left in (60, 320):
            for x, name in ((0, "Item"), (120, "Units"), (180, "Paid")):
                sheet.text(left + x, 90, name)
            for number, (name, paid, cases) in enumerate(AMOUNTS):
                sheet.text(left, 105 + 14 * number, name)
                right(sheet, left + 145, 105 + 14 * number, cases)
                right(sheet, left + 205, 105 + 14 * number, paid)

    found = list(tables_of(parse_drawn(page)))
    assert [table.columns for table in found] == [3, 3]


def _ledger(sheet: Sheet, rows: range, *, top: float, named: bool) -> float:
    names = ("Issued", "Check", "Payee", "For", "Dates", "Amount")
    stops = (40, 100, 150, 300, 440, 530)
    y = top
    if named:
        for x, name in zip(stops, names, strict=True):
            sheet.bold(x, y, name, size=8)
        y += 15
    for number in rows:
        texts = (
            f"0{number % 9 + 1}/1{number % 9}/2025",
            str(700100 + number),
            "Signal Hill Orthopedic Associates" if number % 2 else "Bluff Park Family Pharmacy",
            "Office visit, established patient" if number % 3 else "Meloxicam 15 mg tablets",
            f"0{number % 9 + 1}/02/2025",
            f"{100 + number}.50",
        )
        for x, text in zip(stops, texts, strict=True):
            sheet.text(x, y, text, size=8)
        y += 15
    return y


def test_a_ledger_of_long_names_is_one_table_a_page_with_its_names_carried_over():
    def second(sheet):
        y = _ledger(sheet, range(30, 40), top=60, named=False)
        sheet.bold(300, y + 2, "Total paid", size=8)
        sheet.bold(530, y + 2, "5,380.00", size=8)

    document = parse_drawn(lambda sheet: _ledger(sheet, range(30), top=60, named=True), second)
    first, last = tables_of(document)
    assert (first.columns, first.rows, last.columns, last.rows) == (6, 31, 6, 11)
    assert last.continues == first.block_id
    assert last.header == ("Issued", "Check", "Payee", "For", "Dates", "Amount")
    assert (first.totals, last.totals) == ((), (10,))
    assert "**Total paid**" in markdown_of(document)


def test_a_last_row_that_is_the_sum_of_the_others_is_a_total_whatever_it_is_called():
    def page(sheet):
        rows = [
            ("Day", "Miles", "Cost"),
            ("Monday", "10", "4.50"),
            ("Tuesday", "30", "9.25"),
            ("Friday", "20", "6.25"),
            ("Week", "60", "20.00"),
        ]
        for number, row in enumerate(rows):
            for x, text in zip((60, 200, 300), row, strict=True):
                sheet.text(x, 100 + 15 * number, text)

    assert next(tables_of(parse_drawn(page))).totals == (4,)


def test_labels_with_values_above_a_table_are_not_its_rows():
    def page(sheet):
        for y, texts in (
            (60, ("Employee", "Ada Quist", "Hired", "03/04/2013")),
            (72, ("Base pay", "$27.40 an hour", "Prepared", "01/21/2025")),
        ):
            for x, text in zip((60, 150, 320, 400), texts, strict=True):
                sheet.text(x, y, text, size=9)
        for x, name in ((80, "Week"), (150, "Ending"), (250, "Hours"), (330, "Gross")):
            sheet.text(x, 98, name, size=9)
        sheet.line(60, 101, 400, 101)
        for number in range(6):
            for x, text in (
                (90, str(number + 1)),
                (150, f"0{number + 1}/17/2025"),
                (255, "40.0"),
                (330, f"1,0{number}6.00"),
            ):
                sheet.text(x, 112 + 13 * number, text, size=9)

    tables = [table for table in tables_of(parse_drawn(page)) if table.columns == 4 and table.rows > 3]
    assert [table.header for table in tables] == [("Week", "Ending", "Hours", "Gross")]
    assert tables[0].rows == 7


def test_the_sample_claims_payment_history_is_one_table_a_page(project):
    path = project / "data" / "samples" / "sample_claim" / "documents" / "PAYHIST.pdf"
    tables = [table for table in tables_of(parse(path.read_bytes())) if table.columns == 7]
    assert [table.page for table in tables] == [1, 2, 3]
    assert {table.header for table in tables} == {
        ("ISSUED", "DRAFT", "PAYEE", "FOR", "SERVICE DATES", "CD", "AMOUNT")
    }
