"""A held set beside what is shown, and deciding on it in the viewer."""

from functools import partial
from typing import Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.read_model.held_sets import read_held_set
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.serving.access import Lead, Reader
from citation_pipeline.serving.api.viewer_shapes import HeldAnswer, HeldDecided, describes
from citation_pipeline.serving.errors import NotAcceptableError, RequestError, StaleError

router = APIRouter(prefix="/api", tags=["reviews"])


@router.get("/claims/{claim_id}/held", response_model=None, responses=describes(HeldAnswer))
def read_held(request: Request, claim_id: str, person: Reader) -> dict[str, Any]:
    """Return what a held set would change, each with what is shown now; `held` is null where none waits."""
    claim = request.app.state.datasets.claim(claim_id)
    found = read_held_set(request.app.state.store, request.app.state.reviews_url, claim_id)
    if found is None:
        return {"held": None}
    known = {key: field["label"] for key, field in claim.fields.items()}
    changes = [{**change, "label": known.get(change["fieldKey"], "")} for change in found.changes]
    return {"held": {**found.as_json(), "changes": changes}}


class HeldDecision(BaseModel):
    """A decision on the set that was compared: `version` is that of the answer that showed it."""

    model_config = ConfigDict(extra="forbid")

    version: str = Field(min_length=1, max_length=64)
    decision: Literal["accept", "refuse"]
    why: str = Field(min_length=1, max_length=2_000)


@router.post(
    "/claims/{claim_id}/held",
    status_code=201,
    response_model=None,
    responses=describes(HeldDecided, status=201),
)
async def decide_held(request: Request, claim_id: str, decided: HeldDecision, person: Lead) -> dict[str, Any]:
    """Show the held set from now on, or keep what is shown; kept with who and why."""
    state = request.app.state
    await anyio.to_thread.run_sync(state.datasets.claim, claim_id)
    if not decided.why.strip():
        raise NotAcceptableError("no_reason", "The decision needs a reason.", "Say why in a few words.")
    decide = state.settings.agents.decide_held
    if decide is None:
        raise RequestError(
            "no_pipeline_here",
            "This server does not decide on held sets.",
            f"Use `citation-pipeline promotions {decided.decision} {claim_id}`.",
            status=503,
        )
    found = await anyio.to_thread.run_sync(read_held_set, state.store, state.reviews_url, claim_id)
    if found is None or found.version != decided.version:
        raise StaleError("held_meanwhile", "Another set is held now, or none.", "Compare again, then decide.")
    try:
        await anyio.to_thread.run_sync(
            partial(decide, claim_id, decided.decision, by=person.name, why=decided.why.strip())
        )
    except PipelineError as error:
        raise StaleError("not_decided", "The decision was not carried out.", "Look at the claim.") from error
    state.watchers.look()
    return {"claimId": claim_id, "decision": decided.decision}
