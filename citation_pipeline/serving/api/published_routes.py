"""Search in the shape of the published MCP design: values and citations by field, ready to quote.

Beside our own routes, over the same answers: `citations` maps a field's name to its citation here, and
`mcp_context` says how to cite and how sure the results are.
"""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.searches import MOST_RESULTS, search
from citation_pipeline.adapters.read_model.shapes import SearchAnswer, SearchHit
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline.core.viewer.citation_objects import CitationFormat, CitationObject
from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.api.answers import ERRORS, answer_json, refusal_of
from citation_pipeline.serving.api.search_routes import ClaimId
from citation_pipeline.serving.mcp.lean import box_in_points, context_of, full_citation, summary_of

router = APIRouter(prefix="/api/mcp", tags=["agents"], responses=ERRORS)

BoxUnits = Literal["page", "points"]

_HOW_TO_CITE = {
    "short": "[filename, p.X]",
    "long": 'filename, Page X: "…"',
    "academic": "filename (Page X, …)",
}


class McpSearchRequest(BaseModel):
    """A search; without `include_full_citations` each citation is in short.

    `bbox_units` are "page" (left, top, width, height in 0-1) or "points" of the page as displayed.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"query": "liens over $10,000", "include_full_citations": True}]},
    )

    query: str = Field(min_length=1, max_length=1_000)
    include_full_citations: bool = Field(default=True, strict=True)
    citation_format: CitationFormat = "long"
    bbox_units: BoxUnits = "page"
    claim_ids: list[ClaimId] | None = Field(default=None, max_length=1_000)
    limit: int = Field(default=10, strict=True, ge=1, le=MOST_RESULTS)
    offset: int = Field(default=0, strict=True, ge=0, le=10_000)


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


@router.post("/search", response_model=McpSearchAnswer)
def search_for_agents(request: Request, wanted: McpSearchRequest, person: Reader) -> Response:
    """Search with citations by field that are ready to quote."""
    try:
        found = search(
            request.app.state.read_model,
            wanted.query,
            citation_format=wanted.citation_format,
            claim_ids=wanted.claim_ids,
            limit=wanted.limit,
            offset=wanted.offset,
        )
    except (UnknownClaimError, NotUnderstoodError) as error:
        raise refusal_of(error) from error
    context = context_of(found)
    answer = {
        "results": [
            _result(
                hit,
                wanted.citation_format,
                is_full=wanted.include_full_citations,
                in_points=wanted.bbox_units == "points",
            )
            for hit in found.results
        ],
        "total": found.total,
        "next_offset": found.next_offset,
        "mcp_context": mcp_context(wanted.query, found, wanted.citation_format),
        "llm_context": context,
    }
    return answer_json(request, answer)


@router.get("/search", response_model=McpSearchAnswer)
def read_search_for_agents(
    request: Request,
    person: Reader,
    query: Annotated[str, Query(min_length=1, max_length=1_000)],
    include_citations: bool = True,
    citation_format: CitationFormat = "short",
    bbox_units: BoxUnits = "page",
) -> Response:
    """Search with citations by field; whole citations beside them unless `include_citations` is false."""
    wanted = McpSearchRequest(
        query=query,
        include_full_citations=include_citations,
        citation_format=citation_format,
        bbox_units=bbox_units,
    )
    return search_for_agents(request, wanted, person)


def mcp_context(query: str, found: SearchAnswer, form: CitationFormat) -> dict[str, Any]:
    """Return how to cite the results and how sure they are."""
    cited = [citation for hit in found.results for citation in hit.citations]
    high = sum(citation.extraction.confidence >= 0.8 for citation in cited)
    return {
        "query": query,
        "query_interpretation": context_of(found).get("query_interpretation", ""),
        "citation_format": f"Cite as: {_HOW_TO_CITE[form]}",
        "all_verified": bool(cited) and all(citation.extraction.verified for citation in cited),
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
