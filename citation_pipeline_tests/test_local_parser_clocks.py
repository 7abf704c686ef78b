"""Time is judged by what a worker did: a busy machine costs no document, a hang is still one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline.adapters.local_parser.reading import ReadingOptions, read_source
from citation_pipeline.adapters.local_parser.worker_clocks import WorkerClock
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.parser_files import image_bytes, letter_pdf, picture_of, put, source_of

BUSY, ASLEEP = "while True: pass", "import time; time.sleep(600)"


@pytest.fixture
def process(program):
    child = subprocess.Popen([sys.executable, "-c", program])
    yield child
    child.kill()
    child.wait()


def watch(process, seconds):
    clock = WorkerClock(process.pid)
    begin, end = clock.spent(), time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
        spent = clock.spent() - begin
    return spent


@pytest.mark.parametrize("program", [BUSY])
def test_a_process_that_is_stopped_spends_nothing(process):
    os.kill(process.pid, signal.SIGSTOP)
    while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        time.sleep(0.01)
    assert watch(process, 1.5) < 0.1


@pytest.mark.parametrize("program", [BUSY, ASLEEP])
def test_a_process_that_works_or_sleeps_spends_time(process):
    assert watch(process, 6.0) > 0.5


@pytest.mark.parametrize("program", [ASLEEP])
def test_what_the_parser_itself_was_late_for_is_not_the_workers_time(process):
    clock = WorkerClock(process.pid)
    begin = clock.spent()
    time.sleep(3.0)
    assert clock.spent() - begin < 1.0


def test_a_worker_that_gets_no_core_for_long_is_waited_for(tmp_path):
    data = letter_pdf()
    limits = ParseLimits(silent_seconds=2.0, total_seconds=20.0)
    with LocalParser(None, workers=1, limits=limits) as parser:
        parser.parse(source_of(b"first", "first.txt"), b"first")
        (pid,) = parser.worker_pids
        os.kill(pid, signal.SIGSTOP)
        wake = subprocess.Popen(["/bin/sh", "-c", f"sleep 5; kill -CONT {pid}"])
        document = parser.parse(source_of(data), data)
        wake.wait()
    assert document.status == DocumentStatus.PARSED


@pytest.mark.parametrize(
    ("file", "data", "pages"),
    [
        ("text.txt", "\f".join(["one page"] * 3).encode(), 3),
        ("letter.pdf", letter_pdf(), 1),
        ("letter.png", image_bytes(picture_of(letter_pdf()), "PNG"), 1),
    ],
)
def test_every_page_of_any_kind_is_a_sign_of_progress(file, data, pages):
    beats = []
    document = read_source(
        source_of(data, file),
        path=None,
        data=data,
        options=ReadingOptions(ocr=False),
        on_page=lambda: beats.append(1),
    )
    assert len(document.pages) == len(beats) == pages


def test_parse_writes_each_file_before_the_next_is_done(tmp_path, monkeypatch):
    parse_each = LocalParser.parse_each
    seen = []

    def watched(self, sources, *, on_parsed):
        def keep(document, from_cache):
            on_parsed(document, from_cache)
            seen.append(sorted(path.name for path in (tmp_path / "out").glob("*.json")))

        parse_each(self, sources, on_parsed=keep)

    monkeypatch.setattr(LocalParser, "parse_each", watched)
    monkeypatch.setenv("CITATION_PIPELINE_WORKERS", "1")
    files = [str(put(tmp_path, f"{name}.txt", name.encode())[1]) for name in ("first", "second")]
    result = command("parse", *files, "--out", str(tmp_path / "out"))
    assert result.exit_code == 0
    assert seen == [["first.json"], ["first.json", "second.json"]]
