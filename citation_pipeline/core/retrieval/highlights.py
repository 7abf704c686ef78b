"""The canonical highlight JSON: a citation with the polygons of its context and of its answer.

    {"doc_id", "citation", "context": [polygons], "answer": [polygons], "meta": {"doc_hash", "chunk_id",
    "method",
     "confidence"}}

A polygon is {"page", "points": [[x, y], …], "poly"} in the page frame, clockwise from the upper left;
`poly` is the same list under the name of the published data model.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Citation, Region


def highlight_of(
    citation: Citation, *, doc_id: str, doc_hash: str, chunk_id: str = "", text: str = ""
) -> dict[str, Any]:
    """Return a citation as a highlight: what surrounds it (its block) and what it says (value, else
    snippet)."""
    return {
        "doc_id": doc_id,
        "citation": text or citation.snippet_text,
        "context": polygons_of(citation.block or citation.snippet),
        "answer": polygons_of(citation.value or citation.snippet),
        "meta": {
            "doc_hash": doc_hash,
            "chunk_id": chunk_id,
            "method": citation.method,
            "confidence": round(citation.confidence, 4),
            "status": citation.status.value,
            "warnings": list(citation.warnings),
        },
    }


def polygons_of(regions: Iterable[Region]) -> list[dict[str, Any]]:
    """Return a region's outlines: its own polygons where the text is not upright, else its boxes' corners."""
    return [
        {
            "page": region.page,
            "points": [[round(x, 6), round(y, 6)] for x, y in points],
            "poly": [[round(x, 6), round(y, 6)] for x, y in points],
        }
        for region in regions
        for points in (region.polygons or [corners(box) for box in region.boxes])
    ]


def corners(box: Box) -> Sequence[tuple[float, float]]:
    """Return a box's corners, clockwise from the upper left."""
    return (
        (box.left, box.top),
        (box.right, box.top),
        (box.right, box.bottom),
        (box.left, box.bottom),
    )
