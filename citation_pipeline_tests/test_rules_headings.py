"""What a heading says of the words below it, on which day a chart was written, and what a sum became."""

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")
CHART = ["PROGRESS NOTE", "Patient: Oda Brenn    DOB: 02/03/1980    Visit: 05/06/2024"]


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def sheet(*lines):
    rows = [Line(72, 72, "RESERVE WORKSHEET"), Line(72, 90, "Date: 06/07/2024")]
    for number, cells in enumerate(lines):
        rows += [Line(72 + 130 * place, 130 + 18 * number, cell) for place, cell in enumerate(cells)]
    return typeset("sheet", rows)


HEADS = ("Coverage", "Paid", "Outstanding", "Incurred")


def test_a_sheet_printed_for_comparison_with_todays_is_over():
    found = read(
        sheet(
            HEADS,
            ("Indemnity", "1,000.00", "4,000.00", "5,000.00"),
            ("Medical", "2,000.00", "1,500.00", "3,500.00"),
            ("PRIOR WORKSHEET - for comparison only",),
            HEADS,
            ("Indemnity", "800.00", "9,000.00", "9,800.00"),
            ("Medical", "700.00", "6,000.00", "6,700.00"),
        )
    )
    assert found["reserves.indemnity_reserve"].value == 4000
    assert found["reserves.medical_reserve"].value == 1500


def test_parts_of_a_sheet_speak_for_the_days_in_their_headings():
    found = read(
        sheet(
            ("Present (as of 01/15/2024)",),
            HEADS,
            ("Indemnity", "800.00", "9,000.00", "9,800.00"),
            ("Medical", "700.00", "6,000.00", "6,700.00"),
            ("Proposed (as of 06/07/2024)",),
            HEADS,
            ("Indemnity", "1,000.00", "4,000.00", "5,000.00"),
            ("Medical", "2,000.00", "1,500.00", "3,500.00"),
        )
    )
    assert found["reserves.indemnity_reserve"].value == 4000


def test_medicines_of_a_patients_own_doctor_are_none_for_the_injury():
    lines = [*CHART, "HOME MEDICATIONS", "lisinopril 10 mg daily", "MEDICATIONS PRESCRIBED"]
    found = read(typeset("chart", column([*lines, "naproxen 500 mg twice daily", "PLAN", "Ice."])))
    names = [item["name"].casefold() for item in found["treatment.medications"].value or []]
    assert names == ["naproxen"]


def test_a_chart_speaks_for_its_visit_and_not_for_the_next_one():
    chart = typeset(
        "chart", column([*CHART, "WORK STATUS: Off work.", "RETURN: 07/08/2024, 9:40 am.", "A. Quill MD"])
    )
    note = typeset("slip", column(["WORK STATUS REPORT", "Date: 06/10/2024", "Work status: Full duty"]))
    assert read(chart, note)["work_status.current_status"].value == "full_duty"


def test_what_a_sum_was_corrected_to_is_the_sum():
    lines = [
        "FILE NOTES",
        "05/06/2024 JB AWW corrected 900.00 to 955.50, payroll in.",
        "05/07/2024 JB Diary.",
    ]
    candidates = read(typeset("notes", column(lines)))["wages.average_weekly_wage"]
    assert candidates.value in (955.5, None)
    assert all(candidate.value != 900 for candidate in candidates.candidates)


def test_a_part_of_the_body_keeps_no_day_on_which_it_was_accepted():
    letter = ["NOTICE REGARDING YOUR CLAIM", "May 6, 2024", "Dear Mr. Reo:"]
    told = "We accepted your right shoulder and your lumbar spine on March 4, 2024."
    parts = read(typeset("letter", column([*letter, told])))["body_parts.accepted_body_parts"].value
    assert [part["body_part"] for part in parts] == ["right shoulder", "lumbar spine"]


@pytest.mark.parametrize("line", ["INSURANCE COMPANY,", "Insurance Company"])
def test_the_second_line_of_a_name_is_no_firm(line):
    lines = ["PAPER", "Insurer: " + line]
    assert read(typeset("paper", column(lines)))["coverage.insurance_carrier"].value is None


def test_a_hire_that_a_form_states_stands_though_no_later_paper_says_so_again():
    form = ["EMPLOYER'S FIRST REPORT OF INJURY", "Date of report: 05/06/2023", "Date hired: 03/04/2019"]
    later = [
        typeset(
            f"later{month}", column(["CLAIM STATUS REPORT", f"Report date: 0{month}/02/2024", "Status: Open"])
        )
        for month in range(1, 6)
    ]
    assert read(typeset("form", column(form)), *later)["claimant.date_of_hire"].value == "2019-03-04"


def test_of_running_text_about_work_the_last_state_holds():
    text = "Disability. TTD was paid through May 5, 2024. She returned to modified work on May 6, 2024."
    head = ["CLAIM STATUS REPORT", "Report date: 05/20/2024"]
    found = read(typeset("status", [*column(head), Line(72, 200, text)]))
    assert found["work_status.current_status"].value == "modified_duty"


def test_what_somebody_is_appointed_as_is_no_part_of_a_name():
    lines = ["ODE J. REO, M.D., Q.M.E.", "Orthopedic Surgery", "May 6, 2024", "PANEL QME REPORT"]
    end = ["Date of examination: 05/02/2024", "I examined the applicant.", "Ode J. Reo, M.D."]
    field = read(typeset("report", column([*lines, *end])))["medical_evaluators.evaluator_name"]
    names = [str(told) for told in (field.value, *(c.value for c in field.candidates)) if told]
    assert names
    assert not any("Q.M.E" in name for name in names)


def test_the_head_of_the_next_column_is_no_treatment():
    rows = [
        Line(72, 72, "UTILIZATION REVIEW DETERMINATION"),
        Line(72, 90, "Date of determination: 05/06/2024"),
    ]
    for number, cells in enumerate([("Requested service", "CPT"), ("Elbow brace, custom", "L3702")]):
        rows += [Line(72 + 200 * place, 130 + 18 * number, cell) for place, cell in enumerate(cells)]
    assert read(typeset("review", rows))["utilization_review.requested_treatment"].value != "CPT"
