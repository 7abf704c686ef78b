"""A text is searched only where it holds what every match needs: the same is found, and sooner."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.documents.kinds import shipped_kinds
from citation_pipeline.core.documents.literals import plain_form, required_literals

EXPRESSIONS = [
    expression for kind in shipped_kinds().kinds for expression in (*kind.titles, *kind.words, *kind.against)
]


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        (r"\bTD\b", {" td "}),
        (r"\bbill of lading\b|\bwaybill\b", {" bill of lading ", " waybill "}),
        (r"\b(?:tax |sales )?invoice\b", {"invoice "}),
        (r"compensab\w+", {"compensab"}),
        (r"\bP&S\b", {" p s "}),
        (r"\d{4}", set()),
        (r"(?:net \d\d|[a-z]+)", set()),
    ],
)
def test_literals_are_what_no_match_can_do_without(pattern: str, literals: set[str]) -> None:
    assert required_literals(pattern) == literals


def test_nearly_every_shipped_expression_has_literals() -> None:
    assert sum(not expression.literals for expression in EXPRESSIONS) <= len(EXPRESSIONS) // 20


@given(st.data())
def test_what_matches_may_match(data: st.DataObject) -> None:
    expression = data.draw(st.sampled_from(EXPRESSIONS))
    found = data.draw(st.from_regex(expression.pattern))
    around = st.text(st.sampled_from("aſıİK ,-/\n7TD"), max_size=4)
    text = data.draw(around) + found + data.draw(around)
    if expression.pattern.search(text):
        assert expression.may_be_in(plain_form(text))


def test_text_without_the_words_is_not_searched() -> None:
    expression = next(e for e in EXPRESSIONS if re.search(r"bill of lading", e.pattern.pattern))
    assert not expression.may_be_in(plain_form("The worker was seen for follow-up and started therapy."))
