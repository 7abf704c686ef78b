"""Citations as rows of their table, and back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Candidate, Citation, CitationStatus, Region
from citation_pipeline.core.resolution.field_confidence import FieldConfidence


def citation_table(claim_id: str, citations: Iterable[Citation]) -> pa.Table:
    """Return the rows of `citations`."""
    return pa.Table.from_pylist(
        [_citation_row(claim_id, citation) for citation in citations], schema=SHAPES["citations"]
    )


def confidence_table(claim_id: str, confidences: Iterable[FieldConfidence]) -> pa.Table:
    """Return the rows of `field_confidences`: the number, and what each part adds to its log-odds."""
    return pa.Table.from_pylist(
        [
            {"claim_id": claim_id, "field_key": one.field_key, "confidence": one.confidence, **one.parts}
            for one in confidences
        ],
        schema=SHAPES["field_confidences"],
    )


def read_citations(store: ClaimStore, claim_id: str) -> list[Citation]:
    """Return a claim's newest citations in stored order, those of a held set too."""
    return [_citation(row) for row in store.read_rows("citations", claim_id)]


def read_promoted_citations(store: ClaimStore, claim_id: str) -> list[Citation]:
    """Return the citations that the viewer dataset shows; those of a held set are not among them."""
    table = "shown_citations" if store.has("shown_citations", f"{claim_id}.parquet") else "citations"
    return [_citation(row) for row in store.read_rows(table, claim_id)]


def is_newer_than_shown(store: ClaimStore, claim_id: str, name: str) -> bool:
    """Tell whether a claim's newest `fields` or `citations` are others than those that its dataset shows."""
    newest, shown = store.table_state(name, claim_id), store.table_state(f"shown_{name}", claim_id)
    return newest is not None and shown is not None and newest.data_version != shown.data_version


def _citation_row(claim_id: str, citation: Citation) -> dict[str, Any]:
    return {
        "claim_id": claim_id,
        "citation_id": citation.citation_id,
        "field_key": citation.field_key,
        "citation_index": citation.citation_index,
        "item_path": citation.item_path,
        "cited_source_id": citation.cited_source_id,
        "source_id": citation.source_id,
        "snippet": citation.snippet_text,
        "status": citation.status.value,
        "method": citation.method,
        "score": citation.score,
        "confidence": citation.confidence,
        "page": citation.page,
        "block_regions": _region_rows(citation.block),
        "snippet_regions": _region_rows(citation.snippet),
        "value_regions": _region_rows(citation.value),
        "text_start": citation.text_start,
        "text_end": citation.text_end,
        "word_ids": [word for start, end in citation.word_ranges for word in range(start, end)],
        "word_ranges": [list(words) for words in citation.word_ranges],
        "candidates": [
            {
                "source_id": candidate.source_id,
                "page": candidate.page,
                "word_ranges": [list(words) for words in candidate.word_ranges],
                "score": candidate.score,
                "reason": candidate.reason,
                "boxes": _box_rows(candidate.boxes),
            }
            for candidate in citation.candidates
        ],
        "margin": citation.margin,
        "equal_places": citation.equal_places,
        "reason": citation.reason,
        "warnings": list(citation.warnings),
    }


def _citation(row: Mapping[str, Any]) -> Citation:
    return Citation(
        citation_id=row["citation_id"],
        field_key=row["field_key"],
        citation_index=row["citation_index"],
        item_path=row["item_path"],
        cited_source_id=row["cited_source_id"],
        source_id=row["source_id"],
        snippet_text=row["snippet"],
        status=CitationStatus(row["status"]),
        method=row["method"],
        score=row["score"],
        confidence=row["confidence"],
        page=row["page"],
        block=regions_of_rows(row["block_regions"]),
        snippet=regions_of_rows(row["snippet_regions"]),
        value=regions_of_rows(row["value_regions"]),
        text_start=row["text_start"],
        text_end=row["text_end"],
        word_ranges=_word_ranges(row["word_ranges"]),
        candidates=tuple(
            Candidate(
                source_id=candidate["source_id"],
                page=candidate["page"],
                word_ranges=_word_ranges(candidate["word_ranges"]),
                score=candidate["score"],
                reason=candidate["reason"],
                boxes=_boxes(candidate["boxes"]),
            )
            for candidate in row["candidates"]
        ),
        margin=row["margin"],
        equal_places=row["equal_places"] or 0,
        reason=row["reason"],
        warnings=tuple(row["warnings"]),
    )


def _word_ranges(rows: Iterable[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in rows)


def _box_rows(boxes: Iterable[Box]) -> list[dict[str, float]]:
    return [box.as_dict(digits=None) for box in boxes]


def _boxes(rows: Iterable[Mapping[str, float]]) -> tuple[Box, ...]:
    return tuple([Box(row["left"], row["top"], row["width"], row["height"]) for row in rows])


def _region_rows(regions: Iterable[Region]) -> list[dict[str, Any]]:
    return [
        {
            "page": region.page,
            "boxes": _box_rows(region.boxes),
            "polygons": [[list(point) for point in polygon] for polygon in region.polygons],
        }
        for region in regions
    ]


def regions_of_rows(rows: Iterable[Mapping[str, Any]]) -> tuple[Region, ...]:
    """Return a citation's regions from a column of regions, in the page frame."""
    return tuple(
        [
            Region(
                page=row["page"],
                boxes=_boxes(row["boxes"]),
                polygons=tuple([tuple([(x, y) for x, y in polygon]) for polygon in row["polygons"]]),
            )
            for row in rows
        ]
    )
