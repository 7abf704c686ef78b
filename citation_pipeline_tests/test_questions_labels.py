"""A question in the words of a printed label is answered by its value, whether or not a field was read."""

from collections.abc import Mapping

import pytest

from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.adapters.schema_files import load_schema, read_phrasings
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.retrieval.answering import NOT_FOUND, Answer, answer_from
from citation_pipeline.core.retrieval.candidates import KeptFields, find_candidates
from citation_pipeline.core.retrieval.confidence import answer_model
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.statements.reading import read_statements
from citation_pipeline.core.retrieval.statements.statement import order_by_date
from citation_pipeline_tests.drawn_pdfs import Sheet, draw, parse_drawn, source

PHRASINGS = read_phrasings(load_schema("workers_comp"))
FORM = (
    ("Employee name", "Maria Lopez"),
    ("Date of birth", "03/14/1980"),
    ("Social Security number", "xxx-xx-4471"),
    ("Employer name", "Harbor Lantern Bakery"),
    ("Employer telephone", "510 555 0142"),
    ("Average weekly wage", "$812.40"),
    ("Marital status", "divorced"),
    ("Department", "Night packing"),
    ("Witness", "Olga Brandt"),
)


def form(values: Mapping[str, str] | None = None, *, title: str = "EMPLOYEE DATA SHEET") -> ParsedDocument:
    """Return a form as a parser reads it, label and value on one line."""

    def page(sheet: Sheet) -> None:
        sheet.bold(60, 60, title, size=14)
        for number, (label, value) in enumerate(FORM):
            sheet.text(60, 100 + 20 * number, f"{label}:")
            sheet.text(220, 100 + 20 * number, (values or {}).get(label, value))
        sheet.text(60, 330, "The sheet was filled in at the plant and sent to the office by mail.")
        sheet.text(60, 350, "Nobody at the office has changed anything in it since that day.")

    data = draw(page)
    return parse_pdf(source(data, name=title.lower().replace(" ", "-")), data)


def stacked(sheet: Sheet) -> None:
    """Draw boxes with a label in small print over each value, three in a row."""
    rows = (
        (("Examiner", "Olga Brandt"), ("Team lead", "Piet Verhagen"), ("Office", "Duluth")),
        (("Last review", "March 3, 2025"), ("Next diary", "04/20/2025"), ("File", "NL-2026-0042")),
    )
    sheet.bold(60, 60, "REVIEW SHEET", size=14)
    for down, row in enumerate(rows):
        for across, (label, value) in enumerate(row):
            sheet.box(60 + 160 * across, 100 + 34 * down, 160, 34)
            sheet.text(64 + 160 * across, 110 + 34 * down, label, size=7)
            sheet.text(64 + 160 * across, 126 + 34 * down, value, size=10)


def asked(text: str, *documents: ParsedDocument, dates: Mapping[str, str] | None = None) -> Answer:
    model = answer_model()
    statements = [s for document in documents for s in read_statements(document)]
    candidates = find_candidates(
        read_question(text), order_by_date(statements, dates or {}), KeptFields(), PHRASINGS, model.ranking
    )
    return answer_from(candidates, model)


def pairs(document: ParsedDocument) -> set[tuple[str, str]]:
    return {(s.label, s.text) for s in read_statements(document) if s.kind == "pair"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the employee name?", "Maria Lopez"),
        ("Employee's name?", "Maria Lopez"),
        ("What is the worker's DOB?", "03/14/1980"),
        ("SSN?", "xxx-xx-4471"),
        ("What is the AWW?", "$812.40"),
        ("Who is the employer?", "Harbor Lantern Bakery"),
        ("Which marital status is given?", "divorced"),
        ("Department?", "Night packing"),
        ("Who was the witness?", "Olga Brandt"),
    ],
)
def test_a_question_in_the_words_of_a_label_gets_the_value_beside_it(question: str, expected: str) -> None:
    answer = asked(question, form())
    assert (answer.is_found, answer.text) == (True, expected)
    assert answer.support[0].statement.page == 1


def test_an_unmistakable_label_is_answered_with_certainty() -> None:
    assert asked("What is the employee name?", form()).confidence >= 0.8


@pytest.mark.parametrize(
    "question",
    [
        "What is the employee's telephone number?",
        "What is the name of the employee's physician?",
        "What is the supervisor's name?",
        "What is the spouse's date of birth?",
    ],
)
def test_a_label_of_something_else_is_a_near_miss(question: str) -> None:
    answer = asked(question, form())
    assert answer.text == NOT_FOUND


def test_the_latest_print_of_a_label_answers_and_the_other_is_shown() -> None:
    older = form({"Department": "Night packing"}, title="FIRST DATA SHEET")
    newer = form({"Department": "Label station"}, title="SECOND DATA SHEET")
    dates = {older.source.source_id: "2024-01-05", newer.source.source_id: "2025-06-05"}
    answer = asked("Which department?", older, newer, dates=dates)
    assert answer.text == "Label station"
    assert "Night packing" in [miss.statement.text for miss in answer.misses]


def test_prints_of_one_day_that_differ_are_no_certain_answer() -> None:
    one = form({"Department": "Night packing"}, title="FIRST DATA SHEET")
    other = form({"Department": "Label station"}, title="SECOND DATA SHEET")
    answer = asked("Which department?", one, other)
    assert answer.confidence < 0.8
    assert answer.state in ("conflicting", "absent")


def test_boxes_side_by_side_keep_their_own_values() -> None:
    found = pairs(parse_drawn(stacked))
    assert {("Examiner", "Olga Brandt"), ("Team lead", "Piet Verhagen")} <= found
    assert ("Next diary", "04/20/2025") in found
    assert ("Examiner", "Team lead") not in found
    assert ("Olga Brandt", "Piet Verhagen") not in found


def test_a_cell_of_a_table_is_labelled_by_its_row_and_its_column() -> None:
    rows = (
        ("", "Paid", "Reserved", "Incurred"),
        ("Medical", "1,200.00", "800.00", "2,000.00"),
        ("Indemnity", "3,000.00", "500.00", "3,500.00"),
    )

    def page(sheet: Sheet) -> None:
        for down, row in enumerate(rows):
            for across, text in enumerate(row):
                sheet.box(60 + 120 * across, 100 + 20 * down, 120, 20)
                sheet.text(66 + 120 * across, 114 + 20 * down, text)

    document = parse_drawn(page)
    cells = {(s.label, s.text) for s in read_statements(document) if s.kind == "cell"}
    assert ("Medical Reserved", "800.00") in cells
    assert asked("How much is reserved for medical?", document).text == "800.00"


def test_a_newer_print_under_a_longer_label_takes_the_certainty_from_an_older_one() -> None:
    older = form({"Department": "Night packing"}, title="FIRST DATA SHEET")

    def page(sheet: Sheet) -> None:
        sheet.bold(60, 60, "NOTICE OF CHANGE", size=14)
        sheet.text(60, 100, "Department as changed:")
        sheet.text(220, 100, "Label station")
        sheet.text(60, 140, "The change was made at the wish of the worker and is for good.")

    data = draw(page)
    newer = parse_pdf(source(data, name="notice"), data)
    answer = asked(
        "Which department?",
        older,
        newer,
        dates={older.source.source_id: "2024-01-05", "notice": "2025-06-05"},
    )
    assert answer.text == "Label station" or answer.confidence < 0.8
