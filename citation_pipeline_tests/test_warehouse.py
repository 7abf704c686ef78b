"""The warehouse: one file of all claims, refreshed where something changed, whole for every reader."""

import multiprocessing
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from citation_pipeline.adapters.outbound_ledger import append_to
from citation_pipeline.adapters.tables.archived_claims import archive_claim
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.tries import keep_failed_try
from citation_pipeline.adapters.warehouse import FILE_NAME, open_warehouse, read_nights, refresh_warehouse
from citation_pipeline.core.stages import FailedTry
from citation_pipeline_tests.scenario import ANSWER, write_claim
from citation_pipeline_tests.stored_claims import store_claim

CLAIMS = ("claim-a", "claim-b", "claim-c")


@pytest.fixture
def store(tmp_path: Path) -> ClaimStore:
    store = ClaimStore(tmp_path / "store")
    for claim_id in CLAIMS:
        store_claim(store, write_claim(tmp_path / "inbox" / claim_id))
    return store


def query(store: ClaimStore, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with open_warehouse(store.local_path(FILE_NAME)) as warehouse:
        return warehouse.execute(sql, list(parameters)).fetchall()


def test_a_claim_is_one_row_with_its_counts(store: ClaimStore) -> None:
    refresh_warehouse(store)
    rows = query(
        store,
        "SELECT claim_id, documents, documents_read, fields_found, citations, resolved, unresolved "
        "FROM claims ORDER BY claim_id",
    )
    assert rows == [(claim_id, 4, 3, 4, 4, 3, 1) for claim_id in CLAIMS]


def test_fields_stand_wide_and_typed_one_row_a_claim(store: ClaimStore) -> None:
    refresh_warehouse(store)
    rows = query(
        store,
        'SELECT claim_id, "metadata.claim_number", "temporary_disability.weekly_rate", '
        '"mmi_status.mmi_date", "mmi_status.is_mmi" FROM fields_workers_comp ORDER BY claim_id',
    )
    assert rows == [
        (claim_id, "ZX-2025-000417", 412.5, datetime(2025, 3, 12).date(), None) for claim_id in CLAIMS
    ]


def test_only_the_claim_that_changed_is_exchanged(store: ClaimStore, tmp_path: Path) -> None:
    first = refresh_warehouse(store)
    assert (first.refreshed, first.unchanged, first.removed) == (3, 0, 0)
    assert refresh_warehouse(store).refreshed == 0
    folder = tmp_path / "inbox" / "claim-b"
    (folder / "documents" / "late.txt").write_text("A letter that came late.")
    store_claim(store, folder)
    second = refresh_warehouse(store)
    assert (second.refreshed, second.unchanged) == (1, 2)
    assert query(store, "SELECT claim_id FROM claims WHERE documents = 5") == [("claim-b",)]
    assert query(store, "SELECT count(*) FROM fields_workers_comp") == [(3,)]


def test_a_claim_that_left_the_store_leaves_the_warehouse(store: ClaimStore) -> None:
    refresh_warehouse(store)
    for path in Path(store.root).rglob("claim-c.*"):
        path.unlink()
    assert refresh_warehouse(store).removed == 1
    for table in ("claims", "fields", "citations", "fields_workers_comp"):
        assert query(store, f"SELECT DISTINCT claim_id FROM {table} ORDER BY ALL") == [
            ("claim-a",),
            ("claim-b",),
        ]


def test_a_torn_table_keeps_no_other_claim_out_and_is_named(store: ClaimStore) -> None:
    (Path(store.root) / "citations" / "claim-b.parquet").write_bytes(b"PAR1 torn")
    refresh = refresh_warehouse(store)
    assert refresh.unreadable == ("citations/claim-b",)
    assert query(store, "SELECT claim_id, citations FROM claims ORDER BY ALL") == [
        ("claim-a", 4),
        ("claim-b", 0),
        ("claim-c", 4),
    ]


def test_an_archived_claim_stays_queryable_and_says_so(store: ClaimStore) -> None:
    refresh_warehouse(store)
    archive_claim(store, "claim-a", at="2026-01-01T00:00:00+00:00")
    assert refresh_warehouse(store).refreshed == 1
    assert query(store, "SELECT claim_id, is_archived FROM claims ORDER BY ALL") == [
        ("claim-a", True),
        ("claim-b", False),
        ("claim-c", False),
    ]
    assert query(store, "SELECT count(*) FROM citations WHERE claim_id = 'claim-a'") == [(4,)]


def test_a_failed_claim_tells_stage_and_reason(store: ClaimStore) -> None:
    keep_failed_try(
        store, "claim-b", FailedTry("raw_extraction", {}, "the key was refused", False, at="2026")
    )
    refresh_warehouse(store)
    rows = query(
        store, "SELECT claim_id, failed_stage, failed_reason FROM claim_status WHERE failed_stage IS NOT NULL"
    )
    assert rows == [("claim-b", "raw_extraction", "the key was refused")]


@dataclass
class Sent:
    """A ledger row as a vendor's adapter writes it."""

    at: datetime
    claim_id: str
    cost_usd: float
    vendor: str = "anthropic"
    model: str = "m"
    code: str = "ok"
    input_tokens: int = 100
    output_tokens: int = 10


def test_costs_follow_the_outbound_ledger_and_a_night_lasts_from_noon_to_noon(
    store: ClaimStore, tmp_path: Path
) -> None:
    ledger = tmp_path / "ledger"
    append = append_to(ledger)
    append(Sent(datetime(2026, 3, 1, 23, 0, tzinfo=UTC), "claim-a", 0.25))
    append(Sent(datetime(2026, 3, 2, 2, 0, tzinfo=UTC), "claim-a", 0.5))
    append(Sent(datetime(2026, 3, 2, 13, 0, tzinfo=UTC), "claim-b", 1.0, code="overloaded_error"))
    refresh_warehouse(store, ledger=ledger)
    append(Sent(datetime(2026, 3, 2, 14, 0, tzinfo=UTC), "claim-b", 2.0))
    refresh_warehouse(store, ledger=ledger)  # the day's file grew: its rows are there once
    nights = read_nights(store.local_path(FILE_NAME), most=14)
    assert [(str(night["night"]), night["requests"], night["cost_usd"]) for night in nights] == [
        ("2026-03-02", 2, 3.0),
        ("2026-03-01", 2, 0.75),
    ]
    assert query(store, "SELECT claim_id, cost_usd, failed_requests FROM costs ORDER BY ALL") == [
        ("claim-a", 0.75, 0),
        ("claim-b", 3.0, 1),
    ]


def test_every_query_of_the_documentation_runs(store: ClaimStore, project: Path) -> None:
    refresh_warehouse(store)
    (block,) = re.findall(r"```sql\n(.*?)```", (project / "docs" / "warehouse.md").read_text(), re.DOTALL)
    queries = [text for text in block.split(";") if text.strip()]
    assert len(queries) > 5
    for text in queries:
        query(store, text)


def test_a_warehouse_of_an_older_version_is_filled_again(store: ClaimStore) -> None:
    with duckdb.connect(str(store.local_path(FILE_NAME))) as old:
        old.execute("CREATE TABLE fields (claim_id VARCHAR, other INT)").fetchall()
        old.execute("CREATE TABLE blocks (claim_id VARCHAR)").fetchall()
        old.execute("CREATE VIEW claims AS SELECT DISTINCT claim_id FROM fields").fetchall()
    refresh_warehouse(store)
    assert query(store, "SELECT count(*) FROM fields")[0][0] == 3 * len(ANSWER["extractions"])
    assert query(store, "SELECT count(*) FROM claims") == [(3,)]


def _read_on(path: str, until: float, told: Any) -> None:
    """Open and ask again and again; tell every state that was seen, and every error."""
    seen, errors, reads = set(), [], 0
    while time.time() < until:
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
    context = multiprocessing.get_context("forkserver")
    told = context.Queue()
    until = time.time() + 6
    reader = context.Process(target=_read_on, args=(str(store.local_path(FILE_NAME)), until, told))
    reader.start()
    refreshes = 0
    folder = tmp_path / "inbox" / "claim-b"
    while time.time() < until - 0.5:
        (folder / "documents" / f"late-{refreshes}.txt").write_text(f"letter {refreshes}")
        store_claim(store, folder)
        refresh_warehouse(store)
        refreshes += 1
    seen, errors, reads = told.get(timeout=60)
    reader.join(timeout=60)
    assert errors == []
    assert reads > 0
    assert refreshes > 0
    assert all(documents == counted == sources for documents, counted, sources in seen)
    assert {documents for documents, _, _ in seen} <= set(range(12, 13 + refreshes))


def test_an_interrupted_refresh_leaves_the_old_file_and_no_draft(
    store: ClaimStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh_warehouse(store)
    before = store.local_path(FILE_NAME).read_bytes()

    def fail(*_: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr("citation_pipeline.adapters.warehouse_filling.Filling.make_views", fail)
    with pytest.raises(RuntimeError):
        refresh_warehouse(store)
    assert store.local_path(FILE_NAME).read_bytes() == before
    assert [path.name for path in Path(store.root).glob(".warehouse*")] == []
