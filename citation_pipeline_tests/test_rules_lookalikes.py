"""Rules: what only looks like a field's value is none, and a screen's boxes are no dated notes."""

import pytest

from citation_pipeline.adapters.schema_files import load_lexicon, load_schema
from citation_pipeline.core.rules.extraction import extract
from citation_pipeline_tests.typeset import Line, column, typeset

SCHEMA, LEXICON = load_schema("workers_comp"), load_lexicon("workers_comp")

NOT_SO = [
    ("wages.average_weekly_wage", "State average weekly wage: $1,704.00"),
    (
        "wages.average_weekly_wage",
        "You may receive two-thirds of your average weekly wage, at most $1,680.29 a week.",
    ),
    ("wages.average_weekly_wage", "His co-worker's AWW was $1,120.00."),
    ("wages.hourly_rate", "Wage of the modified position: $18.00 per hour."),
    ("permanent_disability.wpi_percent", "WPI will be rated then; a typical rating is 7% WPI."),
    (
        "permanent_disability.apportionment_percent",
        "Dr. Weil found 30 percent apportioned to arthritis, but later she withdrew that opinion.",
    ),
    ("work_status.return_to_work_date", "Claim form given 03/18/2025, returned 03/25/2025."),
    ("work_status.return_to_work_date", "SIU referral sent 03/28/2025, file came back 04/10/2025."),
    ("compensability.decision", "He hurt his neck in 2019. That claim was denied."),
    ("compensability.decision", "In her prior claim the injury was accepted on 05/02/2019."),
    ("mmi_status.is_mmi", "Mr. Salas reached MMI in his earlier lumbar claim."),
    ("litigation.next_hearing_date", "The hearing on 12/09/2026 is for the Pruitt file, not this one."),
    ("liens.filed_liens", "Medi-Cal has no lien."),
    (
        "treatment.medications",
        "Current medications: none at present; he finished naproxen 500 mg last month.",
    ),
    ("claimant.full_name", "PT: Greg Wold, DPT"),
    ("claimant.full_name", "RE: Trujillo v. Casa Verde"),
    ("coverage.insurance_carrier", "Excess carrier: Summit Excess Casualty"),
    ("attorneys.defense_attorney_name", "Appearing for defendant: Omar Bell, hearing representative."),
    ("attorneys.applicant_attorney_firm", "The deposition is taken at the offices of Marsh & Ohm."),
    (
        "temporary_disability.end_date",
        "She moved the conference from 12/16/2025 to 01/14/2026 at the earliest.",
    ),
]


def read(*lines):
    page = typeset("paper", column(["CLAIM STATUS REPORT", "Report date: 06/20/2025", *lines]))
    return {field.field_key: field for field in extract([page], SCHEMA, LEXICON).fields}


@pytest.mark.parametrize(("key", "line"), NOT_SO)
def test_what_looks_like_a_value_is_none(key, line):
    assert read(line)[key].value is None


@pytest.mark.parametrize(
    ("key", "line", "value"),
    [
        ("wages.average_weekly_wage", "Average weekly wage: $1,104.00", 1104),
        ("work_status.return_to_work_date", "She returned to work on 03/25/2025.", "2025-03-25"),
        ("liens.filed_liens", "There are no liens on file.", []),
        ("claimant.full_name", "Applicant: Rosa Trujillo", "Rosa Trujillo"),
        ("treating_physician.name", "Treating physician: Dr. L. Prejean", "Dr. L. Prejean"),
    ],
)
def test_what_is_one_stays(key, line, value):
    assert read(line)[key].value == value


def test_a_ticked_box_that_speaks_of_the_future_states_nothing():
    page = typeset(
        "pr2", column(["PROGRESS REPORT (PR-2)", "[x] The patient is expected to reach MMI on 06/30/2025"])
    )
    found = {field.field_key: field for field in extract([page], SCHEMA, LEXICON).fields}
    assert found["mmi_status.is_mmi"].value is None


def test_a_decision_is_dated_neither_by_a_delay_of_it_nor_by_the_day_of_receipt():
    notice = ["NOTICE REGARDING YOUR CLAIM", "October 3, 2025"]
    open_yet = typeset(
        "open", column([*notice, "We have not yet decided whether to accept or deny your claim."])
    )
    found = {field.field_key: field for field in extract([open_yet], SCHEMA, LEXICON).fields}
    assert found["compensability.decision_date"].value is None
    review = ["UTILIZATION REVIEW DECISION", "Date received: 08/12/2025", "MRI lumbar spine: certified."]
    found = {
        field.field_key: field for field in extract([typeset("ur", column(review))], SCHEMA, LEXICON).fields
    }
    assert found["utilization_review.decision_date"].value is None


def test_a_draft_decides_nothing():
    page = typeset(
        "draft",
        column(["DRAFT - NOT SENT", "NOTICE OF ACCEPTANCE", "We accept liability for the right shoulder."]),
    )
    found = {field.field_key: field for field in extract([page], SCHEMA, LEXICON).fields}
    assert found["body_parts.accepted_body_parts"].value is None


def test_a_listing_of_claims_tells_nothing_of_one():
    cells = [
        ("Claim No", "Claimant", "DOI", "Status", "Paid"),
        ("C-1001", "Ames, Tina", "02/02/2025", "Closed", "1,210.00"),
        ("C-1002", "Brandt, Lionel", "03/15/2025", "Open", "18,400.00"),
    ]
    lines = [
        Line(60 + 100 * c, 120 + 14 * r, cell, 8) for r, row in enumerate(cells) for c, cell in enumerate(row)
    ]
    page = typeset("run", [*column(["LOSS RUN", "Valued 10/31/2025"]), *lines])
    found = {field.field_key: field for field in extract([page], SCHEMA, LEXICON).fields}
    for key in ("metadata.claim_number", "claimant.full_name", "metadata.claim_status"):
        assert found[key].value is None, key


def test_a_screen_with_a_row_of_days_is_no_log():
    boxes = [
        (("Clmt", "Hired", "Nxt diary"), ("REO, Ana", "04/11/2016", "11/14/2025")),
        (("Loss dt", "ER knew", "Place"), ("02/12/2025", "02/13/2025", "Bay 6")),
        (("AWW", "Wkly comp", "TTD from"), ("$1,086.45", "$724.30", "02/14/2025")),
    ]
    lines = [
        Line(60 + 160 * c, 130 + 60 * b + 14 * r, cell, 8 if r else 7)
        for b, box in enumerate(boxes)
        for r, row in enumerate(box)
        for c, cell in enumerate(row)
    ]
    head = column(["Claim notes | Claim summary", "Data as of 10/17/2025"])
    found = {
        field.field_key: field.value
        for field in extract([typeset("screen", [*head, *lines])], SCHEMA, LEXICON).fields
    }
    assert found["temporary_disability.weekly_rate"] == 724.3
    assert found["temporary_disability.start_date"] == "2025-02-14"


def test_a_task_that_is_ticked_is_done():
    tasks = [
        "OPEN TASKS",
        "[ ] Ask the clinic for its notes due 07/31/2025",
        "[x] Send the first notice done 06/12/2025",
    ]
    value = read(*tasks)["next_actions.action_items"].value
    assert all("first notice" not in item["action"] for item in value or ())
