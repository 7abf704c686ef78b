"""Dates and periods in every form of a claim file, there and back."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.values.dates import find_dates, find_periods
from citation_pipeline.core.values.grammar import find_value, parse_value, same_value

FORMS = (
    lambda d: d.isoformat(),
    lambda d: f"{d:%m/%d/%Y}",
    lambda d: f"{d.month}/{d.day}/{d:%y}",
    lambda d: f"{d:%m / %d / %Y}",
    lambda d: f"{d:%m-%d-%Y}",
    lambda d: f"{d.month}.{d.day}.{d:%y}",
    lambda d: f"{d:%B} {d.day}, {d.year}",
    lambda d: f"{d:%b}. {d.day} {d.year}",
    lambda d: f"{d:%d-%b-%Y}",
    lambda d: f"{d.day} {d:%B} {d.year}",
    lambda d: f"{d:%A}, {d:%B} {d.day}, {d.year}",
    lambda d: f"{d.day}th day of {d:%B}, {d.year}",
)
# short years turn in 1940: a claim's dates lie in a working life
DAYS = st.dates(min_value=date(1940, 1, 1), max_value=date(2039, 12, 31))


@given(day=DAYS, form=st.sampled_from(FORMS), other=st.sampled_from(FORMS))
def test_a_date_reads_the_same_in_every_form(day, form, other):
    written = form(day)
    assert parse_value(written, "date") == day.isoformat()
    assert same_value(written, other(day), "date")


@given(day=DAYS, form=st.sampled_from(FORMS))
def test_a_planted_date_is_found_where_it_stands(day, form):
    written = form(day)
    text = f"The examination of {written} was continued, see 15.03.01.00 and ADJ1234567."
    (span,) = find_value(text, day.isoformat(), "date")
    assert text[span.start : span.end] in written
    assert written.endswith(text[span.start : span.end])


@pytest.mark.parametrize(
    "text",
    [
        "- TTD ends 02/29/2025.",
        "13/01/2024",
        "04/31/2024",
        "claim 2019-07-8816",
        "KQR-2031-000912",
        "(555) 555-0188",
        "15.03.01.00 - 11 - [1.4]15 - 420H",
        "October 5 10:30 a.m.",
        "may 10 percent",
    ],
)
def test_what_no_calendar_has_is_no_date(text):
    assert find_dates(text) == []


def test_a_period_has_both_its_ends_in_order():
    ((first, last),) = find_periods("CT 02/01/2021 - 08/18/2023, denied 09/01/2023")
    assert (first.value, last.value) == ("2021-02-01", "2023-08-18")
    assert find_periods("08/18/2023 to 02/01/2021") == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Salinas, California, a 3 de marzo de 2025", "2025-03-03"),
        ("el tres de marzo de 2025 me ca\u00ed", "2025-03-03"),
        ("desde el 1\u00ba de mayo del 2024", "2024-05-01"),
        ("primero de enero de dos mil veinticinco", "2025-01-01"),
        ("el treinta y uno de agosto de dos mil veintid\u00f3s", "2022-08-31"),
        ("Recibida: 9 de sept. de 2023", "2023-09-09"),
        ("marzo 3, 2025", "2025-03-03"),
        ("marzo 3 de 2025", "2025-03-03"),
        ("VEINTINUEVE DE FEBRERO DE 2024", "2024-02-29"),
    ],
)
def test_a_spanish_date_is_read_in_figures_and_in_words(text, day):
    assert [span.value for span in find_dates(text)] == [day]


@pytest.mark.parametrize(
    "text",
    [
        "el tres de marzo",  # of which year, nobody says
        "el treinta de febrero de 2025",
        "los tres de mayo vinieron en 2025",
        "Mayo Clinic 5 of 2024",
        "Plaza 3 de Mayo, 2025 pesos",
        "la junta de marzo de 2025",
    ],
)
def test_what_is_no_whole_spanish_date_is_none(text):
    assert find_dates(text) == []


def test_spanish_and_english_dates_of_one_text_come_in_its_order():
    text = "Seen 03/01/2024; el 4 de marzo de 2024 llam\u00f3; back on April 5, 2024."
    assert [span.value for span in find_dates(text)] == ["2024-03-01", "2024-03-04", "2024-04-05"]
