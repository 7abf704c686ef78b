"""What the API's description says beyond its routes: ways to sign in, and refusals of malformed requests."""

import difflib
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.routing import Match

from citation_pipeline.serving.access import COOKIE
from citation_pipeline.serving.errors import RequestError
from citation_pipeline.serving.oauth import READ, REVIEW
from citation_pipeline.serving.settings import ServingSettings

_REMEDIES = {
    "missing": "give it",
    "extra_forbidden": "leave it out",
    "json_invalid": "send JSON",
    "literal_error": "give one of the listed values",
    "enum": "give one of the listed values",
    "string_pattern_mismatch": "see the pattern in /api/openapi.json",
    "uuid_parsing": "give a UUID",
}


def describe_security(app: FastAPI, settings: ServingSettings) -> None:
    """Let the description name the ways in: a bearer token, the session cookie, an authorization server."""
    schemes: dict[str, Any] = {
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "A token of this server, or an OAuth token.",
        },
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": COOKIE,
            "description": "Set by POST /api/session.",
        },
    }
    if settings.oauth is not None:
        schemes["oauth"] = {
            "type": "openIdConnect",
            "openIdConnectUrl": f"{settings.oauth.issuer.rstrip('/')}/.well-known/openid-configuration",
            "description": f"Scopes {READ} and {REVIEW}, or with a pattern of claim ids.",
        }

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
            made.setdefault("components", {})["securitySchemes"] = schemes
            # without tokens, whoever sits at this machine needs none
            made["security"] = [*({name: []} for name in schemes), *([] if settings.needs_login else [{}])]
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def methods_of(app: FastAPI, request: Request) -> set[str]:
    """Return the methods that the routes of a request's path take."""
    found: set[str] = set()
    for route in app.router.routes:
        match, _ = route.matches(request.scope)
        if match is not Match.NONE:
            found |= set(getattr(route, "methods", None) or ())
    return found


def invalid_request(error: RequestValidationError) -> RequestError:
    """Return the refusal of a malformed request: each wrong field, why, and what to send instead.

    The values stay out: they may come from a document.
    """
    details = []
    for found in error.errors():
        field = ".".join(str(part)[:100] for part in found["loc"] if part not in ("body", "query", "path"))
        kind = str(found["type"])
        known = [str(name) for name in found.get("ctx", {}).get("expected_names", ())]
        near = difflib.get_close_matches(field, known, 1)
        remedy = f"did you mean {near[0]!r}?" if near else _REMEDIES.get(kind, "see /api/openapi.json")
        details.append({"field": field or "body", "reason": str(found["msg"])[:200], "remedy": remedy})
    wrong = sorted({detail["field"] for detail in details})
    return RequestError(
        "invalid_request",
        f"Not understood: {', '.join(wrong)[:400]}.",
        "; ".join(f"{d['field']}: {d['remedy']}" for d in details)[:400],
        status=422,
        details=details,
    )
