"""What the team decided: throughput, agreement and errors, by reviewer and by field."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic.alias_generators import to_camel

from citation_pipeline.core.review.figures import figures_of
from citation_pipeline.core.review.people import same_person
from citation_pipeline.serving.access import Person, Reviewer
from citation_pipeline.serving.api.answers import UNCHANGED, answer_json
from citation_pipeline.serving.api.viewer_shapes import describes
from citation_pipeline.serving.settings import Role
from citation_pipeline.serving.team.shapes import FiguresAnswer

router = APIRouter(prefix="/api", tags=["team"])


@router.get("/figures", response_model=None, responses=describes(FiguresAnswer) | UNCHANGED)
def read_figures(
    request: Request,
    person: Reviewer,
    days: Annotated[int, Query(ge=1, le=3660, description="of how many days, until now")] = 30,
) -> Response:
    """Return the figures of the caller's claims; who does not lead sees no other reviewer's."""
    state = request.app.state
    since = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
    seen = set(state.datasets.claim_ids())
    events = [event for event in state.verifications.events_since(since) if event.claim_id in seen]
    reviewers, fields = figures_of(events)
    shown = [one for one in reviewers if _may_see(person, one.reviewer)]
    return answer_json(
        request,
        {
            "days": days,
            "reviewers": [_as_json(asdict(one)) for one in shown],
            "fields": [_as_json(asdict(one)) for one in fields],
        },
    )


def _may_see(person: Person, reviewer: str) -> bool:
    return person.role.may(Role.LEAD) or same_person(reviewer, person.name)


def _as_json(figures: dict[str, Any]) -> dict[str, Any]:
    return {to_camel(name): figure for name, figure in figures.items()}
