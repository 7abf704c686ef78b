"""The warehouse while it is refreshed: several refreshes at once, and readers before, during and after."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.warehouse import publishing
from citation_pipeline.adapters.warehouse.places import FILE_NAME
from citation_pipeline.adapters.warehouse.publishing import open_warehouse, refresh_warehouse
from citation_pipeline.adapters.warehouse.rows import run_query
from citation_pipeline_tests.stored_claims import store_claim
from citation_pipeline_tests.warehouses import left_overs, query, three_claims

store = three_claims
WORKERS = multiprocessing.get_context("forkserver")


def test_refreshes_at_once_wait_for_each_other_and_lose_nothing(store: ClaimStore) -> None:
    def add(number: int) -> None:
        rows = store.read_table("fields", "claim-a")
        names = [f"new-{number:02d}"] * len(rows)
        store.write_side_table("fields", names[0], rows.set_column(0, "claim_id", [names]))
        refresh_warehouse(store)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, range(12)))
    assert query(store, "SELECT count(DISTINCT claim_id) FROM fields") == [(15,)]
    assert left_overs(store) == []


def test_a_reader_keeps_its_state_over_ten_refreshes_and_a_new_one_sees_the_newest(store: ClaimStore) -> None:
    refresh_warehouse(store)
    with open_warehouse(store.local_path(FILE_NAME)) as reader:
        for number in range(10):
            rows = store.read_table("fields", "claim-a")
            names = [f"new-{number:02d}"] * len(rows)
            store.write_side_table("fields", names[0], rows.set_column(0, "claim_id", [names]))
            refresh_warehouse(store)
            counted = "SELECT count(DISTINCT claim_id) FROM fields"
            assert reader.execute(counted).fetchall() == [(3,)]
            assert query(store, counted) == [(4 + number,)]


def _read_on(path: str, started: Any, ended: Any, told: Any) -> None:
    """Open and ask again and again until told to end; tell every state that was seen, and every error."""
    seen, errors, reads = set(), [], 0
    while not (ended.is_set() and reads):
        started.set()
        try:
            with open_warehouse(Path(path)) as warehouse:
                seen.add(
                    warehouse.execute(
                        "SELECT (SELECT count(*) FROM documents), (SELECT sum(documents)::INT FROM claims), "
                        "(SELECT count(*) FROM source_documents)"
                    ).fetchone()
                )
                reads += 1
        except Exception as error:  # noqa: BLE001 - whatever it is, the test tells it
            errors.append(repr(error))
    told.put((seen, errors, reads))


def test_readers_in_another_process_never_meet_a_lock_or_half_a_refresh(
    store: ClaimStore, tmp_path: Path
) -> None:
    refresh_warehouse(store)
    told = WORKERS.Queue()
    started, ended = WORKERS.Event(), WORKERS.Event()
    path = str(store.local_path(FILE_NAME))
    reader = WORKERS.Process(target=_read_on, args=(path, started, ended, told))
    reader.start()
    assert started.wait(timeout=300)
    refreshes = 12
    folder = tmp_path / "inbox" / "claim-b"
    for number in range(refreshes):
        (folder / "documents" / f"late-{number}.txt").write_text(f"letter {number}")
        store_claim(store, folder)
        refresh_warehouse(store)
    ended.set()
    seen, errors, reads = told.get(timeout=300)
    reader.join(timeout=60)
    assert errors == []
    assert reads > 0
    assert all(documents == counted == sources for documents, counted, sources in seen)
    assert {documents for documents, _, _ in seen} <= set(range(12, 13 + refreshes))


def test_a_file_that_is_replaced_while_it_is_opened_is_opened_again(
    store: ClaimStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh_warehouse(store)
    attached = []

    def run_and_replace(connection: Any, sql: str, *given: Any) -> Any:
        if "ATTACH" in sql and not sql.startswith("DETACH"):
            attached.append(sql)
            if len(attached) == 1:
                run_query(connection, sql, *given)
                monkeypatch.undo()
                rows = store.read_table("fields", "claim-a")
                store.write_side_table("fields", "new", rows.set_column(0, "claim_id", [["new"] * len(rows)]))
                refresh_warehouse(store)
                monkeypatch.setattr(publishing, "run_query", run_and_replace)
                return None
        return run_query(connection, sql, *given)

    monkeypatch.setattr(publishing, "run_query", run_and_replace)
    with open_warehouse(store.local_path(FILE_NAME)) as reader:
        assert reader.execute("SELECT count(DISTINCT claim_id) FROM fields").fetchall() == [(4,)]
    assert len(attached) == 2
