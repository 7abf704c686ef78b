"""Who asks, and what they may do: tokens, a proxy's word, or the person at this machine.

Also the check that a browser was not tricked into asking (CSRF). Headers and limits are `guard`'s.
"""

import hashlib
import hmac
import ipaddress
import time
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from citation_pipeline.serving.errors import NotAllowedError
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings

COOKIE = "citation_viewer"
INTENT_HEADER = "x-citation-viewer"  # another site cannot send it without a preflight that we never answer
SESSION_SECONDS = 12 * 3600  # a working day


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks; `key` is what limits are counted by."""

    name: str
    role: Role
    key: str


def make_session(token: AccessToken, *, now: float) -> str:
    """Return a cookie value that stands for a token until it expires; the token's hash signs it."""
    expires = str(int(now) + SESSION_SECONDS)
    return f"{token.sha256[:16]}.{expires}.{_signature(token, expires)}"


def _signature(token: AccessToken, expires: str) -> str:
    return hmac.new(bytes.fromhex(token.sha256), expires.encode(), hashlib.sha256).hexdigest()


def token_of_session(cookie: str, settings: ServingSettings, *, now: float) -> AccessToken | None:
    """Return the token that a cookie stands for, or None."""
    parts = cookie.split(".")
    if len(parts) != 3 or not parts[1].isdecimal() or len(parts[1]) > 12 or int(parts[1]) < now:
        return None
    for token in settings.tokens:
        if token.sha256[:16] == parts[0] and hmac.compare_digest(
            _signature(token, parts[1]).encode(), parts[2].encode("utf-8", "replace")
        ):
            return token
    return None


def token_of_secret(secret: str, settings: ServingSettings) -> AccessToken | None:
    """Return the token whose secret this is, or None; every token is compared."""
    found = [token for token in settings.tokens if token.matches(secret)]
    return found[0] if found else None


def identify(request: Request) -> Person:
    """Return who calls; raises NotAllowedError (401) when nobody known does."""
    settings: ServingSettings = request.app.state.settings
    person = _by_bearer(request, settings) or _by_cookie(request, settings) or _by_proxy(request, settings)
    if person is None and not settings.needs_login:
        person = Person(settings.local_reviewer, Role.REVIEWER, "local")
    if person is None:
        raise NotAllowedError(
            "not_signed_in", "This claim store asks who you are.", "Sign in with your token.", status=401
        )
    return person


def _by_bearer(request: Request, settings: ServingSettings) -> Person | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    token = token_of_secret(secret.strip(), settings)
    if token is None:
        return None
    request.state.by_bearer = True
    return Person(token.name, token.role, f"token:{token.sha256[:16]}")


def _by_cookie(request: Request, settings: ServingSettings) -> Person | None:
    cookie = request.cookies.get(COOKIE)
    token = token_of_session(cookie, settings, now=time.time()) if cookie else None
    return Person(token.name, token.role, f"token:{token.sha256[:16]}") if token else None


def _by_proxy(request: Request, settings: ServingSettings) -> Person | None:
    proxy = settings.proxy
    if proxy is None or request.client is None:
        return None
    try:
        peer = ipaddress.ip_address(request.client.host)
    except ValueError:
        return None
    if not any(peer in ipaddress.ip_network(network) for network in proxy.peers):
        return None
    user = request.headers.get(proxy.user_header, "").strip()
    if not user or len(user) > 200:
        return None
    groups = {group.strip() for group in request.headers.get(proxy.groups_header, "").split(",")}
    role = Role.REVIEWER if groups & set(proxy.reviewer_groups) else Role.VIEWER
    return Person(user, role, f"user:{user}")


def check_intent(request: Request) -> None:
    """Raise NotAllowedError when a changing request could come from another site's page."""
    if getattr(request.state, "by_bearer", False):
        return
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    foreign = origin is not None and origin.partition("://")[2] != host
    if foreign or INTENT_HEADER not in request.headers:
        raise NotAllowedError(
            "foreign_request",
            "A changing request must come from the viewer itself.",
            f"Send the header {INTENT_HEADER}: 1 from the viewer's own origin, or a bearer token.",
        )
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise NotAllowedError("foreign_request", "A changing request came from another site.")


def reading_person(request: Request) -> Person:
    """Return who reads; requests with a body count as reading too when they change nothing."""
    person = identify(request)
    if request.method not in ("GET", "HEAD"):
        check_intent(request)
    return person


def reviewing_person(request: Request) -> Person:
    """Return who decides; raises NotAllowedError for people who may only read."""
    person = identify(request)
    check_intent(request)
    if person.role is not Role.REVIEWER:
        raise NotAllowedError(
            "read_only", "Your role may read, not review.", "Ask an administrator for the reviewer role."
        )
    return person


Reader = Annotated[Person, Depends(reading_person)]
Reviewer = Annotated[Person, Depends(reviewing_person)]
