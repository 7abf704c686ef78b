"""The database of reviews, decisions and sessions: its engine, its tables made once, its transactions.

What is kept in the tables is the stores' work: `store`, `promotions`, `sessions`.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Inspector, inspect, text

from citation_pipeline.adapters.object_storage.addresses import REMOTE_WORK_DIR, is_remote
from citation_pipeline.adapters.sql_engines import WRITING, open_engine, sqlite_url
from citation_pipeline.adapters.verifications.audit import adopt_events
from citation_pipeline.adapters.verifications.shapes import (
    AUDIT_CHAIN,
    ERASURES,
    LATER_COLUMNS,
    METADATA,
    VERIFICATIONS,
)
from citation_pipeline.adapters.verifications.signing import Signer
from citation_pipeline.core.failures import PipelineError

DATABASE_FILE = "verifications.sqlite"
_ALONE = text("SELECT pg_advisory_xact_lock(hashtext('citation_pipeline.verifications'))")


def default_url(store_root: str | Path) -> str:
    """Return the URL of the SQLite file that lies beside a store's tables, on this machine in any case."""
    folder = REMOTE_WORK_DIR if is_remote(str(store_root)) else store_root
    return sqlite_url(Path(folder) / DATABASE_FILE)


class MissingChainError(PipelineError):
    """A database whose audit chain somebody took away: a new one would vouch for what was changed since."""

    def __init__(self) -> None:
        super().__init__(
            "the database of reviews had an audit chain and has none now: restore it from a backup, see "
            "docs/how-to/back-up.md"
        )


class Database:
    """One database, SQLite or PostgreSQL by its URL; safe to share between threads."""

    def __init__(self, url: str, *, signer: Signer | None = None) -> None:
        """Open a database; `signer` signs the audit links of what is kept from now on."""
        self.signer = signer
        self._engine = open_engine(url)
        self._writing = self._engine.execution_options(**{WRITING: True})
        self._making = threading.Lock()
        self._is_made = False

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection that reads."""
        self._make_tables()
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that writes; it is committed at the end, or rolled back."""
        self._make_tables()
        with self._writing.begin() as connection:
            yield connection

    def close(self) -> None:
        """Give the database's connections back."""
        self._engine.dispose()

    def _make_tables(self) -> None:
        """Make the tables that are missing; where all are there, nothing is locked."""
        with self._making:
            if self._is_made:
                return
            inspected = inspect(self._engine)
            missing = METADATA.tables.keys() - set(inspected.get_table_names())
            if missing or _later_columns(inspected):
                with self._writing.begin() as connection:  # one transaction: processes may start together
                    if connection.dialect.name == "postgresql":
                        connection.execute(_ALONE)
                    inspected = inspect(connection)
                    has_no_chain = not inspected.has_table(AUDIT_CHAIN.name)
                    had_chain = inspected.has_table(ERASURES.name)  # both are made together
                    METADATA.create_all(connection)
                    for column in _later_columns(inspect(connection)):
                        connection.execute(
                            text(f"ALTER TABLE {VERIFICATIONS.name} ADD COLUMN {column} INTEGER")
                        )
                    if has_no_chain and had_chain:
                        raise MissingChainError
                    if has_no_chain:
                        adopt_events(connection, signer=self.signer)
            self._is_made = True


@contextmanager
def opened(url: str, *, signer: Signer | None = None) -> Iterator[Database]:
    """Open a database for a few calls and close it."""
    database = Database(url, signer=signer)
    try:
        yield database
    finally:
        database.close()


def _later_columns(inspected: Inspector) -> list[str]:
    """Return the columns that a database of an earlier version lacks."""
    known = {column["name"] for column in inspected.get_columns(VERIFICATIONS.name)}
    return [column for column in LATER_COLUMNS if column not in known]
