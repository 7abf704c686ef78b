"""Questions about contracts, orders and bills, and what a question says that asks for nothing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.question_runs import with_truth_as_answer
from citation_pipeline.adapters.claim_folders import RECORDED_ANSWER
from citation_pipeline.adapters.schema_files import load_schema, read_phrasings
from citation_pipeline.core.retrieval.answering import Answer, answer_from
from citation_pipeline.core.retrieval.candidates import KeptFields, find_candidates
from citation_pipeline.core.retrieval.confidence import UNSURE, answer_model
from citation_pipeline.core.retrieval.field_evidence import match_fields
from citation_pipeline.core.retrieval.questions import read_question
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.typed_answers import find_typed
from citation_pipeline_tests.test_questions_evidence import answered, by_key, field, pair, sentence


def of_paper(schema: str, text: str, *statements: Statement) -> Answer:
    phrasings = read_phrasings(load_schema(schema))
    model = answer_model()
    found = find_candidates(read_question(text), statements, KeptFields(), phrasings, model.ranking)
    return answer_from(found, model)


CONTRACT = (
    "This Agreement, dated this 4th day of June, 2031, is made by Alder Boats, Inc. and Quill Paper LLC.",
    "Each side keeps secret what the other shows it about boats.",
    "This Agreement shall be governed by and construed under the laws of the State of Vermont.",
    "Notices are sent by mail to the addresses that stand above.",
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Whose law decides if they quarrel?", "Vermont"),
        ("What law is it governed by?", "Vermont"),
        ("When was the agreement made?", "4th day of June, 2031"),
    ],
)
def test_a_contract_is_asked_by_how_people_ask_for_its_clauses(question: str, expected: str) -> None:
    said = [sentence(text, number=n) for n, text in enumerate(CONTRACT)]
    answer = of_paper("non_disclosure_agreement", question, *said)
    assert answer.is_found
    assert answer.text == expected
    assert answer.confidence <= UNSURE  # no extractor read it: never sure


@pytest.mark.parametrize(
    ("schema", "text", "key"),
    [
        ("broadcast_order", "On what day do the spots stop?", "flight_end"),
        ("broadcast_order", "How much once the agency has its commission?", "net_amount"),
        ("invoice", "By which day do they want their money?", "document.due_date"),
        ("invoice", "How much VAT is in it?", "amounts.tax"),
    ],
)
def test_orders_and_bills_have_phrasings_of_their_own(schema: str, text: str, key: str) -> None:
    best = match_fields(read_question(text), read_phrasings(load_schema(schema))).best
    assert best is not None
    assert best.field_key == key


def test_a_state_is_told_by_its_laws() -> None:
    assert [v.value for v in find_typed("under the laws of the State of New Mexico, without", "law")] == [
        "New Mexico"
    ]
    assert not find_typed("as the law firm of Brandt wrote", "law")


def row(text: str) -> Statement:
    words = tuple(range(len(text.split())))
    return Statement("order", 1, "row", words, words, "", text)


def test_a_number_of_the_next_box_is_not_that_of_a_blank_one() -> None:
    blank = row("Deal # Agency Code 7714-20")
    assert not answered("What is the deal number?", blank).is_found


def test_the_end_of_the_claims_own_number_is_no_number_to_look_for() -> None:
    own = field("metadata.claim_number", "XK-20-7741", "string", "Claim number XK-20-7741")
    total = field("reserves.total_incurred", 8123.5, "number", "Total incurred 8,123.50")
    answer = answered("total incurred on 7741?", fields=by_key(own, total))
    assert answer.is_found
    assert answer.value == 8123.5


def test_the_part_of_the_body_that_tells_a_doctor_is_no_subject() -> None:
    assert not read_question("When is the next visit with the elbow surgeon?").subjects.body_parts
    assert read_question("Who is the elbow surgeon?").subjects.body_parts == {"elbow"}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("our number - not the one on the notice", "our number"),
        ("Who has it now, and not who had it in May?", "who has it now?"),
        ("hire date, not an old one", "hire date"),
        ("Why was it not the knee?", "why was it not the knee?"),
        ("hire_date", "hire date"),
    ],
)
def test_what_is_said_not_to_be_meant_is_not_asked_for(text: str, plain: str) -> None:
    assert read_question(text).plain == plain


def test_an_address_answers_whole() -> None:
    where = "18 Larkspur Row, Suite 4, Dunmore, PA 18512"
    address = field("employer.address", where, "string", f"Employer address {where}")
    assert answered("Where is the employer's office?", fields=by_key(address)).text == where


def test_the_truth_of_a_claim_can_be_its_recorded_answer(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    cited = {"file": "First Report.pdf", "page": 1, "text": "Hired 4/1/2030"}
    truth = {"fields": {"claimant.date_of_hire": {"value": "2030-04-01", "citations": [cited]}}}
    (folder / "truth.json").write_text(json.dumps(truth))
    copy = with_truth_as_answer(folder, "own", tmp_path / "scratch")
    record = json.loads((copy / RECORDED_ANSWER).read_text())["extractions"][0]
    assert record["value"] == "2030-04-01"
    assert record["citations"] == [{"source_id": "first-report", "text_snippet": "Hired 4/1/2030"}]


def test_a_newer_row_with_the_words_of_a_label_takes_the_certainty_from_an_older_print() -> None:
    older = pair("Lighthouse inspection date", "03/04/2031", source="old", number=1)
    older = replace(older, is_laid_out=True)
    newer = replace(row("Lighthouse inspection date now 05/06/2031 at the pier"), source_id="new")
    dates = {"old": "2031-01-02", "new": "2031-02-03", "filler": "2031-01-01"}
    asked = "What is the lighthouse inspection date?"
    assert answered(asked, older, dates=dates).confidence > UNSURE
    assert answered(asked, older, newer, dates=dates).confidence <= UNSURE
