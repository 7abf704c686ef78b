"""A value of a model that its own words, the rules or the schema speak against is never shown as sure."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from citation_pipeline.adapters.extractors.by_document import read_and_check
from citation_pipeline.adapters.extractors.replay import ReplayExtractor
from citation_pipeline.adapters.extractors.rules import RULES
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.consistency.claims import doubt_disagreeing, find_violations
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.field_confidence import SURE, confidences_of
from citation_pipeline_tests.drawn_documents import text_document

SCHEMA = load_schema("workers_comp")
OLDER = """CLAIM SUMMARY
Report date: 02/01/2024
Claim Number: ZX-2025-000417
Claimant: Ana Ruiz
Date of injury: 01/11/2024
Average weekly wage: $1,100.00
Examiner: Piet Halloran
Claim status: Open
Work status: Off work
Litigated: No"""
NEWER = """CLAIM SUMMARY
Report date: 09/03/2024
Claim Number: ZX-2025-000417
Claimant: Ana Ruiz
Date of injury: 01/11/2024
Average weekly wage: $1,214.70
Examiner: Dora Vance
Claim status: Open
Work status: Modified duty
Litigated: No"""
DOCUMENTS = [text_document("older", *OLDER.splitlines()), text_document("newer", *NEWER.splitlines())]
WAGE, EXAMINER, STATUS = (
    "wages.average_weekly_wage",
    "metadata.examiner_name",
    "work_status.current_status",
)


def read(
    *records: tuple[str, Any, str],
    source: str = "newer",
    provider: str = "replay",
    documents: Sequence[ParsedDocument] = DOCUMENTS,
) -> list[ExtractedField]:
    """Return the fields of an answer that gives each value with one quotation from a document."""
    extractions = [
        {
            "field_key": key,
            "value": value,
            "confidence": "high",
            "citations": [{"source_id": source, "text_snippet": snippet}],
        }
        for key, value, snippet in records
    ]
    body = json.dumps({"extractions": extractions}).encode()
    reply = StoredReply(request_fingerprint="r", provider=provider, model="m", body=body)
    _, extraction = read_and_check(ReplayExtractor(), [reply], documents, SCHEMA)
    violations = find_violations(SCHEMA, extraction.fields, documents, {})
    return [one for one in doubt_disagreeing(extraction.fields, violations) if one.value is not None]


def sureness(field: ExtractedField, documents: Sequence[ParsedDocument] = DOCUMENTS) -> float:
    citations = resolve_claim(documents, [field], schema=SCHEMA)
    return confidences_of([field], citations)[field.field_key].confidence


@pytest.mark.parametrize(
    ("key", "value", "snippet"),
    [
        (WAGE, 1214.7, "Average weekly wage: $1,214.70"),
        (EXAMINER, "Dora Vance", "Examiner: Dora Vance"),
        (STATUS, "modified_duty", "Work status: Modified duty"),
        ("litigation.is_litigated", False, "Litigated: No"),
    ],
)
def test_what_all_readings_agree_on_is_sure(key: str, value: Any, snippet: str) -> None:
    [field] = read((key, value, snippet))
    assert sureness(field) >= SURE
    assert not field.candidates


@pytest.mark.parametrize(
    ("key", "value", "snippet", "now"),
    [
        (WAGE, 1100.0, "Average weekly wage: $1,100.00", 1214.7),
        (EXAMINER, "Piet Halloran", "Examiner: Piet Halloran", "Dora Vance"),
        (STATUS, "off_work", "Work status: Off work", "modified_duty"),
    ],
)
def test_an_older_print_is_not_sure_and_the_newer_one_is_beside_it(
    key: str, value: Any, snippet: str, now: Any
) -> None:
    [field] = read((key, value, snippet), source="older")
    assert field.value == value  # the value stays the extractor's
    assert sureness(field) <= 0.5
    assert "second_reading_differs" in field.warnings
    [candidate] = [one for one in field.candidates if one.reason == "second_reading"]
    assert candidate.value == now
    assert [snippet.source_id for snippet in candidate.snippets] == ["newer"]


@pytest.mark.parametrize(
    ("key", "value", "snippet"),
    [
        (WAGE, 1214.9, "Average weekly wage: $1,214.70"),
        ("claimant.date_of_birth", "1990-05-30", "Report date: 09/03/2024"),
        (EXAMINER, "Dara Vance", "Examiner: Dora Vance"),
        ("metadata.claim_status", "settled", "Claim status: Open"),
        ("litigation.is_litigated", True, "Litigated: No"),
    ],
)
def test_a_value_that_its_quotation_does_not_state_is_not_sure(key: str, value: Any, snippet: str) -> None:
    assert all(sureness(field) < SURE for field in read((key, value, snippet)))


def test_however_many_quotations_that_do_not_state_a_value_make_it_no_surer() -> None:
    snippets = ("Date of injury: 01/11/2024", "Report date: 09/03/2024", "Claim Number: ZX-2025-000417")
    record = {
        "field_key": "claimant.date_of_hire",
        "value": "2019-05-30",
        "citations": [
            {"source_id": source, "text_snippet": snippet}
            for source in ("newer", "older")
            for snippet in snippets
            if source == "newer" or "Report" not in snippet
        ],
    }
    body = json.dumps({"extractions": [record]}).encode()
    reply = StoredReply(request_fingerprint="r", provider="replay", model="m", body=body)
    _, extraction = read_and_check(ReplayExtractor(), [reply], DOCUMENTS, SCHEMA)
    [field] = [one for one in extraction.fields if one.value is not None]
    assert sureness(field) <= 0.5


def test_values_that_a_broken_rule_names_are_not_sure() -> None:
    fields = read(
        ("claimant.date_of_birth", "2024-09-03", "Report date: 09/03/2024"),
        ("claimed_injury_description.date_of_injury", "2024-01-11", "Date of injury: 01/11/2024"),
    )
    assert {field.field_key for field in fields if "broken_rule" in field.warnings} == {
        "claimant.date_of_birth",
        "claimed_injury_description.date_of_injury",
    }
    assert all(sureness(field) <= 0.5 for field in fields)


def test_prose_and_lists_are_not_compared() -> None:
    long = "Claimant was seen twice and told to come again in the autumn of the year"
    fields = read(("treatment.treatment_summary", long, "Work status: Modified duty"))
    assert not any("second_reading_differs" in field.warnings for field in fields)


def test_the_rules_do_not_witness_for_themselves() -> None:
    [field] = read((WAGE, 1100.0, "Average weekly wage: $1,100.00"), provider=RULES)
    assert not field.candidates
    assert "second_reading_differs" not in field.warnings


def papers(*texts: str) -> list[ParsedDocument]:
    return [text_document(f"paper-{at}", *text.splitlines()) for at, text in enumerate(texts)]


def test_a_value_that_the_rules_cannot_decide_against_another_print_is_not_sure() -> None:
    both = papers(
        "CLAIM SUMMARY\nReport date: 02/01/2024\nClaimant: Ana Ruiz\nDate of injury: 01/11/2024",
        "CLAIM SUMMARY\nReport date: 02/01/2024\nClaimant: Ana Ruiz\nDate of injury: 01/21/2024",
    )
    key = "claimed_injury_description.date_of_injury"
    [field] = read((key, "2024-01-11", "Date of injury: 01/11/2024"), source="paper-0", documents=both)
    assert sureness(field, both) < SURE
    assert "2024-01-21" in [one.value for one in field.candidates]


RESTRICTIONS = "work_status.work_restrictions"
EARLY = (
    "OFFICE NOTE\nDate of visit: 03/04/2024\nWork restrictions: no lifting over five pounds with the left arm"
)
LATE = "OFFICE NOTE\nDate of visit: 04/22/2024\nWork restrictions: no lifting over thirty pounds"


@pytest.mark.parametrize(("source", "is_sure"), [("paper-0", False), ("paper-1", True)])
def test_prose_is_not_sure_where_a_later_paper_has_other_prose(source: str, is_sure: bool) -> None:
    notes = papers(EARLY, LATE)
    quoted = (EARLY if source == "paper-0" else LATE).rpartition(": ")[2]
    [field] = read((RESTRICTIONS, quoted, quoted), source=source, documents=notes)
    assert (sureness(field, notes) >= SURE) is is_sure


SEEN_BY = "Treating physician: Ilka Brandt, M.D."


@pytest.mark.parametrize(("month", "is_sure"), [("03", True), ("07", False)])
def test_what_changes_is_not_sure_when_only_papers_of_a_season_ago_say_it(month: str, is_sure: bool) -> None:
    memos = [f"MEMO\nDate: {month}/{day}/2024\nNothing new." for day in (25, 30)]
    claim = papers(f"OFFICE NOTE\nDate of visit: 03/04/2024\n{SEEN_BY}", *memos)
    [field] = read(("treating_physician.name", "Ilka Brandt", SEEN_BY), source="paper-0", documents=claim)
    assert (sureness(field, claim) >= SURE) is is_sure
    assert ("perhaps_overtaken" in field.warnings) is not is_sure


def test_what_an_answer_says_of_its_age_itself_is_not_said_twice() -> None:
    memos = [f"MEMO\nDate: 07/{day}/2024\nNothing new." for day in (25, 30)]
    claim = papers(f"OFFICE NOTE\nDate of visit: 03/04/2024\n{SEEN_BY}", *memos)
    record = {
        "field_key": "treating_physician.name",
        "value": "Ilka Brandt",
        "warnings": ["perhaps_overtaken"],
        "citations": [{"source_id": "paper-0", "text_snippet": SEEN_BY}],
    }
    body = json.dumps({"extractions": [record]}).encode()
    reply = StoredReply(request_fingerprint="r", provider="replay", model="m", body=body)
    _, extraction = read_and_check(ReplayExtractor(), [reply], claim, SCHEMA)
    [field] = [one for one in extraction.fields if one.value is not None]
    assert field.warnings.count("perhaps_overtaken") == 1


def test_what_does_not_change_is_as_sure_in_an_old_paper() -> None:
    claim = papers(
        "REPORT\nReport date: 02/01/2024\nDate of injury: 01/11/2024", "MEMO\nDate: 12/30/2024\nNothing new."
    )
    key = "claimed_injury_description.date_of_injury"
    [field] = read((key, "2024-01-11", "Date of injury: 01/11/2024"), source="paper-0", documents=claim)
    assert sureness(field, claim) >= SURE


@pytest.mark.parametrize(
    "sentence",
    [
        "The earlier setting of {} fell away.",
        "The conference of {} is off calendar.",
        "Trial has been reset from {} to 11/05/2024.",
        "The hearing on {} was continued to 11/05/2024.",
        "It was first set for {} and then again.",
    ],
)
def test_a_day_that_its_sentence_calls_over_is_not_sure(sentence: str) -> None:
    told = sentence.format("10/02/2024")
    claim = papers(f"NOTICE\nDate: 09/01/2024\n{told}")
    [field] = read(("litigation.next_hearing_date", "2024-10-02", told), source="paper-0", documents=claim)
    assert sureness(field, claim) <= 0.5


def test_the_day_that_a_hearing_was_moved_to_is_sure() -> None:
    told = "The hearing on 10/02/2024 was continued to 11/05/2024."
    claim = papers(f"NOTICE\nDate: 09/01/2024\n{told}")
    [field] = read(("litigation.next_hearing_date", "2024-11-05", told), source="paper-0", documents=claim)
    assert sureness(field, claim) >= SURE
