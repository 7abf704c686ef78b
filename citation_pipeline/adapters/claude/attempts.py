"""One attempt to send something: the SDK's exceptions made into ours, and a ledger row however it ends."""

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.adapters.claude.errors import ClaudeError, ClaudeUnavailableError, error_of_status
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.outbound_ledger import Ledger, OutboundRequest


class Attempt:
    """Turns the SDK's exceptions into ours, and writes the ledger row of the attempt however it ends."""

    def __init__(
        self, row: OutboundRequest, *, ledger: Ledger, clock: Clock, others: Sequence[OutboundRequest] = ()
    ) -> None:
        self.row = row
        self._others = others  # of the same request, and so with the same end
        self._ledger = ledger
        self._clock = clock
        self._began = clock.monotonic()

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        failure = _failure_of(error)
        if failure is not None:
            self.row = replace(
                self.row, code=failure.code, status=failure.status, request_id=failure.request_id
            )
        elif error is not None:
            self.row = replace(self.row, code=type(error).__name__)
        self.row = replace(self.row, seconds=self._clock.monotonic() - self._began)
        self._ledger(self.row)
        for other in self._others:
            self._ledger(
                replace(other, code=self.row.code, status=self.row.status, request_id=self.row.request_id)
            )
        if failure is not None and failure is not error:
            # the SDK's exception holds the request, its documents and its key
            raise failure from None


def unreadable(reason: str, *, request_id: str | None = None) -> ClaudeUnavailableError:
    """Return the error for an answer that came, but not whole."""
    return ClaudeUnavailableError(
        f"Claude's answer did not arrive whole: {reason}. Run the claim again later.",
        code="cut_reply",
        status=200,
        request_id=request_id,
    )


def _failure_of(error: BaseException | None) -> ClaudeError | None:
    if error is None or isinstance(error, ClaudeError):
        return error
    import anthropic  # loaded by now: an attempt was made with it
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return error_of_status(
            error.status_code,
            kind=error.type,
            message=error.api_message or "",
            headers=error.response.headers,
            request_id=error.request_id,
        )
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return _unreachable("timed_out", "did not answer in time")
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
        return _unreachable("connection_lost", "could not be reached, or the connection broke")
    if isinstance(error, anthropic.AnthropicError | httpx2.HTTPError | json.JSONDecodeError):
        return _unreachable("unreadable", f"answered what the SDK could not read ({type(error).__name__})")
    return None


def _unreachable(code: str, what: str) -> ClaudeUnavailableError:
    return ClaudeUnavailableError(f"Claude {what}. Run the claim again later.", code=code)


class _NoBodies(logging.Filter):
    """Stops the SDK's debug records: one of them is the whole request, documents included."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.DEBUG


def keep_bodies_out_of_logs() -> None:
    """Filter the SDK's loggers, once a process."""
    # a filter on a parent logger does not see its children's records, so each one gets it
    for name in ("anthropic._base_client", "anthropic._response", "anthropic._legacy_response", "anthropic"):
        logger = logging.getLogger(name)
        if not any(isinstance(known, _NoBodies) for known in logger.filters):
            logger.addFilter(_NoBodies())
