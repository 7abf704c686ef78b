"""The family of errors of every model provider, sorted by what to do about them.

    ProviderError                   (a PipelineError)
    ├── ProviderUnavailableError    transient: overloaded, rate limited, network, a cut stream
    ├── ProviderAccessError         permanent until a person acts: key, credit, permission, no such model
    ├── ProviderRequestError        permanent: this request will never be taken
    │   ├── OversizedPromptError    …but a smaller one will
    │   ├── RefusedFormatError      …but one that asks for another format of the answer will
    │   └── RefusedImagesError      …but one without pictures will
    └── StoredReplyError            permanent: a reply on disk is damaged

No message repeats what a provider wrote, since it may quote the request. For the same reason these errors are
raised `from None`: an SDK's exceptions carry the request with its documents and its key.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from citation_pipeline.core.failures import PipelineError

_TOO_LONG = (  # how providers and model servers say it
    "prompt is too long",
    "exceeds the maximum",
    "exceed context limit",
    "maximum context length",
    "context_length_exceeded",
    "context length",
    "context size",
    "context window",
    "contextwindow",
    "too many tokens",
    "too many input tokens",
)
_NO_IMAGES = re.compile(
    r"image_url|mmproj|multi-?modal|text-only|only text|vision|textcontentpart|input tag 'image'"
    r"|images? (?:input|content|part)|(?:not|n't|no|without) (?:\w+ ){0,3}images?\b|image\(s\)"
    r"|images? (?:\w+ ){0,3}not (?:\w+ ){0,2}(?:support|allow|accept|permit)"
    r"|(?:must|should) be a (?:valid )?string"
)
# what is wrong with a single picture says nothing of the others
_ONE_IMAGE = re.compile(r"could not process|exceed|too (?:large|big|many)|dimensions|decod|corrupt")
_NO_CREDIT = (
    "credit balance is too low",
    "insufficient_quota",
    "exceeded your current quota",
    "spend limit",
    "billing_hard_limit",
    "insufficient credit",
    "insufficient balance",
)


class ProviderError(PipelineError):
    """Something went wrong at a provider; `code` is stable, `status` the HTTP status where there was one."""

    names_images = False  # whether the provider said that it takes no pictures

    def __init__(
        self, message: str, *, code: str, status: int | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id


class ProviderUnavailableError(ProviderError):
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


class ProviderAccessError(ProviderError):
    """The key, its permissions, its credit or the model's name; nothing succeeds until a person acts."""


class ProviderRequestError(ProviderError):
    """The provider will never take this request."""


class OversizedPromptError(ProviderRequestError):
    """The request does not fit: ask for fewer documents at a time."""


class RefusedFormatError(ProviderRequestError):
    """The server does not know a parameter, or a format of the answer: ask without it."""


class RefusedImagesError(ProviderRequestError):
    """The model sees no pictures: ask without them."""


class StoredReplyError(ProviderError):
    """A stored reply is not what was written."""


def says_too_long(message: str) -> bool:
    """Tell whether a provider's message says that prompt and answer do not fit its model."""
    said = message.lower()
    return any(phrase in said for phrase in _TOO_LONG)


def says_no_images(message: str) -> bool:
    """Tell whether a provider's message says that its model takes no pictures at all."""
    said = message.lower()
    return _NO_IMAGES.search(said) is not None and _ONE_IMAGE.search(said) is None


def says_no_credit(message: str) -> bool:
    """Tell whether a provider's message says that nobody pays for further requests."""
    said = message.lower()
    return any(phrase in said for phrase in _NO_CREDIT)


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
