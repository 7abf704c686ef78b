"""Charts of visits, days behind verbs, names behind roles, and members that the rest of a line explains."""

from dataclasses import replace

import pytest

from citation_pipeline.core.rules.pages.layout import read_rows
from citation_pipeline.core.rules.pages.sections import read_sections
from citation_pipeline.core.values.names import is_person_like
from citation_pipeline_tests.rules_papers import paper, read
from citation_pipeline_tests.typeset import column, typeset

STATUS = ("CLAIM STATUS REPORT", "Report date: 05/06/2024")
HEAD = "Alder Valley Orthopaedics"


def chart(*pages):
    lines = [
        replace(line, page=page) for page, own in enumerate(pages, start=1) for line in column([HEAD, *own])
    ]
    return typeset("chart", lines)


def test_each_page_of_a_chart_speaks_for_the_visit_that_its_head_names():
    first = ("RUIZ, Ana  printed 06/03/2024 by records", "Office visit - March 4, 2024", "Pain 6 of 10.")
    last = ("RUIZ, Ana  printed 06/03/2024 by records", "Office visit - May 20, 2024", "Pain 3 of 10.")
    days = [section.day for section in read_sections(read_rows(chart(first, last)))]
    assert days == ["2024-03-04", "2024-05-20"]


def test_a_paper_that_goes_on_under_its_head_is_one():
    first = ("Examined on March 4, 2024", "Pain 6 of 10.")
    assert not read_sections(read_rows(chart(first, ("The second page tells the rest.",))))


def test_a_listing_under_one_head_is_no_chart():
    first = ("03/04/2024 check 1001 480.00", "03/11/2024 check 1002 480.00")
    last = ("05/06/2024 check 1009 480.00", "05/13/2024 check 1010 480.00")
    assert not read_sections(read_rows(chart(first, last)))


def test_what_was_dictated_on_a_day_speaks_for_it_and_not_for_a_day_ahead():
    newer = paper("WORK STATUS REPORT", "Date: 04/30/2024", "Work status: full duty", name="newer")
    told = ("Dictated February 9, 2024", "Work status: off work", "A free room: June 23, 2024")
    older = paper("WORK STATUS REPORT", *told, name="older")
    assert read(newer, older)["work_status.current_status"].value == "full_duty"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Applicant attorney: Counsel Odile Marchetti", "Odile Marchetti"),
        ("Applicant attorney: Marchetti, Odile B. for the worker", "Odile B. Marchetti"),
    ],
)
def test_a_name_is_read_without_how_its_bearer_takes_part(line, name):
    assert read(paper(*STATUS, line))["attorneys.applicant_attorney_name"].value == name


@pytest.mark.parametrize("title", ["Activity Log", "Claim Notes", "Wage Statement", "Nurse Report"])
def test_a_documents_title_is_nobodys_name(title):
    assert not is_person_like(title)


def test_a_given_name_and_an_initial_are_no_whole_name():
    found = read(paper(*STATUS, "Applicant attorney: Odile B."))["attorneys.applicant_attorney_name"]
    assert found.value is None


def parts(line):
    items = read(paper(*STATUS, line))["body_parts.accepted_body_parts"].value
    return [(item["body_part"], item.get("side")) for item in items]


def test_a_side_printed_before_a_part_stays_in_its_name():
    assert parts("Accepted body parts: L elbow; R hip") == [("left elbow", "left"), ("right hip", "right")]


def test_a_part_picked_from_a_forms_own_list_is_named_without_its_side():
    assert parts("Accepted body parts: Left Elbow, Right Hip") == [("Elbow", "Left"), ("Hip", "Right")]


REVIEW = ("UTILIZATION REVIEW DETERMINATION", "Determination date: 05/06/2024")


def test_a_member_that_a_line_opens_with_is_meant_whatever_explains_it():
    line = "Outcome: MODIFIED: 4 sessions certified, 8 sessions not certified"
    assert read(paper(*REVIEW, line))["utilization_review.decision"].value == "modified"


def test_some_of_what_was_asked_for_is_a_modification():
    found = read(paper(*REVIEW, "Decision: Four of the twelve sessions"))
    assert found["utilization_review.decision"].value == "modified"


def test_a_short_description_ends_with_its_sentence():
    line = "Requested treatment: twelve sessions of aquatic therapy. The guideline asks for progress first."
    found = read(paper(*REVIEW, line))["utilization_review.requested_treatment"]
    assert found.value == "twelve sessions of aquatic therapy"


def test_a_note_of_the_days_after_does_not_replace_the_letter_that_it_tells_of():
    letter = paper(*REVIEW, "Requested treatment: lumbar epidural injection, two levels", name="letter")
    notes = paper(
        "CLAIM NOTES",
        "05/08/2024 AB UR back - lumbar epid denied 5/6/24.",
        "05/02/2024 AB Chart in from the clinic, three pages.",
        "04/22/2024 AB Called the worker, no answer.",
        name="notes",
    )
    found = read(letter, notes)["utilization_review.requested_treatment"]
    assert found.value == "lumbar epidural injection, two levels"


NOTES = ("CLAIM NOTES", "05/01/2024 AB Chart in from the clinic, three pages.")


@pytest.mark.parametrize(
    ("key", "line", "value"),
    [
        ("temporary_disability.weekly_rate", "AWW now 930.15, comp 620.10.", 620.10),
        ("next_actions.next_diary_date", "Tickle 07/15/2024.", "2024-07-15"),
        ("attorneys.applicant_attorney_name", "LOR received from Odile Marchetti.", "Odile Marchetti"),
        ("fraud_siu.siu_referral", "Ref'd to SIU for a second look.", True),
        ("future_medical.is_recommended", "Future med yes, two visits.", True),
    ],
)
def test_logs_say_it_short(key, line, value):
    found = read(paper(NOTES[0], f"05/06/2024 AB {line}", *NOTES[1:], "04/22/2024 AB Called, no answer."))
    assert found[key].value == value


@pytest.mark.parametrize(
    "line",
    [
        "Orchard Health Plan has not filed yet; I expect about $2,750.00 from it.",
        "Orchard Health Plan paid two bills in March, we expect it to ask for $2,750.00.",
    ],
)
def test_a_payer_that_will_ask_for_its_money_is_an_expected_lien(line):
    items = read(paper(*STATUS, line))["liens.expected_liens"].value
    assert items == [{"lienholder": "Orchard Health Plan", "estimated_amount": 2750}]


def test_an_operation_that_was_only_asked_for_is_none():
    report = ("INDEPENDENT MEDICAL EXAMINATION", "Date of examination: 05/06/2024")
    done = "He had an open repair of the left biceps tendon on 11/03/2023."
    asked = "Dr. Reo requested an open repair of the left biceps tendon on 11/03/2023."
    assert read(paper(*report, done))["treatment.surgeries"].value
    assert not read(paper(*report, asked))["treatment.surgeries"].value
