"""Replies and extracted fields as rows of their tables, and back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore, rows_of
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.violation_rows import violation_table
from citation_pipeline.core.answers.coverage import Coverage, UnreadPages
from citation_pipeline.core.answers.replies import StoredReply
from citation_pipeline.core.consistency.violations import Violation
from citation_pipeline.core.extraction import (
    AnswerIssue,
    Confidence,
    ConflictingValue,
    ExtractedField,
    Extraction,
    PagesRead,
    Provenance,
    Snippet,
    ValueCandidate,
)

_ALL_READ = Coverage(())
_FIELD_COLUMNS = (
    "field_key",
    "value",
    "value_type",
    "confidence",
    "belief",
    "provenance",
    "snippets",
    "warnings",
    "candidates",
)


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
        for row in store.read_rows("raw_extraction", claim_id)
    ]


def extraction_tables(
    claim_id: str,
    extraction: Extraction,
    coverage: Coverage = _ALL_READ,
    *,
    violations: Sequence[Violation] = (),
) -> dict[str, pa.Table]:
    """Return the tables of the `extracted_fields` stage; values are JSON, a silent field's is `null`."""
    made = {
        "model": extraction.model,
        "prompt_fingerprint": extraction.prompt_fingerprint,
        "schema": extraction.schema_name,
    }
    rows: dict[str, list[dict[str, Any]]] = {
        "unread_pages": [_unread_row(key, one) for key, one in coverage.rows()],
        "pages_read": [_pages_row(read) for read in extraction.pages_read],
        "conflicts": [_conflict_row(conflict) for conflict in extraction.conflicts],
        "fields": [_field_row(field) | made for field in extraction.fields],
        "answer_issues": [asdict(issue) for issue in extraction.issues],
    }
    tables = {
        name: pa.Table.from_pylist([{"claim_id": claim_id, **row} for row in found], schema=SHAPES[name])
        for name, found in rows.items()
    }
    return {"violations": violation_table(claim_id, violations), **tables}


def _field_row(field: ExtractedField) -> dict[str, Any]:
    return {
        "field_key": field.field_key,
        "value": json.dumps(field.value, ensure_ascii=False),
        "value_type": field.value_type,
        "confidence": field.confidence.value if field.confidence else None,
        "belief": field.belief,
        "provenance": field.provenance.value,
        "snippets": [_snippet_row(snippet) for snippet in field.snippets],
        "warnings": list(field.warnings),
        "candidates": [_candidate_row(candidate) for candidate in field.candidates],
    }


def _conflict_row(conflict: ConflictingValue) -> dict[str, Any]:
    return {
        "field_key": conflict.field_key,
        "value": json.dumps(conflict.value, ensure_ascii=False),
        "date": conflict.date,
        "snippets": [_snippet_row(snippet) for snippet in conflict.snippets],
    }


def _pages_row(read: PagesRead) -> dict[str, Any]:
    return {
        "source_id": read.source_id,
        "first_page": read.first_page,
        "last_page": read.last_page,
        "field_keys": None if read.field_keys is None else list(read.field_keys),
        "outcome": read.outcome,
    }


def _unread_row(field_key: str | None, one: UnreadPages) -> dict[str, Any]:
    return {
        "source_id": one.source_id,
        "first_page": one.first_page or None,
        "last_page": one.last_page or None,
        "reason": one.reason,
        "unread_by": one.by,
        "field_key": field_key,
    }


def read_extraction(store: ClaimStore, claim_id: str) -> Extraction:
    """Return a claim's extracted fields with their snippets and issues."""
    names = ("fields", "answer_issues", "conflicts", "pages_read")
    tables = {name: store.read_table(name, claim_id) for name in names}
    store.check_whole("extracted_fields", claim_id, read=tables)
    rows, issues = rows_of(tables["fields"]), rows_of(tables["answer_issues"])
    first = rows[0] if rows else {}
    return Extraction(
        schema_name=first.get("schema", ""),
        fields=tuple(_field(row) for row in rows),
        issues=tuple(
            AnswerIssue(**{column.name: row[column.name] for column in fields(AnswerIssue)}) for row in issues
        ),
        conflicts=tuple(
            ConflictingValue(
                field_key=row["field_key"],
                value=json.loads(row["value"]),
                snippets=tuple(Snippet(**snippet) for snippet in row["snippets"]),
                date=row["date"],
            )
            for row in rows_of(tables["conflicts"])
        ),
        pages_read=_pages_read(tables["pages_read"]),
        model=first.get("model", ""),
        prompt_fingerprint=first.get("prompt_fingerprint", ""),
    )


def read_pages_read(store: ClaimStore, claim_id: str) -> tuple[PagesRead, ...]:
    """Return which pages of a claim the extractor was asked about, and what came of it."""
    return _pages_read(store.read_table("pages_read", claim_id))


def _pages_read(table: pa.Table) -> tuple[PagesRead, ...]:
    return tuple(
        PagesRead(
            source_id=row["source_id"],
            first_page=row["first_page"],
            last_page=row["last_page"],
            field_keys=None if row["field_keys"] is None else tuple(row["field_keys"]),
            outcome=row["outcome"],
        )
        for row in rows_of(table)
    )


def read_field_table(store: ClaimStore, claim_id: str) -> pa.Table:
    """Return the rows of a claim's extracted fields."""
    table = store.read_table("fields", claim_id)
    store.check_whole("extracted_fields", claim_id, read={"fields": table})
    return table


def fields_of(table: pa.Table) -> list[ExtractedField]:
    """Return the fields in rows of `fields`."""
    return [_field(row) for row in rows_of(table.select(_FIELD_COLUMNS))]


def read_values(store: ClaimStore, claim_id: str) -> dict[str, ExtractedField]:
    """Return a claim's fields by key with their values alone, without snippets, doubts and candidates."""
    return {
        row["field_key"]: ExtractedField(row["field_key"], json.loads(row["value"]), row["value_type"])
        for row in store.read_rows("fields", claim_id, ["field_key", "value", "value_type"])
    }


def _candidate_row(candidate: ValueCandidate) -> dict[str, Any]:
    return {
        "value": json.dumps(candidate.value, ensure_ascii=False),
        "reason": candidate.reason,
        "confidence": candidate.confidence,
        "date": candidate.date,
        "snippets": [_snippet_row(snippet) for snippet in candidate.snippets],
    }


def _snippet_row(snippet: Snippet) -> dict[str, Any]:
    return {
        "source_id": snippet.source_id,
        "text": snippet.text,
        "citation_index": snippet.citation_index,
        "item_path": snippet.item_path,
        "page": snippet.page,
        "start_offset": snippet.start_offset,
        "end_offset": snippet.end_offset,
        "requoted": snippet.requoted,
    }


def _field(row: Mapping[str, Any]) -> ExtractedField:
    return ExtractedField(
        field_key=row["field_key"],
        value=json.loads(row["value"]),
        value_type=row["value_type"],
        snippets=tuple(Snippet(**snippet) for snippet in row["snippets"] or ()),
        confidence=Confidence(row["confidence"]) if row["confidence"] else None,
        belief=row["belief"],
        provenance=Provenance(row["provenance"]),
        warnings=tuple(row["warnings"] or ()),
        candidates=tuple(
            ValueCandidate(
                value=json.loads(candidate["value"]),
                reason=candidate["reason"],
                confidence=candidate["confidence"],
                date=candidate["date"],
                snippets=tuple(Snippet(**snippet) for snippet in candidate["snippets"] or ()),
            )
            for candidate in row.get("candidates") or ()
        ),
    )
