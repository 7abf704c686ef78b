"""Clients killed with SIGKILL at every step: the next run finds what is under way and pays nothing twice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from citation_pipeline.core.documents.parsed import SourceDocument
from citation_pipeline_tests.fake_reducto.desk import Desk

pytest_plugins = ["citation_pipeline_tests.fake_reducto.fixtures"]

PARSE_IN_A_PROCESS = """
import sys, json
from pathlib import Path
from citation_pipeline.adapters.reducto.clients import ReductoClient
from citation_pipeline.adapters.reducto.options import Connection
from citation_pipeline.adapters.reducto.parsers import ReductoParser
from citation_pipeline.core.documents.parsed import SourceDocument

base_url, folder, source = sys.argv[1], Path(sys.argv[2]), SourceDocument(**json.loads(sys.argv[3]))
with ReductoClient(
    Connection("test-key", base_url=base_url, requests_per_second=1000, poll_first_s=0.02, poll_most_s=0.02)
) as client:
    parser = ReductoParser(
        client,
        results_folder=folder / "results",
        journal_folder=folder / "journal",
        on_receipt=lambda receipt: print(receipt.resumed),
    )
    parser.parse(source, (folder / "file.pdf").read_bytes(), claim_id="WC-2023-0001")
"""


def start_process(desk: Desk) -> "subprocess.Popen[str]":
    (desk.folder / "file.pdf").write_bytes(desk.document.data)
    source = desk.document.source
    row = {name: getattr(source, name) for name in SourceDocument.__slots__}
    arguments = [desk.fake.base_url, str(desk.folder), json.dumps(row)]
    return subprocess.Popen(
        [sys.executable, "-c", PARSE_IN_A_PROCESS, *arguments], stdout=subprocess.PIPE, text=True
    )


def kill_when(desk: Desk, reached: Callable[[], bool]) -> None:
    process = start_process(desk)
    try:
        while not reached():  # a process that never gets there meets the test's own time limit
            assert process.poll() is None, "the process ended before it could be killed"
            time.sleep(0.01)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


def resume(desk: Desk) -> str:
    process = start_process(desk)
    printed, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return printed.strip()


def test_a_killed_process_picks_its_job_up_and_pays_once(desk: Desk) -> None:
    desk.fake.configure(statuses=["InProgress"] * 40 + ["Completed"])
    kill_when(desk, lambda: desk.fake.counters["job_polls"] >= 3)
    assert resume(desk) == "True"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"]) == (1, 1)
    assert (counters["deleted_uploads"], counters["deleted_jobs"]) == (1, 1)
    assert desk.stored(".reducto.json").is_file()


def test_a_process_killed_before_it_heard_of_its_job_finds_it(desk: Desk) -> None:
    desk.fake.script("parse_async", "stall_after", seconds=60.0)
    kill_when(desk, lambda: desk.fake.counters["parse_jobs"] == 1)
    assert resume(desk) == "True"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"]) == (1, 1)


def test_a_job_that_comes_to_be_after_its_process_was_killed_is_found(desk: Desk) -> None:
    desk.fake.script("parse_async", "stall", seconds=60.0)
    kill_when(desk, lambda: desk.fake.counters["requests:parse_async"] == 1)
    while desk.fake.counters["parse_jobs"] == 0:  # the server carries out what it had read all the same
        time.sleep(0.05)
    assert resume(desk) == "True"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"]) == (1, 1)


def test_a_process_killed_while_downloading_downloads_again_and_pays_once(desk: Desk) -> None:
    desk.fake.script("result", "stall", seconds=60.0)
    kill_when(desk, lambda: desk.fake.counters["requests:storage_get"] == 1)
    assert resume(desk) == "True"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"]) == (1, 1)


def test_a_process_killed_between_storing_and_deleting_only_deletes(desk: Desk) -> None:
    desk.fake.script("delete_job", "stall", seconds=60.0)
    kill_when(desk, lambda: desk.fake.counters["requests:delete_job"] == 1)
    assert resume(desk) == "False"
    counters = desk.fake.counters
    assert (counters["uploads"], counters["parse_jobs"], counters["deleted_uploads"]) == (1, 1, 1)
