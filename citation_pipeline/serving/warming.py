"""What the first reader after a start would otherwise wait for, done at the start."""

import asyncio
import contextlib

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Scope

from citation_pipeline.serving.rendering.page_images import image_key
from citation_pipeline.serving.rendering.pool import RenderPool

_NOWHERE = "/api/no-such-route"


async def build_routes(app: ASGIApp, router: ASGIApp) -> None:
    """Ask the router for a path that no route has: FastAPI builds each route's models when it first looks."""
    scope: Scope = {
        "type": "http", "method": "GET", "path": _NOWHERE, "raw_path": _NOWHERE.encode(), "root_path": "",
        "scheme": "http", "query_string": b"", "headers": [], "app": app,
    }  # fmt: skip
    with contextlib.suppress(HTTPException):  # nothing is there
        await router(scope, _no_body, _no_answer)


async def warm(pool: RenderPool) -> None:
    """Start the drawing workers, and read the code that page images are drawn by for their cache's key."""
    key = asyncio.to_thread(image_key, "", page=1, width=1)
    await asyncio.gather(asyncio.to_thread(pool.warm), key)


async def _no_body() -> Message:
    return {"type": "http.disconnect"}


async def _no_answer(message: Message) -> None:
    return None
