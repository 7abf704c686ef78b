"""Dagster's PostgreSQL storage as a fleet needs it: events in batches, connections kept, restarts waited for.

Dagster's own takes a batch of claims' verdicts for a fault of its caller, opens a connection per statement
(nine milliseconds of CPU for an event, most of it that), and gives up on a server that is restarted within
seconds. There is no setting for any of it. Tables and rows are Dagster's own, so a database moves between
both.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from dagster._core.storage.config import pg_config
from dagster._serdes import ConfigurableClassData
from dagster_postgres import DagsterPostgresStorage, PostgresEventLogStorage, PostgresRunStorage
from dagster_postgres.schedule_storage import PostgresScheduleStorage
from dagster_postgres.utils import create_pg_engine, pg_url_from_config, retry_pg_connection_fn
from sqlalchemy import Connection, Engine

from citation_pipeline.defs.dagster_internals.event_storage import BatchedEvents, switch_batches_on

_TRIES = 8  # of a connection, 0.2 s doubling: some fifty seconds, as long as a server takes to fail over
_KEPT, _MORE = 1, 20  # connections that a storage keeps open, and those that it opens for a moment
_RENEWED_S = 300  # a proxy in between may forget idle connections
_CONNECTING = {
    "connect_timeout": 5,  # of one try; a host that is gone answers nothing at all
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds; a cut line is an error then, not a run that hangs
}


class _EventLog(BatchedEvents, PostgresEventLogStorage):
    def __init__(self, postgres_url: str, should_autocreate_tables: bool = True) -> None:
        super().__init__(postgres_url, should_autocreate_tables)
        self._engine = _open_engine(postgres_url)
        switch_batches_on()

    def _connect(self) -> AbstractContextManager[Connection]:
        return _connect(self._engine)


class _Runs(PostgresRunStorage):
    def __init__(self, postgres_url: str, should_autocreate_tables: bool = True) -> None:
        super().__init__(postgres_url, should_autocreate_tables)
        self._engine = _open_engine(postgres_url)

    def connect(self) -> AbstractContextManager[Connection]:
        return _connect(self._engine)


class _Schedules(PostgresScheduleStorage):
    def __init__(self, postgres_url: str, should_autocreate_tables: bool = True) -> None:
        super().__init__(postgres_url, should_autocreate_tables)
        self._engine = _open_engine(postgres_url)

    def connect(self, run_id: str | None = None) -> AbstractContextManager[Connection]:
        return _connect(self._engine)


class FleetPostgresStorage(DagsterPostgresStorage):
    """The `storage: custom:` of a fleet's `dagster.yaml`; takes what `storage: postgres:` takes."""

    def __init__(
        self,
        postgres_url: str,
        should_autocreate_tables: bool = True,
        inst_data: ConfigurableClassData | None = None,
    ) -> None:
        super().__init__(postgres_url, should_autocreate_tables, inst_data)
        self._event_log_storage = _EventLog(postgres_url, should_autocreate_tables)
        self._run_storage = _Runs(postgres_url, should_autocreate_tables)
        self._schedule_storage = _Schedules(postgres_url, should_autocreate_tables)

    @classmethod
    def config_type(cls) -> Any:
        """Return what `dagster.yaml` may say."""
        return pg_config()

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Any
    ) -> "FleetPostgresStorage":
        """Return the storage that `dagster.yaml` describes."""
        return cls(
            with_driver(pg_url_from_config(config_value)),
            should_autocreate_tables=config_value.get("should_autocreate_tables", True),
            inst_data=inst_data,
        )


def with_driver(url: str) -> str:
    """Name psycopg2 where a URL names no driver: SQLAlchemy takes psycopg 3 then, which is not installed."""
    scheme, separator, rest = url.partition("://")
    return f"postgresql+psycopg2{separator}{rest}" if scheme in ("postgres", "postgresql") else url


def _open_engine(url: str) -> Engine:
    engine: Engine = create_pg_engine(
        url,
        isolation_level="AUTOCOMMIT",
        pool_size=_KEPT,
        max_overflow=_MORE,
        pool_recycle=_RENEWED_S,
        pool_pre_ping=True,  # a connection of before the server's restart is opened anew, unseen
        connect_args=_CONNECTING,
    )
    return engine


@contextmanager
def _connect(engine: Engine) -> Iterator[Connection]:
    connection = retry_pg_connection_fn(engine.connect, retry_limit=_TRIES)
    try:
        yield connection
    finally:
        connection.close()
