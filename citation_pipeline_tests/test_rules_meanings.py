"""Labels that no list holds, values over two lines, accounts of several days, what another person has."""

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline.core.rules.lexicons.lexicon import LexiconError
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline.core.rules.lexicons.meanings import Meanings, meaning_of
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def grid(name, *rows, width=130):
    lines = [
        Line(60 + width * place, 60 + 15 * number, cell)
        for number, cells in enumerate(rows)
        for place, cell in enumerate(cells)
        if cell
    ]
    return typeset(name, lines)


def test_a_label_has_a_meaning_when_all_of_its_words_are_known_and_one_of_each_group():
    meanings = Meanings()
    meanings.add(meaning_of(["worker employee", "counsel attorney"], "name"), "counsel")
    assert meanings.fields_of(["workers", "counsel"]) == {"counsel"}
    assert meanings.fields_of(["name", "of", "attorney", "for", "employees"]) == {"counsel"}
    assert meanings.fields_of(["worker", "counsel", "fee"]) == frozenset()
    assert meanings.fields_of(["counsel"]) == frozenset()


def test_a_meaning_without_words_is_refused_by_its_path():
    with pytest.raises(LexiconError, match="/fields/employer.name/meanings/0/all"):
        read_lexicon({"fields": {"employer.name": {"meanings": [{"all": []}]}}}, schema=SCHEMA)


def test_a_letters_own_labels_are_understood():
    letter = [
        "June 12, 2025",
        "INJURED MAN: Oskar Velde, called Ossie",
        "YOUR INSURED: Trillium Feed Cooperative",
    ]
    letter += ["POLICY: WC 20-6614-11", "This is my report on the accident of the spring, for your file."]
    found = read(typeset("letter", column(letter)))
    assert found["claimant.full_name"].value == "Oskar Velde"
    assert found["employer.name"].value == "Trillium Feed Cooperative"


def test_values_of_two_columns_go_on_on_one_line():
    summary = grid(
        "summary",
        ("CLAIM STATUS SUMMARY", "", "Summary prepared", "June 22, 2026"),
        ("Claims manager", "Bettina Ostrow", "Worker", "Oskar Velde"),
        ("Mail to employer at", "Dock Office, P.O. Box", "Work status", "Light duty, 4 hours"),
        ("", "5190, Astoria, OR 97103", "", "a day"),
        ("Next Board hearing", "September 15, 2026", "Worker counsel", "Liv Aasen"),
    )
    found = read(summary)
    assert found["employer.address"].value.endswith("P.O. Box 5190, Astoria, OR 97103")
    assert found["litigation.next_hearing_date"].value == "2026-09-15"
    assert found["attorneys.applicant_attorney_name"].value == "Liv Aasen"


def test_of_an_account_of_two_days_the_newer_one_is_read():
    screen = grid(
        "screen",
        ("", "PAID TO DATE", "", "OUTSTANDING", "", "INCURRED", ""),
        ("COV", "11/19/25", "06/30/25", "11/19/25", "06/30/25", "11/19/25", "06/30/25"),
        ("01 INDEMNITY", "58,198.97", "49,035.31", "22,500.00", "27,464.69", "80,698.97", "76,500.00"),
        ("02 MEDICAL", "47,316.08", "41,204.77", "18,750.00", "29,795.23", "66,066.08", "71,000.00"),
        ("TOTAL", "105,515.05", "90,240.08", "41,250.00", "57,259.92", "146,765.05", "147,500.00"),
        width=75,
    )
    found = read(screen)
    assert found["payments.indemnity_paid"].value == 58198.97
    assert found["reserves.total_incurred"].value == 146765.05


def test_a_lawyers_budget_is_no_account_of_the_claim():
    budget = grid(
        "budget",
        ("Phase", "Billed", "Still to come", "New total"),
        ("Pleadings", "2,715", "1,900", "4,615"),
        ("Brief", "1,012", "150", "1,162"),
        ("Total", "3,727", "2,050", "5,777"),
    )
    found = read(budget)
    assert found["payments.total_paid"].value is None
    assert found["reserves.total_incurred"].value is None


def test_the_wifes_medicare_is_not_the_workers():
    told = ["NURSE CASE MANAGEMENT REPORT", "December 6, 2024"]
    told.append("He lives with his wife Dana, who has dialysis and is on Medicare for it.")
    assert read(typeset("report", column(told)))["medicare.is_medicare_beneficiary"].value is None


def test_a_withdrawn_denial_in_brackets_is_no_decision():
    screen = grid(
        "screen",
        ("CLAIM INQUIRY", "", "PRT DT", "02/20/26"),
        ("CLM NBR", "GM-24-77421", "STAT", "OPEN"),
        ("CLMT", "OSKAR VELDE", "DOL", "03/05/2024"),
        ("COMPENS", "ACCEPTED 04/16/24 (DENIAL OF", "AWW", "1,185.50"),
        ("", "03/21/24 WITHDRAWN)", "", ""),
    )
    assert read(screen)["compensability.decision"].value == "accepted"


def test_a_day_without_its_year_is_of_the_letters_year():
    letter = ["CLAIM STATUS REPORT", "November 28, 2025", "Claimant: Oskar Velde"]
    letter.append("Weekly benefits ran from April 25 through October 19 and have stopped.")
    found = read(typeset("letter", column(letter)))
    assert found["temporary_disability.start_date"].value == "2025-04-25"
    assert found["temporary_disability.end_date"].value == "2025-10-19"


def test_the_claimants_middle_name_is_taken_from_the_paper_that_prints_it():
    form = ["FIRST REPORT OF INJURY", "Date: 05/01/2025", "We spoke with Oskar Emil Velde by telephone."]
    letter = ["May 6, 2025", "Claimant: Oskar Velde", "DOI: 04/24/2025"]
    found = read(typeset("form", column(form)), typeset("letter", column(letter)))
    assert found["claimant.full_name"].value == "Oskar Emil Velde"


def test_a_charts_last_visit_names_the_doctor_and_the_diagnoses():
    visits = [
        "West Clinic progress note",
        "04/24/2025 H. Rensch PA-C",
        "S: fell from a ladder, heel hurts a lot",
    ]
    visits += ["O: tender, swollen", "08/21/2025 Jo Fields MD", "S: wants to help with harvest, limps"]
    visits += ["O: limp", "P: therapy twice weekly", "09/18/2025 Jo Fields MD", "S: walks without a cane now"]
    visits += ["O: gait better", "10/16/2025 Jo Fields MD", "S: scale house opens on the 20th of the month"]
    visits += ["P: return 11/13", "11/13/2025 Jo Fields MD", "S: by noon the heel burns and he sits down"]
    found = read(typeset("chart", column(visits)))
    assert found["treating_physician.name"].value == "Jo Fields MD"


def test_sums_below_a_leading_line_are_of_what_it_says():
    letter = [
        "November 28, 2025",
        "Quarterly report",
        "Money through yesterday",
        "Still held against the file:",
    ]
    lines = [*column(letter)]
    top = lines[-1].top
    for number, (name, amount) in enumerate(
        (("for weekly benefits", "$38,000.00"), ("for medical", "$27,500.00"))
    ):
        lines += [Line(60, top + 16 * (number + 1), name), Line(400, top + 16 * (number + 1), amount)]
    found = read(typeset("letter", lines))
    assert found["reserves.medical_reserve"].value == 27500
    assert found["reserves.indemnity_reserve"].value == 38000


def test_a_box_or_a_drawer_at_the_post_office_is_an_address():
    told = [
        "CLAIM STATUS REPORT",
        "December 6, 2024",
        "Employer mailing address: P.O. DRAWER 1187, LAROSE, LA 70373",
    ]
    assert (
        read(typeset("report", column(told)))["employer.address"].value
        == "P.O. DRAWER 1187, LAROSE, LA 70373"
    )


def test_a_papers_title_is_no_label_of_the_day_below_it():
    exam = ["INDEPENDENT MEDICAL EXAMINATION", "September 20, 2023", "He came again; I looked at both knees."]
    assert read(typeset("exam", column(exam)))["medical_evaluators.evaluation_date"].value is None
    notice = ["EMPLOYER'S NOTICE OF INJURY", "September 20, 2023", "Claimant: Oskar Velde"]
    assert read(typeset("notice", column(notice)))["claimed_injury_description.date_reported"].value is None
