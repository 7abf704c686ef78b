"""The published highlight, and the artifacts that explain how it was found."""

from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.published.data_model import box_of_words, chunk_id, line_id, word_id
from citation_pipeline.core.retrieval.highlights import polygons_of

# found by the words themselves; everything else needed a second look
_FIRST_PASS = frozenset({"exact", "row", "token_span"})


def pass_of(citation: Citation) -> str:
    """Return `pass1` for a citation found by its own words, else `pass2`: aligned, joined or moved."""
    is_first = citation.method in _FIRST_PASS and "span_moved" not in citation.warnings
    return "pass1" if is_first else "pass2"


def published_highlight(citation: Citation, document: ParsedDocument, *, doc_hash: str) -> dict[str, Any]:
    """Return the canonical highlight: polygons in 0-1; `doc_hash` is the file's SHA-1, "" without it."""
    words = words_of(citation)
    return {
        "doc_id": document.source.file,
        "citation": citation.snippet_text,
        "context": _polygons(citation.block or citation.snippet),
        "answer": _polygons(citation.value or citation.snippet),
        "meta": {
            "doc_hash": doc_hash,
            "chunk_id": chunk_id(int(document.words.block[words[0]])) if words else "",
            "method": pass_of(citation),
            "confidence": round(citation.confidence, 4),
        },
    }


def resolve_artifact(citation: Citation, document: ParsedDocument) -> dict[str, Any]:
    """Return what explains a resolution: line, words, geometry, and what else was considered."""
    return {
        "citation_id": citation.citation_id,
        "field_key": citation.field_key,
        "citation": citation.snippet_text,
        "status": citation.status.value,
        "method": citation.method,
        "pass": pass_of(citation),
        "score": round(citation.score, 4),
        "confidence": round(citation.confidence, 4),
        "selected": _selected(citation, document),
        "diagnostics": {
            "reason": citation.reason,
            "warnings": list(citation.warnings),
            "margin": citation.margin,
            "equal_places": citation.equal_places,
            "candidates": [
                {
                    "source_id": candidate.source_id,
                    "page": candidate.page,
                    "score": round(candidate.score, 4),
                    "reason": candidate.reason,
                    "word_ids": [word_id(word) for word in _flat(candidate.word_ranges)],
                }
                for candidate in citation.candidates
            ],
        },
    }


def llm_resolve_artifact(
    answer: Mapping[str, Any], citation: Citation, document: ParsedDocument
) -> dict[str, Any]:
    """Return a model's span as it came and what was made of it: snapped, mapped to words, and placed.

    `answer` is the model's: `answer`, `source` and the span (`start_token`, `end_token`, guards, `substr`).
    """
    words = words_of(citation)
    is_placed = citation.status is not CitationStatus.UNRESOLVED and bool(words)
    return {
        "answer": answer.get("answer"),
        "source": answer.get("source", answer.get("substr")),
        "citations": [
            {
                name: answer.get(name)
                for name in ("start_token", "end_token", "start_text", "end_text", "substr")
            }
        ],
        "snapped": {
            "start_word_id": word_id(words[0]),
            "end_word_id": word_id(words[-1]),
            "start_text": document.words.texts[words[0]],
            "end_text": document.words.texts[words[-1]],
            "moved": "span_moved" in citation.warnings,
        }
        if is_placed
        else None,
        "pass1": {"status": citation.status.value} if pass_of(citation) == "pass1" else None,
        "pass2": {"status": citation.status.value, "warnings": list(citation.warnings)}
        if pass_of(citation) == "pass2"
        else None,
        "word_ids": [word_id(word) for word in words],
        "pages": _pages(citation, document),
    }


def words_of(citation: Citation) -> list[int]:
    """Return a citation's word ids."""
    return _flat(citation.word_ranges)


def _flat(ranges: Sequence[tuple[int, int]]) -> list[int]:
    return [word for start, end in ranges for word in range(start, end)]


def _selected(citation: Citation, document: ParsedDocument) -> dict[str, Any] | None:
    words = words_of(citation)
    if not words:
        return None
    line = int(document.words.line[words[0]])
    return {
        "page": int(document.words.page[words[0]]),
        "line_id": line_id(line),
        "line_no": line,
        "word_ids": [word_id(word) for word in words],
        "pages": _pages(citation, document),
    }


def _pages(citation: Citation, document: ParsedDocument) -> list[dict[str, Any]]:
    """Return the words' box in points and their polygons in 0-1, page by page."""
    words = words_of(citation)
    pages = []
    for page in sorted({int(document.words.page[word]) for word in words}):
        on_page = [word for word in words if int(document.words.page[word]) == page]
        shape = next(shape for shape in document.pages if shape.page == page)
        pages.append(
            {
                "page": page,
                "bbox": box_of_words(document, on_page, (shape.width_pt, shape.height_pt)),
                "polys": [shown["poly"] for shown in _polygons(citation.snippet) if shown["page"] == page],
            }
        )
    return pages


def _polygons(regions: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"page": shown["page"], "poly": shown["poly"]} for shown in polygons_of(regions)]
