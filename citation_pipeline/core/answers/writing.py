"""An `Extraction` written down in the provider-neutral shape; reading one is `answers`' work."""

from typing import Any

from citation_pipeline.core.extraction import (
    READERS_WARNINGS,
    ExtractedField,
    Extraction,
    Snippet,
    ValueCandidate,
)


def write_answer(extraction: Extraction, *, with_hints: bool = False) -> dict[str, Any]:
    """Return `{"extractions": […]}`; `with_hints` adds confidence, places and item paths where known."""
    return {"extractions": [_record(field, with_hints=with_hints) for field in extraction.fields]}


def _record(field: ExtractedField, *, with_hints: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "field_key": field.field_key,
        "value": field.value,
        "citations": [_citation(snippet, with_hints=with_hints) for snippet in field.snippets],
    }
    if with_hints:
        record["provenance"] = field.provenance.value
        if field.confidence is not None:
            record["confidence"] = field.confidence.value
        if field.belief is not None:
            record["belief"] = field.belief
        if told := [warning for warning in field.warnings if warning in READERS_WARNINGS]:
            record["warnings"] = told
        if field.candidates:
            record["candidates"] = [_candidate(candidate) for candidate in field.candidates]
    return record


def _candidate(candidate: ValueCandidate) -> dict[str, Any]:
    record: dict[str, Any] = {"value": candidate.value, "reason": candidate.reason}
    if candidate.confidence is not None:
        record["confidence"] = candidate.confidence
    if candidate.date:
        record["date"] = candidate.date
    record["citations"] = [_citation(snippet, with_hints=True) for snippet in candidate.snippets]
    return record


def _citation(snippet: Snippet, *, with_hints: bool) -> dict[str, Any]:
    citation: dict[str, Any] = {"source_id": snippet.source_id, "text_snippet": snippet.text}
    if with_hints:
        hints = {
            "item_path": snippet.item_path or None,
            "page": snippet.page,
            "startOffset": snippet.start_offset,
            "endOffset": snippet.end_offset,
        }
        citation |= {name: hint for name, hint in hints.items() if hint is not None}
    return citation
