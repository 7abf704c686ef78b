"""One row for every request that leaves the machine for Claude, retries and token counts included.

Rows hold ids, counts, fingerprints and times, never text, and never the key. Storing them is the caller's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

VENDOR = "anthropic"


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One request: what of the claim it carried and how it ended.

    `code` is "ok", an error's code, or "lost" for a request whose process died before its answer came (it
    may have been billed). `status` is the HTTP status, None when no answer came. `page_count` counts the
    pages whose text was sent, `character_count` all characters of the prompt.
    """

    claim_id: str
    vendor: str
    endpoint: str
    model: str
    request_fingerprint: str
    at: datetime
    code: str
    status: int | None
    document_count: int
    page_count: int
    character_count: int
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    request_id: str | None = None


Ledger = Callable[[LedgerRow], None]
"""Takes each row as it happens; called from the thread that asks."""


def keep_no_ledger(row: LedgerRow) -> None:
    """Drop the row: for tools and tests that have nowhere to keep it."""
