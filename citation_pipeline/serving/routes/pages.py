"""Pages as images and originals as downloads."""

import asyncio
import hashlib
from collections.abc import Coroutine
from typing import Annotated, Any
from urllib.parse import quote

import anyio.to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse

from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.api.answers import UNCHANGED
from citation_pipeline.serving.datasets import ReviewedClaim
from citation_pipeline.serving.errors import NotFoundError, RequestError
from citation_pipeline.serving.originals import Original
from citation_pipeline.serving.rendering.page_images import WIDTHS, PageImage, PageImages

router = APIRouter(prefix="/api", tags=["pages"])

_DISCONNECT_SECONDS = 0.1  # how often a waiting request looks whether its reader is still there


@router.get(
    "/claims/{claim_id}/sources/{source_id}/pages/{page}/image",
    response_class=Response,
    responses={
        200: {"content": {"image/png": {}, "image/webp": {}}, "description": "The page."},
        **UNCHANGED,
    },
)
async def read_page_image(
    request: Request,
    claim_id: str,
    source_id: str,
    page: int,
    person: Reader,
    w: Annotated[int, Query(ge=1, le=10_000, description="pixels; rounded up to a kept width")] = 1200,
    v: Annotated[
        str, Query(max_length=64, description="the content's hash; makes the answer cacheable")
    ] = "",
) -> Response:
    """Return a page as PNG or WebP, upright as displayed."""
    images: PageImages = request.app.state.images
    width = min(w, WIDTHS[-1])
    source = request.app.state.datasets.known_source(claim_id, source_id)
    image = images.in_memory(source["sha256"], page=page, width=width) if source is not None else None
    if source is None or image is None:
        claim: ReviewedClaim = await anyio.to_thread.run_sync(request.app.state.datasets.claim, claim_id)
        source = claim.source(source_id)
        if not 1 <= page <= source["pageCount"]:
            raise NotFoundError("no_such_page", "The document has no such page.")
        original: Original = await anyio.to_thread.run_sync(
            request.app.state.originals.find, claim_id, source
        )
        drawing = images.page(original, page=page, width=width, person=person.key)
        image = await while_connected(request, drawing)
    # under its content's hash a page never changes; without one, the browser asks again
    is_pinned = len(v) >= 8 and source["sha256"].startswith(v)
    kept = "private, max-age=31536000, immutable" if is_pinned else "private, no-cache"
    etag = f'"{hashlib.sha256(image.data).hexdigest()[:20]}"'
    headers = {"Cache-Control": kept, "ETag": etag}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(image.data, media_type=image.media_type, headers=headers)


async def while_connected(request: Request, answer: Coroutine[Any, Any, PageImage]) -> PageImage:
    """Await an answer, and cancel it when the reader is gone: who scrolled on waits for nothing."""
    task = asyncio.ensure_future(answer)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=_DISCONNECT_SECONDS)
            if not task.done() and await request.is_disconnected():
                raise RequestError("gone", "The reader is gone.", status=499)  # nobody reads it
        return task.result()
    finally:
        task.cancel()


@router.get(
    "/claims/{claim_id}/sources/{source_id}/original",
    response_class=FileResponse,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The original file."}},
)
def read_original(request: Request, claim_id: str, source_id: str, person: Reader) -> Response:
    """Return the original file as a download, never as a page of this site."""
    claim: ReviewedClaim = request.app.state.datasets.claim(claim_id)
    source = claim.source(source_id)
    original: Original = request.app.state.originals.find(claim_id, source)
    return send_original(original, media_type="application/octet-stream")


def send_original(original: Original, *, media_type: str) -> Response:
    """Return a file as a download under its name; one inside a mail or an archive is unpacked for it."""
    headers = {"Content-Disposition": attachment(original.path.name)}
    if original.is_attached:
        return Response(original.content(), media_type=media_type, headers=headers)
    return FileResponse(original.path, media_type=media_type, headers=headers)


def attachment(name: str) -> str:
    """Return a Content-Disposition for a download of any name (RFC 6266)."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in " ._-()") else "_" for c in name)[:150]
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name[:150], safe='')}"
