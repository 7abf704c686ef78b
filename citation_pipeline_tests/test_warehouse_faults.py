"""The warehouse when things go wrong: torn files, kills, a full disk, a damaged database."""

import multiprocessing
import os
import resource
import shutil
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.outbound_ledger import append_to
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.warehouse.publishing import (
    FILE_NAME,
    WarehouseError,
    read_nights,
    refresh_warehouse,
)
from citation_pipeline_tests.stored_claims import store_claim
from citation_pipeline_tests.test_warehouse import Sent
from citation_pipeline_tests.warehouses import left_overs, query, three_claims

store = three_claims
WORKERS = multiprocessing.get_context("forkserver")


def file_of(store: ClaimStore, table: str, claim_id: str = "claim-b") -> Path:
    return Path(store.root) / table / f"{claim_id}.{'json' if table == 'claims' else 'parquet'}"


def tear(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def fill_with_another_table(path: Path) -> None:
    shutil.copy(path.parent.parent / "documents" / path.name, path)


def fill_with_another_claim(path: Path) -> None:
    shutil.copy(path.with_name("claim-a.parquet"), path)


@pytest.mark.parametrize(
    ("table", "damage"),
    [
        ("citations", tear),
        ("citations", fill_with_another_claim),
        ("citations", lambda path: path.write_bytes(b"")),
        ("fields", lambda path: path.write_bytes(os.urandom(4_000))),
        ("documents", tear),
        ("claims", tear),
        ("claims", lambda path: path.write_text('{"claim_id": "claim-b", "of_a_later_version": 1}')),
    ],
)
def test_one_claims_damaged_file_keeps_its_earlier_rows_and_no_other_claim_out(
    store: ClaimStore, tmp_path: Path, table: str, damage: Callable[[Path], object]
) -> None:
    refresh_warehouse(store)
    before = query(store, "SELECT * FROM claims ORDER BY claim_id")
    folder = tmp_path / "inbox" / "claim-c"
    (folder / "documents" / "late.txt").write_text("A letter that came late.")
    store_claim(store, folder)
    whole = file_of(store, table).read_bytes()
    damage(file_of(store, table))
    name = "registrations" if table == "claims" else table
    for refresh in (refresh_warehouse(store), refresh_warehouse(store)):  # named as long as it is so
        assert refresh.unreadable == (f"{name}/claim-b",)
    assert not refresh.is_published
    assert query(store, "SELECT * FROM claims ORDER BY claim_id")[:2] == before[:2]
    assert query(store, "SELECT documents FROM claims WHERE claim_id = 'claim-c'") == [(5,)]
    ((reason,),) = query(store, "SELECT reason FROM unreadable_tables")
    assert "another" in reason
    told = "SELECT claim_id, unreadable_tables FROM claim_status WHERE unreadable_tables IS NOT NULL"
    assert query(store, told) == [("claim-b", [name])]
    file_of(store, table).write_bytes(whole)
    assert refresh_warehouse(store).unreadable == ()
    assert query(store, told) == []


def test_a_claim_that_was_damaged_from_the_start_is_there_without_that_table(store: ClaimStore) -> None:
    tear(file_of(store, "citations"))
    assert refresh_warehouse(store).unreadable == ("citations/claim-b",)
    assert query(store, "SELECT claim_id, documents, citations FROM claims ORDER BY ALL") == [
        ("claim-a", 4, 4),
        ("claim-b", 4, 0),
        ("claim-c", 4, 4),
    ]
    file_of(store, "citations").unlink()
    assert refresh_warehouse(store).unreadable == ()


def test_a_day_of_the_ledger_that_cannot_be_read_keeps_the_others_and_its_earlier_rows(
    store: ClaimStore, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger"
    for day in (1, 3):
        append_to(ledger)(Sent(datetime(2026, 3, day, 23, tzinfo=UTC), "claim-a", 0.25))
    refresh_warehouse(store, ledger=ledger)
    with (ledger / "2026-03-01.jsonl").open("ab") as torn:
        torn.write(b"\xff\xfe torn\n")
    append_to(ledger)(Sent(datetime(2026, 3, 3, 23, tzinfo=UTC), "claim-a", 0.5))
    assert refresh_warehouse(store, ledger=ledger).unreadable == ("outbound/2026-03-01.jsonl",)
    nights = read_nights(store.local_path(FILE_NAME), most=5)
    assert [(str(night["night"]), night["cost_usd"]) for night in nights] == [
        ("2026-03-03", 0.75),
        ("2026-03-01", 0.25),
    ]


def test_a_review_database_that_cannot_be_asked_is_named_and_the_rest_is_refreshed(store: ClaimStore) -> None:
    url = default_url(store.root)
    Path(url.removeprefix("sqlite:///")).write_bytes(b"no database at all" * 100)
    refresh = refresh_warehouse(store, verifications_url=url)
    assert refresh.unreadable == ("verifications",)
    assert refresh.refreshed == 3


@pytest.mark.parametrize("damage", [tear, lambda path: path.write_bytes(b"no database" * 999)])
def test_a_warehouse_that_is_damaged_is_made_anew(
    store: ClaimStore, damage: Callable[[Path], object]
) -> None:
    refresh_warehouse(store)
    place = store.local_path(FILE_NAME)
    place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])
    damage(place)
    refresh = refresh_warehouse(store)
    assert (refresh.is_rebuilt, refresh.refreshed) == (True, 3)
    assert query(store, "SELECT count(*) FROM claims") == [(3,)]
    assert left_overs(store) == []


def _refresh(root: str, ledger: Path) -> None:
    refresh_warehouse(ClaimStore(root), ledger=ledger)


def test_a_killed_refresh_leaves_the_old_file_and_the_next_one_clears_up(
    store: ClaimStore, tmp_path: Path
) -> None:
    refresh_warehouse(store)
    before = store.local_path(FILE_NAME).read_bytes()
    stuck = tmp_path / "ledger" / "2026-01-01.jsonl"
    stuck.parent.mkdir()
    os.mkfifo(stuck)  # reading it waits for a writer, so that the kill meets the refresh half way
    file_of(store, "citations", "claim-b").touch()
    worker = WORKERS.Process(target=_refresh, args=(store.root, stuck.parent))
    worker.start()
    try:
        until = time.monotonic() + 300
        while not left_overs(store) and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.3)
        assert left_overs(store) != []
    finally:
        worker.kill()
        worker.join(timeout=60)
    assert left_overs(store) != []
    assert store.local_path(FILE_NAME).read_bytes() == before
    assert query(store, "SELECT count(*) FROM claims") == [(3,)]
    assert refresh_warehouse(store).refreshed == 1
    assert left_overs(store) == []


def _refresh_on_a_full_disk(root: str, most_bytes: int, told: Any) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing beyond the limit is an error, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    try:
        refresh_warehouse(ClaimStore(root))
        told.put("refreshed")
    except WarehouseError as error:
        told.put(str(error))


@pytest.mark.parametrize("room", [-200_000, 4_096])  # the copy does not fit; the copy fits, the rows do not
def test_a_full_disk_leaves_the_old_file_and_no_draft_and_is_told(
    store: ClaimStore, tmp_path: Path, room: int
) -> None:
    refresh_warehouse(store)
    before = store.local_path(FILE_NAME).read_bytes()
    rows = store.read_table("fields", "claim-a")
    for number in range(40):
        names = [f"new-{number:02d}"] * len(rows)
        new = rows.set_column(0, "claim_id", [names])
        values = [os.urandom(60_000).hex() for _ in names]  # what does not compress
        new = new.set_column(new.column_names.index("value"), "value", [values])
        store.write_side_table("fields", names[0], new)
    told = WORKERS.Queue()
    worker = WORKERS.Process(target=_refresh_on_a_full_disk, args=(store.root, len(before) + room, told))
    worker.start()
    assert "the earlier one stays" in told.get(timeout=300)
    worker.join(timeout=60)
    assert store.local_path(FILE_NAME).read_bytes() == before
    assert left_overs(store) == []
    assert refresh_warehouse(store).unreadable == ()
    assert query(store, "SELECT count(DISTINCT claim_id) FROM fields") == [(43,)]
