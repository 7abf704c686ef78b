"""A claim asked of the loopback Claude: all fields answered, what is open asked again, nothing paid twice."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.errors import ClaudeAccessError
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.conversation.errors import StoredReplyError
from citation_pipeline.adapters.conversation.profiles import UnknownModelError
from citation_pipeline.adapters.tables.answer_rows import reply_table
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline_tests.claude_scenes import (
    CLAIM,
    Desk,
    answers_of,
    claim_documents,
    document_of,
    field_of,
    pdf_documents,
)
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

REFERENCE = answers_of(
    {
        "metadata.claim_number": ("C-1", "letter", "Claim number: C-1"),
        "metadata.date": ("2026-10-19", "ledger", "Run date: 10/19/2026"),
        "wages.hourly_rate": (22.63, "letter", "rate of pay is $22.63 per hour"),
        "litigation.is_litigated": (False, "letter", "This claim is not litigated."),
        "treatment.medications": (
            [{"name": "Etodolac", "dosage": "400 mg"}, {"name": "Tizanidine"}],
            "ledger",
            "Medications: Etodolac 400 mg; Tizanidine",
        ),
    }
)
LETTER = "Claim number: C-1\nThe rate of pay is $22.63 per hour.\nThis claim is not litigated."
LEDGER = "Run date: 10/19/2026\nMedications: Etodolac 400 mg; Tizanidine"
DOCUMENTS = [document_of("letter", [LETTER]), document_of("ledger", [LEDGER])]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with FakeAnthropic(ReferenceAnswers(REFERENCE, must_be_read=True)) as claude:
        yield Desk(claude, tmp_path / "replies")


def values_of(extraction: Any) -> dict[str, Any]:
    return {field.field_key: field.value for field in extraction.fields if field.value is not None}


REPLY_COLUMNS = [one.name for one in fields(StoredReply) if one.name != "body"]
EXPECTED = {record["field_key"]: record["value"] for record in REFERENCE["extractions"]}


@pytest.mark.parametrize("claim", ["claim_05", "claim_06"])
def test_all_84_fields_of_a_claim_are_answered_in_one_call_with_the_right_values(
    claims: Path, tmp_path: Path, claim: str
):
    reference = json.loads((claims / claim / "perfect_extraction.json").read_text(encoding="utf-8"))
    with FakeAnthropic(ReferenceAnswers(reference)) as claude:
        desk = Desk(claude, tmp_path)
        replies, extraction = desk.run(claim_documents(claims / claim))
    assert len(replies) == 1
    assert len(extraction.fields) == 84
    assert extraction.issues == ()
    expected = {record["field_key"]: record["value"] for record in reference["extractions"]}
    assert values_of(extraction) == expected
    assert all(field.warnings == () for field in extraction.fields)


def test_all_84_fields_of_the_sample_claim_are_answered(project: Path, tmp_path: Path):
    folder = project / "data" / "samples" / "sample_claim"
    reference = json.loads((folder / "extraction_raw.json").read_text(encoding="utf-8"))
    documents = pdf_documents(folder / "documents")
    with FakeAnthropic(ReferenceAnswers(reference)) as claude:
        replies, extraction = Desk(claude, tmp_path).run(documents)
        shown = set(claude.records.requests[0]["source_ids"])
    assert len(replies) == 1
    assert len(extraction.fields) == 84
    assert extraction.issues == ()
    # the fax scan has no text layer here, so what stands in it alone is not answered
    assert len(shown) == len(documents) - 1
    assert values_of(extraction) == {
        record["field_key"]: record["value"]
        for record in reference["extractions"]
        if record["value"] is not None and any(c["source_id"] in shown for c in record["citations"])
    }


def test_replies_that_went_through_the_table_are_read_the_same(desk: Desk, tmp_path: Path):
    desk.claude.add("messages", "missing_fields", names=["metadata.date"])
    replies, extraction = desk.run(DOCUMENTS)
    rows = reply_table("claim-1", replies).to_pylist()
    stored = [StoredReply(body=row.pop("reply"), **{k: row[k] for k in REPLY_COLUMNS}) for row in rows]
    assert stored == replies
    assert desk.extractor(api_key=None).read(stored, DOCUMENTS, desk.schema) == extraction


def test_the_reply_is_kept_byte_for_byte_with_usage_cost_and_a_ledger_row(desk: Desk):
    replies, extraction = desk.run(DOCUMENTS)
    assert replies[0].body.startswith(b"event: message_start")
    assert desk.extractor(api_key=None)._archive.find(replies[0].request_fingerprint) == replies[0]
    counters = desk.claude.records.counters
    assert replies[0].cache_write_tokens > 4000  # the instructions, for the next claim to read
    assert replies[0].input_tokens + replies[0].cache_write_tokens == counters["input_tokens"]
    assert replies[0].output_tokens == counters["output_tokens"]
    assert replies[0].cost_usd == pytest.approx(
        replies[0].input_tokens * 2e-6
        + replies[0].cache_write_tokens * 2.5e-6
        + counters["output_tokens"] * 10e-6
    )
    (row,) = desk.rows
    assert (row.claim_id, row.code, row.status) == ("claim-1", "ok", 200)
    assert (row.document_count, row.page_count, row.model) == (2, 2, "claude-sonnet-5-5")
    assert row.cost_usd == replies[0].cost_usd
    assert extraction.model == "claude-sonnet-5-5"
    assert extraction.prompt_fingerprint


def test_asking_the_same_again_costs_nothing_and_needs_no_key(desk: Desk):
    first, extraction = desk.run(DOCUMENTS)
    second, again = desk.run(DOCUMENTS, api_key=None)
    assert second == first
    assert again == extraction
    assert desk.paid == 1
    assert len(desk.rows) == 1


def test_without_a_key_and_without_a_reply_the_remedy_is_told(desk: Desk):
    with pytest.raises(ClaudeAccessError, match="ANTHROPIC_API_KEY"):
        desk.run(DOCUMENTS, api_key=None)


def test_a_changed_document_or_model_is_another_request(desk: Desk):
    desk.run(DOCUMENTS)
    desk.run([*DOCUMENTS[:1], document_of("ledger", [LEDGER + " more"])])
    desk.run(DOCUMENTS, model="claude-haiku-5-5")
    assert desk.paid == 3


def test_what_is_missing_is_asked_again_alone(desk: Desk):
    desk.claude.add("messages", "missing_fields", names=["wages.hourly_rate", "metadata.date"])
    replies, extraction = desk.run(DOCUMENTS)
    assert len(replies) == 2
    again = desk.claude.records.requests[-1]
    assert again["field_keys"] == ["metadata.date", "wages.hourly_rate"]
    assert values_of(extraction) == EXPECTED
    assert not [i for i in extraction.issues if "unanswered" in i.code]


def test_what_stays_missing_after_the_second_time_is_an_issue(desk: Desk):
    desk.claude.add("messages", "missing_fields", names=["wages.hourly_rate"], times=-1)
    replies, extraction = desk.run(DOCUMENTS)
    assert len(replies) == 2
    assert [(i.code, i.field_key) for i in extraction.issues] == [("unanswered", "wages.hourly_rate")]
    assert len(extraction.fields) == 83


def test_values_of_the_wrong_type_are_asked_again(desk: Desk):
    desk.claude.add("messages", "wrong_types")
    _, extraction = desk.run(DOCUMENTS)
    values = values_of(extraction)
    assert {key: values[key] for key in EXPECTED if key != "treatment.medications"} == {
        key: value for key, value in EXPECTED.items() if key != "treatment.medications"
    }


def test_a_list_shorter_than_its_table_is_asked_again_with_the_number_of_rows(tmp_path: Path):
    table = (
        "<table><tr><th>Lienholder</th><th>Amount</th></tr><tr><td>EDD</td><td>$5</td></tr>"
        "<tr><td>Kaiser</td><td>$7</td></tr><tr><td>Tri-County</td><td>$9</td></tr></table>"
    )
    liens = [{"lienholder": name} for name in ("EDD", "Kaiser", "Tri-County")]
    reference = answers_of({"liens.filed_liens": (liens, "liens", "Kaiser")})
    with FakeAnthropic(ReferenceAnswers(reference)) as claude:
        desk = Desk(claude, tmp_path)
        claude.add("messages", "short_lists")
        replies, extraction = desk.run([document_of("liens", ["Liens filed"], tables=[table])])
    assert len(replies) == 2
    assert claude.records.requests[-1]["field_keys"] == ["liens.filed_liens"]
    assert field_of(extraction, "liens.filed_liens").value == liens


def test_follow_ups_stay_within_their_budget(desk: Desk):
    desk.claude.add("messages", "missing_fields", count=30, times=-1)
    replies, extraction = desk.run(DOCUMENTS, follow_ups=0)
    assert len(replies) == 1
    assert sum(i.code == "unanswered" for i in extraction.issues) == 30


@pytest.mark.filterwarnings("default:The model:DeprecationWarning")  # the SDK tells its end of life
def test_the_older_model_is_asked_in_its_own_shape(desk: Desk):
    _, extraction = desk.run(DOCUMENTS, model="claude-sonnet-4-5-20250929")
    request = desk.claude.records.requests[0]
    assert (request["model"], request["effort"]) == ("claude-sonnet-4-5-20250929", None)
    assert request["has_format"]
    assert values_of(extraction) == EXPECTED


def test_a_short_answer_is_asked_for_without_a_stream(desk: Desk):
    replies, extraction = desk.run(DOCUMENTS, answer_tokens=20_000)
    assert not desk.claude.records.requests[0]["stream"]
    assert json.loads(replies[0].body)["type"] == "message"
    assert values_of(extraction) == EXPECTED


def test_effort_and_version_are_sent_and_no_sampling(desk: Desk):
    desk.run(DOCUMENTS, effort="low")
    request = desk.claude.records.requests[0]
    assert (request["effort"], request["version"], request["retry_count"]) == ("low", "2026-10-21", "0")


def test_documents_that_cannot_be_read_or_are_copies_are_not_sent(desk: Desk):
    empty = document_of("blank", [""])
    desk.run([*DOCUMENTS, empty])
    assert desk.claude.records.requests[0]["source_ids"] == ["letter", "ledger"]


def test_a_claim_without_any_text_asks_nobody_and_answers_nothing(desk: Desk):
    replies, extraction = desk.run([document_of("blank", [""])])
    assert replies == []
    assert extraction.fields == ()
    assert {issue.code for issue in extraction.issues} == {"unanswered"}
    assert len(extraction.issues) == 84
    assert desk.claude.records.requests == []


def test_a_damaged_stored_reply_is_refused_and_not_silently_paid_again(desk: Desk):
    replies, _ = desk.run(DOCUMENTS)
    path = next(desk.root.rglob(f"{replies[0].request_fingerprint}.reply"))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(StoredReplyError, match="delete it to pay for it again"):
        desk.run(DOCUMENTS)
    assert desk.paid == 1


def test_the_fingerprint_follows_model_effort_and_schema(desk: Desk):
    prints = {
        desk.extractor(**settings).fingerprint(CLAIM, desk.schema)
        for settings in ({}, {"effort": "low"}, {"model": "claude-opus-5-5"}, {"answer_tokens": 9000})
    }
    assert len(prints) == 4
    assert desk.extractor().fingerprint(CLAIM, desk.schema) in prints


def test_a_model_without_limits_and_prices_is_refused_at_once(tmp_path: Path):
    with pytest.raises(UnknownModelError, match="claude-99"):
        ClaudeSettings(model="claude-99").profile()


def test_an_estimate_calls_nobody_and_grows_with_the_claim(desk: Desk):
    extractor = desk.extractor(api_key=None)
    small = extractor.estimate(DOCUMENTS, desk.schema)
    large = extractor.estimate([document_of(f"d{n}", ["x" * 15_000]) for n in range(120)], desk.schema)
    assert (small.calls, extractor.estimate([], desk.schema).calls) == (1, 0)
    assert 1 < large.calls < 10
    assert large.cost_usd > small.cost_usd > 0
    assert desk.claude.records.requests == []
