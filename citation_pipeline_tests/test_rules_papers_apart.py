"""Papers that are not the claim's word: another person's, an example, an older print, a misprinted day."""

import pytest

from citation_pipeline.core.documents.dates import dates_of
from citation_pipeline_tests.drawn_documents import text_document
from citation_pipeline_tests.rules_papers import paper, read

OURS = ("Injured Worker: Nadia Voss", "Claim Number: QR-22-4410", "Date of Injury: 06/11/2023")
THEIRS = ("Injured Worker: Owen Pratt", "Claim Number: QR-19-0087", "Date of Injury: 02/02/2019")
WAGE, RATE, HIRED = (
    "wages.average_weekly_wage",
    "temporary_disability.weekly_rate",
    "claimant.date_of_hire",
)
REPORT = ("EMPLOYER REPORT", *THEIRS, "Average Weekly Wage: $655.00", "Date of Hire: 05/05/2011")


def test_what_only_another_persons_paper_says_is_no_value_of_the_claim():
    fields = read(
        paper("BENEFIT NOTICE", "Date: 08/01/2024", *OURS, "Temporary Disability Rate: $410.00", name="a"),
        paper("EMPLOYER REPORT", *OURS, "Occupation: Joiner", name="b"),
        paper(*REPORT, name="c"),
    )
    assert (fields[WAGE].value, fields[HIRED].value) == (None, None)
    assert [candidate.value for candidate in fields[WAGE].candidates] == [655]
    assert fields["claimant.full_name"].value == "Nadia Voss"
    assert fields[RATE].value == 410


def test_of_two_papers_about_two_people_neither_is_believed():
    fields = read(paper("EMPLOYER REPORT", *OURS, name="a"), paper(*REPORT, name="b"))
    assert {key for key, field in fields.items() if field.value is not None} == set()


def test_another_number_of_the_same_person_is_another_offices():
    fields = read(
        paper("BENEFIT NOTICE", *OURS, name="a"),
        paper("EMPLOYER REPORT", OURS[0], "Claim Number: 88-1204", "Average Weekly Wage: $655.00", name="b"),
    )
    assert fields[WAGE].value == 655


@pytest.mark.parametrize("head", [("HOW TO COMPLETE THIS FORM", ""), ("EMPLOYER REPORT", "Example:")])
def test_what_a_form_gives_as_an_example_is_nobodys(head: tuple[str, str]):
    example = ("Employee Name: Pat Specimen", "Average Weekly Wage: $655.00", "Date of Hire: 05/05/2011")
    fields = read(paper(*filter(None, head), *example, name="a"), paper("BENEFIT NOTICE", *OURS, name="b"))
    assert (fields[WAGE].value, fields[HIRED].value) == (None, None)
    assert fields["claimant.full_name"].value == "Nadia Voss"


def test_figures_of_an_older_day_are_no_newer_for_being_printed_again():
    older = (
        "PAYMENT LEDGER",
        "Balances as of 02/01/2024",
        *OURS,
        "Total Paid: $3,100.00",
        "Printed 11/20/2025",
    )
    newer = ("PAYMENT LEDGER", "Balances as of 03/01/2025", *OURS, "Total Paid: $9,700.00")
    assert read(paper(*older, name="a"), paper(*newer, name="b"))["payments.total_paid"].value == 9700


def test_a_paper_of_a_day_decades_ahead_of_all_others_is_not_the_newest():
    first = ("BENEFIT NOTICE", "Date: 08/01/2064", *OURS, "Temporary Disability Rate: $300.00")
    second = ("BENEFIT NOTICE", "Date: 08/01/2024", *OURS, "Temporary Disability Rate: $410.00")
    assert read(paper(*first, name="a"), paper(*second, name="b"))[RATE].value == 410
    documents = [
        text_document(name, f"Report date: {day}") for name, day in (("a", "08/01/2064"), ("b", "08/01/2024"))
    ]
    assert dates_of(documents) == {"b": "2024-08-01"}
    assert dates_of(documents[:1]) == {"a": "2064-08-01"}


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("MMI Date: not before 02/02/2026", "mmi_status.mmi_date", "2026-02-02"),
        ("Permanent Disability Rating: 5% to 20%", "permanent_disability.pd_rating_percent", 5),
        (
            "The worker is no longer represented by Lena Marsh, Esq.",
            "attorneys.applicant_attorney_name",
            "Lena Marsh",
        ),
    ],
)
def test_a_value_that_its_own_words_bound_or_deny_is_a_candidate(line: str, key: str, value: object):
    field = read(paper("STATUS REPORT", "Date: 08/01/2024", *OURS, line))[key]
    assert field.value is None
    assert [candidate.value for candidate in field.candidates] == [value]


def test_a_plain_value_beside_other_figures_is_none_that_is_bounded():
    fields = read(paper("STATUS REPORT", "Date: 08/01/2024", *OURS, "MMI Date: 02/02/2024"))
    assert fields["mmi_status.mmi_date"].value == "2024-02-02"
