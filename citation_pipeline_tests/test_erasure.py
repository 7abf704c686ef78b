"""`erase`: nothing that a claim said is found in the store afterwards, and other claims are whole."""

import json
import os
import re
import shutil
import sqlite3
import time
import zlib
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from click.testing import Result

from citation_pipeline.adapters.claude.batch_journal import BatchedRequest, BatchJournal
from citation_pipeline.adapters.conversation.archive import ReplyArchive
from citation_pipeline.adapters.coordination.database import open_at
from citation_pipeline.adapters.coordination.notes import Kind, Notes
from citation_pipeline.adapters.erasure.databases import scrub_sqlite
from citation_pipeline.adapters.erasure.searching import pattern_of
from citation_pipeline.adapters.inbox_sightings import Sighting, Sightings
from citation_pipeline.adapters.outbound_ledger import OutboundRequest, SentRequests, append_rows
from citation_pipeline.adapters.reducto.journals import Journal, JournalEntry
from citation_pipeline.adapters.sql_engines import sqlite_url
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.promotions import Decision, PromotionDecision, keep_decision
from citation_pipeline.adapters.verifications.store import NewVerification, VerificationStore
from citation_pipeline.core.review.verifications import Action
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline_tests.commands import command
from citation_pipeline_tests.viewer_claim.serving import client_of, decide
from citation_pipeline_tests.viewer_claim.store import build_store

PLANTED = ("Quillfeather Zandra", "QX-7741-ZULU", "planted remark 5512", "why planted 5513", "Zanzibar-Note")
GONE, KEPT = "Gone-0417", "Gone-04"  # one id begins with the other


def call(store: Path, *arguments: str) -> Result:
    return command(*arguments, "--store", str(store))


@pytest.fixture(scope="module")
def erased(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    root = tmp_path_factory.mktemp("erasure")
    store = root / "store"
    for claim_id, name, number in ((GONE, PLANTED[0], PLANTED[1]), (KEPT, "Other Person", "KK-1122-KEPT")):
        folder = root / "folders" / claim_id
        folder.mkdir(parents=True)
        (folder / f"{'Zanzibar-Note' if claim_id == GONE else 'note'}.txt").write_text(
            f"Claimant: {name}\nClaim number: {number}\nDate of injury: 03/14/2023\nEmployer: Harbor Foods\n"
        )
        if claim_id == GONE:  # the hash of nothing is also what Dagster calls the version of nothing
            (folder / "Zz fax.pdf").write_bytes(b"")
        assert call(store, "run", str(folder)).exit_code == 0
    reviews = VerificationStore(default_url(store))
    for number, claim_id in enumerate((GONE, KEPT, GONE)):
        reviews.append(
            NewVerification(
                claim_id,
                f"field.{number}",
                Action.CORRECT,
                "Ada",
                0,
                f"request-{number}",
                value=PLANTED[0] if claim_id == GONE else "kept value",
                comment=PLANTED[2] if claim_id == GONE else "kept remark",
            )
        )
    reviews.close()
    keep_decision(default_url(store), PromotionDecision(GONE, "v", Decision.ACCEPT, "Ada", PLANTED[3]))
    ledger = store / "ledger"
    ledger.mkdir()
    (ledger / "2026-11-22.jsonl").write_text(
        json.dumps({"claim_id": GONE, "request_fingerprint": "fp-gone", "cost_usd": 0.5})
        + "\n"
        + json.dumps({"claim_id": KEPT, "request_fingerprint": "fp-kept", "cost_usd": 0.25})
        + "\n"
    )
    replies = store / "replies"
    replies.mkdir()
    for mark, said in (("fp-gone", PLANTED[0]), ("fp-kept", "kept reply")):
        (replies / f"{mark}.reply").write_text(f"{{}}\n{said}")
    _decide(store)
    with client_of(ServingSettings(str(store), render_workers=1)) as client:
        for claim_id in (GONE, KEPT):
            source = client.get(f"/api/claims/{claim_id}").json()["sources"][0]["id"]
            image = client.get(f"/api/claims/{claim_id}/sources/{source}/pages/1/image?w=400")
            assert image.status_code == 200
    assert call(store, "search", PLANTED[1]).exit_code == 0  # fills the index
    (store / "nights").mkdir(exist_ok=True)
    (store / "nights" / "waits.json").write_text(json.dumps({GONE: ["2026-11-21"], KEPT: ["2026-11-21"]}))
    return store, call(store, "erase", GONE, "--json", "--by", "Root")


def _decide(store: Path) -> None:
    """Leave rows of both claims: requests that left, notes, an open batch, sightings, paid parses."""
    coordination = open_at(sqlite_url(store / "coordination.sqlite"))
    archive = ReplyArchive(store / "replies", coordination=coordination)
    batched = []
    for claim_id, mark in ((GONE, "fp-gone"), (KEPT, "fp-kept")):
        now = datetime(2026, 11, 23, tzinfo=UTC)
        sent = OutboundRequest(
            claim_id=claim_id, vendor="v", endpoint="/e", at=now, request_fingerprint=mark, cost_usd=1.0
        )
        append_rows(coordination, store / "ledger")(sent)
        archive.note_sent(mark, {"claim_id": claim_id})
        archive.keep_count(mark, 7)
        batched.append(BatchedRequest(fingerprint=mark, claim_id=claim_id, model="m", scope=""))
        row = ClaimStore(store).read_rows("documents", claim_id, ["sha256"])[0]  # of the note
        entry = JournalEntry(row["sha256"], "options", "done", "now", "file", stored_path=f"/w/{claim_id}/x")
        Journal(store / "reducto_jobs", coordination=coordination).write(entry)
    BatchJournal(store / "batches", coordination=coordination).open(tuple(batched), at="now")
    seen = {claim_id: Sighting("mark", 1.0) for claim_id in (GONE, KEPT)}
    Sightings(coordination, "/inbox").keep(seen)


def test_rows_of_the_claim_are_erased_and_those_of_others_stay(erased: tuple[Path, Result]) -> None:
    store, _ = erased
    coordination = open_at(sqlite_url(store / "coordination.sqlite"))
    requests = SentRequests(store / "ledger", coordination).table("2026-11-23.rows").to_pylist()
    assert [(row["claim_id"], row["cost_usd"], row["request_fingerprint"]) for row in requests] == [
        ("(erased)", 1.0, ""),
        (KEPT, 1.0, "fp-kept"),
    ]
    archive = ReplyArchive(store / "replies", coordination=coordination)
    assert [archive.find_sent(mark) for mark in ("fp-gone", "fp-kept")] == [None, {"claim_id": KEPT}]
    assert [archive.find_count(mark) for mark in ("fp-gone", "fp-kept")] == [None, 7]
    (entry,) = BatchJournal(store / "batches", coordination=coordination).entries()
    assert entry.claim_ids == (KEPT,)
    assert set(Sightings(coordination, "/inbox").read()) == {KEPT}
    (row,) = ClaimStore(store).read_rows("documents", KEPT, ["sha256"])
    assert list(Notes(coordination, Kind.PAID_JOB).items()) == [f"{row['sha256']}-options"]


def contents(path: Path) -> str:
    """A file's text, unpacked here by other means than the command's own search."""
    data = path.read_bytes()
    texts = [data.decode("latin-1"), data.decode("utf-8", "replace"), data.decode("utf-16-le", "replace")]
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        texts += [str(table.to_pydict()), str(table.schema.metadata)]
    if path.suffix == ".parse":
        texts.append(zlib.decompress(data[data.index(b"\n") + 17 :]).decode("utf-8", "replace"))
    if path.suffix == ".duckdb":
        with duckdb.connect(str(path), read_only=True) as connection:
            for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
                texts.append(str(connection.execute(f'SELECT * FROM "{table}"').fetchall()))
    return "\n".join(texts)


def test_nothing_of_the_claim_is_found_in_any_file_of_the_store(erased: tuple[Path, Result]) -> None:
    store, result = erased
    told = json.loads(result.stdout)
    assert (result.exit_code, told["status"], told["remains"]) == (0, "erased", []), result.stderr
    assert told["events"] == 3
    assert told["searched_strings"] > 5
    files = [path for path in store.rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        text = contents(path)
        for planted in PLANTED:
            assert planted not in text, path
        assert GONE not in text, path
        assert GONE not in str(path)


def test_another_claim_whose_id_begins_the_same_way_is_whole(erased: tuple[Path, Result]) -> None:
    store, _ = erased
    assert ClaimStore(store).claim_ids() == [KEPT]
    assert "KK-1122-KEPT" in call(store, "show", KEPT).stdout
    assert "KK-1122-KEPT" in call(store, "search", "KK-1122-KEPT").stdout
    assert (store / "replies" / "fp-kept.reply").exists()
    assert json.loads((store / "nights" / "waits.json").read_text()) == {KEPT: ["2026-11-21"]}
    assert '"fp-kept"' in (store / "ledger" / "2026-11-22.jsonl").read_text()
    assert list((store / ".page_images").rglob("*-1-*"))
    reviews = VerificationStore(default_url(store))
    assert [event.comment for event in reviews.history(KEPT)] == ["kept remark"]
    reviews.close()
    stages = [json.loads(line) for line in call(store, "plan", KEPT, "--json").stdout.splitlines()]
    assert [one["action"] for one in stages if one.get("stage") == "parsed_documents"] == ["skip"]


def test_the_ledger_keeps_what_was_spent_and_not_for_whom(erased: tuple[Path, Result]) -> None:
    store, _ = erased
    rows = [json.loads(line) for line in (store / "ledger" / "2026-11-22.jsonl").read_text().splitlines()]
    assert [(row["claim_id"], row["cost_usd"]) for row in rows] == [("(erased)", 0.5), (KEPT, 0.25)]


def test_the_audit_chain_is_intact_and_holds_the_erasure(erased: tuple[Path, Result]) -> None:
    store, result = erased
    verified = call(store, "audit", "verify", "--json")
    told = json.loads(verified.stdout)
    assert (verified.exit_code, told["links"], told["erased"]) == (0, 5, 3)
    receipt = json.loads(result.stdout)["receipt"]
    with sqlite3.connect(store / "verifications.sqlite") as connection:
        (kept,) = connection.execute("SELECT claim_sha256 FROM erasures").fetchall()
        assert kept[0] == receipt["claim_sha256"]
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute("DELETE FROM verifications")


def test_erasing_by_hand_is_not_an_erasure(erased: tuple[Path, Result], tmp_path: Path) -> None:
    store, _ = erased
    copy = tmp_path / "verifications.sqlite"
    copy.write_bytes((store / "verifications.sqlite").read_bytes())
    with sqlite3.connect(copy) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM verifications")
        connection.execute("UPDATE audit_chain SET nonce = ''")
    assert call(tmp_path, "audit", "verify").exit_code == 1


def test_a_claim_that_is_not_there_is_refused_and_nothing_is_touched(erased: tuple[Path, Result]) -> None:
    store, _ = erased
    result = call(store, "erase", "Gone")
    assert (result.exit_code, "not in the store" in result.stderr) == (1, True)
    assert ClaimStore(store).claim_ids() == [KEPT]


def test_a_copy_of_the_store_is_a_backup_that_can_be_restored(
    erased: tuple[Path, Result], tmp_path: Path
) -> None:
    store, _ = erased
    backup, restored = tmp_path / "backup", tmp_path / "restored"
    # as docs/how-to/back-up.md says: the database by its own means, everything else as files
    ignored = shutil.ignore_patterns("verifications.sqlite*", "leases")
    shutil.copytree(store, backup, ignore=ignored)
    with sqlite3.connect(store / "verifications.sqlite") as connection:
        connection.execute("VACUUM INTO ?", (str(backup / "verifications.sqlite"),))
    head = json.loads(call(store, "audit", "verify", "--json").stdout)["head"]

    shutil.copytree(backup, restored)

    assert call(restored, "audit", "verify", "--head", head).exit_code == 0
    assert call(restored, "show", KEPT).stdout == call(store, "show", KEPT).stdout
    with client_of(ServingSettings(str(restored), render_workers=1)) as client:
        assert client.get("/api/claims").json()["total"] == 1


def test_the_documents_outside_the_store_are_named_and_left(erased: tuple[Path, Result]) -> None:
    store, result = erased
    folder = store.parent / "folders" / GONE
    assert json.loads(result.stdout)["documents_left"] == str(folder)
    assert folder.is_dir()


def test_retention_names_the_claims_that_were_archived_long_enough_ago(erased: tuple[Path, Result]) -> None:
    store, _ = erased
    assert call(store, "archive", KEPT).exit_code == 0
    due = call(store, "erase", "--archived-before", "0", "--dry-run", "--json")
    assert [json.loads(line)["claim_id"] for line in due.stdout.splitlines()] == [KEPT]
    assert call(store, "erase", "--archived-before", "30", "--dry-run").stdout == ""
    assert call(store, "archive", KEPT, "--undo").exit_code == 0


def test_retention_names_claims_by_state_and_by_how_long_nothing_has_happened_to_them(tmp_path: Path) -> None:
    for claim_id in ("Open", "Reviewed", "Retired"):
        build_store(tmp_path, claim_id)
    store = tmp_path / "store"
    with client_of(ServingSettings(str(store), render_workers=0)) as client:
        for field in client.get("/api/claims/Reviewed").json()["fields"]:
            assert decide(client, "Reviewed", field["fieldKey"], "confirm").status_code == 201
    assert call(store, "archive", "Retired").exit_code == 0

    def due(*asked: str) -> list[str]:
        told = call(store, "erase", *asked, "--dry-run", "--json").stdout
        return [json.loads(line)["claim_id"] for line in told.splitlines()]

    assert due("--untouched-for", "0") == ["Retired"]
    assert due("--untouched-for", "0", "--state", "reviewed") == ["Reviewed"]
    assert due("--untouched-for", "0", "--state", "unfinished") == ["Open"]
    assert due("--untouched-for", "0", "--state", "any") == ["Open", "Retired", "Reviewed"]
    assert due("--untouched-for", "1", "--state", "any") == []
    long_ago = time.time() - 40 * 86_400
    for claim_id in ("Open", "Reviewed"):
        for path in (
            store / "claims" / f"{claim_id}.json",
            store / "viewer_dataset" / claim_id / "data.json",
        ):
            os.utime(path, (long_ago, long_ago))
    assert due("--untouched-for", "30", "--state", "any") == ["Open"]  # somebody decided on the other today
    assert call(store, "erase", "--dry-run").exit_code == 2


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("claim-1", True),
        ("claim-1.parquet", True),
        ('{"claim-1": 2}', True),
        ("claim-10", False),
        ("my-claim-1", False),
        ("claim-1-b", False),
        ("claim-1.2", False),
        ("claim-1.2.parquet", False),
        ("claim-1.23", True),
    ],
)
def test_a_claims_id_is_not_taken_for_the_beginning_of_another(text: str, is_found: bool) -> None:
    pattern = pattern_of("claim-1", ["claim-10", "claim-1.2", "claim-1-b"])
    assert isinstance(pattern, re.Pattern)
    assert bool(pattern.search(text)) is is_found


def test_the_newest_event_that_is_kept_of_an_asset_names_no_document_of_an_erased_claim(
    tmp_path: Path,
) -> None:
    path = tmp_path / "index.db"
    event = {"partition": "lost-claim", "metadata_entries": [{"records": [{"source_id": "family-name-msc"}]}]}
    other = {"partition": "kept-claim", "metadata_entries": [{"records": [{"source_id": "their-letter"}]}]}
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE asset_keys (asset_key VARCHAR, last_materialization TEXT)")
        rows = [("a", json.dumps({"event": event})), ("b", json.dumps({"event": other}))]
        connection.executemany("INSERT INTO asset_keys VALUES (?, ?)", rows)
    connection.close()
    scrub_sqlite(path, pattern_of("lost-claim", []))
    left = path.read_bytes()
    assert b"family-name" not in left
    assert b"lost-claim" not in left
    assert b"their-letter" in left
