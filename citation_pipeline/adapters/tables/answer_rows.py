"""Replies, extracted fields and citations as rows of their tables, and back."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Candidate, Citation, CitationStatus, Region
from citation_pipeline.core.extraction import (
    AnswerIssue,
    Confidence,
    ConflictingValue,
    ExtractedField,
    Extraction,
    Provenance,
    Snippet,
)
from citation_pipeline.core.replies import StoredReply


def reply_table(claim_id: str, replies: Sequence[StoredReply]) -> pa.Table:
    """Return the rows of `raw_extraction`: the replies byte for byte, in the order of their requests."""
    rows = [
        {
            "claim_id": claim_id,
            "reply_index": number,
            "request_fingerprint": reply.request_fingerprint,
            "provider": reply.provider,
            "model": reply.model,
            "reply": reply.body,
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "cache_read_tokens": reply.cache_read_tokens,
            "cache_write_tokens": reply.cache_write_tokens,
            "cost_usd": reply.cost_usd,
            "latency_s": reply.latency_s,
            "asked_at": reply.asked_at,
            "scope": reply.scope,
        }
        for number, reply in enumerate(replies)
    ]
    return pa.Table.from_pylist(rows, schema=SHAPES["raw_extraction"])


def read_replies(store: ClaimStore, claim_id: str) -> list[StoredReply]:
    """Return a claim's stored replies."""
    return [
        StoredReply(
            request_fingerprint=row["request_fingerprint"],
            provider=row["provider"],
            model=row["model"],
            body=row["reply"],
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            cache_read_tokens=row["cache_read_tokens"],
            cache_write_tokens=row["cache_write_tokens"],
            cost_usd=row["cost_usd"],
            latency_s=row["latency_s"],
            asked_at=row["asked_at"],
            scope=row["scope"],
        )
        for row in store.read_table("raw_extraction", claim_id).to_pylist()
    ]


def extraction_tables(claim_id: str, extraction: Extraction) -> dict[str, pa.Table]:
    """Return the tables of the `extracted_fields` stage; values are JSON, a silent field's is `null`."""
    fields = [
        {
            "claim_id": claim_id,
            "field_key": field.field_key,
            "value": json.dumps(field.value, ensure_ascii=False),
            "value_type": field.value_type,
            "confidence": field.confidence.value if field.confidence else None,
            "provenance": field.provenance.value,
            "model": extraction.model,
            "prompt_fingerprint": extraction.prompt_fingerprint,
            "schema": extraction.schema_name,
            "snippets": [_snippet_row(snippet) for snippet in field.snippets],
            "warnings": list(field.warnings),
        }
        for field in extraction.fields
    ]
    issues = [
        {
            "claim_id": claim_id,
            "code": issue.code,
            "field_key": issue.field_key,
            "citation_index": issue.citation_index,
            "source_id": issue.source_id,
        }
        for issue in extraction.issues
    ]
    conflicts = [
        {
            "claim_id": claim_id,
            "field_key": conflict.field_key,
            "value": json.dumps(conflict.value, ensure_ascii=False),
            "date": conflict.date,
            "snippets": [_snippet_row(snippet) for snippet in conflict.snippets],
        }
        for conflict in extraction.conflicts
    ]
    return {
        "conflicts": pa.Table.from_pylist(conflicts, schema=SHAPES["conflicts"]),
        "fields": pa.Table.from_pylist(fields, schema=SHAPES["fields"]),
        "answer_issues": pa.Table.from_pylist(issues, schema=SHAPES["answer_issues"]),
    }


def read_extraction(store: ClaimStore, claim_id: str) -> Extraction:
    """Return a claim's extracted fields with their snippets and issues."""
    store.check_whole("extracted_fields", claim_id)
    rows = store.read_table("fields", claim_id).to_pylist()
    issues = store.read_table("answer_issues", claim_id).to_pylist()
    first = rows[0] if rows else {}
    return Extraction(
        schema_name=first.get("schema", ""),
        fields=tuple(_field(row) for row in rows),
        issues=tuple(
            AnswerIssue(
                code=row["code"],
                field_key=row["field_key"],
                citation_index=row["citation_index"],
                source_id=row["source_id"],
            )
            for row in issues
        ),
        conflicts=tuple(
            ConflictingValue(
                field_key=row["field_key"],
                value=json.loads(row["value"]),
                snippets=tuple(Snippet(**snippet) for snippet in row["snippets"]),
                date=row["date"],
            )
            for row in store.read_table("conflicts", claim_id).to_pylist()
        ),
        model=first.get("model", ""),
        prompt_fingerprint=first.get("prompt_fingerprint", ""),
    )


def citation_table(claim_id: str, citations: Iterable[Citation]) -> pa.Table:
    """Return the rows of `citations`."""
    return pa.Table.from_pylist(
        [_citation_row(claim_id, citation) for citation in citations], schema=SHAPES["citations"]
    )


def read_citations(store: ClaimStore, claim_id: str, *, table: str = "citations") -> list[Citation]:
    """Return a claim's citations in stored order, from another table of the same shape if named."""
    return [_citation(row) for row in store.read_table(table, claim_id).to_pylist()]


def _snippet_row(snippet: Snippet) -> dict[str, Any]:
    return {
        "source_id": snippet.source_id,
        "text": snippet.text,
        "citation_index": snippet.citation_index,
        "item_path": snippet.item_path,
        "page": snippet.page,
        "start_offset": snippet.start_offset,
        "end_offset": snippet.end_offset,
    }


def _field(row: Mapping[str, Any]) -> ExtractedField:
    return ExtractedField(
        field_key=row["field_key"],
        value=json.loads(row["value"]),
        value_type=row["value_type"],
        snippets=tuple(Snippet(**snippet) for snippet in row["snippets"] or ()),
        confidence=Confidence(row["confidence"]) if row["confidence"] else None,
        provenance=Provenance(row["provenance"]),
        warnings=tuple(row["warnings"] or ()),
    )


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
        block=_regions(row["block_regions"]),
        snippet=_regions(row["snippet_regions"]),
        value=_regions(row["value_regions"]),
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
        reason=row["reason"],
        warnings=tuple(row["warnings"]),
    )


def _word_ranges(rows: Iterable[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in rows)


def _box_rows(boxes: Iterable[Box]) -> list[dict[str, float]]:
    return [box.as_dict(digits=None) for box in boxes]


def _boxes(rows: Iterable[Mapping[str, float]]) -> tuple[Box, ...]:
    return tuple(Box(row["left"], row["top"], row["width"], row["height"]) for row in rows)


def _region_rows(regions: Iterable[Region]) -> list[dict[str, Any]]:
    return [
        {
            "page": region.page,
            "boxes": _box_rows(region.boxes),
            "polygons": [[list(point) for point in polygon] for polygon in region.polygons],
        }
        for region in regions
    ]


def _regions(rows: Iterable[Mapping[str, Any]]) -> tuple[Region, ...]:
    return tuple(
        Region(
            page=row["page"],
            boxes=_boxes(row["boxes"]),
            polygons=tuple(tuple((x, y) for x, y in polygon) for polygon in row["polygons"]),
        )
        for row in rows
    )
