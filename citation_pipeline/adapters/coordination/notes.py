"""Notes: small facts under a kind and a key, each written once or exchanged whole, by whichever host.

Ids, fingerprints, counts, states and times: nothing that a document says. A note that says that something
is kept is written after the bytes are.
"""

import json
import time
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, delete, select

from citation_pipeline.adapters.coordination.database import Coordination, insertion
from citation_pipeline.adapters.coordination.shapes import NOTES

_AT_ONCE = 500


class Kind(StrEnum):
    """What notes there are, and what their keys are."""

    SENT = "sent"  # request fingerprint: it went out, and nobody knows its end
    BATCHED = "batched"  # request fingerprint: it is in a batch that was not collected
    COUNT = "count"  # request fingerprint: the tokens of its prompt
    BATCH = "batch"  # an id of ours: a batch that is open
    PAID_JOB = "paid_job"  # content and options: how far a paid parse has come
    ANALYSIS = "analysis"  # content, service version and what: under way, in doubt, failed
    FAILURES = "failures"  # content: how often in a row a paid parser failed on it
    PAUSE = "pause"  # provider: until when it wants no calls
    SIGHTING = "sighting"  # inbox and folder: how it looked, and since when


class Notes:
    """The notes of one kind."""

    def __init__(self, coordination: Coordination, kind: Kind) -> None:
        self.coordination, self.kind = coordination, kind

    def read(self, key: str) -> dict[str, Any] | None:
        """Return a note's facts, None where there is none."""
        if self.coordination.is_unused:
            return None
        query = select(NOTES.c.facts).where(NOTES.c.kind == self.kind.value, NOTES.c.key == key)
        text = self.coordination.read(lambda connection: connection.execute(query).scalar_one_or_none())
        return None if text is None else _facts(text)

    def items(self, *, prefix: str = "") -> dict[str, dict[str, Any]]:
        """Return all notes of the kind by their keys, or those whose keys begin so."""
        if self.coordination.is_unused:
            return {}
        query = select(NOTES.c.key, NOTES.c.facts).where(NOTES.c.kind == self.kind.value)
        if prefix:
            query = query.where(NOTES.c.key.startswith(prefix, autoescape=True))
        rows = self.coordination.read(lambda connection: connection.execute(query).all())
        return {row.key: _facts(row.facts) for row in rows}

    def write(self, key: str, facts: Mapping[str, Any], *, claim_id: str = "") -> None:
        """Write a note in place of the one before; it is durable when this returns."""
        self.coordination.write(
            lambda connection: put(connection, self.kind, {key: facts}, claim_id=claim_id)
        )

    def create(self, key: str, facts: Mapping[str, Any], *, claim_id: str = "") -> bool:
        """Write a note where there is none; tell whether this call did."""

        def insert(connection: Connection) -> bool:
            row = insertion(connection.dialect.name, NOTES).values(_row(self.kind, key, facts, claim_id))
            return bool(connection.execute(row.on_conflict_do_nothing()).rowcount == 1)

        return self.coordination.write(insert)

    def forget(self, key: str) -> None:
        """Remove a note."""
        if not self.coordination.is_unused:
            self.coordination.write(lambda connection: remove(connection, (self.kind,), key))

    def exchange(self, notes: Mapping[str, Mapping[str, Any]], *, prefix: str) -> None:
        """Put these notes in the place of all whose keys begin so, at once."""

        def change(connection: Connection) -> None:
            old = delete(NOTES).where(NOTES.c.kind == self.kind.value)
            connection.execute(old.where(NOTES.c.key.startswith(prefix, autoescape=True)))
            put(connection, self.kind, notes)

        self.coordination.write(change)


def put(
    connection: Connection, kind: Kind, notes: Mapping[str, Mapping[str, Any]], *, claim_id: str = ""
) -> None:
    """Write notes in place of those before, within somebody's transaction."""
    insert = insertion(connection.dialect.name, NOTES)
    changed = {name: insert.excluded[name] for name in ("claim_id", "facts", "at")}
    upsert = insert.on_conflict_do_update(index_elements=["kind", "key"], set_=changed)
    # in one order for everybody: two transactions that wait for each other's rows would be a deadlock
    rows = [_row(kind, key, facts, claim_id) for key, facts in sorted(notes.items())]
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(upsert, rows[start : start + _AT_ONCE])


def remove(connection: Connection, kinds: Iterable[Kind], key: str) -> None:
    """Remove notes of some kinds under one key, within somebody's transaction."""
    named = [kind.value for kind in kinds]
    connection.execute(delete(NOTES).where(NOTES.c.kind.in_(named), NOTES.c.key == key))


def _row(kind: Kind, key: str, facts: Mapping[str, Any], claim_id: str) -> dict[str, Any]:
    text = json.dumps(facts, sort_keys=True)
    return {"kind": kind.value, "key": key, "claim_id": claim_id, "facts": text, "at": time.time()}


def _facts(text: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(text)
    return facts
