"""A store in object storage, as one machine sees what others write: marks, conditions, outages, addresses."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from citation_pipeline.adapters.inbox import bring_documents, claim_of_inbox, list_inbox
from citation_pipeline.adapters.object_storage import bucket, objects
from citation_pipeline.adapters.object_storage.addresses import read_address
from citation_pipeline.adapters.object_storage.objects import ObjectFiles
from citation_pipeline.adapters.tables import stored_files
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.page_words import read_words
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.store_errors import (
    ChangedMeanwhileError,
    StoreAddressError,
    UnreachableStoreError,
)
from citation_pipeline.adapters.tables.stored_files import Copies, StoredFiles
from citation_pipeline.adapters.tables.tries import failed_tries, trying
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import VerificationStore
from citation_pipeline.adapters.warehouse.places import POINTER, warehouse_file
from citation_pipeline.adapters.warehouse.publishing import open_warehouse, refresh_warehouse
from citation_pipeline.serving import datasets as serving_datasets
from citation_pipeline.serving.datasets import Datasets
from citation_pipeline_tests.object_servers import BUCKET, CREDENTIALS, answering, s3_server, url_of
from citation_pipeline_tests.scenario import write_claim
from citation_pipeline_tests.stored_claims import store_claim


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def url(server: str, request: pytest.FixtureRequest) -> str:
    return url_of(server, f"{request.node.name[:40]}/store")


def host(url: str, folder: Path, *, max_age: float = 0.0) -> ClaimStore:
    """The store as one machine opens it: with a folder of its own for copies."""
    return ClaimStore(url, copies=Copies(folder, max_age=max_age))


def test_a_rewrite_of_the_same_size_within_a_second_is_seen_by_another_machine(
    url: str, tmp_path: Path
) -> None:
    here, there = host(url, tmp_path / "here"), host(url, tmp_path / "there")
    here.write_bytes(b"one", "t", "a.json")
    before = there.file_mark("t", "a.json"), there.table_marks("t", ".json"), there.read_bytes("t", "a.json")
    here.write_bytes(b"two", "t", "a.json")
    after = there.file_mark("t", "a.json"), there.table_marks("t", ".json"), there.read_bytes("t", "a.json")
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert (before[2], after[2]) == (b"one", b"two")


def stop_clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock for what was asked of a store, which only the test moves: add the seconds that pass."""
    passed = [100.0]
    clock = SimpleNamespace(monotonic=lambda: sum(passed), time=time.time)
    for module in (objects, stored_files, serving_datasets):
        monkeypatch.setattr(module, "time", clock)
    return passed


def test_what_was_looked_at_may_be_old_for_the_stated_time_and_no_longer(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = stop_clock(monkeypatch)
    here, reader = host(url, tmp_path / "here"), host(url, tmp_path / "there", max_age=1.0)
    here.write_bytes(b"one", "t", "a.json")
    assert reader.read_bytes("t", "a.json") == b"one"
    here.write_bytes(b"two", "t", "a.json")
    assert reader.read_bytes("t", "a.json") == b"one"
    assert reader.current().read_bytes("t", "a.json") == b"two"
    passed.append(1.1)
    assert reader.read_bytes("t", "a.json") == b"two"
    reader.write_bytes(b"three", "t", "a.json")
    assert reader.read_bytes("t", "a.json") == b"three"  # one's own writing is never old


def test_an_object_that_is_gone_is_gone_from_the_copies_too(url: str, tmp_path: Path) -> None:
    here, there = host(url, tmp_path / "here"), host(url, tmp_path / "there")
    here.write_bytes(b"one", "t", "a.json")
    there.read_bytes("t", "a.json")
    assert [path for path in (tmp_path / "there").rglob("*") if path.is_file()]
    assert here.remove("t", "a.json")
    with pytest.raises(FileNotFoundError):
        there.read_bytes("t", "a.json")
    assert not [path for path in (tmp_path / "there").rglob("*") if path.is_file()]


def fields_of(value: str) -> dict[str, pa.Table]:
    row = {"claim_id": "C-1", "source_id": value, "name": value, "file": "a.txt", "sha256": "0" * 64}
    empty = {name: None for name in SHAPES["source_documents"].names}
    return {"source_documents": pa.Table.from_pylist([{**empty, **row}], schema=SHAPES["source_documents"])}


def test_a_decision_meets_a_dataset_that_was_exchanged_since_the_claim_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = stop_clock(monkeypatch)
    url = f"memory://{tmp_path.name}/store"
    writer, viewer = host(url, tmp_path / "one"), host(url, tmp_path / "two", max_age=60.0)
    dataset = {"claimId": "C-1", "sources": [{"id": "a"}], "fields": [], "absentFields": []}
    writer.write_viewer_dataset("C-1", dataset, inputs={})
    reviews = VerificationStore(default_url(tmp_path))
    datasets = Datasets(viewer, reviews)
    opened = datasets.claim("C-1")
    assert datasets.known_source("C-1", "a") == {"id": "a"}
    writer.write_viewer_dataset("C-1", {**dataset, "sources": [{"id": "b"}]}, inputs={})
    assert datasets.claim("C-1").etag == opened.etag  # of the same moment
    decided = datasets.claim("C-1", is_decided=True)
    assert [source["id"] for source in decided.dataset["sources"]] == ["b"]
    assert datasets.known_source("C-1", "a") is None
    passed.append(1.1)
    writer.write_viewer_dataset("C-1", dataset, inputs={})
    assert [source["id"] for source in datasets.claim("C-1").dataset["sources"]] == ["a"]
    reviews.close()


def test_of_two_writers_of_one_claim_one_wins_and_the_other_says_so(tmp_path: Path) -> None:
    url = f"memory://{tmp_path.name}/store"
    one, two = host(url, tmp_path / "one"), host(url, tmp_path / "two")
    stage = "source_documents"
    with trying(one, stage, "C-1", {"files": "1"}):
        with trying(two, stage, "C-1", {"files": "2"}):
            two.write_stage(stage, "C-1", tables=fields_of("second"), inputs={"files": "2"})
        with pytest.raises(
            ChangedMeanwhileError, match=r"source_documents/C-1\.parquet was written by another"
        ):
            one.write_stage(stage, "C-1", tables=fields_of("first"), inputs={"files": "1"})
    assert one.read_rows(stage, "C-1")[0]["source_id"] == "second"
    state = one.stage_state(stage, "C-1")
    assert state is not None
    assert state.inputs == {"files": "2"}
    assert failed_tries(one) == {}


def test_a_stage_that_fails_in_the_middle_leaves_what_was_there(url: str, tmp_path: Path) -> None:
    store = host(url, tmp_path)
    store.write_stage("source_documents", "C-1", tables=fields_of("old"), inputs={})
    wrong = {"source_documents": pa.table({"claim_id": ["C-1"]})}
    with pytest.raises((ValueError, pa.ArrowInvalid)):
        store.write_stage("source_documents", "C-1", tables=wrong, inputs={})
    assert host(url, tmp_path / "there").read_rows("source_documents", "C-1")[0]["source_id"] == "old"


def test_an_overloaded_storage_is_asked_again_until_it_answers(tmp_path: Path) -> None:
    with answering([503, 503, 429, 200]) as (endpoint, asked):
        mark = StoredFiles(url_of(endpoint, "s"), copies=Copies(tmp_path)).write_bytes(b"x", "a")
    assert mark == '"of-this-object"'
    assert asked == ["PUT"] * 4


def test_a_storage_that_stays_overloaded_is_an_error_that_names_store_and_remedy_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket, "PATIENCE_S", 3.0)
    with answering([503]) as (endpoint, asked):
        store = StoredFiles(url_of(endpoint, "s"), copies=Copies(tmp_path))
        with pytest.raises(UnreachableStoreError) as raised:
            store.write_bytes(b"what a document says", "a")
    assert f"the store s3://{BUCKET}/s answered 503 for 3 s: check its address" in str(raised.value)
    assert raised.value.transient
    assert len(asked) > 2
    for secret in (*CREDENTIALS.values(), "what a document says", "SlowDown"):
        assert secret not in str(raised.value)


def test_a_bucket_that_there_is_not_is_named_with_the_remedy(server: str, tmp_path: Path) -> None:
    store = StoredFiles(url_of(server, "s").replace(BUCKET, "elsewhere"), copies=Copies(tmp_path))
    with pytest.raises(UnreachableStoreError, match="s3://elsewhere/s has no bucket of that name: make the"):
        store.write_bytes(b"x", "a")


def test_every_part_of_a_url_is_understood_or_refused_and_credentials_are_never_shown() -> None:
    known = read_address("s3://key:se%2Fcret@b/p/q?scheme=http&endpoint_override=h:9000&region=eu-west-1")
    assert (known.bucket, known.prefix, known.shown) == ("s3://b", "p/q", "s3://b/p/q")
    assert known.config == {
        "endpoint": "http://h:9000",
        "region": "eu-west-1",
        "access_key_id": "key",
        "secret_access_key": "se/cret",
    }
    assert "se/cret" not in repr(known)
    assert read_address("s3://b?endpoint_url=https://h").config == {"endpoint": "https://h"}
    with pytest.raises(StoreAddressError, match="'endpont' that means nothing: use region"):
        read_address("s3://b/p?endpont=http%3A%2F%2Fsecret")
    with pytest.raises(StoreAddressError, match="names no bucket"):
        read_address("s3:///p")
    with pytest.raises(StoreAddressError, match="no store under ftp://"):
        StoredFiles("ftp://b/p")


def test_a_claim_of_an_inbox_on_object_storage_keeps_the_query_of_its_address(
    server: str, tmp_path: Path
) -> None:
    root = url_of(server, "inbox")
    for name in ("documents/a.txt", "_READY"):
        StoredFiles(root, copies=Copies(tmp_path)).write_bytes(b"one", "C-1", name)
    (folder,) = list_inbox(root).folders
    claim = claim_of_inbox(
        root, folder, mirrors=tmp_path / "in", schema="auto", parser="local", extractor="rules"
    )
    assert claim.folder == url_of(server, "inbox/C-1")
    assert bring_documents(claim) == 2
    assert (Path(claim.documents_dir) / "a.txt").read_text() == "one"
    store = host(url_of(server, "of-inbox"), tmp_path / "copies")
    store.register(claim)
    assert url_of(server, "") not in store.read_bytes("claims", "C-1.json").decode()
    assert [file.path for file in store.claim("C-1").files] == ["documents/a.txt"]


def test_a_store_shows_its_address_without_credentials_and_hands_on_its_query() -> None:
    store = StoredFiles("s3://key:secret@b/p?region=eu-west-1&endpoint_override=h")
    assert store.path("fields", "C.parquet") == "s3://b/p/fields/C.parquet"
    assert store.url == "s3://b/p?region=eu-west-1&endpoint_override=h"


def test_tables_states_and_words_are_read_alike_from_objects_and_files(url: str, tmp_path: Path) -> None:
    folder = write_claim(tmp_path / "C-1")
    local, remote = ClaimStore(tmp_path / "store"), host(url, tmp_path / "one")
    for store in (local, remote):
        store_claim(store, folder)
    other = host(url, tmp_path / "two")
    assert other.claim_ids() == ["C-1"]
    for table in ("documents", "words", "fields", "citations"):
        assert other.read_rows(table, "C-1") == local.read_rows(table, "C-1")
        assert other.read_tables(table, ["C-1"], ["claim_id"]).num_rows == len(local.read_rows(table, "C-1"))
    assert other.stage_states("C-1") == local.stage_states("C-1")
    planned = other.listed("words", "fields", "documents")
    assert planned.stage_states("C-1") == local.stage_states("C-1")  # from what was kept of the files' ends
    source = local.read_rows("documents", "C-1")[0]["source_id"]
    assert read_words(other, "C-1", source_id=source) == read_words(local, "C-1", source_id=source)


def test_many_claims_are_looked_at_by_one_listing(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = host(url, tmp_path)
    for number in range(5):
        store.write_stage("source_documents", f"C-{number}", tables=fields_of("a"), inputs={})
    asked: list[object] = []
    ask = bucket.Bucket.ask
    monkeypatch.setattr(bucket.Bucket, "ask", lambda self, call: asked.append(call) or ask(self, call))
    listed = store.listed("source_documents")
    assert all(listed.has("source_documents", f"C-{number}.parquet") for number in range(5))
    assert not listed.has("source_documents", "C-9.parquet")
    assert len(asked) == 1


def test_the_warehouse_is_published_by_a_pointer_and_read_on_another_machine(
    url: str, tmp_path: Path
) -> None:
    store, other = host(url, tmp_path / "one"), host(url, tmp_path / "two")
    assert not warehouse_file(other).exists()
    store_claim(store, write_claim(tmp_path / "C-1"))
    assert refresh_warehouse(store).is_published
    assert not refresh_warehouse(other).is_published  # nothing is new there
    with open_warehouse(warehouse_file(other)) as opened:
        assert opened.execute("SELECT claim_id FROM claims").fetchall() == [("C-1",)]
    for number in (2, 3):
        store_claim(other, write_claim(tmp_path / f"C-{number}"))
        assert refresh_warehouse(other if number == 2 else store).is_published
    with open_warehouse(warehouse_file(other)) as opened:
        assert opened.execute("SELECT count(*) FROM claims").fetchall() == [(3,)]
    assert len(store.place.files("warehouse")) == 2  # the published one and the one before


def test_a_refresh_that_another_machine_was_faster_than_begins_with_theirs(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = host(url, tmp_path / "one"), host(url, tmp_path / "two")
    store_claim(store, write_claim(tmp_path / "C-1"))
    upload = ObjectFiles.write_file

    def slow(place: ObjectFiles, path: str, source: Path) -> None:
        monkeypatch.setattr(ObjectFiles, "write_file", upload)
        store_claim(other, write_claim(tmp_path / "C-2"))
        assert refresh_warehouse(other).refreshed == 2
        upload(place, path, source)

    monkeypatch.setattr(ObjectFiles, "write_file", slow)
    refresh = refresh_warehouse(store)
    assert not refresh.is_published  # theirs has all of it
    pointer = json.loads(store.read_bytes(POINTER))
    with open_warehouse(warehouse_file(store)) as opened:
        assert opened.execute("SELECT count(*) FROM claims").fetchall() == [(2,)]
    assert pointer["before"] == ""
