"""What a question is refused for, and forms of questions that were read as others."""

import pytest

from citation_pipeline.core.retrieval.evidence import Evidence, judge_statement
from citation_pipeline.core.retrieval.near_misses import near_miss_of
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.sought import read_sought
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.term_weights import weigh_terms
from citation_pipeline.core.retrieval.typed_answers import find_typed, is_measured_as_asked


def stated(text: str) -> Statement:
    words = tuple(range(len(text.split())))
    return Statement("note", 1, "sentence", words, words, "", text)


def of_field(**features: float) -> Evidence:
    return Evidence(stated("4471"), 0.0, 0.0, 1.0, None, features, value="4471", field_key="lot.number")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Which agency leased the barge?", "firm"),
        ("How much notice does the landlord need?", "number"),
        ("How much lead time do they want?", "number"),
        ("the second part is paid when", "date"),
        ("rate for the late ferry", "money"),
        ("unit price of the crate", "money"),
        ("What interest is charged on late rent?", "percent"),
        ("the governing state", "law"),
        ("which rep looks after us", "person"),
        ("I keep the books and want the salesman's name here.", "person"),
        ("Registration number of the barge", "code"),
        ("Last four digits of the card", "code"),
        ("To which PO box does the rent go?", "place"),
    ],
)
def test_a_question_asks_for_the_form_that_its_words_name(text: str, kind: str) -> None:
    assert read_question(text).kind == kind


def test_a_post_office_box_is_a_place() -> None:
    (place,) = find_typed("Remit to P.O. Box 4471.", "place")
    assert place.text == "P.O. Box 4471"


def test_who_signed_is_no_firm() -> None:
    assert not read_question("Who signed for the mill?").may_be_firm
    assert read_question("Who runs the mill?").may_be_firm


def test_names_in_what_is_not_meant_or_only_tells_the_time_are_no_subjects() -> None:
    for text in ("The rent, and not what Varga guessed?", "What is the rent after Varga raised it?"):
        assert read_question(text).subjects.names == ()
    assert read_question("What did Varga pay after the flood?").subjects.names == ("varga",)


def test_a_turn_of_speech_names_no_part_of_the_body() -> None:
    assert read_question("What is the face amount of the notes?").subjects.body_parts == frozenset()
    assert read_question("Is the face hurt?").subjects.body_parts == {"face"}


def test_a_unit_in_the_label_is_the_numbers_own() -> None:
    (value,) = find_typed("23", "number")
    asked = "What was the pull, in kg?"
    assert is_measured_as_asked(asked, "23", value, "Pull (kg)")
    assert is_measured_as_asked(asked, "23", value, "Pull (ft)") is False


def test_a_text_without_a_name_does_not_tell_names() -> None:
    question = read_question("Tell me the names of the rowers.")
    judged = [
        near_miss_of(question, judge_statement(read_sought(question, weigh_terms([said])), said))
        for said in (stated("A couple of rowers."), stated("The rowers were Ilona Varga and Ben Holt."))
    ]
    assert judged == ["it names nobody", ""]


def test_a_number_of_something_else_is_a_near_miss() -> None:
    part = read_question("What is the part number?")
    assert near_miss_of(part, of_field(field_plain_worst=0.9, field_residual=0.6, field_similarity=0.4))
    assert not near_miss_of(part, of_field(field_plain_worst=0.9, field_residual=0.6, field_similarity=0.9))
    assert near_miss_of(part, of_field(field_abbreviation_unknown=1.0))
