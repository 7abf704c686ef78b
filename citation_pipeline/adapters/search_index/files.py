"""The SQLite file that is searched: its shape, and connections to it.

The file is made from the store's tables and can be deleted at any time. Filling it is `filling`'s work,
asking it `searching`'s.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

FILE_NAME = "search_index.sqlite"

FORMAT = "8"
"""Raised with every change of the shape below or of what is written into it: an older file is made anew."""

_BUSY_MS = 60_000  # a refresh of a thousand claims holds the writer's place for some seconds at a time

_SHAPE = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE claims (claim_id TEXT PRIMARY KEY, chunks_mark TEXT NOT NULL, dataset_mark TEXT NOT NULL);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, claim_id TEXT NOT NULL, chunk_id TEXT NOT NULL, source_id TEXT NOT NULL,
    kind TEXT NOT NULL, page INTEGER NOT NULL, page_end INTEGER NOT NULL, word_start INTEGER NOT NULL,
    word_end INTEGER NOT NULL, text_start INTEGER NOT NULL, text_end INTEGER NOT NULL, text TEXT NOT NULL,
    heading TEXT NOT NULL, title TEXT NOT NULL, document_type TEXT NOT NULL, document_date TEXT NOT NULL
);
CREATE INDEX chunks_of_claims ON chunks (claim_id, source_id);
CREATE VIRTUAL TABLE words USING fts5(
    scope, body, head, detail=column,
    tokenize="unicode61 remove_diacritics 2 tokenchars '@~_'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
CREATE TABLE identifiers (identifier TEXT NOT NULL, claim_id TEXT NOT NULL, chunk INTEGER);
CREATE INDEX identifiers_by_form ON identifiers (identifier);
CREATE INDEX identifiers_of_claims ON identifiers (claim_id);
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, claim_id TEXT NOT NULL, provider TEXT NOT NULL, vector BLOB
NOT NULL);
CREATE INDEX vectors_of_claims ON vectors (provider, claim_id);
CREATE TABLE documents (
    claim_id TEXT NOT NULL, source_id TEXT NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL,
    pages INTEGER NOT NULL, status TEXT NOT NULL, sha256 TEXT NOT NULL, document_date TEXT NOT NULL,
    PRIMARY KEY (claim_id, source_id)
);
CREATE TABLE field_values (
    claim_id TEXT NOT NULL, field_key TEXT NOT NULL, item_path TEXT NOT NULL, label TEXT NOT NULL,
    category TEXT NOT NULL, value_type TEXT NOT NULL, value TEXT NOT NULL, number REAL, day TEXT, word TEXT,
    source_id TEXT, page INTEGER, is_located INTEGER NOT NULL, is_verified INTEGER NOT NULL,
    confidence REAL NOT NULL, place TEXT, changed TEXT, currency TEXT NOT NULL,
    PRIMARY KEY (claim_id, field_key, item_path)
);
CREATE TABLE unsettled_fields (
    claim_id TEXT NOT NULL, field_key TEXT NOT NULL, PRIMARY KEY (claim_id, field_key)
) WITHOUT ROWID;
CREATE INDEX numbers_of_fields ON field_values (field_key, number);
CREATE INDEX days_of_fields ON field_values (field_key, day);
CREATE INDEX words_of_fields ON field_values (field_key, word);
CREATE INDEX fields_of_documents ON field_values (claim_id, source_id);
"""


def scope_of(claim_id: str) -> str:
    """Return the one token that stands for a claim in the full-text index."""
    return "c" + hashlib.sha256(claim_id.encode()).hexdigest()[:20]


class SearchFile:
    """One index file; every use opens a connection of its own, so threads share nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for reading; made first when there is no file of this format."""
        self.make()
        with closing(self._connect()) as connection:
            connection.execute("PRAGMA query_only=1")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for `transaction`; one for many, since closing it settles the log of changes."""
        self.make()
        with closing(self._connect()) as connection:
            yield connection

    def pack(self) -> None:
        """Write the file anew without what was deleted from it; raises sqlite3.OperationalError."""
        with self.writing() as connection:
            connection.execute("INSERT INTO words(words) VALUES ('optimize')")  # deleted postings go with it
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def make(self) -> None:
        """Make the file, or make it anew when it has another format."""
        if self.path.exists() and self._format() == FORMAT:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._connect()) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            if _format_of(connection) != FORMAT:  # another process may have been first
                _drop_all(connection)
                for statement in _SHAPE.split(";\n"):
                    if statement.strip():
                        connection.execute(statement)
                connection.execute("INSERT INTO meta VALUES ('format', ?)", (FORMAT,))
            connection.execute("COMMIT")

    def _format(self) -> str | None:
        with closing(self._connect()) as connection:
            return _format_of(connection)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_BUSY_MS / 1000, isolation_level=None)
        connection.execute("PRAGMA synchronous=NORMAL")  # the file can be made again from the store
        connection.execute("PRAGMA cache_size=-16000")
        connection.execute("PRAGMA mmap_size=268435456")
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do what follows as one change: all of it is seen, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _format_of(connection: sqlite3.Connection) -> str | None:
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
    if known is None:
        return None
    row = connection.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
    return str(row[0]) if row else None


def _drop_all(connection: sqlite3.Connection) -> None:
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    virtual = [name for name, sql in rows if sql and sql.upper().startswith("CREATE VIRTUAL")]
    for name in sorted(virtual, key=lambda name: name != "vocabulary"):
        connection.execute(f'DROP TABLE IF EXISTS "{name}"')
    for name, _ in rows:
        if name not in virtual and not any(name.startswith(f"{v}_") for v in virtual):
            connection.execute(f'DROP TABLE IF EXISTS "{name}"')
