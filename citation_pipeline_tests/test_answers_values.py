"""One value of an answer as its field's type wants it: read, repaired with a word, or refused with a code."""

from typing import Any

import pytest

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
        (field("boolean"), "unclear", None, ["not_a_boolean"]),
        (field("boolean"), 1, None, ["not_a_boolean"]),
        (field("enum", enum=("modified_duty",)), "Modified Duty", "modified_duty", ["retyped"]),
        (field("enum", enum=("open",)), "opening", None, ["not_in_enum"]),
        (field("array", item_type="string"), '["a", "b"]', ["a", "b"], []),
        (field("array", item_type="string"), "a; b", ["a", "b"], ["retyped"]),
        (field("array", item_type="string"), "[]", [], []),
        (field("array", item_type="string"), "null", None, []),
        (LIENS, [], [], []),
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
