"""Turns of speech in questions: read as plain words, and as the kind of answer that they ask for."""

import re
from importlib import resources

import pytest

from citation_pipeline.adapters.schema_files import load_schema, read_phrasings
from citation_pipeline.core.retrieval.field_evidence import match_fields
from citation_pipeline.core.retrieval.idioms import plain_wording
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.subjects import roles_of
from citation_pipeline.core.retrieval.typed_answers import choose_typed, find_typed

PHRASINGS = read_phrasings(load_schema("workers_comp"))


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ("On whose desk did the Marchetti file land?", "metadata.examiner_name"),
        ("How much has gone out the door, everything in one figure?", "payments.total_paid"),
        ("Is the man as good as he will ever get?", "mmi_status.is_mmi"),
        ("Which company are we going after to get our money back?", "subrogation.third_party_name"),
        ("What does her lost-time pay come to a week?", "temporary_disability.weekly_rate"),
        ("How much are we holding back for medical as things stand?", "reserves.medical_reserve"),
        ("When do we have to be before the commissioner?", "litigation.next_hearing_date"),
        ("Which parts of his body are we fighting?", "body_parts.disputed_body_parts"),
    ],
)
def test_a_turn_of_speech_asks_for_the_field_that_it_means(said: str, field: str) -> None:
    best = match_fields(read_question(said), PHRASINGS).best
    assert best is not None
    assert best.field_key == field


def test_a_plain_question_stays_as_it_is() -> None:
    assert plain_wording("Who is the treating physician?") == "who is the treating physician?"


def test_every_line_of_the_idioms_is_an_expression_and_what_it_means() -> None:
    text = (resources.files("citation_pipeline.schemas") / "questions" / "idioms.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) > 100
    for line in lines:
        said, arrow, meant = line.partition(" => ")
        assert arrow, line
        assert meant.strip(), line
        assert not re.compile(said).match(""), f"{line} reads nothing as something"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The log and the form differ. On what day did the boss hear of it?", "date"),
        ("And the last day covered by a check?", "date"),
        ("What did the surgery center bill for the March operation?", "money"),
        ("What are the odds of a second operation?", "percent"),
        ("Which check paid the waiting week?", "code"),
        ("How many visits were set and how many did he attend?", "text"),
    ],
)
def test_the_kind_of_the_answer_is_read_from_the_clause_that_asks(text: str, kind: str) -> None:
    assert read_question(text).kind == kind


def chosen(text: str, asked: str, kind: str, **more: bool) -> str:
    terms = dict.fromkeys(read_question(asked).terms, 1.0)
    found = choose_typed(text, find_typed(text, kind), terms, kind, **more)
    return found.text if found is not None else ""


def test_of_two_sums_the_one_with_the_words_of_the_question_before_it_is_the_answer() -> None:
    text = "Set O/S indemnity 4,100.00, O/S medical 9,650.00 after the hearing."
    assert chosen(text, "outstanding medical reserve", "money") == "9,650.00"
    assert chosen(text, "outstanding indemnity reserve", "money") == "4,100.00"


def test_a_value_that_the_text_replaces_is_not_the_answer_unless_the_earlier_one_is_asked_for() -> None:
    text = "Weekly rate $610.40 becomes $655.10."
    assert chosen(text, "weekly rate", "money") == "$655.10"
    assert chosen(text, "weekly rate", "money", wants_earlier=True) == "$610.40"
    assert chosen("Rate adj 610.40 to 655.10", "weekly rate", "money") == "655.10"


def test_who_asks_for_a_sum_is_told_what_the_text_calls_one() -> None:
    text = "The fund asks for $700.00, the clinic for $95.50; together they come to $795.50."
    assert chosen(text, "sum of the liens", "money", wants_total=True) == "$795.50"


def test_the_roles_whose_own_things_are_asked_for_are_read() -> None:
    assert roles_of("What is the brother's date of birth?") == ("brother",)
    assert roles_of("What is the hourly rate of the worker's present attorney?") == ("attorney",)
    assert roles_of("When are we in front of the magistrate?") == ()
    assert roles_of("What did the adjuster's note say?") == ()


def test_a_word_with_a_capital_at_the_beginning_of_a_sentence_is_no_name() -> None:
    assert read_question("Since when was she there? Use the personnel file.").subjects.names == ()
    assert read_question("Who covers at Christmas for Bettina?").subjects.names == ("bettina",)


def test_a_question_tells_whether_a_day_to_come_is_asked_for() -> None:
    assert read_question("When is the next hearing?").asks_ahead is True
    assert read_question("When did he stop work?").asks_ahead is False


def test_what_is_said_before_the_question_weighs_less() -> None:
    question = read_question("The forms do not agree. On what day did the employer learn of the fall?")
    assert question.asides
    assert question.asides.isdisjoint(read_question("On what day did the employer learn of the fall?").terms)
