"""Access tokens of an OAuth 2.1 authorization server: this server is a resource server and issues none.

A token is a JWT for this resource (its audience), signed with one of the issuer's keys. Scopes say what
it may:

    claims:read             read every claim
    claims:read:N-2025-*    read the claims of a group, by a pattern of their ids
    claims:review[:…]       read and decide

"""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jwt

READ, REVIEW = "claims:read", "claims:review"
METADATA_PATH = "/.well-known/oauth-protected-resource"

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a private key only: with a shared secret, whoever checks could also issue."""

_LEEWAY_S = 30  # clocks of two machines differ


class TokenRefusedError(Exception):
    """A token that is none for this server; the reason is not told to whoever presents it."""


@dataclass(frozen=True, slots=True)
class OAuthAccess:
    """`audience` is this resource's identifier, its MCP address; `keys` a JWKS file or its https address."""

    issuer: str
    audience: str
    keys: str

    def metadata(self) -> Mapping[str, Any]:
        """Return the protected-resource metadata (RFC 9728)."""
        return {
            "resource": self.audience,
            "authorization_servers": [self.issuer],
            "scopes_supported": [READ, REVIEW],
            "bearer_methods_supported": ["header"],
            "resource_name": "Claims with citations",
        }

    @property
    def metadata_url(self) -> str:
        """Where the metadata is, for `WWW-Authenticate`."""
        parts = urlsplit(self.audience)
        return f"{parts.scheme}://{parts.netloc}{METADATA_PATH}{parts.path.rstrip('/')}"

    def challenge(self, *, error: str = "", scope: str = READ) -> str:
        """Return the `WWW-Authenticate` header of a refusal."""
        parts = [f'resource_metadata="{self.metadata_url}"', f'scope="{scope}"']
        if error:
            parts.insert(0, f'error="{error}"')
        return "Bearer " + ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token allows: patterns of the claims to read and to decide on; None means all of them."""

    subject: str
    reads: tuple[str, ...] | None
    reviews: tuple[str, ...] | None

    @property
    def is_empty(self) -> bool:
        """Tell whether no scope of this server is in it."""
        return self.reads == ()


class TokenReader:
    """Checks tokens against the issuer's keys, which are read once and again when a key is not known."""

    def __init__(self, access: OAuthAccess) -> None:
        self._access = access
        self._is_remote = access.keys.startswith("https://")
        self._client = jwt.PyJWKClient(access.keys, cache_keys=True) if self._is_remote else None
        self._keys: dict[str | None, Any] = {}
        self._lock = threading.Lock()

    def read(self, token: str) -> Grant:
        """Return what a token allows; raises TokenRefusedError."""
        try:
            claims = jwt.decode(
                token,
                key=self._key(token),
                algorithms=_ALGORITHMS,
                audience=self._access.audience,
                issuer=self._access.issuer,
                leeway=_LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, KeyError, OSError) as error:
            raise TokenRefusedError(type(error).__name__) from error
        scopes = claims.get("scope", claims.get("scp", ""))
        listed = scopes.split() if isinstance(scopes, str) else [str(scope) for scope in scopes]
        reviews = _patterns(listed, REVIEW)
        reads = _patterns(listed, READ)
        return Grant(
            subject=str(claims["sub"])[:200],
            reads=None if reads is None or reviews is None else (*reads, *reviews),
            reviews=reviews,
        )

    def _key(self, token: str) -> Any:
        if self._client is not None:
            return self._client.get_signing_key_from_jwt(token).key
        wanted = jwt.get_unverified_header(token).get("kid")
        with self._lock:
            if wanted not in self._keys:
                self._keys = _read_keys(Path(self._access.keys))
            if wanted in self._keys:
                return self._keys[wanted]
            if wanted is None and len(self._keys) == 1:
                return next(iter(self._keys.values()))
        raise KeyError("kid")


def _read_keys(path: Path) -> dict[str | None, Any]:
    listed = jwt.PyJWKSet.from_dict(json.loads(path.read_text(encoding="utf-8"))).keys
    return {key.key_id: key.key for key in listed}


def _patterns(scopes: Sequence[str], name: str) -> tuple[str, ...] | None:
    if name in scopes:
        return None
    return tuple(scope.removeprefix(f"{name}:") for scope in scopes if scope.startswith(f"{name}:"))
