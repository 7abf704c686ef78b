"""What people said about fields: verdicts, places they pinned, comments, and what these add up to.

A verification is one event; nothing ever changes or removes it. Folding a field's events in order gives its
review. Keeping them is the adapters' work; laying them over a dataset is `review`'s.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.extraction import Value
from citation_pipeline.core.review.people import same_person
from citation_pipeline.core.review.same_values import same_json


class Action(StrEnum):
    """What a person did to a field."""

    CONFIRM = "confirm"  # value and places are right as shown
    CORRECT = "correct"  # this is the value instead
    REPIN = "repin"  # the citation is here instead
    ABSENT = "absent"  # the documents do not say it
    COMMENT = "comment"  # a remark; changes nothing else
    REOPEN = "reopen"  # take the verdict and the pins back
    UNDO = "undo"  # take one's own last event back: the field is as it was before it


class ReviewState(StrEnum):
    """Where a field is with its reviewers."""

    UNREVIEWED = "unreviewed"
    CONFIRMED = "confirmed"
    CORRECTED = "corrected"
    ABSENT = "absent"
    AWAITING_SECOND = "awaiting_second"  # one person signed; a second, different one has to
    NEEDS_REVIEW = "needs_review"  # decided, but the value or a signed place has changed since


@dataclass(frozen=True, slots=True)
class Place:
    """Words on one page that a person signed for.

    `sha256` is the document's content when it was signed: in another version of the file the boxes mean
    nothing and the quoted `text` has to be found again. `boxes` hold one line each, in the page frame.
    `moved` tells a place that the person chose from one that the pipeline found and the person confirmed.
    """

    source_id: str
    sha256: str
    page: int
    text: str
    boxes: Sequence[Box]
    citation_index: int = 0
    citation_id: str = ""
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """One event: who did what to which field, when (ISO 8601, UTC), and what the pipeline said then.

    `value` is the person's for a correction; `seen_value` the pipeline's at that moment, `seen_confidence`
    (0-1) how sure it was of it, None where it gave no figure or the event is of an older version.
    `verification_id` grows with every event of the store. `needs_second`: the rules of that moment wanted two
    people for it.
    """

    verification_id: int
    claim_id: str
    field_key: str
    action: Action
    reviewer: str
    made_at: str
    value: Value = None
    seen_value: Value = None
    places: Sequence[Place] = ()
    comment: str = ""
    needs_second: bool = False
    seen_confidence: float | None = None


@dataclass(frozen=True, slots=True)
class FieldReview:
    """A field's events added up.

    `value` is what holds by a person's word (confirmed or corrected), `overruled` every pipeline value that a
    person has already seen and decided on. `places` are the signed places by citation index. `actor` made the
    last event that can be undone, `before` is what the field was before it. A field that is open again has
    no `reviewer`. `signers` are the people who signed for this verdict, `state` is the verdict itself: while
    it `awaits_second` nothing is verified. `seen_confidence` is the pipeline's when the first of them
    decided.
    """

    field_key: str
    state: ReviewState = ReviewState.UNREVIEWED
    value: Value = None
    overruled: Sequence[Value] = ()
    places: Mapping[int, Place] = field(default_factory=dict)
    reviewer: str = ""
    made_at: str = ""
    comments: int = 0
    events: int = 0
    last_id: int = 0
    actor: str = ""
    before: "FieldReview | None" = field(default=None, repr=False, compare=False)
    signers: Sequence[str] = ()
    needs_second: bool = False
    seen_confidence: float | None = None

    @property
    def awaits_second(self) -> bool:
        """Tell whether a second, different person has to sign before the verdict counts."""
        return self.needs_second and self.state is not ReviewState.UNREVIEWED and len(self.signers) < 2


def fold(verifications: Iterable[Verification]) -> dict[str, FieldReview]:
    """Add up one claim's events, oldest first, into one review per field."""
    reviews: dict[str, FieldReview] = {}
    for event in verifications:
        before = reviews.get(event.field_key, FieldReview(event.field_key))
        reviews[event.field_key] = _after(before, event)
    return reviews


def _after(before: FieldReview, event: Verification) -> FieldReview:
    counted = replace(
        before,
        comments=before.comments + bool(event.comment),
        events=before.events + 1,
        last_id=event.verification_id,
    )
    if event.action is Action.COMMENT:  # a remark is nobody's verdict
        return counted
    if event.action is Action.UNDO:
        then = before.before or FieldReview(before.field_key)
        return replace(then, comments=counted.comments, events=counted.events, last_id=counted.last_id)
    state, value, overruled = before.state, before.value, before.overruled
    places = dict(before.places)
    reviewer, made_at = event.reviewer, event.made_at
    match event.action:
        case Action.CONFIRM:
            state, value, overruled = ReviewState.CONFIRMED, event.seen_value, ()
            places = {place.citation_index: place for place in event.places}  # all that was shown
        case Action.CORRECT:
            if not same_json(before.value, event.value):  # what was confirmed was confirmed of another value
                places = {index: place for index, place in places.items() if place.moved}
            state, value, overruled = ReviewState.CORRECTED, event.value, (*overruled, event.seen_value)
            places |= {place.citation_index: place for place in event.places}
        case Action.ABSENT:
            state, value, overruled, places = ReviewState.ABSENT, None, (*overruled, event.seen_value), {}
        case Action.REPIN:
            places |= {place.citation_index: place for place in event.places}
        case Action.REOPEN:
            state, value, overruled, places = ReviewState.UNREVIEWED, None, (), {}
            reviewer = made_at = ""
    signers = _signers(before, event, state, value)
    # a later run knows what was signed: who signs again says nothing of how sure the pipeline was by itself
    is_first = not before.signers or tuple(signers[:1]) != tuple(before.signers[:1])
    has_decided = event.action is not Action.REPIN and is_first
    return replace(
        counted,
        signers=signers,
        seen_confidence=event.seen_confidence if has_decided else before.seen_confidence,
        needs_second=state is not ReviewState.UNREVIEWED and (before.needs_second or event.needs_second),
        state=state,
        value=value,
        overruled=overruled,
        places=places,
        reviewer=reviewer,
        made_at=made_at,
        actor=event.reviewer,
        before=before,
    )


def _signers(before: FieldReview, event: Verification, state: ReviewState, value: Value) -> Sequence[str]:
    """Return who has signed for the verdict that an event leaves; another verdict begins anew."""
    if state is ReviewState.UNREVIEWED:
        return ()
    was_absent, is_absent = before.state is ReviewState.ABSENT, state is ReviewState.ABSENT
    is_same = bool(before.signers) and was_absent is is_absent and same_json(before.value, value)
    if not is_same or event.action is Action.REPIN:  # who moves a place signs for another place
        return (event.reviewer,)
    is_new = not any(same_person(event.reviewer, signer) for signer in before.signers)
    return (*before.signers, event.reviewer) if is_new else before.signers
