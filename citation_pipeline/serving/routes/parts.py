"""The documents inside a file: a person says on which pages they begin."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.tables.part_boundaries import PartBoundaries, keep_boundaries
from citation_pipeline.serving.access import Reviewer
from citation_pipeline.serving.api.viewer_shapes import Divided, describes
from citation_pipeline.serving.datasets import Datasets
from citation_pipeline.serving.errors import NotAcceptableError

router = APIRouter(prefix="/api", tags=["claims"])

Page = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]


class Division(BaseModel):
    """The pages (1-based) on which the documents of a file begin; null leaves them to the parser again."""

    model_config = ConfigDict(extra="forbid")

    starts: Annotated[list[Page], Field(max_length=10_000)] | None


@router.put("/claims/{claim_id}/sources/{source_id}/parts", response_model=None, responses=describes(Divided))
def divide_source(
    request: Request, claim_id: str, source_id: str, wanted: Division, person: Reviewer
) -> dict[str, Any]:
    """Keep where the documents inside a file begin; values are read anew by them at the claim's next run."""
    datasets: Datasets = request.app.state.datasets
    source = datasets.claim(claim_id, is_decided=True).source(source_id)
    boundaries = None
    if wanted.starts is not None:
        if any(page > source["pageCount"] for page in wanted.starts):
            raise NotAcceptableError("no_such_page", "The document has no such page.")
        boundaries = PartBoundaries(
            sha256=source["sha256"],
            starts=sorted({1, *wanted.starts}),
            made_by=person.name,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
    keep_boundaries(request.app.state.store, claim_id, source_id, boundaries)
    claim = datasets.claim(claim_id, is_decided=True)
    return {"sourceId": source_id, "parts": claim.source(source_id).get("parts", []), "etag": claim.etag}
