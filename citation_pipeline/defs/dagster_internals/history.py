"""What of the runs' history is still needed: Dagster tells a partition's state from its last events alone.

Deleting a run deletes its events, and with them the state of whatever it made last.
"""

from collections.abc import Iterable

import dagster as dg
from dagster import DagsterEventType
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage
from sqlalchemy import select

_STATE_EVENTS = (DagsterEventType.ASSET_MATERIALIZATION, DagsterEventType.ASSET_MATERIALIZATION_PLANNED)
_IDS_AT_ONCE = 500  # SQLite takes a thousand variables in a statement


class UnknownStorageError(dg.DagsterInvariantViolationError):
    """An event log that is no SQL database: nothing of it is deleted."""


def runs_that_tell_states(instance: dg.DagsterInstance, asset_keys: Iterable[dg.AssetKey]) -> set[str]:
    """Return the runs that made, or tried to make, the last of any partition of these assets.

    Raises UnknownStorageError for an event log that cannot be asked.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqlEventLogStorage):
        raise UnknownStorageError(f"{type(storage).__name__} is no SQL database: prune it by its own means")
    numbers: list[int] = []
    found: set[str] = set()
    for key in asset_keys:
        for kind in _STATE_EVENTS:
            numbers += storage.get_latest_storage_id_by_partition(key, kind).values()
        last = instance.get_latest_materialization_event(key)
        if last is not None:
            found.add(last.run_id)
    with storage.index_connection() as connection:
        for start in range(0, len(numbers), _IDS_AT_ONCE):
            some = numbers[start : start + _IDS_AT_ONCE]
            query = select(SqlEventLogStorageTable.c.run_id).where(SqlEventLogStorageTable.c.id.in_(some))
            found.update(str(run_id) for run_id in connection.execute(query.distinct()).scalars())
    return found
