"""One at a time per claim and stage: a lease that a killed process gives back by dying.

Files of this machine, locked by the kernel. A store in object storage has no such files: there each machine
works alone.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.stored_files import StoreError

FOLDER = "leases"


@contextmanager
def lease(store: ClaimStore, stage: str, claim_id: str) -> Iterator[bool]:
    """Hold a claim's stage for the block; yields whether another process had it first and was waited for."""
    try:
        path = store.local_path(FOLDER, stage, f"{claim_id}.lock")
    except StoreError:
        yield False
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # the file stays: whoever removed it would let a third process lock another file of the same name
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            waited = False
        except BlockingIOError:
            fcntl.flock(file, fcntl.LOCK_EX)
            waited = True
        yield waited
