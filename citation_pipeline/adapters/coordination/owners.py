"""What a process is known by while it lives: a token, and a lock that its death gives back.

On one machine the kernel keeps the lock (flock on a file named by the token); between machines PostgreSQL
does, for as long as the process's connection lives (an advisory lock). Neither has to be renewed, and
neither outlives a kill -9: so a lease's row may name its owner and needs no short expiry.
"""

import contextlib
import fcntl
import hashlib
import os
import socket
import threading
import time
import uuid
import weakref
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from citation_pipeline.adapters.sql_engines import open_engine, sqlite_file

_BEAT_S = 2.0
# after a server's restart every owner has taken its lock again by then, see `_ServerOwner.may_judge`
_GRACE_S = 6.0
# a host that disappears loses its connection, and its leases, after some twenty seconds
_KEEPALIVES = "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
_JUDGING = text(
    "SELECT CASE WHEN pg_try_advisory_xact_lock(:own) THEN false ELSE pg_try_advisory_xact_lock(:other) END"
)
_CONNECTING = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "application_name": "citation_pipeline owner",
    "options": _KEEPALIVES,
}


class Owner(Protocol):
    """A living process, as others see it."""

    token: str
    holder: str
    """Host and process, for people."""

    def is_dead(self, connection: Connection, token: str) -> bool:
        """Tell whether another owner's process has ended; False while that cannot be known."""
        ...

    def close(self) -> None:
        """End: whatever is held under this token is free."""
        ...


def open_owner(url: str) -> Owner:
    """Return this process as an owner in a database."""
    path = sqlite_file(url)
    return _ServerOwner(url) if path is None else _FileOwner(path.with_name("leases"))


class _FileOwner:
    """An owner on one machine: a file of its own, locked by the kernel until the process has ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.token, self.holder = uuid.uuid4().hex, _holder()
        folder.mkdir(parents=True, exist_ok=True)
        self._sweep()
        self._lock = self._locked()
        _OF_THIS_PROCESS.add(self)

    def is_dead(self, connection: Connection, token: str) -> bool:
        """Tell whether nobody holds the file any more."""
        return _is_free(self._folder / f"{token}.owner")

    def close(self) -> None:
        """Remove the file, then let go of it."""
        if self._lock >= 0:
            (self._folder / f"{self.token}.owner").unlink(missing_ok=True)
            self.leave()

    def leave(self) -> None:
        """Let go of the lock, whoever else has it."""
        handle, self._lock = self._lock, -1
        if handle >= 0:
            os.close(handle)

    def _locked(self) -> int:
        path = self._folder / f"{self.token}.owner"
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX)
            # another process may have found the file before it was locked, and swept it away
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(handle).st_ino:
                    return handle
            os.close(handle)

    def _sweep(self) -> None:
        """Remove what killed processes left; whose file is gone counts as dead all the same."""
        for path in self._folder.glob("*.owner"):
            _is_free(path, removes=True)


_OF_THIS_PROCESS: "weakref.WeakSet[_FileOwner]" = weakref.WeakSet()


def _leave_to_the_parent() -> None:
    """Close the locks that a fork inherited: a child that lives on must not keep its parent's leases."""
    for owner in list(_OF_THIS_PROCESS):
        owner.leave()


os.register_at_fork(after_in_child=_leave_to_the_parent)


def _is_free(path: Path, *, removes: bool = False) -> bool:
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if removes:
            path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


class _ServerOwner:
    """An owner in PostgreSQL: an advisory lock on a connection of its own, looked after by a thread."""

    def __init__(self, url: str) -> None:
        self.token, self.holder = uuid.uuid4().hex, _holder()
        self._engine: Engine = open_engine(url, poolclass=NullPool, connect_args=_CONNECTING)
        self._ended = threading.Event()
        self._connection: Connection | None = self._connected()
        self._since = time.monotonic()
        self._thread = threading.Thread(target=self._look_after, name="leases", daemon=True)
        self._thread.start()

    def is_dead(self, connection: Connection, token: str) -> bool:
        """Tell whether nobody holds the token's lock; the answer holds to the end of the transaction.

        A server that was restarted has lost every lock at once. So a process judges only while its own lock
        is there, and for longer than all others need to notice that theirs is gone and take it again.
        """
        if self._connection is None or time.monotonic() - self._since < _GRACE_S:
            return False
        keys = {"own": _lock_key(self.token), "other": _lock_key(token)}
        return bool(connection.execute(_JUDGING, keys).scalar())

    def close(self) -> None:
        """Close the connection: the server gives the lock back."""
        self._ended.set()
        if self._thread is not threading.current_thread():
            self._thread.join(2 * _BEAT_S)
        self._disconnect()
        self._engine.dispose()

    def _connected(self) -> Connection:
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _lock_key(self.token)})
        except BaseException:
            connection.close()
            raise
        return connection

    def _look_after(self) -> None:
        """Notice a connection that broke, and lock the token again on a new one."""
        while not self._ended.wait(_BEAT_S):
            try:
                if self._connection is None:
                    taken = self._connected()
                    self._since = time.monotonic()  # before it is seen that there is a connection
                    self._connection = taken
                self._connection.execute(text("SELECT 1"))
            except SQLAlchemyError:
                self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(SQLAlchemyError):
                connection.invalidate()
                connection.close()


def _lock_key(token: str) -> int:
    """Return the token as a number that PostgreSQL locks: 64 bits with a sign."""
    return int.from_bytes(hashlib.sha256(f"citation_pipeline {token}".encode()).digest()[:8], signed=True)


def _holder() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
