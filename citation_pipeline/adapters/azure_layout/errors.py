"""Errors of Azure Document Intelligence, sorted by what to do about them.

    AzureLayoutError              (a PipelineError)
    ├── AzureUnavailableError     transient: throttled, unreachable, an answer that is not whole
    ├── AzureAccessError          permanent until a person acts: key, address, model
    └── AzureDocumentError        this document alone cannot be analyzed

No message repeats what the service wrote.
"""

from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.conversation.errors import retry_after
from citation_pipeline.core.documents.parsed import DocumentStatus
from citation_pipeline.core.failures import PipelineError

_STATUSES = {  # by the service's inner error codes
    "InvalidContentLength": DocumentStatus.OVERSIZED,
    "InvalidContentDimensions": DocumentStatus.OVERSIZED,
    "UnsupportedContent": DocumentStatus.ENCRYPTED,  # a password, or a format that it does not take
    "InvalidContent": DocumentStatus.CORRUPT,
    "ContentSourceNotAccessible": DocumentStatus.CORRUPT,
}


class AzureLayoutError(PipelineError):
    """Something went wrong at the service; `code` is stable, `status` the HTTP status where there was one."""

    def __init__(self, message: str, *, code: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code, self.status = code, status


class AzureUnavailableError(AzureLayoutError):
    """The same request may succeed later."""

    transient = True

    def __init__(
        self, message: str, *, code: str, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message, code=code, status=status)
        self.retry_after_s = retry_after_s


class AzureAccessError(AzureLayoutError):
    """Nothing succeeds until a person acts."""


class AzureResultGoneError(AzureLayoutError):
    """The service keeps this result no longer."""


class AzureDocumentError(AzureLayoutError):
    """This document cannot be analyzed; `document_status` is what its row says."""

    def __init__(
        self, message: str, *, code: str, document_status: DocumentStatus, status: int | None = None
    ) -> None:
        super().__init__(message, code=code, status=status)
        self.document_status = document_status


def error_of(status: int, body: Any, headers: Mapping[str, str], *, is_poll: bool) -> AzureLayoutError:
    """Return the error for an answer with an error status."""
    where = f"(HTTP {status})"
    if status in (401, 403):
        return AzureAccessError(
            f"Azure refused the key {where}. Check AZURE_DOCUMENT_INTELLIGENCE_KEY and that it is the "
            "resource's.",
            code=str(status),
            status=status,
        )
    if is_poll and status in (404, 410):
        return AzureResultGoneError(
            f"the result is no longer kept {where}. Run the claim again.", code="result_gone", status=status
        )
    if status == 404:
        return AzureAccessError(
            f"no Document Intelligence answers at this address {where}. Check "
            "AZURE_DOCUMENT_INTELLIGENCE_ENDPOINT.",
            code="no_api",
            status=status,
        )
    if status in (408, 409, 429) or status >= 500:
        return AzureUnavailableError(
            f"Azure is not available now {where}. Run the claim again later.",
            code=str(status),
            status=status,
            retry_after_s=retry_after(headers),
        )
    return document_error(body.get("error") if isinstance(body, dict) else None, status=status)


def document_error(error: Any, *, status: int | None = None) -> AzureLayoutError:
    """Return the error for a document that was refused, or whose analysis failed."""
    codes = _codes_of(error)
    if "InternalServerError" in codes or "ServiceUnavailable" in codes:
        return AzureUnavailableError(
            "the analysis failed for the service's own reasons. Run the claim again later.",
            code="analysis_failed",
            status=status,
        )
    found = next((_STATUSES[code] for code in codes if code in _STATUSES), DocumentStatus.PROVIDER_FAILED)
    code = next((code for code in codes if code in _STATUSES), "document_refused")
    return AzureDocumentError(
        "Azure could not analyze the document.", code=code.lower(), document_status=found, status=status
    )


def _codes_of(error: Any) -> list[str]:
    """Return an error's codes, innermost first."""
    codes: list[str] = []
    while isinstance(error, dict):
        codes.insert(0, str(error.get("code")))
        error = error.get("innererror")
    return codes
