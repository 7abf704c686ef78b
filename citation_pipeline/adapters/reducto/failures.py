"""Which answer of Reducto is which error, and when to try again.

Pure functions over statuses, headers and bodies: the three documented error bodies, the names of failed
jobs, Retry-After. Sentences from the service are not repeated, since they may quote the document; only its
short codes are, and only when they look like codes.
"""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from citation_pipeline.adapters.reducto.errors import (
    ReductoAddressExpiredError,
    ReductoCredentialsError,
    ReductoDocumentError,
    ReductoError,
    ReductoJobGoneError,
    ReductoPermanentError,
    ReductoRateLimitError,
    ReductoRequestError,
    ReductoUnavailableError,
)
from citation_pipeline.core.documents.parsed import DocumentStatus

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{1,59}")

RETRY_LATER = frozenset(
    {
        "TIMEOUT",
        "CAPACITY_TIMEOUT",
        "INTERNAL_ERROR",
        "SERVICE_UNAVAILABLE",
        "GPU_ALLOCATION_ERROR",
        "GPU_POOL_SATURATED",
        "GPU_UNAVAILABLE",
        "BATCH_QUEUE_FULL",
        "QUEUE_FULL",
        "JOB_STATE_ERROR",
        "SUBPROCESS_CRASHED",
        "BATCH_ORPHANED",
        "LLM_PROVIDER_ERROR",
        "LLM_OUTPUT_PARSE_FAILED",
        "RATE_LIMIT",
        "REGION_UNAVAILABLE",
    }
)
"""Job failures that have nothing to do with the document."""

RETRY_ONCE = frozenset({"PROCESSING_FAILED", "INTERNAL_INVARIANT_VIOLATION"})
"""Job failures that may or may not be the document's fault: one more try tells."""

_TOO_LARGE = "Split the document into smaller files and add them to the claim."
DOCUMENT_FAULTS: Mapping[str, tuple[DocumentStatus, str]] = {
    "DOCUMENT_CORRUPT": (DocumentStatus.CORRUPT, "Ask for the file again, or repair it."),
    "DOCUMENT_EMPTY": (DocumentStatus.EMPTY, "Ask for the file again."),
    "DOCUMENT_UNSUPPORTED": (DocumentStatus.UNSUPPORTED, "Convert the file to PDF."),
    "DOCUMENT_PASSWORD_PROTECTED": (
        DocumentStatus.ENCRYPTED,
        "Configure the document's password or add an unprotected copy.",
    ),
    "DOCUMENT_TOO_LARGE": (DocumentStatus.OVERSIZED, _TOO_LARGE),
    "OFFICE_CONVERSION_TOO_LARGE": (DocumentStatus.OVERSIZED, _TOO_LARGE),
    "OVERSIZED_RESULT": (DocumentStatus.OVERSIZED, _TOO_LARGE),
    "CONTEXT_WINDOW_EXCEEDED": (DocumentStatus.OVERSIZED, _TOO_LARGE),
    "OUTPUT_LIMIT_EXCEEDED": (DocumentStatus.OVERSIZED, _TOO_LARGE),
    "CELL_COUNT_EXCEEDED": (DocumentStatus.OVERSIZED, _TOO_LARGE),
    "IMAGE_TOO_LARGE": (DocumentStatus.OVERSIZED, "Scan the page at a lower resolution."),
    "IMAGE_TOO_SMALL": (DocumentStatus.UNSUPPORTED, "Scan the page at a higher resolution."),
    "IMAGE_INVALID_ASPECT_RATIO": (DocumentStatus.UNSUPPORTED, "Cut the image into pages."),
    "CUSTOMER_TIMEOUT": (DocumentStatus.TIMED_OUT, _TOO_LARGE),
}
"""Job failures that are this document's own, with the status of its row and the remedy."""

_OUR_REQUEST = frozenset(
    {
        "INVALID_CONFIG",
        "INVALID_SCHEMA",
        "NOT_APPLICABLE",
        "NOT_FOUND",
        "URL_NOT_ALLOWED",
        "FORM_FILL_FAILED",
        "INFERENCE_METHOD_UNSUPPORTED",
    }
)
_GONE = frozenset({"JOB_DELETION_IN_PROGRESS", "JOB_DELETED"})

# HTTP statuses that speak about the document; 442 is the service's own number for "password".
_DOCUMENT_STATUSES = {
    413: "DOCUMENT_TOO_LARGE",
    415: "DOCUMENT_UNSUPPORTED",
    442: "DOCUMENT_PASSWORD_PROTECTED",
}


def error_from_answer(
    status: int, headers: Mapping[str, str], body: bytes, *, operation: str, now: datetime
) -> ReductoError:
    """Return the error for an HTTP answer of 300 or above.

    Retried: 408, 429, 5xx. A 409 is not: for a job it means that it is being deleted.
    """
    code = _code_in(body) or f"http_{status}"
    known: dict[str, Any] = {"operation": operation, "http_status": status}
    forced = headers.get("x-should-retry")
    if status == 429:
        known["retry_after_s"] = retry_after(headers, now=now)
        return ReductoRateLimitError(
            "the service asked for fewer requests",
            remedy="Lower requests_per_second to what the account allows.",
            code="rate_limited",
            **known,
        )
    if (status == 408 or status >= 500 or forced == "true") and forced != "false":
        known["retry_after_s"] = retry_after(headers, now=now)
        return ReductoUnavailableError(
            "the service could not answer now", remedy="Run it again later.", code=code, **known
        )
    if operation in ("result", "presigned_put"):
        return ReductoAddressExpiredError(
            "a presigned address was refused",
            remedy="Run it again: the service gives a fresh one.",
            code="address_expired",
            **known,
        )
    if status in (401, 403):
        return ReductoCredentialsError(
            "the API key was refused", remedy="Check REDUCTO_API_KEY and its rights.", code=code, **known
        )
    if operation in ("job", "delete_job") and status in (404, 409, 410):
        return ReductoJobGoneError(
            "the job is gone", remedy="Start a new job.", code=f"job_{status}", **known
        )
    if status in _DOCUMENT_STATUSES:
        row, remedy = DOCUMENT_FAULTS[_DOCUMENT_STATUSES[status]]
        plain = ReductoPermanentError(
            "the service cannot take the document", remedy=remedy, code=_DOCUMENT_STATUSES[status], **known
        )
        return ReductoDocumentError.with_status(row, plain)
    return ReductoRequestError(
        "the service refused the request" + _places_in(body),
        remedy="Check the parse options against the service's current API.",
        code=code,
        **known,
    )


def error_from_failed_job(error: Any, *, job_id: str) -> ReductoError:
    """Return the error for a job whose status is Failed; `error` is its JSON, possibly null."""
    name = error.get("name") if isinstance(error, Mapping) else None
    code = name if isinstance(name, str) and _CODE.fullmatch(name) else "JOB_FAILED"
    known: dict[str, Any] = {"operation": "job", "code": code, "job_id": job_id}
    if code in RETRY_LATER or code in RETRY_ONCE:
        return ReductoUnavailableError("the job failed at the service", remedy="Run it again later.", **known)
    if code == "AUTH_ERROR":
        return ReductoCredentialsError(
            "the job was not allowed", remedy="Check REDUCTO_API_KEY and its rights.", **known
        )
    if code in _GONE:
        return ReductoJobGoneError("the job is gone", remedy="Start a new job.", **known)
    if code in _OUR_REQUEST:
        return ReductoRequestError(
            "the service refused the request",
            remedy="Check the parse options against the service's current API.",
            **known,
        )
    status, remedy = DOCUMENT_FAULTS.get(
        code,
        (DocumentStatus.PROVIDER_FAILED, "Parse this document with the local parser, or report the code."),
    )
    plain = ReductoPermanentError("the service could not parse the document", remedy=remedy, **known)
    return ReductoDocumentError.with_status(status, plain)


def retry_after(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the seconds that the service asks to wait, from seconds, milliseconds or a date; else None."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    raw = headers.get("retry-after")
    seconds = _number(raw)
    if raw is None or seconds is not None:
        return seconds
    try:
        asked = email.utils.parsedate_to_datetime(raw)
    except ValueError:
        return None
    return max(0.0, (asked - now).total_seconds()) if asked.tzinfo is not None else None


def _number(raw: str | None) -> float | None:
    try:
        number = float(raw or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _json_object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, Mapping) else {}


def _code_in(body: bytes) -> str | None:
    error = _json_object(body).get("error")
    if isinstance(error, Mapping):
        for key in ("name", "type"):
            if isinstance(error.get(key), str) and _CODE.fullmatch(error[key]):
                return str(error[key])
    return None


def _places_in(body: bytes) -> str:
    """Say which keys of our request a 422 complains about: names of options, never values."""
    details = _json_object(body).get("detail")
    if not isinstance(details, list):
        return ""
    places = []
    for detail in details[:5]:
        where = detail.get("loc") if isinstance(detail, Mapping) else None
        if isinstance(where, list):
            parts = [str(part) for part in where]
            if all(re.fullmatch(r"[\w-]{1,40}", part) for part in parts):
                places.append(".".join(parts))
    return f" at {', '.join(places)}" if places else ""
