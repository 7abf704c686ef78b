"""Who signed a document is stated by its signature, cells of a ledger by their column and their line."""

import pytest

from citation_pipeline.core.retrieval.party_names import find_firms, find_persons, is_plainly_worded
from citation_pipeline.core.retrieval.statements.reading import read_statements
from citation_pipeline.core.retrieval.typed_answers import find_typed, is_measured_as_asked
from citation_pipeline_tests.typeset import column, typeset


def signatures(*lines: str, name: str = "report") -> list[tuple[str, str]]:
    statements = read_statements(typeset(name, column(lines)))
    return [(s.text, s.context) for s in statements if s.kind == "signature"]


def test_the_name_after_a_signing_phrase_is_a_signature_without_its_date() -> None:
    found = signatures(
        "MRI OF THE LEFT KNEE",
        "There is a small joint effusion.",
        "Electronically signed by Tobias Vrenna, M.D. on 3/4/25 at 4:17 PM",
        name="mri_left_knee",
    )
    assert [text for text, _ in found] == ["Tobias Vrenna, M.D."]
    assert "radiologist" in found[0][1], "whoever signs a report on pictures has read them"


def test_the_name_below_a_closing_is_a_signature() -> None:
    found = signatures(
        "DELAY NOTICE", "We need more time.", "Sincerely,", "Quillan Obreht", "Claims Examiner"
    )
    assert [text for text, _ in found] == ["Quillan Obreht"]


def test_a_name_in_a_sentence_is_no_signature() -> None:
    assert signatures("VISIT NOTE", "The patient was seen by Tobias Vrenna for a stiff knee today.") == []


@pytest.mark.parametrize(
    ("text", "firm"),
    [
        ("05/27/2023 486086 Amber Ridge Copy Service 88.15", "Amber Ridge Copy Service"),
        ("Paid to Kestrel Fact Group on Monday", "Kestrel Fact Group"),
    ],
)
def test_the_beginning_of_a_firms_name_is_no_person(text: str, firm: str) -> None:
    assert find_persons(text) == []
    assert firm in [run.text for run in find_firms(text)]
    assert [party.text for party in find_typed(text, "party")] == [firm]


def test_words_of_the_language_in_capitals_are_told_from_names() -> None:
    assert is_plainly_worded("Status Conference")
    assert not is_plainly_worded("Tobias Vrenna")
    assert not is_plainly_worded("Dr. Grace Young")


def test_the_number_of_a_form_is_no_sum() -> None:
    assert find_typed("as required by DWC-AD 10133.33", "money") == []
    assert [value.value for value in find_typed("a deposit of $10,133.33", "money")] == [10133.33]


def test_times_of_the_day_are_found_as_printed() -> None:
    found = find_typed("Set for 8:30 a.m. in Room 4, check in at 07:45, until noon.", "time")
    assert [value.text for value in found] == ["8:30 a.m.", "07:45", "noon"]


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How heavy is the crate?", "The crate weighs 300 pounds.", True),
        ("How heavy is the crate?", "We moved 2 of the crates.", False),
        ("How far can he bend?", "Flexion 45 degrees.", True),
        ("How many crates were there?", "We moved 2 of the crates.", None),
    ],
)
def test_a_number_has_the_unit_that_is_asked_for(question: str, text: str, expected: bool | None) -> None:
    (value,) = find_typed(text, "number")
    assert is_measured_as_asked(question, text, value) is expected
