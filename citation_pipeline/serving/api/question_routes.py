"""Questions over HTTP, and how retrieval came to its answer for those who debug it."""

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.grounded_answers import Method, answer_question
from citation_pipeline.adapters.read_model.questions import retrieve
from citation_pipeline.adapters.read_model.shapes import QuestionAnswer
from citation_pipeline.core.claims import CLAIM_ID_PATTERN
from citation_pipeline.core.failures import PipelineError
from citation_pipeline.core.viewer.citation_objects import split_document_id
from citation_pipeline.serving.access import Reader
from citation_pipeline.serving.api.answers import ERRORS, answer_json, refusal_of
from citation_pipeline.serving.api.viewer_shapes import Retrieval, describes
from citation_pipeline.serving.errors import BusyError, NotAcceptableError, NotFoundError

router = APIRouter(tags=["agents"], responses=ERRORS)

_MOST_DEBUGGED = 25
DOCUMENT_ID = f"^{CLAIM_ID_PATTERN.pattern}:[^:/\\x00-\\x1f]+$"
"""CLAIM_ID:SOURCE_ID."""


class Asked(BaseModel):
    """A question to one claim, or to one document of it (`document_id` reads CLAIM_ID:SOURCE_ID)."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "When is the settlement conference?", "claim_id": "sample_claim"},
                {"question": "How much is the lien?", "document_id": "sample_claim:lien-los-cerritos"},
            ],
            "anyOf": [
                {"required": ["claim_id"], "properties": {"claim_id": {"type": "string"}}},
                {"required": ["document_id"], "properties": {"document_id": {"type": "string"}}},
            ],
        },
    )

    question: str = Field(min_length=1, max_length=1_000)
    claim_id: Annotated[str, Field(pattern=f"^{CLAIM_ID_PATTERN.pattern}$")] | None = None
    document_id: Annotated[str, Field(pattern=DOCUMENT_ID, max_length=420)] | None = None
    method: Method = "auto"

    def scope(self) -> tuple[str, str | None]:
        """Return claim id and source id; raises NotAcceptableError."""
        if self.document_id is not None:
            try:
                claim_id, source_id = split_document_id(self.document_id)
            except ValueError as error:
                raise NotAcceptableError("no_scope", "A document id reads CLAIM_ID:SOURCE_ID.") from error
            if self.claim_id not in (None, claim_id):
                raise NotFoundError("no_such_document", "The document is not one of that claim.")
            return claim_id, source_id
        if self.claim_id is None:
            raise NotAcceptableError(
                "no_scope",
                "Name a claim or a document to ask.",
                "Send claim_id or document_id.",
                details=[
                    {"field": "claim_id", "reason": "neither claim_id nor document_id", "remedy": "send one"}
                ],
            )
        return self.claim_id, None


@router.post("/ask", response_model=QuestionAnswer)
def ask_question(request: Request, asked: Asked, person: Reader) -> Response:
    """Answer from the documents' words with resolved citations, or say "Not found in document." exactly."""
    claim_id, source_id = asked.scope()
    _take(request, person.key)
    try:
        answer = answer_question(
            request.app.state.read_model,
            asked.question,
            claim_id=claim_id,
            source_id=source_id,
            answerer=request.app.state.answerer,
            method=asked.method,
        )
    except PipelineError as error:
        raise refusal_of(error) from error
    return answer_json(request, answer)


@router.post("/api/ask/debug", response_model=None, responses=describes(Retrieval))
def debug_question(request: Request, asked: Asked, person: Reader) -> dict[str, Any]:
    """Return the raw hits of retrieval and the statements as they were ranked."""
    claim_id, source_id = asked.scope()
    _take(request, person.key)
    try:
        found = retrieve(request.app.state.read_model, asked.question, claim_id=claim_id, source_id=source_id)
    except UnknownClaimError as error:
        raise refusal_of(error) from error
    return {
        "terms": list(found.question.terms),
        "kind": found.question.kind,
        "retrieved": [
            {
                "sourceId": hit.source_id,
                "page": hit.page,
                "kind": hit.kind,
                "score": round(hit.score, 5),
                "places": dict(hit.places),
                "text": hit.text[:300],
            }
            for hit in found.hits[:_MOST_DEBUGGED]
        ],
        "reranked": [
            {
                "sourceId": evidence.statement.source_id,
                "page": evidence.statement.page,
                "kind": evidence.statement.kind,
                "text": evidence.statement.quote[:300],
                "score": round(evidence.score, 4),
                "coverage": round(evidence.coverage, 4),
                "quoted": round(evidence.quoted, 4),
                "missed": round(evidence.missed, 4),
                "field": evidence.field_key or None,
                "nearMiss": evidence.near_miss or None,
            }
            for evidence in found.ranked[:_MOST_DEBUGGED]
        ],
    }


def _take(request: Request, key: str) -> None:
    wait = request.app.state.asks.take(key)
    if wait:
        raise BusyError("too_many_questions", "Too many questions at once.", retry_after=int(wait) + 1)
