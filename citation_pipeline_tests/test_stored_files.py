"""Files of the store, here and in object storage: each whole or not there, and no draft left behind."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.leases import lease
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.store_errors import ChangedMeanwhileError, StoreError
from citation_pipeline.adapters.tables.stored_files import Copies, StoredFiles
from citation_pipeline.core.claims import ClaimIdError


@pytest.fixture(params=["local", "object"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> StoredFiles:
    """A store of this machine, and one that has nothing but objects (kept in memory)."""
    if request.param == "local":
        return StoredFiles(tmp_path / "store")
    return StoredFiles(f"memory://{tmp_path.name}/store", copies=Copies(tmp_path / "copies"))


def drafts(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(".*")]


def test_a_file_is_written_read_listed_and_removed_alike(files: StoredFiles) -> None:
    files.write_bytes(b"one", "t", "a.json")
    files.write_json({"ü": 1}, "t", "b.json")
    assert files.read_bytes("t", "a.json") == b"one"
    assert files.read_bytes("t", "b.json") == '{\n "ü": 1\n}\n'.encode()
    assert files.names("t", ".json") == ["a", "b"]
    assert files.names("t", ".parquet") == files.names("nowhere", ".json") == []
    assert files.has("t", "a.json")
    assert not files.has("t")  # a folder is no file
    assert files.file_mark("t", "a.json")
    assert files.file_mark("t", "c.json") is None
    files.copy(("t", "a.json"), ("t", "c.json"))
    assert files.read_bytes("t", "c.json") == b"one"
    assert files.remove("t", "a.json")
    assert not files.remove("t", "a.json")
    assert files.names("t", ".json") == ["b", "c"]
    with pytest.raises(FileNotFoundError):
        files.read_bytes("t", "a.json")


def test_a_write_over_another_file_than_was_expected_is_refused_and_keeps_the_other(
    files: StoredFiles,
) -> None:
    first = files.write_bytes(b"one", "a", expected=None)
    with pytest.raises(ChangedMeanwhileError, match="a was written by another process meanwhile"):
        files.write_bytes(b"two", "a", expected=None)
    files.write_bytes(b"three", "a", expected=first)
    with pytest.raises(ChangedMeanwhileError):
        files.write_bytes(b"four", "a", expected=first)
    assert files.read_bytes("a") == b"three"


def test_a_change_of_a_small_file_is_made_again_over_what_another_wrote(files: StoredFiles) -> None:
    files.write_bytes(b"", "notes")
    calls = []

    def add(before: bytes | None) -> bytes:
        calls.append(before)
        if len(calls) == 1:
            files.write_bytes(b"theirs ", "notes")
        return (before or b"") + b"mine"

    files.change_bytes(add, "notes")
    assert files.read_bytes("notes") == b"theirs mine"
    assert calls == [b"", b"theirs "]
    files.change_bytes(lambda before: repr(before).encode(), "new")
    assert files.read_bytes("new") == b"None"


def test_a_store_in_object_storage_has_no_path_on_this_machine(tmp_path: Path) -> None:
    assert StoredFiles(tmp_path).local_path("t", "a") == tmp_path / "t" / "a"
    remote = StoredFiles("memory://here/store")
    with pytest.raises(
        StoreError, match="t/a is needed on this machine, but the store is memory://here/store"
    ):
        remote.local_path("t", "a")
    with lease(ClaimStore("memory://here/store"), "source_documents", "c") as waited:
        assert not waited  # there each machine works alone


def test_a_file_that_holds_the_bytes_already_is_left_as_it_is(tmp_path: Path) -> None:
    files = StoredFiles(tmp_path)
    files.write_bytes(b"same", "a")
    os.utime(tmp_path / "a", (1, 1))
    mark = files.file_mark("a")
    files.write_bytes(b"same", "a")
    assert files.file_mark("a") == mark
    files.write_bytes(b"else", "a")
    assert files.file_mark("a") != mark


def test_a_write_that_fails_leaves_the_old_file_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = StoredFiles(tmp_path)
    files.write_bytes(b"old", "a")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        files.write_bytes(b"new", "a")
    assert files.read_bytes("a") == b"old"
    assert drafts(tmp_path) == []


def test_a_copy_of_nothing_is_refused_and_one_without_links_is_made_by_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = StoredFiles(tmp_path)
    with pytest.raises(FileNotFoundError):
        files.copy(("a",), ("b",))
    files.write_bytes(b"one", "a")
    files.copy(("a",), ("b",))
    files.copy(("a",), ("b",))  # both names are one file already
    assert (tmp_path / "a").samefile(tmp_path / "b")

    def refuse(*_: Any) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    files.copy(("a",), ("c",))
    assert files.read_bytes("c") == b"one"
    assert not (tmp_path / "a").samefile(tmp_path / "c")
    assert drafts(tmp_path) == []


def test_a_table_of_no_stage_has_a_claims_name_too(tmp_path: Path) -> None:
    table = SHAPES["citation_changes"].empty_table()
    with pytest.raises(ClaimIdError):
        ClaimStore(tmp_path).write_side_table("citation_changes", "../elsewhere", table)
