"""Page images on request: from the cache, or drawn once however many ask for it at the same time."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.code_fingerprints import code_fingerprint
from citation_pipeline.serving.errors import BusyError, NotFoundError, RequestError
from citation_pipeline.serving.originals import Original
from citation_pipeline.serving.rates import RateLimit
from citation_pipeline.serving.rendering.drawing_queue import DrawingQueue, TurnedAwayError
from citation_pipeline.serving.rendering.image_cache import ImageCache
from citation_pipeline.serving.rendering.pool import RenderPool, TaskError, WorkerFailedError

# fmt: off
WIDTHS = (
    160, 480, 540, 600, 680, 760, 850, 950, 1060, 1190, 1330, 1490, 1670, 1870, 2100, 2350, 2630, 3000,
)
# fmt: on
"""Pixels; what is asked for is rounded up to one of these, an eighth apart: sharp, and few variants."""

_MOST_WAITING = 60  # drawings that one person waits for; some 6 s of work for two workers
_PAGES_REMEMBERED = 5_000
_FAILURE_SECONDS = 600.0  # a page that took its worker down is not tried again for that long


@dataclass(frozen=True, slots=True)
class PageImage:
    """An encoded page and its media type."""

    data: bytes
    media_type: str


class PageImages:
    """Draws pages outside the request loop and keeps them by content.

    A page that is not drawn quickly goes to the workers of low priority, and so do its document's other pages
    until one of them is quick again: one hostile file keeps nobody from reading another.
    """

    def __init__(self, *, pool: RenderPool, cache: ImageCache, limit: RateLimit) -> None:
        self._pool, self.cache, self._limit = pool, cache, limit
        self._under_way: dict[str, _Drawing] = {}
        self._quick = DrawingQueue(slots=pool.workers, most_waiting=_MOST_WAITING)
        self._patient = DrawingQueue(slots=pool.patient_workers, most_waiting=_MOST_WAITING)
        self._slow_documents: OrderedDict[str, None] = OrderedDict()
        self._failures = FailedPages(seconds=_FAILURE_SECONDS, most=_PAGES_REMEMBERED)

    def in_memory(self, sha256: str, *, page: int, width: int) -> PageImage | None:
        """Return a page's image if memory has it; never waits."""
        image = self.cache.in_memory(image_key(sha256, page=page, width=snap_width(width)))
        return PageImage(image, media_type_of(image)) if image is not None else None

    async def page(self, original: Original, *, page: int, width: int, person: str) -> PageImage:
        """Return a page's image; raises NotFoundError, BusyError or RequestError (502) for a bad page.

        Cancelling it gives the drawing up unless it has begun or somebody else waits for it as well.
        """
        width = snap_width(width)
        key = image_key(original.sha256, page=page, width=width)
        image = self.cache.in_memory(key)
        if image is None:
            image = await asyncio.to_thread(self.cache.get, key)
        if image is None:
            image = await self._drawn(key, original, page, width, person)
        return PageImage(image, media_type_of(image))

    async def _drawn(self, key: str, original: Original, page: int, width: int, person: str) -> bytes:
        failure = self._failures.of(original.sha256, page)
        if failure is not None:
            raise _given_up(failure)
        drawing = self._under_way.get(key)
        if drawing is None:
            wait = self._limit.take(person)
            if wait:
                raise BusyError(
                    "too_many_pages",
                    "You ask for pages faster than they are drawn.",
                    retry_after=int(wait) + 1,
                )
            drawing = _Drawing()
            drawing.task = asyncio.create_task(self._draw(key, original, page, width, person, drawing))
            self._under_way[key] = drawing
            drawing.task.add_done_callback(lambda task: self._forget(key, task))
        drawing.readers += 1
        try:
            return await asyncio.shield(drawing.task)  # one reader leaving does not stop it for the others
        except TaskError as error:
            if error.code == "no_such_page":
                raise NotFoundError("no_such_page", "The document has no such page.") from error
            raise RequestError(error.code, "The page cannot be drawn.", status=502) from error
        except WorkerFailedError as error:
            if error.code == "not_started":  # the page is not to blame, and may be asked for again
                raise BusyError("busy", "No page can be drawn now.", retry_after=5, status=503) from error
            self._failures.add(original.sha256, page, error.code)
            raise _given_up(error.code) from error
        except TurnedAwayError as error:
            raise BusyError("busy", "Newer pages went first.", retry_after=2, status=503) from error
        finally:
            drawing.readers -= 1
            if not drawing.readers and not drawing.has_begun:
                self._under_way.pop(key, None)  # who comes now starts anew
                drawing.task.cancel()

    def _forget(self, key: str, task: "asyncio.Task[bytes]") -> None:
        known = self._under_way.get(key)
        if known is not None and known.task is task:  # and not one that began after this was given up
            del self._under_way[key]
        if not task.cancelled():
            task.exception()  # where every reader has left, nobody else asks for it

    async def _draw(
        self, key: str, original: Original, page: int, width: int, person: str, drawing: "_Drawing"
    ) -> bytes:
        what = (str(original.path), original.sha256, original.media_type, page, width)
        image = None
        if original.sha256 not in self._slow_documents:
            async with self._quick.turn(person):
                if original.sha256 not in self._slow_documents:  # it may have become one in the meantime
                    image = await self._drawn_quickly(what, drawing)
        if image is None:
            async with self._patient.turn(person):
                drawing.has_begun = True
                began = time.monotonic()
                image = await asyncio.to_thread(self._pool.run, "draw_page_image", *what)
                if time.monotonic() - began < self._pool.quick_s / 2:
                    self._slow_documents.pop(original.sha256, None)
        await asyncio.to_thread(self.cache.put, key, image)
        return image

    async def _drawn_quickly(self, what: tuple[Any, ...], drawing: "_Drawing") -> bytes | None:
        drawing.has_begun = True
        try:
            return await asyncio.to_thread(self._pool.run_quickly, "draw_page_image", *what)
        except WorkerFailedError as error:
            if error.code != "timed_out":
                raise
            self._note_slow(what[1])
            drawing.has_begun = False
            return None

    def _note_slow(self, sha256: str) -> None:
        self._slow_documents[sha256] = None
        while len(self._slow_documents) > _PAGES_REMEMBERED:
            self._slow_documents.popitem(last=False)


class _Drawing:
    """A drawing under way, and how many wait for it."""

    task: "asyncio.Task[bytes]"

    def __init__(self) -> None:
        self.readers, self.has_begun = 0, False


class FailedPages:
    """Pages that took their worker down, for a while: asking again would only take down another."""

    def __init__(self, *, seconds: float, most: int) -> None:
        self._seconds, self._most = seconds, most
        self._pages: OrderedDict[tuple[str, int], tuple[str, float]] = OrderedDict()

    def add(self, sha256: str, page: int, code: str) -> None:
        """Remember a page and why it failed."""
        self._pages[sha256, page] = (code, time.monotonic() + self._seconds)
        while len(self._pages) > self._most:
            self._pages.popitem(last=False)

    def of(self, sha256: str, page: int) -> str | None:
        """Return why a page is not tried, or None."""
        code, until = self._pages.get((sha256, page), ("", 0.0))
        if code and time.monotonic() >= until:
            del self._pages[sha256, page]
            return None
        return code or None


def _given_up(code: str) -> RequestError:
    return RequestError(code, "Drawing the page was given up.", "Open the original file instead.", status=502)


def snap_width(width: int) -> int:
    """Return the smallest kept width that is at least the one asked for."""
    return next((kept for kept in WIDTHS if kept >= width), WIDTHS[-1])


def image_key(sha256: str, *, page: int, width: int) -> str:
    """Return the cache key of one drawing."""
    return f"{sha256}-{page}-{width}-{code_fingerprint('page_images')}"


def media_type_of(image: bytes) -> str:
    """Tell PNG from WebP by the first bytes."""
    return "image/png" if image.startswith(b"\x89PNG") else "image/webp"
