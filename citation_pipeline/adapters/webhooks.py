"""Telling a webhook something: one JSON POST, bounded in time, following nobody elsewhere."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.repeating import repeat
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.planning.retries import RetryRules

VARIABLE = "CITATION_PIPELINE_WEBHOOK_URL"
_RETRIES = RetryRules(tries=3, first_wait_s=2.0, longest_wait_s=10.0)
_TIMEOUT_S = 10.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class WebhookError(PipelineError):
    """A webhook that did not take the message. The address is not shown: it may hold a token."""


def post_json(url: str, payload: Mapping[str, Any], *, clock: Clock | None = None) -> None:
    """Post a JSON object, up to three times; raises WebhookError."""
    if not is_encrypted(url):
        raise WebhookError(f"the webhook's address is not https: set {VARIABLE} to one that is")
    with httpx.Client(timeout=_TIMEOUT_S, follow_redirects=False) as client:

        def send() -> None:
            answer = client.post(url, json=dict(payload))
            if not answer.is_success:
                raise _RefusedError(answer.status_code)

        try:
            repeat(send, rules=_RETRIES, may_pass=_may_pass, clock=clock or Clock())
        except (httpx.HTTPError, _RefusedError) as error:
            said = f"status {error.status}" if isinstance(error, _RefusedError) else type(error).__name__
            # neither error may be shown: both know the address
            raise WebhookError(
                f"the webhook did not take the message ({said}): check its address and rights"
            ) from None


def is_encrypted(url: str) -> bool:
    """Tell whether nobody between here and an address can read along: https, or this machine itself."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


class _RefusedError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def _may_pass(error: Exception) -> bool:
    if isinstance(error, _RefusedError):
        return error.status >= 500 or error.status == 429
    return isinstance(error, httpx.HTTPError)
