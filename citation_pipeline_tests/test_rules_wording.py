"""Plant a statement in one of the ways people put it, find it; and what must not be taken for it."""

import math

import numpy as np
import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA = load_schema("workers_comp")
LEXICON = load_lexicon("workers_comp")


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


def status(*lines):
    return typeset("status", column(["CLAIM STATUS REPORT", "Report date: 05/06/2024", *lines]))


def notes(*lines):
    return typeset("notes", column(["CLAIM NOTES", "Print date: 05/06/2024", *lines], step=14))


def notice(*lines):
    head = ["May 6, 2024", "NOTICE OF CLAIM DENIAL", "Dear Ms. Abara:"]
    return typeset("notice", column([*head, *lines], step=20))


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("The applicant does not receive Medicare.", "medicare.is_medicare_beneficiary", False),
        ("She is currently enrolled in Medicare.", "medicare.is_medicare_beneficiary", True),
        ("We do not see any third-party recovery here.", "subrogation.has_subrogation_potential", False),
        ("The file was forwarded to SIU.", "fraud_siu.siu_referral", True),
        (
            "Temporary total disability is paid at $610.55 per week.",
            "temporary_disability.weekly_rate",
            610.55,
        ),
        (
            "You will be paid temporary total disability at $610.55 per week beginning April 2, 2024.",
            "temporary_disability.start_date",
            "2024-04-02",
        ),
        ("There are no liens on file.", "liens.filed_liens", []),
        ("The injured worker was told the claim is not litigated.", "litigation.is_litigated", False),
    ],
)
def test_a_statement_is_read_in_other_words(line, key, value):
    found = read(status(line))[key]
    assert found.value == value
    assert found.snippets


def test_an_expected_lien_is_no_filed_one():
    found = read(status("We anticipate a lien from Corbel Imaging of roughly $900.00."))
    assert found["liens.expected_liens"].value == [
        {"lienholder": "Corbel Imaging", "estimated_amount": 900.0}
    ]
    assert not found["liens.filed_liens"].value


def test_two_liens_of_one_sentence_are_two():
    line = "Corbel Imaging has filed a lien for $900.00 and Delta Copy has filed a lien for $120.50."
    found = read(status(line))["liens.filed_liens"].value
    assert [(lien["lienholder"], lien["amount"]) for lien in found] == [
        ("Corbel Imaging", 900.0),
        ("Delta Copy", 120.5),
    ]


def test_checks_issued_after_an_approval_do_not_date_it():
    log = notes(
        "04/02/2024 AB [FILE]",
        "C&R approved by WCJ Ostrand 3/12/24 for $31,000. Settlement checks issued 4/1/24.",
    )
    assert read(log)["settlement.approval_date"].value == "2024-03-12"


def test_notes_dated_behind_a_lead_are_notes_of_their_own_days():
    log = notes(
        "Note Date: 04/02/2024 Author: ABEN Type: FILE",
        "Next diary 06/01/2024.",
        "Note Date: 02/02/2024 Author: ABEN Type: FILE",
        "Next diary 03/01/2024.",
    )
    assert read(log)["next_actions.next_diary_date"].value == "2024-06-01"


def test_a_log_without_a_print_date_speaks_for_its_newest_note():
    log = typeset(
        "log",
        column(
            ["CLAIM NOTES", "01/05/2024 AB AWW $700.00.", "03/05/2024 AB AWW $750.00. Diary 09/09/2024."],
            step=14,
        ),
    )
    older = typeset("old", column(["CLAIM STATUS REPORT", "Report date: 02/05/2024", "AWW: $720.00"]))
    assert read(log, older)["wages.average_weekly_wage"].value == 750.0


def test_a_decision_is_dated_by_its_letter_and_the_letters_date_is_cited():
    letter = notice("After careful review we are denying liability for your claim of injury.")
    found = read(letter)
    assert found["compensability.decision"].value == "denied"
    assert found["compensability.decision_date"].value == "2024-05-06"
    assert [s.text for s in found["compensability.decision_date"].snippets] == ["May 6, 2024"]


def test_a_condition_decides_nothing():
    found = read(notice("If we accept liability for your claim we will write to you."))
    assert found["compensability.decision_date"].value is None


def test_the_day_of_an_examination_is_the_day_of_the_finding_that_points_at_it():
    lines = [
        "PANEL QUALIFIED MEDICAL EVALUATION",
        "Date of examination: March 4, 2024",
        "She reached maximum medical improvement as of the date of my examination.",
    ]
    assert read(typeset("qme", column(lines, step=20)))["mmi_status.mmi_date"].value == "2024-03-04"


def test_two_headings_side_by_side_head_two_columns():
    page = [
        *column(["PROGRESS REPORT (PR-2)", "Date of exam: 05/06/2024"]),
        Line(72, 200, "Diagnoses"),
        Line(330, 200, "Work status"),
        Line(72, 214, "1. M54.16 Lumbar radiculopathy"),
        Line(330, 214, "Full duty"),
    ]
    found = read(typeset("page", page))
    assert found["diagnoses.diagnosis_list"].value == [
        {"description": "Lumbar radiculopathy", "icd10": "M54.16"}
    ]
    assert found["work_status.current_status"].value == "full_duty"


def test_a_running_line_that_mentions_a_kind_is_not_its_title():
    letter = typeset(
        "letter",
        column(
            [
                "May 6, 2024",
                "Dear Mr. Vance:",
                "She is a Medicare beneficiary since 2023. The applicant now lives in Reno",
                "and the matter is set for hearing on 07/08/2024.",
            ]
        ),
    )
    assert read(letter)["litigation.next_hearing_date"].value == "2024-07-08"


def test_recognized_words_give_way_to_a_text_layer():
    lines = ["EMPLOYER'S REPORT OF OCCUPATIONAL INJURY OR ILLNESS", "Rate of pay: $21.00 per hour"]
    printed = typeset("printed", column(lines))
    scanned = typeset("scanned", column([lines[0], "Rate of pay: $27.00 per hour"]))
    assert math.isnan(float(printed.words.confidence[0]))
    scanned.words.confidence[:] = np.float32(0.9)
    assert read(scanned, printed)["wages.hourly_rate"].value == 21.0


@pytest.mark.parametrize(
    "line",
    ["Claim number: " * 7000, "A" * 100_000, "01/02/2023 " * 9000, "Alder & Finch " * 7000, "( " * 50_000],
    ids=["labels", "one word", "dates", "names", "brackets"],
)
def test_a_line_of_a_hundred_thousand_characters_is_survived(line):
    found = read(typeset("noise", [Line(10, 100, line, size=1.0)]))
    assert found["claimant.date_of_birth"].value is None


def test_a_recognized_label_is_known_though_letters_were_misread():
    lines = [
        "WORKERS' COMPENSATION CLAIM FORM (DWC 1)",
        "11. Date emplayer first knew ofinjury.",
        "04/03/2024",
    ]
    scanned, printed = typeset("scanned", column(lines)), typeset("printed", column(lines))
    scanned.words.confidence[:] = np.float32(0.8)
    key = "claimed_injury_description.date_reported"
    assert read(scanned)[key].value == "2024-04-03"
    assert read(printed)[key].value is None


def test_what_stands_right_of_a_column_head_is_the_next_head():
    rows = [
        ("Body region", "Service requested", "CPT code"),
        ("Right elbow", "Ultrasound of the elbow", "76881"),
    ]
    table = [
        Line(60 + 170 * place, 120 + 14 * row, text)
        for row, texts in enumerate(rows)
        for place, text in enumerate(texts)
    ]
    found = read(typeset("rfa", [*column(["REQUEST FOR AUTHORIZATION"]), *table]))
    assert found["utilization_review.requested_treatment"].value == "Ultrasound of the elbow"
