"""Documents as PDF: whole, or one page with a place highlighted."""

from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Query, Request, Response

from citation_pipeline.core.viewer.citation_objects import split_document_id
from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.api.answers import ERRORS
from citation_pipeline.serving.errors import BusyError, NotAcceptableError, NotFoundError
from citation_pipeline.serving.originals import Original
from citation_pipeline.serving.rendering.pool import TaskError, WorkerFailedError
from citation_pipeline.serving.routes.pages import send_original

router = APIRouter(prefix="/api", tags=["agents"], responses=ERRORS)

PDF = "application/pdf"
_SIDE = r"(0(\.\d{1,12})?|1(\.0{1,12})?|\.\d{1,12})"
_BBOX = f"^{_SIDE}(,{_SIDE}){{3}}$"


@router.get(
    "/documents/{document}/pdf",
    response_class=Response,
    responses={200: {"content": {PDF: {}}, "description": "The document, or the page."}},
)
async def read_pdf(
    request: Request,
    document: str,
    person: Reader,
    page: Annotated[
        int | None, Query(ge=1, le=1_000_000, description="1-based; leave out for the whole")
    ] = None,
    bbox: Annotated[
        str | None,
        Query(
            max_length=100,
            pattern=_BBOX,
            description="left,top,width,height in 0-1 of the displayed page, which is highlighted",
            openapi_examples={"a line": {"value": "0.0941,0.2705,0.3686,0.0108"}},
        ),
    ] = None,
) -> Response:
    """Return a document (`CLAIM_ID:SOURCE_ID`) as filed, or one page with a place highlighted."""
    try:
        claim_id, source_id = split_document_id(document)
    except ValueError as error:
        raise NotFoundError("no_such_document", "A document id reads CLAIM_ID:SOURCE_ID.") from error
    state: Any = request.app.state
    claim = await anyio.to_thread.run_sync(state.datasets.claim, claim_id)
    source = claim.source(source_id)
    original: Original = await anyio.to_thread.run_sync(state.originals.find, claim_id, source)
    if original.media_type != PDF:
        raise NotAcceptableError(
            "not_a_pdf", "That document is not a PDF.", "Ask for the page's image or the original instead."
        )
    box = _box(bbox)
    if page is None:
        return await anyio.to_thread.run_sync(lambda: send_original(original, media_type=PDF))
    if page > source["pageCount"]:
        raise NotFoundError("no_such_page", "The document has no such page.")
    wait = state.limit.take(person.key)
    if wait:
        raise BusyError("too_many_pages", "Too many pages at once.", retry_after=int(wait) + 1)
    try:
        data = await anyio.to_thread.run_sync(
            state.pool.run, "cut_page", str(original.path), original.sha256, page, box
        )
    except (TaskError, WorkerFailedError) as error:
        raise NotAcceptableError(
            "unreadable_page", "That page cannot be copied.", "Ask for its image."
        ) from error
    return Response(
        data, media_type=PDF, headers={"Content-Disposition": f'inline; filename="page-{page}.pdf"'}
    )


def _box(text: str | None) -> tuple[float, float, float, float] | None:
    if text is None:
        return None
    try:
        left, top, width, height = (float(part) for part in text.split(","))
    except ValueError as error:
        raise NotAcceptableError("bad_bbox", "A bbox is left,top,width,height in 0-1.") from error
    if not all(0.0 <= edge <= 1.0 for edge in (left, top, width, height)):  # NaN fails too
        raise NotAcceptableError("bad_bbox", "A bbox is left,top,width,height in 0-1.")
    return left, top, width, height
