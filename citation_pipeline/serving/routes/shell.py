"""The viewer's page and its scripts, signing in and out, and what browsers report against the policy."""

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, Field

from citation_pipeline.serving.access import (
    COOKIE,
    SESSION_SECONDS,
    check_intent,
    guarded_token,
)
from citation_pipeline.serving.api.viewer_shapes import SignedIn, describes
from citation_pipeline.serving.errors import NotAllowedError, NotFoundError
from citation_pipeline.serving.oauth import METADATA_PATH

STATIC = Path(str(files("citation_pipeline.serving") / "static"))

router = APIRouter(include_in_schema=False)
session_router = APIRouter(prefix="/api", tags=["session"])


@router.get("/")
@router.get("/claims/{claim_id}")
@router.get("/queue")
@router.get("/figures")
@router.get("/people")
def read_page(claim_id: str = "") -> FileResponse:
    """Return the viewer's page, which holds no data: it asks for them as whoever is signed in."""
    return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})


@router.get("/health")
def read_health() -> dict[str, str]:
    """Tell that the server answers."""
    return {"status": "ok"}


@router.get(METADATA_PATH)
@router.get(METADATA_PATH + "/mcp")
def read_resource_metadata(request: Request) -> JSONResponse:
    """Return which authorization server's tokens are accepted (RFC 9728)."""
    oauth = request.app.state.settings.oauth
    if oauth is None:
        raise NotFoundError("no_oauth", "This server takes no OAuth tokens.", "Use a token of its own.")
    return JSONResponse(dict(oauth.metadata()), headers={"Cache-Control": "max-age=3600"})


@router.post("/csp-reports", status_code=204)
async def take_csp_report(request: Request) -> Response:
    """Count a browser's report against the Content-Security-Policy; its content is not kept."""
    async for _ in request.stream():
        pass
    request.app.state.csp_reports += 1
    return Response(status_code=204)


@router.get("/csp-reports")
def count_csp_reports(request: Request) -> dict[str, int]:
    """Return how many reports came since the server started."""
    return {"count": request.app.state.csp_reports}


class SignIn(BaseModel):
    """A token's secret."""

    token: str = Field(min_length=1, max_length=500)


@session_router.post("/session", response_model=None, responses=describes(SignedIn))
def sign_in(request: Request, given: SignIn) -> JSONResponse:
    """Exchange a token for a session cookie."""
    check_intent(request)
    settings = request.app.state.settings
    token = guarded_token(request, given.token.strip())
    if token is None:
        raise NotAllowedError(
            "wrong_token", "That token is not known here.", "Check it, or ask for a new one."
        )
    answer = JSONResponse({"name": token.name, "role": token.role.value})
    answer.set_cookie(
        COOKIE,
        request.app.state.sessions.begin(token.sha256, seconds=SESSION_SECONDS),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        secure=settings.secure_cookies or request.url.scheme == "https",
    )
    return answer


@session_router.delete("/session", status_code=204)
def sign_out(request: Request) -> Response:
    """End the session: its cookie is worth nothing any more, whoever has kept it."""
    check_intent(request)
    if cookie := request.cookies.get(COOKIE):
        request.app.state.sessions.end(cookie)
        request.app.state.watchers.check_people()
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer
