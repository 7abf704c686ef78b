"""What a provider's batches look like: its endpoints, what they list and answer, and how they fail."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from citation_pipeline.adapters.conversation.asks import Request
from citation_pipeline.adapters.conversation.errors import (
    ProviderAccessError,
    ProviderRequestError,
    ProviderUnavailableError,
)


@dataclass(frozen=True, slots=True)
class ListedBatch:
    """A batch as a provider lists it; `entry_id` is our own mark on it, "" where a provider keeps none."""

    batch_id: str
    request_count: int
    created_at: datetime
    entry_id: str = ""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """One row of a batch's results: how the request ended, and its line as it came."""

    custom_id: str
    outcome: str
    line: bytes


class BatchWire(Protocol):
    """A provider's endpoints of batches; every call leaves rows in the client's ledger."""

    endpoint: str
    """Of the ledger's rows."""

    def create(self, client: Any, requests: Sequence[Request], *, entry_id: str, rows: Sequence[Any]) -> str:
        """Return the id of a new batch; raises a ProviderError.

        One that is transient, and neither an UnsentBatchError nor 429 or 529, leaves open whether the batch
        came to be.
        """
        ...

    def has_ended(self, client: Any, batch_id: str) -> bool:
        """Tell whether a batch will get no more results."""
        ...

    def listed(self, client: Any) -> Sequence[ListedBatch]:
        """Return the newest batches."""
        ...

    def results(self, client: Any, batch_id: str) -> Iterator[BatchResult]:
        """Yield each result."""
        ...

    def forget(self, client: Any, batch_id: str) -> None:
        """Delete what the provider keeps of a batch that was collected, as far as it lets us."""
        ...


class BatchesOffError(ProviderRequestError):
    """Batches that a deployment has not allowed."""


class NoBatchesError(ProviderAccessError):
    """A server that has no batches: its claims are asked at once."""


class UnsentBatchError(ProviderUnavailableError):
    """No batch came to be: its requests may be submitted again."""
