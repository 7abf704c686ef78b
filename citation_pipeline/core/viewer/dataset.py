"""The viewer dataset: one JSON object per claim with sources, fields and where each value was read.

The shape is a contract with every reader of `data.json`: keys are added beside the published ones, never
instead of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from citation_pipeline.core.answers.coverage import cover
from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.consistency.violations import Violation
from citation_pipeline.core.document_schemas import sources_of
from citation_pipeline.core.documents.duplicates import SimilarPage
from citation_pipeline.core.documents.page_versions import are_versions
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.documents.part_documents import part_of_page
from citation_pipeline.core.documents.parts import DocumentPart, find_document_parts
from citation_pipeline.core.extraction import AnswerIssue, ExtractedField, PagesRead, Value
from citation_pipeline.core.resolution.candidates import PlacedCandidate
from citation_pipeline.core.resolution.field_confidence import confidences_of
from citation_pipeline.core.resolution.requotes import REPAIRED
from citation_pipeline.core.schemas import Field, Schema, label_of
from citation_pipeline.core.viewer.citation_entries import citation_evidence, placed_citation
from citation_pipeline.core.viewer.issues import list_issues, list_violations
from citation_pipeline.core.viewer.second_readings import name_second_readings
from citation_pipeline.core.viewer.silent_fields import followed_citations, kind_of, silent_field


def build_viewer_dataset(
    claim_id: str,
    *,
    schema: Schema,
    documents: Sequence[ParsedDocument],
    fields: Iterable[ExtractedField],
    citations: Iterable[Citation],
    model: str = "",
    pages_read: Sequence[PagesRead] | None = None,
    answer_issues: Iterable[AnswerIssue] = (),
    violations: Iterable[Violation] = (),
    candidates: Mapping[str, Sequence[PlacedCandidate]] | None = None,
    similar: Sequence[SimilarPage] = (),
) -> dict[str, Any]:
    """Return the claim's `data.json` as an object; fields without a value are listed apart.

    `absentFields` were looked for on all pages and not found, `unreadFields` were not: each says what was
    searched, an absent one by which `model`, and what was not. `pages_read` is what the extractor read, None
    for everything. `candidates` are, by field key, what was read and is not believed: a key `candidates`
    beside the field, whichever list it is in, the likeliest first. `similar` are pages that were filed
    before; a page's `copies` name them both ways, and say which is another version of it.
    """
    by_id = {document.source.source_id: document for document in documents}
    texts = {source_id: document.text for source_id, document in by_id.items()}
    answered = {field.field_key: field for field in fields}
    coverage = cover(documents, pages_read, tuple(schema.by_key), only_in=sources_of(schema))
    cited: dict[str, list[Citation]] = {}
    for citation in citations:
        cited.setdefault(citation.field_key, []).append(citation)
    confidences = confidences_of(answered.values(), (c for group in cited.values() for c in group))
    parted = _parted(documents)
    present: list[dict[str, Any]] = []
    absent: list[dict[str, Any]] = []
    unread: list[dict[str, Any]] = []
    silent = partial(silent_field, model=model, schema=schema.name)
    for number, field in enumerate(schema.fields, start=1):
        answer = answered.get(field.key)
        if answer is None or answer.value is None:
            entry = silent(f"f{number}", field, answer, coverage.fields[field.key])
            entry |= _unbelieved(field.key, candidates or {}) | followed_citations(cited.get(field.key, ()))
            (absent if entry["status"] == "absent" else unread).append(entry)
            continue
        shown = _field(f"f{number}", field, answer, cited.get(field.key, []))
        _quote_again(shown["citations"], texts)
        _name_parts(shown["citations"], parted)
        name_second_readings(shown["citations"], by_id)
        sure = confidences[field.key]
        shown["fieldConfidence"] = {"value": sure.confidence, "parts": dict(sure.parts)}
        present.append(shown | _unbelieved(field.key, candidates or {}))
    return {
        "claimId": claim_id,
        "status": "partial" if coverage.is_partial else "complete",
        "schema": {"name": schema.name, "title": schema.title, "categories": list(schema.categories)},
        "sources": _sources(documents, similar),
        "fields": present,
        "absentFields": absent,
        "unreadFields": unread,
        "issues": list_issues(coverage, answer_issues, documents) + list_violations(violations, present),
    }


def _sources(documents: Sequence[ParsedDocument], similar: Sequence[SimilarPage]) -> list[dict[str, Any]]:
    copies = _copies_of(similar, documents)
    holders = {document.source.file: document.source.source_id for document in documents}
    return [_source(document, holders, copies) for document in documents]


def _parted(documents: Sequence[ParsedDocument]) -> dict[str, Sequence[DocumentPart]]:
    """Return the parts of each file that holds several documents."""
    return {
        document.source.source_id: parts
        for document in documents
        if len(parts := find_document_parts(document)) > 1
    }


def _quote_again(citations: Sequence[dict[str, Any]], texts: Mapping[str, str]) -> None:
    """Add to citations that were quoted anew what the page says there, in its own words."""
    for citation in citations:
        start, end = citation["textStart"], citation["textEnd"]
        text = texts.get(citation["sourceId"], "")
        if REPAIRED in citation["warnings"] and start is not None and text:
            citation["requoted"] = " ".join(text[start:end].split())


def _name_parts(citations: Sequence[dict[str, Any]], parted: Mapping[str, Sequence[DocumentPart]]) -> None:
    """Add to citations into files of several documents which of them it is."""
    for citation in citations:
        part = part_of_page(parted.get(citation["sourceId"], ()), citation["page"])
        if part is not None:
            citation["part"] = _part(part)


def display_value(value: Value) -> str:
    """Return a value as a reader sees it: Yes/No, ISO dates, no needless `.0`, lists joined."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Mapping):
        return _display_item(value)
    if isinstance(value, list):
        return "; ".join(_display_item(item) for item in value) or "None"
    return str(value)


def _display_item(item: Any) -> str:
    if not isinstance(item, Mapping):
        return display_value(item)
    known = [(name, display_value(value)) for name, value in item.items() if value not in (None, "")]
    if not known:
        return ""
    details = ", ".join(f"{label_of(name).lower()}: {text}" for name, text in known[1:])
    return f"{known[0][1]} ({details})" if details else known[0][1]


def _copies_of(
    similar: Sequence[SimilarPage], documents: Sequence[ParsedDocument]
) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """Return, by source id and page, where a page was filed as well: both ways, the most similar first."""
    by_id = {document.source.source_id: document for document in documents}
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for link in sorted(similar, key=lambda one: -one.similarity):
        share = round(link.similarity, 4)
        here, there = (link.source_id, link.page), (link.similar_source_id, link.similar_page)
        is_version = (
            here[0] in by_id
            and there[0] in by_id
            and are_versions(by_id[here[0]], here[1], by_id[there[0]], there[1])
        )
        for a, b in ((here, there), (there, here)):
            copy = {"sourceId": b[0], "page": b[1], "similarity": share, "isVersion": is_version}
            found.setdefault(a, []).append(copy)
    return found


def _source(
    document: ParsedDocument,
    holders: Mapping[str, str],
    copies: Mapping[tuple[str, int], Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    """Return a document as an entry of `sources`; `holders` are source ids by file."""
    source = document.source
    folders = accumulate(source.file.split("/")[:-1], lambda path, part: f"{path}/{part}")
    holder = next((holders[folder] for folder in reversed(list(folders)) if folder in holders), None)
    parts = find_document_parts(document)
    return {
        "id": source.source_id,
        "name": source.name,
        "file": source.file,
        "pageCount": len(document.pages),
        "mediaType": source.media_type,
        "sha256": source.sha256,
        "status": document.status.value,
        "error": str(document.error) if document.error else None,
        "duplicateOf": source.duplicate_of,
        **({"attachedTo": holder} if holder else {}),
        "pages": [
            {
                "page": page.page,
                "width": page.width_pt,
                "height": page.height_pt,
                "rotation": page.rotation,
                "wordsFrom": page.words_from,
                **({"copies": list(found)} if (found := copies.get((source.source_id, page.page))) else {}),
            }
            for page in document.pages
        ],
        **({"parts": [_part(part) for part in parts]} if len(parts) > 1 else {}),
    }


def _part(part: DocumentPart) -> dict[str, Any]:
    """Return one document of a file of several."""
    return {
        "title": part.title,
        "pages": [part.first_page, part.last_page],
        **({"kind": part.kind} if part.kind else {}),
        **({"date": part.date} if part.date else {}),
    }


def _field(
    field_id: str, field: Field, answer: ExtractedField, citations: Sequence[Citation]
) -> dict[str, Any]:
    placed = [citation for citation in citations if citation.block]
    return {
        "id": field_id,
        "label": field.label,
        "value": display_value(answer.value),
        "category": field.category,
        "citations": [placed_citation(citation) for citation in placed],
        "fieldKey": field.key,
        **kind_of(field),
        "rawValue": answer.value,
        "confidence": answer.confidence.value if answer.confidence else None,
        "provenance": answer.provenance.value,
        "status": _field_status(citations),
        "warnings": list(answer.warnings),
        "unresolvedCitations": [citation_evidence(citation) for citation in citations if not citation.block],
    }


def _unbelieved(key: str, candidates: Mapping[str, Sequence[PlacedCandidate]]) -> dict[str, Any]:
    return {"candidates": [_value_candidate(one) for one in candidates[key]]} if candidates.get(key) else {}


def _value_candidate(placed: PlacedCandidate) -> dict[str, Any]:
    candidate = placed.candidate
    return {
        "value": display_value(candidate.value),
        "rawValue": candidate.value,
        "reason": candidate.reason,
        "confidence": candidate.confidence,
        "date": candidate.date,
        "citations": [placed_citation(citation) for citation in placed.citations if citation.block],
        "unresolvedCitations": [
            citation_evidence(citation) for citation in placed.citations if not citation.block
        ],
    }


def _field_status(citations: Sequence[Citation]) -> str:
    """The best that any citation of the field offers; a field nobody cited is `uncited`."""
    statuses = {citation.status for citation in citations}
    for status in CitationStatus:
        if status in statuses:
            return status.value
    return "uncited"
