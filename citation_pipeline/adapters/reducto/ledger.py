"""One row for every request that leaves the machine for Reducto, retries included.

The rows answer "what left, for which claim, when, and what did it cost". They hold ids, counts and times,
never document text, addresses or the key. Not here: storing them; the caller gives a callback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

VENDOR = "reducto"


@dataclass(frozen=True, slots=True)
class OutboundRequest:
    """One request: what it carried and how it ended.

    `document_count` and `byte_count` say what of the claim left the machine with this request (0 for polls
    and deletions). `page_count` and `credits` are known once a job has completed and are on the row of the
    request that said so; credits may be None for good, since newer accounts are not billed in credits.
    `status` is the HTTP status, None when no answer came; `code` is "ok" or the error's code.
    """

    claim_id: str
    source_id: str
    vendor: str
    method: str
    endpoint: str
    at: datetime
    status: int | None
    code: str
    document_count: int = 0
    byte_count: int = 0
    page_count: int | None = None
    credits: float | None = None
    job_id: str | None = None
    seconds: float = 0.0


Ledger = Callable[[OutboundRequest], None]
"""Takes each row as it happens; called from worker threads, so it must be safe for several."""


def keep_no_ledger(row: OutboundRequest) -> None:
    """Drop the row: for tools and tests that have nowhere to keep it."""
