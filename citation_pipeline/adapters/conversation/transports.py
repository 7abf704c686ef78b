"""What is asked of a provider's SDK: one port, which each provider fills."""

from collections.abc import Callable
from typing import Protocol

from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.errors import (
    ProviderError,
    ProviderUnavailableError,
    RefusedFormatError,
)
from citation_pipeline.adapters.conversation.replies import Reply, Usage

Keep = Callable[[bytes], None]
"""Takes a reply's bytes as they come, so that what a broken connection left can still be accounted for."""


class Transport(Protocol):
    """A provider's wire: sends a body once, reads the reply, and names what went wrong."""

    vendor: str
    endpoint: str
    """Of the ledger's rows."""
    count_endpoint: str
    """"" where nobody is asked to count."""
    most_characters_per_token: float | None
    """Of any prompt: a reply that reports fewer tokens is to a prompt that was cut. None: never cut."""

    def send(self, request: Request, keep: Keep) -> str | None:
        """Send once, pass the reply's bytes on as they come; return the provider's id of the request."""
        ...

    def count(self, request: Request) -> int:
        """Return the tokens of a prompt as the model counts them; raises what the SDK raises."""
        ...

    def read_reply(self, body: bytes) -> Reply:
        """Read a whole reply; raises UnreadableReplyError."""
        ...

    def usage_of(self, body: bytes) -> Usage | None:
        """Return the tokens that a part of a reply reports, None where it reports none."""
        ...

    def failure_of(self, error: BaseException) -> ProviderError | None:
        """Return our error for an exception of `send` or `count`; None for a defect of ours."""
        ...

    def failure_in_reply(self, kind: str, request_id: str | None) -> ProviderError:
        """Return our error for one that came inside a reply that had begun well."""
        ...

    def cut(self, reason: str, request_id: str | None = None) -> ProviderUnavailableError:
        """Return the error for an answer that came, but not whole."""
        ...

    def give_way(self, error: RefusedFormatError) -> bool:
        """Ask without what was refused from now on; tell whether there is anything left to do without."""
        ...

    def close(self) -> None:
        """Close all connections."""
        ...
