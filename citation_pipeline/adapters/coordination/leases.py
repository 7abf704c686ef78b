"""Leases: rows that say who may do a thing now, held by one process at a time in whatever number of hosts.

A lease is given back when it is released, when its owner's process dies (`owners`), or when it expires.
"""

import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Float, bindparam, delete, select, update

from citation_pipeline.adapters.coordination.database import (
    DIALECTS,
    Coordination,
    database_time,
    insertion,
    moment_of,
)
from citation_pipeline.adapters.coordination.owners import Owner
from citation_pipeline.adapters.coordination.shapes import LEASES

# a process that hangs for a day does nothing any more, whatever its connection says
LONGEST_LEASE_S = 24 * 3600.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.01, 0.25

_log = logging.getLogger(__name__)


@contextmanager
def holding(coordination: Coordination, name: str) -> Iterator[bool]:
    """Hold a lease for the block; yields whether another holder had it first and was waited for.

    Threads of one process exclude each other too. A holder that was cut off from the database for so long
    that another took the lease over is warned of in the log when its block ends.
    """
    nonce = uuid.uuid4().hex
    waited = _take(coordination, name, nonce)
    try:
        yield waited
    finally:
        if not coordination.write(lambda connection: _release(connection, name, nonce), is_durable=False):
            _log.warning("the lease %s was taken over by another process before it was released", name)


def try_to_hold(coordination: Coordination, name: str) -> str | None:
    """Take a lease if nobody has it; return what `release` needs, None while another holds it."""
    nonce = uuid.uuid4().hex
    return nonce if _won(coordination, name, nonce) else None


def release(coordination: Coordination, name: str, nonce: str) -> bool:
    """Give a lease back; tell whether it still was one's own."""
    return coordination.write(lambda connection: _release(connection, name, nonce), is_durable=False)


def _take(coordination: Coordination, name: str, nonce: str) -> bool:
    """Take a lease however long it takes; return whether somebody was waited for."""
    waited, wait = False, _FIRST_WAIT_S
    while not _won(coordination, name, nonce):
        waited = True
        time.sleep(wait)
        wait = min(wait * 1.5, _LONGEST_WAIT_S)
        while coordination.read(lambda connection: _is_kept(coordination.owner, connection, name)):
            time.sleep(wait)
            wait = min(wait * 1.5, _LONGEST_WAIT_S)
    return waited


def _won(coordination: Coordination, name: str, nonce: str) -> bool:
    owner = coordination.owner  # before the transaction: it may have to be opened
    return coordination.write(lambda connection: _insert(owner, connection, name, nonce), is_durable=False)


def _insert(owner: Owner, connection: Connection, name: str, nonce: str) -> bool:
    """Take a lease that nobody has, or whose holder is dead or too late; all in one transaction."""
    taken = {
        "lease": name,
        "owner": owner.token,
        "nonce": nonce,
        "holder": owner.holder,
        "lasts": LONGEST_LEASE_S,
    }
    of = _STATEMENTS[connection.dialect.name]
    if connection.execute(of.insert, taken | of.moment()).rowcount == 1:
        return True
    found = connection.execute(of.look, {"lease": name} | of.moment()).one_or_none()
    if found is None:
        return False  # it was released since
    if found.nonce == nonce:
        return True  # the answer to the first try was lost
    if not found.is_late and not _is_over(owner, connection, found.owner):
        return False
    # only if it still is the very lease that was looked at
    return connection.execute(of.replace, taken | {"found": found.nonce} | of.moment()).rowcount == 1


def _is_kept(owner: Owner, connection: Connection, name: str) -> bool:
    """Tell whether a lease is held by somebody who lives; changes nothing, and so holds nobody up."""
    of = _STATEMENTS[connection.dialect.name]
    found = connection.execute(of.look, {"lease": name} | of.moment()).one_or_none()
    if found is None or found.is_late:
        return False
    return not _is_over(owner, connection, found.owner)


def _is_over(owner: Owner, connection: Connection, token: str) -> bool:
    return token != owner.token and owner.is_dead(connection, token)


class _Statements:
    """The statements in one database's words, built once: building one takes longer than SQLite does."""

    def __init__(self, dialect: str) -> None:
        now = database_time(dialect)
        taken = {
            "owner": bindparam("owner"),
            "nonce": bindparam("nonce"),
            "holder": bindparam("holder"),
            "taken_at": now,
            "expires_at": now + bindparam("lasts", type_=Float),
        }
        inserted = insertion(dialect, LEASES).values(name=bindparam("lease"), **taken)
        self.insert = inserted.on_conflict_do_nothing()
        self.look = select(
            LEASES.c.owner, LEASES.c.nonce, (LEASES.c.expires_at < now).label("is_late")
        ).where(LEASES.c.name == bindparam("lease"))
        self.replace = (
            update(LEASES)
            .where(LEASES.c.name == bindparam("lease"), LEASES.c.nonce == bindparam("found"))
            .values(**taken)
        )
        self.moment = moment_of(dialect)


_STATEMENTS = {dialect: _Statements(dialect) for dialect in DIALECTS}
_RELEASED = delete(LEASES).where(LEASES.c.name == bindparam("lease"), LEASES.c.nonce == bindparam("taking"))


def _release(connection: Connection, name: str, nonce: str) -> bool:
    return connection.execute(_RELEASED, {"lease": name, "taking": nonce}).rowcount == 1
