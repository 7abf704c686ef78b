"""A claim in the files of the published designs, below one folder."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from citation_pipeline.adapters.claim_originals import original_path
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.attached_files import read_document
from citation_pipeline.adapters.tables.citation_rows import read_promoted_citations
from citation_pipeline.adapters.tables.claim_store import ClaimStore
from citation_pipeline.adapters.tables.document_rows import read_documents
from citation_pipeline.adapters.tables.stored_files import StoredFiles
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.published import claim_files, data_model
from citation_pipeline.core.published.highlight_artifacts import (
    llm_resolve_artifact,
    published_highlight,
    resolve_artifact,
)
from citation_pipeline.core.published.markdown import markdown_of
from citation_pipeline.core.published.study_protocol import extraction_results, protocol_text
from citation_pipeline.core.resolution.spans import resolve_token_span
from citation_pipeline.core.retrieval.reading_view import read_view, span_of


def write_published(
    store: ClaimStore,
    claim_id: str,
    folder: Path,
    *,
    root: str = "",
    answers: Sequence[Mapping[str, Any]] = (),
) -> list[str]:
    """Write a claim's files into `folder` and return their names; each is put in place whole.

    `root` is where the viewer is served. `answers` are a model's spans over whole reading views; each becomes
    an artifact in `llm_resolve`. Raises MissingTableError for a claim that was not run, ValueError for a span
    that is none.
    """
    files = StoredFiles(folder)
    written = []
    for name, value in _files(store, claim_id, root, answers):
        if isinstance(value, str):
            files.write_bytes(value.encode("utf-8", "replace"), name)
        else:
            files.write_json(value, name)
        written.append(name)
    return written


def _files(
    store: ClaimStore, claim_id: str, root: str, answers: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, Any]]:
    documents = read_documents(store, claim_id)
    by_id = {document.source.source_id: document for document in documents}
    yield "sources_index.json", claim_files.sources_index(documents)
    for parsed in documents:
        if parsed.is_readable:
            yield from _document_files(parsed)
    yield "extraction_raw.json", json.loads(store.read_bytes("published", claim_id, "extraction_raw.json"))
    dataset = store.read_viewer_dataset(claim_id)
    yield "data.json", claim_files.published_dataset(dataset, root=root)
    yield "extraction_results.json", extraction_results(dataset)
    hashes = {source_id: _sha1_of(store, claim_id, document) for source_id, document in by_id.items()}
    highlights = []
    for citation in read_promoted_citations(store, claim_id):
        document = by_id.get(citation.source_id)
        if document is None or not document.is_readable:
            continue
        highlights.append(published_highlight(citation, document, doc_hash=hashes[citation.source_id]))
        name = f"artifacts/resolve/{citation.field_key}-{citation.citation_index}.json"
        yield name, resolve_artifact(citation, document)
    yield "highlights.json", highlights
    for number, answer in enumerate(answers):
        yield f"artifacts/llm_resolve/{number}.json", _of_span(answer, number, by_id)


def _document_files(document: ParsedDocument) -> Iterator[tuple[str, Any]]:
    source_id = document.source.source_id
    yield f"{source_id}.md", markdown_of(document)
    yield f"{source_id}.reducto.json", claim_files.parse_response(document)
    yield f"{source_id}/normalized_text.json", protocol_text(document)
    yield f"{source_id}/ade_chunks.json", data_model.chunk_list(document)
    yield f"{source_id}/fine_geometry.json", data_model.fine_geometry(document)
    yield f"{source_id}/sentence_index.json", data_model.sentence_index(document)


def _of_span(answer: Mapping[str, Any], number: int, by_id: Mapping[str, ParsedDocument]) -> dict[str, Any]:
    document = by_id.get(str(answer.get("source_id") or ""))
    if document is None or not document.is_readable:
        raise ValueError(f"span {number}: `source_id` names no readable document of the claim")
    citation = resolve_token_span(
        document,
        span_of(answer, source_id=document.source.source_id),
        field_key=str(answer.get("field_key") or "span"),
        citation_index=number,
        tokens=read_view(document).tokens,
    )
    return llm_resolve_artifact(answer, citation, document)


def _sha1_of(store: ClaimStore, claim_id: str, document: ParsedDocument) -> str:
    """Return the file's SHA-1, as the published data model has it; "" where it is gone or another by now."""
    try:
        data = read_document(original_path(store, store.claim(claim_id), document.source.file))
    except (OSError, RefusedDocumentError):
        return ""
    if hashlib.sha256(data).hexdigest() != document.source.sha256:
        return ""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()
