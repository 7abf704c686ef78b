"""Hosts with nothing in common but one database and one store: nothing is paid for twice, whoever dies."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.claude.extractor import ClaudeExtractor
from citation_pipeline.adapters.claude.settings import ClaudeSettings
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.coordination import database, owners
from citation_pipeline.adapters.coordination.database import CoordinationError, open_at
from citation_pipeline.adapters.inbox_sightings import Sighting, Sightings
from citation_pipeline.adapters.outbound_ledger import OutboundRequest, SentRequests, read_ledger
from citation_pipeline.adapters.provider_pauses import ProviderPausedError, respecting_pause
from citation_pipeline.adapters.reader_settings import ReaderSettings
from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.options import Connection
from citation_pipeline.adapters.reducto.parsers import ReductoParser
from citation_pipeline.adapters.reducto.stored_results import KeptResults
from citation_pipeline.adapters.sql_engines import sqlite_url
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.documents.parsed import DocumentStatus, SourceDocument
from citation_pipeline.core.failures import is_transient
from citation_pipeline_tests.claude_scenes import API_KEY, CLAIM, PROJECT, document_of, workers_comp
from citation_pipeline_tests.fake_anthropic.server import FakeAnthropic
from citation_pipeline_tests.fake_reducto.desk import Desk
from citation_pipeline_tests.object_servers import CREDENTIALS, s3_server, url_of
from citation_pipeline_tests.postgres import PostgresServer

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

PARTS = ("aaaa", "bbbb", "cccc")
ASK = """
import json, sys
from citation_pipeline_tests import test_two_hosts as scene
scene.ask(scene.settings_from(json.loads(sys.argv[1])), sys.argv[2])
"""
# killed when the reply's bytes are in the store, and before anything else is
DIE_BETWEEN = """
import json, os, signal, sys
from citation_pipeline.adapters.coordination.objects import KeptBytes
from citation_pipeline_tests import test_two_hosts as scene
keep = KeptBytes.keep
def keep_and_die(self, name, data):
    keep(self, name, data)
    os.kill(os.getpid(), signal.SIGKILL)
KeptBytes.keep = keep_and_die
scene.ask(scene.settings_from(json.loads(sys.argv[1])), sys.argv[2])
"""
PARSE = """
import json, sys
from pathlib import Path
from citation_pipeline_tests import test_two_hosts as scene
scene.parse(scene.settings_from(json.loads(sys.argv[1])), *sys.argv[2:])
"""

Hosts = Callable[[str], ReaderSettings]


def settings_from(facts: dict[str, str]) -> ReaderSettings:
    return ReaderSettings(Path(facts["work_dir"]), store=facts["store"], coordination_url=facts["url"])


def facts_of(host: ReaderSettings) -> str:
    return json.dumps({"work_dir": str(host.work_dir), "store": host.store, "url": host.coordination_url})


def ask(host: ReaderSettings, url: str) -> list[StoredReply]:
    """Ask for a claim of three documents, one to a request, as this host."""
    extractor = ClaudeExtractor(
        ClaudeSettings(base_url=url, silence_timeout_s=300.0, prompt_tokens=8_500),
        archive=ReplyArchive.of(host),
        api_key=API_KEY,
        ledger=host.ledger,
    )
    documents = [document_of(name, [name * 2000]) for name in PARTS]
    try:
        return extractor.ask(CLAIM, documents, workers_comp())
    finally:
        extractor.close()


def parse(host: ReaderSettings, url: str, source: str, file: str) -> DocumentStatus:
    """Parse one document as this host."""
    connection = Connection(
        "test-key", base_url=url, requests_per_second=1000, poll_first_s=0.02, poll_most_s=0.02
    )
    with ReductoClient(connection, ledger=host.ledger) as client:
        parser = ReductoParser(
            client,
            results_folder=host.work_dir / "reducto",
            journal_folder=host.work_dir / "reducto_jobs",
            coordination=host.coordination,
            kept=KeptResults(host.kept_bytes("reducto_results")),
        )
        document = parser.parse(
            SourceDocument(**json.loads(source)), Path(file).read_bytes(), claim_id=CLAIM.claim_id
        )
    return document.status


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture(params=["a folder and SQLite", "S3 and PostgreSQL"])
def hosts(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hosts:
    """Hosts by name, each with a work dir of its own."""
    monkeypatch.setattr(owners, "_BEAT_S", 0.2)
    monkeypatch.setattr(owners, "_GRACE_S", 0.5)
    if request.param.startswith("S3"):
        for name, value in CREDENTIALS.items():
            monkeypatch.setenv(name, value)
        store = url_of(request.getfixturevalue("s3"), f"{tmp_path.name}/store")
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.new_database()
    else:
        store, url = str(tmp_path / "store"), sqlite_url(tmp_path / "decided.sqlite")
    return lambda name: ReaderSettings(tmp_path / name, store=store, coordination_url=url)


def asked(claude: FakeAnthropic) -> Counter[str]:
    return Counter(
        source
        for request in list(claude.records.requests)
        if request["operation"] == "messages"
        for source in request["source_ids"]
    )


def start(code: str, host: ReaderSettings, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", code, facts_of(host), *arguments]
    return subprocess.Popen(command, cwd=PROJECT, env={**os.environ})


def wait_until(happened: Callable[[], bool], process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 120
    while not happened():
        assert process.poll() is None, "it ended before it was killed"
        assert time.monotonic() < until
        time.sleep(0.02)


def kill(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(60)


def ledger_of(host: ReaderSettings) -> list[dict[str, Any]]:
    sent = SentRequests(host.work_dir / "ledger", host.coordination)
    return [row for row in read_ledger(sent).to_pylist() if row["endpoint"] == "/v1/messages"]


def test_two_hosts_that_ask_the_same_at_once_pay_once(hosts: Hosts) -> None:
    with FakeAnthropic() as claude:
        claude.add("messages", "stall", seconds=0.3)
        replies: list[list[StoredReply]] = []
        threads = [
            threading.Thread(target=lambda name=name: replies.append(ask(hosts(name), claude.url)))
            for name in ("a", "b")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert asked(claude) == Counter(PARTS)
    assert replies[0] == replies[1]
    assert len(replies[0]) == 3


def test_another_host_pays_only_for_what_a_killed_one_had_not_received(hosts: Hosts) -> None:
    with FakeAnthropic() as claude:
        claude.add("messages", "stall", skip=2, seconds=300)
        process = start(ASK, hosts("a"), claude.url)
        wait_until(lambda: asked(claude)["cccc"] == 1, process)
        kill(process)
        shutil.rmtree(hosts("a").work_dir, ignore_errors=True)  # its disk went with it
        ask(hosts("b"), claude.url)
        assert asked(claude) == {"aaaa": 1, "bbbb": 1, "cccc": 2}
    codes = Counter(row["code"] for row in ledger_of(hosts("b")))
    assert codes == {"ok": 3, "lost": 1}


def test_a_reply_whose_host_died_before_it_could_say_so_is_found(hosts: Hosts) -> None:
    with FakeAnthropic() as claude:
        process = start(DIE_BETWEEN, hosts("a"), claude.url)
        assert process.wait(120) == -signal.SIGKILL
        paid = asked(claude)
        assert sum(paid.values()) == 1
        ask(hosts("b"), claude.url)
        assert asked(claude) == Counter(PARTS)
        assert [row["code"] for row in ledger_of(hosts("b"))].count("lost") == 0


def source_of(desk: Desk, folder: Path) -> tuple[str, str]:
    path = folder / "file.pdf"
    path.write_bytes(desk.document.data)
    source = desk.document.source
    return json.dumps({name: getattr(source, name) for name in SourceDocument.__slots__}), str(path)


def test_another_host_picks_up_the_paid_parse_of_a_killed_one(
    hosts: Hosts, desk: Desk, tmp_path: Path
) -> None:
    desk.fake.configure(statuses=["InProgress"] * 40 + ["Completed"])
    document = source_of(desk, tmp_path)
    process = start(PARSE, hosts("a"), desk.fake.base_url, *document)
    wait_until(lambda: desk.fake.counters["job_polls"] >= 3, process)
    kill(process)
    shutil.rmtree(hosts("a").work_dir, ignore_errors=True)
    assert parse(hosts("b"), desk.fake.base_url, *document) is DocumentStatus.PARSED
    assert (desk.fake.counters["uploads"], desk.fake.counters["parse_jobs"]) == (1, 1)


def test_a_result_of_a_host_whose_disk_is_gone_is_not_paid_again(
    hosts: Hosts, desk: Desk, tmp_path: Path
) -> None:
    document = source_of(desk, tmp_path)
    assert parse(hosts("a"), desk.fake.base_url, *document) is DocumentStatus.PARSED
    shutil.rmtree(hosts("a").work_dir)
    assert parse(hosts("b"), desk.fake.base_url, *document) is DocumentStatus.PARSED
    assert (desk.fake.counters["uploads"], desk.fake.counters["parse_jobs"]) == (1, 1)
    assert list((hosts("b").work_dir / "reducto").rglob("*.reducto.json"))


class _BusyError(Exception):
    transient = True
    retry_after_s = 30.0


def test_a_pause_that_one_host_was_asked_for_holds_on_all(hosts: Hosts) -> None:
    with pytest.raises(_BusyError), respecting_pause(hosts("a").coordination, "claude"):
        raise _BusyError
    with pytest.raises(ProviderPausedError), respecting_pause(hosts("b").coordination, "claude"):
        pytest.fail("the provider was called")
    with respecting_pause(hosts("b").coordination, "reducto"):
        pass


def test_what_one_host_saw_in_the_inbox_another_goes_on_from(hosts: Hosts) -> None:
    seen = {f"claim-{number}": Sighting(f"mark-{number}", 1.5) for number in range(700)}
    Sightings(hosts("a").coordination, "s3://bucket/inbox").keep(seen)
    elsewhere = Sightings(hosts("b").coordination, "s3://bucket/inbox")
    assert elsewhere.read() == seen
    elsewhere.keep({"claim-1": seen["claim-1"]})
    assert Sightings(hosts("a").coordination, "s3://bucket/inbox").read() == {"claim-1": seen["claim-1"]}
    assert Sightings(hosts("a").coordination, "s3://bucket/other").read() == {}


def test_what_an_earlier_version_saw_in_the_inbox_is_taken_over(tmp_path: Path) -> None:
    older = tmp_path / "intake.json"
    older.write_text(json.dumps({"claim-1": asdict(Sighting("mark", 1.5))}))
    kept = Sightings(open_at(sqlite_url(tmp_path / "decided.sqlite")), "/inbox", older=older)
    assert kept.read() == {"claim-1": Sighting("mark", 1.5)}
    kept.keep({"claim-1": Sighting("mark", 1.5)})
    assert not older.exists()


def test_notes_and_replies_of_an_earlier_version_are_found(tmp_path: Path) -> None:
    print_of = {name: letter * 64 for name, letter in (("sent", "a"), ("batched", "b"), ("count", "c"))}
    replies = tmp_path / "work" / "replies"
    for name, fingerprint in print_of.items():
        path = replies / fingerprint[:2] / f"{fingerprint}.{name}"
        path.parent.mkdir(parents=True)
        path.write_text("812" if name == "count" else '{"claim_id": "c"}')
    reply = StoredReply(request_fingerprint="d" * 64, provider="anthropic", model="m", body=b"paid")
    ReplyArchive(tmp_path / "earlier" / "replies").keep(reply)
    shutil.copytree(tmp_path / "earlier" / "replies" / "dd", replies / "dd")

    archive = ReplyArchive.of(ReaderSettings(tmp_path / "work", store=str(tmp_path / "store")))
    assert archive.find("d" * 64) == reply
    assert archive.find_sent(print_of["sent"]) == {"claim_id": "c"}
    assert archive.is_batched(print_of["batched"])
    assert archive.find_count(print_of["count"]) == 812
    archive.forget_sent(print_of["sent"])
    archive.keep(replace(reply, request_fingerprint=print_of["batched"]))
    assert archive.find_sent(print_of["sent"]) is None
    assert not archive.is_batched(print_of["batched"])


def test_a_request_that_left_while_the_database_was_away_is_in_the_ledger_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "LONGEST_OUTAGE_S", 0.2)
    nobody = "postgresql://postgres@127.0.0.1:9/none"
    host = ReaderSettings(tmp_path / "a", store=str(tmp_path / "store"), coordination_url=nobody)
    with FakeAnthropic() as claude:
        with pytest.raises(CoordinationError, match="CITATION_PIPELINE_COORDINATION_URL") as caught:
            ask(host, claude.url)
        assert is_transient(caught.value)
        assert asked(claude) == {}  # without a lease nobody is asked
    host.ledger(OutboundRequest(claim_id="claim-1", vendor="v", endpoint="/e", at=datetime.now(UTC)))
    assert [found["claim_id"] for found in read_ledger(tmp_path / "a" / "ledger").to_pylist()] == ["claim-1"]
