"""Deciding on fields, and how every decision came about."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.assignments.store import LeaseHeldError
from citation_pipeline.adapters.tables.page_words import line_boxes
from citation_pipeline.adapters.verifications.store import (
    NewVerification,
    StaleVerificationError,
    VerificationStore,
)
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.extraction import Value
from citation_pipeline.core.review.queue import fields_to_review
from citation_pipeline.core.review.same_values import same_json
from citation_pipeline.core.review.second_eyes import same_person
from citation_pipeline.core.review.standing import awaits_second
from citation_pipeline.core.review.verifications import Action, Place, Verification
from citation_pipeline.core.viewer.dataset import display_value
from citation_pipeline.serving.access import Reader, Reviewer
from citation_pipeline.serving.api.answers import UNCHANGED, answer_json
from citation_pipeline.serving.api.viewer_shapes import Decided, ReviewEvents, ReviewQueue, describes
from citation_pipeline.serving.corrections import read_correction
from citation_pipeline.serving.datasets import Datasets, ReviewedClaim
from citation_pipeline.serving.errors import NotAcceptableError, NotAllowedError, StaleError
from citation_pipeline.serving.settings import ServingSettings
from citation_pipeline.serving.team.queue_routes import refusal_of as in_other_hands

router = APIRouter(prefix="/api", tags=["reviews"])

_SIGNING = (Action.CONFIRM, Action.CORRECT, Action.ABSENT)
_MAX_PINNED_WORDS = 400  # a paragraph; a place that spans more is no place


class PinnedWords(BaseModel):
    """Words that a person selected: half-open range of word ids on one page."""

    model_config = ConfigDict(extra="forbid")

    sourceId: str = Field(max_length=300)
    page: int = Field(strict=True, ge=1, le=1_000_000)
    wordStart: int = Field(strict=True, ge=0, le=2_000_000_000)
    wordEnd: int = Field(strict=True, ge=1, le=2_000_000_000)


class Decision(BaseModel):
    """What a person decided on what they saw: `seenId` is the field's last event then (0: none)."""

    model_config = ConfigDict(extra="forbid")

    fieldKey: str = Field(max_length=400)
    action: Action
    seenId: int = Field(strict=True, ge=0, le=2_000_000_000)
    seenDigest: str = Field(
        default="",
        max_length=64,
        description="the field's `seenDigest` as it was on the screen; a verdict without it is refused",
    )
    seenCitations: list[Annotated[int, Field(ge=0, le=10_000)]] = Field(
        default_factory=list,
        max_length=10_000,
        description="positions in the field's `citations` whose places were on the screen: these are signed",
    )
    requestId: str = Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9-]+$")
    citationIndex: int = Field(strict=True, default=0, ge=0, le=10_000)
    value: str | None = Field(default=None, max_length=100_000)
    words: PinnedWords | None = None
    comment: str = Field(default="", max_length=5_000)
    acceptPipeline: bool = Field(
        default=False, description="confirm what the pipeline says, not what is shown"
    )


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
    claim = datasets.claim(claim_id)
    field = claim.field(decision.fieldKey)
    if store.find_request(decision.requestId) is not None:  # sent again: it is kept already
        return {"field": field, "etag": claim.etag}
    if decision.action is not Action.COMMENT:
        _check_hands(request, claim_id, person.name)
    _check_seen(decision, field)
    if decision.action is Action.UNDO:
        _check_undo(claim, decision.fieldKey, person.name)
    action, value = _verdict(decision, field, seen := _published_field(claim, decision.fieldKey))
    _check_second(action, value, field, person.name)
    new = NewVerification(
        claim_id=claim_id,
        field_key=decision.fieldKey,
        action=action,
        reviewer=person.name,
        follows_id=decision.seenId,
        request_id=decision.requestId,
        value=value,
        seen_value=seen.get("rawValue"),
        places=_places(datasets, claim, seen if decision.acceptPipeline else field, decision),
        comment=decision.comment.strip(),
        needs_second=action in _SIGNING
        and settings.second_eyes.are_needed(
            decision.fieldKey, value, seen.get("rawValue"), field.get("rawValue")
        ),
    )
    if new.action is Action.COMMENT and not new.comment:
        raise NotAcceptableError("no_comment", "A remark needs words.")
    try:
        store.append(new)
    except StaleVerificationError as error:
        raise _decided_meanwhile(datasets.claim(claim_id).field(decision.fieldKey)) from error
    request.app.state.watchers.look()
    request.app.state.claim_queue.renew(claim_id, person.name)
    after = datasets.claim(claim_id)
    if awaits_second(after.field(decision.fieldKey)) and action in _SIGNING:
        request.app.state.notices.tell(
            "second_reviewer_needed", claim_id=claim_id, field_key=decision.fieldKey, first=person.name
        )
    return {"field": after.field(decision.fieldKey), "etag": after.etag}


def _check_hands(request: Request, claim_id: str, name: str) -> None:
    try:
        request.app.state.claim_queue.check_free(claim_id, name)
    except LeaseHeldError as error:
        raise in_other_hands(error) from error


def _check_second(action: Action, value: Value, field: Mapping[str, Any], name: str) -> None:
    """Raise NotAllowedError when somebody would be the second one to their own decision."""
    review = field["review"]
    if not awaits_second(field) or not any(same_person(name, known) for known in review["signers"]):
        return
    is_same = (
        action is Action.CONFIRM
        or (action is Action.ABSENT and field.get("markedAbsent", False))
        or (action is Action.CORRECT and same_json(value, field.get("rawValue")))
    )
    if is_same:
        raise NotAllowedError(
            "second_person_needed",
            "You signed first: a second, different person has to confirm this value.",
            "Leave it to a colleague, or take your decision back.",
        )


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
        "reviewed": len(claim.dataset["fields"]) - len(waiting),
        "total": len(claim.dataset["fields"]),
    }
    return answer_json(request, queue)


def event_as_json(event: Verification) -> dict[str, Any]:
    """Return one event as the viewer shows it."""
    return {
        "id": event.verification_id,
        "action": event.action.value,
        "reviewer": event.reviewer,
        "madeAt": event.made_at,
        "value": display_value(event.value),
        "seenValue": display_value(event.seen_value),
        "comment": event.comment,
        "places": [{"sourceId": place.source_id, "page": place.page} for place in event.places],
        "needsSecond": event.needs_second,
    }


def _check_seen(decision: Decision, field: Mapping[str, Any]) -> None:
    """Raise StaleError when the field is not what the person had on the screen.

    A remark and taking a verdict back sign nothing, so they may follow whatever is shown now.
    """
    if decision.action in (Action.COMMENT, Action.REOPEN):
        return
    if decision.seenId != field["review"]["lastId"]:
        raise _decided_meanwhile(field)
    if decision.action is Action.UNDO:  # it signs nothing: the field is as it was before
        return
    if not decision.seenDigest:
        raise NotAcceptableError(
            "no_seen_digest", "The decision does not say what it was made on.", "Send the field's seenDigest."
        )
    if decision.seenDigest != field["seenDigest"]:
        raise StaleError(
            "changed_meanwhile",
            "The value or its places changed after they were shown.",
            "Look at the field as it is now, then decide again.",
            current=field,
        )


def _check_undo(claim: ReviewedClaim, field_key: str, name: str) -> None:
    """Raise NotAcceptableError where the last event that can be undone is not this person's own."""
    review = claim.reviews.get(field_key)
    if review is None or not review.actor:
        raise NotAcceptableError("nothing_to_undo", "Nothing was decided on this field.")
    if review.actor != name:
        raise NotAcceptableError(
            "not_yours", "The last decision is somebody else's.", "Decide anew, or reopen the field."
        )


def _decided_meanwhile(field: Mapping[str, Any]) -> StaleError:
    return StaleError(
        "decided_meanwhile",
        "Somebody else decided on this field meanwhile.",
        "Look at their decision, then decide again.",
        current=field,
    )


def _published_field(claim: ReviewedClaim, field_key: str) -> Mapping[str, Any]:
    """The field as the pipeline left it; a reviewed dataset shows what people said."""
    for field in claim.published["fields"]:
        if field["fieldKey"] == field_key:
            return {**field, "rawValue": field.get("rawValue", field["value"])}
    return {"fieldKey": field_key, "value": "", "citations": [], "unresolvedCitations": []}


def _verdict(
    decision: Decision, field: Mapping[str, Any], published: Mapping[str, Any]
) -> tuple[Action, Value]:
    """Return the event that a decision amounts to, and the person's value if it gives one.

    Who confirms a value that a person gave signs for that value, not for the pipeline's.
    """
    if decision.action is Action.CORRECT:
        return Action.CORRECT, read_correction(decision.value or "", field)
    if decision.action is Action.CONFIRM and not decision.acceptPipeline:
        shown = field.get("rawValue", field.get("value"))
        if shown != published.get("rawValue"):
            return Action.CORRECT, shown
    return decision.action, None


def _places(
    datasets: Datasets, claim: ReviewedClaim, field: Mapping[str, Any], decision: Decision
) -> Sequence[Place]:
    if decision.words is not None and decision.action in (Action.REPIN, Action.CORRECT):
        return [_pinned(datasets, claim, field, decision.words, decision.citationIndex)]
    if decision.action is Action.REPIN:
        raise NotAcceptableError("no_words", "A pin needs words of a page.", "Select them, then pin.")
    if decision.action is Action.CONFIRM:
        if not field.get("value") or field.get("markedAbsent"):
            raise NotAcceptableError(
                "nothing_to_confirm", "There is no value to confirm.", "Mark the field absent instead."
            )
        places = _shown_places(claim, field, frozenset(decision.seenCitations))
        if field["citations"] and not places and not decision.acceptPipeline:
            raise NotAcceptableError(
                "nothing_seen",
                "None of the value's places was on the screen.",
                "Look at one of them, and name it in seenCitations.",
            )
        return places
    return ()


def _pinned(
    datasets: Datasets, claim: ReviewedClaim, field: Mapping[str, Any], pinned: PinnedWords, index: int
) -> Place:
    source = claim.source(pinned.sourceId)
    on_page = [
        word
        for word in datasets.words(claim, pinned.sourceId)
        if word.page == pinned.page and pinned.wordStart <= word.word_id < pinned.wordEnd
    ]
    if not on_page or len(on_page) > _MAX_PINNED_WORDS:
        raise NotAcceptableError(
            "no_such_words",
            f"A pin takes between 1 and {_MAX_PINNED_WORDS} words of one page.",
            "Select words on the page, then pin.",
        )
    citations = (*field["citations"], *field.get("unresolvedCitations", []))
    replaced: Mapping[str, Any] = next((c for c in citations if c.get("citationIndex", 0) == index), {})
    return Place(
        source_id=pinned.sourceId,
        sha256=source["sha256"],
        page=pinned.page,
        text=" ".join(word.text for word in on_page),
        boxes=tuple(line_boxes(on_page)),
        citation_index=index,
        citation_id=replaced.get("citationId", ""),
        moved=True,
    )


def _shown_places(claim: ReviewedClaim, field: Mapping[str, Any], seen: frozenset[int]) -> Sequence[Place]:
    """The places of the citations that were on the screen; a reviewer who confirms signs for these alone."""
    known = claim.reviews.get(field["fieldKey"])
    places = []
    for position, citation in enumerate(field["citations"]):
        if position not in seen:
            continue
        index = citation.get("citationIndex", position)
        if known is not None and index in known.places and citation.get("pinned"):
            # who confirms against the pipeline's new place has chosen this one
            disputed = any(
                conflict["code"] == "place_changed" and conflict["citationIndex"] == index
                for conflict in field.get("conflicts", ())
            )
            kept = known.places[index]
            places.append(replace(kept, moved=kept.moved or disputed))
            continue
        regions = citation.get("regions", {}).get("snippet") or []
        if not regions or citation["sourceId"] not in claim.sources:
            continue
        first = regions[0]
        places.append(
            Place(
                source_id=citation["sourceId"],
                sha256=claim.sources[citation["sourceId"]]["sha256"],
                page=first["page"],
                text=citation.get("snippet", ""),
                boxes=tuple(Box(**box) for box in first["boxes"]),
                citation_index=index,
                citation_id=citation.get("citationId", ""),
            )
        )
    return places
