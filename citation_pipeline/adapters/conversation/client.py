"""Sending one request to a provider: attempts, waiting, a ledger row for each, raw bytes back.

The SDKs' own retries are off: they honour any `retry-after`, even an hour, and repeat without a trace. Not
here: what is asked, what the bytes mean, and whether they have been paid for already.
"""

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, TypeVar

from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation.asks import REQUOTE, SECOND_LOOK, Request
from citation_pipeline.adapters.conversation.attempts import Attempt
from citation_pipeline.adapters.conversation.errors import (
    OversizedPromptError,
    ProviderError,
    ProviderUnavailableError,
    RefusedFormatError,
    RefusedImagesError,
)
from citation_pipeline.adapters.conversation.replies import Reply, UnreadableReplyError, Usage
from citation_pipeline.adapters.conversation.settings import ConversationSettings
from citation_pipeline.adapters.conversation.transports import Transport
from citation_pipeline.adapters.outbound_ledger import Ledger, OutboundRequest, keep_no_ledger
from citation_pipeline.adapters.repeating import repeat
from citation_pipeline.core.planning.retries import RetryRules

T = TypeVar("T")

_PATIENCE_S = 120.0  # of a person for an answer
MOST_REPLY_BYTES = 64_000_000
"""Of one reply: an answer of 128,000 tokens takes some 40 MB as events."""
_MOST_TOKENS_PER_CHARACTER = 4  # the bytes of one
_MOST_TOKENS_OF_AN_IMAGE_TOKEN = 4  # what a profile says of pictures is a rule of thumb
_TOKENS_OF_A_TEMPLATE = 10_000  # a server may put its own words around a prompt


@dataclass(frozen=True, slots=True)
class RawReply:
    """A whole reply: its bytes, what they say, how long they took, and when they were asked for."""

    body: bytes
    reply: Reply
    latency_s: float
    asked_at: datetime


class Asked(Protocol):
    """A request that went out earlier."""

    @property
    def claim_id(self) -> str:
        """Whose documents it showed."""
        ...

    @property
    def model(self) -> str:
        """Who was asked."""
        ...

    @property
    def fingerprint(self) -> str:
        """Which request it was."""
        ...


class ProviderClient:
    """Sends requests; safe to share between threads. The key lives in the SDK's client alone."""

    def __init__(
        self,
        transport: Transport,
        settings: ConversationSettings,
        *,
        ledger: Ledger = keep_no_ledger,
        clock: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock or Clock()
        self.transport = transport
        self._ledger = ledger

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.settings.base_url!r})"

    def close(self) -> None:
        """Close all connections."""
        self.transport.close()

    def for_people(self) -> "ProviderClient":
        """Return a client of the same connections for one who waits: fewer and shorter waits than a night."""
        hurried = copy(self)
        hurried.settings = replace(self.settings, attempts=2, longest_wait_s=10.0, call_timeout_s=_PATIENCE_S)
        return hurried

    def ask(self, request: Request, *, claim_id: str) -> RawReply:
        """Return the whole reply to a request; raises a ProviderError after the last attempt."""
        while True:
            try:
                return self._repeat(lambda: self._ask_once(request, claim_id))
            except RefusedFormatError as error:
                if not self.transport.give_way(error):
                    raise

    def count_tokens(self, request: Request, *, claim_id: str) -> int:
        """Return the tokens of a request's prompt as its model counts them."""

        if not self.transport.count_endpoint:
            return self.transport.count(request)  # an estimate: nothing leaves the machine

        def count_once() -> int:
            row = self.row_of(request, claim_id, self.transport.count_endpoint)
            with self._attempt(row) as attempt:
                tokens = self.transport.count(request)
                attempt.row = replace(attempt.row, status=200, input_tokens=0)
                return tokens

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

    def row_of(self, request: Request, claim_id: str, endpoint: str = "") -> OutboundRequest:
        """Return the ledger row of a request that is about to go out; by default, to be answered."""
        return OutboundRequest(
            claim_id=claim_id,
            vendor=self.transport.vendor,
            endpoint=endpoint or self.transport.endpoint,
            model=request.ask.model,
            purpose=request.purpose,
            request_fingerprint=request.fingerprint,
            at=self.clock.now(),
            document_count=len(request.ask.sources),
            page_count=request.ask.page_count,
            character_count=request.character_count,
            likely_tokens=request.likely_tokens,
            text_shape=request.text_shape,
            may_follow=_may_follow(self.settings),
            image_count=request.image_count or None,
            byte_count=request.image_bytes or None,
            input_tokens=0,
            output_tokens=0,
            cost_usd=0.0,
        )

    def record(self, row: OutboundRequest) -> None:
        """Write a row into the ledger."""
        self._ledger(row)

    def record_answer(self, asked: Asked, usage: Usage, cost: float, *, endpoint: str) -> None:
        """Write down what an answer cost that came otherwise than as a reply: in a batch's results."""
        row = OutboundRequest(
            claim_id=asked.claim_id,
            vendor=self.transport.vendor,
            endpoint=endpoint,
            model=asked.model,
            request_fingerprint=asked.fingerprint,
            at=self.clock.now(),
            status=200,
            document_count=0,  # nothing left the machine with it
            page_count=0,
            character_count=0,
            input_tokens=usage.prompt,
            output_tokens=usage.output,
            cost_usd=cost,
        )
        self._ledger(row)

    def _attempt(
        self, row: OutboundRequest, *, others: Sequence[OutboundRequest] = (), images: int = 0
    ) -> Attempt:
        def failure_of(error: BaseException) -> ProviderError | None:
            found = self.transport.failure_of(error)
            return _refused_images(found) if found is not None and found.names_images and images else found

        return Attempt(row, ledger=self._ledger, clock=self.clock, failure_of=failure_of, others=others)

    def _ask_once(self, request: Request, claim_id: str) -> RawReply:
        began = self.clock.monotonic()
        parts: list[bytes] = []
        size = 0

        def keep(part: bytes) -> None:
            parts.append(part)
            nonlocal size
            size += len(part)
            if size > MOST_REPLY_BYTES:
                endless = self.transport.cut(f"more than {MOST_REPLY_BYTES // 10**6} MB, without an end")
                endless.is_worth_repeating = False  # each attempt would be billed
                raise endless
            # pings keep a stalled stream from ever being silent
            if self.clock.monotonic() - began > self.settings.call_timeout_s:
                raise self.transport.cut(f"a call longer than {self.settings.call_timeout_s:.0f} s")

        with self._attempt(self.row_of(request, claim_id), images=request.image_count) as attempt:
            try:
                request_id = self.transport.send(request, keep)
                body = b"".join(parts)
                attempt.row = replace(attempt.row, status=200, request_id=request_id)
                try:
                    reply = self.transport.read_reply(body)
                except UnreadableReplyError as error:
                    if error.error_type is not None:
                        raise self.transport.failure_in_reply(error.error_type, request_id) from None
                    raise self.transport.cut(str(error), request_id) from None
                reply = replace(reply, usage=self._believable(request, reply))
                attempt.row = self._billed(attempt.row, request, reply.usage)
            except BaseException:
                # what a stream reported before it broke is billed, whatever became of it
                usage = self.transport.usage_of(b"".join(parts)) if parts else None
                if usage is not None:
                    attempt.row = self._billed(attempt.row, request, usage)
                raise
            if self._is_shortened(request, reply):
                raise OversizedPromptError(
                    "the server cut the prompt to its context without saying so: raise its context "
                    "(OLLAMA_CONTEXT_LENGTH, --ctx-size) and tell it in the model's profile",
                    code="prompt_shortened",
                    status=200,
                    request_id=request_id,
                )
        return RawReply(
            body=body, reply=reply, latency_s=self.clock.monotonic() - began, asked_at=attempt.row.at
        )

    def _billed(self, row: OutboundRequest, request: Request, usage: Usage) -> OutboundRequest:
        return replace(
            row,
            input_tokens=usage.prompt,
            output_tokens=usage.output,
            cost_usd=usage.cost(self.settings.profile(request.ask.model)),
        )

    def _believable(self, request: Request, reply: Reply) -> Usage:
        """Return a reply's tokens: as reported, or as estimated where none are reported, or impossible ones.

        To account for nothing would be untrue; more tokens than a prompt has bytes are no tokens of it.
        """
        usage, per_token = reply.usage, self.settings.characters_per_token
        most = request.character_count * _MOST_TOKENS_PER_CHARACTER + _TOKENS_OF_A_TEMPLATE
        most += request.image_tokens * _MOST_TOKENS_OF_AN_IMAGE_TOKEN
        says_something = bool(reply.text or usage.output)
        if usage.prompt > most or (not usage.prompt and says_something):
            read = math.ceil(request.character_count / per_token) + request.image_tokens
            usage = Usage(input=read, output=usage.output)
        longest = max(int(request.body.get("max_tokens") or 0), len(reply.text) * _MOST_TOKENS_PER_CHARACTER)
        if usage.output > longest or (not usage.output and reply.text):
            usage = replace(usage, output=math.ceil(len(reply.text) / per_token))
        return usage

    def _is_shortened(self, request: Request, reply: Reply) -> bool:
        """Tell whether a server reports far fewer tokens than the prompt can have: some cut it silently."""
        most = self.transport.most_characters_per_token
        return most is not None and 0 < reply.usage.prompt * most < request.character_count

    def _repeat(self, send: Callable[[], T]) -> T:
        settings = self.settings
        return repeat(
            send,
            rules=RetryRules(settings.attempts, settings.first_wait_s, settings.longest_wait_s),
            may_pass=lambda error: isinstance(error, ProviderUnavailableError) and error.is_worth_repeating,
            clock=self.clock,
        )


def _may_follow(settings: ConversationSettings) -> tuple[str, ...]:
    looks = (SECOND_LOOK,) if settings.second_look_fields else ()
    return (*looks, *((REQUOTE,) if settings.requotes else ()))


def _refused_images(error: ProviderError) -> RefusedImagesError:
    return RefusedImagesError(
        "the model takes no pictures of pages: ask without them (CITATION_PIPELINE_PAGE_IMAGES)",
        code="images_refused",
        status=error.status,
        request_id=error.request_id,
    )
