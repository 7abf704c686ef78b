"""Tokens that an administrator gave in the viewer: their hashes, until they expire or are withdrawn.

The tokens file of a deployment is read at its start and is not kept here.
"""

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, select

from citation_pipeline.adapters.verifications.database import Database
from citation_pipeline.adapters.verifications.shapes import ISSUED_TOKENS
from citation_pipeline.core.review.people import same_person

_TRUST_S = 5.0  # a token that another server withdrew counts for this long


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A token's record; `expires_at` in seconds since 1970."""

    token_id: int
    name: str
    role: str
    sha256: str
    claims: Sequence[str]
    expires_at: int


class NameTakenError(Exception):
    """A token of that name was given before, perhaps to somebody else."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "a token of that name was given before: say that it is the same person, or choose another"
        )
        self.name = name


class TokenStore:
    """The tokens of one database; safe to share between threads and between servers."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self._lock = threading.Lock()
        self._known: tuple[float, dict[str, IssuedToken]] = (0.0, {})

    def give(
        self,
        name: str,
        *,
        role: str,
        claims: Sequence[str],
        days: int,
        by: str,
        is_known: bool = False,
    ) -> tuple[IssuedToken, str]:
        """Keep a new token and return it with its secret, which is kept nowhere.

        Raises NameTakenError where a token of that name was given before, unless the person `is_known`: who
        signs under another's name would sign for them.
        """
        secret = secrets.token_urlsafe(32)
        row = {
            "name": name,
            "role": role,
            "sha256": hashlib.sha256(secret.encode()).hexdigest(),
            "claims": json.dumps(list(claims)),
            "given_by": by,
            "expires_at": int(time.time()) + days * 86_400,
        }
        with self._database.writing() as connection:
            given = connection.execute(select(ISSUED_TOKENS.c.name)).scalars()
            if not is_known and any(same_person(name, other) for other in given):
                raise NameTakenError(name)
            made = connection.execute(insert(ISSUED_TOKENS).values(**row)).inserted_primary_key
        assert made is not None
        self._forget()
        token = IssuedToken(
            int(made[0]), name, role, str(row["sha256"]), tuple(claims), int(str(row["expires_at"]))
        )
        return token, secret

    def tokens(self) -> list[IssuedToken]:
        """Return the tokens that have not expired, oldest first."""
        return list(self._current().values())

    def names(self) -> list[str]:
        """Return whom tokens were given to, those that have expired included."""
        with self._database.reading() as connection:
            return list(connection.execute(select(ISSUED_TOKENS.c.name).distinct()).scalars())

    def find(self, sha256: str) -> IssuedToken | None:
        """Return the token of a secret's hash, None when it is none, expired or withdrawn."""
        return self._current().get(sha256)

    def withdraw(self, token_id: int) -> IssuedToken | None:
        """Delete a token and return what it was; None where there is no such token."""
        found = next((token for token in self._read().values() if token.token_id == token_id), None)
        with self._database.writing() as connection:
            connection.execute(delete(ISSUED_TOKENS).where(ISSUED_TOKENS.c.token_id == token_id))
        self._forget()
        return found

    def close(self) -> None:
        """Give the database's connections back."""
        self._database.close()

    def _current(self) -> dict[str, IssuedToken]:
        now = time.time()
        with self._lock:
            until, known = self._known
        if now >= until:
            known = self._read()
            with self._lock:
                self._known = (now + _TRUST_S, known)
        return {digest: token for digest, token in known.items() if token.expires_at > now}

    def _read(self) -> dict[str, IssuedToken]:
        with self._database.reading() as connection:
            rows = (
                connection.execute(select(ISSUED_TOKENS).order_by(ISSUED_TOKENS.c.token_id)).mappings().all()
            )
        return {
            row["sha256"]: IssuedToken(
                row["token_id"],
                row["name"],
                row["role"],
                row["sha256"],
                tuple(json.loads(row["claims"])),
                row["expires_at"],
            )
            for row in rows
        }

    def _forget(self) -> None:
        with self._lock:
            self._known = (0.0, {})
