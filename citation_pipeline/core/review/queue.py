"""The queue over claims: which claims wait for whom, and in which order.

Works on counts that were made of reviewed datasets; no dataset, no database.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from citation_pipeline.core.review.assignments import Assignment, Lease
from citation_pipeline.core.review.people import same_person


class Waiting(StrEnum):
    """Which claims a queue holds."""

    MINE = "mine"  # assigned to the person, or in their hands
    OPEN = "open"  # something to decide
    CONFLICT = "conflict"
    LOW = "low"  # open values of low confidence
    SECOND = "second"  # values that somebody else signed for and that want a second person
    HELD = "held"
    OLDEST = "oldest"  # open, whose documents came first in front


@dataclass(frozen=True, slots=True)
class QueuedClaim:
    """A claim as the queue sees it; `lease` is one that holds, `arrived_at` seconds since 1970, 0 unknown.

    `first_signers` counts by person the values that wait for a second one.
    """

    claim_id: str
    open_fields: int
    conflicts: int
    low: int
    is_held: bool
    top_risk: float
    arrived_at: float = 0.0
    first_signers: Mapping[str, int] = field(default_factory=dict)
    assignment: Assignment | None = None
    lease: Lease | None = None

    def seconds_for(self, person: str) -> int:
        """Return how many values wait for this person as the second one."""
        return sum(count for name, count in self.first_signers.items() if not same_person(name, person))

    def open_for(self, person: str) -> int:
        """Return how many fields this person can decide on."""
        return self.open_fields + self.seconds_for(person)

    def is_mine(self, person: str) -> bool:
        """Tell whether it is this person's work: by assignment or by lease."""
        named = (self.assignment and self.assignment.person, self.lease and self.lease.holder)
        return any(name and same_person(name, person) for name in named)

    def is_free_for(self, person: str) -> bool:
        """Tell whether it is nobody else's work."""
        return self.is_mine(person) or (self.assignment is None and self.lease is None)


def queued(claims: Iterable[QueuedClaim], *, person: str, waiting: Waiting) -> list[QueuedClaim]:
    """Return the claims of one queue, in the order in which this person should take them.

    A person's own claims come first, then disagreements, then the riskiest field; of equals the oldest.
    """
    found = [claim for claim in claims if _waits(claim, person, waiting)]
    if waiting is Waiting.OLDEST:
        return sorted(found, key=lambda claim: (claim.arrived_at or float("inf"), claim.claim_id))
    return sorted(
        found,
        key=lambda claim: (
            not claim.is_mine(person),
            -claim.conflicts,
            -(claim.low if waiting is Waiting.LOW else 0),
            -claim.top_risk,
            claim.arrived_at or float("inf"),
            claim.claim_id,
        ),
    )


def _waits(claim: QueuedClaim, person: str, waiting: Waiting) -> bool:
    match waiting:
        case Waiting.MINE:
            return claim.is_mine(person)
        case Waiting.CONFLICT:
            return claim.conflicts > 0
        case Waiting.LOW:
            return claim.low > 0
        case Waiting.SECOND:
            return claim.seconds_for(person) > 0
        case Waiting.HELD:
            return claim.is_held
        case Waiting.OPEN | Waiting.OLDEST:
            return claim.open_for(person) > 0


def fields_to_review(fields: Sequence[Mapping[str, Any]], person: str) -> list[Mapping[str, Any]]:
    """Return a reviewed dataset's fields that this person can decide on, riskiest first.

    Not those that they signed for themselves and that want a second, different person.
    """
    waiting = [one for one in fields if _is_waiting(one, person)]
    return sorted(waiting, key=lambda one: -one["risk"]["score"])


def _is_waiting(one: Mapping[str, Any], person: str) -> bool:
    review = one["review"]
    if review["state"] == "awaiting_second":
        return not any(same_person(name, person) for name in review.get("signers", ()))
    return review["state"] in ("unreviewed", "needs_review") or bool(one["conflicts"])
