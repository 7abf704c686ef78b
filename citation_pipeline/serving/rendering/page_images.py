"""Page images on request: from the cache, or drawn once however many ask for it at the same time."""

import asyncio
from dataclasses import dataclass

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.serving.errors import BusyError, NotFoundError, RequestError
from citation_pipeline.serving.originals import Original
from citation_pipeline.serving.rates import RateLimit
from citation_pipeline.serving.rendering.image_cache import ImageCache
from citation_pipeline.serving.rendering.pool import RenderPool, TaskError, WorkerFailedError

# fmt: off
WIDTHS = (
    160, 480, 540, 600, 680, 760, 850, 950, 1060, 1190, 1330, 1490, 1670, 1870, 2100, 2350, 2630, 3000,
)
# fmt: on
"""Pixels; what is asked for is rounded up to one of these, an eighth apart: sharp, and few variants."""

_MAX_WAITING = 200  # drawings asked for and not begun; some 20 s of work for two workers


@dataclass(frozen=True, slots=True)
class PageImage:
    """An encoded page and its media type."""

    data: bytes
    media_type: str


class PageImages:
    """Draws pages outside the request loop and keeps them by content."""

    def __init__(self, *, pool: RenderPool, cache: ImageCache, limit: RateLimit) -> None:
        self._pool, self.cache, self._limit = pool, cache, limit
        self._under_way: dict[str, asyncio.Task[bytes]] = {}
        self._slots = asyncio.Semaphore(pool.workers)

    def in_memory(self, sha256: str, *, page: int, width: int) -> PageImage | None:
        """Return a page's image if memory has it; never waits."""
        image = self.cache.in_memory(image_key(sha256, page=page, width=snap_width(width)))
        return PageImage(image, media_type_of(image)) if image is not None else None

    async def page(self, original: Original, *, page: int, width: int, person: str) -> PageImage:
        """Return a page's image; raises NotFoundError, BusyError or RequestError (502) for a bad page."""
        width = snap_width(width)
        key = image_key(original.sha256, page=page, width=width)
        image = self.cache.in_memory(key)
        if image is None:
            image = await asyncio.to_thread(self.cache.get, key)
        if image is None:
            image = await self._drawn(key, original, page, width, person)
        return PageImage(image, media_type_of(image))

    async def _drawn(self, key: str, original: Original, page: int, width: int, person: str) -> bytes:
        task = self._under_way.get(key)
        if task is None:
            wait = self._limit.take(person)
            if wait:
                raise BusyError(
                    "too_many_pages",
                    "You ask for pages faster than they are drawn.",
                    retry_after=int(wait) + 1,
                )
            if len(self._under_way) >= _MAX_WAITING:
                raise BusyError("busy", "Too many pages are waiting to be drawn.", retry_after=2, status=503)
            task = asyncio.create_task(self._draw(key, original, page, width))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        try:
            return await asyncio.shield(task)  # one reader leaving does not stop it for the others
        except TaskError as error:
            if error.code == "no_such_page":
                raise NotFoundError("no_such_page", "The document has no such page.") from error
            raise RequestError(error.code, "The page cannot be drawn.", status=502) from error
        except WorkerFailedError as error:
            raise RequestError(
                error.code, "Drawing the page was given up.", "Open the original file instead.", status=502
            ) from error

    async def _draw(self, key: str, original: Original, page: int, width: int) -> bytes:
        async with self._slots:
            image: bytes = await asyncio.to_thread(
                self._pool.run,
                "draw_page_image",
                str(original.path),
                original.sha256,
                original.media_type,
                page,
                width,
            )
            await asyncio.to_thread(self.cache.put, key, image)
        return image


def snap_width(width: int) -> int:
    """Return the smallest kept width that is at least the one asked for."""
    return next((kept for kept in WIDTHS if kept >= width), WIDTHS[-1])


def image_key(sha256: str, *, page: int, width: int) -> str:
    """Return the cache key of one drawing."""
    return f"{sha256}-{page}-{width}-{code_fingerprint('page_images')}"


def media_type_of(image: bytes) -> str:
    """Tell PNG from WebP by the first bytes."""
    return "image/png" if image.startswith(b"\x89PNG") else "image/webp"
