"""Which day a paper speaks for, and which notes of a log are of this claim."""

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.documents.own_days import own_date
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline.core.rules.pages.layout import read_rows
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")


def day_of(*lines, name="paper"):
    document = typeset(name, column(lines))
    return own_date(document, read_rows(document), [], None)


def read(*documents):
    return {field.field_key: field for field in extract(documents, SCHEMA, LEXICON).fields}


@pytest.mark.parametrize(
    ("lines", "day"),
    [
        # a birth on a line of its own, as a form's answer, is no letter's date
        (["Date of birth", "6/14/79", "Hurt on 2/27/2024.", "Signed O. Brandt", "3/14/2024"], "2024-03-14"),
        (["STATEMENT", "Taken by phone 02/01/2024.", "Born June 30, 1981. Lives alone."], "2024-02-01"),
        # a print says when it was made, whatever days it lists
        (["Authorizations", "screen print 02/10/2026", "Asked by T. Quorn MD, 07/30/2024"], "2026-02-10"),
        (
            ["Wages. Corrected filing of November 1, 2023.", "Replaces that of September 6, 2023."],
            "2023-11-01",
        ),
        (
            ["Hire date: September 6, 2021", "prepared by Ola Brandt | May 9, 2025", "Week 12/21/2024"],
            "2025-05-09",
        ),
        (["Salinas, California, a 3 de diciembre del 2025", "Estimada se\u00f1ora:"], "2025-12-03"),
    ],
)
def test_a_paper_is_of_the_day_that_it_was_written(lines, day):
    assert day_of(*lines) == day


def test_reports_under_the_same_head_speak_each_for_their_own_day():
    first = ["QUORN CASE MANAGEMENT", "Initial Report March 8, 2024", "She has not reached MMI."]
    last = ["QUORN CASE MANAGEMENT", "Closing Report July 16, 2025", "She has reached MMI."]
    lines = [
        *(Line(72, 60 + 30 * n, text) for n, text in enumerate(last)),
        *(Line(72, 60 + 30 * n, text, page=2) for n, text in enumerate(first)),
    ]
    assert read(typeset("reports", lines))["mmi_status.is_mmi"].value is True


LOG = [
    "Cedar system export, printed 05/06/2024",
    "05/06/2024 AB Diary: call her doctor about the next visit and the slips.",
    "04/02/2024 AB TC w/ her attorney about the panel, he will send his letter.",
    "03/20/2024 AB She is at MMI since 03/18/2024, and the doctor sent a report.",
    "02/11/2024 AB First report of the doctor: she is not at MMI, wants therapy first.",
    "01/09/2024 AB Rec'd the first report and set up the file for the new claim.",
]


def test_a_log_is_known_by_its_dated_notes_and_each_speaks_for_its_own_day():
    field = read(typeset("export", column(LOG)))["mmi_status.is_mmi"]
    assert field.value is True


def test_a_note_that_says_it_is_of_another_claim_is_not_read():
    note = "04/30/2024 AB ENTERED IN ERROR, other file: TTD rate $712.40 per week, referred to SIU."
    found = read(typeset("export", column([LOG[0], note, *LOG[1:]])))
    assert found["temporary_disability.weekly_rate"].value is None
    assert not found["temporary_disability.weekly_rate"].candidates
    assert found["fraud_siu.siu_referral"].value is None


def test_a_register_of_payments_is_no_log():
    rows = [
        f"0{month}/15/2024 88{month}0 IND BRANDT, O 0{month}/01/24-0{month}/14/24 611.80 TTD"
        for month in range(1, 8)
    ]
    found = read(typeset("register", column(["Checks by date", *rows])))
    assert found["temporary_disability.end_date"].value == "2024-07-14"


def test_the_day_of_a_decision_is_that_of_the_note_that_tells_of_its_letter():
    note = "04/12/2024 AB Decision letter out to counsel. Accept R shoulder, R knee. Deny neck."
    found = read(typeset("export", column([*LOG[:2], note, *LOG[2:]])))
    parts = found["body_parts.accepted_body_parts"].value
    assert parts == [
        {"body_part": "right shoulder", "side": "right"},
        {"body_part": "right knee", "side": "right"},
    ]


def exam(name, *lines):
    return typeset(name, column(["INDEPENDENT MEDICAL EXAMINATION", *lines]))


def test_the_day_of_an_older_examination_is_not_the_latest_where_a_newer_one_gives_none():
    older = exam("older", "March 12, 2023", "Date of examination: March 5, 2023", "Examiner: Teo Quorn, MD")
    newer = exam("newer", "September 20, 2023", "He came to my rooms again; I looked at both knees.")
    key = "medical_evaluators.evaluation_date"
    assert read(older)[key].value == "2023-03-05"
    found = read(older, newer)[key]
    assert found.value is None
    assert [one.value for one in found.candidates] == ["2023-03-05"]
    extra = exam("extra", "September 20, 2023", "Supplemental report: I was sent more records.")
    assert read(older, extra)[key].value == "2023-03-05"
