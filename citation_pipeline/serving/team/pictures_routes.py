"""The charts of the figures page, as SVG: what was located by day, confidence against outcome, and so on.

Of the caller's claims alone. The library that draws is an extra and is loaded with the first picture.
"""

from collections.abc import Callable
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

from fastapi import APIRouter, Request, Response

from citation_pipeline.adapters.pictures import series
from citation_pipeline.serving.access import Reviewer
from citation_pipeline.serving.api.answers import UNCHANGED, answer_bytes
from citation_pipeline.serving.errors import RequestError

router = APIRouter(prefix="/api", tags=["team"])

_ANSWERS: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {}}}, **UNCHANGED}
_MOST_CLAIMS = 2_000  # read for one picture; of more, the last by name are left out


class Picture(StrEnum):
    """The charts there are."""

    LOCATE_RATE = "locate_rate"
    RELIABILITY = "reliability"
    DISAGREEMENTS = "disagreements"
    COSTS = "costs"


class ColourScheme(StrEnum):
    """Whose colours a chart takes."""

    LIGHT = "light"
    DARK = "dark"


@router.get("/pictures/{name}.svg", response_class=Response, response_model=None, responses=_ANSWERS)
def read_picture(
    request: Request, person: Reviewer, name: Picture, theme: ColourScheme = ColourScheme.LIGHT
) -> Response:
    """Return a chart of the caller's claims; 503 where the library that draws is not installed."""
    if find_spec("matplotlib") is None:
        raise RequestError(
            "no_pictures",
            "This server draws no charts: the library for it is not installed.",
            "Ask whoever runs it for `pip install citation-pipeline[pictures]`.",
            status=503,
        )
    from citation_pipeline.adapters.pictures import drawing

    state = request.app.state
    claim_ids = state.datasets.claim_ids()[:_MOST_CLAIMS]
    seen = set(claim_ids)
    draw: dict[Picture, Callable[[], str]] = {
        Picture.LOCATE_RATE: lambda: drawing.draw_locate_rate(
            series.locate_days(state.store, claim_ids), theme=theme.value
        ),
        Picture.RELIABILITY: lambda: drawing.draw_reliability(
            series.reliability(_reviews(state, claim_ids)), theme=theme.value
        ),
        Picture.DISAGREEMENTS: lambda: drawing.draw_disagreements(
            series.disagreements(e for e in state.verifications.events_since("") if e.claim_id in seen),
            theme=theme.value,
        ),
        Picture.COSTS: lambda: drawing.draw_costs(
            series.claim_costs(state.store, claim_ids), theme=theme.value
        ),
    }
    return answer_bytes(request, draw[name]().encode(), media_type="image/svg+xml")


def _reviews(state: Any, claim_ids: list[str]) -> dict[str, Any]:
    reviewed = set(state.verifications.last_ids())
    return {one: state.verifications.reviews(one) for one in claim_ids if one in reviewed}
