"""Documents as PDF: whole, or one page with a place highlighted."""

from collections.abc import Mapping
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
published = APIRouter(tags=["agents"], responses=ERRORS)
"""A document under the address that the published design gives it."""

PDF = "application/pdf"
_SIDE = r"(\d{1,6}(\.\d{1,12})?|\.\d{1,12})"
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
            description="left,top,width,height in 0-1 of the displayed page, which is highlighted; in points "
            "from its top left where one of them is above 1",
            openapi_examples={"a line": {"value": "0.0941,0.2705,0.3686,0.0108"}},
        ),
    ] = None,
) -> Response:
    """Return a document (`CLAIM_ID:SOURCE_ID`) as filed, or one page with a place highlighted."""
    state: Any = request.app.state
    source, original = await _filed(request, document)
    if original.media_type != PDF:
        raise NotAcceptableError(
            "not_a_pdf", "That document is not a PDF.", "Ask for the page's image or the original instead."
        )
    if page is None:
        return await anyio.to_thread.run_sync(lambda: send_original(original, media_type=PDF))
    if page > source["pageCount"]:
        raise NotFoundError("no_such_page", "The document has no such page.")
    box = _box(bbox, shape=source["pages"][page - 1])
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


@published.get(
    "/documents/{document}/file",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The file as filed."}},
)
async def read_file(request: Request, document: str, person: Reader) -> Response:
    """Return a document (`CLAIM_ID:SOURCE_ID`) as filed, whatever its kind."""
    _, original = await _filed(request, document)
    # never under its own type: it is no page of this site
    media_type = PDF if original.media_type == PDF else "application/octet-stream"
    return await anyio.to_thread.run_sync(lambda: send_original(original, media_type=media_type))


async def _filed(request: Request, document: str) -> tuple[Mapping[str, Any], Original]:
    """Return a document's entry in the dataset and its file; raises NotFoundError and SourceError."""
    try:
        claim_id, source_id = split_document_id(document)
    except ValueError as error:
        raise NotFoundError("no_such_document", "A document id reads CLAIM_ID:SOURCE_ID.") from error
    state: Any = request.app.state
    claim = await anyio.to_thread.run_sync(state.datasets.claim, claim_id)
    source = claim.source(source_id)
    return source, await anyio.to_thread.run_sync(state.originals.find, claim_id, source)


def _box(text: str | None, *, shape: Mapping[str, Any]) -> tuple[float, float, float, float] | None:
    """Return the box in 0-1 of its page; what reaches beyond the page is cut off."""
    if text is None:
        return None
    left, top, width, height = (float(part) for part in text.split(","))
    if max(left, top, width, height) > 1.0:
        wide, high = max(float(shape["width"]), 1.0), max(float(shape["height"]), 1.0)
        left, top, width, height = left / wide, top / high, width / wide, height / high
    left, top = min(left, 1.0), min(top, 1.0)
    return left, top, min(width, 1.0 - left), min(height, 1.0 - top)
