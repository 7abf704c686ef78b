"""`ask`, `search` and `highlight` as somebody types them."""

import json
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline_tests.agent_claims import build_searchable_store
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.viewer_claim.store import CLAIM_ID


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return build_searchable_store(tmp_path_factory.mktemp("typed")).root


def lines(*arguments: str, code: int = 0) -> list[dict[str, Any]]:
    answer = command(*arguments)
    assert answer.exit_code == code, answer.output
    return [json.loads(line) for line in answer.stdout.splitlines()]


def test_a_question_is_answered_with_its_citation(store: str) -> None:
    answer = command("ask", CLAIM_ID, "When was she born?", "--store", store)
    assert answer.exit_code == 0
    assert "07/02/1984" in answer.output
    assert 'Adjuster Letter.pdf, Page 1: "' in answer.output
    refused = lines("ask", CLAIM_ID, "What is the dog's name?", "--store", store, "--json")
    assert refused[0]["answer"] == "Not found in document."


def test_a_search_prints_what_it_found(store: str) -> None:
    found = lines("search", "average weekly wage over 1,000", "--store", store, "--json")[0]
    assert found["query_interpretation"]["conditions"][0]["operator"] == ">"
    assert found["results"][0]["claim_id"] == CLAIM_ID


@pytest.mark.parametrize("asked", [("search", "rate"), ("ask", CLAIM_ID, "When?"), ("highlight", CLAIM_ID)])
def test_where_no_store_is_nothing_is_said_to_be_not_found(tmp_path: Path, asked: tuple[str, ...]) -> None:
    answer = command(*asked, "--store", str(tmp_path / "mistyped"))
    assert answer.exit_code == 1
    assert f"no store is here: {tmp_path / 'mistyped'} is not there; name one with --store" in answer.stderr
    assert not (tmp_path / "mistyped").exists()


def test_a_quoted_text_becomes_a_highlight(store: str) -> None:
    arguments = (
        "highlight",
        CLAIM_ID,
        "--document",
        "adjuster-letter",
        "--text",
        "Date of birth: 07/02/1984",
    )
    (highlight,) = lines(*arguments, "--store", store)
    assert set(highlight) == {"doc_id", "citation", "context", "answer", "meta"}
    assert highlight["doc_id"] == f"{CLAIM_ID}:adjuster-letter"
    assert highlight["answer"][0]["page"] == 1
    assert len(highlight["answer"][0]["points"]) == 4
    assert highlight["meta"]["chunk_id"].startswith("adjuster-letter#")
    assert len(highlight["meta"]["doc_hash"]) == 64
    assert (highlight["meta"]["status"], highlight["meta"]["confidence"] > 0.8) == ("resolved", True)


def test_spans_of_the_reading_view_are_snapped_by_their_guards(store: str, tmp_path: Path) -> None:
    view = lines(
        "highlight", CLAIM_ID, "--document", "adjuster-letter", "--reading-view", "--json", "--store", store
    )[0]
    line = next(line for line in view["lines"] if line["tokens"][0][2] == "Date" and "birth:" in str(line))
    first, last = line["tokens"][0][0], line["tokens"][-1][0]
    guards = {"start_text": "Date", "end_text": "07/02/1984", "substr": "07/02/1984"}
    spans = [
        {"source_id": "adjuster-letter", "start_token": first, "end_token": last, **guards},
        {"source_id": "adjuster-letter", "start_token": first + 2, "end_token": last + 2, **guards},
        {
            "source_id": "adjuster-letter",
            "start_token": 0,
            "end_token": 1,
            "start_text": "zebra",
            "end_text": "yak",
        },
    ]
    path = tmp_path / "spans.jsonl"
    path.write_text("\n".join(json.dumps(span) for span in spans))
    exact, moved, lost = lines("highlight", CLAIM_ID, "--spans", str(path), "--store", store)
    assert exact["answer"] == moved["answer"] != []
    assert (exact["meta"]["warnings"], moved["meta"]["warnings"]) == ([], ["span_moved"])
    assert (lost["answer"], lost["meta"]["status"]) == ([], "unresolved")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("ask", "no-such-claim", "Who?"), 1, "no finished claim"),
        (("highlight", CLAIM_ID, "--text", "x"), 2, "--document"),
        (("highlight", CLAIM_ID, "--field", "a", "--question", "b"), 2, "one of"),
        (("highlight", CLAIM_ID, "--field", "moon phase"), 1, "no such field"),
    ],
)
def test_what_cannot_be_done_is_said(store: str, arguments: tuple[str, ...], code: int, said: str) -> None:
    answer = command(*arguments, "--store", store)
    assert answer.exit_code == code
    assert said in answer.output
