"""Strings by their folded words, enumerations, and answers with and without boxes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.values.grammar import find_value, find_values, parse_value, same_value
from citation_pipeline.core.values.names import given_name_first, is_person_like
from citation_pipeline.core.values.spans import find_folded, fold, fold_words

DUTIES = ("full_duty", "modified_duty", "off_work")


@given(st.text(max_size=40), st.text(min_size=1, max_size=12), st.text(max_size=40))
def test_every_found_place_folds_to_what_was_looked_for(before, wanted, after):
    text = before + wanted + after
    for start, end in find_folded(text, wanted):
        assert fold(text[start:end]) == fold(wanted)


def test_half_of_a_letter_that_folds_to_two_is_not_found():
    assert find_folded("Ma\u00df \u00df", "s") == []
    assert find_folded("Ma\u00df \u00df", "ss") == [(4, 5)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("LÓPEZ DÍAZ, INÉS", "Inés López Díaz"),
        ("QUINTANAR, MARISOL (applicant)", "Marisol Quintanar"),
        ("per Kevin O\u2019Rourke, M.D.", "Kevin O'Rourke, MD"),
        ("Post\u2011Acute, LP", "Post-Acute LP"),
        ("JOSE PENA", "José Peña"),
    ],
)
def test_a_name_is_found_however_it_is_printed(text, value):
    (span,) = find_value(text, value, "string")
    assert span.value == value


def test_a_word_inside_another_is_not_found():
    assert find_value("Pennington", "Penn", "string") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[X] Yes [ ] No", True),
        ("[ ] Yes [X] No", False),
        ("\u2612 Yes \u2610 No", True),
        ("No - not litigated", False),
        ("Yes", True),
    ],
)
def test_the_ticked_answer_counts(text, value):
    assert parse_value(text, "boolean") is value


def test_empty_boxes_answer_nothing():
    assert find_values("[ ] Yes [ ] No", "boolean") == []


def test_an_enumeration_is_read_by_its_words():
    assert parse_value("Modified Duty", "enum", enum=DUTIES) == "modified_duty"
    assert parse_value("released to MODIFIED-DUTY today", "enum", enum=DUTIES) == "modified_duty"
    assert parse_value("on vacation", "enum", enum=DUTIES) is None
    assert [s.value for s in find_value("stays off work", "off_work", "enum")] == ["off_work"]


def test_lists_are_the_same_in_any_order():
    a = [{"body_part": "Ankle", "side": "left"}, {"body_part": "Knee", "side": None}]
    b = [{"body_part": "knee"}, {"body_part": "ANKLE", "side": "Left"}]
    assert same_value(a, b, "array")
    assert not same_value(a, b[:1], "array")


def test_silence_equals_only_silence():
    assert same_value(None, None, "string")
    assert not same_value(None, "", "string")


def test_surnames_first_are_turned_round():
    assert given_name_first("DE LA CRUZ, ANA") == "Ana De La Cruz"
    assert given_name_first("Pruitt, Edith, D.P.M.") == "Edith Pruitt, D.P.M."
    assert given_name_first("Oduya, Femi K Jr.") == "Femi K Oduya Jr."
    assert given_name_first("ODUYA, FEMI K SR") == "Femi K Oduya Sr"
    assert given_name_first("ODUYA, FEMI III") == "Femi Oduya III"
    assert is_person_like("Edith Pruitt, D.P.M.")
    assert not is_person_like("Copper Ridge Canning Company")


@pytest.mark.parametrize("text", ["O'Hara-Lund, D.O.", "a.b. c_d `quoted` 7.5%", "", "...", "X. Y.Z"])
def test_plain_letters_fold_into_the_same_words_beside_an_accented_one(text: str) -> None:
    assert fold_words(f"{text} \u00e9") == [*fold_words(text), "e"]
