"""Documents that crash, hang or outgrow their worker process cost themselves and nothing else."""

import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.parser_files import letter_pdf, put, source_of

FAULTY = "citation_pipeline_tests.faulty_worker"


@pytest.fixture
def parser_with_faults(tmp_path, fault):
    # only a hang has to be waited out: 15 s are many times what a new worker needs to start
    limits = ParseLimits(silent_seconds=15 if fault == "hang" else 300, memory_bytes=400 * 2**20)
    with LocalParser(tmp_path / "cache", workers=2, limits=limits, worker_module=FAULTY) as parser:
        yield parser


@pytest.mark.parametrize(
    ("fault", "status", "code", "how"),
    [
        ("segfault", DocumentStatus.CRASHED, "worker_crashed", "SIGSEGV"),
        ("exit", DocumentStatus.CRASHED, "worker_crashed", "exit code 7"),
        ("bug", DocumentStatus.CRASHED, "worker_crashed", "exit code 1"),
        ("garbage", DocumentStatus.CRASHED, "worker_crashed", "answer was damaged"),
        ("hang", DocumentStatus.TIMED_OUT, "timed_out", "stopped after"),
        ("memory", DocumentStatus.OVERSIZED, "out_of_memory", "400 MB"),
    ],
)
def test_a_fault_is_one_documents_status_and_the_others_go_on(
    parser_with_faults, tmp_path, fault, status, code, how
):
    sources = [
        put(tmp_path, "before.txt", b"Paid through 03/14/2023."),
        put(tmp_path, "faulty.txt", f"fault: {fault}".encode()),
        put(tmp_path, "after.pdf", letter_pdf()),
    ]
    before, faulty, after = parser_with_faults.parse_many(sources)
    assert (faulty.status, faulty.error.code) == (status, code)
    assert how in faulty.error.message
    assert faulty.error.remedy
    assert faulty.source.file == "faulty.txt"
    assert before.status == after.status == DocumentStatus.PARSED
    assert len(after.words) > 50


def test_a_crash_is_not_cached_and_may_succeed_the_next_time(tmp_path):
    sources = [put(tmp_path, "faulty.txt", b"fault: segfault")]
    with LocalParser(tmp_path / "cache", workers=1, worker_module=FAULTY) as parser:
        assert parser.parse_many(sources)[0].error.transient
    with LocalParser(tmp_path / "cache", workers=1) as parser:
        assert parser.parse_many(sources)[0].status == DocumentStatus.PARSED


def test_a_long_document_that_shows_progress_is_not_taken_for_a_hang(tmp_path):
    limits = ParseLimits(silent_seconds=15.0)
    data = b"fault: slow pages"
    with LocalParser(None, workers=1, limits=limits, worker_module=FAULTY) as parser:
        parser.parse(
            source_of(b"first", "first.txt"), b"first"
        )  # what follows meets a worker that has started
        assert parser.parse(source_of(data, "slow.txt"), data).status == DocumentStatus.PARSED


def test_a_document_is_stopped_at_its_total_time_whatever_progress_it_shows(tmp_path):
    limits = ParseLimits(silent_seconds=300.0, total_seconds=1.0)
    data = b"fault: slow pages"
    with LocalParser(None, workers=1, limits=limits, worker_module=FAULTY) as parser:
        assert parser.parse(source_of(data, "slow.txt"), data).status == DocumentStatus.TIMED_OUT


def test_a_worker_killed_from_outside_is_replaced(tmp_path):
    data = letter_pdf()
    with LocalParser(None, workers=1) as parser:
        parser.parse(source_of(data), data)
        os.kill(parser.worker_pids[0], signal.SIGKILL)
        assert parser.parse(source_of(data), data).status == DocumentStatus.PARSED


def test_an_exception_of_the_listener_ends_the_run_and_leaves_no_worker(tmp_path):
    sources = [put(tmp_path, f"{n}.txt", f"text number {n}".encode()) for n in range(4)]

    def stop(document, cached):
        raise RuntimeError("the run was cancelled")

    with LocalParser(None, workers=2) as parser:
        with pytest.raises(RuntimeError, match="cancelled"):
            parser.parse_many(sources, on_parsed=stop)
        assert [d.status for d in parser.parse_many(sources)] == [DocumentStatus.PARSED] * 4


def test_calls_from_several_threads_take_turns(tmp_path):
    found = {}

    def parse(number):
        data = f"text number {number}".encode()
        found[number] = parser.parse(source_of(data, f"{number}.txt"), data).text

    with LocalParser(None, workers=2) as parser:
        threads = [threading.Thread(target=parse, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: f"text number {number}" for number in range(6)}


def test_workers_end_with_the_parser_that_was_closed():
    parser = LocalParser(None, workers=1)
    data = b"some text"
    parser.parse(source_of(data, "a.txt"), data)
    (pid,) = parser.worker_pids
    parser.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        parser = LocalParser(None, workers=1)
        parser.parse(source_of(b"some text", "a.txt"), b"some text")
        os.write(writing, str(parser.worker_pids[0]).encode())
        time.sleep(600)
        os._exit(0)
    worker = int(os.read(reading, 20))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    deadline = time.monotonic() + 60
    while _is_running(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.close(reading)
    os.close(writing)
    assert not _is_running(worker)


def _is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_file_that_changed_since_it_was_listed_is_refused(tmp_path):
    source, path = put(tmp_path, "a.txt", b"what was listed")
    path.write_bytes(b"what lies there now")
    with LocalParser(None, workers=1) as parser:
        (document,) = parser.parse_many([(source, path)])
        (missing,) = parser.parse_many([(replace(source, sha256="0" * 64), tmp_path / "gone.txt")])
    assert document.error.code == "content_changed"
    assert document.error.transient
    assert missing.error.code == "unreadable_file"
