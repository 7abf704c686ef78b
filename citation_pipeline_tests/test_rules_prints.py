"""Prints and packets: packed lines of a claim system, notices one after another, names with initials."""

from dataclasses import replace

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def packed(*rows):
    lines = [Line(60, 60, "CLAIM PROFILE"), Line(240, 60, "Run date: 12/02/2025")]
    for number, cells in enumerate(rows):
        lines += [Line(60 + 170 * place, 90 + 16 * number, cell) for place, cell in enumerate(cells)]
    return typeset("profile", lines)


def test_a_packed_line_gives_its_first_label_too():
    found = read(
        packed(
            ("CLAIM: PW-23-06617", "STATUS: OPEN", "JURIS MA"),
            ("MMI: 08/19/25", "IMPAIR: 12", "SEX M"),
            ("INDEMNITY", "91,628.32", "58,371.68"),
            ("MEDICAL", "61,204.75", "23,795.25"),
            ("TOTAL", "152,833.07", "82,166.93"),
            ("TOTAL INCURRED", "235,000.00", "RECOVERY 0.00"),
        )
    )
    assert found["metadata.claim_number"].value == "PW-23-06617"
    assert found["mmi_status.mmi_date"].value == "2025-08-19"


def test_the_later_of_two_notices_in_one_file_is_the_one_that_counts():
    page = ["NOTICE OF CLAIM DECISION", "Date of notice: 06/10/2024", "Average weekly wage: $874.20"]
    later = ["NOTICE OF CLAIM DECISION", "Date of notice: 02/04/2025", "Average weekly wage: $901.55"]
    second = [replace(line, page=2) for line in column(later)]
    both = typeset("notices", [*column(page), *second])
    assert read(both)["wages.average_weekly_wage"].value == 901.55


def test_a_stopped_medicine_in_a_list_is_no_current_one():
    note = ["PROGRESS NOTE", "Date of service: 09/15/2025", "Patient: Ana Ruiz"]
    note.append("Medications: celecoxib 200 mg daily; tramadol 50 mg prn stopped 8/1/2025")
    found = read(typeset("note", column(note)))["treatment.medications"].value
    assert [item["name"] for item in found] == ["celecoxib"]


def test_an_initial_is_filled_by_the_name_that_a_message_is_from():
    mail = ["From: Bettina Ostrow <b@x.example>", "Date: Tue, 2 Dec 2025 10:00:00 -0500", "Subject: file"]
    profile = packed(("ADJ: B. OSTROW", "STATUS: OPEN"))
    assert read(profile, typeset("mail", column(mail)))["metadata.examiner_name"].value == "Bettina Ostrow"


def test_a_firm_ends_before_the_day_it_was_retained():
    told = ["CLAIM STATUS REPORT", "December 9, 2025"]
    told.append("Claimant hired Rufus Tanaka of Tanaka Gutierrez Injury Law in April 2025.")
    assert read(typeset("report", column(told)))["attorneys.applicant_attorney_firm"].value == (
        "Tanaka Gutierrez Injury Law"
    )


def test_halves_of_a_percent_are_read():
    order = ["ORDER APPROVING SETTLEMENT", "October 3, 2024"]
    order.append("Permanent disability: 22 1/2% partial total, in the sum of $41,256.00.")
    assert read(typeset("order", column(order)))["permanent_disability.pd_rating_percent"].value == 22.5


def test_a_firm_has_the_fullest_of_its_printed_names():
    short = ["CLAIM STATUS REPORT", "November 14, 2025", "Insurance carrier: Meadow Casualty"]
    full = ["EMPLOYER'S FIRST REPORT OF INJURY", "Insurer: Meadow Casualty Insurance Company"]
    found = read(typeset("report", column(short)), typeset("first", column(full)))
    assert found["coverage.insurance_carrier"].value == "Meadow Casualty Insurance Company"
