"""Highlights of fields, quotations, spans and answers, each with its chunk and its document's hash."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.provenance import find_field
from citation_pipeline.adapters.tables.citation_rows import read_promoted_citations
from citation_pipeline.core.citations import Citation
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import ExtractedField, Snippet
from citation_pipeline.core.resolution.claims import resolve_claim
from citation_pipeline.core.resolution.spans import resolve_token_span
from citation_pipeline.core.retrieval.highlights import highlight_of
from citation_pipeline.core.retrieval.reading_view import ReadingView, read_view, span_of
from citation_pipeline.core.viewer.citation_objects import document_id_of


def reading_views(
    model: ReadModel, claim_id: str, *, source_id: str | None = None, pages: Sequence[int] | None = None
) -> Iterator[ReadingView]:
    """Return the reading views of a claim's documents, lines numbered through; raises UnknownClaimError."""
    model.claims.state(claim_id)
    first = 1
    for document in model.claims.documents(claim_id).readable:
        if source_id in (None, document.source.source_id):
            view = read_view(document, pages=pages, first_line=first)
            first += len(view.lines)
            yield view


def highlight_fields(model: ReadModel, claim_id: str, field: str | None = None) -> list[dict[str, Any]]:
    """Return the stored citations of a field, or of all, as highlights; unresolved ones have no polygons."""
    state = model.claims.state(claim_id)
    key = find_field(state.dataset, field)["fieldKey"] if field is not None else None
    citations = [c for c in read_promoted_citations(model.store, claim_id) if key in (None, c.field_key)]
    return _highlights(model, claim_id, citations)


def highlight_text(model: ReadModel, claim_id: str, source_id: str, text: str) -> list[dict[str, Any]]:
    """Return where a quoted text is, found by the matcher, as a highlight."""
    document = _document(model, claim_id, source_id)
    field = ExtractedField("quotation", None, "string", (Snippet(source_id, text),))
    return _highlights(model, claim_id, resolve_claim([document], [field]))


def highlight_spans(
    model: ReadModel,
    claim_id: str,
    answers: Sequence[Mapping[str, Any]],
    *,
    pages: Sequence[int] | None = None,
) -> list[dict[str, Any]]:
    """Return a model's spans, snapped to words and checked by their guards, as highlights.

    Each answer names `source_id`, `start_token`, `end_token` of the reading view of these `pages`, and may
    give
    `start_text`, `end_text` and `substr`. Raises UnknownClaimError, or ValueError for spans that are none.
    """
    citations = []
    for number, answer in enumerate(answers):
        document = _document(model, claim_id, str(answer.get("source_id") or ""))
        span = span_of(answer, source_id=document.source.source_id)
        citations.append(
            resolve_token_span(
                document,
                span,
                field_key=str(answer.get("field_key") or "span"),
                citation_index=number,
                tokens=read_view(document, pages=pages).tokens,
                index=model.claims.documents(claim_id).index(document.source.source_id),
            )
        )
    return _highlights(model, claim_id, citations)


def word_count(model: ReadModel, claim_id: str, source_id: str) -> int:
    """Return how many words of a document there are to highlight; raises UnknownClaimError."""
    return len(_document(model, claim_id, source_id).words)


def _document(model: ReadModel, claim_id: str, source_id: str) -> ParsedDocument:
    model.claims.state(claim_id).source(source_id)
    document = model.claims.documents(claim_id).by_id.get(source_id)
    if document is None or not document.is_readable:
        raise UnknownClaimError("that document could not be read")
    return document


def _highlights(model: ReadModel, claim_id: str, citations: Sequence[Citation]) -> list[dict[str, Any]]:
    model.refresh()
    state = model.claims.state(claim_id)
    with model.file.reading() as connection:
        return [
            highlight_of(
                citation,
                doc_id=document_id_of(claim_id, citation.source_id),
                doc_hash=state.sources.get(citation.source_id, {}).get("sha256") or "",
                chunk_id=_chunk_of(connection, claim_id, citation),
            )
            for citation in citations
        ]


def _chunk_of(connection: sqlite3.Connection, claim_id: str, citation: Citation) -> str:
    if citation.text_start is None:
        return ""
    row = connection.execute(
        "SELECT chunk_id FROM chunks WHERE claim_id = ? AND source_id = ? AND text_start <= ? AND "
        "text_end > ? "
        "ORDER BY text_start LIMIT 1",
        (claim_id, citation.source_id, citation.text_start, citation.text_start),
    ).fetchone()
    return str(row[0]) if row else ""
