"""Drawing boxes over pages, and productions: numbered and redacted copies of a claim's documents."""

from typing import IO, Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from citation_pipeline.adapters.redactions.store import RedactionStore
from citation_pipeline.core.boxes import Box
from citation_pipeline.serving.access import Reader, Reviewer
from citation_pipeline.serving.api.viewer_shapes import DrawnBox, DrawnBoxes, describes
from citation_pipeline.serving.datasets import ReviewedClaim
from citation_pipeline.serving.errors import NotAcceptableError, NotFoundError
from citation_pipeline.serving.evidence.production import drawn_as_json, write_production
from citation_pipeline.serving.evidence.production_orders import ProductionOrder, check_order
from citation_pipeline.serving.routes.archives import send_archive

router = APIRouter(prefix="/api", tags=["downloads"])

_COST = 80  # in drawn pages
_MOST_BOXES = 5_000  # of one claim

Number = Annotated[int, Path(ge=1, le=2_000_000_000)]
Side = Annotated[float, Field(ge=0, le=1)]
Pattern = Annotated[str, StringConstraints(min_length=1, max_length=400)]


class NewBox(BaseModel):
    """A box to be blackened, in the page frame: 0 to 1 of the displayed page, origin top left."""

    model_config = ConfigDict(extra="forbid")

    sourceId: str = Field(max_length=300)
    page: int = Field(strict=True, ge=1, le=1_000_000)
    left: Side
    top: Side
    width: Annotated[float, Field(gt=0, le=1)]
    height: Annotated[float, Field(gt=0, le=1)]


@router.get("/claims/{claim_id}/redactions", response_model=None, responses=describes(DrawnBoxes))
def read_redactions(request: Request, claim_id: str, person: Reader) -> dict[str, Any]:
    """List the boxes that people drew over the claim's pages."""
    request.app.state.datasets.claim(claim_id)
    drawn: RedactionStore = request.app.state.redactions
    return {"redactions": [drawn_as_json(box) for box in drawn.of_claim(claim_id)]}


@router.post(
    "/claims/{claim_id}/redactions",
    status_code=201,
    response_model=None,
    responses=describes(DrawnBox, status=201),
)
def draw_redaction(request: Request, claim_id: str, wanted: NewBox, person: Reviewer) -> dict[str, Any]:
    """Keep a box; it is burned in when a production is made."""
    claim: ReviewedClaim = request.app.state.datasets.claim(claim_id)
    source = claim.source(wanted.sourceId)
    if wanted.page > source["pageCount"]:
        raise NotFoundError("no_such_page", "The document has no such page.")
    drawn: RedactionStore = request.app.state.redactions
    if len(drawn.of_claim(claim_id)) >= _MOST_BOXES:
        raise NotAcceptableError("too_many_boxes", f"A claim takes {_MOST_BOXES} boxes.", "Remove some.")
    box = Box(wanted.left, wanted.top, wanted.width, wanted.height)
    kept = drawn.draw(
        claim_id,
        source_id=wanted.sourceId,
        sha256=source["sha256"],
        page=wanted.page,
        box=box,
        by=person.name,
    )
    return drawn_as_json(kept)


@router.delete("/claims/{claim_id}/redactions/{redaction_id}", status_code=204)
def remove_redaction(request: Request, claim_id: str, redaction_id: Number, person: Reviewer) -> Response:
    """Remove a drawn box."""
    request.app.state.datasets.claim(claim_id)
    drawn: RedactionStore = request.app.state.redactions
    if not drawn.remove(claim_id, redaction_id):
        raise NotFoundError("no_such_box", "There is no such box.")
    return Response(status_code=204)


class WantedProduction(BaseModel):
    """How to number and what to redact: fields by key pattern, kinds of values, other texts, drawn boxes."""

    model_config = ConfigDict(extra="forbid")

    prefix: str = Field(default="", max_length=20, pattern=r"^([A-Za-z0-9][A-Za-z0-9_-]*)?$")
    firstNumber: int = Field(default=1, strict=True, ge=1, le=900_000_000)
    fields: list[Pattern] = Field(default_factory=list, max_length=500)
    kinds: list[Pattern] = Field(default_factory=list, max_length=20)
    texts: list[Pattern] = Field(default_factory=list, max_length=200)


@router.post(
    "/claims/{claim_id}/production",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}, "description": "The archive."}},
)
async def make_production(
    request: Request, claim_id: str, wanted: WantedProduction, person: Reader
) -> StreamingResponse:
    """Return numbered copies of the documents, redactions burned in, with their index."""
    state = request.app.state
    order = ProductionOrder(
        wanted.prefix, wanted.firstNumber, tuple(wanted.fields), tuple(wanted.kinds), tuple(wanted.texts)
    )

    claim: ReviewedClaim = await anyio.to_thread.run_sync(state.datasets.claim, claim_id)
    check_order(order, claim.dataset)

    def write(target: IO[bytes]) -> None:
        write_production(
            target,
            claim=claim,
            datasets=state.datasets,
            drawn=state.redactions.of_claim(claim_id),
            order=order,
            originals=state.originals,
            pool=state.pool,
            made_by=person.name,
        )

    return await send_archive(request, person, f"{claim_id}-production.zip", write, cost=_COST)
