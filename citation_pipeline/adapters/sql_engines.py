"""Engines of the databases that rows are kept in: a SQLite file of one machine, or PostgreSQL by its URL.

What SQLite needs so that several processes write one file, and what a URL for PostgreSQL may leave out.
What is kept in the tables belongs to who asks: `verifications`, `coordination`.
"""

import sqlite3
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool, QueuePool

from citation_pipeline.core.failures import PipelineError

WAIT_S = 15  # for another writer
WRITING, DURABLE = "is_writing", "is_durable"
"""Execution options: a transaction that writes; one whose end waits for the disk (unless said otherwise)."""

# as SQLite says it; that others hold the file says something else
_DAMAGED = ("file is not a database", "disk image is malformed")
_CLOSED = ("readonly database", "unable to open database file")


class DamagedDatabaseError(PipelineError, SQLAlchemyError):
    """A SQLite file that is no whole database any more: a disk, or a copy that was cut short."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is damaged: put it back from a backup, see docs/how-to/back-up.md; what is lost without "
            "one is said there, too"
        )


class ClosedDatabaseError(PipelineError, SQLAlchemyError):
    """A SQLite file that this user may not open or write."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} cannot be opened to write: give the user who runs this the right to write that file and "
            "its folder"
        )


def sqlite_url(path: str | Path) -> str:
    """Return the URL of a SQLite file."""
    return f"sqlite:///{Path(path).resolve()}"


def sqlite_file(url: str) -> Path | None:
    """Return the file of a SQLite URL, None for another database."""
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def is_unused(url: str) -> bool:
    """Tell whether the database is a file that nobody has written anything to yet."""
    path = sqlite_file(url)
    return path is not None and not path.is_file()


def open_engine(url: str, *, keeps_connections: bool = False, **choices: Any) -> Engine:
    """Return an engine; `choices` are for PostgreSQL alone (pool sizes, the driver's `connect_args`).

    A SQLite file's connection is closed after each use, so that nothing stays open when the application
    ends; with `keeps_connections` the caller disposes of the engine.
    """
    if not url.startswith("sqlite"):
        return create_engine(_with_driver(url), pool_pre_ping=True, **choices)
    engine = create_engine(
        url,
        poolclass=QueuePool if keeps_connections else NullPool,
        pool_reset_on_return=None,  # every transaction here ends before its connection goes back
        connect_args={"timeout": WAIT_S, "check_same_thread": not keeps_connections},
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    event.listen(engine, "handle_error", _name_file)
    return engine


def _name_file(context: ExceptionContext) -> None:
    """Raise what names the file, where SQLite says of it that it is damaged or may not be written."""
    error, engine = context.original_exception, context.engine
    if not isinstance(error, sqlite3.DatabaseError) or engine is None or not engine.url.database:
        return
    said = str(error)
    if any(part in said for part in _DAMAGED):
        raise DamagedDatabaseError(Path(engine.url.database)) from None
    if any(part in said for part in _CLOSED):
        raise ClosedDatabaseError(Path(engine.url.database)) from None


def _with_driver(url: str) -> str | URL:
    """Name psycopg2 where a URL names no driver and it is the one that is installed (SQLAlchemy takes 3)."""
    scheme, separator, rest = url.partition("://")
    if scheme not in ("postgres", "postgresql"):
        return url
    if find_spec("psycopg") is None and find_spec("psycopg2") is not None:
        return make_url(f"postgresql+psycopg2{separator}{rest}")
    return make_url(f"postgresql{separator}{rest}")


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin below, not by the driver's guess
    _use_write_ahead_log(connection)
    connection.execute("PRAGMA synchronous=FULL")  # what was committed survives a power cut


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if DURABLE in options:
        # without FULL the log of changes is not flushed at each commit: a power cut takes the last ones
        level = "FULL" if options[DURABLE] else "NORMAL"
        if connection.info.get("synchronous", "FULL") != level:
            connection.exec_driver_sql(f"PRAGMA synchronous={level}")
            connection.info["synchronous"] = level
    # a reader that turns into a writer fails at once when another wrote meanwhile; a writer waits
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITING, False) else "BEGIN")


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Let readers and a writer work at once; a file's first openers try again until one has switched it.

    SQLite waits for a writer, but not for a file that others open while its journal is to change.
    """
    until = time.monotonic() + WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
        time.sleep(0.02)
