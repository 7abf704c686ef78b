"""Telling a webhook something: one JSON POST, bounded in time, following nobody elsewhere."""

import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from citation_pipeline.core.failures import PipelineError

_TRIES = 3
_TIMEOUT_S = 10.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class WebhookError(PipelineError):
    """A webhook that did not take the message. The address is not shown: it may hold a token."""


def post_json(url: str, payload: Mapping[str, Any], *, sleep: Callable[[float], None] = time.sleep) -> None:
    """Post a JSON object, up to three times; raises WebhookError."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise WebhookError(
            "the webhook's address is not https: set CITATION_PIPELINE_WEBHOOK_URL to one that is"
        )
    said = "no answer"
    with httpx.Client(timeout=_TIMEOUT_S, follow_redirects=False) as client:
        for attempt in range(_TRIES):
            try:
                answer = client.post(url, json=dict(payload))
            except httpx.HTTPError as error:
                said = type(error).__name__
            else:
                if answer.is_success:
                    return
                said = f"status {answer.status_code}"
                if answer.status_code < 500 and answer.status_code != 429:
                    break
            if attempt + 1 < _TRIES:
                sleep(2.0**attempt)
    raise WebhookError(f"the webhook did not take the message ({said}): check its address and rights")
