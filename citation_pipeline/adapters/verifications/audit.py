"""The audit chain of a database of reviews: linking events as they are kept, reading and exporting links.

What makes a chain intact is `core.review.chain`.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, text

from citation_pipeline.adapters.verifications.shapes import (
    AUDIT_CHAIN,
    ERASURES,
    LATER_COLUMNS,
    PROMOTION_DECISIONS,
    VERIFICATIONS,
)
from citation_pipeline.adapters.verifications.signing import Signer
from citation_pipeline.core.review.chain import (
    BEGINNING,
    Entry,
    Link,
    LinkKind,
    commitment_of,
    digest_of,
)

TABLE_OF: Mapping[LinkKind, Table] = {
    LinkKind.REVIEW: VERIFICATIONS,
    LinkKind.ADOPTED_REVIEW: VERIFICATIONS,
    LinkKind.PROMOTION: PROMOTION_DECISIONS,
    LinkKind.ADOPTED_PROMOTION: PROMOTION_DECISIONS,
    LinkKind.ERASURE: ERASURES,
}
# writers follow one another, or two links would follow the same one; SQLite's writers do anyway
ONE_WRITER = text("SELECT pg_advisory_xact_lock(hashtext('citation_pipeline.audit_chain'))")

MEANING = """\
This is an excerpt of the audit chain of a database of reviews. Every decision is an event; every event has a
link that holds the SHA-256 of the event (with a random nonce) and the digest of the link before.

What an intact chain shows: none of the events in it was changed, removed, added in between or put in another
order since its link was made. Links that are signed were made by whoever held the signing key.

What it does not show: that a person really is who the event names (the server's sign-in decides that), that
the clock was right, that what was confirmed is true, what happened before an event was linked (adopted links
are of events older than the chain), or that no newer links were cut off at the end: compare the head with a
copy that was kept elsewhere. Without signatures, whoever can write to the database could make the whole
chain anew."""


def link_event(
    connection: Connection, kind: LinkKind, event: Mapping[str, Any], *, signer: Signer | None
) -> Link:
    """Append the link of an event that this transaction keeps."""
    if connection.dialect.name == "postgresql":
        connection.execute(ONE_WRITER)
    newest = select(AUDIT_CHAIN.c.digest).order_by(AUDIT_CHAIN.c.link_id.desc()).limit(1)
    previous = connection.execute(newest).scalar() or BEGINNING
    link = _made(kind, event, previous=str(previous), signer=signer)
    connection.execute(insert(AUDIT_CHAIN).values(**_row(link)))
    return link


def adopt_events(connection: Connection, *, signer: Signer | None) -> None:
    """Link the events of a database that had no chain, by their time."""
    found = [
        (str(row["made_at"]), LinkKind.ADOPTED_REVIEW, dict(row))
        for row in connection.execute(select(VERIFICATIONS)).mappings()
    ]
    found += [
        (str(row["decided_at"]), LinkKind.ADOPTED_PROMOTION, dict(row))
        for row in connection.execute(select(PROMOTION_DECISIONS)).mappings()
    ]
    previous = BEGINNING
    for _, kind, event in sorted(found, key=lambda adopted: (adopted[0], _event_id(adopted[1], adopted[2]))):
        link = _made(kind, event, previous=previous, signer=signer)
        connection.execute(insert(AUDIT_CHAIN).values(**_row(link)))
        previous = link.digest


def read_entries(connection: Connection, *, claim_id: str | None = None) -> Iterator[Entry]:
    """Yield the chain's links with their events, in order.

    With a claim: from its first link on, with that claim's events and of the others no more than the link.
    """
    events = {kind: _events(connection, table, claim_id) for kind, table in TABLE_OF.items()}
    query = select(AUDIT_CHAIN).order_by(AUDIT_CHAIN.c.link_id)
    has_begun = claim_id is None
    for row in connection.execute(query).mappings():
        kind = LinkKind(row["kind"])
        event = events[kind].get(int(row["event_id"]))
        has_begun = has_begun or event is not None
        if not has_begun:
            continue
        is_foreign = claim_id is not None and event is None
        yield Entry(_link(row, with_nonce=not is_foreign), event, is_foreign=is_foreign)


def unlinked_events(connection: Connection) -> list[str]:
    """Return the events without a link: kept by an older version, or put in beside the software."""
    linked = {
        (TABLE_OF[LinkKind(kind)].name, int(event_id))
        for kind, event_id in connection.execute(select(AUDIT_CHAIN.c.kind, AUDIT_CHAIN.c.event_id))
    }
    return [
        f"{table.name} {event_id} has no link: it was kept by an older version or written by hand"
        for table in (VERIFICATIONS, PROMOTION_DECISIONS, ERASURES)
        for (event_id,) in connection.execute(select(next(iter(table.primary_key))))
        if (table.name, int(event_id)) not in linked
    ]


def cut_off_links(connection: Connection) -> list[str]:
    """Return that links at the chain's end are gone, where the database counts what was ever written.

    SQLite does, and gives back the numbers of writes that were undone; Postgres does not.
    """
    if connection.dialect.name != "sqlite":
        return []
    counted = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
    written = connection.execute(counted, {"name": AUDIT_CHAIN.name}).scalar() or 0
    newest = connection.execute(select(func.max(AUDIT_CHAIN.c.link_id))).scalar() or 0
    if newest >= written:
        return []
    return [f"links {newest + 1} to {written} are gone: they were cut off at the chain's end"]


def repeated_events(connection: Connection) -> list[str]:
    """Return the events that more than one link names."""
    found: dict[tuple[str, int], int] = {}
    for kind, event_id in connection.execute(select(AUDIT_CHAIN.c.kind, AUDIT_CHAIN.c.event_id)):
        key = TABLE_OF[LinkKind(kind)].name, int(event_id)
        found[key] = found.get(key, 0) + 1
    return [f"{name} {event_id} has {count} links" for (name, event_id), count in found.items() if count > 1]


def length_of(connection: Connection) -> int:
    """Return how many links the chain has."""
    return int(connection.execute(select(func.count()).select_from(AUDIT_CHAIN)).scalar() or 0)


def entry_as_json(entry: Entry) -> dict[str, Any]:
    """Return an entry as an export holds it."""
    return {**asdict(entry.link), "event": entry.event, "is_foreign": entry.is_foreign}


def entry_of_json(kept: Mapping[str, Any]) -> Entry:
    """Return an entry of an export; raises KeyError, TypeError or ValueError for what is none."""
    given = {name: kept[name] for name in Link.__dataclass_fields__}
    return Entry(Link(**{**given, "kind": LinkKind(given["kind"])}), kept["event"], kept["is_foreign"])


def _events(connection: Connection, table: Table, claim_id: str | None) -> dict[int, dict[str, Any]]:
    key = next(iter(table.primary_key)).name
    query = select(table)
    if claim_id is not None:
        if "claim_id" not in table.c:
            return {}
        query = query.where(table.c.claim_id == claim_id)
    rows = [dict(row) for row in connection.execute(query).mappings()]
    return {int(row[key]): _event(row) for row in rows}


def _event(row: Mapping[str, Any]) -> dict[str, Any]:
    # a column that came later is no part of what older links commit to
    event = {name: kept for name, kept in row.items() if name not in LATER_COLUMNS or kept is not None}
    if "links" in event and isinstance(event["links"], str):
        event["links"] = event["links"].split()
    return event


def _event_id(kind: LinkKind, event: Mapping[str, Any]) -> int:
    return int(event[next(iter(TABLE_OF[kind].primary_key)).name])


def _made(kind: LinkKind, event: Mapping[str, Any], *, previous: str, signer: Signer | None) -> Link:
    nonce, linked_at = secrets.token_hex(16), datetime.now(UTC).isoformat(timespec="milliseconds")
    commitment, event_id = commitment_of(nonce, _event(event)), _event_id(kind, event)
    digest = digest_of(
        kind=kind, event_id=event_id, linked_at=linked_at, commitment=commitment, previous=previous
    )
    return Link(
        kind=kind,
        event_id=event_id,
        linked_at=linked_at,
        commitment=commitment,
        previous=previous,
        digest=digest,
        nonce=nonce,
        signature=signer.sign(digest) if signer else "",
        key_id=signer.key_id if signer else "",
    )


def _row(link: Link) -> dict[str, Any]:
    return {**asdict(link), "kind": link.kind.value}


def _link(row: Any, *, with_nonce: bool) -> Link:
    kept = {name: row[name] for name in Link.__dataclass_fields__}
    return Link(**{**kept, "kind": LinkKind(kept["kind"]), "nonce": kept["nonce"] if with_nonce else ""})


def links_of_events(connection: Connection, events: Mapping[LinkKind, Sequence[int]]) -> list[str]:
    """Return the digests of these events' links, in the chain's order."""
    rows = connection.execute(
        select(AUDIT_CHAIN.c.kind, AUDIT_CHAIN.c.event_id, AUDIT_CHAIN.c.digest).order_by(
            AUDIT_CHAIN.c.link_id
        )
    )
    wanted = {(TABLE_OF[kind].name, event_id) for kind, ids in events.items() for event_id in ids}
    return [
        str(digest)
        for kind, event_id, digest in rows
        if (TABLE_OF[LinkKind(kind)].name, int(event_id)) in wanted
    ]
