"""Keeps which tabs have a claim open, in the database of the reviews, so that every server knows of them all.

Only names and field keys, for seconds: a server writes its tabs when they change and every few seconds, and
what it has not written for a while counts no more.
"""

import time
from collections.abc import Callable, Collection, Sequence

from sqlalchemy import delete, insert, select

from citation_pipeline.adapters.assignments.shapes import OPEN_TABS
from citation_pipeline.adapters.verifications.database import Database

KEPT_SECONDS = 30.0  # three heartbeats of a server
Looking = tuple[str, str]  # a person's name, and the key of the field they look at ("" for none)


class PresenceStore:
    """The open tabs of all servers of one database; safe to share between threads and between servers."""

    def __init__(self, url: str, *, now: Callable[[], float] = time.time) -> None:
        self._database = Database(url)
        self._now = now

    def keep(self, claim_id: str, *, server: str, looking: Callable[[], Collection[Looking]]) -> None:
        """Exchange what a server has told of a claim's tabs so far; forget what is too old of anybody's.

        `looking` is asked once nobody else writes: a claim that was erased while this waited has no tabs.
        """
        own = (OPEN_TABS.c.claim_id == claim_id) & (OPEN_TABS.c.server == server)
        with self._database.writing() as connection:
            now = self._now()
            rows = [
                {"claim_id": claim_id, "server": server, "name": name, "field_key": key, "seen_at": now}
                for name, key in sorted(set(looking()))
            ]
            connection.execute(delete(OPEN_TABS).where(own | (OPEN_TABS.c.seen_at < now - KEPT_SECONDS)))
            if rows:
                connection.execute(insert(OPEN_TABS), rows)

    def elsewhere(self, claim_id: str, *, server: str) -> Sequence[Looking]:
        """Return who has the claim open at other servers."""
        query = select(OPEN_TABS.c.name, OPEN_TABS.c.field_key).where(
            OPEN_TABS.c.claim_id == claim_id,
            OPEN_TABS.c.server != server,
            OPEN_TABS.c.seen_at >= self._now() - KEPT_SECONDS,
        )
        with self._database.reading() as connection:
            return sorted({(row.name, row.field_key) for row in connection.execute(query)})

    def leave(self, *, server: str) -> None:
        """Forget a server's tabs: it stops."""
        with self._database.writing() as connection:
            connection.execute(delete(OPEN_TABS).where(OPEN_TABS.c.server == server))

    def close(self) -> None:
        """Give the database's connections back."""
        self._database.close()
