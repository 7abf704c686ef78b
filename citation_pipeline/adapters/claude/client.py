"""Sending one request to Claude with the SDK: attempts, waiting, a ledger row for each, raw bytes back.

The SDK's own retries are off: it honours any `retry-after`, even an hour, and repeats without a trace. Not
here: what is asked, what the bytes mean, and whether they have been paid for already.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar, cast

from citation_pipeline.adapters.claude.attempts import Attempt, keep_bodies_out_of_logs, unreadable
from citation_pipeline.adapters.claude.errors import ClaudeUnavailableError, error_of_status, plain_id
from citation_pipeline.adapters.claude.replies import Reply, UnreadableReplyError, read_reply
from citation_pipeline.adapters.claude.requests import Request
from citation_pipeline.adapters.claude.settings import LONGEST_UNSTREAMED, VENDOR, ClaudeSettings
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.outbound_ledger import Ledger, OutboundRequest, keep_no_ledger
from citation_pipeline.adapters.repeating import repeat
from citation_pipeline.core.planning.retries import RetryRules

MESSAGES = "/v1/messages"
COUNT_TOKENS = "/v1/messages/count_tokens"

T = TypeVar("T")


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
        import anthropic  # a second of start-up, which only who calls Claude should pay
        import httpx2

        keep_bodies_out_of_logs()
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
            with self._attempt(row) as attempt:
                answer = self.sdk.messages.count_tokens(**cast(Any, body), timeout=self._timeout)
                if not isinstance(answer.input_tokens, int):
                    raise unreadable("a token count without a number")
                attempt.row = replace(attempt.row, status=200, input_tokens=0)
                return answer.input_tokens

        return self._repeat(count_once)

    def call(
        self, rows: Sequence[OutboundRequest], send: Callable[[], bytes], *, repeats: bool = True
    ) -> bytes:
        """Send something else (about batches); each row goes into the ledger with every attempt.

        Without `repeats` there is one attempt: for what would be done twice if its answer were lost.
        """

        def call_once() -> bytes:
            with self._attempt(rows[0], others=rows[1:]) as attempt:
                data = send()
                attempt.row = replace(attempt.row, status=200)
                return data

        return self._repeat(call_once) if repeats else call_once()

    def row_of(self, request: Request, claim_id: str, endpoint: str) -> OutboundRequest:
        """Return the ledger row of a request that is about to go out."""
        return OutboundRequest(
            claim_id=claim_id,
            vendor=VENDOR,
            endpoint=endpoint,
            model=str(request.body["model"]),
            purpose=request.purpose,
            request_fingerprint=request.fingerprint,
            at=self.clock.now(),
            document_count=len(request.ask.sources),
            page_count=request.ask.page_count,
            character_count=request.character_count,
            input_tokens=0,
            output_tokens=0,
            cost_usd=0.0,
        )

    def record(self, row: OutboundRequest) -> None:
        """Put a row into the ledger."""
        self._ledger(row)

    def _attempt(self, row: OutboundRequest, *, others: Sequence[OutboundRequest] = ()) -> Attempt:
        return Attempt(row, ledger=self._ledger, clock=self.clock, others=others)

    def _ask_once(self, request: Request, claim_id: str) -> RawReply:
        began = self.clock.monotonic()
        row = self.row_of(request, claim_id, MESSAGES)
        with self._attempt(row) as attempt:
            body, request_id = self._exchange(request.body, began)
            attempt.row = replace(attempt.row, status=200, request_id=request_id)
            try:
                reply = read_reply(body)
            except UnreadableReplyError as error:
                if error.error_type is not None:
                    raise error_of_status(
                        200, kind=error.error_type, message="", headers={}, request_id=request_id
                    ) from None
                raise unreadable(str(error), request_id=request_id) from None
            cost = reply.usage.cost(self.settings.profile(request.ask.model))
            attempt.row = replace(
                attempt.row,
                input_tokens=reply.usage.prompt,
                output_tokens=reply.usage.output,
                cost_usd=cost,
            )
        return RawReply(
            body=body, reply=reply, latency_s=self.clock.monotonic() - began, asked_at=attempt.row.at
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
        return repeat(
            send,
            rules=RetryRules(settings.attempts, settings.first_wait_s, settings.longest_wait_s),
            may_pass=lambda error: isinstance(error, ClaudeUnavailableError) and error.is_worth_repeating,
            clock=self.clock,
        )
