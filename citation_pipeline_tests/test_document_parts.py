"""One file that is many documents: where each begins, what it is, and that one document stays one."""

from citation_pipeline.core.documents.parts import find_document_parts
from citation_pipeline_tests.drawn_pdfs import parse_drawn

LONG = (
    "The applicant was examined at length and described the events of the day as before. ",
    "Range of motion of the shoulder was measured with a goniometer three times each. ",
    "There is tenderness over the acromioclavicular joint and the biceps tendon. ",
)


def report(number, count, name="Orthopaedic Evaluation"):
    def page(sheet):
        if number == 1:
            sheet.bold(60, 60, name, size=16)
            sheet.text(60, 90, "Date of report: 03/14/2023")
        for row in range(40):
            sheet.text(60, 120 + 15 * row, LONG[row % 3])
        sheet.text(270, 780, f"Page {number} of {count}", size=8)

    return page


def letter(sheet):
    sheet.bold(60, 50, "Northern Lakes Adjusters", size=14)
    sheet.text(60, 90, "April 2, 2023", size=11)
    sheet.text(60, 120, "Dear Ms. Quintanar,", size=11)
    sheet.text(60, 140, "Enclosed please find payment for temporary disability benefits.", size=11)
    sheet.text(60, 180, "Sincerely,", size=11)
    sheet.text(60, 220, "Theo Marchetti, Claims Examiner", size=11)


def ledger(sheet):
    sheet.bold(40, 40, "PAYMENT HISTORY", size=12)
    for row in range(30):
        for column, text in enumerate((f"10004{row}", "03/14/2023", "TD", "$586.67")):
            sheet.text(40 + 130 * column, 80 + 14 * row, text, size=8)


def pages_of(parts):
    return [(part.first_page, part.last_page) for part in parts]


def test_each_document_of_a_bundle_has_its_pages_title_and_date():
    parts = find_document_parts(
        parse_drawn(report(1, 3), report(2, 3), report(3, 3), letter, ledger, report(1, 2), report(2, 2))
    )
    assert pages_of(parts) == [(1, 3), (4, 4), (5, 5), (6, 7)]
    assert [part.title for part in parts[:3]] == [
        "Orthopaedic Evaluation",
        "Northern Lakes Adjusters",
        "PAYMENT HISTORY",
    ]
    assert parts[0].date == "2023-03-14"
    assert parts[1].date == "2023-04-02"


def test_a_report_of_several_pages_is_one_document():
    parts = find_document_parts(parse_drawn(*(report(number, 6) for number in range(1, 7))))
    assert pages_of(parts) == [(1, 6)]


def test_a_text_that_runs_on_without_page_numbers_is_one_document():
    def page(sheet):
        for row in range(48):
            sheet.text(60, 60 + 15 * row, LONG[row % 3])

    assert pages_of(find_document_parts(parse_drawn(page, page, page))) == [(1, 3)]


def test_an_empty_page_is_a_document_of_its_own_file():
    empty = parse_drawn(lambda sheet: None)
    assert len(find_document_parts(empty)) == 1
