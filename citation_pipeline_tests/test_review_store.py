"""The verification tables: append-only, safe for two reviewers at once, and read by the next resolution."""

import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from citation_pipeline.adapters.verifications.database import default_url
from citation_pipeline.adapters.verifications.promotions import (
    Decision,
    PromotionDecision,
    keep_decision,
    read_decisions,
)
from citation_pipeline.adapters.verifications.shapes import VERIFICATIONS
from citation_pipeline.adapters.verifications.store import (
    NewVerification,
    StaleVerificationError,
    VerificationStore,
    read_pins,
)
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.review.verifications import Action, Place

PLACE = Place("letter", "aa", 2, "May 1", (Box(0.1, 0.2, 0.3, 0.02), Box(0.1, 0.3, 0.1, 0.02)), 1)


def new(number: int = 1, **given: Any) -> NewVerification:
    return NewVerification(
        **{
            "claim_id": "c",
            "field_key": "a.b",
            "action": Action.CONFIRM,
            "reviewer": "ada",
            "follows_id": 0,
            "request_id": f"request-{number}",
            **given,
        }
    )


@pytest.fixture
def store(tmp_path: Path) -> VerificationStore:
    return VerificationStore(default_url(tmp_path))


def test_an_event_comes_back_as_it_was_given(store: VerificationStore) -> None:
    made = store.append(
        new(action=Action.CORRECT, value=[{"amount": 1.5}], seen_value=True, places=(PLACE,), comment="é")
    )
    assert store.history("c") == [made]
    assert (made.value, made.seen_value, made.places) == ([{"amount": 1.5}], True, (PLACE,))
    assert made.made_at.endswith("+00:00")


@pytest.mark.parametrize(
    "statement", ["UPDATE verifications SET reviewer = 'eve'", "DELETE FROM verifications"]
)
def test_the_database_itself_refuses_to_change_history(
    store: VerificationStore, tmp_path: Path, statement: str
) -> None:
    store.append(new())
    connection = sqlite3.connect(tmp_path / "verifications.sqlite")
    try:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
    finally:
        connection.close()


def test_of_eight_reviewers_at_once_one_decides_and_seven_are_told(tmp_path: Path) -> None:
    outcomes: list[str] = []

    def decide(number: int) -> None:
        try:
            VerificationStore(default_url(tmp_path)).append(new(number))
            outcomes.append("kept")
        except StaleVerificationError as error:
            outcomes.append(f"stale after {error.last_id}")

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["kept", *["stale after 1"] * 7]


def test_a_request_sent_twice_is_one_event(store: VerificationStore) -> None:
    assert store.append(new()) == store.append(new())
    assert len(store.history("c")) == 1


def test_a_remark_may_follow_whatever_came_last(store: VerificationStore) -> None:
    store.append(new(1))
    store.append(new(2, action=Action.COMMENT, comment="hm"))
    assert store.reviews("c")["a.b"].events == 2


def test_pins_are_what_the_next_resolution_reads(store: VerificationStore, tmp_path: Path) -> None:
    store.append(new(places=(PLACE,)))
    store.append(new(2, field_key="x.y", action=Action.COMMENT, comment="no pin"))
    pins = read_pins(default_url(tmp_path), "c")
    assert [(pin.field_key, pin.citation_index, pin.page, pin.boxes) for pin in pins] == [
        ("a.b", 1, 2, PLACE.boxes)
    ]


def test_reading_pins_where_nobody_reviewed_leaves_no_file(tmp_path: Path) -> None:
    assert read_pins(default_url(tmp_path), "c") == []
    assert list(tmp_path.iterdir()) == []


def test_the_tables_can_be_made_in_postgresql() -> None:
    text = str(CreateTable(VERIFICATIONS).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
    assert "SERIAL" in text
    assert "one_event_follows_another" in text


def test_decisions_are_read_while_somebody_else_writes(tmp_path: Path) -> None:
    url = default_url(tmp_path)
    kept = keep_decision(url, PromotionDecision("c", "v1", Decision.ACCEPT, "ada", "seen", ("fewer",)))
    writer = sqlite3.connect(tmp_path / "verifications.sqlite", isolation_level=None)
    try:
        writer.execute("BEGIN IMMEDIATE")
        assert read_decisions(url, "c") == [kept]  # would wait 15 s and fail if it asked to write
    finally:
        writer.close()


def test_a_database_of_an_earlier_version_gets_the_tables_that_it_lacks(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "verifications.sqlite") as earlier:
        earlier.execute("CREATE TABLE sessions (session_sha256 TEXT, token_sha256 TEXT, expires_at INTEGER)")
    earlier.close()
    store = VerificationStore(default_url(tmp_path))
    assert store.append(new()) == store.history("c")[0]
