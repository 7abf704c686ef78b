"""Questions as strangers type them: slips, shorthand, orders; and near misses of proceedings and agents."""

from dataclasses import replace

import pytest

from citation_pipeline.adapters.schema_files import load_schema, read_phrasings
from citation_pipeline.core.retrieval.field_evidence import match_fields
from citation_pipeline.core.retrieval.party_names import find_persons
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.spelling import spelled
from citation_pipeline.core.retrieval.subjects import is_near
from citation_pipeline_tests.test_questions_evidence import answered, by_key, field, sentence

PHRASINGS = read_phrasings(load_schema("workers_comp"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("is there a setlement yet", "is there a settlement yet"),
        ("list the medicatons", "list the medications"),
        ("who is the attroney", "who is the attorney"),
        ("the median nerve and the etodolac", "the median nerve and the etodolac"),
        ("did Petinioner Oakley call 4O7-attroney", "did Petinioner Oakley call 4O7-attroney"),
    ],
)
def test_a_slip_in_a_small_word_is_read_as_the_word_of_the_trade(typed: str, meant: str) -> None:
    assert spelled(typed) == meant


def test_two_letters_that_changed_places_are_one_slip_and_no_more() -> None:
    assert is_near("leins", "liens")
    assert not is_near("claiment", "calculat")


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("whos the adjustor", "person", "metadata.examiner_name"),
        ("hi, whats his bday", "date", "claimant.date_of_birth"),
        ("Identify the employer's counsel.", "person", "attorneys.defense_attorney_name"),
        ("any leins or no", "boolean", "liens.filed_liens"),
        ("SIU referral made y/n", "boolean", "fraud_siu.siu_referral"),
        ("Reserves: last day of temporary disability?", "date", "temporary_disability.end_date"),
        ("Could you confirm when the employer was first told of it?", "date", ""),
    ],
)
def test_what_is_typed_in_haste_or_as_an_order_is_a_question_too(text: str, kind: str, key: str) -> None:
    question = read_question(text)
    best = match_fields(question, PHRASINGS).best
    assert question.kind == kind
    assert not key or (best is not None and best.field_key == key)


def test_a_form_called_by_its_number_is_no_number_to_look_for() -> None:
    assert not read_question("What came of the 1010?").subjects.identifiers
    assert read_question("How much was draft 40117?").subjects.identifiers == ("40117",)


def test_a_judge_is_named_by_the_last_name_alone() -> None:
    assert [name.text for name in find_persons("It went to Judge Quillfeather in May.")] == [
        "Judge Quillfeather"
    ]
    assert not find_persons("The Judge Ordered it.")


def test_a_conference_is_not_the_trial_that_was_asked_about() -> None:
    said = "The status conference was set for March 9, 2027."
    hearing = field("litigation.next_hearing_date", "2027-03-09", "date", said)
    answer = answered("When is the trial?", sentence(said), fields=by_key(hearing))
    assert not answer.is_found
    assert answer.misses[0].near_miss == "it is not of the proceeding that was asked about"


def test_what_was_not_done_showed_nothing() -> None:
    answer = answered("What did the bone scan show?", sentence("The bone scan was not done."))
    assert not answer.is_found
    assert answer.misses[0].near_miss == "the documents say that it was not done, or is not known"


def test_a_rating_is_of_the_physician_who_gave_it() -> None:
    rating = field("permanent_disability.wpi_percent", 7, "number", "7 percent whole person impairment")
    rating = replace(rating, statement=replace(rating.statement, source_id="report"))
    signed = replace(sentence("Odile Marchbanks, MD", source="report", number=9), kind="signature")
    other = sentence("Dr. Vrenna saw him twice.", source="report", number=3)
    answer = answered(
        "What impairment percentage did Dr. Vrenna assign?", signed, other, fields=by_key(rating)
    )
    assert not answer.is_found
    assert "somebody else than the one asked about says so" in {miss.near_miss for miss in answer.misses}


def test_a_day_without_its_year_counts_beside_one_with_it() -> None:
    said = sentence("The petition was filed on May 6, 2024 and served on May 9.")
    answer = answered("When was the petition served?", said, dates={"note": "2024-05-20"})
    assert answer.value == "2024-05-09"
