"""What was read for a field and not believed answers with its doubt said; how answers are cut."""

import pytest

from citation_pipeline.core.retrieval.confidence import answer_model
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.subjects import read_subjects
from citation_pipeline.core.retrieval.typed_answers import find_typed
from citation_pipeline.core.retrieval.word_kin import alike_terms
from citation_pipeline_tests.test_questions_evidence import answered, by_key, field

EXAMINER = "metadata.examiner_name"


def test_a_value_that_was_not_believed_answers_where_no_other_is_shown() -> None:
    doubted = field(
        EXAMINER,
        "Odile Marchbanks",
        "string",
        "Adjuster: Odile Marchbanks",
        doubt="weak_evidence",
        belief=0.7,
    )
    answer = answered("Who is the adjuster?", doubted={EXAMINER: [doubted]})
    assert (answer.text if answer.is_found else answer.misses[0].answer) == "Odile Marchbanks"
    assert answer.confidence < 0.8
    if answer.is_found:
        assert answer.state == "doubted"


def test_the_shown_value_comes_before_what_was_not_believed() -> None:
    shown = field(EXAMINER, "Ana Ruiz", "string", "Adjuster: Ana Ruiz")
    doubted = field(
        EXAMINER, "Odile Marchbanks", "string", "Odile Marchbanks", doubt="superseded", belief=0.3
    )
    answer = answered("Who is the adjuster?", fields=by_key(shown), doubted={EXAMINER: [doubted]})
    assert answer.is_found
    assert answer.value == "Ana Ruiz"
    assert answer.state == "found"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("P&S as of when, going by the QME?", "date"),
        ("Follow-up with the surgeon is when?", "date"),
        ("first day back on the job", "date"),
        ("How soon must the tools be returned?", "number"),
    ],
)
def test_a_question_tells_the_form_of_its_answer(text: str, kind: str) -> None:
    assert read_question(text).kind == kind


def test_who_may_be_a_firm_but_a_doctor_is_a_person() -> None:
    assert read_question("Who reviewed the request?").may_be_firm
    assert not read_question("Which doctor reviewed the request?").may_be_firm


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("for a period of twelve (12) months after termination", "number", "twelve (12) months"),
        ("within five (5) business days of the request", "number", "five (5) business days"),
        ("Fink, Brant", "person", "Fink, Brant"),
        ("Board President Josephine Lucey", "person", "Josephine Lucey"),
    ],
)
def test_an_answer_is_cut_with_its_unit_and_without_the_titles_before_it(
    text: str, kind: str, found: str
) -> None:
    assert [value.text for value in find_typed(text, kind)] == [found]


def test_a_code_keeps_the_capitals_before_its_digits_and_an_ordinal_is_none() -> None:
    assert [code.text for code in find_typed("Bond QRT 5520817-01 of the 21st", "code")] == ["QRT 5520817-01"]
    assert [code.text for code in find_typed("Bond KLM-XY 5520817", "code")] == ["KLM-XY 5520817"]
    assert [code.text for code in find_typed("PAGE 5520817", "code")] == ["5520817"]


def test_a_common_word_at_the_beginning_of_a_question_is_no_name() -> None:
    assert read_subjects("Current Rx list with dosages?").names == ()
    assert read_subjects("Marchbanks Odile signed what?").names[0] == "marchbanks"


def test_words_of_like_meaning_are_near_and_names_have_none() -> None:
    assert alike_terms("doctor") or alike_terms("~physician")
    assert alike_terms("marchbanks") == {}


def test_a_value_is_found_by_the_words_of_its_field_where_the_question_has_none_of_them() -> None:
    line = Statement(
        "note", 1, "sentence", tuple(range(9)), tuple(range(9)), "", "The desk adjuster is Ana Ruiz."
    )
    answer = answered("Who has this claim now?", line)
    ranked = [*answer.support, *answer.misses]
    assert ranked
    assert ranked[0].statement is not None
    assert "Ana Ruiz" in ranked[0].statement.text
    assert answer_model().threshold > 0
