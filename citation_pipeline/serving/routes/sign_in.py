"""Signing in at an OpenID Connect provider, and what ways to sign in there are."""

import re
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse

from citation_pipeline.adapters.oidc.provider import Identity, OidcError, OidcProvider
from citation_pipeline.adapters.verifications.sign_ins import KnownIdentity, SignInStore
from citation_pipeline.serving.access import COOKIE, SESSION_SECONDS
from citation_pipeline.serving.api.viewer_shapes import WaysIn, describes
from citation_pipeline.serving.errors import NotAllowedError, NotFoundError, RequestError
from citation_pipeline.serving.settings import ServingSettings

router = APIRouter(prefix="/api", tags=["session"])

_BROWSER_COOKIE = "citation_sign_in"
_CLAIMS_GROUP = "claims:"  # a group that bounds the claims its people see, as a scope of a token does
_OWN_PATH = re.compile(r"/(?![/\\])[^\x00-\x20\\]*")  # a path of this server, not another's address


@router.get("/sign-in", response_model=None, responses=describes(WaysIn))
def read_ways(request: Request) -> dict[str, bool]:
    """Tell how people sign in here; answered to everybody."""
    settings: ServingSettings = request.app.state.settings
    return {"byToken": bool(settings.tokens), "byProvider": settings.oidc is not None}


@router.get("/oidc/login", include_in_schema=False)
async def begin_sign_in(
    request: Request, to: Annotated[str, Query(max_length=2_000)] = "/"
) -> RedirectResponse:
    """Send the browser to the provider."""
    provider, sign_ins = _provider(request), request.app.state.sign_ins
    try:
        begun = await anyio.to_thread.run_sync(provider.begin, _callback(request))
    except OidcError as error:
        raise RequestError("provider_silent", "The sign-in provider does not answer.", status=503) from error
    cookie = await anyio.to_thread.run_sync(
        lambda: sign_ins.begin(
            begun.state,
            nonce=begun.nonce,
            verifier=begun.verifier,
            return_to=to if _OWN_PATH.fullmatch(to) else "/",
        )
    )
    answer = RedirectResponse(begun.address, status_code=303, headers={"Cache-Control": "no-store"})
    # lax: the provider's page sends the browser back here from another site
    answer.set_cookie(
        _BROWSER_COOKIE, cookie, max_age=600, httponly=True, samesite="lax", secure=_is_secure(request)
    )
    return answer


@router.get("/oidc/callback", include_in_schema=False)
async def finish_sign_in(
    request: Request,
    state: Annotated[str, Query(max_length=500)] = "",
    code: Annotated[str, Query(max_length=4_000)] = "",
) -> RedirectResponse:
    """Take the browser back, check who signed in, and begin a session."""
    provider, sign_ins = _provider(request), request.app.state.sign_ins
    cookie = request.cookies.get(_BROWSER_COOKIE, "")
    found = await anyio.to_thread.run_sync(lambda: sign_ins.take(state, cookie=cookie))
    if found is None or not code:
        raise _refused()
    try:
        identity = await anyio.to_thread.run_sync(
            lambda: provider.finish(
                code, redirect_uri=_callback(request), nonce=found.nonce, verifier=found.verifier
            )
        )
    except OidcError as error:
        raise _refused() from error
    session = await anyio.to_thread.run_sync(_begin_session, request, identity)
    answer = RedirectResponse(found.return_to, status_code=303, headers={"Cache-Control": "no-store"})
    answer.set_cookie(
        COOKIE,
        session,
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=_is_secure(request),
    )
    answer.delete_cookie(_BROWSER_COOKIE, httponly=True, samesite="lax")
    return answer


def _begin_session(request: Request, identity: Identity) -> str:
    settings: ServingSettings = request.app.state.settings
    sign_ins: SignInStore = request.app.state.sign_ins
    groups = set(identity.groups)
    claims = tuple(sorted(g.removeprefix(_CLAIMS_GROUP) for g in groups if g.startswith(_CLAIMS_GROUP)))
    known = KnownIdentity(identity.name, settings.oidc_roles.role_of(groups).value, claims)
    key = sign_ins.keep_identity(known, seconds=SESSION_SECONDS)
    session: str = request.app.state.sessions.begin(key, seconds=SESSION_SECONDS)
    return session


def _provider(request: Request) -> OidcProvider:
    provider: OidcProvider | None = request.app.state.oidc
    if provider is None:
        raise NotFoundError("no_provider", "This server has no sign-in provider.", "Sign in with a token.")
    return provider


def _callback(request: Request) -> str:
    root = request.app.state.settings.agents.public_url or str(request.base_url)
    return f"{root.rstrip('/')}/api/oidc/callback"


def _is_secure(request: Request) -> bool:
    return bool(request.app.state.settings.secure_cookies) or request.url.scheme == "https"


def _refused() -> NotAllowedError:
    # which check failed is not told to whoever presents the answer
    return NotAllowedError(
        "sign_in_failed", "The sign-in was not completed.", "Sign in again from the viewer.", status=401
    )
