"""Accounts told by their sums, screens above listings, drafts, covers, and days without their year."""

from dataclasses import replace

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline.core.rules.lexicons.patterns import compile_pattern
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def grid(name, *rows, width=130):
    lines = [
        Line(60 + width * place, 60 + 18 * number, cell)
        for number, cells in enumerate(rows)
        for place, cell in enumerate(cells)
        if cell
    ]
    return typeset(name, lines)


def test_columns_whose_sums_agree_are_paid_open_and_whole_whatever_their_heads():
    print_out = grid(
        "screen",
        ("CLAIM MONEY", "", ""),
        ("", "TO DATE", "STILL HELD", "GROSS"),
        ("INDEMNITY", "12,400.10", "30,000.00", "42,400.10"),
        ("MEDICAL", "8,050.25", "11,500.00", "19,550.25"),
        ("ALL", "20,450.35", "41,500.00", "61,950.35"),
    )
    found = read(print_out)
    assert found["payments.indemnity_paid"].value == 12400.10
    assert found["reserves.medical_reserve"].value == 11500
    assert found["reserves.total_incurred"].value == 61950.35


def test_columns_whose_sums_do_not_agree_are_no_account():
    print_out = grid(
        "screen",
        ("", "WEEK 1", "WEEK 2", "WEEK 3"),
        ("INDEMNITY", "12,400.10", "30,000.00", "1,400.10"),
        ("MEDICAL", "8,050.25", "11,500.00", "2,550.25"),
        ("ALL", "20,450.35", "41,500.00", "3,950.35"),
    )
    assert read(print_out)["reserves.total_incurred"].value is None


def test_a_head_of_labels_above_dated_notes_is_read_as_a_screen():
    head = (
        ("File no.", "WX-4471-20", "Standing", "OPEN"),
        ("Injured", "Ana M. Ruiz", "Born", "03/04/1980"),
        ("Handler", "Petra Lindgren", "Team lead", "Otto Brandt"),
        ("Remark", "none so far", "Dated", "04/22/2025"),
        ("Wkly benefit", "746.55", "Wage base", "1,119.82"),
        ("Other", "see notes", "Next diary", "12/15/2025"),
    )
    notes = tuple((f"11/{day}/2025", "BK", "FILE", "Called the plant, no answer.") for day in range(10, 22))
    found = read(grid("notes", *head, *notes))
    assert found["metadata.examiner_name"].value == "Petra Lindgren"
    assert found["temporary_disability.weekly_rate"].value == 746.55


def test_an_abbreviation_in_a_pattern_is_a_word_of_its_own():
    pattern = compile_pattern(r"(?:AME|MMI)[^.]{0,20}? {date}")
    assert pattern.search("the same day, 04/02/2024") is None
    assert pattern.search("filed with this Commission on 04/02/2024") is None
    assert pattern.search("MMI as of 04/02/2024") is not None


def test_what_a_draft_says_of_a_settlement_is_no_value():
    words = ["COMPROMISE AND RELEASE", "November 12, 2025"]
    words.append("The employer shall pay the employee the lump sum of $57,500.00 in full settlement.")
    assert read(typeset("signed", column(words)))["settlement.amount"].value == 57500
    draft = ["DRAFT 11/12/2025 - NOT SIGNED", *words]
    assert read(typeset("draft", column(draft)))["settlement.amount"].value is None


def test_what_is_behind_a_cover_is_read_as_the_paper_it_is():
    cover = ["FAX", "To: Ana Ruiz", "From: front desk", "Pages: 2 with this one"]
    slip = ["WORK STATUS SLIP", "Patient: Otto Brandt", "Seen: 11/10/2025"]
    slip.append("Next visit: 02/09/2026")
    pages = [*column(cover), *[replace(line, page=2) for line in column(slip)]]
    assert read(typeset("fax", pages))["treatment.next_appointment_date"].value == "2026-02-09"


def test_the_claimant_is_nobody_s_examiner():
    notice = ["NOTICE OF BENEFITS", "October 16, 2025", "Claimant: Loretta Mae Odum", "Sincerely,"]
    notice.append("Loretta Mae Odum")
    assert read(typeset("notice", column(notice)))["metadata.examiner_name"].value is None


def test_a_note_s_day_without_its_year_is_the_one_nearest_to_the_note():
    notes = ["CLAIM NOTES", "01/06/2026 BK Stopped weekly comp thru 12/28. Employer confirmed."]
    notes += ["12/20/2025 BK Called employer.", "12/02/2025 BK Set up file.", "11/20/2025 BK Loss reported."]
    assert read(typeset("notes", column(notes)))["temporary_disability.end_date"].value == "2025-12-28"


def test_an_account_whose_parts_are_its_rows_is_read_by_their_sums():
    ledger = grid(
        "ledger",
        ("MONEY BY KIND, 03/02/2025", "", "", ""),
        ("", "Medical", "Indemnity", "Total"),
        ("Spent", "4,120.75", "9,300.50", "13,421.25"),
        ("To come", "6,000.00", "15,250.00", "21,250.00"),
        ("Expected", "10,120.75", "24,550.50", "34,671.25"),
    )
    found = read(ledger)
    assert found["payments.medical_paid"].value == 4120.75
    assert found["reserves.indemnity_reserve"].value == 15250
    assert found["reserves.total_incurred"].value == 34671.25


def test_rows_that_do_not_make_a_third_are_no_account():
    ledger = grid(
        "ledger",
        ("MONEY BY KIND, 03/02/2025", "", "", ""),
        ("", "Medical", "Indemnity", "Total"),
        ("March", "4,120.75", "9,300.50", "13,421.25"),
        ("April", "6,000.00", "15,250.00", "21,250.00"),
        ("May", "7,120.75", "24,550.50", "31,671.25"),
    )
    assert read(ledger)["reserves.total_incurred"].value is None
