"""Keeps verifications in a SQL database (SQLite beside the store, or PostgreSQL by URL), append-only.

Only keeps and reads events; what they add up to is `core.review.verifications`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from citation_pipeline.adapters.sql_engines import is_unused
from citation_pipeline.adapters.verifications.audit import entry_as_json, link_event, read_entries
from citation_pipeline.adapters.verifications.database import Database
from citation_pipeline.adapters.verifications.shapes import VERIFICATIONS
from citation_pipeline.adapters.verifications.signing import Signer
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.extraction import Value
from citation_pipeline.core.resolution.pins import Pin
from citation_pipeline.core.review.chain import LinkKind
from citation_pipeline.core.review.verifications import (
    Action,
    FieldReview,
    Place,
    ReviewState,
    Verification,
    fold,
)

_CONFIDENCE_STEPS = 10_000


class VerificationError(Exception):
    """Something the verification tables refuse."""


class StaleVerificationError(VerificationError):
    """Somebody else decided on the field first; `last_id` is the event that the person had not seen."""

    def __init__(self, field_key: str, last_id: int) -> None:
        super().__init__(
            f"{field_key} was reviewed by somebody else meanwhile: look at event {last_id}, then decide"
        )
        self.field_key, self.last_id = field_key, last_id


@dataclass(frozen=True, slots=True)
class NewVerification:
    """An event to be kept: `follows_id` is the last event of the field that the person had seen (0: none)."""

    claim_id: str
    field_key: str
    action: Action
    reviewer: str
    follows_id: int
    request_id: str
    value: Value = None
    seen_value: Value = None
    places: Sequence[Place] = ()
    comment: str = ""
    needs_second: bool = False
    seen_confidence: float | None = None


def signed_fields_of(reviews: Mapping[str, FieldReview]) -> frozenset[str]:
    """Return the fields that somebody has decided on."""
    return frozenset(key for key, review in reviews.items() if review.state is not ReviewState.UNREVIEWED)


def read_reviews(url: str, claim_id: str) -> dict[str, FieldReview]:
    """Return a claim's reviews; none, and no new file, where nobody has reviewed anything yet."""
    if is_unused(url):
        return {}
    store = VerificationStore(url)
    try:
        return store.reviews(claim_id)
    finally:
        store.close()


def read_pins(url: str, claim_id: str) -> list[Pin]:
    """Return a claim's signed places; none, and no new file, where nobody has reviewed anything yet."""
    return pins_of(read_reviews(url, claim_id))


def pins_of(reviews: Mapping[str, FieldReview]) -> list[Pin]:
    """Return the places that people signed for, as the next resolution takes them."""
    return [
        Pin(
            field_key=review.field_key,
            source_id=place.source_id,
            sha256=place.sha256,
            page=place.page,
            text=place.text,
            boxes=place.boxes,
            citation_index=index,
        )
        for review in reviews.values()
        for index, place in sorted(review.places.items())
    ]


def pins_fingerprint(pins: Sequence[Pin]) -> str:
    """Return what changes with any signed place: part of what a resolution is made from."""
    if not pins:
        return "none"
    return hashlib.sha256(repr(list(pins)).encode()).hexdigest()[:16]


class VerificationStore:
    """The verification tables of one database; safe to share between threads."""

    def __init__(self, url: str, *, signer: Signer | None = None) -> None:
        self.url = url
        self._database = Database(url, signer=signer)

    def append(self, new: NewVerification) -> Verification:
        """Keep one event and return it; the same request twice is one event.

        Raises StaleVerificationError when another event came between, unless the new one is a comment.
        """
        try:
            with self._database.writing() as connection:
                known = self._of_request(connection, new.request_id)
                return known or self._insert(connection, new)
        except IntegrityError as error:  # two at once: the other transaction was first
            with self._database.reading() as connection:
                known = self._of_request(connection, new.request_id)
                if known is not None:
                    return known
                if new.action is Action.COMMENT:
                    return self.append(new)
                raise StaleVerificationError(new.field_key, self._last_id(connection, new)) from error

    def find_request(self, request_id: str) -> Verification | None:
        """Return the event that a request made, None where it has made none yet."""
        with self._database.reading() as connection:
            return self._of_request(connection, request_id)

    def history(self, claim_id: str, field_key: str | None = None) -> list[Verification]:
        """Return a claim's events, or one field's, oldest first."""
        query = select(VERIFICATIONS).where(VERIFICATIONS.c.claim_id == claim_id)
        if field_key is not None:
            query = query.where(VERIFICATIONS.c.field_key == field_key)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(VERIFICATIONS.c.verification_id)).mappings()
            return [_verification(row) for row in rows]

    def events_after(self, claim_id: str, last_id: int) -> list[Verification]:
        """Return a claim's events that are newer than one, oldest first."""
        query = select(VERIFICATIONS).where(
            VERIFICATIONS.c.claim_id == claim_id, VERIFICATIONS.c.verification_id > last_id
        )
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(VERIFICATIONS.c.verification_id)).mappings()
            return [_verification(row) for row in rows]

    def events_since(self, made_at: str) -> list[Verification]:
        """Return every claim's events from a time on (ISO 8601 in UTC), oldest first."""
        query = select(VERIFICATIONS).where(VERIFICATIONS.c.made_at >= made_at)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(VERIFICATIONS.c.verification_id)).mappings()
            return [_verification(row) for row in rows]

    def reviewers(self) -> list[str]:
        """Return who has decided anything, by name."""
        query = select(VERIFICATIONS.c.reviewer).distinct()
        with self._database.reading() as connection:
            return sorted(name for (name,) in connection.execute(query))

    def reviews(self, claim_id: str) -> dict[str, FieldReview]:
        """Return a claim's reviews by field key."""
        return fold(self.history(claim_id))

    @property
    def signer(self) -> Signer | None:
        """Who signs the audit links of this store, and exports of them."""
        return self._database.signer

    def audit_entries(self, claim_id: str | None = None) -> list[dict[str, Any]]:
        """Return the audit chain as an export holds it; with a claim, the excerpt that shows its events."""
        with self._database.reading() as connection:
            return [entry_as_json(entry) for entry in read_entries(connection, claim_id=claim_id)]

    def pins(self, claim_id: str) -> list[Pin]:
        """Return the places that people signed for, as the next resolution takes them."""
        return pins_of(self.reviews(claim_id))

    def last_ids(self) -> dict[str, int]:
        """Return the newest event's id of every claim that has one."""
        newest = func.max(VERIFICATIONS.c.verification_id)
        query = select(VERIFICATIONS.c.claim_id, newest).group_by(VERIFICATIONS.c.claim_id)
        with self._database.reading() as connection:
            return {str(claim_id): int(last) for claim_id, last in connection.execute(query)}

    def last_id(self, claim_id: str) -> int:
        """Return the newest event's id of one claim, 0 when it has none."""
        query = select(func.max(VERIFICATIONS.c.verification_id))
        with self._database.reading() as connection:
            found = connection.execute(query.where(VERIFICATIONS.c.claim_id == claim_id)).scalar()
        return int(found or 0)

    def close(self) -> None:
        """Give the database's connections back."""
        self._database.close()

    def _insert(self, connection: Connection, new: NewVerification) -> Verification:
        last = self._last_id(connection, new)
        # a remark disputes nobody's verdict, so it may follow whatever came last
        if last != new.follows_id and new.action is not Action.COMMENT:
            raise StaleVerificationError(new.field_key, last)
        row: dict[str, Any] = {
            "claim_id": new.claim_id,
            "field_key": new.field_key,
            "action": new.action.value,
            "reviewer": new.reviewer,
            "made_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "value": json.dumps(new.value, ensure_ascii=False),
            "seen_value": json.dumps(new.seen_value, ensure_ascii=False),
            "places": json.dumps([_place_row(place) for place in new.places], ensure_ascii=False),
            "comment": new.comment,
            "follows_id": last,
            "request_id": new.request_id,
            "needs_second": 1 if new.needs_second else None,
            "seen_confidence": None
            if new.seen_confidence is None
            else round(new.seen_confidence * _CONFIDENCE_STEPS),
        }
        made = connection.execute(insert(VERIFICATIONS).values(**row)).inserted_primary_key
        assert made is not None
        kept = {**row, "verification_id": made[0]}
        link_event(connection, LinkKind.REVIEW, kept, signer=self._database.signer)
        return _verification(kept)

    def _last_id(self, connection: Connection, new: NewVerification) -> int:
        query = select(func.max(VERIFICATIONS.c.verification_id)).where(
            VERIFICATIONS.c.claim_id == new.claim_id, VERIFICATIONS.c.field_key == new.field_key
        )
        return int(connection.execute(query).scalar() or 0)

    def _of_request(self, connection: Connection, request_id: str) -> Verification | None:
        query = select(VERIFICATIONS).where(VERIFICATIONS.c.request_id == request_id)
        row = connection.execute(query).mappings().first()
        return _verification(row) if row is not None else None


def _place_row(place: Place) -> dict[str, Any]:
    return {
        "source_id": place.source_id,
        "sha256": place.sha256,
        "page": place.page,
        "text": place.text,
        "boxes": [[box.left, box.top, box.width, box.height] for box in place.boxes],
        "citation_index": place.citation_index,
        "citation_id": place.citation_id,
        "moved": place.moved,
    }


def _verification(row: Any) -> Verification:
    places = [
        Place(**{**kept, "boxes": tuple(Box(*box) for box in kept["boxes"])})
        for kept in json.loads(row["places"])
    ]
    return Verification(
        verification_id=row["verification_id"],
        claim_id=row["claim_id"],
        field_key=row["field_key"],
        action=Action(row["action"]),
        reviewer=row["reviewer"],
        made_at=row["made_at"],
        value=json.loads(row["value"]),
        seen_value=json.loads(row["seen_value"]),
        places=tuple(places),
        comment=row["comment"],
        needs_second=bool(row["needs_second"]),
        seen_confidence=None if (sure := row["seen_confidence"]) is None else sure / _CONFIDENCE_STEPS,
    )
