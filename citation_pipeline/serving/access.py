"""Authentication and authorization: tokens, a proxy's word, or the person at this machine.

Also the check that a browser was not tricked into asking (CSRF). Headers and limits are `guard`'s.
"""

import hashlib
import hmac
import ipaddress
from dataclasses import dataclass, replace
from typing import Annotated

import anyio.to_thread
from fastapi import Depends, Request

from citation_pipeline.adapters.read_model.callers import CALLER, Caller
from citation_pipeline.adapters.verifications.sessions import SessionStore
from citation_pipeline.adapters.verifications.sign_ins import SignInStore
from citation_pipeline.adapters.verifications.tokens import TokenStore
from citation_pipeline.serving.errors import BusyError, NotAllowedError, RequestError
from citation_pipeline.serving.guesses import Guesses
from citation_pipeline.serving.oauth import READ, TokenReader, TokenRefusedError
from citation_pipeline.serving.settings import AccessToken, Role, ServingSettings

COOKIE = "citation_viewer"
INTENT_HEADER = "x-citation-viewer"  # another site cannot send it without a preflight that we never answer
SESSION_SECONDS = 12 * 3600  # a working day


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks; `key` is what limits are counted by.

    `reads` and `reviews` are patterns of the claims that may be seen and decided on, None for all.
    """

    name: str
    role: Role
    key: str
    reads: tuple[str, ...] | None = None
    reviews: tuple[str, ...] | None = None


def token_of_secret(secret: str, settings: ServingSettings, issued: TokenStore) -> AccessToken | None:
    """Return the token whose secret this is, or None; every token is compared."""
    found = [token for token in settings.tokens if token.matches(secret)]
    if found:
        return found[0]
    return _issued_token(hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest(), issued)


def _issued_token(sha256: str, issued: TokenStore) -> AccessToken | None:
    token = issued.find(sha256)
    return AccessToken(token.name, Role(token.role), token.sha256, token.claims) if token else None


def guarded_token(request: Request, secret: str) -> AccessToken | None:
    """Return the token whose secret this is, or None; raises BusyError when too many were guessed."""
    guesses: Guesses = request.app.state.guesses
    address = request.client.host if request.client else "unknown"
    _check_guesses(guesses, address, secret)
    token = token_of_secret(secret, request.app.state.settings, request.app.state.tokens)
    if token is None:
        guesses.note_wrong(address, secret)
    else:
        guesses.note_right(address, secret)
    return token


def _check_guesses(guesses: Guesses, address: str, secret: str) -> None:
    wait = guesses.wait(address, secret)
    if wait:
        raise BusyError("too_many_sign_ins", "Too many attempts.", retry_after=int(wait) + 1)


def identify(request: Request) -> Person:
    """Return who calls; raises NotAllowedError (401) when nobody known does."""
    settings: ServingSettings = request.app.state.settings
    person = _by_bearer(request, settings) or _by_cookie(request, settings) or _by_proxy(request, settings)
    if person is None and not settings.needs_login:
        person = Person(settings.local_reviewer, Role.ADMINISTRATOR, "local")  # it is their own machine
    if person is None:
        given = "invalid_token" if request.headers.get("authorization") else ""
        challenge = settings.oauth.challenge(error=given) if settings.oauth else 'Bearer realm="claims"'
        raise NotAllowedError(
            "not_signed_in",
            "This claim store asks who you are.",
            "Sign in with your token.",
            status=401,
            headers={"WWW-Authenticate": challenge},
        )
    return replace(person, name=settings.people.known_as(person.name))


def answer_as(person: Person, request: Request, *, decides: bool = False) -> None:
    """Answer the request that is under way as this person: which claims they see, and where links lead."""
    root = request.app.state.settings.agents.public_url or str(request.base_url)
    claims = person.reviews if decides else person.reads
    CALLER.set(Caller(root_url=root.rstrip("/"), claims=claims))


def _by_bearer(request: Request, settings: ServingSettings) -> Person | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    if settings.oauth is not None and secret.count(".") == 2:  # a signed token is not to be guessed
        return _by_oauth(request, secret.strip(), settings)
    token = guarded_token(request, secret.strip())
    if token is None:
        return None
    request.state.by_bearer = True
    return _person_of(token)


def _by_oauth(request: Request, secret: str, settings: ServingSettings) -> Person | None:
    reader: TokenReader | None = getattr(request.app.state, "oauth", None)
    if reader is None or settings.oauth is None:
        return None
    try:
        grant = reader.read(secret)
    except TokenRefusedError:
        return None
    if grant.is_empty:
        raise NotAllowedError(
            "insufficient_scope",
            "The token allows nothing here.",
            f"Ask for the scope {READ}.",
            headers={"WWW-Authenticate": settings.oauth.challenge(error="insufficient_scope")},
        )
    request.state.by_bearer = True
    role = Role.VIEWER if grant.reviews == () else Role.REVIEWER
    return Person(grant.subject, role, f"oauth:{grant.subject}", grant.reads, grant.reviews)


def _person_of(token: AccessToken) -> Person:
    claims = tuple(token.claims) or None
    return Person(token.name, token.role, f"token:{token.sha256[:16]}", claims, claims)


def _by_cookie(request: Request, settings: ServingSettings) -> Person | None:
    cookie = request.cookies.get(COOKIE)
    if not cookie:
        return None
    sessions: SessionStore = request.app.state.sessions
    digest = sessions.token_of(cookie)
    # a token that left the tokens file takes its sessions with it
    token = next((known for known in settings.tokens if known.sha256 == digest), None)
    if token is None and digest is not None:
        token = _issued_token(digest, request.app.state.tokens)
    if token is not None:
        return _person_of(token)
    sign_ins: SignInStore = request.app.state.sign_ins
    known = sign_ins.identity_of(digest) if digest is not None and settings.oidc is not None else None
    if known is None:
        return None
    claims = tuple(known.claims) or None
    return Person(known.name, Role(known.role), f"user:{known.name}", claims, claims)


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
    return Person(user, proxy.roles.role_of(groups), f"user:{user}")


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


async def reading_person(request: Request) -> Person:
    """Return who reads; requests with a body count as reading too when they change nothing.

    Asynchronous, so that what it sets for the request holds where the request is answered.
    """
    person = await _identified(request)
    if request.method not in ("GET", "HEAD"):
        check_intent(request)
    answer_as(person, request)
    return person


async def check_known(request: Request) -> None:
    """Raise NotAllowedError (401) when nobody known calls."""
    await _identified(request)


async def is_still(person: Person, request: Request) -> bool:
    """Tell whether a request that is still being answered is the same person's, with the same claims."""
    try:
        return await _identified(request) == person
    except RequestError:
        return False


async def _identified(request: Request) -> Person:
    if request.app.state.settings.oauth is None:
        return identify(request)
    return await anyio.to_thread.run_sync(identify, request)  # keys may have to be fetched


async def scraping(request: Request) -> None:
    """Let the metrics token through, and people who read all claims: totals tell of every one.

    Raises NotAllowedError for anybody else.
    """
    if _is_metrics_token(request):
        return
    person = await reading_person(request)
    if person.reads is not None:
        raise NotAllowedError(
            "some_claims_only", "The figures are of all claims.", "Use a token that is not limited to some."
        )


def _is_metrics_token(request: Request) -> bool:
    settings: ServingSettings = request.app.state.settings
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if not settings.metrics_token or scheme.lower() != "bearer":
        return False
    guesses: Guesses = request.app.state.guesses
    _check_guesses(guesses, request.client.host if request.client else "unknown", secret.strip())
    return hmac.compare_digest(secret.strip().encode(), settings.metrics_token.encode())


async def reviewing_person(request: Request) -> Person:
    """Return who decides; raises NotAllowedError for people who may only read."""
    return await _acting_person(request, Role.REVIEWER)


async def leading_person(request: Request) -> Person:
    """Return who leads; raises NotAllowedError for everybody else."""
    return await _acting_person(request, Role.LEAD)


async def administering_person(request: Request) -> Person:
    """Return who administers; raises NotAllowedError for everybody else."""
    return await _acting_person(request, Role.ADMINISTRATOR)


async def _acting_person(request: Request, needed: Role) -> Person:
    person = await _identified(request)
    if request.method not in ("GET", "HEAD"):
        check_intent(request)
    if not person.role.may(Role.REVIEWER):
        raise NotAllowedError(
            "read_only", "Your role may read, not review.", "Ask an administrator for the reviewer role."
        )
    if not person.role.may(needed):
        raise NotAllowedError(
            f"not_a_{needed.value}" if needed is Role.LEAD else f"not_an_{needed.value}",
            f"Your role ({person.role.value}) may not do that.",
            f"Ask somebody with the role {needed.value}.",
        )
    answer_as(person, request, decides=True)
    return person


Reader = Annotated[Person, Depends(reading_person)]
Reviewer = Annotated[Person, Depends(reviewing_person)]
Lead = Annotated[Person, Depends(leading_person)]
Administrator = Annotated[Person, Depends(administering_person)]
Scraper = Depends(scraping)
