"""How often each document of a claim was parsed, and what that cost: a small file beside the tables.

A parse that came from the cache is no try. Side data: no stage's version depends on it.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from citation_pipeline.adapters.tables.claim_store import ClaimStore

FOLDER = "document_tries"


@dataclass(frozen=True, slots=True)
class DocumentTries:
    """How often a document was parsed, in dollars and when last (ISO 8601 UTC)."""

    tries: int = 0
    cost_usd: float = 0.0
    at: str = ""


def read_document_tries(store: ClaimStore, claim_id: str) -> dict[str, DocumentTries]:
    """Return the tries by source id; none where nothing was counted yet."""
    try:
        kept = json.loads(store.read_bytes(FOLDER, f"{claim_id}.json"))
    except (FileNotFoundError, ValueError):
        return {}
    return {source_id: DocumentTries(**one) for source_id, one in kept.items()}


def count_document_tries(
    store: ClaimStore, claim_id: str, costs: Mapping[str, float], *, source_ids: Collection[str]
) -> dict[str, DocumentTries]:
    """Count a try of each document in `costs`, with its dollars; forget those the claim has no more."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    before = read_document_tries(store, claim_id)
    found = {source_id: before.get(source_id, DocumentTries()) for source_id in source_ids}
    for source_id, dollars in costs.items():
        one = found[source_id]
        found[source_id] = DocumentTries(one.tries + 1, round(one.cost_usd + dollars, 4), now)
    text = json.dumps({source_id: asdict(one) for source_id, one in found.items()})
    store.write_bytes(text.encode(), FOLDER, f"{claim_id}.json")
    return found
