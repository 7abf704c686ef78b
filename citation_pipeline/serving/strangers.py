"""Strangers' bodies: nobody reads them, nothing parses them.

The framework reads and parses a request's body before it asks a route who calls. This layer asks first.
"""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from citation_pipeline.serving.access import check_known
from citation_pipeline.serving.errors import RequestError

OPEN_BODIES = {"/api/session": 10_000, "/csp-reports": 64_000}
"""The paths where anybody may send a body, and how large it may be."""


class KnownSendersOnly:
    """Refuses a body of somebody unknown before it is read; who may do what is the routes' work."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN_BODIES and _has_body(scope):
            try:
                await check_known(Request(scope))
            except RequestError as error:
                answer = JSONResponse(error.as_json(), status_code=error.status, headers=error.headers)
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b" 0"))
        for name, value in scope["headers"]
    )
