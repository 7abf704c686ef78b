"""The SDK's exceptions as ours, and its loggers kept from telling what documents say."""

import json
from collections.abc import Sequence
from typing import Any

from citation_pipeline.adapters.claude.errors import ClaudeError, ClaudeUnavailableError, error_of_status
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation import attempts
from citation_pipeline.adapters.conversation.errors import says_no_images
from citation_pipeline.adapters.outbound_ledger import Ledger, OutboundRequest


class Attempt(attempts.Attempt):
    """An attempt to send something to Claude."""

    def __init__(
        self, row: OutboundRequest, *, ledger: Ledger, clock: Clock, others: Sequence[OutboundRequest] = ()
    ) -> None:
        super().__init__(row, ledger=ledger, clock=clock, failure_of=failure_of, others=others)


def unreadable(reason: str, *, request_id: str | None = None) -> ClaudeUnavailableError:
    """Return the error for an answer that came, but not whole."""
    return ClaudeUnavailableError(
        f"Claude's answer did not arrive whole: {reason}. Run the claim again later.",
        code="cut_reply",
        status=200,
        request_id=request_id,
    )


def failure_of(error: BaseException) -> ClaudeError | None:
    """Return our error for the SDK's exception; None for what is not the SDK's."""
    import anthropic  # loaded by now: an attempt was made with it
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        kind, message = _told(error)
        found = error_of_status(
            error.status_code,
            kind=kind,
            message=message,
            headers=error.response.headers,
            request_id=error.request_id,
        )
        found.names_images = says_no_images(message)
        return found
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return _unreachable("timed_out", "did not answer in time")
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
        return _unreachable("connection_lost", "could not be reached, or the connection broke")
    if isinstance(error, anthropic.AnthropicError | httpx2.HTTPError | json.JSONDecodeError):
        return _unreachable("unreadable", f"answered what the SDK could not read ({type(error).__name__})")
    return None


def _told(error: Any) -> tuple[str | None, str]:
    """Return an error's type in the words of the Messages API, and its message; platforms have their own."""
    if error.type is not None:
        return error.type, error.api_message or ""
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error")
    said = inner if isinstance(inner, dict) else body
    message = str(said.get("message") or "")
    named = error.response.headers.get("x-amzn-errortype", "").partition(":")[0] or str(
        said.get("status") or ""
    )
    if "model identifier is invalid" in message:
        return "not_found_error", message
    return _PLATFORM_KINDS.get(named), message


_PLATFORM_KINDS = {  # of Amazon and of Google
    "ResourceNotFoundException": "not_found_error",
    "AccessDeniedException": "permission_error",
    "ValidationException": "invalid_request_error",
    "ThrottlingException": "rate_limit_error",
    "ServiceUnavailableException": "overloaded_error",
    "ModelTimeoutException": "timeout_error",
    "NOT_FOUND": "not_found_error",
    "PERMISSION_DENIED": "permission_error",
    "UNAUTHENTICATED": "authentication_error",
    "INVALID_ARGUMENT": "invalid_request_error",
    "RESOURCE_EXHAUSTED": "rate_limit_error",
    "UNAVAILABLE": "overloaded_error",
}


def _unreachable(code: str, what: str) -> ClaudeUnavailableError:
    return ClaudeUnavailableError(f"Claude {what}. Run the claim again later.", code=code)
