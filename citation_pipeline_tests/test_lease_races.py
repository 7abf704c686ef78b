"""A lease has one holder: among threads, processes and hosts, on SQLite and on PostgreSQL."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from citation_pipeline.adapters.coordination import owners
from citation_pipeline.adapters.coordination.database import Coordination, default_url, open_at
from citation_pipeline.adapters.coordination.leases import holding, release, try_to_hold
from citation_pipeline.adapters.coordination.shapes import LEASES
from citation_pipeline.adapters.sql_engines import sqlite_url
from citation_pipeline_tests.lease_waits import until_somebody_waits
from citation_pipeline_tests.postgres import PostgresServer

PROCESSES, RACES = 4, 2_000
HOLD = """
import sys, time
from citation_pipeline.adapters.coordination.database import open_at
from citation_pipeline.adapters.coordination.leases import holding
with holding(open_at(sys.argv[1]), "stage/raw_extraction/claim-1"):
    print("held", flush=True)
    time.sleep(600)
"""
NAME = "stage/raw_extraction/claim-1"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "coordination.sqlite")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Owners that look after their connection more often, so that a dead one is known sooner."""
    monkeypatch.setattr(owners, "_BEAT_S", 0.1)
    monkeypatch.setattr(
        owners, "_GRACE_S", 3.0
    )  # a busy machine keeps an owner from its next look for a while


def race(url: str, start: Any, wins: Any) -> None:
    """One process: at every start of a race, take the claim's lease if nobody has it; keep it if so."""
    coordination = open_at(url)
    own = []
    for number in range(RACES):
        start.wait(120)
        nonce = try_to_hold(coordination, NAME)
        start.wait(120)  # nobody gives it back before everybody has tried
        if nonce is not None:
            own.append(number)
            assert release(coordination, NAME, nonce)
    wins.put(own)


def test_two_thousand_races_for_one_claims_lease_by_four_processes_have_one_winner_each(url: str) -> None:
    context = multiprocessing.get_context("spawn")
    start, wins = context.Barrier(PROCESSES), context.Queue()
    racers = [context.Process(target=race, args=(url, start, wins)) for _ in range(PROCESSES)]
    for racer in racers:
        racer.start()
    won: Counter[int] = Counter()
    for _ in racers:
        won.update(wins.get(timeout=800))
    for racer in racers:
        racer.join(60)
        assert racer.exitcode == 0
    assert [number for number in range(RACES) if won[number] != 1] == []
    assert sum(won.values()) == RACES


def hold(url: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen([sys.executable, "-c", HOLD, url], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


@pytest.fixture
def holder(url: str) -> Iterator["subprocess.Popen[bytes]"]:
    process = hold(url)
    yield process
    process.kill()
    process.wait(60)
    assert process.stdout is not None
    process.stdout.close()


@pytest.mark.usefixtures("quick")
def test_a_killed_holder_gives_its_lease_back_and_a_living_one_does_not(
    url: str, holder: "subprocess.Popen[bytes]"
) -> None:
    coordination = Coordination(url)
    assert try_to_hold(coordination, NAME) is None
    time.sleep(3.5)  # longer than an owner needs to be sure
    assert try_to_hold(coordination, NAME) is None
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait(60)
    began = time.monotonic()
    with holding(coordination, NAME):
        assert time.monotonic() - began < 60
    coordination.close()


def test_threads_of_one_process_take_turns(url: str) -> None:
    coordination = Coordination(url)
    inside, most, waits = 0, 0, []

    def work() -> None:
        nonlocal inside, most
        with holding(coordination, NAME) as waited:
            inside += 1
            most = max(most, inside)
            time.sleep(0.02)
            inside -= 1
            waits.append(waited)

    threads = [threading.Thread(target=work) for _ in range(6)]
    with holding(coordination, NAME) as waited:
        assert not waited
        with until_somebody_waits():
            for thread in threads:
                thread.start()
        assert not waits
    for thread in threads:
        thread.join(60)
    assert (most, len(waits)) == (1, 6)
    assert any(waits)  # how many had to wait is a matter of when each began
    coordination.close()


def pass_hours(coordination: Coordination, hours: int) -> None:
    """Let every lease end that much sooner."""
    sooner = update(LEASES).values(expires_at=LEASES.c.expires_at - hours * 3600)
    coordination.write(lambda connection: connection.execute(sooner).rowcount, is_durable=False)


def test_a_lease_expires_after_a_day_and_its_late_holder_is_told(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    late, next_one = Coordination(url), Coordination(url)
    with holding(late, NAME):
        pass_hours(next_one, 23)
        assert try_to_hold(next_one, NAME) is None
        pass_hours(next_one, 2)
        taken = try_to_hold(next_one, NAME)
        assert taken is not None
    assert "taken over by another process" in caplog.text
    assert release(next_one, NAME, taken)
    for coordination in (late, next_one):
        coordination.close()


@pytest.mark.usefixtures("quick")
def test_a_restart_of_the_server_takes_no_lease_from_its_living_holder(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    first, second = Coordination(url), Coordination(url)
    with holding(first, NAME):
        assert try_to_hold(second, NAME) is None
        postgres.stop()
        postgres.start()
        until = time.monotonic() + 5  # longer than an owner needs to be sure
        while time.monotonic() < until:
            assert try_to_hold(second, NAME) is None
            time.sleep(0.05)
    nonce = try_to_hold(second, NAME)
    assert nonce is not None
    for coordination in (first, second):
        coordination.close()


def test_who_has_not_noticed_a_restart_of_the_server_calls_nobody_dead(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owners, "_BEAT_S", 600.0)  # neither looks after its connection meanwhile
    monkeypatch.setattr(owners, "_GRACE_S", 0.0)
    url = postgres.new_database()
    first, second = Coordination(url), Coordination(url)
    nonce = try_to_hold(first, NAME)
    assert nonce is not None
    assert try_to_hold(second, NAME) is None
    postgres.stop()
    postgres.start()
    assert try_to_hold(second, NAME) is None
    assert release(first, NAME, nonce)
    assert try_to_hold(second, NAME) is not None
    monkeypatch.setattr(threading.Thread, "join", lambda *_: None)  # their threads sleep on
    for coordination in (first, second):
        coordination.close()


def test_a_fork_does_not_keep_the_leases_of_the_process_it_came_from(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "coordination.sqlite")
    code = (
        "import os, sys, time\n"
        "from citation_pipeline.adapters.coordination.database import open_at\n"
        "from citation_pipeline.adapters.coordination.leases import try_to_hold\n"
        "coordination = open_at(sys.argv[1])\n"
        f"assert try_to_hold(coordination, {NAME!r})\n"
        "child = os.fork()\n"
        "if child: print(child, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        try:
            coordination = Coordination(url)
            assert try_to_hold(coordination, NAME) is None
            parent.kill()
            parent.wait(60)
            assert try_to_hold(coordination, NAME) is not None
            coordination.close()
        finally:
            os.kill(child, signal.SIGKILL)


def test_what_killed_owners_left_behind_is_swept_away(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "coordination.sqlite")
    process = hold(url)
    process.kill()
    process.wait(60)
    assert process.stdout is not None
    process.stdout.close()
    assert len(list((tmp_path / "leases").iterdir())) == 1
    coordination = Coordination(url)
    with holding(coordination, "stage/raw_extraction/another"):
        assert [path.name for path in (tmp_path / "leases").iterdir()] == [
            f"{coordination.owner.token}.owner"
        ]
    coordination.close()
    assert list((tmp_path / "leases").iterdir()) == []


def test_a_machines_own_file_lies_beside_its_store_and_in_the_work_dir_of_a_remote_one(
    tmp_path: Path,
) -> None:
    local = default_url(str(tmp_path / "store"), tmp_path / "work")
    assert local == f"sqlite:///{tmp_path}/store/coordination.sqlite"
    remote = default_url("s3://bucket/store", tmp_path / "work")
    assert remote == f"sqlite:///{tmp_path}/work/coordination.sqlite"
