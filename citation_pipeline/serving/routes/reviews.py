"""Routes of a claim's review: deciding on fields, how every decision came about, what waits."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from citation_pipeline.adapters.assignments.store import LeaseHeldError
from citation_pipeline.adapters.verifications.store import (
    NewVerification,
    StaleVerificationError,
    VerificationStore,
)
from citation_pipeline.core.review.overlay import event_as_json
from citation_pipeline.core.review.queue import fields_to_review
from citation_pipeline.core.review.standing import awaits_second, is_decided
from citation_pipeline.core.review.verifications import Action
from citation_pipeline.serving.access import Reader, Reviewer
from citation_pipeline.serving.api.answers import UNCHANGED, answer_json
from citation_pipeline.serving.api.viewer_shapes import Decided, ReviewEvents, ReviewQueue, describes
from citation_pipeline.serving.datasets import Datasets, ReviewedClaim
from citation_pipeline.serving.decisions import (
    SIGNING,
    Decision,
    check_same_request,
    check_second,
    check_seen,
    check_undo,
    decided_meanwhile,
    published_field,
    verdict_of,
)
from citation_pipeline.serving.errors import NotAcceptableError
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline.serving.signed_places import signed_places, with_seen_places
from citation_pipeline.serving.team.queue_routes import refusal_of as in_other_hands

router = APIRouter(prefix="/api", tags=["reviews"])


@router.post(
    "/claims/{claim_id}/verifications",
    status_code=201,
    response_model=None,
    responses=describes(Decided, status=201),
)
def make_verification(
    request: Request, claim_id: str, decision: Decision, person: Reviewer
) -> dict[str, Any]:
    """Keep a decision; answers the field as it is after it."""
    datasets: Datasets = request.app.state.datasets
    settings: ServingSettings = request.app.state.settings
    store: VerificationStore = request.app.state.verifications
    claim = datasets.claim(claim_id, is_decided=True)
    field = claim.field(decision.fieldKey)
    if (kept := store.find_request(decision.requestId)) is not None:  # sent again: it is kept already
        check_same_request(kept, decision, field, claim_id=claim_id, name=person.name)
        return {"field": field, "etag": claim.etag}
    if decision.action is not Action.COMMENT:
        _check_hands(request, claim_id, person.name)
    check_seen(decision, field)
    if decision.action is Action.UNDO:
        check_undo(claim, decision.fieldKey, person.name)
    action, value = verdict_of(decision, field, seen := published_field(claim, decision.fieldKey))
    check_second(action, value, field, person.name)
    new = NewVerification(
        claim_id=claim_id,
        field_key=decision.fieldKey,
        action=action,
        reviewer=person.name,
        follows_id=decision.seenId,
        request_id=decision.requestId,
        value=value,
        seen_value=seen.get("rawValue"),
        seen_confidence=(seen.get("fieldConfidence") or {}).get("value"),
        places=signed_places(datasets, claim, with_seen_places(field, seen, decision), decision),
        comment=decision.comment.strip(),
        needs_second=action in SIGNING
        and settings.second_eyes.are_needed(
            decision.fieldKey, value, seen.get("rawValue"), field.get("rawValue")
        ),
    )
    if new.action is Action.COMMENT and not new.comment:
        raise NotAcceptableError("no_comment", "A remark needs words.")
    try:
        kept = store.append(new)
    except StaleVerificationError as error:
        raise decided_meanwhile(datasets.claim(claim_id).field(decision.fieldKey)) from error
    # two at once under one id: the other one was kept
    check_same_request(kept, decision, field, claim_id=claim_id, name=person.name)
    request.app.state.watchers.look()
    request.app.state.claim_queue.renew(claim_id, person.name)
    after = datasets.claim(claim_id)
    if awaits_second(after.field(decision.fieldKey)) and action in SIGNING:
        request.app.state.notices.tell(
            "second_reviewer_needed", claim_id=claim_id, field_key=decision.fieldKey, first=person.name
        )
    return {"field": after.field(decision.fieldKey), "etag": after.etag}


def _check_hands(request: Request, claim_id: str, name: str) -> None:
    try:
        request.app.state.claim_queue.check_free(claim_id, name)
    except LeaseHeldError as error:
        raise in_other_hands(error) from error


@router.get(
    "/claims/{claim_id}/verifications", response_model=None, responses=describes(ReviewEvents) | UNCHANGED
)
def read_history(
    request: Request,
    claim_id: str,
    person: Reader,
    field: Annotated[str | None, Query(max_length=400)] = None,
) -> Response:
    """Return a field's events, or the whole claim's, oldest first."""
    request.app.state.datasets.claim(claim_id)
    store: VerificationStore = request.app.state.verifications
    return answer_json(
        request, {"events": [event_as_json(event) for event in store.history(claim_id, field)]}
    )


@router.get("/claims/{claim_id}/queue", response_model=None, responses=describes(ReviewQueue) | UNCHANGED)
def read_queue(request: Request, claim_id: str, person: Reader) -> Response:
    """Return what waits for the caller, riskiest first: undecided, disputed, or signed by one of two."""
    claim: ReviewedClaim = request.app.state.datasets.claim(claim_id)
    waiting = fields_to_review(claim.dataset["fields"], person.name)
    queue = {
        "queue": [
            {"fieldKey": field["fieldKey"], "risk": field["risk"], "conflicts": field["conflicts"]}
            for field in waiting
        ],
        "reviewed": sum(is_decided(field) for field in claim.dataset["fields"]),
        "total": len(claim.dataset["fields"]),
    }
    return answer_json(request, queue)
