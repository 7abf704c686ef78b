"""What is asked of Claude and what its replies become, as approved: requests, ledger, plans, readings."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.errors import ClaudeError, error_of_status
from citation_pipeline.adapters.claude.reading import read_part, read_replies
from citation_pipeline.adapters.claude.requests import build_request
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.conversation.asks import Ask
from citation_pipeline.adapters.conversation.estimates import estimate
from citation_pipeline.adapters.conversation.plans import halve_sources, plan_asks, readable_sources
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline.core.prompts.instructions import render_instructions
from citation_pipeline.core.schemas import Schema
from citation_pipeline_tests.approvals import Approve
from citation_pipeline_tests.claude_scenes import Desk, answers_of, document_of
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

LETTER = "Claim number: C-1\nThe rate of pay is $22.63 per hour.\nThis claim is not litigated."
LEDGER = "Run date: 10/19/2026\nMedications: Etodolac 400 mg; Tizanidine"
DOCUMENTS = [document_of("letter", [LETTER, "Page two."]), document_of("ledger", [LEDGER])]
ANSWERS = answers_of(
    {
        "claim_number": ("C-1", "letter", "Claim number: C-1"),
        "hourly_rate": (22.63, "letter", "rate of pay is $22.63 per hour"),
        "is_litigated": (False, "letter", "This claim is not litigated."),
        "medications": (["Etodolac", "Tizanidine"], "ledger", "Medications: Etodolac 400 mg; Tizanidine"),
    }
)


def small_schema() -> Schema:
    return flatten(
        {
            "type": "object",
            "properties": {
                "claim_number": {"type": "string"},
                "hourly_rate": {"type": "number"},
                "is_litigated": {"type": "boolean"},
                "medications": {"type": "array", "items": {"type": "string"}},
            },
        },
        name="small",
    )


TROUBLES: dict[str, Sequence[dict[str, Any]]] = {
    "none": (),
    "overloaded": ({"kind": "status", "status": 529}, {"kind": "status", "status": 429, "skip": 0}),
    "refused": ({"kind": "refusal"},),
    "refused by all": ({"kind": "refusal", "times": 2},),
    "one document refused": ({"kind": "refusal", "times": -1, "source_id": "ledger"},),
    "cut": ({"kind": "cut"},),
    "reset": ({"kind": "reset_after"},),
    "answer too long": ({"kind": "max_tokens", "fraction": 0.6},),
    "answer much too long": ({"kind": "max_tokens", "fraction": 0.25},),
    "answer always too long": ({"kind": "max_tokens", "fraction": 0.1, "times": -1},),
    "window exceeded": ({"kind": "model_context_window_exceeded", "fraction": 0.5},),
    "malformed": ({"kind": "malformed", "fraction": 0.5},),
    "missing": ({"kind": "missing_fields", "names": ["hourly_rate"]},),
    "always missing": ({"kind": "missing_fields", "names": ["hourly_rate"], "times": -1},),
    "wrong types": ({"kind": "wrong_types"},),
    "repeated": ({"kind": "repeated"},),
    "not taken": ({"kind": "status", "status": 400},),
    "never taken": ({"kind": "status", "status": 400, "times": -1},),
    "too long": ({"kind": "status", "status": 413},),
    "no key": ({"kind": "status", "status": 401, "times": -1},),
    "gone for long": ({"kind": "status", "status": 529, "times": -1},),
    "empty": ({"kind": "empty"},),
}


def said_of(extraction: Extraction) -> list[str]:
    told = [f"{extraction.model} {extraction.schema_name}"]
    for field in extraction.fields:
        cited = " ".join(f"{s.source_id}{s.item_path}" for s in field.snippets)
        told.append(
            f"{field.field_key} {json.dumps(field.value)} {' '.join(field.warnings)} {cited}".rstrip()
        )
    told += [f"issue {one.code} {one.field_key} {one.source_id}" for one in extraction.issues]
    told += [f"beaten {one.field_key} {json.dumps(one.value)} {one.date}" for one in extraction.conflicts]
    told += [
        f"read {one.source_id} {one.first_page}-{one.last_page} {one.field_keys} {one.outcome}"
        for one in extraction.pages_read
    ]
    return told


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_conversation_goes_as_approved(trouble: str, tmp_path: Path, approve: Approve) -> None:
    told = []
    with FakeAnthropic(ReferenceAnswers(ANSWERS, must_be_read=True)) as claude:
        for fault in TROUBLES[trouble]:
            claude.add("messages", **fault)
        desk = Desk(claude, tmp_path / "replies", schema=small_schema())
        try:
            replies, extraction = desk.run(DOCUMENTS)
            for reply in replies:
                told.append(
                    f"reply {reply.model} {reply.provider} {reply.output_tokens} "
                    f"{reply.cache_read_tokens > 0} {reply.cache_write_tokens > 0} {reply.cost_usd > 0} "
                    f"{bool(reply.asked_at)} {reply.scope}"
                )
            told += said_of(extraction)
        except ClaudeError as error:
            told.append(f"{type(error).__name__} {error.code} {error.status}: {error}".split(", request")[0])
        told.append(f"waited {desk.time.waits}")
        instructions = len(render_instructions(desk.schema))  # what they say is no matter here
        for row in desk.rows:
            told.append(
                f"row {row.claim_id} {row.vendor} {row.endpoint} {row.model} {row.code} {row.status} "
                f"{row.document_count} {row.page_count} {(row.character_count or 0) - instructions} "
                f"{row.output_tokens} {bool(row.cost_usd)} {bool(row.request_id)} "
                f"{bool(row.request_fingerprint)}"
            )
    approve(f"claude/{trouble}", told)


def big_documents(chance: random.Random) -> list[Any]:
    return [
        document_of(
            f"d{number}",
            [("word " * chance.choice([3, 40, 300]) + "\n") * chance.choice([1, 4]) for _ in range(pages)],
        )
        for number, pages in enumerate(chance.choices([1, 2, 5], k=chance.randint(1, 5)))
    ]


def _sources_of(ask: Ask) -> str:
    return " ".join(f"{s.source_id}:{s.first_page}-{s.last_page}{s.piece}#{len(s)}" for s in ask.sources)


def test_a_claim_is_cut_into_requests_as_approved(approve: Approve) -> None:
    told = []
    for seed in range(50):
        chance = random.Random(seed)
        documents = big_documents(chance)
        settings = ClaudeSettings(
            prompt_tokens=chance.choice([600, 2_000, 9_000]),
            fields_per_request=chance.choice([1, 2, 3, 4, 120]),
        )
        per_token = chance.choice([1.0, 2.8, 4.0])
        counted: list[int] = []

        def count(ask: Ask, per_token: float = per_token, counted: list[int] = counted) -> int:
            # headings cost something too, so what was packed by the whole's count may not fit
            counted.append(int(ask.character_count / per_token) + 90 * len(ask.sources))
            return counted[-1]

        asks = plan_asks(readable_sources(documents), documents, small_schema(), settings, count=count)
        told.append(
            f"{seed}: limit {settings.prompt_limit()} counted {counted} "
            f"{estimate(documents, small_schema(), settings).calls} calls"
        )
        for ask in asks:
            told.append(f"    {_sources_of(ask)} {ask.field_keys} {ask.shares_documents} {ask.page_count}")
        told += [f"    half {_sources_of(half)}" for half in halve_sources(asks[0], documents)]
        request = build_request(asks[-1], small_schema(), settings)
        content = request.body["messages"][0]["content"]
        told.append(
            f"    {request.body['max_tokens']} {sorted(request.body)} {[sorted(one) for one in content]}"
        )
    approve("claude/plans", told)


def reply_of(records: Any, stop_reason: str, scope: dict[str, Any]) -> StoredReply:
    body = {
        "type": "message",
        "model": "claude-sonnet-5-5",
        "content": [{"type": "text", "text": records if isinstance(records, str) else json.dumps(records)}],
        "stop_reason": stop_reason,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }
    return StoredReply(
        "f", "anthropic", "claude-sonnet-5-5", json.dumps(body).encode(), scope=json.dumps(scope)
    )


def drawn_reply(chance: random.Random) -> StoredReply:
    keys = ["claim_number", "hourly_rate", "is_litigated", "medications"]
    asked = chance.choice([None, keys[:2], keys[2:], keys[3:]])
    values: dict[str, Sequence[Any]] = {
        "claim_number": ("C-1", None, 5),
        "hourly_rate": (22.63, "about 5", None, "22.63"),
        "is_litigated": (False, True, "none"),
        "medications": (["Etodolac"], ["Etodolac", "Tizanidine"], [], "none"),
    }
    records = [
        {
            "field_key": key,
            "value": chance.choice(values[key]),
            "citations": [{"source_id": s, "text_snippet": t}],
        }
        for key in keys
        if chance.random() < 0.8
        for s, t in [
            chance.choice([("letter", "Claim number: C-1"), ("ledger", "Etodolac 400 mg"), ("no", "x")])
        ]
    ]
    for record in records:
        if chance.random() < 0.15:
            del record["value"]
    whole = {"extractions": records}
    text: Any = json.dumps(whole)[: chance.choice([None, None, 60])]
    sources = chance.choice(
        [
            [["letter", 1, 2], ["ledger", 1, 1]],
            [["letter", 1, 1, "/1.2"]],
            [["letter", 1, 1, "/2.2"]],
            [["ledger", 1, 1]],
        ]
    )
    stop = chance.choice(["end_turn", "end_turn", "end_turn", "refusal", "max_tokens", "odd"])
    return reply_of(text, stop, {"sources": sources, "field_keys": asked, "round": chance.choice([0, 1])})


def test_replies_are_read_as_approved(approve: Approve) -> None:
    told = []
    for seed in range(60):
        chance = random.Random(seed)
        replies = [drawn_reply(chance) for _ in range(chance.randint(1, 4))]
        told.append(
            f"{seed}: open {[read_part(one, small_schema(), DOCUMENTS).open_keys for one in replies]}"
        )
        dates = chance.choice([None, {"letter": "2024-01-01", "ledger": "2023-01-01"}])
        read = read_replies(replies, DOCUMENTS, small_schema(), dates=dates, prompt_fingerprint="p")
        told += [f"    {line}" for line in said_of(read)]
    approve("claude/readings", told)


def test_a_status_is_an_error_as_approved(approve: Approve) -> None:
    told = []
    for status in (200, 400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 499, 500, 503, 529):
        for kind in (None, "overloaded_error", "invalid_request_error", "words of a document"):
            for message, headers in (
                ("", {}),
                ("prompt is too long: x", {"retry-after": "7"}),
                ("exceeds the maximum", {"x-should-retry": "false", "retry-after-ms": "2500"}),
            ):
                error = error_of_status(
                    status, kind=kind, message=message, headers=headers, request_id="req_1"
                )
                wait = getattr(error, "retry_after_s", "-"), getattr(error, "is_worth_repeating", "-")
                told.append(
                    f"{status} {kind} {message!r}: {type(error).__name__} {error.code} {wait} {error}"
                )
    for given in (None, "req_" + "a" * 64, "req_" + "a" * 65, "my words", "req_"):
        error = error_of_status(400, kind=None, message="", headers={}, request_id=given)
        told.append(f"{given}: {error.request_id} {error.status} {error}")
    approve("claude/errors", told)
