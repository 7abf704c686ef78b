"""Claims that do not fit one request: cut by documents, pages and fields, and merged without a loss."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.conversation.asks import Ask
from citation_pipeline.adapters.conversation.plans import (
    field_groups,
    halve_sources,
    plan_asks,
    readable_sources,
)
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline_tests.claude_scenes import Desk, answers_of, document_of, field_of
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

DOCUMENTS = 120
CHARACTERS = 1_500_000


def page_of(number: int, fact: str, characters: int) -> str:
    # few long words: what counts is the characters, and composing words takes the time
    line = f"Entry{number}" + "x" * (characters // 2 - len(fact))
    return "\n".join([fact, line, line])


def large_claim() -> tuple[list[ParsedDocument], dict[str, Any]]:
    """120 documents of 12,500 characters on five pages, facts spread over all of them."""
    facts = {
        7: ("metadata.claim_number", "C-77", "Claim number: C-77"),
        60: ("wages.hourly_rate", 22.63, "rate of pay is $22.63 per hour"),
        119: ("litigation.is_litigated", False, "This claim is not litigated."),
    }
    documents, records = [], {}
    for number in range(DOCUMENTS):
        key, value, snippet = facts.get(number, ("", None, "nothing to see"))
        if key:
            records[key] = (value, f"d{number}", snippet)
        size = CHARACTERS // DOCUMENTS // 5
        pages = [page_of(number, snippet if page == 3 else "page", size) for page in range(5)]
        documents.append(document_of(f"d{number}", pages))
    return documents, answers_of(records)


def test_a_claim_of_120_documents_and_one_and_a_half_million_characters_is_read_in_parts(tmp_path: Path):
    documents, reference = large_claim()
    assert sum(len(document.text) for document in documents) > 1_450_000
    with FakeAnthropic(ReferenceAnswers(reference, must_be_read=True)) as claude:
        desk = Desk(claude, tmp_path)
        replies, extraction = desk.run(documents)
        messages = [one for one in claude.records.requests if one["operation"] == "messages"]
        counted = claude.records.counters["count_tokens"]
        again, _ = desk.run(documents, api_key=None)
    assert len(replies) == len(messages) == 3
    shown = [source_id for request in messages for source_id in request["source_ids"]]
    assert shown == [f"d{number}" for number in range(DOCUMENTS)]
    limit = ClaudeSettings().prompt_limit()
    assert all(
        reply.input_tokens + reply.cache_write_tokens + reply.cache_read_tokens <= limit for reply in replies
    )
    assert {f.field_key: f.value for f in extraction.fields if f.value is not None} == {
        record["field_key"]: record["value"] for record in reference["extractions"]
    }
    assert len(extraction.fields) == 84
    assert extraction.issues == ()
    assert again == replies
    assert 1 < counted < 8
    # the instructions are written to the cache once and read by the other parts
    assert [reply.cache_read_tokens > 0 for reply in replies] == [False, True, True]


def test_the_latest_document_wins_across_parts_and_the_older_value_is_kept(tmp_path: Path):
    old = document_of("old", ["Report date: 01/05/2020\nrate of pay is $20.00 per hour\n" + "x" * 9000])
    new = document_of("new", ["Report date: 06/05/2024\nrate of pay is $22.63 per hour\n" + "y" * 9000])
    with FakeAnthropic() as claude:
        desk = Desk(claude, tmp_path)
        for value, source in ((22.63, "new"), (20.0, "old")):
            record = {
                "field_key": "wages.hourly_rate",
                "value": value,
                "confidence": "high",
                "provenance": "extracted",
                "citations": [
                    {"source_id": source, "text_snippet": f"rate of pay is ${value:.2f} per hour", "page": 1}
                ],
            }
            body = json.dumps({"extractions": [record]})
            claude.add("messages", "text", source_id=source, body=body)
        _, extraction = desk.run([new, old], prompt_tokens=8_500)
    assert field_of(extraction, "wages.hourly_rate").value == 22.63
    assert [(c.field_key, c.value, c.date) for c in extraction.conflicts] == [
        ("wages.hourly_rate", 20.0, "2020-01-05")
    ]
    assert "conflicting_values" in field_of(extraction, "wages.hourly_rate").warnings


def test_a_part_that_answers_less_than_the_others_is_named(tmp_path: Path):
    documents = [document_of(name, [name * 2000]) for name in ("aaaa", "bbbb")]
    with FakeAnthropic() as claude:
        desk = Desk(claude, tmp_path)
        claude.add("messages", "missing_fields", source_id="bbbb", names=["wages.hourly_rate"], times=-1)
        _, extraction = desk.run(documents, prompt_tokens=8_500)
    assert [(i.code, i.field_key) for i in extraction.issues] == [("partly_unanswered", "wages.hourly_rate")]


def count(ask: Ask) -> int:
    return ask.character_count // 3


def schema_of(fields: int) -> Any:
    sections = {
        f"section_{n // 10}": {
            "type": "object",
            "properties": {f"f{m}": {"type": "string"} for m in range(n, min(n + 10, fields))},
        }
        for n in range(0, fields, 10)
    }
    return flatten({"type": "object", "properties": sections}, name="wide")


def test_a_document_too_large_for_one_request_is_cut_by_pages_and_a_page_by_its_lines():
    pages = ["\n".join([f"{number}" * 40] * 300) for number in range(3)]
    documents = [document_of("big", pages), document_of("small", ["short"])]
    settings = ClaudeSettings(prompt_tokens=2_500)
    asks = plan_asks(readable_sources(documents), documents, schema_of(3), settings, count=count)
    assert all(count(ask) <= 2_500 for ask in asks)
    shown = "".join(source.text for ask in asks for source in ask.sources)
    for number in range(3):
        assert shown.count(f"{number}" * 40) == 300
    assert shown.endswith("short")


def test_a_schema_too_wide_for_one_answer_is_asked_by_groups_of_whole_categories():
    schema = schema_of(95)
    settings = ClaudeSettings(fields_per_request=40)
    groups = field_groups(schema, settings)
    assert [len(group or ()) for group in groups] == [40, 40, 15]
    assert [key for group in groups for key in group or ()] == list(schema.by_key)
    documents = [document_of("a", ["text"])]
    asks = plan_asks(readable_sources(documents), documents, schema, settings, count=count)
    assert all(ask.shares_documents for ask in asks)


def test_groups_of_fields_share_the_cached_documents(tmp_path: Path):
    with FakeAnthropic() as claude:
        desk = Desk(claude, tmp_path)
        replies, extraction = desk.run([document_of("a", ["word " * 2000])], fields_per_request=30)
    assert len(replies) == 3
    assert len(extraction.fields) == 84
    assert replies[1].cache_read_tokens > replies[0].input_tokens
    assert extraction.issues == ()


@pytest.mark.parametrize("pages", [1, 2, 5])
def test_halving_loses_nothing_and_ends(pages: int):
    document = document_of("a", [f"page{number} " + "line\n" * 20 for number in range(pages)])
    asks = [Ask(sources=tuple(readable_sources([document])), model="claude-sonnet-5-5")]
    for _ in range(4):
        asks = [half for ask in asks for half in (halve_sources(ask, [document]) or [ask])]
    shown = "".join(source.text for ask in asks for source in ask.sources)
    plain = re.sub(r"\[page\s*\d+\]|\s", "", shown)
    assert plain == re.sub(r"\s", "", document.text)
