"""The SQLite storage of Dagster's events: a run's database is Dagster's own, made with less work."""

import sqlite3
import time
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.storage.event_log import SqliteEventLogStorage
from sqlalchemy import create_engine

from citation_pipeline.defs.dagster_internals import event_storage
from citation_pipeline.defs.dagster_internals.event_storage import BatchingSqliteEventLogStorage


def entry(run_id: str) -> Any:
    event: Any = dg.EventLogEntry
    return event(None, "info", "said", run_id, time.time())


def shape_of(database: Path) -> list[tuple[object, ...]]:
    """Tables, indexes and the migration of a database, and how it is journaled."""
    with sqlite3.connect(database) as connection:
        shape = connection.execute("select type, name, sql from sqlite_master order by name").fetchall()
        for question in (
            "select * from alembic_version",
            "pragma journal_mode",
            "select count(*) from event_logs",
        ):
            shape += connection.execute(question).fetchall()
    connection.close()
    return shape


def test_a_runs_database_is_the_one_that_dagster_sets_up(tmp_path: Path) -> None:
    ours = BatchingSqliteEventLogStorage(str(tmp_path / "ours"))
    theirs = SqliteEventLogStorage(str(tmp_path / "theirs"))
    for storage in (ours, theirs):
        for run_id in ("first", "second"):
            assert storage.get_logs_for_run(run_id) == []
    for run_id in ("first", "second"):
        assert shape_of(tmp_path / f"ours/{run_id}.db") == shape_of(tmp_path / f"theirs/{run_id}.db")
    assert sorted(ours.get_all_run_ids()) == ["first", "second"]
    names = {path.name for path in (tmp_path / "ours").iterdir()}
    assert names == {path.name for path in (tmp_path / "theirs").iterdir()}  # no draft is left


def test_a_runs_database_that_another_process_made_keeps_its_events(tmp_path: Path) -> None:
    first, second = (BatchingSqliteEventLogStorage(str(tmp_path / "runs")) for _ in range(2))
    event = entry("the-run")
    first.store_event(event)
    second.store_event(event)
    assert len(second.get_logs_for_run("the-run")) == 2
    first.delete_events("the-run")
    assert not list((tmp_path / "runs").glob("the-run*"))


def test_statements_are_compiled_once_for_all_events_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        made.append(arguments)
        return create_engine(*arguments, **options)

    monkeypatch.setattr(event_storage, "create_engine", counted)
    storage = BatchingSqliteEventLogStorage(str(tmp_path / "runs"))
    for _ in range(5):
        storage.store_event(entry("the-run"))
    assert len(made) == 2  # the index and the run's own


def test_a_table_that_was_found_is_not_looked_for_again_and_one_that_was_not_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    storage = BatchingSqliteEventLogStorage(str(tmp_path / "runs"))

    def has_table(_: object, name: str) -> bool:
        asked.append(name)
        return name == "dynamic_partitions"

    monkeypatch.setattr(SqliteEventLogStorage, "has_table", has_table)
    assert [storage.has_table("dynamic_partitions") for _ in range(3)] == [True] * 3
    assert [storage.has_table("yet_to_come") for _ in range(2)] == [False] * 2
    assert asked == ["dynamic_partitions", "yet_to_come", "yet_to_come"]
