"""Claude's errors, by the API's status, type and message.

ClaudeError                   (a ProviderError)
├── ClaudeUnavailableError    transient: overloaded, rate limited, network, a cut stream
├── ClaudeAccessError         permanent until a person acts: key, permission, billing, no such model
└── ClaudeRequestError        permanent: this request will never be taken
    └── PromptTooLongError    …but a smaller one will
"""

import re
from collections.abc import Mapping

from citation_pipeline.adapters.conversation.errors import (
    OversizedPromptError,
    ProviderAccessError,
    ProviderError,
    ProviderRequestError,
    ProviderUnavailableError,
    retry_after,
    says_no_credit,
    says_too_long,
)

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


class ClaudeError(ProviderError):
    """Something went wrong with Claude."""


class ClaudeUnavailableError(ClaudeError, ProviderUnavailableError):
    """The same request may succeed later."""


class ClaudeAccessError(ClaudeError, ProviderAccessError):
    """The key, its permissions or its billing; no request will succeed until a person acts."""


class ClaudeRequestError(ClaudeError, ProviderRequestError):
    """The provider will never take this request."""


class PromptTooLongError(ClaudeRequestError, OversizedPromptError):
    """The request does not fit: ask for fewer documents at a time."""


def error_of_status(
    status: int, *, kind: str | None, message: str, headers: Mapping[str, str], request_id: str | None
) -> ClaudeError:
    """Return the error for an answer with an error status; `message` is only looked at, never shown.

    `kind` is the provider's error type, where its body could be read.
    """
    request_id = plain_id(request_id)
    code = f"{status}_{_word(kind)}" if kind else str(status)
    where = f"HTTP {status}{f' {_word(kind)}' if kind else ''}, request {request_id or 'without an id'}"
    if says_no_credit(message):
        return ClaudeAccessError(
            f"Claude refused: the account has no credit left, or its spend limit is reached ({where}). Add "
            "credit or raise the limit, then run the claim again.",
            code="no_credit",
            status=status,
            request_id=request_id,
        )
    if status in _ACCESS:
        return ClaudeAccessError(
            f"Claude refused: {_ACCESS[status]} ({where}). Check the key and its organization.",
            code=code,
            status=status,
            request_id=request_id,
        )
    if kind == "not_found_error":
        return ClaudeAccessError(
            f"there is no such model here, or no such address ({where}). Check CITATION_PIPELINE_MODEL and "
            "the address of the API.",
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
    if status == 413 or says_too_long(message):
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


def _word(kind: str | None) -> str:
    """Return an error type that the contract knows; any other might be somebody's words."""
    return kind if kind in _TYPES else "unknown_error"


def plain_id(request_id: str | None) -> str | None:
    """Return a request id of the provider's form, or None."""
    return request_id if request_id and _REQUEST_ID.fullmatch(request_id) else None
