"""What a question asks for: the kind of its answer, its subjects, and the field of the schema."""

import pytest

from citation_pipeline.adapters.schema_files import load_schema, read_phrasings
from citation_pipeline.core.retrieval.field_evidence import match_fields
from citation_pipeline.core.retrieval.field_questions import FieldPhrasings
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.subjects import sides_of
from citation_pipeline.core.retrieval.typed_answers import choose_typed, find_typed


@pytest.fixture(scope="module")
def phrasings() -> FieldPhrasings:
    return read_phrasings(load_schema("workers_comp"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("When did the plant close?", "date"),
        ("On what day was the notice mailed?", "date"),
        ("Who signed for the buyer?", "person"),
        ("Which physician reviewed the request?", "person"),
        ("Which trucking company delivered it?", "firm"),
        ("How much did the crane cost?", "money"),
        ("How big was the retroactive check?", "money"),
        ("How many visits were allowed?", "number"),
        ("How much can she lift?", "number"),
        ("What share of the disability is non-industrial?", "percent"),
        ("Under which policy does this fall?", "code"),
        ("Where was the scan taken?", "place"),
        ("Was the request approved?", "boolean"),
        ("What did the doctor find?", "text"),
        ("What time is the hearing?", "time"),
        ("Which WCJ signed the order?", "person"),
        ("Setting up the schedule here - how many hours may he drive?", "number"),
        ("Is a lien expected, and from whom?", "text"),
        ("last day the allowance was paid", "date"),
        ("left leg grip at the clinic", "number"),
        ("wash rate per pallet", "money"),
        ("the dock no for the crates", "code"),
        ("¿quién no vino hoy?", "text"),
        ("our new dentist", "person"),
        ("Surgeon that the panel chose - name?", "person"),
        ("neighbor who found it", "person"),
        ("width of the gap in the fence", "number"),
        ("what % did the surveyor allow", "percent"),
        ("permit no. for the DOI", "code"),
        ("What was the freight charge on the date of loss?", "money"),
        ("What is the date of loss?", "date"),
    ],
)
def test_the_kind_of_an_answer_is_read_from_the_clause_that_asks(text: str, kind: str) -> None:
    assert read_question(text).kind == kind


def test_a_question_for_two_things_is_known_as_such() -> None:
    assert read_question("Who signed, and in what capacity?").is_compound
    assert not read_question("Who signed and sealed it?").is_compound


def test_what_is_only_remarked_after_a_question_names_none_of_its_subjects() -> None:
    question = read_question("hire date for the cook? form 8812 has it wrong")
    assert (question.kind, question.subjects.identifiers) == ("date", ())
    assert "8812" in question.asides
    assert read_question("Which gate - north or south, per check 8812?").subjects.identifiers == ("8812",)


def test_which_gate_is_answered_by_the_gate_and_not_by_the_street() -> None:
    text = "Deliver to Gate 7, 41 Mill Road, before noon."
    chosen = choose_typed(text, find_typed(text, "place"), {"gat": 1.0, "deliver": 1.2}, "place")
    assert chosen is not None
    assert chosen.text.startswith("Gate 7")


def test_an_office_is_nobody_and_an_apostrophe_parts_no_name() -> None:
    assert not read_question("Was it filed with the Industrial Commission?").subjects.names
    assert read_question("What does Mr. D'Amico-Varga lift?").subjects.names == ("damico-varga",)


def test_a_side_behind_a_figure_is_its_side() -> None:
    assert sides_of("Reach 41 cm left, 38 cm right.") == {"left", "right"}
    assert not sides_of("He is 52, right-handed.")


def test_names_parts_of_the_body_sides_numbers_and_dates_are_its_subjects() -> None:
    subjects = read_question("When did Dr. Varga operate on the left knee?").subjects
    assert (subjects.names, subjects.body_parts, subjects.sides) == (("varga",), {"knee"}, {"left"})
    assert read_question("How much was check T-88213?").subjects.identifiers == ("t-88213",)
    assert read_question("What was paid on 03/04/2025?").subjects.dates == ("2025-03-04",)
    assert read_question("What is Ilona Varga's birthday?").subjects.owners == ("varga",)


def test_a_form_a_year_and_the_month_are_no_subjects() -> None:
    subjects = read_question("What did the PR-2 of May 2025 say right now?").subjects
    assert (subjects.names, subjects.sides, subjects.identifiers) == ((), frozenset(), ())


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("Whose desk is this file on nowadays?", "metadata.examiner_name"),
        ("When did we admit liability?", "compensability.decision_date"),
        ("Did we admit liability?", "compensability.decision"),
        ("Which regions are we refusing to cover?", "body_parts.disputed_body_parts"),
        ("What is left on the medical reserve?", "reserves.medical_reserve"),
        ("How much has been spent on medical so far?", "payments.medical_paid"),
        ("When must she see the doctor again?", "treatment.next_appointment_date"),
        ("Which pills does he take?", "treatment.medications"),
        ("Who operated on the wrist?", "treatment.surgeries"),
        ("Is opposing counsel involved, is he represented?", "litigation.is_litigated"),
        ("AWW?", "wages.average_weekly_wage"),
        ("weekly TTD", "temporary_disability.weekly_rate"),
    ],
)
def test_a_question_finds_its_field_in_other_words(phrasings: FieldPhrasings, text: str, field: str) -> None:
    best = match_fields(read_question(text), phrasings).best
    assert best is not None
    assert best.field_key == field


def test_a_question_for_an_items_property_says_which(phrasings: FieldPhrasings) -> None:
    best = match_fields(read_question("Who performed the surgery?"), phrasings).best
    assert best is not None
    assert (best.field_key, best.item_property) == ("treatment.surgeries", "surgeon")


def test_a_question_that_no_field_answers_is_nearer_to_none(phrasings: FieldPhrasings) -> None:
    matched = match_fields(read_question("What is the phone number of the adjuster?"), phrasings)
    assert matched.best is None or matched.other > matched.best.similarity


def test_a_schema_without_phrasings_is_asked_by_its_own_names() -> None:
    invoice = read_phrasings(load_schema("invoice"))
    best = match_fields(read_question("What is the invoice number?"), invoice).best
    assert best is not None
    assert "number" in best.field_key


@pytest.mark.parametrize(
    ("text", "ordinal"),
    [
        ("What pain did he report at the second therapy visit?", 2),
        ("How was the pain at the final session?", -1),
        ("What was done at the 3rd PT visit?", 3),
        ("What did the first doctor say?", 0),
    ],
)
def test_the_visit_that_is_asked_about_is_counted(text: str, ordinal: int) -> None:
    assert read_question(text).ordinal == ordinal


def test_a_full_name_is_read_as_one_person_and_years_by_themselves() -> None:
    question = read_question("What rating did Dr. Ana Solberg give Ruben Escalante in 2022?")
    assert ("ruben", "escalante") in question.subjects.full_names
    assert question.years == {"2022"}


def test_the_words_of_all_phrasings_find_a_field_that_no_single_phrasing_is_near(
    phrasings: FieldPhrasings,
) -> None:
    matched = match_fields(read_question("On what day was our worker hurt?"), phrasings)
    assert matched.best is not None
    assert matched.best.field_key == "claimed_injury_description.date_of_injury"


def test_the_values_of_an_enum_are_named_as_people_name_them(phrasings: FieldPhrasings) -> None:
    assert phrasings.states_named("settlement.settlement_type", "When was the C&R approved?") == {
        "compromise_and_release"
    }
    assert phrasings.states_named("settlement.settlement_type", "When was it approved?") == frozenset()
