"""Search, provenance, aggregates and the check of citations over HTTP."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.read_model.checks import check_citation
from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.listings import get_claim
from citation_pipeline.adapters.read_model.provenance import trace
from citation_pipeline.adapters.read_model.searches import MOST_RESULTS, search
from citation_pipeline.adapters.read_model.shapes import (
    AggregateAnswer,
    CitationCheck,
    ClaimAnswer,
    ProvenanceAnswer,
    SearchAnswer,
)
from citation_pipeline.adapters.read_model.totals import aggregate_field
from citation_pipeline.core.claims import CLAIM_ID_PATTERN
from citation_pipeline.core.retrieval.aggregates import Operation
from citation_pipeline.core.retrieval.conditions.condition import NotUnderstoodError
from citation_pipeline.core.viewer.citation_objects import CitationFormat, split_document_id
from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.api.answers import ERRORS, UNCHANGED, answer_json, refusal_of
from citation_pipeline.serving.errors import NotFoundError

router = APIRouter(prefix="/api", tags=["agents"], responses=ERRORS)

_CLAIM = CLAIM_ID_PATTERN.pattern
ClaimId = Annotated[str, Field(pattern=f"^{_CLAIM}$", examples=["sample_claim"])]
FieldName = Annotated[str, Field(min_length=1, max_length=400, examples=["temporary_disability.weekly_rate"])]


Side = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]


class SearchRequest(BaseModel):
    """A search; words, identifiers and conditions such as "liens over $10,000" all go into `query`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"query": "liens over $10,000", "include_citations": True, "limit": 5}]
        },
    )

    query: str = Field(min_length=1, max_length=1_000)
    include_citations: bool = Field(default=True, strict=True)
    citation_format: CitationFormat = "short"
    claim_ids: list[ClaimId] | None = Field(default=None, max_length=1_000)
    limit: int = Field(default=10, strict=True, ge=1, le=MOST_RESULTS)
    offset: int = Field(default=0, strict=True, ge=0, le=10_000)


class AggregateRequest(BaseModel):
    """An aggregate over one field of many claims."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"operation": "sum", "field": "payments.total_paid", "where": "claim status is open"},
                {
                    "operation": "average",
                    "field": "reserves.total_incurred",
                    "group_by": "metadata.claim_status",
                },
            ]
        },
    )

    operation: Operation
    field: FieldName
    where: str = Field(default="", max_length=1_000)
    claim_ids: list[ClaimId] | None = Field(default=None, max_length=10_000)
    group_by: FieldName | None = None


class CheckRequest(BaseModel):
    """A quoted text and where it is said to be; `bbox` is left, top, width, height in 0-1."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"document_id": "sample_claim:payhist", "text": "All payments to date $61,247.11", "page": 3}
            ]
        },
    )

    document_id: str = Field(min_length=3, max_length=420)
    text: str = Field(min_length=1, max_length=5_000)
    page: int | None = Field(default=None, strict=True, ge=1, le=1_000_000)
    bbox: tuple[Side, Side, Side, Side] | None = None
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")


def _answer(request: Request, make: Any) -> Response:
    try:
        return answer_json(request, make(request.app.state.read_model))
    except (UnknownClaimError, NotUnderstoodError) as error:
        raise refusal_of(error) from error


@router.get("/search", response_model=SearchAnswer, responses=UNCHANGED)
def search_by_get(
    request: Request,
    person: Reader,
    q: Annotated[
        str,
        Query(
            min_length=1,
            max_length=1_000,
            description="words, identifiers, and conditions such as `total incurred over 50000`",
            openapi_examples={
                "condition": {"value": "liens over $10,000"},
                "identifier": {"value": "ADJ20418836"},
                "words": {"value": "hyaluronic acid injections"},
            },
        ),
    ],
    include_citations: bool = True,
    citation_format: CitationFormat = "short",
    claim_id: Annotated[str | None, Query(pattern=f"^{_CLAIM}$")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_RESULTS)] = 10,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> Response:
    """Search all claims, or one; the answer says how the query was understood."""
    return _answer(
        request,
        lambda model: search(
            model,
            q,
            include_citations=include_citations,
            citation_format=citation_format,
            claim_ids=[claim_id] if claim_id else None,
            limit=limit,
            offset=offset,
        ),
    )


@router.post("/search", response_model=SearchAnswer)
def search_by_post(request: Request, wanted: SearchRequest, person: Reader) -> Response:
    """Search with the query in the body, which no log of addresses keeps."""
    return _answer(
        request,
        lambda model: search(
            model,
            wanted.query,
            include_citations=wanted.include_citations,
            citation_format=wanted.citation_format,
            claim_ids=wanted.claim_ids,
            limit=wanted.limit,
            offset=wanted.offset,
        ),
    )


@router.get("/mcp/citations/{document}/{field}", response_model=ProvenanceAnswer, responses=UNCHANGED)
def read_citations(request: Request, document: str, field: str, person: Reader) -> Response:
    """Return a field's provenance with the citations that are in one document (`CLAIM_ID:SOURCE_ID`)."""
    try:
        claim_id, _ = split_document_id(document)
    except ValueError as error:
        raise NotFoundError("no_such_document", "A document id reads CLAIM_ID:SOURCE_ID.") from error

    def make(model: Any) -> ProvenanceAnswer:
        found = trace(model, claim_id, field)
        here = [cited for cited in found.citations if cited.source.document_id == document]
        if not here:
            raise UnknownClaimError("no citation of that field stands in that document")
        return ProvenanceAnswer(
            **{name: getattr(found, name) for name in found.__dataclass_fields__ if name != "citations"},
            citations=here,
        )

    return _answer(request, make)


@router.get("/claims/{claim_id}/fields", response_model=ClaimAnswer, responses=UNCHANGED)
def read_fields(
    request: Request, claim_id: str, person: Reader, citation_format: CitationFormat = "short"
) -> Response:
    """Return a claim's documents and the fields that have a value, each with its citation."""
    return _answer(request, lambda model: get_claim(model, claim_id, citation_format=citation_format))


@router.get("/claims/{claim_id}/fields/{field}", response_model=ProvenanceAnswer, responses=UNCHANGED)
def read_field(request: Request, claim_id: str, field: str, person: Reader) -> Response:
    """Return a field's value, all its citations, and everything that happened to it."""
    return _answer(request, lambda model: trace(model, claim_id, field))


@router.post("/aggregates", response_model=AggregateAnswer)
def aggregate_claims(request: Request, wanted: AggregateRequest, person: Reader) -> Response:
    """Return a sum, count, average, minimum or maximum over many claims, every operand cited."""
    return _answer(
        request,
        lambda model: aggregate_field(
            model,
            wanted.operation,
            wanted.field,
            where=wanted.where,
            claim_ids=wanted.claim_ids,
            group_by=wanted.group_by,
        ),
    )


@router.post("/citations/check", response_model=CitationCheck)
def check(request: Request, wanted: CheckRequest, person: Reader) -> Response:
    """Tell whether a quoted text still is where it is said to be: verified, drifted, turned and so on."""
    return _answer(
        request,
        lambda model: check_citation(
            model,
            wanted.document_id,
            wanted.text,
            page=wanted.page,
            bbox=wanted.bbox,
            sha256=wanted.sha256,
        ),
    )
