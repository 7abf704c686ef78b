"""The family of Claude's errors, sorted by what to do about them.

    ClaudeError                   (a PipelineError)
    ├── ClaudeUnavailableError    transient: overloaded, rate limited, network, a cut stream
    ├── ClaudeAccessError         permanent: key, permission, billing
    ├── ClaudeRequestError        permanent: this request will never be taken
    │   └── PromptTooLongError    …but a smaller one will
    └── StoredReplyError          permanent: a reply on disk is damaged

No message repeats what the provider wrote, since it may quote the request. For the same reason these
errors are raised `from None`: the SDK's exceptions carry the request with its documents and its key.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from citation_pipeline.core.failures import PipelineError

_TYPES = frozenset(
    {
        "invalid_request_error",
        "authentication_error",
        "billing_error",
        "permission_error",
        "not_found_error",
        "conflict_error",
        "request_too_large",
        "rate_limit_error",
        "api_error",
        "timeout_error",
        "overloaded_error",
    }
)
_REQUEST_ID = re.compile(r"req_[A-Za-z0-9]{1,64}")
_ACCESS = {401: "the API key is not valid", 402: "billing failed", 403: "the key may not do this"}
_TRANSIENT_STATUSES = frozenset({408, 409, 429})
_TRANSIENT_TYPES = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})


class ClaudeError(PipelineError):
    """Something went wrong with Claude; `code` is stable, `status` the HTTP status where there was one."""

    def __init__(
        self, message: str, *, code: str, status: int | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id


class ClaudeUnavailableError(ClaudeError):
    """The same request may succeed later; `retry_after_s` is what the provider asked for."""

    transient = True

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        request_id: str | None = None,
        retry_after_s: float | None = None,
        is_worth_repeating: bool = True,
    ) -> None:
        super().__init__(message, code=code, status=status, request_id=request_id)
        self.retry_after_s = retry_after_s
        self.is_worth_repeating = is_worth_repeating  # at once; a provider may ask to come back another day


class ClaudeAccessError(ClaudeError):
    """The key, its permissions or its billing; no request will succeed until a person acts."""


class ClaudeRequestError(ClaudeError):
    """The provider will never take this request."""


class PromptTooLongError(ClaudeRequestError):
    """The request does not fit: ask for fewer documents at a time."""


class StoredReplyError(ClaudeError):
    """A stored reply is not what was written."""


def error_of_status(
    status: int, *, kind: str | None, message: str, headers: Mapping[str, str], request_id: str | None
) -> ClaudeError:
    """Return the error for an answer with an error status; `message` is only looked at, never shown.

    `kind` is the provider's error type, where its body could be read.
    """
    request_id = plain_id(request_id)
    code = f"{status}_{_word(kind)}" if kind else str(status)
    where = f"HTTP {status}{f' {_word(kind)}' if kind else ''}, request {request_id or 'without an id'}"
    if status in _ACCESS:
        return ClaudeAccessError(
            f"Claude refused: {_ACCESS[status]} ({where}). Check the key and its organization.",
            code=code,
            status=status,
            request_id=request_id,
        )
    if status in _TRANSIENT_STATUSES or status >= 500 or (status == 200 and kind in _TRANSIENT_TYPES):
        return ClaudeUnavailableError(
            f"Claude is not available now ({where}). Run the claim again later.",
            code=code,
            status=status,
            request_id=request_id,
            retry_after_s=retry_after(headers),
            is_worth_repeating=headers.get("x-should-retry") != "false",
        )
    if status == 413 or "prompt is too long" in message or "exceeds the maximum" in message:
        return PromptTooLongError(
            f"the request is too large for Claude ({where}). Lower `prompt_tokens`.",
            code="prompt_too_long",
            status=status,
            request_id=request_id,
        )
    return ClaudeRequestError(
        f"Claude does not take this request ({where}). "
        "Check model, effort and limits; the Console shows the request by its id.",
        code=code,
        status=status,
        request_id=request_id,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the provider asks to wait: milliseconds, seconds, or a date."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        given = headers.get(name)
        if given is None:
            continue
        try:
            return max(0.0, float(given) / scale)
        except ValueError:
            pass
        try:
            at = parsedate_to_datetime(given)
        except ValueError:
            continue
        now = datetime.now(UTC)
        return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now.timestamp())
    return None


def _word(kind: str | None) -> str:
    """Return an error type that the contract knows; any other might be somebody's words."""
    return kind if kind in _TYPES else "unknown_error"


def plain_id(request_id: str | None) -> str | None:
    """Return a request id of the provider's form, or None."""
    return request_id if request_id and _REQUEST_ID.fullmatch(request_id) else None
