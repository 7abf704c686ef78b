"""Chunks and the history of fields as rows of their tables, and back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import pyarrow as pa

from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.shapes import SHAPES
from citation_pipeline.adapters.tables.store_errors import MissingTableError
from citation_pipeline.core.citations import Citation
from citation_pipeline.core.extraction import Extraction
from citation_pipeline.core.retrieval.chunks import Chunk


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """What a field's value and place were after a run, recorded when either changed.

    `value` is JSON; `status`, `source_id` and `page` are the first citation's; the versions name the stages'
    outputs that said so.
    """

    field_key: str
    value: str
    model: str
    prompt_fingerprint: str
    status: str
    source_id: str | None
    page: int | None
    extraction_version: str
    citations_version: str
    recorded_at: str


def chunk_table(claim_id: str, chunks: Sequence[Chunk]) -> pa.Table:
    """Return the rows of `chunks`."""
    rows = [
        {"claim_id": claim_id, **asdict(chunk), "identifiers": list(chunk.identifiers)} for chunk in chunks
    ]
    return pa.Table.from_pylist(rows, schema=SHAPES["chunks"])


def read_chunks(store: ClaimStore, claim_id: str) -> list[Chunk]:
    """Return a claim's chunks; raises MissingTableError before they were cut."""
    names = [field.name for field in fields(Chunk)]
    return [Chunk(**{name: row[name] for name in names}) for row in store.read_rows("chunks", claim_id)]


def read_history(store: ClaimStore, claim_id: str) -> list[HistoryEntry]:
    """Return a claim's recorded changes, oldest first; none before the first index."""
    try:
        rows = store.read_rows("field_history", claim_id)
    except MissingTableError:
        return []
    return [_entry(row) for row in rows]


def history_table(claim_id: str, entries: Sequence[HistoryEntry]) -> pa.Table:
    """Return the rows of `field_history`."""
    return pa.Table.from_pylist(
        [{"claim_id": claim_id, **asdict(entry)} for entry in entries], schema=SHAPES["field_history"]
    )


def extend_history(
    known: Sequence[HistoryEntry],
    extraction: Extraction,
    citations: Sequence[Citation],
    *,
    extraction_version: str,
    citations_version: str,
    recorded_at: str,
) -> list[HistoryEntry]:
    """Return the history with an entry for every field whose value, status or place is not what it was."""
    first: dict[str, Citation] = {}
    for citation in citations:
        first.setdefault(citation.field_key, citation)
    last = {entry.field_key: entry for entry in known}
    added = []
    for field in extraction.fields:
        cited = first.get(field.field_key)
        entry = HistoryEntry(
            field_key=field.field_key,
            value=json.dumps(field.value, ensure_ascii=False, sort_keys=True),
            model=extraction.model,
            prompt_fingerprint=extraction.prompt_fingerprint,
            status=cited.status.value if cited else "uncited",
            source_id=cited.source_id if cited else None,
            page=cited.page if cited else None,
            extraction_version=extraction_version,
            citations_version=citations_version,
            recorded_at=recorded_at,
        )
        before = last.get(field.field_key)
        if before is None or _told(before) != _told(entry):
            added.append(entry)
    return [*known, *added]


def _told(entry: HistoryEntry) -> tuple[Any, ...]:
    return (entry.value, entry.model, entry.status, entry.source_id, entry.page)


def _entry(row: Mapping[str, Any]) -> HistoryEntry:
    return HistoryEntry(**{field.name: row[field.name] for field in fields(HistoryEntry)})
