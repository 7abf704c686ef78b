"""Whether a database answers, whether it is one that several hosts may share, and what time it has."""

import time

from sqlalchemy import Engine, make_url, text

from citation_pipeline.adapters.probes.findings import Finding, failed, looked, ok
from citation_pipeline.adapters.sql_engines import is_unused, open_engine

CLOCKS_DIFFER_S = 5.0
"""More than this between two clocks is a fault: times of decisions would contradict each other."""


def look_at_database(check: str, url: str, variable: str, *, shared: bool) -> Finding:
    """Return what was found of a database; `shared` for several hosts, which no SQLite file serves."""
    if shared and url.startswith("sqlite"):
        return failed(
            check,
            "a SQLite file of this machine",
            f"set {variable} to the fleet's PostgreSQL: other hosts see nothing of this file",
        )
    remedy = f"check {variable}, that the server runs, and that this host may connect to it"
    return looked(check, lambda: _ask(check, url), remedy)


def _shares_sessions(engine: Engine) -> bool:
    """Tell whether two connections that are both open may be one session of the server by turns.

    So it is with a pooler in transaction mode, and leases lean on sessions.
    """
    asked = text("SELECT pg_backend_pid()")
    with engine.connect() as first, engine.connect() as second:
        before = first.execute(asked).scalar_one()
        first.commit()
        other = second.execute(asked).scalar_one()  # and its transaction stays open
        return bool(other == before or first.execute(asked).scalar_one() != before)


def _ask(check: str, url: str) -> Finding:
    if is_unused(url):  # looking makes none
        return ok(check, "a SQLite file of this machine, made by the first who keeps anything")
    if url.startswith("sqlite"):
        with open_engine(url).connect() as connection:
            connection.execute(text("SELECT 1"))
        return ok(check, "a SQLite file of this machine")
    engine = open_engine(url, connect_args={"connect_timeout": 5})
    try:
        with engine.connect() as connection:
            before = time.time()
            theirs = float(
                connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()
            )
            ahead = theirs - (before + time.time()) / 2
        shares_sessions = _shares_sessions(engine)
    finally:
        engine.dispose()
    if shares_sessions:
        return failed(
            check,
            "is reached through a pooler that gives a connection away after each transaction: a lease that "
            "is held would count as free, and two hosts could work on one claim",
            "connect to the server itself, or have the pooler keep sessions (pgbouncer: pool_mode=session)",
        )
    if abs(ahead) > CLOCKS_DIFFER_S:
        return failed(
            check,
            f"its clock is {abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} this host's",
            "have both set by the same time service (NTP)",
        )
    shown = make_url(url)
    return ok(check, f"{shown.host}/{shown.database} answers, clocks differ by {abs(ahead):.1f} s")
