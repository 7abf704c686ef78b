"""Questions in further hands: orders, the worker's family, remarks behind a question, one document alone."""

from dataclasses import replace

import pytest

from citation_pipeline.core.retrieval.candidates import KeptFields, find_candidates
from citation_pipeline.core.retrieval.confidence import answer_model, confidence_of
from citation_pipeline.core.retrieval.evidence import Evidence, judge_statement
from citation_pipeline.core.retrieval.known_subjects import within_one_document
from citation_pipeline.core.retrieval.label_match import label_fit
from citation_pipeline.core.retrieval.listed_items import text_of_items
from citation_pipeline.core.retrieval.near_misses import near_miss_of
from citation_pipeline.core.retrieval.party_names import find_parties
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.sought import read_sought
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.subject_evidence import subject_features
from citation_pipeline.core.retrieval.term_weights import weigh_terms
from citation_pipeline.core.retrieval.typed_answers import counts_unit, find_typed


def stated(text: str, *, source: str = "deed", page: int = 1, title: str = "") -> Statement:
    words = tuple(range(len(text.split())))
    return Statement(source, page, "sentence", words, words, "", text, title=title)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Name the radiologist who read the films.", "person"),
        ("Identify the relocation consultant hired for the move.", "person"),
        ("Determine the day on which the gate was locked.", "date"),
        ("Return the total of the freight bills.", "money"),
        ("I need the date of the last delivery.", "date"),
        ("Name of the surveyor", "person"),
    ],
)
def test_an_order_asks_for_what_it_names(text: str, kind: str) -> None:
    assert read_question(text).kind == kind


def test_the_workers_family_ask_of_the_worker() -> None:
    for text in ("Which lawyer helps my mother?", "Who is the lawyer on Daddy's side?"):
        subjects = read_question(text).subjects
        assert (subjects.names, subjects.roles) == ((), ())
    assert read_question("When was my father's check sent?").subjects.roles == ()
    assert read_question("When was his father's check sent?").subjects.roles == ("father",)


def test_what_is_told_after_a_whole_question_weighs_less() -> None:
    question = read_question("Who is the judge these days? They say that the earlier one retired.")
    assert {"retir", "earlier"} <= question.asides
    assert "~judge" not in question.asides
    assert not read_question("Who pays the rent? Is it the uncle?").asides


def test_a_number_or_a_party_that_the_question_says_is_not_its_answer() -> None:
    for text, said in (
        ("How many of the dozen crates arrived?", "Of 12 crates ordered, 7 crates arrived."),
        ("Who signed for Alderbrook Foods?", "ALDERBROOK FOODS, INC."),
    ):
        statement = stated(said)
        typed = judge_statement(read_sought(read_question(text), weigh_terms([statement])), statement).typed
        assert (typed.value if typed else None) == (7 if "crates" in text else None)


def test_a_firm_in_capitals_with_its_form_behind_a_comma_is_nobody() -> None:
    assert [party.text for party in find_parties("ALDERBROOK FOODS, INC.")] == ["ALDERBROOK FOODS, INC."]
    assert [party.text for party in find_parties("VARGA, ILONA")] == ["VARGA, ILONA"]


def test_visits_are_counted_where_sessions_are_asked_for() -> None:
    text = "She came to 31 supervised visits."
    (value,) = find_typed(text, "number")
    assert counts_unit(text, value, "session")
    assert not counts_unit(text, value, "crat")


def test_a_number_at_the_head_of_its_page_is_near_what_stands_below() -> None:
    subjects = read_question("Who decided on T-70231?").subjects
    statement = stated("Decided by Ilona Varga.")
    assert subject_features(subjects, statement, frozenset(["t", "70231"]))["subject_near"] == 1.0
    assert subject_features(subjects, statement)["subject_missing"] == 1.0


def test_within_one_document_what_tells_which_is_meant_counts_little() -> None:
    page = [stated("This lease is made by Alderbrook Foods.", title="LEASE"), stated("The rent is $900.")]
    asked = read_question("What is the rent under the Alderbrook lease?")
    question = within_one_document(asked, page)
    assert question.subjects.names == ()
    assert "leas" in question.asides
    assert within_one_document(asked, [*page, stated("Another.", source="note")]) == asked


def test_the_items_of_a_list_are_told_as_papers_print_them() -> None:
    drugs = [{"name": "Exampline", "dosage": "50 mg at night"}, {"name": "Placebol", "dosage": None}]
    assert text_of_items(drugs) == "Exampline 50 mg at night and Placebol"
    assert text_of_items([{"procedure": "Graft", "date": "2031-02-03"}]) == "Graft, 2031-02-03"
    parts = [{"part": "elbow", "side": "left"}, {"part": "neck", "side": "n/a"}]
    assert text_of_items(parts) == "left elbow and neck"
    assert text_of_items([*parts, {"part": "hip"}]) == "left elbow, neck and hip"
    assert text_of_items([{"a": "one", "b": "two"}, {"a": "three"}]) == "one, two; and three"
    assert text_of_items(["one", "two"]) == ""


def test_a_telephone_of_nobody_in_particular_is_not_the_witnesss() -> None:
    form = Statement("form", 1, "pair", (0, 1), (1,), "Telephone", "555-014-7788")
    asked = read_question("What is the telephone number of the witness?")
    evidence = judge_statement(read_sought(asked, weigh_terms([form])), form)
    assert near_miss_of(asked, evidence)
    headed = replace(form, context="WITNESS")
    evidence = judge_statement(read_sought(asked, weigh_terms([headed])), headed)
    assert not near_miss_of(asked, evidence)


def test_a_label_is_compared_with_all_that_is_asked_in_a_turn_of_speech() -> None:
    form = Statement("form", 1, "pair", (0, 1), (1,), "Telephone", "555-014-7788")
    assert label_fit(read_question("What is the telephone number?"), form) > 0.9
    assert label_fit(read_question("What is the telephone number of Dad's lawyer?"), form) < 0.6


def test_a_day_is_nobodys_name() -> None:
    words = Statement("note", 1, "field", (1, 2), (1, 2), "Status Day", "2031-02-03", context="Day: 2/3/31")
    evidence = Evidence(
        words, 1.0, 1.0, 0.0, None, {"field_lacks": 1.0}, value="2031-02-03", field_key="status.day"
    )
    assert near_miss_of(read_question("Who found that the state was fixed?"), evidence)
    assert not near_miss_of(read_question("What was found?"), replace(evidence, features={}))


def test_a_name_beside_a_label_is_never_a_sure_yes() -> None:
    form = Statement("form", 1, "pair", (0, 1, 2), (1, 2), "Passenger", "Ilona Varga", is_laid_out=True)
    asked = "Was there a passenger?"
    found = find_candidates(read_question(asked), [form], KeptFields(), None, answer_model().ranking)
    assert found.ranked[0].statement == form
    assert confidence_of(found, answer_model()) < 0.8
    said = replace(form, text="Yes")
    found = find_candidates(read_question(asked), [said], KeptFields(), None, answer_model().ranking)
    assert confidence_of(found, answer_model()) >= 0.8
