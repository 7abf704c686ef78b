"""The store's claims as a queue for one person: counts of their datasets, assignments, leases."""

from collections.abc import Iterator
from typing import Any

from citation_pipeline.adapters.assignments.store import AssignmentStore, LeaseHeldError
from citation_pipeline.core.review.assignments import Assignment, Lease
from citation_pipeline.core.review.people import same_person
from citation_pipeline.core.review.queue import QueuedClaim, Waiting, fields_to_review, queued
from citation_pipeline.serving.datasets import Datasets


class ClaimQueue:
    """What waits for whom; the caller's claims alone are listed."""

    def __init__(self, datasets: Datasets, assignments: AssignmentStore, *, lease_seconds: float) -> None:
        self._datasets, self._assignments, self._lease_seconds = datasets, assignments, lease_seconds

    def claims(self) -> list[QueuedClaim]:
        """Return every claim that has a dataset."""
        return list(self._claims())

    def _claims(self) -> Iterator[QueuedClaim]:
        leases, assigned = self._assignments.leases(), self._assignments.assignments()
        for line in self._datasets.summaries():
            if line["state"] != "ready":
                continue
            claim_id = line["claimId"]
            yield QueuedClaim(
                claim_id=claim_id,
                open_fields=line["fields"] - line["reviewed"] - line["awaitingSecond"],
                conflicts=line["conflicts"],
                low=line["lowConfidence"],
                is_held=line["isHeld"],
                top_risk=line["topRisk"],
                arrived_at=self._datasets.arrived_at(claim_id),
                first_signers=line["firstSigners"],
                assignment=assigned.get(claim_id),
                lease=self._holding(leases.get(claim_id), claim_id),
            )

    def _holding(self, lease: Lease | None, claim_id: str) -> Lease | None:
        # a lease of an older dataset binds nobody: what it was taken for is not there any more
        is_current = lease is not None and lease.dataset_version == self._datasets.stored_version(claim_id)
        return lease if is_current else None

    def take_next(
        self, person: str, *, waiting: Waiting, after: str = ""
    ) -> tuple[QueuedClaim, Lease, str | None] | None:
        """Take the first claim of a queue that is nobody else's, and name its riskiest field.

        `after` is a claim that the person has just left: it comes last. None where nothing waits.
        """
        found = queued(self.claims(), person=person, waiting=waiting)
        free = [claim for claim in found if claim.is_free_for(person)]
        for claim in sorted(free, key=lambda claim: claim.claim_id == after):
            fields = fields_to_review(self._datasets.claim(claim.claim_id).dataset["fields"], person)
            if not fields and waiting is not Waiting.HELD:
                continue  # all that is left waits for somebody else
            try:
                lease = self.take(claim.claim_id, person)
            except LeaseHeldError:  # somebody was quicker: the next one
                continue
            return claim, lease, fields[0]["fieldKey"] if fields else None
        return None

    def holder_of(self, claim_id: str) -> str | None:
        """Return who holds the claim's lease now."""
        lease = self.lease_of(claim_id)
        return lease.holder if lease is not None else None

    def take(self, claim_id: str, person: str, *, takes_over: bool = False, why: str = "") -> Lease:
        """Give a person the claim's lease; raises LeaseHeldError."""
        return self._assignments.take(
            claim_id,
            person,
            dataset_version=self._datasets.stored_version(claim_id),
            seconds=self._lease_seconds,
            takes_over=takes_over,
            why=why,
        )

    def renew(self, claim_id: str, person: str) -> Lease | None:
        """Begin a person's lease anew, if it is theirs."""
        version = self._datasets.stored_version(claim_id)
        return self._assignments.renew(claim_id, person, dataset_version=version, seconds=self._lease_seconds)

    def release(self, claim_id: str, person: str) -> bool:
        """End a person's lease; tells whether it was theirs."""
        version = self._datasets.stored_version(claim_id)
        return self._assignments.release(claim_id, person, dataset_version=version)

    def lease_of(self, claim_id: str) -> Lease | None:
        """Return the lease that holds now."""
        return self._assignments.lease_of(claim_id, dataset_version=self._datasets.stored_version(claim_id))

    def check_free(self, claim_id: str, person: str) -> None:
        """Raise LeaseHeldError while the claim is in another person's hands."""
        lease = self.lease_of(claim_id)
        if lease is not None and not same_person(lease.holder, person):
            raise LeaseHeldError(lease)


def claim_as_json(claim: QueuedClaim, person: str) -> dict[str, Any]:
    """Return a queued claim as the viewer takes it."""
    return {
        "claimId": claim.claim_id,
        "open": claim.open_for(person),
        "conflicts": claim.conflicts,
        "lowConfidence": claim.low,
        "forSecond": claim.seconds_for(person),
        "awaitingSecond": sum(claim.first_signers.values()),
        "isHeld": claim.is_held,
        "arrivedAt": claim.arrived_at or None,
        "isMine": claim.is_mine(person),
        "assignment": assignment_as_json(claim.assignment),
        "lease": lease_as_json(claim.lease, person),
    }


def lease_as_json(lease: Lease | None, person: str) -> dict[str, Any] | None:
    """Return a lease as the viewer takes it; times in seconds since 1970."""
    if lease is None:
        return None
    return {
        "holder": lease.holder,
        "isMine": same_person(lease.holder, person),
        "takenAt": lease.taken_at,
        "expiresAt": lease.expires_at,
    }


def assignment_as_json(assignment: Assignment | None) -> dict[str, Any] | None:
    """Return an assignment as the viewer takes it."""
    if assignment is None:
        return None
    return {"person": assignment.person, "by": assignment.by, "at": assignment.at}
