"""What a person decides on a field: the request, whether they may sign it, and the event it amounts to.

Which places are signed with it belongs to `signed_places`, keeping it to the store.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.core.extraction import Value
from citation_pipeline.core.review.people import same_person
from citation_pipeline.core.review.same_values import same_json
from citation_pipeline.core.review.standing import awaits_second
from citation_pipeline.core.review.verifications import Action, Verification
from citation_pipeline.serving.corrections import read_correction
from citation_pipeline.serving.datasets import ReviewedClaim
from citation_pipeline.serving.errors import NotAcceptableError, NotAllowedError, StaleError

SIGNING = (Action.CONFIRM, Action.CORRECT, Action.ABSENT)


class PinnedWords(BaseModel):
    """Words that a person selected: half-open range of word ids on one page."""

    model_config = ConfigDict(extra="forbid")

    sourceId: str = Field(max_length=300)
    page: int = Field(strict=True, ge=1, le=1_000_000)
    wordStart: int = Field(strict=True, ge=0, le=2_000_000_000)
    wordEnd: int = Field(strict=True, ge=1, le=2_000_000_000)
    text: str | None = Field(
        default=None,
        max_length=100_000,
        description="the words as they were on the screen, joined by spaces; another reading is refused",
    )


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
    seenPipelinePlaces: list[Annotated[int, Field(ge=0, le=10_000)]] = Field(
        default_factory=list,
        max_length=10_000,
        description="citation indexes whose place by the pipeline was shown beside a person's: signed with "
        "`acceptPipeline`",
    )
    requestId: str = Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9-]+$")
    citationIndex: int = Field(strict=True, default=0, ge=0, le=10_000)
    value: str | None = Field(default=None, max_length=100_000)
    words: PinnedWords | None = None
    comment: str = Field(default="", max_length=5_000)
    acceptPipeline: bool = Field(
        default=False, description="confirm what the pipeline says, not what is shown"
    )


def check_seen(decision: Decision, field: Mapping[str, Any]) -> None:
    """Raise StaleError when the field is not what the person had on the screen.

    A remark and taking a verdict back sign nothing, so they may follow whatever is shown now.
    """
    if decision.action in (Action.COMMENT, Action.REOPEN):
        return
    if decision.seenId != field["review"]["lastId"]:
        raise decided_meanwhile(field)
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


def check_same_request(
    kept: Verification, decision: Decision, field: Mapping[str, Any], *, claim_id: str, name: str
) -> None:
    """Raise NotAcceptableError where an event of the same request id is another decision than this one.

    Answering it with 201 would tell somebody that their decision was kept when it was not.
    """
    actions = {decision.action}
    if decision.action is Action.CONFIRM:  # of a person's value it is kept as that value
        actions.add(Action.CORRECT)
    is_same = (
        (kept.claim_id, kept.field_key) == (claim_id, decision.fieldKey)
        and kept.action in actions
        and kept.comment == decision.comment.strip()
        and same_person(kept.reviewer, name)
        and (
            decision.action is not Action.CORRECT
            or same_json(kept.value, read_correction(decision.value or "", field))
        )
    )
    if not is_same:
        raise NotAcceptableError(
            "request_id_used", "Another decision has that request id.", "Send the decision under a new one."
        )


def check_undo(claim: ReviewedClaim, field_key: str, name: str) -> None:
    """Raise NotAcceptableError where the last event that can be undone is not this person's own."""
    review = claim.reviews.get(field_key)
    if review is None or not review.actor:
        raise NotAcceptableError("nothing_to_undo", "Nothing was decided on this field.")
    if not same_person(review.actor, name):
        raise NotAcceptableError(
            "not_yours", "The last decision is somebody else's.", "Decide anew, or reopen the field."
        )


def check_second(action: Action, value: Value, field: Mapping[str, Any], name: str) -> None:
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


def decided_meanwhile(field: Mapping[str, Any]) -> StaleError:
    """Return the refusal of a decision that somebody else's came before."""
    return StaleError(
        "decided_meanwhile",
        "Somebody else decided on this field meanwhile.",
        "Look at their decision, then decide again.",
        current=field,
    )


def published_field(claim: ReviewedClaim, field_key: str) -> Mapping[str, Any]:
    """The field as the pipeline left it; a reviewed dataset shows what people said."""
    for field in claim.published["fields"]:
        if field["fieldKey"] == field_key:
            return {**field, "rawValue": field.get("rawValue", field["value"])}
    return {"fieldKey": field_key, "value": "", "citations": [], "unresolvedCitations": []}


def verdict_of(
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
