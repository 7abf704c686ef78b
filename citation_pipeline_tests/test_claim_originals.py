"""Claims whose files the store keeps: no registration names a folder, and any host lays them out again."""

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from citation_pipeline.adapters.claim_folders import (
    ClaimFolderError,
    claim_of_folder,
    describe_documents,
    file_of,
    fingerprint_files,
)
from citation_pipeline.adapters.claim_originals import bring_files, is_from, original_path
from citation_pipeline.adapters.inbox import document_sizes
from citation_pipeline.adapters.office.attached_files import read_document
from citation_pipeline.adapters.schema_files import load_schema
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import Copies
from citation_pipeline.core.claims import Claim


def host(tmp_path: Path, name: str) -> ClaimStore:
    return ClaimStore(f"memory://{tmp_path.name}/store", copies=Copies(tmp_path / name))


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    """A claim's folder on the machine that registers it."""
    folder = tmp_path / "in" / "C-1"
    documents = folder / "documents"
    (documents / "older").mkdir(parents=True)
    (documents / "a.txt").write_text("one")
    (documents / "older" / "b.txt").write_text("two")
    with zipfile.ZipFile(documents / "mails.zip", "w") as archive:
        archive.writestr("inside.txt", "three")
    (folder / "extraction_raw.json").write_text("{}")
    (folder / "claim.toml").write_text('extractor = "replay"\n')
    schema = tmp_path / "own.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"payee": {"type": "string"}}}))
    return claim_of_folder(folder, schema=str(schema), extractor="replay")


def test_another_host_has_the_same_documents_answer_and_schema(tmp_path: Path, claim: Claim) -> None:
    host(tmp_path, "one").register(claim)
    there = host(tmp_path, "two")
    found = there.claim("C-1")
    assert str(tmp_path / "in") not in there.read_bytes("claims", "C-1.json").decode()
    assert fingerprint_files(found) == fingerprint_files(claim)
    assert sorted(document_sizes(found)) == sorted(document_sizes(claim))
    assert (Path(found.folder) / "extraction_raw.json").read_text() == "{}"
    assert not (Path(found.folder) / "claim.toml").exists()  # it was read when the claim was registered
    assert load_schema(found.schema).name == "own"
    assert [field.key for field in load_schema(found.schema).fields] == ["payee"]
    bring_files(there, found)
    assert describe_documents(found) == describe_documents(claim)
    for source in describe_documents(found):
        assert read_document(file_of(found, source)) == read_document(file_of(claim, source))


def test_an_original_is_found_by_the_path_that_the_tables_have(tmp_path: Path, claim: Claim) -> None:
    host(tmp_path, "one").register(claim)
    there = host(tmp_path, "two")
    found = there.claim("C-1")
    for name, text in {"a.txt": b"one", "older/b.txt": b"two", "mails.zip/inside.txt": b"three"}.items():
        assert read_document(original_path(there, found, name)) == text
    for name in ("../in/C-1/claim.toml", "extraction_raw.json", "c.txt"):
        with pytest.raises(FileNotFoundError):
            original_path(there, found, name)


def test_a_folder_that_changed_is_taken_in_again_and_laid_out_anew(tmp_path: Path, claim: Claim) -> None:
    one, two = host(tmp_path, "one"), host(tmp_path, "two")
    one.register(claim)
    bring_files(two, two.claim("C-1"))
    documents = Path(claim.documents_dir)
    (documents / "a.txt").write_text("changed")
    (documents / "mails.zip").unlink()
    one.register(claim)
    found = two.claim("C-1")
    bring_files(two, found)
    assert sorted(path.name for path in Path(found.documents_dir).rglob("*.*")) == ["a.txt", "b.txt"]
    assert (Path(found.documents_dir) / "a.txt").read_text() == "changed"


def test_a_choice_of_another_reader_keeps_the_files_and_where_they_came_from(
    tmp_path: Path, claim: Claim
) -> None:
    one, two = host(tmp_path, "one"), host(tmp_path, "two")
    one.register(claim)
    shutil.rmtree(claim.folder)
    before = two.claim("C-1")
    two.register(before.read_by({"extractor": "rules"}))
    after = one.claim("C-1")
    assert after.extractor == "rules"
    assert after.files == before.files
    assert load_schema(after.schema).name == "own"
    assert is_from(after, claim.folder)
    assert not is_from(after, "/elsewhere/C-1")


def test_an_upload_counts_once_it_is_taken_in_and_then_on_every_host(tmp_path: Path, claim: Claim) -> None:
    one, two = host(tmp_path, "one"), host(tmp_path, "two")
    one.register(claim)
    found = one.claim("C-1")
    bring_files(one, found)
    (Path(found.documents_dir) / "new.txt").write_text("four")
    bring_files(one, found)  # a run meanwhile
    assert "new.txt" not in {source.file for source in describe_documents(found)}
    one.register(replace(found, files=()))
    after = two.claim("C-1")
    bring_files(two, after)
    assert "new.txt" in {source.file for source in describe_documents(after)}
    assert after.files == tuple(sorted({*after.files, *found.files}, key=lambda file: file.path))
    assert load_schema(after.schema).name == "own"


def test_files_are_kept_once_for_all_claims_that_have_them(tmp_path: Path, claim: Claim) -> None:
    store = host(tmp_path, "one")
    store.register(claim)
    count = len(store.place.files("originals"))
    shutil.copytree(claim.folder, tmp_path / "in" / "C-2")
    store.register(replace(claim_of_folder(tmp_path / "in" / "C-2"), schema=claim.schema))
    assert len(store.place.files("originals")) == count == 5


def test_a_store_on_a_disk_reads_the_folder_unless_it_is_to_keep_the_files(
    tmp_path: Path, claim: Claim
) -> None:
    plain = ClaimStore(tmp_path / "plain")
    plain.register(claim)
    assert plain.claim("C-1") == claim
    assert set(json.loads(plain.read_bytes("claims", "C-1.json"))) == {
        "claim_id", "documents_dir", "extractor", "folder", "parser", "schema", "settings_mark",
    }  # fmt: skip
    keeping = ClaimStore(tmp_path / "keeping", originals="store")
    keeping.register(claim)
    shutil.rmtree(claim.folder)
    moved = ClaimStore((tmp_path / "keeping").rename(tmp_path / "moved"), originals="store")
    found = moved.claim("C-1")
    bring_files(moved, found)
    assert (Path(found.documents_dir) / "a.txt").read_text() == "one"


def test_a_file_that_the_store_lost_is_an_error_that_names_the_claim(tmp_path: Path, claim: Claim) -> None:
    store = host(tmp_path, "one")
    store.register(claim)
    for name in store.place.files("originals"):
        store.remove("originals", name)
    with pytest.raises(ClaimFolderError, match="C-1: the store has lost a file of the claim"):
        host(tmp_path, "two").claim("C-1")
