"""Claude's wire: the Messages API by the SDK's client."""

import weakref
from collections.abc import Callable
from typing import Any, cast

from citation_pipeline.adapters.claude.attempts import failure_of, unreadable
from citation_pipeline.adapters.claude.errors import (
    ClaudeError,
    ClaudeUnavailableError,
    error_of_status,
    plain_id,
)
from citation_pipeline.adapters.claude.replies import read_reply, read_usage
from citation_pipeline.adapters.claude.settings import LONGEST_UNSTREAMED, VENDOR, ClaudeSettings
from citation_pipeline.adapters.clocks import Clock
from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.client import ProviderClient
from citation_pipeline.adapters.conversation.errors import RefusedFormatError
from citation_pipeline.adapters.conversation.quiet_sdks import keep_bodies_out_of_logs
from citation_pipeline.adapters.conversation.replies import Reply, Usage
from citation_pipeline.adapters.conversation.transports import Keep
from citation_pipeline.adapters.outbound_ledger import Ledger, keep_no_ledger

MESSAGES = "/v1/messages"
COUNT_TOKENS = "/v1/messages/count_tokens"

NewSdk = Callable[..., Any]
"""Makes one of the SDK's clients: of the API itself, of Bedrock, of Vertex."""


class ClaudeTransport:
    """Sends bodies by a client of the SDK, which the key lives in alone."""

    vendor = VENDOR
    endpoint = MESSAGES
    count_endpoint = COUNT_TOKENS
    most_characters_per_token: float | None = None

    def __init__(self, settings: ClaudeSettings, new_sdk: NewSdk) -> None:
        import anthropic
        import httpx2

        from citation_pipeline.adapters.conversation.bounded_errors import cut_errors

        keep_bodies_out_of_logs("anthropic")
        self._timeout = httpx2.Timeout(settings.silence_timeout_s, connect=settings.connect_timeout_s)
        http = anthropic.DefaultHttpxClient(timeout=self._timeout, event_hooks={"response": [cut_errors]})
        weakref.finalize(self, http.close)  # the SDK does that of its own client alone
        self.sdk = new_sdk(max_retries=0, timeout=self._timeout, http_client=http)

    def send(self, request: Request, keep: Keep) -> str | None:
        """Send once; the reply's bytes are passed on as they came over the wire."""
        arguments: dict[str, Any] = dict(request.body)
        if arguments["max_tokens"] > LONGEST_UNSTREAMED:
            arguments["stream"] = True
        create = self.sdk.messages.with_streaming_response.create
        with create(**arguments, timeout=self._timeout) as response:
            for chunk in response.iter_bytes():
                keep(chunk)
            return plain_id(response.request_id)

    def count(self, request: Request) -> int:
        """Return the tokens of a prompt as the model counts them."""
        body = {key: value for key, value in request.body.items() if key != "max_tokens"}
        answer = self.sdk.messages.count_tokens(**cast(Any, body), timeout=self._timeout)
        if not isinstance(answer.input_tokens, int):
            raise unreadable("a token count without a number")
        return answer.input_tokens

    def read_reply(self, body: bytes) -> Reply:
        """Read a whole reply; raises UnreadableReplyError."""
        return read_reply(body)

    def usage_of(self, body: bytes) -> Usage | None:
        """Return the tokens that a part of a reply reports."""
        return read_usage(body)

    def failure_of(self, error: BaseException) -> ClaudeError | None:
        """Return our error for the SDK's exception."""
        return failure_of(error)

    def failure_in_reply(self, kind: str, request_id: str | None) -> ClaudeError:
        """Return our error for an event of a stream that had begun well."""
        return error_of_status(200, kind=kind, message="", headers={}, request_id=request_id)

    def cut(self, reason: str, request_id: str | None = None) -> ClaudeUnavailableError:
        """Return the error for an answer that came, but not whole."""
        return unreadable(reason, request_id=request_id)

    def give_way(self, error: RefusedFormatError) -> bool:
        """Return False: Claude takes what it is asked with, and a single prompt's refusal is no rule."""
        return False

    def close(self) -> None:
        """Close all connections."""
        self.sdk.close()


class ClaudeClient(ProviderClient):
    """Sends requests to Claude; safe to share between threads."""

    def __init__(
        self,
        api_key: str,
        settings: ClaudeSettings,
        *,
        ledger: Ledger = keep_no_ledger,
        clock: Clock | None = None,
    ) -> None:
        import anthropic  # a second of start-up, which only who calls Claude should pay

        transport = ClaudeTransport(
            settings, lambda **how: anthropic.Anthropic(api_key=api_key, base_url=settings.base_url, **how)
        )
        super().__init__(transport, settings, ledger=ledger, clock=clock)
        self.sdk = transport.sdk
