"""Money, percentages and plain numbers, told from dates, phones and codes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.values.grammar import find_value, find_values, parse_value, same_value

CENTS = st.integers(min_value=0, max_value=10**10)


@given(cents=CENTS)
def test_a_sum_reads_the_same_with_and_without_marks(cents):
    value = cents / 100
    for written in (f"${value:,.2f}", f"{value:,.2f}", f"$ {value:.2f}", f"USD {value:,.2f}"):
        assert same_value(written, value, "number"), written


@given(cents=CENTS, other=CENTS)
def test_a_planted_sum_is_found_and_no_other(cents, other):
    text = f"Paid ${cents / 100:,.2f} on 04/04/2022 and ${other / 100:,.2f} later."
    found = [text[s.start : s.end] for s in find_value(text, cents / 100, "number")]
    assert f"${cents / 100:,.2f}" in found
    assert len(found) == (2 if cents == other else 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("21%", 21),
        ("21 percent", 21),
        ("$18,250.00", 18250),
        ("$512.40/wk", 512.40),
        ("($1,200.50)", -1200.5),
        ("$45k", 45000),
        ("$1.2 million", 1_200_000),
        ("a 190-pound crate", 190),
    ],
)
def test_a_number_is_read_as_it_is_written(text, value):
    assert parse_value(text, "number") == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["M17.11", "2019-07-8816", "04/04/2022", "6/10", "(555) 555-0188", "ADJ10203040"]
)
def test_codes_dates_and_phones_are_no_numbers(text):
    assert find_values(text, "number") == []


def test_only_whole_numbers_are_integers():
    assert [s.value for s in find_values("5 stops, 12.5 tons, 1,000 miles", "integer")] == [5, 1000]
