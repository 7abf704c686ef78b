"""A small night and a re-match on two hosts, whole: `benchmarks/fleet.py`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(1800)  # some minutes on a machine that is busy
def test_two_hosts_share_a_night_and_give_the_same_bytes_as_one_machine(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("night")
    command = [sys.executable, "benchmarks/fleet.py", "--claims", "4", "--workers", "2", "--minutes", "20"]
    ended = subprocess.run(
        [*command, "--json", str(folder / "result.json")],
        cwd=project,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
        timeout=1700,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    (found,) = json.loads((folder / "result.json").read_text())
    assert found["claims_made"] == found["compared_with_alone"] == found["same_bytes_as_alone"] == 4
    assert set(found["runs_by_host"]) == {"host1", "host2"}, "one host did all the work"
    assert found["night_object_writes_a_claim"] > 0
