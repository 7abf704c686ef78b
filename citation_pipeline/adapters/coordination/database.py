"""The database of what is decided once: opened by URL, its tables made once, transactions that are repeated.

The same rows and statements on one machine (a SQLite file) and for several (PostgreSQL). What a row means
belongs to the modules beside this one.
"""

import json
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Float, Table, bindparam, func, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.sql.elements import ColumnElement

from citation_pipeline.adapters.coordination.owners import Owner, open_owner
from citation_pipeline.adapters.coordination.shapes import METADATA
from citation_pipeline.adapters.sql_engines import DURABLE, WRITING, open_engine, sqlite_file, sqlite_url
from citation_pipeline.core.failures import PipelineError

T = TypeVar("T")

DIALECTS = ("postgresql", "sqlite")
FILE_NAME = "coordination.sqlite"
# a server that is restarted is back by then; who waits longer is better tried again by the next night
LONGEST_OUTAGE_S = 90.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.1, 2.0
_ALONE = text("SELECT pg_advisory_xact_lock(hashtext('citation_pipeline.coordination'))")


class CoordinationError(PipelineError):
    """The database of what is decided once cannot be asked; nothing was sent or written meanwhile."""

    transient = True

    def __init__(self, error: BaseException) -> None:
        super().__init__(
            f"the database of CITATION_PIPELINE_COORDINATION_URL does not answer ({type(error).__name__}): "
            "check that it runs and can be reached from this host, then run the claim again"
        )


def default_url(store: str, work_dir: Path) -> str:
    """Return the URL of a machine's own file: beside a local store's tables, else in the work dir."""
    return sqlite_url((work_dir if "://" in store else Path(store)) / FILE_NAME)


class Coordination:
    """One database of what is decided once; safe to share between threads, shared by URL (`open_at`)."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine: Engine = open_engine(url, keeps_connections=True, pool_size=4, max_overflow=12)
        self._by_kind = {
            durable: self._engine.execution_options(**{WRITING: True, DURABLE: durable})
            for durable in (True, False)
        }
        self._making, self._owning = threading.Lock(), threading.Lock()
        self._is_made = False
        self._owner: Owner | None = None
        self._pid = os.getpid()
        weakref.finalize(self, self._engine.dispose)

    def __repr__(self) -> str:
        return f"Coordination({self._engine.url!r})"  # without a password

    @property
    def is_of_this_process(self) -> bool:
        """Tell whether it was opened by this process, and not by the one that this was forked from."""
        return self._pid == os.getpid()

    @property
    def file(self) -> Path | None:
        """The SQLite file, None for a server."""
        return sqlite_file(self._url)

    @property
    def is_unused(self) -> bool:
        """Tell whether nothing was ever decided here: a file that is not there yet."""
        return self.file is not None and not self.file.is_file()

    @property
    def owner(self) -> Owner:
        """What this process is known by, and by whose end its leases are given back."""
        with self._owning:
            if self._owner is None:
                self._owner = open_owner(self._url)
                weakref.finalize(self, self._owner.close)
            return self._owner

    def read(self, look: Callable[[Connection], T]) -> T:
        """Return what `look` reads; asks again while the server is away. Raises CoordinationError."""
        return self._repeated(lambda: self._in(self._engine, look))

    def write_once(self, change: Callable[[Connection], T]) -> T:
        """Return what `change` does in a transaction that is never repeated: counts may be lost, not doubled.

        Raises SQLAlchemyError.
        """
        return self._in(self._by_kind[False], change)

    def write(self, change: Callable[[Connection], T], *, is_durable: bool = True) -> T:
        """Return what `change` does in a transaction of its own; as `read`.

        It is done again where the server went away and nobody knows whether it was committed: it must leave
        the same rows when it is done twice. Without `is_durable` a power cut of this machine may take it
        back (SQLite; a server is asked for it as it is set up).
        """
        return self._repeated(lambda: self._in(self._by_kind[is_durable], change))

    def close(self) -> None:
        """Give the connections back; leases that are held are lost."""
        if self._owner is not None:
            self._owner.close()
        self._engine.dispose()

    def _in(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        self._make_tables()
        with engine.begin() as connection:
            return work(connection)

    def _repeated(self, work: Callable[[], T]) -> T:
        until, wait = time.monotonic() + LONGEST_OUTAGE_S, _FIRST_WAIT_S
        while True:
            try:
                return work()
            except (OperationalError, InterfaceError) as error:
                if time.monotonic() + wait > until:
                    raise CoordinationError(error) from error
            except DBAPIError as error:
                if not error.connection_invalidated or time.monotonic() + wait > until:
                    raise
            time.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT_S)

    def _make_tables(self) -> None:
        """Make the tables that are missing; where all are there, nothing is locked."""
        if self._is_made:
            return
        with self._making:
            path = self.file
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)
            if METADATA.tables.keys() - set(inspect(self._engine).get_table_names()):
                with self._by_kind[True].begin() as connection:
                    if connection.dialect.name == "postgresql":
                        connection.execute(_ALONE)
                    METADATA.create_all(connection)
            self._is_made = True


_OPENED: "weakref.WeakValueDictionary[str, Coordination]" = weakref.WeakValueDictionary()
_OPENING = threading.Lock()


def open_at(url: str) -> Coordination:
    """Return the process's one coordination at a URL; it is closed when nobody uses it any more."""
    with _OPENING:
        found = _OPENED.get(url)
        if found is None or not found.is_of_this_process:
            found = _OPENED[url] = Coordination(url)
        return found


def coordination_of(place: "Coordination | Path") -> Coordination:
    """Return what is given as itself, or as a folder of this machine that has a file of its own."""
    return place if isinstance(place, Coordination) else open_at(sqlite_url(place / FILE_NAME))


def insertion(dialect: str, table: Table) -> Any:
    """Return an INSERT that may say what happens on a conflict, which each database has for itself."""
    return (postgresql if dialect == "postgresql" else sqlite).insert(table)


def database_time(dialect: str) -> ColumnElement[float]:
    """Return the time as an expression, in seconds since 1970: the server's, since hosts' clocks differ.

    SQLite's is this machine's, given as `moment_of` says.
    """
    if dialect == "postgresql":
        return func.extract("epoch", func.clock_timestamp()).cast(Float)
    return bindparam("moment", type_=Float)


def moment_of(dialect: str) -> Callable[[], dict[str, float]]:
    """Return what gives a statement with `database_time` its parameters."""
    return dict if dialect == "postgresql" else lambda: {"moment": time.time()}


def as_text(facts: Mapping[str, Any]) -> str:
    """Return facts as a row keeps them."""
    return json.dumps(facts, sort_keys=True)
