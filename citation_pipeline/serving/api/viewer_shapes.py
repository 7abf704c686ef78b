"""What the viewer's own routes answer, for the API's description; keys that are not listed may be added.

The routes build these answers themselves, so nothing here runs when a request is answered.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """An answer that may have further keys."""

    model_config = ConfigDict(extra="allow")


class SessionAnswer(Answer):
    """Who is signed in and what they may do."""

    name: str
    role: str
    canReview: bool
    canSignOut: bool
    fadeSeconds: float
    highlight: str


class SignedIn(Answer):
    """Who has just signed in."""

    name: str
    role: str


class WaysIn(Answer):
    """How people sign in: with a token, or at a provider."""

    byToken: bool
    byProvider: bool


class ClaimSummary(Answer):
    """A claim's line in the list: its state (`ready`, `damaged`, or the last stage that ran) and counts."""

    claimId: str
    state: str


class ClaimList(Answer):
    """A page of claims; `next_offset` is null on the last."""

    total: int
    offset: int
    next_offset: int | None
    claims: list[ClaimSummary]


class DatasetAnswer(Answer):
    """A claim's viewer dataset with people's reviews over it (data.json, docs/viewer.md)."""

    claimId: str
    sources: list[dict[str, Any]]
    fields: list[dict[str, Any]]
    absentFields: list[dict[str, Any]]


class Divided(Answer):
    """The documents inside a file as they are now, and the dataset's new version."""

    sourceId: str
    parts: list[dict[str, Any]]
    etag: str


class PageWords(Answer):
    """A page's words in reading order: [word id, text, left, top, width, height, line]."""

    words: list[list[Any]]


class FoundPlace(Answer):
    """A place of a text: one box per line, on one page."""

    page: int
    boxes: list[dict[str, float]]


class FoundPlaces(Answer):
    """Where a document says a text; `isComplete` is false when more places were cut off."""

    hits: list[FoundPlace]
    isComplete: bool


class Decided(Answer):
    """The field as it is after a decision."""

    field: dict[str, Any]
    etag: str


class ReviewEvent(Answer):
    """One decision of a person."""

    id: int
    fieldKey: str
    action: str
    reviewer: str
    madeAt: str
    comment: str


class ReviewEvents(Answer):
    """Decisions, oldest first."""

    events: list[ReviewEvent]


class QueueEntry(Answer):
    """A field that waits for a decision."""

    fieldKey: str
    risk: dict[str, Any]


class ReviewQueue(Answer):
    """The fields that wait for a decision, riskiest first."""

    queue: list[QueueEntry]
    reviewed: int
    total: int


class HeldAnswer(Answer):
    """What a held set would change: its version, why it is held, each change; null where none waits."""

    held: dict[str, Any] | None


class HeldDecided(Answer):
    """Which decision was kept."""

    claimId: str
    decision: str


class DrawnBox(Answer):
    """A box that somebody drew over a page, to be blackened in a production."""

    id: int
    sourceId: str
    page: int
    box: dict[str, float]


class DrawnBoxes(Answer):
    """A claim's drawn boxes, oldest first."""

    redactions: list[DrawnBox]


class Retrieval(Answer):
    """How retrieval came to its evidence."""

    terms: list[str]
    kind: str
    retrieved: list[dict[str, Any]]
    reranked: list[dict[str, Any]]


def describes(model: type[BaseModel], *, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """Return what a route's `responses` say of its answer."""
    described: dict[int | str, dict[str, Any]] = {
        status: {"model": model, "description": (model.__doc__ or "").split("\n")[0]}
    }
    return described
