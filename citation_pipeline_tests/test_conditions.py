"""Conditions in words over the claim schema: understood wholly, or refused with the words named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.core.retrieval.conditions.condition import (
    Condition,
    NotUnderstoodError,
    SearchableField,
    holds,
)
from citation_pipeline.core.retrieval.query_grammar import interpret, read_conditions
from citation_pipeline.core.schemas import Schema, label_of


def searchable(schema: Schema) -> list[SearchableField]:
    fields = []
    for field in schema.fields:
        names = (f"{field.category} {field.label}", *field.hints)
        fields.append(SearchableField(field.key, field.label, field.value_type, names, field.enum))
        for item in field.items:
            own = label_of(item.name)
            names = (f"{field.label} {own}", f"{field.category} {own}")
            fields.append(
                SearchableField(
                    field.key, f"{field.label}: {own}", item.value_type, names, item.enum, item.name
                )
            )
    return fields


FIELDS = searchable(load_schema("workers_comp"))
WITHOUT_LISTS = [field for field in FIELDS if not field.member]

UNDERSTOOD = {
    "liens over $10,000": "liens.total_lien_amount > 10000",
    "total paid not over 10000": "payments.total_paid <= 10000",
    "total paid is not over 10,000": "payments.total_paid <= 10000",
    "total paid isn't more than $10,000": "payments.total_paid <= 10000",
    "total paid doesn't exceed 10000": "payments.total_paid <= 10000",
    "total paid no more than 10000": "payments.total_paid <= 10000",
    "total paid not less than 5000": "payments.total_paid >= 5000",
    "total paid is 5000 or more": "payments.total_paid >= 5000",
    "total paid > 5000": "payments.total_paid > 5000",
    "total paid != 5": "payments.total_paid != 5",
    "total paid is not 5": "payments.total_paid != 5",
    "payments.total_paid >= 12.50": "payments.total_paid >= 12.5",
    "over $5,000 in liens": "liens.total_lien_amount > 5000",
    "total paid between 5 and 10": "payments.total_paid between 5 and 10",
    "total paid from 5 to 10": "payments.total_paid between 5 and 10",
    "total paid not between 5 and 10": "payments.total_paid not between 5 and 10",
    "wpi over 12 percent": "permanent_disability.wpi_percent > 12",
    "lien amount over 500": "liens.filed_liens.amount > 500",
    "lien status is open": "liens.filed_liens.status = open",
    "claim status is open": "metadata.claim_status = open",
    "claim status is not open": "metadata.claim_status != open",
    "claim status isn't closed": "metadata.claim_status != closed",
    "claim status is open or closed": "metadata.claim_status = open or metadata.claim_status = closed",
    "work status is off work": "work_status.current_status = off_work",
    "settlement type is compromise and release": "settlement.settlement_type = compromise_and_release",
    "open claims": "metadata.claim_status = open",
    "litigated": "litigation.is_litigated = yes",
    "not litigated": "litigation.is_litigated = no",
    "is litigated": "litigation.is_litigated = yes",
    "litigated is no": "litigation.is_litigated = no",
    "litigated is not true": "litigation.is_litigated = no",
    "examiner is Bob": "metadata.examiner_name = Bob",
    'examiner is "Bob and Sons"': "metadata.examiner_name = Bob and Sons",
    "examiner is not Bob": "metadata.examiner_name != Bob",
    "examiner contains smith": "metadata.examiner_name contains smith",
    "claim number starts with NUM": "metadata.claim_number starts with NUM",
    "claim number is NUM-000012": "metadata.claim_number = NUM-000012",
    "DOI in 2025": "claimed_injury_description.date_of_injury between 2025-01-01 and 2025-12-31",
    "date of injury not in 2025": (
        "claimed_injury_description.date_of_injury not between 2025-01-01 and 2025-12-31"
    ),
    "date of injury before March 1, 2026": "claimed_injury_description.date_of_injury < 2026-03-01",
    "injured after 2024-06": "claimed_injury_description.date_of_injury > 2024-06-30",
    "date of birth not before 1980": "claimant.date_of_birth >= 1980-01-01",
    "mmi date on or after 04/10/2025": "mmi_status.mmi_date >= 2025-04-10",
    "mmi date in Q1 2025": "mmi_status.mmi_date between 2025-01-01 and 2025-03-31",
    "mmi date in February 2024": "mmi_status.mmi_date between 2024-02-01 and 2024-02-29",
    "mmi date is missing": "mmi_status.mmi_date is missing",
    "mmi date is not missing": "mmi_status.mmi_date is present",
    "has no mmi date": "mmi_status.mmi_date is missing",
    "permanent and stationary date after 2025": "mmi_status.mmi_date > 2025-12-31",
    "total paid over 5000 and examiner is Bob": (
        "payments.total_paid > 5000 and metadata.examiner_name = Bob"
    ),
    "total paid over 5000 or claim status is closed": (
        "payments.total_paid > 5000 or metadata.claim_status = closed"
    ),
    "total paid over 5000 but not litigated": ("payments.total_paid > 5000 and litigation.is_litigated = no"),
    "date of injury after 2024 and before 2026": (
        "claimed_injury_description.date_of_injury > 2024-12-31 and "
        "claimed_injury_description.date_of_injury < 2026-01-01"
    ),
    "(claim status is open or total paid over 5) and litigated": (
        "(metadata.claim_status = open or payments.total_paid > 5) and litigation.is_litigated = yes"
    ),
    "not (claim status is open or total paid over 5)": (
        "metadata.claim_status != open and payments.total_paid <= 5"
    ),
    "claims with total paid over 5000": "payments.total_paid > 5000",
    "ur decision is denied": "utilization_review.decision = denied",
    "total paid =< 5": "payments.total_paid <= 5",
    "total paid over 5.": "payments.total_paid > 5",
    "average weekly wage over 800 a week": "wages.average_weekly_wage > 800",
    "hourly rate over $25/hour": "wages.hourly_rate > 25",
    "employer is Hall & Sons": "employer.name = Hall & Sons",
    "carrier is Bank of America": "coverage.insurance_carrier = Bank of America",
    "carrier is state fund": "coverage.insurance_carrier = state fund",
}

REFUSED = {
    "not over 10000": "not over 10000",
    "over 9000": "over 9000",
    "payments over $1,000 in 2025": "payments",
    "total paid over $1,000 in 2025": "in 2025",
    "total paid over 5000 for Bob": "for Bob",
    "total paid over 5000 except closed": "except closed",
    "status is open": "status is open",
    "decision is denied": "decision is denied",
    "claim status is opened": "opened",
    "claim status is over 5": "over 5",
    "total paid is open": "open",
    "total paid over ten thousand": "ten thousand",
    "total paid between 10 and 5": "between 10 and 5",
    "moon phase is full": "moon phase",
    "paid invoices over 5": "paid invoices",
    "employer is Smith and Sons": "Sons",
    "examiner is Bob or Alice": "Alice",
    "claim status is open, closed": "closed",
    "claim status is not open or closed": "not open",
    "claim status is neither open nor closed": "neither open nor closed",
    "claim status is open or total paid over 5 and litigated": "",
    "total paid over 5000 and": "and",
    "date of injury over 5": "over 5",
    "average over 5": "average",
    "the expensive ones": "expensive",
    "total paid over 5000 roughly": "roughly",
    "litigated is maybe": "maybe",
    "mmi date last year": "last year",
    "date of injury in the last 30 days": "in the last 30 days",
    "(claim status is open": "(",
    "all lien amounts over 5000": "all",
    "every lien status is open": "every",
    "no lien amount over 500": "lien amount",
    "not (lien amount over 500)": "lien amount over 500",
    "more than 3 liens": "more than 3 liens",
    "liens more than 3": "liens more than 3",
    "total paid in 2024": "in 2024",
    "total paid before 2024": "before 2024",
    "total paid since 5": "since 5",
    "total paid over 12%": "over 12%",
    "total paid over 12 percent": "over 12 percent",
    "total paid over (500)": "over",
    "total paid over €800": "over €800",
    "wpi over $12": "over $12",
    "total paid !> 5": "!",
    "total paid > > 5": ">",
    "total paid over 5-": "over 5",
    "!litigated": "!litigated",
    "-litigated": "-litigated",
    "will be litigated": "will be litigated",
    "examiner is Bob plus litigated": "Bob plus litigated",
    "examiner is Bob unless litigated": "Bob unless litigated",
    "examiner is Bob litigated": "litigated",
    "examiner is bob smith litigated": "litigated",
    "examiner is bob total paid 5": "total paid",
    "examiner is Bob & litigated": "Bob & litigated",
    "examiner is Bob hence litigated": "litigated",
    "examiner is no one": "no one",
    "examiner is B*": "B*",
    "claim number is NUM-1 / NUM-2": "NUM-1 / NUM-2",
    "date of injury the day after 2024-01-01": "day",
    "date of injury from 2024 on": "from 2024 on",
    "or litigated": "or",
    "sum of lien amounts over 5": "sum of lien amounts",
    "lien over 500 each": "each",
    "total paid over 500 each": "each",
}


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_a_condition_is_understood_word_by_word(text: str) -> None:
    assert str(read_conditions(text, FIELDS).where) == UNDERSTOOD[text]


@pytest.mark.parametrize("text", REFUSED)
def test_a_condition_with_a_word_too_many_is_refused_and_the_words_are_named(text: str) -> None:
    with pytest.raises(NotUnderstoodError) as refused:
        read_conditions(text, FIELDS)
    assert REFUSED[text] in str(refused.value)


def test_lien_status_is_never_read_as_claim_status() -> None:
    with pytest.raises(NotUnderstoodError, match="lien status"):
        read_conditions("lien status is open", WITHOUT_LISTS)


@pytest.mark.parametrize(
    ("query", "where", "text"),
    [
        ("knee surgery with liens at least $7", "liens.total_lien_amount >= 7", "knee surgery"),
        ("hyaluronic acid injections", "None", "hyaluronic acid injections"),
        ("what is the claimant's name", "None", "what is the claimant's name"),
        ("patient is improving", "None", "patient is improving"),
        ("knee and shoulder injury", "None", "knee and shoulder injury"),
        ('"120 over 80"', "None", '"120 over 80"'),
        ("no liens", "None", "no liens"),
    ],
)
def test_words_that_compare_nothing_are_searched_for(query: str, where: str, text: str) -> None:
    read = interpret(query, FIELDS)
    assert (str(read.where), read.text) == (where, text)


@pytest.mark.parametrize(
    "query",
    [
        "blood pressure 120 over 80",
        "total paid over ten thousand",
        "knee surgery or total paid over 5000",
        "total paid over 5000 or knee surgery",
        "employer is Smith and Sons",
        "claim status is open, closed",
        "payments over $1,000 in 2025",
        "liens not over",
        "litigated = maybe",
        "or litigated",
        "lien over 500 each",
    ],
)
def test_a_search_refuses_a_comparison_that_it_does_not_understand(query: str) -> None:
    with pytest.raises(NotUnderstoodError):
        interpret(query, FIELDS)


@pytest.mark.parametrize(
    ("query", "field", "descending", "limit"),
    [
        ("liens over $5 sorted by total paid", "payments.total_paid", False, None),
        ("liens over $5 sorted by total paid descending", "payments.total_paid", True, None),
        ("open claims order by mmi date, newest first", "mmi_status.mmi_date", True, None),
        ("top 3 claims by total incurred", "reserves.total_incurred", True, 3),
        ("bottom 3 by total incurred where litigated", "reserves.total_incurred", False, 3),
    ],
)  # fmt: skip
def test_an_order_is_understood(query: str, field: str, descending: bool, limit: int | None) -> None:
    sorting = interpret(query, FIELDS).sorting
    assert sorting is not None
    assert (sorting.field_key, sorting.descending, sorting.limit) == (field, descending, limit)


def test_an_order_by_a_field_that_is_not_there_is_refused_with_names() -> None:
    with pytest.raises(NotUnderstoodError, match="total_paid"):
        interpret("liens over $5 sorted by total", FIELDS)


names = st.sampled_from(["total paid", "total incurred", "average weekly wage"])
comparisons = st.sampled_from(["over", "under", "at least", "at most", ">", "<="])
clauses = st.builds(
    lambda name, denied, comparison, value: f"{name} {'not ' if denied else ''}{comparison} {value}",
    names,
    st.booleans(),
    comparisons,
    st.integers(0, 9_999),
)


@given(clauses, st.integers(0, 12_000))
def test_a_denied_condition_holds_where_the_condition_does_not(text: str, value: int) -> None:
    read, denied = (next(iter(read_conditions(each, FIELDS).conditions)) for each in (text, f"not ({text})"))
    assert holds(read, value) is not holds(denied, value)
    assert not holds(read, None)
    assert not holds(denied, None)


@given(st.lists(clauses, min_size=2, max_size=4), st.sampled_from(["and", "or"]))
def test_no_clause_of_a_chain_is_lost(parts: list[str], joiner: str) -> None:
    read = read_conditions(f" {joiner} ".join(parts), FIELDS)
    alone = [str(next(iter(read_conditions(part, FIELDS).conditions))) for part in parts]
    assert [str(condition) for condition in read.conditions] == alone


@given(clauses, st.sampled_from(["maybe", "in 2025", "for Bob", "roughly", "of the left knee", "xyz"]))
def test_a_word_too_many_is_always_refused(text: str, extra: str) -> None:
    for said in (f"{text} {extra}", f"{extra} {text}"):
        with pytest.raises(NotUnderstoodError):
            read_conditions(said, FIELDS)


@given(st.text(max_size=60))
def test_no_text_breaks_the_grammar(text: str) -> None:
    for read in (interpret, read_conditions):
        try:
            found = read(text, FIELDS)
        except NotUnderstoodError as error:
            assert error.reason  # noqa: PT017
        else:
            assert found.query == text


def test_values_of_another_type_meet_no_condition() -> None:
    number = Condition("x", "X", ">", 5, kind="number")
    assert not holds(number, "6")
    assert not holds(number, True)
    assert not holds(Condition("x", "X", "=", True, kind="boolean"), "yes")
    assert holds(Condition("x", "X", "=", "off_work", kind="enum"), "Off work")
