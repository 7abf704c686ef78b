"""What the team's routes answer, for the API's description."""

from typing import Any

from citation_pipeline.serving.api.viewer_shapes import Answer


class QueueAnswer(Answer):
    """A page of a queue, and how many claims each queue holds."""

    show: str
    total: int
    offset: int
    next_offset: int | None
    counts: dict[str, int]
    claims: list[dict[str, Any]]


class NextAnswer(Answer):
    """The claim that was taken and its riskiest field; null where nothing waits."""

    claimId: str | None
    fieldKey: str | None
    lease: dict[str, Any] | None


class HandsAnswer(Answer):
    """Who holds the claim, whose work it is, and how that came about, oldest first."""

    claimId: str
    lease: dict[str, Any] | None
    assignment: dict[str, Any] | None
    log: list[dict[str, Any]]


class FiguresAnswer(Answer):
    """What people decided in a span of days: together, by reviewer and by field."""

    days: int
    reviewers: list[dict[str, Any]]
    fields: list[dict[str, Any]]


class TokenAnswer(Answer):
    """A token that was just made; `secret` is told this once."""

    tokenId: int
    name: str
    role: str
    secret: str


class ErasedAnswer(Answer):
    """How an erasure ended: whether nothing was found afterwards, and how many files went."""

    isComplete: bool
    files: int
    remains: int


class PeopleAnswer(Answer):
    """Who may sign in by token, and who has signed."""

    people: list[dict[str, Any]]
