"""Cited pages as images, drawn in the worker processes with the place marked."""

from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.serving.errors import NotFoundError, RequestError
from citation_pipeline.serving.originals import Originals
from citation_pipeline.serving.rendering.pool import RenderPool, TaskError, WorkerFailedError

Sides = tuple[float, float, float, float]


class CitedPages:
    """Draws cited pages of one store's documents; safe to share between threads."""

    def __init__(self, store: ClaimStore, pool: RenderPool, *, originals: Originals | None = None) -> None:
        self._pool, self._originals = pool, originals or Originals(store)

    def draw(
        self, claim_id: str, source: Mapping[str, Any], *, page: int, width: int, boxes: Sequence[Sides]
    ) -> bytes:
        """Return a page's PNG; raises RequestError when the original is gone or cannot be drawn."""
        if not 1 <= page <= source["pageCount"]:
            raise NotFoundError("no_such_page", f"The document has {source['pageCount']} pages.")
        original = self._originals.find(claim_id, source)
        try:
            return self._drawn(
                str(original.path), original.sha256, original.media_type, page, width, list(boxes)
            )
        except (TaskError, WorkerFailedError) as error:
            raise RequestError("unreadable_page", "That page cannot be drawn.", status=502) from error

    def _drawn(self, *what: Any) -> bytes:
        try:
            return self._pool.run_quickly("draw_cited_page", *what)
        except WorkerFailedError as error:
            if error.code != "timed_out":
                raise
            return self._pool.run("draw_cited_page", *what)

    def close(self) -> None:
        """End the workers."""
        self._pool.close()
