"""The queue over claims, leases of claims, and a lead's assignments."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.assignments.store import AssignmentStore, LeaseHeldError
from citation_pipeline.core.review.queue import Waiting, queued
from citation_pipeline.serving.access import Lead, Person, Reader, Reviewer
from citation_pipeline.serving.api.answers import UNCHANGED, answer_json
from citation_pipeline.serving.api.viewer_shapes import describes
from citation_pipeline.serving.errors import StaleError
from citation_pipeline.serving.team.claim_queue import (
    ClaimQueue,
    assignment_as_json,
    claim_as_json,
    lease_as_json,
)
from citation_pipeline.serving.team.shapes import HandsAnswer, NextAnswer, QueueAnswer

router = APIRouter(prefix="/api", tags=["team"])


@router.get("/queue", response_model=None, responses=describes(QueueAnswer) | UNCHANGED)
def read_queue_of_claims(
    request: Request,
    person: Reader,
    show: Annotated[Waiting, Query(description="which claims")] = Waiting.OPEN,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """List the claims that wait, in the order in which the caller should take them, and count each queue."""
    claims = _queue(request).claims()
    found = queued(claims, person=person.name, waiting=show)
    page = found[offset : offset + limit]
    reached = offset + len(page)
    counts = {kind.value: len(queued(claims, person=person.name, waiting=kind)) for kind in Waiting}
    answer = {
        "show": show.value,
        "total": len(found),
        "offset": offset,
        "next_offset": reached if page and reached < len(found) else None,
        "counts": counts,
        "claims": [claim_as_json(claim, person.name) for claim in page],
    }
    return answer_json(request, answer)


class Wanted(BaseModel):
    """Which queue to take from; `after` is the claim that was just left."""

    model_config = ConfigDict(extra="forbid")

    show: Waiting = Waiting.OPEN
    after: str = Field(default="", max_length=100)


@router.post("/queue/next", response_model=None, responses=describes(NextAnswer))
def take_next_claim(request: Request, wanted: Wanted, person: Reviewer) -> dict[str, Any]:
    """Take the lease of the next claim that is nobody else's work; `claimId` is null where none waits."""
    queue = _queue(request)
    if wanted.after:
        request.app.state.datasets.claim(wanted.after)  # it exists, for this caller
        if queue.release(wanted.after, person.name):
            _tell_tabs(request, wanted.after)
    taken = queue.take_next(person.name, waiting=wanted.show, after=wanted.after)
    if taken is None:
        return {"claimId": None, "fieldKey": None, "lease": None}
    claim, lease, field_key = taken
    _tell_tabs(request, claim.claim_id)
    return {
        "claimId": claim.claim_id,
        "fieldKey": field_key,
        "lease": lease_as_json(lease, person.name),
    }


@router.get("/claims/{claim_id}/lease", response_model=None, responses=describes(HandsAnswer) | UNCHANGED)
def read_lease(request: Request, claim_id: str, person: Reader) -> Response:
    """Return in whose hands the claim is, whose work it is, and how that came about."""
    request.app.state.datasets.claim(claim_id)
    return answer_json(request, _hands(request, claim_id, person))


class Taking(BaseModel):
    """Taking a claim; `takeOver` takes it from whoever holds it, who is told."""

    model_config = ConfigDict(extra="forbid")

    takeOver: bool = Field(default=False, strict=True)
    why: str = Field(default="", max_length=500)


@router.post("/claims/{claim_id}/lease", response_model=None, responses=describes(HandsAnswer))
def take_claim(request: Request, claim_id: str, taking: Taking, person: Reviewer) -> dict[str, Any]:
    """Take the claim's lease, or begin one's own anew; 409 while somebody else holds it."""
    request.app.state.datasets.claim(claim_id)
    queue = _queue(request)
    before = queue.lease_of(claim_id)
    try:
        lease = queue.take(claim_id, person.name, takes_over=taking.takeOver, why=taking.why.strip())
    except LeaseHeldError as error:
        raise refusal_of(error) from error
    if before is not None and before.holder != lease.holder:
        request.app.state.notices.tell(
            "claim_taken_over", claim_id=claim_id, by=lease.holder, **{"from": before.holder}
        )
    _tell_tabs(request, claim_id)
    return _hands(request, claim_id, person)


@router.delete("/claims/{claim_id}/lease", status_code=204)
def release_claim(request: Request, claim_id: str, person: Reviewer) -> Response:
    """Give one's own lease back; nothing happens to anybody else's."""
    request.app.state.datasets.claim(claim_id)
    if _queue(request).release(claim_id, person.name):
        _tell_tabs(request, claim_id)
    return Response(status_code=204)


class Assigning(BaseModel):
    """Whose work the claim is from now on; an empty name makes it nobody's."""

    model_config = ConfigDict(extra="forbid")

    person: str = Field(max_length=200)


@router.put("/claims/{claim_id}/assignment", response_model=None, responses=describes(HandsAnswer))
def assign_claim(request: Request, claim_id: str, assigning: Assigning, person: Lead) -> dict[str, Any]:
    """Assign a claim; the webhook is told."""
    state = request.app.state
    state.datasets.claim(claim_id)
    assignee = " ".join(assigning.person.split())
    version = state.datasets.stored_version(claim_id)
    state.assignments.assign(claim_id, assignee, by=person.name, dataset_version=version)
    if assignee:
        state.notices.tell("claim_assigned", claim_id=claim_id, to=assignee, by=person.name)
    _tell_tabs(request, claim_id)
    return _hands(request, claim_id, person)


def refusal_of(error: LeaseHeldError) -> StaleError:
    """Return the answer to whoever works on a claim that is in another person's hands."""
    return StaleError(
        "in_other_hands",
        f"{error.lease.holder} is reviewing this claim.",
        "Take it over, or wait until they are done.",
    )


def _queue(request: Request) -> ClaimQueue:
    queue: ClaimQueue = request.app.state.claim_queue
    return queue


def _tell_tabs(request: Request, claim_id: str) -> None:
    lease = _queue(request).lease_of(claim_id)
    request.app.state.watchers.tell(claim_id, "hands", {"holder": lease.holder if lease else None})


def _hands(request: Request, claim_id: str, person: Person) -> dict[str, Any]:
    assignments: AssignmentStore = request.app.state.assignments
    return {
        "claimId": claim_id,
        "lease": lease_as_json(_queue(request).lease_of(claim_id), person.name),
        "assignment": assignment_as_json(assignments.assignments().get(claim_id)),
        "log": [
            {"action": e.action.value, "person": e.person, "by": e.by, "at": e.at, "why": e.why}
            for e in assignments.log_of(claim_id)
        ],
    }
