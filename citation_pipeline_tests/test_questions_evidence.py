"""What may answer a question: the subject stands in the evidence, the value has the kind, the newest wins."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from citation_pipeline.adapters.schema_files import load_schema, read_phrasings
from citation_pipeline.core.retrieval.answering import NOT_FOUND, Answer, answer_from
from citation_pipeline.core.retrieval.candidates import KeptFields, find_candidates
from citation_pipeline.core.retrieval.confidence import answer_model
from citation_pipeline.core.retrieval.field_evidence import FieldValue
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.statements.statement import Statement, order_by_date

PHRASINGS = read_phrasings(load_schema("workers_comp"))
FILLER = (
    "The employer makes wooden boxes in Dorsal City.",
    "A forklift was parked beside the loading gate.",
    "The worker was off for a holiday in August.",
    "Mileage was reimbursed on the usual form.",
)


def sentence(text: str, *, source: str = "note", number: int = 0, title: str = "") -> Statement:
    words = tuple(range(100 * number, 100 * number + len(text.split())))
    return Statement(source, 1, "sentence", words, words, "", text, title=title)


def pair(label: str, text: str, *, source: str, number: int) -> Statement:
    words = tuple(range(100 * number, 100 * number + len(f"{label} {text}".split())))
    return Statement(source, 1, "pair", words, words, label, text)


def field(key: str, value: Any, value_type: str, snippet: str, **more: Any) -> FieldValue:
    known = load_schema("workers_comp").by_key[key]
    place = Statement(
        "form", 1, "field", (1, 2), (1, 2), f"{known.category} {known.label}", str(value), context=snippet
    )
    return FieldValue(key, value, value_type, place, confidence="high", enum=known.enum, **more)


def answered(
    text: str,
    *statements: Statement,
    fields: Mapping[str, FieldValue] | None = None,
    dates: Mapping[str, str] | None = None,
    doubted: Mapping[str, Sequence[FieldValue]] | None = None,
) -> Answer:
    said = [*statements, *(sentence(line, source="filler", number=50 + n) for n, line in enumerate(FILLER))]
    model = answer_model()
    candidates = find_candidates(
        read_question(text),
        order_by_date(said, dates or {}),
        KeptFields(fields or {}, doubted or {}),
        PHRASINGS,
        model.ranking,
    )
    return answer_from(candidates, model)


def by_key(*fields: FieldValue) -> dict[str, FieldValue]:
    return {value.key: value for value in fields}


def test_a_fields_value_answers_with_its_field_and_its_place() -> None:
    rate = field("temporary_disability.weekly_rate", 512.25, "number", "TD rate: $512.25 per week")
    answer = answered("What does he get a week in disability?", fields=by_key(rate))
    assert (answer.value, answer.field_key) == (512.25, "temporary_disability.weekly_rate")
    assert answer.support[0].statement.source_id == "form"


def test_yes_and_no_come_from_the_fields_value_with_its_words() -> None:
    referral = field("fraud_siu.siu_referral", False, "boolean", "Not referred to SIU.")
    answer = answered("Was the claim referred to SIU?", fields=by_key(referral))
    assert (answer.value, answer.text) == (False, "No: Not referred to SIU.")


@pytest.mark.parametrize(("text", "expected"), [("accepted", False), ("denied", True)])
def test_a_decision_says_no_to_the_other_decision(text: str, expected: bool) -> None:
    decision = field("compensability.decision", "denied", "enum", "The claim is denied.")
    answer = answered(f"Was the claim {text}?", fields=by_key(decision))
    assert answer.value is expected


def test_the_date_of_another_decision_is_a_near_miss() -> None:
    decision = field("compensability.decision", "delayed", "enum", "The claim is on delay.")
    date = field("compensability.decision_date", "2025-03-04", "date", "Delayed on 03/04/2025")
    answer = answered("When was the claim denied?", fields=by_key(decision, date))
    assert (answer.text, answer.is_found) == (NOT_FOUND, False)
    assert any("another decision" in miss.near_miss for miss in answer.misses)


def test_another_persons_birthday_is_not_given() -> None:
    born = field("claimant.date_of_birth", "1981-05-06", "date", "Ilona Varga, DOB 05/06/1981")
    answer = answered("What is Pavel Horvath's date of birth?", fields=by_key(born))
    assert not answer.is_found
    assert "person or firm" in answer.misses[0].near_miss


def test_a_firm_of_a_trade_that_no_place_names_is_not_the_employer() -> None:
    carrier = by_key(
        field("coverage.insurance_carrier", "Ostrava Mutual", "string", "Carrier: Ostrava Mutual")
    )
    assert answered("Which carrier insures the employer?", fields=carrier).value == "Ostrava Mutual"
    other = answered("Which carrier insures the lighthouse?", fields=carrier)
    assert (other.text, other.misses[0].near_miss[:11]) == (NOT_FOUND, "it does not")


def test_a_code_in_the_question_is_not_its_answer() -> None:
    answer = answered("What is the number of the KX-7 notice?", sentence("The KX-7 notice was sent."))
    assert answer.text == NOT_FOUND


def test_how_much_of_something_asks_for_a_share_where_the_field_is_one() -> None:
    cause = "Apportionment: 35% to other causes."
    share = field("permanent_disability.apportionment_percent", 35, "number", cause)
    answer = answered("How much of the impairment is apportioned to other causes?", fields=by_key(share))
    assert answer.value == 35


def test_the_other_shoulder_is_a_near_miss() -> None:
    line = sentence("The MRI of the right shoulder of March shows a full tear of the tendon.")
    answer = answered("What did the MRI of the left shoulder show?", line)
    assert not answer.is_found
    assert "other side" in answer.misses[0].near_miss


def test_the_item_of_the_part_that_was_asked_about_answers() -> None:
    def operation(part: str, surgeon: str) -> FieldValue:
        item = {"procedure": f"arthroscopy, {part}", "surgeon": surgeon}
        text = f"arthroscopy, {part}, {surgeon}"
        place = Statement("op", 1, "field", (1,), (1,), "Treatment Surgeries", text, context=text)
        return FieldValue("treatment.surgeries", item, "item", place, confidence="high")

    items = (operation("right shoulder", "Ida Kovacs, M.D."), operation("left knee", "Bela Toth, M.D."))
    surgeries = field("treatment.surgeries", [dict(i.value) for i in items], "array", "", items=items)
    answer = answered("Who was the surgeon of the right shoulder?", fields=by_key(surgeries))
    assert answer.value == "Ida Kovacs, M.D."


def test_the_newest_print_of_a_label_wins() -> None:
    lines = (
        pair("Examiner's direct extension", "4410", source="old", number=1),
        pair("Examiner's direct extension", "4477", source="new", number=2),
    )
    answer = answered(
        "What is the examiner's direct extension?", *lines, dates={"old": "2024-01-05", "new": "2025-06-07"}
    )
    assert "4477" in (answer.text if answer.is_found else answer.misses[0].statement.text)


def test_the_end_of_a_period_is_not_its_beginning() -> None:
    line = sentence("Surveillance ran from 03/04/2025 through 03/09/2025 at the worker's garage.")
    answer = answered("Through what date did surveillance at the garage run?", line)
    assert [e.typed.value for e in (*answer.support, *answer.misses)[:1] if e.typed] == ["2025-03-09"]


def test_a_count_is_the_number_of_what_is_counted() -> None:
    line = sentence("Of the 12 requested chiropractic sessions, five (5) visits were certified.")
    answer = answered("How many chiropractic visits were certified?", line)
    assert [e.typed.value for e in (*answer.support, *answer.misses)[:1] if e.typed] == [5]


def test_a_verified_field_is_told_as_verified_and_a_flagged_one_as_conflicting() -> None:
    snippet = "Policy No. QX-20931"
    sure = field("coverage.policy_number", "QX-20931", "string", snippet, is_verified=True)
    doubted = field("coverage.policy_number", "QX-20931", "string", snippet, is_flagged=True)
    question = "What is the policy number?"
    assert answered(question, fields=by_key(sure)).state == "verified"
    told = answered(question, fields=by_key(doubted))
    assert told.state in ("conflicting", "absent")
    assert told.confidence <= 0.5  # no surer than the place it is cited at


def test_a_name_with_a_slip_is_still_the_subject() -> None:
    line = sentence("Dr. Mkrtchyan charged $450.00 for the review of records.")
    answer = answered("How much did Dr. Mkrtchian charge for the review of records?", line)
    assert not (*answer.support, *answer.misses)[0].near_miss


def test_a_namesakes_birthday_is_not_the_workers() -> None:
    fields = {
        "claimant.full_name": field(
            "claimant.full_name", "Ruben Dario Escamilla", "string", "Ruben Dario Escamilla"
        ),
        "claimant.date_of_birth": field("claimant.date_of_birth", "1983-11-02", "date", "DOB 11/02/1983"),
    }
    told = sentence("Ruben Escalante held the ladder.", source="note", number=3)
    own = answered("What is Ruben Escamilla's date of birth?", told, fields=fields)
    other = answered("What is Ruben Escalante's date of birth?", told, fields=fields)
    assert own.value == "1983-11-02"
    assert other.text == NOT_FOUND
    assert other.misses
    assert "person" in next(miss.near_miss for miss in other.misses if miss.field_key)


def test_the_day_of_another_form_of_settlement_is_a_near_miss() -> None:
    fields = {
        "settlement.settlement_type": field(
            "settlement.settlement_type",
            "stipulations_with_award",
            "enum",
            "Stipulations with Request for Award",
        ),
        "settlement.approval_date": field(
            "settlement.approval_date", "2022-10-05", "date", "issued October 5, 2022"
        ),
    }
    assert answered("When were the stips approved?", fields=fields).value == "2022-10-05"
    refused = answered("When was the C&R approved?", fields=fields)
    assert refused.text == NOT_FOUND
    assert any(miss.near_miss for miss in refused.misses)


def test_an_empty_list_is_no_sum() -> None:
    fields = {"liens.filed_liens": field("liens.filed_liens", [], "array", "No liens of record")}
    assert answered("What is the amount of the EDD lien?", fields=fields).text == NOT_FOUND
    assert answered("Are there any liens?", fields=fields).value is False


def test_of_two_items_of_a_list_the_named_one_answers() -> None:
    def lien(number: int, claimant: str, amount: float) -> FieldValue:
        said = f"{claimant} {amount}"
        place = Statement("form", 1, "field", (number,), (number,), "Liens Filed Liens", said, context=said)
        value = {"claimant": claimant, "amount": amount}
        return FieldValue("liens.filed_liens", value, "object", place, confidence="high")

    items = (lien(1, "Harbor Pharmacy", 812.5), lien(2, "Quarry Imaging", 1440.0))
    whole = field("liens.filed_liens", [item.value for item in items], "array", "Liens", items=items)
    answer = answered("What is the amount of the Quarry Imaging lien?", fields={"liens.filed_liens": whole})
    shown = [*answer.support, *answer.misses]
    assert shown[0].statement.text.startswith("Quarry Imaging")


def test_a_day_without_its_year_is_one_of_the_time_when_the_note_was_written() -> None:
    note = sentence("Paid the weekly checks through 9/21.", source="diary", number=7)
    question = read_question("Through what day were the weekly checks paid?")
    found = find_candidates(
        question, order_by_date([note], {"diary": "2025-09-24"}), KeptFields({}, {}), PHRASINGS, {}
    ).ranked
    assert [evidence.typed.value for evidence in found if evidence.typed] == ["2025-09-21"]


def test_the_brothers_birthday_is_not_the_workers() -> None:
    shown = {
        "claimant.date_of_birth": field("claimant.date_of_birth", "1971-05-02", "date", "Born 05/02/1971")
    }
    born = pair("Born", "05/02/1971", source="form", number=3)
    assert answered("When was she born?", born, fields=shown).value == "1971-05-02"
    assert answered("What is the brother's date of birth?", born, fields=shown).text == NOT_FOUND


@pytest.mark.parametrize(
    ("question", "is_dropped"), [("Ruiz's birthday?", False), ("Marchetti's birthday?", True)]
)
def test_what_does_not_name_whose_it_is_is_never_sure_of_anybody_but_the_worker(
    question: str, is_dropped: bool
) -> None:
    worker = field("claimant.full_name", "Ana Ruiz", "string", "Employee: Ana Ruiz")
    birth = pair("Date of birth", "04/09/1980", source="chart", number=1)
    everywhere = [sentence("Told Marchetti of it.", source=f"log {n}", number=n) for n in range(2, 8)]
    answer = answered(question, birth, *everywhere, fields=by_key(worker))
    (found,) = [e for e in (*answer.support, *answer.misses) if e.statement.source_id == "chart"]
    assert bool(found.features.get("owner_dropped")) == is_dropped
