"""One value of an answer as its field's type wants it: read, repaired with a word, or refused with a code."""

import json
import math
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citation_pipeline.core.answers.scalars import REFUSED_VALUES
from citation_pipeline.core.answers.values import read_value
from citation_pipeline.core.schemas import Field, ItemField


def field(value_type: str, **more: Any) -> Field:
    return Field(key="f", value_type=value_type, label="F", category="General", **more)


LIENS = field(
    "array",
    items=(
        ItemField("holder", "string", required=True),
        ItemField("amount", "number"),
        ItemField("filed", "date"),
    ),
)


@pytest.mark.parametrize(
    ("target", "raw", "value", "codes"),
    [
        (field("string"), "as it is ", "as it is", []),
        (field("string"), 2020, "2020", ["retyped"]),
        (field("string"), ["a", "b"], "a; b", ["retyped"]),
        (field("string"), {"a": 1}, None, ["not_a_string"]),
        (field("string"), "", None, ["empty_value"]),
        (field("string"), None, None, []),
        (field("date"), "2026-08-05", "2026-08-05", []),
        (field("date"), "August 5, 2026", "2026-08-05", ["retyped"]),
        (field("date"), "2026-02-30", None, ["not_a_date"]),
        (field("date"), "02/01/2021 - 08/18/2023", None, ["not_a_date", "ambiguous_value"]),
        (field("date"), 20260805, None, ["not_a_date"]),
        (field("number"), 15, 15, []),
        (field("number"), 905.2, 905.2, []),
        (field("number"), "$23,490.00", 23490, ["retyped"]),
        (field("number"), True, None, ["not_a_number"]),
        (field("number"), float("nan"), None, ["not_a_number"]),
        (field("number"), 10**40, None, ["not_a_number"]),
        (field("number"), "9" * 400, None, ["not_a_number"]),
        (field("integer"), 3.0, 3, []),
        (field("integer"), 3.5, None, ["not_an_integer"]),
        (field("integer"), "3.5", None, ["not_an_integer"]),
        (field("boolean"), False, False, []),
        (field("boolean"), "No - not litigated", False, ["retyped"]),
        (field("enum", enum=("1", "2")), 1, "1", ["retyped"]),
        (field("enum", enum=("1", "2")), True, None, ["not_in_enum"]),
        (field("enum", enum=("1", "2")), 3, None, ["not_in_enum"]),
        (field("boolean"), "unclear", None, ["placeholder_value", "not_a_boolean"]),
        (field("boolean"), 1, None, ["not_a_boolean"]),
        (field("enum", enum=("modified_duty",)), "Modified Duty", "modified_duty", ["retyped"]),
        (field("enum", enum=("open",)), "opening", None, ["not_in_enum"]),
        (field("array", item_type="string"), '["a", "b"]', ["a", "b"], []),
        (field("array", item_type="string"), "a; b", ["a", "b"], ["retyped"]),
        (field("array", item_type="string"), "[]", [], ["denied"]),
        (field("array", item_type="string"), "null", None, []),
        (LIENS, [], [], ["denied"]),
        (LIENS, {"holder": "EDD"}, [{"holder": "EDD"}], ["retyped"]),
        (LIENS, ["EDD"], [{"holder": "EDD"}], ["retyped"]),
        (LIENS, [{"holder": "EDD", "amount": None}], [{"holder": "EDD"}], []),
        (LIENS, [{"holder": "EDD", "amount": "$7.50"}], [{"holder": "EDD", "amount": 7.5}], ["retyped"]),
        (LIENS, [{"holder": "EDD", "x": 1}], [{"holder": "EDD"}], ["unknown_member"]),
        (LIENS, [{"amount": 5}], [{"amount": 5}], ["missing_member"]),
        (LIENS, [{"holder": "EDD", "filed": "soon"}], [{"holder": "EDD"}], ["not_a_date"]),
        (LIENS, [{}], None, ["missing_member", "empty_item"]),
    ],
)
def test_a_value_is_read_by_its_fields_type(target: Field, raw: Any, value: Any, codes: list[str]):
    typed = read_value(raw, target)
    assert typed.value == value
    assert type(typed.value) is type(value)
    assert typed.codes == codes


PERCENT = Field(key="pd.wpi_percent", value_type="number", label="F", category="General")
WEEKS = Field(key="td.weeks_paid", value_type="number", label="F", category="General")
PARTS = field("array", item_type="string")

PLACEHOLDERS = [
    "N/A",
    "n/a.",
    "None",
    "(none)",
    "NaN",
    "Unknown",
    "not stated",
    "Not Found",
    "The information is not provided in the documents",
    "No information available",
    "cannot be determined from the records",
    "see above",
    "See page 3",
    "refer to Exhibit B",
    "same as above",
    "TBD",
    "--",
    "\u2014",
    "various",
]


@pytest.mark.parametrize("text", PLACEHOLDERS)
@pytest.mark.parametrize(
    "target",
    [
        field("string"),
        field("date"),
        field("number"),
        field("integer"),
        field("boolean"),
        field("enum", enum=("open", "closed")),
    ],
    ids=lambda target: target.value_type,
)
def test_words_in_place_of_a_value_are_never_a_value(target: Field, text: str):
    typed = read_value(text, target)
    assert typed.value is None
    assert "placeholder_value" in typed.codes


def test_a_word_that_the_enumeration_has_is_a_value_although_it_looks_like_none():
    assert read_value("unknown", field("enum", enum=("unknown", "known"))).value == "unknown"


@pytest.mark.parametrize("text", ["none", "N/A", "not stated", "unclear"])
def test_a_yes_or_no_that_is_neither_is_worth_one_more_question(text: str):
    assert REFUSED_VALUES & set(read_value(text, field("boolean")).codes)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Yes", True),
        ("no.", False),
        ("Yes, filed 3/1/2024", True),
        ("No - not litigated", False),
        ("[X] Yes [ ] No", True),
        ("\u2610 Yes \u2612 No", False),
        ("Yes, but only in part", None),
        ("Yes (however disputed)", None),
        ("Yes - not litigated", None),
        ("yes/no", None),
        ("No, unless reopened", None),
        ("[ ] Yes [ ] No", None),
        ("[X] Yes [X] No", None),
        ("none", None),
        ("never mind", None),
        ("1", None),
        ("denied", None),
        ("Norwalk", None),
    ],
)
def test_a_yes_or_no_is_taken_only_where_nothing_takes_it_back(text: str, value: bool | None):
    assert read_value(text, field("boolean")).value is value


@pytest.mark.parametrize("raw", [1, 0, 1.0, 0.0, [], {}, [True]])
def test_a_number_or_a_container_is_no_yes_or_no(raw: Any):
    assert read_value(raw, field("boolean")).value is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-03-01T00:00:00Z", "2024-03-01"),
        ("Friday, March 1, 2024", "2024-03-01"),
        ("on 03/01/2024", "2024-03-01"),
        ("13/45/2024", None),
        ("2024-02-30", None),
        ("0000-00-00", None),
        ("March 2024", None),
        ("before 2024-03-01", None),
        ("03/01/2024 - 03/05/2024", None),
        ("approximately 03/01/2024", None),
        ("3/1", None),
    ],
)
def test_a_date_is_one_whole_day_or_none(text: str, value: str | None):
    assert read_value(text, field("date")).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(500)", -500),
        ("($1,234.50)", -1234.5),
        ("-$20", -20),
        ("\u2212 20", -20),
        ("$1,234", 1234),
        ("USD 500", 500),
        ("500 dollars", 500),
        ("$1.2 million", 1200000),
        ("0.125", 0.125),
        ("1.250", None),
        ("$12.500", None),
        ("1,25", None),
        ("1,2345", None),
        ("1.234,56", None),
        ("1 250", None),
        ("(500", None),
        ("$1,234 (approx.)", None),
        ("about 500", None),
        ("500-600", None),
        ("500 to 600", None),
        ("up to 500", None),
        ("500+", None),
        ("15%", None),
        ("12 weeks", None),
        ("five hundred", None),
        ("1e5", None),
        ("Infinity", None),
        ("NaN", None),
        ("$", None),
    ],
)
def test_a_number_is_the_whole_text_or_none(text: str, value: float | None):
    assert read_value(text, field("number")).value == value


def test_a_unit_is_read_where_the_field_is_of_that_unit():
    assert read_value("12 weeks", WEEKS).value == 12
    assert read_value("12 months", WEEKS).value is None
    assert read_value("15%", PERCENT).value == 15


@pytest.mark.parametrize("raw", [115, -3, "115%"])
def test_a_share_beyond_the_whole_is_refused(raw: Any):
    assert read_value(raw, PERCENT).value is None
    assert read_value(raw, PERCENT).codes[-1] == "implausible_percent"


@pytest.mark.parametrize("raw", [True, {"a": 1}, [{}], '{"a": 1}', '["a"]', "x" * 6000, float("inf")])
def test_a_text_field_takes_no_yes_no_container_or_document(raw: Any):
    assert read_value(raw, field("string")).value is None


@pytest.mark.parametrize("text", ["None filed", "none", "No liens of record", "There are no liens", "nil"])
def test_a_denied_list_is_left_to_its_evidence_and_is_never_an_item(text: str):
    for target in (LIENS, PARTS):
        for raw in (text, [text], [{"holder": text}] if target is LIENS else [text]):
            typed = read_value(raw, target)
            assert not typed.value
            assert typed.codes


@pytest.mark.parametrize(
    "text", ['[{"holder": "EDD", "amount": 5,},]', '[{"holder": "EDD", "amount": 5},\n]']
)
def test_a_trailing_comma_is_taken_away_and_what_is_broken_otherwise_is_asked_again(text: str):
    assert read_value(text, LIENS).value == [{"holder": "EDD", "amount": 5}]
    for broken in ('[{"holder": "EDD"', "[{'holder': 'EDD'}]", '[{"holder": "a, ]b"', "EDD $5"):
        typed = read_value(broken, LIENS)
        assert (typed.value, typed.codes) == (None, ["not_an_array"])
        assert set(typed.codes) <= REFUSED_VALUES


def test_a_comma_within_a_text_is_no_trailing_comma():
    assert read_value('["a,]", "b",]', PARTS).value == ["a,]", "b"]


def test_a_list_written_as_a_sentence_is_not_guessed_apart():
    assert read_value("neck, back and left knee", PARTS).value is None
    assert read_value("neck; back", PARTS).value == ["neck", "back"]


def test_an_item_that_stands_twice_in_a_list_of_texts_is_kept_once_and_said():
    typed = read_value(["Neck", "neck", "None", "Back"], PARTS)
    assert typed.value == ["Neck", "Back"]
    assert set(typed.codes) == {"repeated_item", "placeholder_value"}
    assert typed.kept == (0, 3)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(PLACEHOLDERS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(
    ANYTHING,
    st.sampled_from([*(field(t) for t in ("string", "date", "number", "integer", "boolean")), PARTS, LIENS]),
)
def test_whatever_is_answered_gives_a_value_of_the_fields_type_or_says_why_not(raw: Any, target: Field):
    typed = read_value(raw, target)
    if typed.value is None:
        assert typed.codes or raw is None or raw == "null"
        return
    kinds = {
        "string": str,
        "date": str,
        "number": (int, float),
        "integer": int,
        "boolean": bool,
        "array": list,
    }
    assert isinstance(typed.value, kinds[target.value_type])
    if target.value_type in ("number", "integer"):
        assert not isinstance(typed.value, bool)
        assert math.isfinite(typed.value)
    again = read_value(typed.value, target)
    assert again.value == typed.value  # reading what was read changes nothing


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False, allow_infinity=False))
def test_every_sum_in_dollars_is_read_as_it_is_written(amount: Decimal):
    written = f"${abs(amount):,.2f}"
    for text in (f"({written})", f"-{written}") if amount < 0 else (written, f"{amount:.2f} USD"):
        assert read_value(text, field("number")).value == pytest.approx(float(amount))


@given(st.dates(min_value=date(1950, 1, 1), max_value=date(2039, 12, 31)))
def test_every_day_is_read_in_each_usual_form_and_two_days_are_none(day: date):
    forms = (day.isoformat(), f"{day:%m/%d/%Y}", f"{day:%B} {day.day}, {day.year}", f"{day:%d-%b-%Y}")
    assert {read_value(form, field("date")).value for form in forms} == {day.isoformat()}
    assert read_value(f"{forms[0]} or {forms[1]}", field("date")).value is None


@given(
    st.lists(
        st.fixed_dictionaries({"holder": st.from_regex(r"[A-Z][a-z]{3,9}(, \]?[A-Z]{2})?", fullmatch=True)}),
        min_size=1,
        max_size=4,
    )
)
def test_a_list_reads_the_same_with_and_without_a_trailing_comma(items: list[dict[str, str]]):
    whole = json.dumps(items)
    assert read_value(whole[:-1] + ",]", LIENS).value == read_value(whole, LIENS).value


_TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["0", "none", "None filed", "N/A", "a; b", "left, right", "yes", "2024-01-02", "[1]", '["a"]']
    ),
)
_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS)
_RECORDS = st.dictionaries(
    st.sampled_from(["holder", "amount", "filed", "other"]),
    st.one_of(_SCALARS, st.lists(_SCALARS, max_size=2)),
)
_RAW = st.one_of(_SCALARS, _RECORDS, st.lists(st.one_of(_SCALARS, _RECORDS), max_size=4))
_SCALAR_TYPES = ("string", "date", "datetime", "number", "integer", "boolean")
_FIELDS = [
    LIENS,
    field("enum", enum=("modified_duty", "none", "0")),
    *(field(value_type) for value_type in _SCALAR_TYPES),
    *(field("array", item_type=value_type) for value_type in _SCALAR_TYPES),
]


@given(st.sampled_from(_FIELDS), _RAW)
@example(field("array", item_type="string"), [0])
@example(LIENS, [0])
@example(LIENS, [{"holder": "A"}, {"holder": ["none", "None filed"], "amount": 5}])
@example(field("string"), ['["a"]', ""])
def test_a_value_that_was_read_and_written_is_read_as_the_same(target: Field, raw: Any) -> None:
    value = read_value(raw, target).value
    if value is not None:
        assert read_value(json.loads(json.dumps(value)), target).value == value
