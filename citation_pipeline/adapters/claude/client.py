"""Sending one request to Claude with the SDK: attempts, waiting, a ledger row for each, raw bytes back.

The SDK's own retries are off: it honours any `retry-after`, even an hour, and repeats without a trace. Not
here: what is asked, what the bytes mean, and whether they have been paid for already.
"""

import json
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

import anthropic
import httpx2

from citation_pipeline.adapters.claude.errors import (
    ClaudeError,
    ClaudeUnavailableError,
    error_of_status,
    plain_id,
)
from citation_pipeline.adapters.claude.ledger import VENDOR, Ledger, LedgerRow, keep_no_ledger
from citation_pipeline.adapters.claude.replies import Reply, UnreadableReplyError, read_reply
from citation_pipeline.adapters.claude.requests import Request
from citation_pipeline.adapters.claude.settings import LONGEST_UNSTREAMED, ClaudeSettings

MESSAGES = "/v1/messages"
COUNT_TOKENS = "/v1/messages/count_tokens"

T = TypeVar("T")


def now_utc() -> datetime:
    """Return the time; the default clock."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, waiting and chance, so that tests need none of them."""

    now: Callable[[], datetime] = now_utc
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class RawReply:
    """A whole reply: its bytes, what they say, how long they took, and when they were asked for."""

    body: bytes
    reply: Reply
    latency_s: float
    asked_at: datetime


class ClaudeClient:
    """Sends requests; safe to share between threads. The key lives in the SDK's client alone."""

    def __init__(
        self,
        api_key: str,
        settings: ClaudeSettings,
        *,
        ledger: Ledger = keep_no_ledger,
        clock: Clock | None = None,
    ) -> None:
        _keep_bodies_out_of_logs()
        self.settings = settings
        self.clock = clock or Clock()
        self._ledger = ledger
        self._timeout = httpx2.Timeout(settings.silence_timeout_s, connect=settings.connect_timeout_s)
        self.sdk = anthropic.Anthropic(
            api_key=api_key, base_url=settings.base_url, max_retries=0, timeout=self._timeout
        )

    def __repr__(self) -> str:
        return f"ClaudeClient({self.settings.base_url!r})"

    def close(self) -> None:
        """Close all connections."""
        self.sdk.close()

    def ask(self, request: Request, *, claim_id: str) -> RawReply:
        """Return the whole reply to a request; raises a ClaudeError after the last attempt."""
        return self._repeat(lambda: self._ask_once(request, claim_id))

    def count_tokens(self, request: Request, *, claim_id: str) -> int:
        """Return the tokens of a request's prompt as its model counts them."""

        def count_once() -> int:
            body = {key: value for key, value in request.body.items() if key != "max_tokens"}
            row = self.row_of(request, claim_id, COUNT_TOKENS)
            with _Recording(self, row) as recording:
                answer = self.sdk.messages.count_tokens(**cast(Any, body), timeout=self._timeout)
                if not isinstance(answer.input_tokens, int):
                    raise unreadable("a token count without a number")
                recording.row = replace(recording.row, status=200, input_tokens=0)
                return answer.input_tokens

        return self._repeat(count_once)

    def call(self, rows: Sequence[LedgerRow], send: Callable[[], bytes], *, repeats: bool = True) -> bytes:
        """Send something else (about batches); each row goes into the ledger with every attempt.

        Without `repeats` there is one attempt: for what would be done twice if its answer were lost.
        """

        def call_once() -> bytes:
            with _Recording(self, rows[0], others=rows[1:]) as recording:
                data = send()
                recording.row = replace(recording.row, status=200)
                return data

        return self._repeat(call_once) if repeats else call_once()

    def row_of(self, request: Request, claim_id: str, endpoint: str) -> LedgerRow:
        """Return the ledger row of a request that is about to go out."""
        return LedgerRow(
            claim_id=claim_id,
            vendor=VENDOR,
            endpoint=endpoint,
            model=str(request.body["model"]),
            request_fingerprint=request.fingerprint,
            at=self.clock.now(),
            code="ok",
            status=None,
            document_count=len(request.ask.sources),
            page_count=request.ask.page_count,
            character_count=request.character_count,
        )

    def record(self, row: LedgerRow) -> None:
        """Put a row into the ledger."""
        self._ledger(row)

    def _ask_once(self, request: Request, claim_id: str) -> RawReply:
        began = self.clock.monotonic()
        row = self.row_of(request, claim_id, MESSAGES)
        with _Recording(self, row) as recording:
            body, request_id = self._exchange(request.body, began)
            recording.row = replace(recording.row, status=200, request_id=request_id)
            try:
                reply = read_reply(body)
            except UnreadableReplyError as error:
                if error.error_type is not None:
                    raise error_of_status(
                        200, kind=error.error_type, message="", headers={}, request_id=request_id
                    ) from None
                raise unreadable(str(error), request_id=request_id) from None
            cost = reply.usage.cost(self.settings.profile(request.ask.model))
            recording.row = replace(
                recording.row,
                input_tokens=reply.usage.prompt,
                output_tokens=reply.usage.output,
                cost_usd=cost,
            )
        return RawReply(
            body=body, reply=reply, latency_s=self.clock.monotonic() - began, asked_at=recording.row.at
        )

    def _exchange(self, body: Mapping[str, Any], began: float) -> tuple[bytes, str | None]:
        """Return the reply's bytes as they came over the wire, and the provider's id of the request."""
        arguments: dict[str, Any] = dict(body)
        if arguments["max_tokens"] > LONGEST_UNSTREAMED:
            arguments["stream"] = True
        create = self.sdk.messages.with_streaming_response.create
        parts: list[bytes] = []
        with create(**arguments, timeout=self._timeout) as response:
            for chunk in response.iter_bytes():
                parts.append(chunk)
                # pings keep a stalled stream from ever being silent
                if self.clock.monotonic() - began > self.settings.call_timeout_s:
                    raise unreadable(f"a call longer than {self.settings.call_timeout_s:.0f} s")
            return b"".join(parts), plain_id(response.request_id)

    def _repeat(self, send: Callable[[], T]) -> T:
        settings = self.settings
        for attempt in range(settings.attempts):
            try:
                return send()
            except ClaudeUnavailableError as error:
                wait = self._wait_after(error, attempt)
                is_last = attempt + 1 == settings.attempts or not error.is_worth_repeating
                if is_last or wait > settings.longest_wait_s:
                    raise
                self.clock.sleep(wait)
        raise AssertionError("attempts is at least 1")

    def _wait_after(self, error: ClaudeUnavailableError, attempt: int) -> float:
        """Return what the provider asks for, else twice as long each time; never quite the same."""
        if error.retry_after_s is not None:
            return error.retry_after_s + self.clock.chance()
        longest = self.settings.longest_wait_s
        return float(min(longest, self.settings.first_wait_s * 2**attempt) * (0.5 + self.clock.chance() / 2))


class _Recording:
    """Turns the SDK's exceptions into ours, and writes the ledger row of the attempt however it ends."""

    def __init__(self, client: ClaudeClient, row: LedgerRow, *, others: Sequence[LedgerRow] = ()) -> None:
        self.row = row
        self._others = others  # of the same request, and so with the same end
        self._client = client
        self._began = client.clock.monotonic()

    def __enter__(self) -> "_Recording":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        failure = _failure_of(error)
        if failure is not None:
            self.row = replace(
                self.row, code=failure.code, status=failure.status, request_id=failure.request_id
            )
        elif error is not None:
            self.row = replace(self.row, code=type(error).__name__)
        self.row = replace(self.row, seconds=self._client.clock.monotonic() - self._began)
        self._client.record(self.row)
        for other in self._others:
            self._client.record(
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


def _keep_bodies_out_of_logs() -> None:
    # a filter on a parent logger does not see its children's records, so each one gets it
    for name in ("anthropic._base_client", "anthropic._response", "anthropic._legacy_response", "anthropic"):
        logger = logging.getLogger(name)
        if not any(isinstance(known, _NoBodies) for known in logger.filters):
            logger.addFilter(_NoBodies())
