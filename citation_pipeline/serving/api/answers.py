"""JSON answers with ETags, and the one error shape as OpenAPI knows it."""

import dataclasses
import hashlib
import json
from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel

from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.grounded_answers import NoModelError
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline.serving.errors import NotAcceptableError, NotFoundError


class ErrorDetail(BaseModel):
    """What was refused: a stable code, what happened, what to do."""

    code: str
    message: str
    remedy: str


class FieldDetail(BaseModel):
    """One part of a request that cannot be taken: which, why, and what to send instead."""

    field: str
    reason: str
    remedy: str
    words: str = ""


class ErrorBody(BaseModel):
    """The one shape of every refusal; `details` names the wrong parts of a request (422)."""

    error: ErrorDetail
    details: list[FieldDetail] = []


UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "As the asker has it (`If-None-Match`)."}}
"""What a route with an ETag may answer besides its answer."""

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorBody, "description": "Not a request that can be read."},
    401: {"model": ErrorBody, "description": "Who are you?"},
    403: {"model": ErrorBody, "description": "Not with this role, or not from there."},
    404: {"model": ErrorBody, "description": "There is nothing of that name."},
    405: {"model": ErrorBody, "description": "Not with this method; `Allow` says with which."},
    409: {"model": ErrorBody, "description": "Something else came first."},
    410: {"model": ErrorBody, "description": "The original is gone or has changed."},
    413: {"model": ErrorBody, "description": "Too large."},
    421: {"model": ErrorBody, "description": "Not under that host name."},
    422: {"model": ErrorBody, "description": "Understood, but it cannot be taken."},
    429: {"model": ErrorBody, "description": "Too often; `Retry-After` says when."},
    502: {"model": ErrorBody, "description": "The page cannot be drawn."},
    503: {"model": ErrorBody, "description": "Not available here."},
}


def answer_json(request: Request, answer: Any) -> Response:
    """Return a dataclass, or plain data, as JSON with an ETag, or 304 when the asker has it already."""
    plain = dataclasses.asdict(answer) if hasattr(answer, "__dataclass_fields__") else answer
    body = json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")
    return answer_bytes(request, body, media_type="application/json")


def answer_bytes(request: Request, body: bytes, *, media_type: str) -> Response:
    """Return bytes with an ETag, or 304 when the asker has them already."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Cookie, Authorization"}
    known = {tag.strip() for tag in request.headers.get("if-none-match", "").split(",")}
    if etag in known:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)


def refusal_of(error: PipelineError) -> NotFoundError | NotAcceptableError:
    """Return a read model's refusal as the API's."""
    if isinstance(error, NotUnderstoodError):
        reason = error.reason[:1].upper() + error.reason[1:] + "."
        remedy = (error.remedy or "write FIELD COMPARISON VALUE, with a field of list_fields").strip()
        remedy = remedy[:1].upper() + remedy[1:] + "."
        detail = {"field": error.argument, "reason": reason, "remedy": remedy, "words": error.words}
        if error.code == "no_such_field":
            return NotFoundError("no_such_field", reason, remedy, details=[detail])
        return NotAcceptableError("not_understood", reason, remedy, details=[detail])
    if isinstance(error, UnknownClaimError):
        message = str(error)
        return NotFoundError("not_found", message[:1].upper() + message[1:] + ".")
    if isinstance(error, NoModelError):
        remedy = "Give the server ANTHROPIC_API_KEY, or ask with the method extractive."
        return NotAcceptableError("no_model", "No model is configured to answer.", remedy)
    return NotAcceptableError("not_possible", "That cannot be answered now.", "Look at the server's log.")


def accepts_gzip(request: Request) -> bool:
    """Tell whether the caller takes gzip (RFC 9110: named, or `*`, and not with a weight of zero)."""
    weights: dict[str, float] = {}
    for part in request.headers.get("accept-encoding", "").lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        weight = next((value[2:] for value in parameters if value.startswith("q=")), "1")
        try:
            weights[name] = float(weight)
        except ValueError:
            weights[name] = 0.0
    return weights.get("gzip", weights.get("*", 0.0)) > 0
