"""Sign-in at an OpenID Connect provider: authorization code with PKCE, and the ID token checked in full.

Needs the extra `oidc` (Authlib). Keys and addresses come from the issuer's discovery document, which is read
once an hour; an unknown key is asked for once more.
"""

import hmac
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import httpx2

from citation_pipeline.core.failures import PipelineError

_FAILURES = (httpx.HTTPError, httpx2.HTTPError)  # Authlib speaks whichever is installed
_LEEWAY_S = 30  # clocks of two machines differ
_TIMEOUT_S = 10.0
_KNOWN_S = 3600.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
# signatures with a private key only: with `none`, or a shared secret, others could be the issuer
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


class OidcError(PipelineError):
    """A sign-in that the provider did not complete, or whose ID token is not for this server and person."""


class OidcExtraError(PipelineError):
    """Authlib is not installed."""

    def __init__(self) -> None:
        super().__init__("OpenID Connect needs Authlib: install citation-pipeline[oidc]")


@dataclass(frozen=True, slots=True)
class OidcAccess:
    """A provider and this server's registration there; `secret` is empty for a public client."""

    issuer: str
    client_id: str
    secret: str = field(default="", repr=False)
    scopes: str = "openid profile email"
    name_claim: str = "email"
    groups_claim: str = "groups"

    def check(self) -> None:
        """Raise ValueError for an issuer that others could listen to."""
        parts = urlsplit(self.issuer)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise ValueError("the OpenID Connect issuer is not https: set CITATION_VIEWER_OIDC_ISSUER")


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where the browser is sent, and what has to come back with it."""

    address: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True)
class Identity:
    """Who signed in, by the provider's word."""

    subject: str
    name: str
    groups: Sequence[str]


class OidcProvider:
    """One provider; safe to share between threads."""

    def __init__(self, access: OidcAccess) -> None:
        try:
            import authlib.integrations.httpx_client  # noqa: F401
        except ImportError as error:
            raise OidcExtraError from error
        access.check()
        self._access = access
        self._lock = threading.Lock()
        self._known: tuple[float, Mapping[str, Any]] = (0.0, {})
        self._keys: Any = None

    def begin(self, redirect_uri: str) -> Beginning:
        """Return where to send a browser; raises OidcError when the provider cannot be asked."""
        from authlib.common.security import generate_token

        state, nonce, verifier = (generate_token(48) for _ in range(3))
        with self._client(redirect_uri) as client:
            address, _ = client.create_authorization_url(
                str(self._discovered()["authorization_endpoint"]),
                state=state,
                nonce=nonce,
                code_verifier=verifier,
            )
        return Beginning(address, state, nonce, verifier)

    def finish(self, code: str, *, redirect_uri: str, nonce: str, verifier: str) -> Identity:
        """Exchange a code and return who signed in; raises OidcError."""
        from authlib.common.errors import AuthlibBaseError

        try:
            with self._client(redirect_uri) as client:
                answer = client.fetch_token(
                    str(self._discovered()["token_endpoint"]), code=code, code_verifier=verifier
                )
            id_token = answer["id_token"]
        except (AuthlibBaseError, *_FAILURES, KeyError, ValueError, TypeError) as error:
            raise OidcError(f"the provider did not complete the sign-in ({type(error).__name__})") from error
        return self._identity(self._claims(str(id_token), nonce=nonce))

    def _client(self, redirect_uri: str) -> Any:
        from authlib.integrations.httpx_client import OAuth2Client

        return OAuth2Client(
            self._access.client_id,
            self._access.secret or None,
            token_endpoint_auth_method="client_secret_basic" if self._access.secret else "none",
            scope=self._access.scopes,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            timeout=_TIMEOUT_S,
            follow_redirects=False,
            trust_env=False,
        )

    def _claims(self, id_token: str, *, nonce: str) -> Mapping[str, Any]:
        from joserfc import jwt
        from joserfc.errors import InvalidKeyIdError, JoseError

        for is_again in (False, True):
            try:
                token = jwt.decode(id_token, self._key_set(anew=is_again), algorithms=list(_ALGORITHMS))
                break
            except (InvalidKeyIdError, JoseError, ValueError, KeyError) as error:
                # a provider that has changed its keys since is asked once more
                if is_again:
                    raise OidcError(f"the ID token is not the issuer's ({type(error).__name__})") from error
        claims: Mapping[str, Any] = token.claims
        self._check(claims, nonce=nonce)
        return claims

    def _check(self, claims: Mapping[str, Any], *, nonce: str) -> None:
        """Raise OidcError unless the token is the issuer's, for this client, of now and of this sign-in."""
        from joserfc.errors import JoseError
        from joserfc.jwt import JWTClaimsRegistry

        registry = JWTClaimsRegistry(
            leeway=_LEEWAY_S,
            iss={"essential": True, "value": self._access.issuer},
            aud={"essential": True, "value": self._access.client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
        )
        try:
            registry.validate(dict(claims))
        except JoseError as error:
            raise OidcError(f"the ID token is not for this server ({type(error).__name__})") from error
        audience = claims["aud"]
        several = isinstance(audience, list) and len(audience) > 1
        if (several or "azp" in claims) and claims.get("azp") != self._access.client_id:
            raise OidcError("the ID token was given to another client")
        if not hmac.compare_digest(str(claims.get("nonce", "")), nonce):
            raise OidcError("the ID token is of another sign-in")

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        name_claim = self._access.name_claim
        name = str(claims.get(name_claim) or "").strip()
        if name_claim == "email" and claims.get("email_verified") is False:
            name = ""  # an address that anybody could have typed is nobody's name
        groups = claims.get(self._access.groups_claim) or ()
        listed = [groups] if isinstance(groups, str) else [str(group) for group in groups]
        subject = str(claims["sub"])[:200]
        return Identity(subject, name[:200] or subject, listed)

    def _discovered(self) -> Mapping[str, Any]:
        with self._lock:
            until, known = self._known
            if time.monotonic() < until:
                return known
        issuer = self._access.issuer
        found = self._read(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != issuer:
            raise OidcError("the discovery document is of another issuer: check CITATION_VIEWER_OIDC_ISSUER")
        with self._lock:
            self._known = time.monotonic() + _KNOWN_S, found
        return found

    def _key_set(self, *, anew: bool) -> Any:
        from joserfc.jwk import KeySet

        with self._lock:
            keys = self._keys
        if keys is None or anew:
            listed = self._read(str(self._discovered()["jwks_uri"]))
            keys = KeySet.import_key_set({"keys": listed["keys"]})
            with self._lock:
                self._keys = keys
        return keys

    def _read(self, address: str) -> dict[str, Any]:
        try:
            with httpx.Client(timeout=_TIMEOUT_S, follow_redirects=False, trust_env=False) as client:
                answer = client.get(address)
            answer.raise_for_status()
            found = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise OidcError(f"the provider does not answer ({type(error).__name__})") from error
        if not isinstance(found, dict):
            raise OidcError("the provider answers with something else than a JSON object")
        return found
