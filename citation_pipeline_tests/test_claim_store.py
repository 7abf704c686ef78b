"""The store: what is written comes back whole, and what is half-written is never taken for whole."""

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest

from citation_pipeline.adapters.claim_folders import (
    ClaimFolderError,
    claim_of_folder,
    describe_documents,
    file_of,
    list_files,
)
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import (
    document_tables,
    read_documents,
    read_source_documents,
    source_document_table,
)
from citation_pipeline.adapters.tables.store_errors import (
    DamagedTableError,
    MissingTableError,
    OutdatedTableError,
    TornStageError,
)
from citation_pipeline.adapters.tables.stored_files import StoreError
from citation_pipeline.core.claims import Claim, ClaimIdError
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument, share_parse
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.scenario import LineParser, write_claim


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    folder = write_claim(tmp_path / "inbox" / "tiny")
    return Claim("tiny", str(folder), str(folder / "documents"), extractor="replay")


@pytest.fixture
def documents(claim: Claim) -> list[ParsedDocument]:
    root = Path(claim.documents_dir)
    sources = describe_documents(claim)
    parsed = {d.source.source_id: d for d in LineParser().parse_many([(s, root / s.file) for s in sources])}
    return [
        share_parse(parsed[s.duplicate_of], s) if s.duplicate_of else parsed[s.source_id] for s in sources
    ]


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    return ClaimStore(tmp_path / "store")


def _write(store: ClaimStore, documents: list[ParsedDocument], **inputs: str) -> None:
    store.write_stage("parsed_documents", "tiny", tables=document_tables("tiny", documents), inputs=inputs)


def test_files_become_source_documents_with_unique_slugs_and_named_duplicates(claim: Claim) -> None:
    rows = {row.source_id: row for row in describe_documents(claim)}
    assert set(rows) == {"older-letter", "newer-letter", "copy-of-newer", "nothing"}
    assert rows["copy-of-newer"].duplicate_of == "newer-letter"  # the shorter name is the original's
    assert rows["newer-letter"].duplicate_of is None
    assert rows["older-letter"].duplicate_of is None
    assert rows["nothing"].byte_count == 0


def test_a_name_in_decomposed_letters_keeps_its_slug_and_is_shown_composed(claim: Claim) -> None:
    (Path(claim.documents_dir) / "Nu\u0301n\u0303ez report.txt").write_text("Report")
    rows = {row.source_id: row for row in describe_documents(claim)}
    assert rows["nu-n-ez-report"].file == "N\u00fa\u00f1ez report.txt"
    assert file_of(claim, rows["nu-n-ez-report"]).read_text() == "Report"


def test_hidden_files_and_links_out_of_the_folder_are_not_documents(claim: Claim, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not the claim's")
    root = Path(claim.documents_dir)
    (root / "link.txt").symlink_to(secret)
    (root / ".DS_Store").write_text("x")
    (root / "~$lock.docx").write_text("x")
    assert {path.name for path in list_files(claim)}.isdisjoint({"link.txt", ".DS_Store", "~$lock.docx"})


def test_a_folder_without_a_document_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "bare" / "documents").mkdir(parents=True)
    (tmp_path / "bare" / "documents" / ".hidden.pdf").write_bytes(b"%PDF-1.7")
    bare = claim_of_folder(tmp_path / "bare", schema="workers_comp", parser="local", extractor="rules")
    with pytest.raises(ClaimFolderError, match="holds no document: put its files there"):
        describe_documents(bare)


def test_a_link_to_the_documents_folder_is_followed(claim: Claim, tmp_path: Path) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "documents").symlink_to(claim.documents_dir)
    linked = claim_of_folder(tmp_path / "linked", schema="workers_comp", parser="local", extractor="rules")
    assert describe_documents(linked) == describe_documents(claim)


def test_documents_come_back_from_the_store_as_they_were_parsed(
    store: ClaimStore, documents: list[ParsedDocument]
) -> None:
    _write(store, documents, parser="lines-1")
    for kept, made in zip(read_documents(store, "tiny"), documents, strict=True):
        assert kept.source == made.source
        assert (kept.status, kept.error, kept.pages) == (made.status, made.error, made.pages)
        assert list(kept.blocks) == list(made.blocks)
        assert kept.text == made.text
        assert list(kept.words.texts) == list(made.words.texts)
        np.testing.assert_array_equal(kept.words.boxes, made.words.boxes)
        np.testing.assert_array_equal(kept.words.text_start, made.words.text_start)


def test_every_word_and_page_stands_at_its_offsets(documents: list[ParsedDocument]) -> None:
    for document in documents:
        words = document.words
        for i, text in enumerate(words.texts):
            assert document.text[words.text_start[i] : words.text_end[i]] == text
            page = document.pages[words.page[i] - 1]
            assert page.text_start <= words.text_start[i] < page.text_end
        for block in document.blocks:
            assert document.text[block.text_start : block.text_end] == block.text


def test_a_stage_remembers_its_inputs_and_the_version_of_what_it_made(
    store: ClaimStore, documents: list[ParsedDocument]
) -> None:
    assert store.stage_state("parsed_documents", "tiny") is None
    _write(store, documents, parser="lines-1")
    first = store.stage_state("parsed_documents", "tiny")
    _write(store, documents, parser="lines-2")
    second = store.stage_state("parsed_documents", "tiny")
    assert first is not None
    assert second is not None
    assert (first.inputs, second.inputs) == ({"parser": "lines-1"}, {"parser": "lines-2"})
    assert first.data_version == second.data_version  # the same words: nothing downstream is stale
    _write(store, documents[:-1], parser="lines-2")
    third = store.stage_state("parsed_documents", "tiny")
    assert third is not None
    assert third.data_version != second.data_version


def test_tables_of_two_runs_are_not_taken_for_one(store: ClaimStore, documents: list[ParsedDocument]) -> None:
    _write(store, documents, parser="lines-1")
    before = store.read_bytes("documents", "tiny.parquet")
    _write(store, documents[:2], parser="lines-2")
    store.write_bytes(
        before, "documents", "tiny.parquet"
    )  # as a process killed before its last move leaves it
    assert store.stage_state("parsed_documents", "tiny") is None
    with pytest.raises(TornStageError, match="tiny: the tables of parsed_documents"):
        read_documents(store, "tiny")


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def overwrite_rows(path: Path) -> None:
    kept = path.read_bytes()
    path.write_bytes(kept[:40] + b"\xff" * 400 + kept[440:])


@pytest.mark.parametrize("damage", [cut_short, empty, overwrite_rows])
def test_a_damaged_table_is_named_with_the_remedy_and_never_read_in_part(
    store: ClaimStore, documents: list[ParsedDocument], damage: Callable[[Path], None]
) -> None:
    _write(store, documents, source_documents="v1")
    damage(Path(store.path("words", "tiny.parquet")))
    for read in (lambda: store.read_table("words", "tiny"), lambda: read_documents(store, "tiny")):
        with pytest.raises(DamagedTableError, match="tiny: the file of words is damaged: put it back"):
            read()


@pytest.mark.parametrize("damage", [cut_short, empty])
def test_a_stage_with_a_damaged_table_counts_as_never_made(
    store: ClaimStore, documents: list[ParsedDocument], damage: Callable[[Path], None]
) -> None:
    _write(store, documents, source_documents="v1")
    before = store.stage_state("parsed_documents", "tiny")
    damage(Path(store.path("blocks", "tiny.parquet")))
    assert store.stage_state("parsed_documents", "tiny") is None
    _write(store, documents, source_documents="v1")
    assert store.stage_state("parsed_documents", "tiny") == before


def test_running_a_claim_again_makes_its_damaged_tables_anew(tmp_path: Path) -> None:
    folder, root = write_claim(tmp_path / "tiny"), tmp_path / "store"
    run = ("run", folder, "--extractor", "replay", "--store", root)
    assert command(*run).exit_code == 0
    damaged = [root / table / "tiny.parquet" for table in ("blocks", "raw_extraction", "fields", "citations")]
    rows = [pq.read_table(path).num_rows for path in damaged]
    for path in damaged:
        cut_short(path)
    assert command("plan", "--store", root).exit_code == 0  # one damaged file keeps nobody from a plan
    assert command(*run).exit_code == 0
    assert [pq.read_table(path).num_rows for path in damaged] == rows


def test_a_table_of_other_columns_is_an_older_versions_and_made_again(
    store: ClaimStore, documents: list[ParsedDocument]
) -> None:
    _write(store, documents, source_documents="v1")
    path = store.path("pages", "tiny.parquet")
    pq.write_table(pq.read_table(path).drop_columns(["rotation"]), path)
    with pytest.raises(OutdatedTableError, match="tiny: pages has the columns of an older version: run"):
        store.read_table("pages", "tiny")
    assert store.stage_state("parsed_documents", "tiny") is None


def test_a_table_that_may_not_be_read_is_not_taken_for_a_damaged_one(
    store: ClaimStore, documents: list[ParsedDocument]
) -> None:
    _write(store, documents, source_documents="v1")
    path = Path(store.path("pages", "tiny.parquet"))
    path.unlink()
    path.symlink_to(path)  # refused by the system to anybody, root as well
    with pytest.raises(OSError, match="symbolic links"):
        store.stage_state("parsed_documents", "tiny")


@pytest.mark.parametrize("text", ["", '{"claim_id": "ti', "[]", '{"claim_id": "tiny", "colour": "red"}'])
def test_a_damaged_registration_names_the_claim_and_the_remedy(
    store: ClaimStore, claim: Claim, text: str
) -> None:
    store.register(claim)
    Path(store.path("claims", "tiny.json")).write_text(text)
    with pytest.raises(StoreError, match="tiny: its registration is damaged: run its folder again"):
        store.claim("tiny")


def test_a_stage_is_put_in_place_with_all_its_tables_or_not_at_all(
    store: ClaimStore, documents: list[ParsedDocument]
) -> None:
    tables = document_tables("tiny", documents)
    del tables["words"]
    with pytest.raises(StoreError, match="parsed_documents keeps .*words.* but was given"):
        store.write_stage("parsed_documents", "tiny", tables=tables, inputs={})
    assert store.names("pages", ".parquet") == []


def test_a_copy_of_a_table_that_is_not_there_names_it(store: ClaimStore) -> None:
    with pytest.raises(MissingTableError, match="tiny has no citations yet"):
        store.copy_table("citations", "shown_citations", "tiny")


def test_a_torn_viewer_dataset_is_never_taken_for_whole(store: ClaimStore) -> None:
    inputs, dataset = {"resolved_citations": "v1"}, {"sources": [], "fields": []}
    made = store.write_viewer_dataset("tiny", dataset, inputs=inputs)
    assert store.read_intact_viewer_dataset("tiny", inputs) == (dataset, made)
    assert store.read_intact_viewer_dataset("tiny", {"resolved_citations": "v2"}) is None
    path = Path(store.path("viewer_dataset", "tiny", "data.json"))
    path.write_bytes(path.read_bytes()[:30])
    assert store.stage_state("viewer_dataset", "tiny") is None
    assert store.read_intact_viewer_dataset("tiny", inputs) is None


def test_a_write_that_fails_leaves_the_old_table_and_no_litter(
    store: ClaimStore, documents: list[ParsedDocument], monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(store, documents, parser="lines-1")
    kept = store.stage_state("parsed_documents", "tiny")

    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        _write(store, documents[:1], parser="lines-2")
    monkeypatch.undo()
    assert store.stage_state("parsed_documents", "tiny") == kept
    assert [path.name for path in Path(store.root).rglob("*.tmp")] == []


def test_duckdb_reads_the_tables_with_a_glob(store: ClaimStore, documents: list[ParsedDocument]) -> None:
    _write(store, documents, parser="lines-1")
    found = duckdb.sql(
        f"SELECT source_id, status FROM read_parquet('{store.root}/documents/*.parquet') ORDER BY ALL"
    ).fetchall()
    assert ("nothing", "empty") in found
    assert ("copy-of-newer", "duplicate") in found


def test_source_documents_come_back_in_order(store: ClaimStore, claim: Claim) -> None:
    sources = describe_documents(claim)
    store.write_stage(
        "source_documents",
        "tiny",
        tables={"source_documents": source_document_table("tiny", sources)},
        inputs={},
    )
    assert read_source_documents(store, "tiny") == sources


def test_a_missing_table_names_the_claim_and_the_remedy(store: ClaimStore) -> None:
    with pytest.raises(MissingTableError, match="tiny has no citations yet: run the claim first"):
        store.read_table("citations", "tiny")


@pytest.mark.parametrize("name", ["../etc", "a/b", "", ".hidden", "a" * 101, "a\nb", "a b", "é"])
def test_a_name_that_cannot_be_a_claim_id_reaches_no_file(store: ClaimStore, name: str) -> None:
    with pytest.raises(ClaimIdError):
        store.read_table("documents", name)
    with pytest.raises(ClaimIdError):
        store.register(Claim(name, "/x", "/x"))


def test_columns_come_in_the_order_that_was_asked_for(
    store: ClaimStore, documents: list[ParsedDocument]
) -> None:
    _write(store, documents)
    for names in (["page", "text"], ["text", "page"]):
        assert store.read_table("words", "tiny", names).column_names == names
        assert list(store.read_rows("words", "tiny", names)[0]) == names


def test_a_claim_that_was_never_registered_is_named(store: ClaimStore) -> None:
    with pytest.raises(StoreError, match="tiny is not in the store"):
        store.claim("tiny")


def test_every_parquet_file_has_the_documented_columns(
    store: ClaimStore, documents: list[ParsedDocument]
) -> None:
    _write(store, documents, parser="lines-1")
    promised = {
        "pages": "claim_id source_id page width_pt height_pt rotation text_start text_end has_text_layer",
        "words": "claim_id source_id word_id text page left top width height line_id block_id text_start "
        "text_end confidence",
        "documents": "claim_id source_id name file sha256 media_type page_count status error parser "
        "parser_version duplicate_of",
    }
    for table, columns in promised.items():
        names = pq.read_schema(f"{store.root}/{table}/tiny.parquet").names
        assert names[: len(columns.split())] == columns.split()


def test_an_unreadable_document_is_a_row_with_its_reason(documents: list[ParsedDocument]) -> None:
    (row,) = [d for d in documents if d.status is DocumentStatus.EMPTY]
    assert row.error is not None
    assert row.error.code == "empty"
    assert row.error.remedy
