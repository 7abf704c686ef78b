"""Keeps who a claim is assigned to, who holds its lease, and a log of both, in the database of the reviews.

What an assignment and a lease mean is `core.review.assignments`.
"""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from citation_pipeline.adapters.assignments.shapes import ASSIGNMENT_EVENTS, CLAIM_LEASES
from citation_pipeline.adapters.verifications.database import Database
from citation_pipeline.core.review.assignments import Assignment, AssignmentAction, AssignmentEvent, Lease
from citation_pipeline.core.review.people import same_person

_ASSIGNING = (AssignmentAction.ASSIGNED.value, AssignmentAction.UNASSIGNED.value)


class LeaseHeldError(Exception):
    """Somebody else holds the claim; `lease` is theirs."""

    def __init__(self, lease: Lease) -> None:
        super().__init__(f"{lease.claim_id} is in the hands of another reviewer: take it over, or wait")
        self.lease = lease


class AssignmentStore:
    """The assignments and leases of one database; safe to share between threads and between servers."""

    def __init__(self, url: str, *, now: Callable[[], float] = time.time) -> None:
        self._database = Database(url)
        self._now = now

    def assign(self, claim_id: str, person: str, *, by: str, dataset_version: str) -> None:
        """Make a claim somebody's work; an empty `person` makes it nobody's."""
        action = AssignmentAction.ASSIGNED if person else AssignmentAction.UNASSIGNED
        with self._database.writing() as connection:
            self._log(connection, claim_id, action, person, by=by, dataset_version=dataset_version)

    def assignments(self) -> dict[str, Assignment]:
        """Return who each assigned claim belongs to."""
        newest = (
            select(func.max(ASSIGNMENT_EVENTS.c.event_id))
            .where(ASSIGNMENT_EVENTS.c.action.in_(_ASSIGNING))
            .group_by(ASSIGNMENT_EVENTS.c.claim_id)
        )
        query = select(ASSIGNMENT_EVENTS).where(ASSIGNMENT_EVENTS.c.event_id.in_(newest))
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return {
            row["claim_id"]: Assignment(row["claim_id"], row["person"], row["by"], row["at"])
            for row in rows
            if row["action"] == AssignmentAction.ASSIGNED.value
        }

    def take(
        self,
        claim_id: str,
        person: str,
        *,
        dataset_version: str,
        seconds: float,
        takes_over: bool = False,
        why: str = "",
    ) -> Lease:
        """Give somebody the claim's lease, or begin theirs anew.

        Raises LeaseHeldError while another person's holds, unless it is taken over; that is logged as such.
        """
        # reading who holds it and writing the new holder is one transaction: of two who take a claim at once
        # the second one reads the first one's lease
        with self._database.writing() as connection:
            now, held = self._now(), self._held(connection, claim_id)
            is_own = held is not None and same_person(held.holder, person)
            holds = held is not None and held.holds(now=now, dataset_version=dataset_version)
            if held is not None and holds and not is_own and not takes_over:
                raise LeaseHeldError(held)
            began = held.taken_at if held is not None and holds and is_own else now
            lease = Lease(claim_id, person, dataset_version, began, now + seconds)
            self._keep(connection, lease)
            if not (holds and is_own):
                action = AssignmentAction.TAKEN_OVER if holds else AssignmentAction.TAKEN
                self._log(
                    connection, claim_id, action, person, by=person, dataset_version=dataset_version, why=why
                )
        return lease

    def renew(self, claim_id: str, person: str, *, dataset_version: str, seconds: float) -> Lease | None:
        """Begin a person's lease anew, on the version that they see now; None where it is not theirs."""
        with self._database.writing() as connection:
            held = self._held(connection, claim_id)
            if held is None or not same_person(held.holder, person):
                return None
            # also one that has just expired: had somebody else taken the claim, the row would be theirs
            lease = Lease(claim_id, held.holder, dataset_version, held.taken_at, self._now() + seconds)
            self._keep(connection, lease)
        return lease

    def release(self, claim_id: str, person: str, *, dataset_version: str) -> bool:
        """End a person's lease; False where it was not theirs."""
        with self._database.writing() as connection:
            held = self._held(connection, claim_id)
            if held is None or not same_person(held.holder, person):
                return False
            connection.execute(delete(CLAIM_LEASES).where(CLAIM_LEASES.c.claim_id == claim_id))
            self._log(
                connection,
                claim_id,
                AssignmentAction.RELEASED,
                person,
                by=person,
                dataset_version=dataset_version,
            )
        return True

    def leases(self) -> dict[str, Lease]:
        """Return the leases that have not expired, of whatever version."""
        query = select(CLAIM_LEASES).where(CLAIM_LEASES.c.expires_at > self._now())
        with self._database.reading() as connection:
            return {row["claim_id"]: _lease(row) for row in connection.execute(query).mappings()}

    def lease_of(self, claim_id: str, *, dataset_version: str) -> Lease | None:
        """Return the lease of a claim that holds now."""
        with self._database.reading() as connection:
            held = self._held(connection, claim_id)
        holds = held is not None and held.holds(now=self._now(), dataset_version=dataset_version)
        return held if holds else None

    def log_of(self, claim_id: str) -> Sequence[AssignmentEvent]:
        """Return what happened to a claim's assignment and lease, oldest first."""
        query = select(ASSIGNMENT_EVENTS).where(ASSIGNMENT_EVENTS.c.claim_id == claim_id)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(ASSIGNMENT_EVENTS.c.event_id)).mappings().all()
        return [
            AssignmentEvent(
                AssignmentAction(row["action"]),
                row["person"],
                row["by"],
                row["at"],
                row["dataset_version"],
                row["why"],
            )
            for row in rows
        ]

    def close(self) -> None:
        """Give the database's connections back."""
        self._database.close()

    def _held(self, connection: Connection, claim_id: str) -> Lease | None:
        query = select(CLAIM_LEASES).where(CLAIM_LEASES.c.claim_id == claim_id)
        row = connection.execute(query).mappings().first()
        return _lease(row) if row is not None else None

    def _keep(self, connection: Connection, lease: Lease) -> None:
        connection.execute(delete(CLAIM_LEASES).where(CLAIM_LEASES.c.claim_id == lease.claim_id))
        connection.execute(
            insert(CLAIM_LEASES).values(
                claim_id=lease.claim_id,
                holder=lease.holder,
                dataset_version=lease.dataset_version,
                taken_at=lease.taken_at,
                expires_at=lease.expires_at,
            )
        )

    def _log(
        self,
        connection: Connection,
        claim_id: str,
        action: AssignmentAction,
        person: str,
        *,
        by: str,
        dataset_version: str,
        why: str = "",
    ) -> None:
        at = datetime.fromtimestamp(self._now(), UTC).isoformat(timespec="seconds")
        connection.execute(
            insert(ASSIGNMENT_EVENTS).values(
                claim_id=claim_id,
                action=action.value,
                person=person,
                by=by,
                at=at,
                dataset_version=dataset_version,
                why=why,
            )
        )


def _lease(row: Any) -> Lease:
    return Lease(**{name: row[name] for name in Lease.__dataclass_fields__})
