"""Sign-ins at another provider: those under way, and who came back.

Kept in the database, so that the server that a browser returns to need not be the one it left from. Of states
and cookies only hashes are kept.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from citation_pipeline.adapters.verifications.database import Database
from citation_pipeline.adapters.verifications.shapes import IDENTITIES, SIGN_INS

_UNDER_WAY_S = 600  # a password, a second factor, a telephone call


@dataclass(frozen=True, slots=True)
class SignIn:
    """A sign-in that came back: what it was begun with, and where the person wanted to go."""

    nonce: str
    verifier: str
    return_to: str


@dataclass(frozen=True, slots=True)
class KnownIdentity:
    """Who came back from the provider; `claims` are patterns of claim ids, none for all."""

    name: str
    role: str
    claims: Sequence[str]


class SignInStore:
    """The sign-ins of one database; safe to share between threads and between servers."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)

    def begin(self, state: str, *, nonce: str, verifier: str, return_to: str) -> str:
        """Keep a sign-in that begins, and return the cookie that binds it to this browser."""
        cookie = secrets.token_urlsafe(32)
        now = int(time.time())
        with self._database.writing() as connection:
            connection.execute(delete(SIGN_INS).where(SIGN_INS.c.expires_at < now))
            connection.execute(
                insert(SIGN_INS).values(
                    state_sha256=_digest(state),
                    browser_sha256=_digest(cookie),
                    nonce=nonce,
                    verifier=verifier,
                    return_to=return_to,
                    expires_at=now + _UNDER_WAY_S,
                )
            )
        return cookie

    def take(self, state: str, *, cookie: str) -> SignIn | None:
        """Return the sign-in of a state once; None when it is none, another browser's, or too old."""
        key = _digest(state)
        with self._database.writing() as connection:
            row = (
                connection.execute(select(SIGN_INS).where(SIGN_INS.c.state_sha256 == key)).mappings().first()
            )
            connection.execute(delete(SIGN_INS).where(SIGN_INS.c.state_sha256 == key))
        if row is None or row["expires_at"] < time.time() or row["browser_sha256"] != _digest(cookie):
            return None
        return SignIn(row["nonce"], row["verifier"], row["return_to"])

    def keep_identity(self, identity: KnownIdentity, *, seconds: int) -> str:
        """Keep who came back for a session's time, and return the key that the session is begun with."""
        key, now = _digest(secrets.token_urlsafe(32)), int(time.time())
        with self._database.writing() as connection:
            connection.execute(delete(IDENTITIES).where(IDENTITIES.c.expires_at < now))
            connection.execute(
                insert(IDENTITIES).values(
                    identity_sha256=key,
                    name=identity.name,
                    role=identity.role,
                    claims=json.dumps(list(identity.claims)),
                    expires_at=now + seconds,
                )
            )
        return key

    def identity_of(self, key: str) -> KnownIdentity | None:
        """Return who a session's key stands for."""
        query = select(IDENTITIES).where(IDENTITIES.c.identity_sha256 == key)
        with self._database.reading() as connection:
            row = connection.execute(query).mappings().first()
        if row is None or row["expires_at"] < time.time():
            return None
        return KnownIdentity(row["name"], row["role"], tuple(json.loads(row["claims"])))

    def names(self) -> list[str]:
        """Return who came back from the provider and may still be signed in."""
        with self._database.reading() as connection:
            return list(connection.execute(select(IDENTITIES.c.name).distinct()).scalars())

    def close(self) -> None:
        """Give the database's connections back."""
        self._database.close()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
