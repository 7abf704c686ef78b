"""Whoever writes a document says what it says; names follow offices; contradicted values are unsure."""

from dataclasses import replace
from pathlib import Path

import pytest

from citation_pipeline.adapters.read_model.field_values import field_values
from citation_pipeline.core.retrieval.authors import authors_of
from citation_pipeline.core.retrieval.confidence import UNSURE
from citation_pipeline.core.retrieval.party_names import find_persons
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline_tests.agent_claims import build_searchable_store, open_model
from citation_pipeline_tests.test_questions_evidence import answered, by_key, field, pair, sentence
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID

INCURRED = "reserves.total_incurred"


def signed(name: str, *, source: str) -> Statement:
    return replace(sentence(name, source=source, number=9), kind="signature")


def test_whoever_signs_a_document_or_stands_beside_from_is_its_author() -> None:
    listed = [
        signed("Odile Marchbanks, MD", source="report"),
        pair("From:", "Tobias Vrenna", source="mail", number=1),
        pair("Witness", "Bram Oosterling", source="mail", number=2),
    ]
    authors = authors_of(listed)
    assert authors["report"] >= {"odile", "marchbanks"}
    assert authors["mail"] == {"tobias", "vrenna"}


def test_what_a_physician_found_is_in_the_report_that_the_physician_signed() -> None:
    found = "Grip strength fell from 41 to 29 kilograms since spring."
    answer = answered(
        "What did Dr. Marchbanks find that the grip strength had fallen to?",
        sentence(found, source="report", number=1),
        signed("Odile Marchbanks, MD", source="report"),
        sentence("Dr. Marchbanks will be deposed on the usual terms.", source="letter", number=2),
    )
    shown = [*answer.support, *answer.misses]
    assert shown[0].statement.text == found
    assert not shown[0].near_miss


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("held with Industrial Appeals Judge Winnow Castellbrook.", "Winnow Castellbrook"),
        ("Claims Examiner Brin Hallorn will call", "Brin Hallorn"),
        ("Nurse Case Manager Dorrit Vansel, R.N.", "Dorrit Vansel"),
    ],
)
def test_a_name_is_what_follows_the_office(text: str, name: str) -> None:
    assert [found.text for found in find_persons(text)] == [name]


def test_a_print_that_the_newer_value_of_the_field_contradicts_is_never_sure() -> None:
    newer = field(INCURRED, 8150.25, "number", "Total incurred 8,150.25", belief=0.95)
    newer = replace(newer, statement=replace(newer.statement, recency=1.0, written="2025-06-01"))
    answer = answered(
        "Total incurred on this claim?",
        sentence("Total incurred $2,904.10.", source="old", number=3),
        fields=by_key(newer),
        dates={"old": "2024-11-14"},
    )
    assert answer.value == 8150.25 or answer.confidence <= UNSURE


def test_the_place_of_a_fields_value_is_as_new_as_its_document(tmp_path: Path) -> None:
    model = open_model(build_searchable_store(tmp_path))
    state, documents = model.claims.state(CLAIM_ID), model.claims.documents(CLAIM_ID)
    dates = {"adjuster-letter": "2023-04-01", "payment-ledger": "2025-04-01"}
    read = field_values(state, documents, dates)
    older, newer = (read[key].statement for key in ("claimant.name", "financials.total_paid"))
    assert older.source_id == "adjuster-letter"
    assert newer.source_id == "payment-ledger"
    assert newer.recency > older.recency
