"""Search in the shape of the published MCP design: values and citations by field, ready to quote.

`citations` maps a field's name to its citation here, and `mcp_context` says how to cite and how sure the
results are.
"""

from typing import Any, Literal

from pydantic import BaseModel

from citation_pipeline.adapters.read_model.shapes import SearchAnswer, SearchHit
from citation_pipeline.core.viewer.citation_objects import CitationFormat, CitationObject
from citation_pipeline.serving.mcp.lean import box_in_points, context_of, full_citation, summary_of

BoxUnits = Literal["page", "points"]

_HOW_TO_CITE = {
    "short": "[filename, p.X]",
    "long": 'filename, Page X: "…"',
    "academic": "filename (Page X, …)",
}


class FieldCitation(BaseModel):
    """A field's value and how to cite it; `citation` is the whole citation where that was asked for."""

    value: Any
    source_text: str
    page: int | None
    bbox: list[float] | None
    confidence: float
    verified: bool
    citation_string: str
    citation: dict[str, Any] | None = None


class McpSearchResult(BaseModel):
    """One place: its values and their citations by field."""

    id: str
    document_id: str
    claim_id: str
    filename: str
    page: int
    data: dict[str, Any]
    fields: dict[str, Any]
    citations: dict[str, FieldCitation]
    summary: str
    text: str
    url: str


class McpContext(BaseModel):
    """What a model should know of the results."""

    query: str
    query_interpretation: str
    citation_format: str
    all_verified: bool
    confidence_summary: str


class McpSearchAnswer(BaseModel):
    """Results, and what a model should know of them."""

    results: list[McpSearchResult]
    total: int
    next_offset: int | None
    mcp_context: McpContext
    llm_context: dict[str, Any]


def published_answer(
    query: str, found: SearchAnswer, form: CitationFormat, *, is_full: bool, in_points: bool
) -> dict[str, Any]:
    """Return what a search found in the published shape; `is_full` puts whole citations beside the short."""
    return {
        "results": [_result(hit, form, is_full=is_full, in_points=in_points) for hit in found.results],
        "total": found.total,
        "next_offset": found.next_offset,
        "mcp_context": mcp_context(query, found, form),
        "llm_context": context_of(found),
    }


def mcp_context(query: str, found: SearchAnswer, form: CitationFormat) -> dict[str, Any]:
    """Return how to cite the results and how sure they are: of the values shown, cited or not."""
    cited = [citation for hit in found.results for citation in hit.citations]
    values = [view for hit in found.results for view in hit.fields]
    are_signed = all(citation.extraction.verified for citation in cited) and all(
        view.verified for view in values
    )
    high = sum(citation.extraction.confidence >= 0.8 for citation in cited)
    return {
        "query": query,
        "query_interpretation": context_of(found).get("query_interpretation", ""),
        "citation_format": f"Cite as: {_HOW_TO_CITE[form]}",
        "all_verified": bool(cited) and are_signed,
        "confidence_summary": f"{high} of {len(cited)} cited values have a confidence of 0.8 or more",
    }


def field_citation(
    cited: CitationObject, form: CitationFormat, *, is_full: bool, in_points: bool = False
) -> dict[str, Any]:
    """Return a citation as it stands under its field's name."""
    box = cited.source.bbox
    sides = None
    if box is not None:
        points = box_in_points(box)
        sides = (
            [points["x"], points["y"], points["width"], points["height"]]
            if in_points
            else [box.left, box.top, box.width, box.height]
        )
    return {
        "value": cited.field.value,
        "source_text": cited.source.text,
        "page": cited.source.page,
        "bbox": sides,
        "confidence": cited.extraction.confidence,
        "verified": cited.extraction.verified,
        "citation_string": getattr(cited.citation, form),
        "citation": full_citation(cited, in_points=in_points) if is_full else None,
    }


def _result(hit: SearchHit, form: CitationFormat, *, is_full: bool, in_points: bool) -> dict[str, Any]:
    values = {view.name: view.value for view in hit.fields}
    return {
        "id": f"{hit.document_id}:{hit.page}",
        "document_id": hit.document_id,
        "claim_id": hit.claim_id,
        "filename": hit.filename,
        "page": hit.page,
        "data": {"filename": hit.filename, **values},
        "fields": values,
        "citations": {
            c.field.name: field_citation(c, form, is_full=is_full, in_points=in_points) for c in hit.citations
        },
        "summary": summary_of(hit) or f"{hit.snippet} [{hit.filename}, p.{hit.page}]",
        "text": hit.snippet,
        "url": hit.url,
    }
