"""Whose work a claim is: assignments by a lead, and leases that reviewers take.

An assignment lasts until it is changed. A lease is of one person on one version of the claim's dataset, and
ends by itself: work that was left lying is free again. Keeping them is the adapters' task.
"""

from dataclasses import dataclass
from enum import StrEnum


class AssignmentAction(StrEnum):
    """What happened to a claim's assignment or lease."""

    ASSIGNED = "assigned"
    UNASSIGNED = "unassigned"
    TAKEN = "taken"
    TAKEN_OVER = "taken_over"  # from somebody whose lease had not ended; they are told
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Lease:
    """A claim in one reviewer's hands; times are seconds since 1970, `dataset_version` what they had open."""

    claim_id: str
    holder: str
    dataset_version: str
    taken_at: float
    expires_at: float

    def holds(self, *, now: float, dataset_version: str) -> bool:
        """Tell whether it still counts: not once it has expired, nor when the claim was made anew."""
        return now < self.expires_at and dataset_version == self.dataset_version


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who works on a claim by a lead's word; `by` the lead, `at` ISO 8601 in UTC."""

    claim_id: str
    person: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class AssignmentEvent:
    """One line of a claim's log: what happened, to whom, by whom, on which version of the dataset."""

    action: AssignmentAction
    person: str
    by: str
    at: str
    dataset_version: str
    why: str = ""
