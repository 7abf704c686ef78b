"""Dagster's event storages, which take the events of many claims in one transaction.

A run of hundreds of claims reports a planned and a made event for each claim and asset. Stored one by one,
each opens two databases, compiles its statements anew and waits twice for the disk: some ten milliseconds,
which is what a re-match of many claims would mostly do. Tables and rows are Dagster's own. `BatchedEvents`
is for any SQL storage; here for SQLite, in `postgres_storage` for PostgreSQL.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
from dagster import DagsterEventType
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationPlanned
from dagster._core.events import ASSET_EVENTS
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus
from dagster._core.storage.event_log.schema import AssetCheckExecutionsTable, SqlEventLogStorageTable
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from dagster._serdes import ConfigurableClassData, serialize_value
from sqlalchemy import Connection, Engine, bindparam, create_engine, func, select
from sqlalchemy.pool import NullPool

BATCH_SIZE = 1000
"""Events of one transaction: two megabytes or so.

As many as a run of a re-match has claims: Dagster reports them in no order, and a backfill that saw half of
them would ask for what follows in a run for each gap.
"""

_Rows = Sequence[Mapping[str, Any]]
_INSERT = SqlEventLogStorageTable.insert()
_UPDATE = AssetCheckExecutionsTable.update().where(AssetCheckExecutionsTable.c.id == bindparam("planned_id"))
_SUCCEEDED, _FAILED = AssetCheckExecutionRecordStatus.SUCCEEDED, AssetCheckExecutionRecordStatus.FAILED

_ENDS_WITHOUT_VERDICT = (DagsterEventType.RUN_FAILURE, DagsterEventType.RUN_CANCELED)

# Dagster asks the environment of every process that reports events, and nothing else, whether to batch
_SWITCH = "DAGSTER_EVENT_BATCH_SIZE"

_ENGINES = 64  # a run's database is asked while it runs, and seldom afterwards
_BUSY_SECONDS = 30  # as long as Dagster waits for another process's transaction


def switch_batches_on() -> None:
    """Have this process and those it starts report events in batches; how many, its environment may say."""
    os.environ.setdefault(_SWITCH, str(BATCH_SIZE))


class BatchedEvents(SqlEventLogStorage):
    """Stores a batch of asset events in as few transactions as the database allows."""

    def store_event(self, event: dg.EventLogEntry) -> None:
        """Store an event; a run that ends without having evaluated its checks leaves no verdict of them."""
        super().store_event(event)
        if event.dagster_event_type in _ENDS_WITHOUT_VERDICT:
            self._forget_planned_checks(event.run_id)

    def delete_events(self, run_id: str) -> None:
        """Delete a run's events, its file, and its verdicts on claims that were judged again since."""
        super().delete_events(run_id)
        checks = AssetCheckExecutionsTable
        latest = select(func.max(checks.c.id)).group_by(
            checks.c.asset_key, checks.c.check_name, checks.c.partition
        )
        with self.index_connection() as connection:
            connection.execute(checks.delete().where(checks.c.run_id == run_id, checks.c.id.not_in(latest)))

    def _forget_planned_checks(self, run_id: str) -> None:
        """Take back what a dead run had planned: the UI would show each check as failed that never ran.

        What an earlier run found stays the check's state, for the materialization that it judged. A check
        whose own step failed keeps its failure.
        """
        failures = self.get_logs_for_run(run_id, of_type=DagsterEventType.STEP_FAILURE)
        broken = {str(entry.step_key) for entry in failures}
        planned = (
            AssetCheckExecutionsTable.c.run_id == run_id,
            AssetCheckExecutionsTable.c.execution_status == AssetCheckExecutionRecordStatus.PLANNED.value,
        )
        with self.index_connection() as connection:
            names = connection.execute(
                select(AssetCheckExecutionsTable.c.check_name).where(*planned).distinct()
            ).scalars()
            never_ran = [name for name in names if not any(step.endswith(name) for step in broken)]
            if never_ran:
                connection.execute(
                    AssetCheckExecutionsTable.delete().where(
                        *planned, AssetCheckExecutionsTable.c.check_name.in_(never_ran)
                    )
                )

    def store_event_batch(self, events: Sequence[dg.EventLogEntry]) -> None:
        """Store the events of a batch; what is neither of assets nor of checks is stored one by one."""
        batches: dict[tuple[str, Any], list[dg.EventLogEntry]] = {}
        for event in events:
            if event.dagster_event_type in ASSET_EVENTS:
                batches.setdefault((event.run_id, self._store_assets), []).append(event)
            elif event.dagster_event_type is DagsterEventType.ASSET_CHECK_EVALUATION:
                batches.setdefault((event.run_id, self._store_evaluations), []).append(event)
            else:
                self.store_event(event)
        for (run_id, store), batch in batches.items():
            rows = [self._event_to_row(event) for event in batch]
            self._store_in_log_of_run(run_id, rows)
            with self.index_transaction() as connection:
                store(connection, batch, rows, self._number(connection, rows))

    def _store_in_log_of_run(self, run_id: str, rows: _Rows) -> None:
        """Store events where one run's are read; nothing to do where all are in one table."""

    def _number(self, connection: Connection, rows: _Rows) -> list[int]:
        """Insert the rows of events, return their numbers in the same order."""
        inserted = connection.execute(
            _INSERT.returning(SqlEventLogStorageTable.c.id, sort_by_parameter_order=True), rows
        )
        return [int(number) for number in inserted.scalars()]

    def _store_assets(
        self, connection: Connection, events: Sequence[dg.EventLogEntry], _: _Rows, numbers: Sequence[int]
    ) -> None:
        self._store_asset_event_tags(connection, events, numbers)
        for event, number in _last_ones(events, numbers):
            self._store_asset_event(connection, event, number)

    def _store_evaluations(
        self, connection: Connection, events: Sequence[dg.EventLogEntry], rows: _Rows, numbers: Sequence[int]
    ) -> None:
        """Exchange what was planned for each claim by what was found."""
        planned = _planned_checks(connection, events)
        updated: list[dict[str, Any]] = []
        added: list[dict[str, Any]] = []
        for event, row, number in zip(events, rows, numbers, strict=True):
            found: Any = event.dagster_event.event_specific_data if event.dagster_event else None
            target = found.target_materialization_data
            values = {
                "execution_status": (_SUCCEEDED if found.passed else _FAILED).value,
                "evaluation_event": row["event"],
                "evaluation_event_timestamp": row["timestamp"],
                "evaluation_event_storage_id": number,
                "materialization_event_storage_id": target.storage_id if target else None,
            }
            known = {
                "asset_key": found.asset_key.to_string(),
                "check_name": found.check_name,
                "run_id": event.run_id,
                "partition": found.partition,
            }
            planned_id = planned.get((known["asset_key"], known["check_name"], known["partition"]))
            if planned_id is None:
                added.append(known | values)
            else:
                updated.append({"planned_id": planned_id, **values})
        if updated:
            connection.execute(_UPDATE, updated)
        if added:
            connection.execute(AssetCheckExecutionsTable.insert(), added)

    def _store_asset_check_evaluation_planned(self, event: dg.EventLogEntry, event_id: int | None) -> None:
        """Plan a check of many claims, without repeating all their ids for each of them."""
        planned: Any = event.dagster_event.event_specific_data if event.dagster_event else None
        keys = planned.partitions_subset.get_partition_keys() if planned.partitions_subset else [None]
        alone = AssetCheckEvaluationPlanned(asset_key=planned.asset_key, check_name=planned.check_name)
        reported = event.dagster_event and event.dagster_event._replace(event_specific_data=alone)
        row = {
            "asset_key": planned.asset_key.to_string(),
            "check_name": planned.check_name,
            "run_id": event.run_id,
            "execution_status": AssetCheckExecutionRecordStatus.PLANNED.value,
            "evaluation_event": serialize_value(event._replace(dagster_event=reported)),
            "evaluation_event_timestamp": self._event_to_row(event)["timestamp"],
            "evaluation_event_storage_id": event_id,
        }
        with self.index_connection() as connection:
            connection.execute(AssetCheckExecutionsTable.insert(), [row | {"partition": key} for key in keys])


class BatchingSqliteEventLogStorage(BatchedEvents, SqliteEventLogStorage):
    """Stores a batch of asset events in two transactions: the run's database and the index of all runs."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: dict[str, Engine] = {}
        self._tables: set[str] = set()
        super().__init__(base_dir, inst_data)
        switch_batches_on()

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Any
    ) -> "BatchingSqliteEventLogStorage":
        """Return the storage that `dagster.yaml` describes."""
        return cls(inst_data=inst_data, **config_value)

    def delete_events(self, run_id: str) -> None:
        """Delete a run's events with the file that they were kept in."""
        super().delete_events(run_id)
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path_for_shard(run_id)}{suffix}").unlink(missing_ok=True)

    def has_table(self, table_name: str) -> bool:
        """Return whether the index has a table; Dagster asks before each question about partitions.

        A table that was there stays.
        """
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        """Connect to a run's database or to the index, by an engine that remembers compiled statements."""
        with self._db_lock:
            engine = self._engine(shard)
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection

    def _engine(self, shard: str) -> Engine:
        if shard not in self._engines:
            if len(self._engines) >= _ENGINES:
                self._engines.clear()
            # no connection is kept: runs are forked from this process
            self._engines[shard] = create_engine(
                self.conn_string_for_shard(shard), poolclass=NullPool, connect_args={"timeout": _BUSY_SECONDS}
            )
        return self._engines[shard]

    def _initdb(self, engine: Engine, for_index_shard: bool = False) -> None:
        """Set up a database; a new run's is a copy of an empty one: Dagster reads all its migrations."""
        path = Path(engine.url.database or "")
        if for_index_shard or path.exists():
            super()._initdb(engine, for_index_shard)
        else:
            _write_new(path, _empty_database())

    def _store_in_log_of_run(self, run_id: str, rows: _Rows) -> None:
        with self.run_connection(run_id) as connection:
            connection.execute(_INSERT, rows)

    def _number(self, connection: Connection, rows: _Rows) -> list[int]:
        # one by one, as each event's number is needed; the statement is compiled once
        return [int(connection.execute(_INSERT, row).lastrowid) for row in rows]


@cache
def _empty_database() -> bytes:
    """Return a run's database without events, as Dagster sets it up."""
    with tempfile.TemporaryDirectory() as folder:
        storage = SqliteEventLogStorage(folder)
        with storage.run_connection("empty"):
            pass
        with sqlite3.connect(storage.path_for_shard("empty")) as connection:
            content = connection.serialize()
        connection.close()
        storage.dispose()
    return content


def _write_new(path: Path, content: bytes) -> None:
    """Write a file at once, unless another process has made it meanwhile."""
    written = path.with_name(f"{path.name}.{os.getpid()}.new")
    written.write_bytes(content)
    with suppress(FileExistsError):
        os.link(written, path)
    written.unlink()


def _planned_checks(
    connection: Connection, evaluations: Sequence[dg.EventLogEntry]
) -> dict[tuple[str, str, str | None], int]:
    """Return the rows of a run's checks in some evaluations: number by asset, check and claim."""
    found: list[Any] = [e.dagster_event.event_specific_data for e in evaluations if e.dagster_event]
    checks = AssetCheckExecutionsTable.c
    rows = connection.execute(
        select(checks.asset_key, checks.check_name, checks.partition, checks.id).where(
            checks.asset_key.in_({one.asset_key.to_string() for one in found}),
            checks.check_name.in_({one.check_name for one in found}),
            checks.run_id == evaluations[0].run_id,
        )
    )
    return {(asset, check, claim): number for asset, check, claim, number in rows}


def _last_ones(events: Sequence[dg.EventLogEntry], ids: Sequence[int]) -> list[tuple[dg.EventLogEntry, int]]:
    """Return the last event of each asset and kind: an asset's own row keeps no earlier one.

    By the assets' names: two runs that update the same rows in different orders wait for each other for ever.
    """
    last: dict[tuple[Any, DagsterEventType | None], tuple[dg.EventLogEntry, int]] = {}
    for event, number in zip(events, ids, strict=True):
        reported = event.dagster_event
        last[reported.asset_key if reported else None, event.dagster_event_type] = event, number
    return sorted(last.values(), key=_asset_of)


def _asset_of(numbered: tuple[dg.EventLogEntry, int]) -> str:
    reported = numbered[0].dagster_event
    return reported.asset_key.to_string() if reported and reported.asset_key else ""
