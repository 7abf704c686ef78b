"""Erasing a claim from databases: reviews, search index, and the SQLite files of Dagster's instance.

SQLite keeps deleted rows in free pages and in the log of changes: each file is packed afterwards.
"""

import json
import re
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, select, text, update

from citation_pipeline.adapters.assignments.shapes import ASSIGNMENT_EVENTS, OF_CLAIMS
from citation_pipeline.adapters.redactions.shapes import DRAWN_REDACTIONS
from citation_pipeline.adapters.search_index.claim_writing import remove_claim
from citation_pipeline.adapters.search_index.files import SearchFile, transaction
from citation_pipeline.adapters.sql_engines import is_unused
from citation_pipeline.adapters.verifications.audit import link_event, links_of_events
from citation_pipeline.adapters.verifications.database import opened
from citation_pipeline.adapters.verifications.shapes import (
    APPEND_ONLY,
    AUDIT_CHAIN,
    ERASURES,
    PROMOTION_DECISIONS,
    VERIFICATIONS,
    restore_triggers,
)
from citation_pipeline.adapters.verifications.signing import Signer
from citation_pipeline.core.review.chain import LinkKind

_ERASED = "erased"
_LATEST = "last_materialization"  # an asset's newest event, whichever claim's it is: Dagster keeps it apart


@dataclass(frozen=True, slots=True)
class Receipt:
    """What shows later that this claim was erased: SHA-256 of salt and claim id is in the audit chain."""

    salt: str
    claim_sha256: str
    events: int


def review_texts(url: str, claim_id: str) -> Iterator[str]:
    """Yield what people wrote about a claim."""
    if is_unused(url):
        return
    with opened(url) as database, database.reading() as connection:
        for row in connection.execute(select(VERIFICATIONS).where(VERIFICATIONS.c.claim_id == claim_id)):
            yield from (row.comment, row.value.strip('"'), row.seen_value.strip('"'))
        decided = select(PROMOTION_DECISIONS.c.why).where(PROMOTION_DECISIONS.c.claim_id == claim_id)
        yield from (why for (why,) in connection.execute(decided))
        taken = select(ASSIGNMENT_EVENTS.c.why).where(ASSIGNMENT_EVENTS.c.claim_id == claim_id)
        yield from (why for (why,) in connection.execute(taken))


def erase_reviews(url: str, claim_id: str, *, by: str, why: str, signer: Signer | None) -> Receipt:
    """Erase a claim's events and their nonces, and link the erasure; the chain stays intact without them.

    The triggers that refuse it are away for this one transaction.
    """
    salt = secrets.token_hex(16)
    named = sha256(f"{salt}{claim_id}".encode()).hexdigest()
    with opened(url, signer=signer) as database, database.writing() as connection:
        events = {
            LinkKind.REVIEW: _ids(connection, VERIFICATIONS, claim_id),
            LinkKind.PROMOTION: _ids(connection, PROMOTION_DECISIONS, claim_id),
        }
        links = links_of_events(connection, events)
        _drop_triggers(connection)
        for table in (VERIFICATIONS, PROMOTION_DECISIONS, DRAWN_REDACTIONS, *OF_CLAIMS):
            connection.execute(delete(table).where(table.c.claim_id == claim_id))
        for start in range(0, len(links), 500):
            part = links[start : start + 500]
            connection.execute(update(AUDIT_CHAIN).where(AUDIT_CHAIN.c.digest.in_(part)).values(nonce=""))
        restore_triggers(connection)
        row = {
            "claim_sha256": named,
            "erased_by": by,
            "erased_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "why": why,
            "links": " ".join(links),
        }
        made = connection.execute(insert(ERASURES).values(**row)).inserted_primary_key
        assert made is not None
        link_event(connection, LinkKind.ERASURE, {**row, "erasure_id": made[0]}, signer=signer)
    if url.startswith("sqlite:///"):
        pack(Path(url.removeprefix("sqlite:///")))
    return Receipt(salt, named, len(links))


def _ids(connection: Connection, table: object, claim_id: str) -> Sequence[int]:
    key = next(iter(table.primary_key))  # type: ignore[attr-defined]
    rows = connection.execute(select(key).where(table.c.claim_id == claim_id))  # type: ignore[attr-defined]
    return [int(found) for (found,) in rows]


def _drop_triggers(connection: Connection) -> None:
    for table in APPEND_ONLY:
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"DROP TRIGGER IF EXISTS {table.name}_keep ON {table.name}"))
        else:
            for verb in ("update", "delete"):
                connection.execute(text(f"DROP TRIGGER IF EXISTS {table.name}_keep_{verb}"))


def erase_from_index(path: Path, claim_id: str) -> None:
    """Take a claim out of the search index, its words' postings too."""
    if not path.is_file():
        return
    file = SearchFile(path)
    with file.writing() as connection, transaction(connection):
        remove_claim(connection, claim_id)
    file.pack()


def scrub_sqlite(path: Path, pattern: re.Pattern[str]) -> int:
    """Erase a claim from any SQLite file: rows of its partition go, others lose its name; return how many.

    What is left says "erased" where the claim's id was.
    """
    count = 0
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        connection.create_function("names_it", 1, lambda text: bool(pattern.search(str(text))))
        connection.create_function("without_it", 1, lambda text: pattern.sub(_ERASED, str(text)))
        connection.create_function("without_metadata", 1, _without_metadata)
        with connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
                texts = [
                    name
                    for _, name, kind, *_ in columns
                    if "CHAR" in kind.upper() or kind.upper() in ("TEXT", "JSON", "")
                ]
                for column in (name for name in texts if name in ("partition", "partition_key")):
                    count += connection.execute(
                        f'DELETE FROM "{table}" WHERE "{column}" IS NOT NULL AND names_it("{column}")'
                    ).rowcount
                if _LATEST in texts:
                    connection.execute(
                        f'UPDATE "{table}" SET "{_LATEST}" = without_metadata("{_LATEST}") '
                        f'WHERE "{_LATEST}" IS NOT NULL AND names_it("{_LATEST}")'
                    )
                for column in texts:
                    count += connection.execute(
                        f'UPDATE OR REPLACE "{table}" SET "{column}" = without_it("{column}") '
                        f'WHERE "{column}" IS NOT NULL AND names_it("{column}")'
                    ).rowcount
    if count:
        pack(path)
    return count


def _without_metadata(event: str) -> str:
    """Return an event of Dagster's without its metadata: a table in it names the claim's documents."""

    def emptied(value: Any) -> Any:
        if isinstance(value, list):
            return [emptied(one) for one in value]
        if isinstance(value, dict):
            return {key: [] if key == "metadata_entries" else emptied(one) for key, one in value.items()}
        return value

    return json.dumps(emptied(json.loads(event)))


def pack(path: Path) -> None:
    """Write a SQLite file anew without what was deleted, and empty its log of changes."""
    if not path.is_file():
        return
    with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
