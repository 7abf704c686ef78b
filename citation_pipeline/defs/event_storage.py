"""Dagster's SQLite event storage, which takes the events of many claims in one transaction.

A run of hundreds of claims reports a planned and a made event for each claim and asset. Stored one by one,
each opens two databases, compiles its statements anew and waits twice for the disk: some ten milliseconds,
which is what a re-match of many claims would mostly do. Tables and rows are Dagster's own; whoever moves to
another storage in `dagster.yaml` loses nothing but this.
"""

import os
from collections.abc import Sequence
from typing import Any

import dagster as dg
from dagster import DagsterEventType
from dagster._core.events import ASSET_EVENTS
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from dagster._serdes import ConfigurableClassData

BATCH_SIZE = 500
"""Events of one transaction: a megabyte or so, and more would hardly be quicker."""

# Dagster asks the environment of every process that reports events, and nothing else, whether to batch
_SWITCH = "DAGSTER_EVENT_BATCH_SIZE"


class BatchingSqliteEventLogStorage(SqliteEventLogStorage):
    """Stores a batch of asset events in two transactions: the run's database and the index of all runs."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(base_dir, inst_data)
        os.environ.setdefault(_SWITCH, str(BATCH_SIZE))

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Any
    ) -> "BatchingSqliteEventLogStorage":
        """Return the storage that `dagster.yaml` describes."""
        return cls(inst_data=inst_data, **config_value)

    def store_event_batch(self, events: Sequence[dg.EventLogEntry]) -> None:
        """Store the events of a batch; what is no asset event is stored as Dagster does it."""
        of_run: dict[str, list[dg.EventLogEntry]] = {}
        for event in events:
            if event.dagster_event_type in ASSET_EVENTS:
                of_run.setdefault(event.run_id, []).append(event)
            else:
                self.store_event(event)
        for run_id, asset_events in of_run.items():
            self._store_asset_events(run_id, asset_events)

    def _store_asset_events(self, run_id: str, events: Sequence[dg.EventLogEntry]) -> None:
        rows = [self._event_to_row(event) for event in events]
        insert = SqlEventLogStorageTable.insert()
        with self.run_connection(run_id) as connection:
            connection.execute(insert, rows)
        with self.index_transaction() as connection:
            # one by one, as each event's number is needed; the statement is compiled once
            ids = [int(connection.execute(insert, row).lastrowid) for row in rows]
            self._store_asset_event_tags(connection, events, ids)
            for event, number in _last_ones(events, ids):
                self._store_asset_event(connection, event, number)


def _last_ones(events: Sequence[dg.EventLogEntry], ids: Sequence[int]) -> list[tuple[dg.EventLogEntry, int]]:
    """Return the last event of each asset and kind: an asset's own row keeps no earlier one."""
    last: dict[tuple[Any, DagsterEventType | None], tuple[dg.EventLogEntry, int]] = {}
    for event, number in zip(events, ids, strict=True):
        told = event.dagster_event
        last[told.asset_key if told else None, event.dagster_event_type] = event, number
    return list(last.values())
