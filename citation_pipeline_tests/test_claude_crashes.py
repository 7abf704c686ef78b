"""Processes that die, and processes that race: what has arrived is never paid for twice."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline_tests.claude_scenes import PROJECT, Desk, document_of
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic

PARTS = ("aaaa", "bbbb", "cccc")
PROMPT_TOKENS = 8_500
ASK = """
import sys
from pathlib import Path
from contextlib import ExitStack
from types import SimpleNamespace
from citation_pipeline_tests.claude_scenes import Desk
from citation_pipeline_tests.test_claude_crashes import PROMPT_TOKENS, claim
desk = Desk(SimpleNamespace(url=sys.argv[1], callers=ExitStack()), Path(sys.argv[2]))
desk.run(claim(), prompt_tokens=PROMPT_TOKENS, silence_timeout_s=300.0)
"""


def claim():
    """Three documents, one to a request."""
    return [document_of(name, [name * 2000]) for name in PARTS]


def wait_until(happened: Callable[[], bool], *, seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            pytest.fail("it did not happen in time")
        time.sleep(0.02)


def asked(claude: FakeAnthropic) -> Counter[str]:
    return Counter(
        source
        for request in list(claude.records.requests)
        if request["operation"] == "messages"
        for source in request["source_ids"]
    )


def test_a_process_killed_in_mid_call_pays_again_only_for_what_had_not_arrived(tmp_path: Path):
    with FakeAnthropic() as claude:
        claude.add("messages", "stall", skip=2, seconds=300)
        process = subprocess.Popen(
            [sys.executable, "-c", ASK, claude.url, str(tmp_path)], cwd=PROJECT, env={**os.environ}
        )
        wait_until(lambda: asked(claude)["cccc"] == 1 or process.poll() is not None)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        assert asked(claude) == Counter(PARTS)

        desk = Desk(claude, tmp_path)
        replies, extraction = desk.run(claim(), prompt_tokens=PROMPT_TOKENS)
        assert asked(claude) == {"aaaa": 1, "bbbb": 1, "cccc": 2}
        third, _ = desk.run(claim(), prompt_tokens=PROMPT_TOKENS, api_key=None)
    assert len(extraction.fields) == 84
    assert third == replies
    # the request that nobody heard the end of is in the ledger, and the one that replaced it
    messages = [row.code for row in desk.rows if row.endpoint == "/v1/messages"]
    assert messages == ["lost", "ok"]


def test_two_that_ask_the_same_at_once_pay_once(tmp_path: Path):
    with FakeAnthropic() as claude:
        claude.add("messages", "stall", seconds=0.3)
        desks = [Desk(claude, tmp_path) for _ in range(4)]
        results = []
        threads = [
            threading.Thread(target=lambda desk=desk: results.append(desk.run(claim()[:1])[0]))
            for desk in desks
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert claude.records.counters["messages"] == 1
    assert len(results) == 4
    assert all(replies == results[0] for replies in results)
    assert list(tmp_path.rglob("*.lock")) == []


def reply(body: bytes = b"bytes\nwith lines\x00") -> StoredReply:
    return StoredReply(
        request_fingerprint="ab" * 32, provider="anthropic", model="m", body=body, scope='{"round": 0}'
    )


def test_a_stored_reply_comes_back_byte_for_byte_and_only_its_owner_may_read_it(tmp_path: Path):
    archive = ReplyArchive(tmp_path / "replies")
    archive.keep(reply())
    assert archive.find("ab" * 32) == reply()
    assert archive.find("cd" * 32) is None
    stored = next((tmp_path / "replies").rglob("*.reply"))
    assert stored.stat().st_mode & 0o077 == 0
    assert stored.parent.stat().st_mode & 0o077 == 0


def test_a_write_that_dies_leaves_no_reply_and_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    archive = ReplyArchive(tmp_path)

    def die(handle: int) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", die)
        with pytest.raises(OSError, match="disk full"):
            archive.keep(reply())
    assert archive.find("ab" * 32) is None
    assert list(tmp_path.rglob("*.tmp")) == []
    archive.keep(reply())
    assert archive.find("ab" * 32) == reply()


def test_a_lock_that_a_dead_process_left_holds_nobody_up(tmp_path: Path):
    archive = ReplyArchive(tmp_path)
    left = tmp_path / "ab" / f"{'ab' * 32}.lock"
    left.parent.mkdir()
    left.write_bytes(b"")
    with archive.claim("ab" * 32):
        pass
    assert not left.exists()
