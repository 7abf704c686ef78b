"""The published MCP design's search routes, beside our own and over the same answers."""

from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import APIRouter, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field
from starlette.routing import Match
from starlette.types import Scope

from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.searches import MOST_RESULTS, search
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline.core.viewer.citation_objects import CitationFormat
from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.api.answers import ERRORS, answer_json, refusal_of
from citation_pipeline.serving.api.published_answers import BoxUnits, McpSearchAnswer, published_answer
from citation_pipeline.serving.api.search_routes import ClaimId

router = APIRouter(prefix="/api/mcp", tags=["agents"], responses=ERRORS)


class _AskedByQuery(APIRoute):
    """A route for requests whose parameter is called `query`, as published; ours is called `q`."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        names = {name for name, _ in parse_qsl(scope.get("query_string", b"").decode("latin-1"))}
        return super().matches(scope) if "query" in names and "q" not in names else (Match.NONE, {})


published_search = APIRouter(prefix="/api", route_class=_AskedByQuery, responses=ERRORS)


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
    answer = published_answer(
        wanted.query,
        found,
        wanted.citation_format,
        is_full=wanted.include_full_citations,
        in_points=wanted.bbox_units == "points",
    )
    return answer_json(request, answer)


@published_search.get("/search", response_model=McpSearchAnswer, include_in_schema=False)
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
