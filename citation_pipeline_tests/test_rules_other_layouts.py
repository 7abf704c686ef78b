"""What the rules read where a hand sets it otherwise: codes in one row, ranks, split names, days of mail."""

from dataclasses import replace

from citation_pipeline.adapters.schema_files import load_lexicon
from citation_pipeline.core.rules.documents import read_documents
from citation_pipeline.core.rules.lexicons.lexicon_files import read_lexicon
from citation_pipeline_tests.rules_papers import SCHEMA, paper, read
from citation_pipeline_tests.typeset import column, typeset

STATUS = ("CLAIM STATUS REPORT", "Report date: 05/06/2024")
VISIT = ("PROGRESS NOTE", "Date of exam: 05/06/2024")


def diagnoses(*lines: str) -> list[dict[str, str]]:
    told = read(paper(*VISIT, *lines))["diagnoses.diagnosis_list"].value
    assert isinstance(told, list)
    return told


def test_two_numbered_diagnoses_in_one_row_are_two() -> None:
    assert diagnoses("A: 1) Sprain of right ankle S93.401A 2) Contusion of left foot S90.32XA") == [
        {"description": "Sprain of right ankle", "icd10": "S93.401A"},
        {"description": "Contusion of left foot", "icd10": "S90.32XA"},
    ]


def test_codes_inside_a_running_sentence_are_no_list() -> None:
    line = "A: (1) Sprain of right ankle, S93.401A, doing well. (2) Contusion of left foot, S90.32XA,"
    assert read(paper(*VISIT, line, "slow recovery."))["diagnoses.primary_icd10_code"].value is None


def test_a_diagnosis_keeps_neither_its_number_nor_its_rank() -> None:
    for lines in (
        ("1 Sprain of right ankle S93.401A main", "2 Contusion of left foot S90.32XA"),
        ("S93.401A Sprain of right ankle (primary)", "S90.32XA Contusion of left foot (secondary)"),
    ):
        assert [one["description"] for one in diagnoses("DIAGNOSES", *lines)] == [
            "Sprain of right ankle",
            "Contusion of left foot",
        ], lines


def test_a_surgeon_is_a_specialty_beside_the_name() -> None:
    report = paper(
        "INDEPENDENT MEDICAL EXAMINATION",
        "Date of examination: 05/06/2024",
        "Examiner: Odile Marchetti-Wren, M.D., orthopedic surgeon",
        "Impressions were dictated that day.",
    )
    assert read(report)["medical_evaluators.specialty"].value == "orthopedic surgeon"


def test_a_notice_speaks_for_the_day_it_was_mailed_and_not_for_the_day_of_the_hearing() -> None:
    notice = paper(
        "NOTICE OF HEARING",
        "The matter will be heard on September 17, 2024 at 10:00 a.m. before Judge Ottoline Vance.",
        "Mailed this 2nd day of July, 2024.",
    )
    later = paper("CLAIM STATUS REPORT", "Report date: 07/20/2024", "Nothing new.", name="later")
    assert read(notice, later)["metadata.date"].value == "2024-07-20"
    assert read(notice, later)["litigation.next_hearing_date"].value == "2024-09-17"


def test_a_decision_has_the_day_of_the_letter_that_made_it() -> None:
    for said in (
        "Accepted in part by our letter of March 4, 2024.",
        "Compensability: denied, position of 03/04/2024.",
    ):
        assert read(paper(*STATUS, said))["compensability.decision_date"].value == "2024-03-04", said
    other = "The requested visits were denied by the notice of March 4, 2024."
    assert read(paper(*STATUS, other))["compensability.decision_date"].value is None


def test_no_flags_are_an_empty_list_of_indicators() -> None:
    for said in ("Red flags: none recorded.", "Witnesses agree. No red flags."):
        assert read(paper(*STATUS, said))["fraud_siu.indicators"].value == [], said


def test_the_employer_knows_from_the_day_its_foreman_was_told() -> None:
    told = "She told the foreman, Anselm Urquidi, the next morning, March 5, 2024."
    assert read(paper(*STATUS, told))["claimed_injury_description.date_reported"].value == "2024-03-05"


def test_who_signs_with_the_day_behind_the_name_writes_the_visit() -> None:
    for signed in (
        "Electronically signed O. Marchetti, M.D. 05/06/2024 17:48",
        "O. Marchetti, M.D. 5/6/2024",
    ):
        lines = (*VISIT, "Ankle better, strength full.", "No new complaints today.", "Continue.", signed)
        visit = typeset("visit", column(lines, step=80))
        form = paper("CLAIM STATUS REPORT", "Report date: 05/07/2024", "Odile Marchetti was heard.", name="b")
        assert read(visit, form)["treating_physician.name"].value == "Odile Marchetti", signed


def test_a_chart_under_one_letterhead_is_as_many_papers_as_its_titles_tell() -> None:
    head = "Quarry Hill Bone and Joint"
    operation = (head, "Operative report", "Date of surgery: 01/15/2024", "Surgeon: Odile Marchetti, M.D.")
    visit = (head, "Office visit", "May 6, 2024", "Work status: modified duty.", "Return in six weeks.")
    second = [replace(line, page=2) for line in column(visit)]
    chart = typeset("chart", [*column(operation), *second])
    parts = read_documents([chart], read_lexicon(load_lexicon("workers_comp"), schema=SCHEMA))
    assert [(part.type, part.date) for part in parts] == [
        ("operative_report", "2024-01-15"),
        ("pr2", "2024-05-06"),
    ]
