"""Files that are there whole or not at all: what an error, a killed process and a reader see."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from citation_pipeline.adapters.whole_files import PRIVATE, name_of_draft, replacing, write_whole

KILLED = """
import os, signal, sys
from pathlib import Path
from citation_pipeline.adapters.whole_files import replacing
with replacing(Path(sys.argv[1])) as stream:
    stream.write(b"half of what was mea")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_an_error_while_writing_keeps_the_old_file_and_leaves_no_draft(tmp_path: Path) -> None:
    place = tmp_path / "note.json"
    write_whole(place, b"old")
    with pytest.raises(OSError, match="no space"):
        _write_on_a_full_disk(place)
    assert place.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [place]


def test_a_killed_process_leaves_the_old_file_and_a_draft_that_says_what_it_is_of(tmp_path: Path) -> None:
    place = tmp_path / "sample-claim.json"
    write_whole(place, b"old")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(place)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert place.read_bytes() == b"old"
    drafts = [path.name for path in tmp_path.iterdir() if path != place]
    assert [name_of_draft(name) for name in drafts] == ["sample-claim.json"]


def test_what_a_provider_answered_is_its_owners_alone(tmp_path: Path) -> None:
    write_whole(tmp_path / "reply", b"secret", mode=PRIVATE)
    assert (tmp_path / "reply").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["note.json", ".hidden", "a.b.tmp", ".x.0123456789ab.tm", ""])
def test_the_name_of_another_file_is_no_drafts(name: str) -> None:
    assert name_of_draft(name) == ""


def test_readers_see_the_old_file_until_the_new_one_is_whole(tmp_path: Path) -> None:
    place = tmp_path / "page.png"
    write_whole(place, b"old")
    with replacing(place, is_durable=False) as stream:
        stream.write(b"new")
        stream.flush()
        assert place.read_bytes() == b"old"
    assert place.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [place]


def _write_on_a_full_disk(place: Path) -> None:
    with replacing(place) as stream:
        stream.write(b"new, and cut o")
        raise OSError("no space left")
