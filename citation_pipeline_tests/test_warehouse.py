"""The warehouse: one file of all claims, refreshed where something changed, whole for every reader."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from citation_pipeline.adapters.coordination.database import open_at
from citation_pipeline.adapters.outbound_ledger import SentRequests, append_rows, append_to
from citation_pipeline.adapters.sql_engines import sqlite_url
from citation_pipeline.adapters.tables.archived_claims import archive_claim
from citation_pipeline.adapters.tables.change_rows import Promotion, write_changes, write_promotion
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.tries import keep_failed_try
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.store import NewVerification, VerificationStore
from citation_pipeline.adapters.warehouse.places import FILE_NAME
from citation_pipeline.adapters.warehouse.publishing import read_nights, refresh_warehouse
from citation_pipeline.adapters.warehouse.shapes import RUNS
from citation_pipeline.core.planning.stages import FailedTry
from citation_pipeline.core.resolution.changes import Change, CitationChange
from citation_pipeline.core.review.verifications import Action
from citation_pipeline_tests.scenario import ANSWER
from citation_pipeline_tests.stored_claims import store_claim
from citation_pipeline_tests.warehouses import CLAIMS, query, three_claims

store = three_claims


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


@pytest.mark.parametrize("is_shared", [False, True], ids=["files", "rows"])
def test_costs_follow_the_outbound_ledger_and_a_night_lasts_from_noon_to_noon(
    store: ClaimStore, tmp_path: Path, is_shared: bool
) -> None:
    coordination = open_at(sqlite_url(tmp_path / "decided.sqlite"))
    ledger = SentRequests(tmp_path / "ledger", coordination)
    folder = tmp_path / "ledger"
    append = append_rows(coordination, folder) if is_shared else append_to(folder)
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


def test_a_refresh_that_finds_nothing_new_leaves_the_file_alone(store: ClaimStore, tmp_path: Path) -> None:
    append_to(tmp_path / "ledger")(Sent(datetime(2026, 3, 1, tzinfo=UTC), "claim-a", 0.25))

    def refresh(**runs: object) -> bool:
        row = {"run_id": "r", "job": "refresh_warehouse", "claims": 0, "updated_at": 5.0} | runs
        rows = pa.Table.from_pylist([row], schema=RUNS)
        return refresh_warehouse(
            store, ledger=tmp_path / "ledger", runs_since=lambda moment: rows
        ).is_published

    assert refresh()
    before = store.local_path(FILE_NAME).stat()
    assert not refresh(run_id="another")  # each refresh is a run of its own: that alone is no news
    after = store.local_path(FILE_NAME).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert refresh(run_id="matched", claims=2)
    assert query(store, "SELECT run_id FROM runs ORDER BY ALL") == [("matched",), ("r",)]
    keep_failed_try(store, "claim-b", FailedTry("raw_extraction", {}, "refused", False, at="2026"))
    assert refresh()
    assert not refresh()


def test_what_a_rematch_changed_is_counted_by_claim_and_in_total(store: ClaimStore) -> None:
    write_changes(
        store,
        "claim-a",
        [
            CitationChange("1", "k", Change.MOVED, 0.25, True),
            CitationChange("2", "k", Change.LOST, None, True),
            CitationChange("3", "k", Change.LOST),
        ],
    )
    write_changes(store, "claim-b", [CitationChange("1", "k", Change.GAINED)])
    write_promotion(store, "claim-a", Promotion("v2", ["a verified citation would be lost"]))
    write_promotion(store, "claim-b", Promotion("v2"))
    refresh_warehouse(store)
    assert query(
        store,
        "SELECT claim_id, moved, gained, lost, downgraded, verified_lost FROM claim_changes ORDER BY ALL",
    ) == [("claim-a", 1, 0, 2, 0, 1), ("claim-b", 0, 1, 0, 0, 0)]
    assert query(store, "SELECT change, citations, claims, verified FROM change_totals ORDER BY ALL") == [
        ("gained", 1, 1, 0),
        ("lost", 2, 1, 1),
        ("moved", 1, 1, 1),
    ]
    held = query(
        store, "SELECT claim_id, reasons_to_hold FROM claim_status WHERE reasons_to_hold IS NOT NULL"
    )
    assert held == [("claim-a", ["a verified citation would be lost"])]


def test_pages_that_resemble_each_other_are_found_across_claims(store: ClaimStore) -> None:
    row = dict(zip(SHAPES["similar_pages"].names, ("claim-b", "one", 1, "two", 3, 0.97), strict=True))
    store.write_side_table("similar_pages", "claim-b", pa.Table.from_pylist([row]))
    refresh_warehouse(store)
    assert query(store, "SELECT claim_id, similar_source_id, similarity FROM similar_pages") == [
        ("claim-b", "two", 0.97)
    ]


def test_what_people_signed_stands_beside_what_the_pipeline_says(store: ClaimStore) -> None:
    url = default_url(store.root)
    refresh_warehouse(store, verifications_url=url)
    assert not Path(url.removeprefix("sqlite:///")).exists()  # asking makes no database
    kept = VerificationStore(url)
    number, rate = "metadata.claim_number", "temporary_disability.weekly_rate"
    shown = {"value": "ZX-2025-000417", "seen_value": "ZX-2025-000417"}
    first = kept.append(NewVerification("claim-a", number, Action.CONFIRM, "ann", 0, "1", **shown))
    kept.append(NewVerification("claim-a", rate, Action.CORRECT, "ann", 0, "2", value=400, seen_value=412.5))
    assert refresh_warehouse(store, verifications_url=url).refreshed == 1
    told = "SELECT field_key, state, verified_value, agrees FROM verified_fields ORDER BY ALL"
    assert query(store, told) == [
        (number, "confirmed", '"ZX-2025-000417"', True),
        (rate, "corrected", "400", False),
    ]
    assert query(store, "SELECT claim_id FROM claims WHERE fields_reviewed = 2") == [("claim-a",)]
    assert query(store, "SELECT field_key, confirmed, corrected FROM quality WHERE corrected > 0") == [
        (rate, 0, 1)
    ]
    last = first.verification_id
    kept.append(NewVerification("claim-a", number, Action.REOPEN, "bob", last, "3", **shown))
    refresh_warehouse(store, verifications_url=url)
    assert [row[0] for row in query(store, told)] == [rate]
    assert query(store, "SELECT count(*) FROM verifications") == [(3,)]
    kept.close()


def test_who_says_that_a_claim_does_not_state_a_field_agrees_with_a_pipeline_that_read_nothing(
    store: ClaimStore,
) -> None:
    url = default_url(store.root)
    kept = VerificationStore(url)
    number, nothing, rate = "metadata.claim_number", "settlement.amount", "temporary_disability.weekly_rate"
    kept.append(NewVerification("claim-a", nothing, Action.ABSENT, "ann", 0, "1"))
    kept.append(NewVerification("claim-a", number, Action.ABSENT, "ann", 0, "2", seen_value="ZX-2025-000417"))
    seen = {"value": 412.5, "seen_value": 412.5}
    kept.append(NewVerification("claim-a", rate, Action.CONFIRM, "ann", 0, "3", **seen))
    kept.close()
    refresh_warehouse(store, verifications_url=url)
    assert query(store, "SELECT field_key, agrees FROM verified_fields ORDER BY ALL") == [
        (number, False),
        (nothing, True),
        (rate, True),
    ]
    told = (
        "SELECT field_key, citations, confirmed, corrected FROM quality "
        "WHERE confirmed + corrected > 0 ORDER BY ALL"
    )
    assert query(store, told) == [(number, 3, 0, 1), (nothing, 0, 1, 0), (rate, 3, 1, 0)]
