"""One run at a time per claim and stage, by a lease that a killed process gives back by dying.

Where leases are kept is the store's `coordination`. A store in object storage that was opened without one
has none: there each process works alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from citation_pipeline.adapters.coordination.leases import holding
from citation_pipeline.adapters.tables.claim_store import ClaimStore


@contextmanager
def lease(store: ClaimStore, stage: str, claim_id: str) -> Iterator[bool]:
    """Hold a claim's stage for the block; yields whether another process had it first and was waited for."""
    coordination = store.coordination
    if coordination is None:
        yield False
        return
    with holding(coordination, f"stage/{stage}/{claim_id}") as waited:
        yield waited
