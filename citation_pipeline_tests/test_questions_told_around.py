"""Questions with more told around them, of another's birthday, of other spans of pay, months and roles."""

import time
from dataclasses import replace

import pytest

from citation_pipeline.adapters.schema_files import load_schema, read_phrasings
from citation_pipeline.core.retrieval.candidates import KeptFields, find_candidates
from citation_pipeline.core.retrieval.confidence import answer_model, probability_of, says_same
from citation_pipeline.core.retrieval.evidence import judge_statement
from citation_pipeline.core.retrieval.field_evidence import match_fields
from citation_pipeline.core.retrieval.known_subjects import within_one_document
from citation_pipeline.core.retrieval.listed_items import text_of_items
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.sought import read_sought
from citation_pipeline.core.retrieval.term_weights import weigh_terms
from citation_pipeline_tests.test_questions_evidence import answered, by_key, field, pair, sentence

PHRASINGS = read_phrasings(load_schema("workers_comp"))


def test_a_question_is_as_near_to_a_field_as_the_clause_that_asks() -> None:
    asked = "Which insurance carrier has the policy?"
    plain = match_fields(read_question(asked), PHRASINGS).best
    told = match_fields(
        read_question(f"The broker writes from Duluth, the ledger is torn - {asked[0].lower()}{asked[1:]}"),
        PHRASINGS,
    ).best
    assert plain is not None
    assert told is not None
    assert told.field_key == plain.field_key == "coverage.insurance_carrier"
    assert told.similarity > 0.9 * plain.similarity


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What part, in figures, was put down to age?", "percent"),
        ("Did they ship the crate, or are they still waiting?", "boolean"),
        ("Did they ship the crate or the barrel?", "text"),
        ("Which administrative law judge will hear it?", "person"),
        ("Inspection of the weir, starting time?", "time"),
    ],
)
def test_a_clause_that_goes_on_asks_what_it_began_with(text: str, kind: str) -> None:
    assert read_question(text).kind == kind


def test_a_name_that_only_tells_since_when_is_no_subject() -> None:
    assert read_question("Who has the ledger since Quillon left?").subjects.names == ()
    assert read_question("Who has Quillon's ledger?").subjects.names == ("quillon",)


def test_a_side_is_said_once_and_a_remark_only_to_whoever_asks_why() -> None:
    parts = [
        {"part": "left elbow", "side": "left", "reason": "nobody wrote of it before the second visit"},
        {"part": "neck", "side": "n/a", "reason": "old wear"},
    ]
    assert text_of_items(parts, remarks=False) == "left elbow; and neck, old wear"
    assert "second visit" in text_of_items(parts)


def test_a_month_is_looked_for_in_words_and_in_figures() -> None:
    asked = read_question("What did the March visit show?")
    assert asked.months == {"03"}
    for text, found in (("Seen 3/09/2031: better.", 1.0), ("Seen in May: worse.", 0.0)):
        statement = sentence(text)
        features = judge_statement(read_sought(asked, weigh_terms([statement])), statement).features
        assert (features["month_found"], features["month_missing"]) == (found, 1.0 - found)
    assert not read_question("May he go on March 9?").months


def test_the_june_visit_is_not_that_of_may_and_this_years_wage_not_an_earlier_ones() -> None:
    said = sentence("At the visit of 5/09/2031 the brace was loosened.")
    assert not answered("What was done with the brace at the June visit?", said).is_found
    assert answered("What was done with the brace at the May visit?", said).misses == ()
    wage = field("wages.average_weekly_wage", 640.5, "number", "Average weekly wage $640.50, 2031")
    assert not answered("What was her average weekly wage in 2027?", fields=by_key(wage)).is_found
    assert answered("What was her average weekly wage in 2031?", fields=by_key(wage)).is_found


def test_weekly_pay_is_a_near_miss_for_the_monthly() -> None:
    wage = field("wages.average_weekly_wage", 640.5, "number", "Average weekly wage $640.50")
    assert answered("What was the average weekly wage?", fields=by_key(wage)).value == 640.5
    answer = answered("What was the average monthly wage?", fields=by_key(wage))
    assert not answer.is_found
    assert "span of time" in answer.misses[0].near_miss


def test_a_birthday_without_a_name_beside_it_is_the_workers() -> None:
    worker = field("claimant.full_name", "Odile Farrant", "string", "Employee: Odile Farrant")
    birthday = field("claimant.date_of_birth", "1971-04-09", "date", "Date of birth 04/09/1971")
    known = by_key(worker, birthday)
    born = pair("Date of birth", "04/09/1971", source="form", number=1)
    others = [sentence("Ignatz Bellwether wrote this.", source=f"n{n}", number=2) for n in range(5)]
    assert answered("Farrant's date of birth?", born, *others, fields=known).value == "1971-04-09"
    assert not answered("Bellwether's date of birth?", born, *others, fields=known).is_found


def test_several_names_beside_a_label_are_one_answer() -> None:
    asked = read_question("Who are the witnesses?")
    for text, said in (
        ("T. Odum, Rae Lindqvist", "T. Odum, Rae Lindqvist"),
        ("Rae Lindqvist", "Rae Lindqvist"),
    ):
        statement = pair("Witnesses", text, source="form", number=1)
        typed = judge_statement(read_sought(asked, weigh_terms([statement])), statement).typed
        assert typed is not None
        assert typed.text == said


def test_a_long_text_beside_a_label_is_soon_seen_to_be_no_list_of_names() -> None:
    statement = pair(
        "Witnesses", "T. Odum saw " + "abcdefghijkl " * 3000 + "with Rae Lindqvist!", source="form", number=1
    )
    started = time.process_time()
    judge_statement(read_sought(read_question("Who are the witnesses?"), weigh_terms([statement])), statement)
    assert time.process_time() - started < 5


def test_a_sentence_that_says_what_the_field_says_is_as_probable() -> None:
    mmi = field("mmi_status.mmi_date", "2031-02-03", "date", "At MMI on 02/03/2031")
    said = [sentence("She was at MMI, maximum medical improvement, on February 3, 2031.")]
    found = find_candidates(
        read_question("When did she reach MMI?"),
        said,
        KeptFields(by_key(mmi), {}),
        PHRASINGS,
        answer_model().ranking,
    )
    own = next(e for e in found.ranked if e.field_key)
    other = next(e for e in found.ranked if not e.field_key)
    assert says_same(own, other)
    first, second = (replace(found, ranked=[*order]) for order in ((own, other), (other, own)))
    assert probability_of(second, answer_model()) >= probability_of(first, answer_model())


def test_a_number_on_the_first_page_of_the_only_document_tells_which_is_meant() -> None:
    page = [sentence("Order 40117 of the weir company."), sentence("The buyer is Rae Lindqvist.", number=1)]
    asked = read_question("Who is the buyer on order 40117?")
    assert asked.subjects.identifiers == ("40117",)
    assert not within_one_document(asked, page).subjects.identifiers
    assert within_one_document(read_question("Who is on 50228?"), page).subjects.identifiers == ("50228",)
