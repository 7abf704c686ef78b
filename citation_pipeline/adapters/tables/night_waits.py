"""Which claims the last night left with something to do, and since when: one file of the store.

It is kept here and not in Dagster's event log, which may be wiped.
"""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.planning.waits import Wait

_FILE = ("nights", "waits.json")


def keep_waits(store: ClaimStore, waits: Mapping[str, Wait]) -> dict[str, Any]:
    """Keep the waits by claim in place of the last night's; return them as JSON takes them."""
    kept = {
        claim_id: [wait.since.isoformat(), wait.last.isoformat(), wait.nights]
        for claim_id, wait in waits.items()
    }
    store.write_bytes(json.dumps(kept).encode(), *_FILE)
    return kept


def read_waits(store: ClaimStore) -> dict[str, Wait]:
    """Return the waits; raises FileNotFoundError before the first night, ValueError for a torn file."""
    return waits_of(json.loads(store.read_bytes(*_FILE)))


def waits_of(kept: Any) -> dict[str, Wait]:
    """Return waits as they were kept."""
    return {
        claim_id: Wait(date.fromisoformat(since), date.fromisoformat(last), nights)
        for claim_id, (since, last, nights) in kept.items()
    }
