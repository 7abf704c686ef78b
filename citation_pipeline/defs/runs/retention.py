"""Which claims are due to be erased: by how long nothing has happened to them, and by their state."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from citation_pipeline.adapters.deployment.deployment import Deployment
from citation_pipeline.adapters.sql_engines import is_unused
from citation_pipeline.adapters.tables.archived_claims import archived_claim_ids, archived_since
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.adapters.verifications.store import VerificationStore, signed_fields_of
from citation_pipeline.core.review.verifications import Verification, fold


class ClaimState(StrEnum):
    """How far a claim has come; `any` is all of them."""

    ARCHIVED = "archived"
    REVIEWED = "reviewed"  # a person has decided on every field that has a value
    UNFINISHED = "unfinished"
    ANY = "any"


def claims_untouched_for(
    deployment: Deployment, *, days: int, state: ClaimState, now: datetime | None = None
) -> list[str]:
    """Return the claims in a state that no run and no person has changed for at least so many days."""
    store, moment = deployment.open_store(), now or datetime.now(UTC)
    archived = archived_claim_ids(store)
    due = []
    for claim_id in sorted(store.claim_ids()):
        events = _events(deployment.verifications_url, claim_id)
        found = ClaimState.ARCHIVED if claim_id in archived else _progress_of(store, claim_id, events)
        changed = max(_changes(store, claim_id, events), default=moment)
        if state in (found, ClaimState.ANY) and changed <= moment - timedelta(days=days):
            due.append(claim_id)
    return due


def _events(url: str, claim_id: str) -> list[Verification]:
    if is_unused(url):
        return []
    reviews = VerificationStore(url)
    try:
        return reviews.history(claim_id)
    finally:
        reviews.close()


def _progress_of(store: ClaimStore, claim_id: str, events: list[Verification]) -> ClaimState:
    try:
        keys = {field["fieldKey"] for field in store.read_viewer_dataset(claim_id)["fields"]}
    except MissingTableError:
        return ClaimState.UNFINISHED
    reviews = fold(events)
    signed = {key for key in signed_fields_of(reviews) if not reviews[key].awaits_second}
    return ClaimState.REVIEWED if keys and keys <= signed else ClaimState.UNFINISHED


def _changes(store: ClaimStore, claim_id: str, events: list[Verification]) -> Iterator[datetime]:
    for path in (f"claims/{claim_id}.json", f"viewer_dataset/{claim_id}/data.json"):
        info = store.file_info(path)
        if info is not None:
            yield info.modified_at
    if claim_id in archived_claim_ids(store):
        yield datetime.fromisoformat(archived_since(store, claim_id))
    for event in events:
        yield datetime.fromisoformat(event.made_at)
