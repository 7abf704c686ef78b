"""Erasing a claim from what is decided once; counts and costs of its requests stay, without its name."""

import json
from collections.abc import Collection
from pathlib import Path

from sqlalchemy import Connection, delete, select, update

from citation_pipeline.adapters.coordination.database import Coordination
from citation_pipeline.adapters.coordination.notes import Kind
from citation_pipeline.adapters.coordination.shapes import LEASES, NOTES, OUTBOUND_REQUESTS

ERASED = "(erased)"
_OF_REQUESTS = (Kind.SENT, Kind.BATCHED, Kind.COUNT)
_OF_CONTENTS = (Kind.PAID_JOB, Kind.FAILURES, Kind.ANALYSIS)
_AT_ONCE = 500


def fingerprints_of(coordination: Coordination, claim_id: str) -> frozenset[str]:
    """Return the fingerprints of the requests that were sent for a claim, or are under way."""
    if coordination.is_unused:
        return frozenset()

    def look(connection: Connection) -> frozenset[str]:
        sent = select(OUTBOUND_REQUESTS.c.facts).where(OUTBOUND_REQUESTS.c.claim_id == claim_id)
        found = {json.loads(text).get("request_fingerprint") for (text,) in connection.execute(sent)}
        noted = select(NOTES.c.key).where(
            NOTES.c.claim_id == claim_id, NOTES.c.kind.in_([kind.value for kind in _OF_REQUESTS])
        )
        found |= {key for (key,) in connection.execute(noted)}
        return frozenset(str(mark) for mark in found if mark)

    return coordination.read(look)


def erase_rows(
    coordination: Coordination, claim_id: str, *, fingerprints: Collection[str], others: Collection[str]
) -> int:
    """Erase a claim's rows; return how many. `others` are the contents that other claims hold too."""
    if coordination.is_unused:
        return 0

    def change(connection: Connection) -> int:
        count = connection.execute(delete(NOTES).where(NOTES.c.claim_id == claim_id)).rowcount
        for start in range(0, len(marks := sorted(fingerprints)), _AT_ONCE):
            part = marks[start : start + _AT_ONCE]
            kinds = [kind.value for kind in _OF_REQUESTS]
            gone = delete(NOTES).where(NOTES.c.kind.in_(kinds), NOTES.c.key.in_(part))
            count += connection.execute(gone).rowcount
        count += _erase_contents(connection, claim_id, others)
        count += _erase_from_lists(connection, claim_id)
        leases = delete(LEASES).where(LEASES.c.name.endswith(f"/{claim_id}", autoescape=True))
        connection.execute(leases)
        return count + _unname_requests(connection, claim_id)

    return coordination.write(change)


def _erase_contents(connection: Connection, claim_id: str, others: Collection[str]) -> int:
    """Remove what is noted of contents that no claim holds any more, as their files are removed.

    Of one that another claim holds too, the erased claim's copy of the result is forgotten.
    """
    count = 0
    kinds = [kind.value for kind in _OF_CONTENTS]
    found = select(NOTES.c.kind, NOTES.c.key, NOTES.c.facts).where(NOTES.c.kind.in_(kinds))
    for kind, key, text in connection.execute(found).all():
        this = (NOTES.c.kind == kind, NOTES.c.key == key)
        facts = json.loads(text)
        if key.partition("-")[0] not in others:
            count += connection.execute(delete(NOTES).where(*this)).rowcount
        elif claim_id in Path(facts.get("stored_path") or "").parts:
            left = json.dumps({**facts, "stored_path": None}, sort_keys=True)
            connection.execute(update(NOTES).where(*this).values(facts=left))
    return count


def _erase_from_lists(connection: Connection, claim_id: str) -> int:
    """Take a claim's requests out of open batches, and its folder out of what was seen in the inbox."""
    count = connection.execute(
        delete(NOTES).where(
            NOTES.c.kind == Kind.SIGHTING.value, NOTES.c.key.endswith(f"/{claim_id}", autoescape=True)
        )
    ).rowcount
    batches = select(NOTES.c.key, NOTES.c.facts).where(NOTES.c.kind == Kind.BATCH.value)
    for key, text in connection.execute(batches).all():
        facts = json.loads(text)
        left = [one for one in facts.get("requests", []) if one.get("claim_id") != claim_id]
        if len(left) == len(facts.get("requests", [])):
            continue
        of_batch = (NOTES.c.kind == Kind.BATCH.value, NOTES.c.key == key)
        count += 1
        if left:
            facts = json.dumps({**facts, "requests": left}, sort_keys=True)
            connection.execute(update(NOTES).where(*of_batch).values(facts=facts))
        else:
            connection.execute(delete(NOTES).where(*of_batch))
    return count


def _unname_requests(connection: Connection, claim_id: str) -> int:
    of_claim = select(OUTBOUND_REQUESTS.c.id, OUTBOUND_REQUESTS.c.facts).where(
        OUTBOUND_REQUESTS.c.claim_id == claim_id
    )
    rows = connection.execute(of_claim).all()
    for row in rows:
        facts = {**json.loads(row.facts), "claim_id": ERASED, "request_fingerprint": ""}
        connection.execute(
            update(OUTBOUND_REQUESTS)
            .where(OUTBOUND_REQUESTS.c.id == row.id)
            .values(claim_id=ERASED, facts=json.dumps(facts, sort_keys=True))
        )
    return len(rows)
