"""A claim asked of model servers of every dialect: formats found out once, nothing paid twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.conversation.errors import ProviderAccessError
from citation_pipeline_tests.chat_scenes import ChatDesk
from citation_pipeline_tests.claude_scenes import CLAIM, PROJECT, document_of
from citation_pipeline_tests.fake_anthropic.answering import ReferenceAnswers
from citation_pipeline_tests.fake_openai import DIALECTS, Dialect, FakeChat
from citation_pipeline_tests.test_claude_asking import DOCUMENTS, EXPECTED, REFERENCE, values_of


def served(dialect: str | Dialect = "vllm", **more: Any) -> FakeChat:
    spoken = DIALECTS[dialect] if isinstance(dialect, str) else dialect
    return FakeChat(spoken, ReferenceAnswers(REFERENCE, must_be_read=True), **more)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_claim_is_answered_by_a_server_of_each_dialect(dialect: str, tmp_path: Path):
    with served(dialect) as chat:
        desk = ChatDesk(chat, tmp_path)
        replies, extraction = desk.run(DOCUMENTS)
        assert values_of(extraction) == EXPECTED
        assert len(extraction.fields) == 84
        assert len(replies) == chat.counters["answers"] == 1
        (asked,) = chat.requests
        wanted = (asked.get("response_format") or {"type": "text"})["type"]
        assert wanted == chat.dialect.formats[0]
        paid = [row for row in desk.rows if row.code == "ok"]
        assert len(paid) == 1
        assert all(row.cost_usd == 0 for row in desk.rows if row.code != "ok")
        # where a server reports no tokens they are estimated: a request that was paid for is never free
        assert paid[0].cost_usd == pytest.approx(replies[0].cost_usd)
        assert replies[0].cost_usd > 0
        reports = "stream_options" not in chat.dialect.refused or not chat.dialect.streams
        assert (replies[0].cache_read_tokens > 0) == reports


def test_what_a_server_does_not_take_is_found_out_once_and_remembered(tmp_path: Path):
    with served("plain") as chat:
        ChatDesk(chat, tmp_path).run(DOCUMENTS)
        first = chat.counters["calls"]
        assert first > 1
        other = [document_of("letter", ["Another letter.", "Claim number: C-1"])]
        ChatDesk(chat, tmp_path).run(other)  # a process of its own would know as much: it is on disk
        assert chat.counters["calls"] == first + chat.counters["answers"] - 1


def test_a_prompt_that_upsets_a_known_server_changes_nothing_for_the_next(tmp_path: Path):
    with served("vllm") as chat:
        desk = ChatDesk(chat, tmp_path)
        desk.run([document_of("a", ["Claim number: C-1"])])
        chat.faults.append({"status": 400, "body": {"detail": "something about this prompt"}})
        desk.run([document_of("b", ["Claim number: C-1"])])
        desk.run([document_of("c", ["Claim number: C-1"])])
    formats = [request["response_format"]["type"] for request in chat.requests]
    assert formats == ["json_schema", "json_object", "json_schema"]


def test_the_same_claim_is_paid_once_and_read_again_without_a_key_or_a_server(tmp_path: Path):
    with served("openai") as chat:
        replies, extraction = ChatDesk(chat, tmp_path).run(DOCUMENTS)
        again, same = ChatDesk(chat, tmp_path).run(DOCUMENTS)
        assert (chat.counters["answers"], again, same) == (1, replies, extraction)
        keyless = ChatDesk(chat, tmp_path).extractor(api_key="")
        assert keyless.ask(CLAIM, DOCUMENTS, ChatDesk(chat, tmp_path).schema) == replies


def test_two_servers_of_one_models_name_are_two_readers(tmp_path: Path):
    with served() as chat, served() as other:
        ChatDesk(chat, tmp_path).run(DOCUMENTS)
        ChatDesk(other, tmp_path).run(DOCUMENTS)
        assert (chat.counters["answers"], other.counters["answers"]) == (1, 1)


ASK = """
import sys
from pathlib import Path
from contextlib import ExitStack
from types import SimpleNamespace
from citation_pipeline_tests.chat_scenes import ChatDesk
from citation_pipeline_tests.fake_openai import DIALECTS
from citation_pipeline_tests.test_chat_asking import PARTS, parts
chat = SimpleNamespace(
    url=sys.argv[1], root="", key="", dialect=DIALECTS["vllm"], callers=ExitStack()
)
ChatDesk(chat, Path(sys.argv[2])).run(parts(), prompt_tokens=13_000, characters_per_token=4.0)
"""
PARTS = ("aaaa", "bbbb", "cccc")


def parts():
    """Three documents, one to a request."""
    return [document_of(name, ["\n".join([f"{name} {'x' * 76}"] * 300)]) for name in PARTS]


def test_a_process_killed_in_mid_call_pays_again_only_for_what_had_not_arrived(tmp_path: Path):
    with served(answered_at_once=2) as chat:
        process = subprocess.Popen(
            [sys.executable, "-c", ASK, chat.url, str(tmp_path)],
            cwd=PROJECT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        deadline = time.monotonic() + 120
        while len(chat.requests) < 3 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(chat.requests) == 3
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        chat.released.set()
        desk = ChatDesk(chat, tmp_path)
        before = len(chat.requests)
        replies, _ = desk.run(parts(), prompt_tokens=13_000, characters_per_token=4.0)
        assert len(replies) == 3
        assert len(chat.requests) == before + 1
        assert [row.code for row in desk.rows] == ["lost", "ok"]


def test_a_claim_larger_than_the_models_context_is_asked_in_parts(tmp_path: Path):
    dialect = Dialect(key_header=None, context_tokens=12_000)
    with served(dialect) as chat:
        documents = [
            *DOCUMENTS,
            *(document_of(f"d{n}", [f"Page of {n}. " + "lorem ipsum " * 900]) for n in range(4)),
        ]
        desk = ChatDesk(chat, tmp_path)
        _, extraction = desk.run(documents)
        assert values_of(extraction) == EXPECTED
        assert len(chat.requests) > 1
        read = {pages.source_id for pages in extraction.pages_read}
        assert read == {document.source.source_id for document in documents}


def test_a_prompt_that_a_server_cut_without_a_word_is_asked_again_in_smaller_parts(tmp_path: Path):
    dialect = Dialect(key_header=None, context_tokens=8_000, cuts_silently=True)
    with served(dialect) as chat:
        documents = [document_of(f"d{n}", ["lorem ipsum " * 2_500]) for n in range(4)]
        desk = ChatDesk(chat, tmp_path)
        replies, _ = desk.run(documents)
    assert len(replies) > 1
    assert "prompt_shortened" in [row.code for row in desk.rows]


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "set OPENAI_API_KEY, or OPENAI_BASE_URL"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, "set CITATION_PIPELINE_MODEL"),
    ],
)
def test_what_has_to_be_set_is_said_before_anybody_is_asked(
    variables: dict[str, str], said: str, tmp_path: Path
):
    from citation_pipeline.adapters.chat_completions.extractor import ChatExtractor
    from citation_pipeline.adapters.reader_settings import ReaderSettings

    extractor = ChatExtractor.build(ReaderSettings(tmp_path, variables=variables))
    with pytest.raises(ProviderAccessError, match=said):
        extractor.ask(CLAIM, DOCUMENTS, ChatDesk(FakeChat(), tmp_path).schema)


def test_the_request_asks_for_no_more_than_its_limits_and_names_no_patient_in_the_schema(tmp_path: Path):
    with served("openai") as chat:
        ChatDesk(chat, tmp_path).run(DOCUMENTS, answer_tokens=5_000)
    for request in chat.requests:
        assert request.get("max_completion_tokens") == 5_000
        assert request["model"] == "m"
        assert "C-1" not in json.dumps(request["response_format"])
        assert [message["role"] for message in request["messages"]] == ["system", "user"]
