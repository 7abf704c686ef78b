"""A page that was cut into pieces is read when each of its pieces was, and named when one was refused."""

import json

import pytest

from citation_pipeline.adapters.claude.reading import read_replies
from citation_pipeline.core.answers.coverage import cover
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.json_schemas.flattening import flatten
from citation_pipeline_tests.claude_scenes import document_of

SCHEMA = flatten({"properties": {"rate": {"type": "number"}, "name": {"type": "string"}}}, name="own")
USAGE = {
    "input_tokens": 1,
    "output_tokens": 1,
    "cache_read_input_tokens": 0,
    "cache_creation_input_tokens": 0,
}


def reply(piece: str, answer: dict | None, *, page: int = 1) -> StoredReply:
    records = [{"field_key": key, "value": (answer or {}).get(key), "citations": []} for key in SCHEMA.by_key]
    body = {
        "type": "message",
        "content": [{"type": "text", "text": json.dumps({"extractions": records})}]
        if answer is not None
        else [],
        "stop_reason": "end_turn" if answer is not None else "refusal",
        "usage": USAGE,
    }
    scope = {"sources": [["ledger", page, page, *([piece] if piece else [])]], "field_keys": None, "round": 0}
    return StoredReply(
        request_fingerprint=f"{page}{piece}",
        provider="claude",
        model="claude-sonnet-5-5",
        body=json.dumps(body).encode(),
        scope=json.dumps(scope),
    )


def unread(*replies: StoredReply, pages: int = 1):
    documents = [document_of("ledger", ["words " * 20] * pages)]
    extraction = read_replies(replies, documents, SCHEMA)
    coverage = cover(documents, extraction.pages_read, tuple(SCHEMA.by_key))
    return coverage, extraction


def test_a_page_of_which_one_half_was_refused_is_named_as_unread():
    coverage, extraction = unread(reply("/1.2", {"rate": 2.0}), reply("/2.2", None))
    assert coverage.is_partial
    assert [(one.source_id, one.reason, one.first_page) for one in coverage.unread] == [
        ("ledger", "refusal", 1)
    ]
    assert "document_not_read" in {issue.code for issue in extraction.issues}
    assert {field.field_key: field.value for field in extraction.fields}["rate"] == 2.0


def test_a_refused_page_whose_pieces_were_all_read_is_read():
    coverage, extraction = unread(
        reply("", None), reply("/1.2", {"rate": 2.0}), reply("/2.2", {"name": "Ana"})
    )
    assert not coverage.is_partial
    values = {field.field_key: field.value for field in extraction.fields}
    assert values == {"rate": 2.0, "name": "Ana"}


@pytest.mark.parametrize("last", [None, {"rate": None}])
def test_a_piece_of_a_piece_counts_for_its_whole(last):
    coverage, _ = unread(
        reply("/1.2", {"rate": 2.0}),
        reply("/2.2", None),
        reply("/2.2/1.2", {"rate": None}),
        reply("/2.2/2.2", last),
    )
    assert coverage.is_partial is (last is None)


def test_other_pages_of_the_document_stay_read():
    replies = (reply("/1.2", {}), reply("/2.2", None), reply("", {}, page=2))
    coverage, _ = unread(*replies, pages=2)
    assert [(one.first_page, one.last_page) for one in coverage.unread] == [(1, 1)]
