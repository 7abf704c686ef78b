"""Sign-in sessions: which cookie stands for which token, until it expires or is ended.

A cookie is a random number; only its hash is kept, so neither the table nor the tokens file yields one.
"""

import hashlib
import secrets
import threading
import time

from sqlalchemy import delete, insert, select

from citation_pipeline.adapters.verifications.database import Database
from citation_pipeline.adapters.verifications.shapes import SESSIONS

_TRUST_S = 5.0  # a session that another server ended counts for this long; an ended one here, not at all


class SessionStore:
    """The sessions of one database; safe to share between threads and between servers."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self._lock = threading.Lock()
        self._known: dict[str, tuple[str, float]] = {}  # session to its token, and until when that is trusted

    def begin(self, token_sha256: str, *, seconds: int) -> str:
        """Keep a new session of a token and return its cookie value."""
        cookie = secrets.token_urlsafe(32)
        now = int(time.time())
        with self._database.writing() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_at < now))
            connection.execute(
                insert(SESSIONS).values(
                    session_sha256=_digest(cookie), token_sha256=token_sha256, expires_at=now + seconds
                )
            )
        return cookie

    def token_of(self, cookie: str) -> str | None:
        """Return the hash of the token that a cookie stands for; None when it is none, expired or ended."""
        session, now = _digest(cookie), time.time()
        with self._lock:
            known = self._known.get(session)
            if known is not None and now < known[1]:
                return known[0]
        query = select(SESSIONS.c.token_sha256, SESSIONS.c.expires_at)
        with self._database.reading() as connection:
            found = connection.execute(query.where(SESSIONS.c.session_sha256 == session)).first()
        with self._lock:
            self._known = {key: kept for key, kept in self._known.items() if now < kept[1]}
            if found is None or found.expires_at < now:
                return None
            self._known[session] = str(found.token_sha256), min(now + _TRUST_S, float(found.expires_at))
        return str(found.token_sha256)

    def end(self, cookie: str) -> None:
        """End a session: its cookie stands for nobody any more."""
        session = _digest(cookie)
        with self._database.writing() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.session_sha256 == session))
        with self._lock:
            self._known.pop(session, None)

    def end_all(self, token_sha256: str) -> None:
        """End every session of a token."""
        with self._database.writing() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.token_sha256 == token_sha256))
        with self._lock:
            self._known = {key: kept for key, kept in self._known.items() if kept[0] != token_sha256}

    def close(self) -> None:
        """Give the database's connections back."""
        self._database.close()


def _digest(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "replace")).hexdigest()
