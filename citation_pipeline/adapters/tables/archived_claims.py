"""Closed claims: retired from the pipeline's partitions, while all they hold stays readable and queryable.

One small file per archived claim beside its registration. Taking its partition key away is the caller's.
"""

import json
from collections.abc import Collection

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.core.claims import check_claim_id

FOLDER = "archived_claims"


def archive_claim(store: ClaimStore, claim_id: str, *, at: str) -> None:
    """Mark a registered claim as closed; raises StoreError for one that the store does not know."""
    store.claim(claim_id)
    store.write_bytes(json.dumps({"archived_at": at}).encode(), FOLDER, f"{claim_id}.json")


def reopen_claim(store: ClaimStore, claim_id: str) -> bool:
    """Take a claim's mark away; tell whether it had one."""
    return store.remove(FOLDER, f"{check_claim_id(claim_id)}.json")


def archived_claim_ids(store: ClaimStore) -> Collection[str]:
    """Return the claims that are closed."""
    return set(store.names(FOLDER, ".json"))


def archived_since(store: ClaimStore, claim_id: str) -> str:
    """Return when a claim was archived, ISO 8601; raises FileNotFoundError for one that is not."""
    kept = json.loads(store.read_bytes(FOLDER, f"{check_claim_id(claim_id)}.json"))
    return str(kept["archived_at"])


def open_claim_ids(store: ClaimStore) -> list[str]:
    """Return the registered claims that are not closed, sorted."""
    closed = archived_claim_ids(store)
    return [claim_id for claim_id in store.claim_ids() if claim_id not in closed]
