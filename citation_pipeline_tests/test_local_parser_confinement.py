"""A worker process holds no secrets, opens no connection and starts no program."""

import json
import subprocess
import sys

import pytest

from citation_pipeline.adapters.local_parser.confinement import ForbiddenInWorkerError, refuse_events
from citation_pipeline.adapters.local_parser.parser import LocalParser
from citation_pipeline_tests.parser_files import source_of

_PROBE = """
import json, os, socket, subprocess, sys
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.confinement import confine
confine(ParseLimits())
refused = []
for attempt in (
    lambda: socket.create_connection(("127.0.0.1", 9)),
    lambda: socket.getaddrinfo("localhost", 80),
    lambda: subprocess.run(["true"]),
    lambda: os.system("true"),
):
    try:
        attempt()
    except RuntimeError as error:
        refused.append(type(error).__name__)
print(json.dumps(refused))
"""


def test_a_worker_reaches_neither_the_network_nor_other_programs():
    done = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["ForbiddenInWorkerError"] * 4


def test_the_hook_lets_ordinary_work_pass():
    refuse_events("open", ("a file", "r", 0))
    with pytest.raises(ForbiddenInWorkerError, match="only reads the file"):
        refuse_events("socket.connect", ())


def test_a_worker_has_nothing_of_this_processs_environment(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-that-must-not-travel")
    with LocalParser(None, workers=1) as parser:
        parser.parse(source_of(b"some text", "a.txt"), b"some text")
        with open(f"/proc/{parser.worker_pids[0]}/environ", "rb") as file:  # noqa: PTH123
            assert b"a-key-that-must-not-travel" not in file.read()
