"""The citations of `data.json`: as they are listed below a field, with a place or without one.

What agents quote is another shape: `citation_objects`.
"""

from collections.abc import Sequence
from typing import Any

from citation_pipeline.core.boxes import union
from citation_pipeline.core.citations import Candidate, Citation, Region


def placed_citation(citation: Citation) -> dict[str, Any]:
    """Return a citation that has a place: what it says, and the boxes of block, snippet and value."""
    first = citation.block[0]
    return {
        "sourceId": citation.source_id,
        "page": first.page,
        "bbox": union(first.boxes).as_dict(),
        **citation_evidence(citation),
        "textStart": citation.text_start,
        "textEnd": citation.text_end,
        "wordRanges": [list(words) for words in citation.word_ranges],
        "regions": {
            "block": _regions(citation.block),
            "snippet": _regions(citation.snippet),
            "value": _regions(citation.value),
        },
    }


def citation_evidence(citation: Citation) -> dict[str, Any]:
    """Return what is known of a citation, with a place or without one: how it was found, how sure that is."""
    return {
        "citationId": citation.citation_id,
        "citationIndex": citation.citation_index,
        "itemPath": citation.item_path,
        "sourceId": citation.source_id,
        "citedSourceId": citation.cited_source_id,
        "status": citation.status.value,
        "method": citation.method,
        "score": round(citation.score, 4),
        "confidence": round(citation.confidence, 4),
        "margin": None if citation.margin is None else round(citation.margin, 4),
        "equalPlaces": citation.equal_places,
        "snippet": citation.snippet_text,
        "reason": citation.reason,
        "warnings": list(citation.warnings),
        "candidates": [_candidate(candidate) for candidate in citation.candidates],
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "sourceId": candidate.source_id,
        "page": candidate.page,
        "score": round(candidate.score, 4),
        "reason": candidate.reason,
        "boxes": [box.as_dict() for box in candidate.boxes],
    }


def _regions(regions: Sequence[Region]) -> list[dict[str, Any]]:
    return [
        {
            "page": region.page,
            "boxes": [box.as_dict() for box in region.boxes],
            **(
                {"polygons": [[list(point) for point in polygon] for polygon in region.polygons]}
                if region.polygons
                else {}
            ),
        }
        for region in regions
    ]
