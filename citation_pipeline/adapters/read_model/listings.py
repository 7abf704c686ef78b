"""Claims in lists, and one claim with its documents and fields."""

from collections.abc import Mapping
from typing import Any

from citation_pipeline.adapters.read_model.callers import CALLER
from citation_pipeline.adapters.read_model.claims import ClaimState
from citation_pipeline.adapters.read_model.held_sets import held_promotion
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.search_results import view_field
from citation_pipeline.adapters.read_model.shapes import (
    ClaimAnswer,
    ClaimsAnswer,
    ClaimView,
    DocumentView,
    IssueView,
)
from citation_pipeline.core.viewer.citation_objects import CitationFormat, citation_urls, document_id_of
from citation_pipeline.core.viewer.summaries import summarize


def list_claims(model: ReadModel, *, query: str = "", offset: int = 0, limit: int = 50) -> ClaimsAnswer:
    """Return finished claims whose id holds a text, a page at a time."""
    model.refresh()
    pattern = "%" + query.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    with model.file.reading() as connection:
        rows = connection.execute(
            "SELECT claim_id FROM claims WHERE claim_id LIKE ? ESCAPE '\\' ORDER BY claim_id", (pattern,)
        ).fetchall()
    seen = [row[0] for row in rows if CALLER.get().may_see(row[0])]
    total, ids = len(seen), seen[offset : offset + limit]
    claims = [view_claim(model, model.claims.state(claim_id)) for claim_id in ids]
    more = offset + limit < total
    return ClaimsAnswer(total, offset, offset + limit if more else None, claims)


def get_claim(model: ReadModel, claim_id: str, *, citation_format: CitationFormat = "short") -> ClaimAnswer:
    """Return a claim's documents and fields; raises UnknownClaimError."""
    state = model.claims.state(claim_id)
    documents = [
        DocumentView(
            document_id=document_id_of(claim_id, source["id"]),
            filename=source["file"],
            pages=source["pageCount"],
            status=source.get("status") or "parsed",
            url=citation_urls(claim_id, source["id"], page=None, bbox=None, root=model.root_url).document,
        )
        for source in state.dataset["sources"]
    ]
    return ClaimAnswer(
        claim=view_claim(model, state),
        documents=documents,
        fields=[view_field(state, field, citation_format) for field in state.fields.values()],
        absent_fields=[entry["fieldKey"] for entry in state.dataset["absentFields"]],
        absence_confidence=min(
            (one["absenceConfidence"] for one in state.dataset["absentFields"] if "absenceConfidence" in one),
            default=None,
        ),
        unread_fields=[entry["fieldKey"] for entry in state.dataset.get("unreadFields", ())],
        issues=[_issue(claim_id, issue) for issue in state.dataset.get("issues", ())],
    )


def _issue(claim_id: str, issue: Mapping[str, Any]) -> IssueView:
    source_id = issue.get("sourceId")
    return IssueView(
        code=issue["code"],
        severity=issue["severity"],
        message=issue["message"],
        field=issue.get("fieldKey"),
        document_id=document_id_of(claim_id, source_id) if source_id else None,
        pages=issue.get("pages") or (),
    )


def view_claim(model: ReadModel, state: ClaimState) -> ClaimView:
    """Return a claim's line in a list."""
    counts = summarize(state.dataset)
    return ClaimView(
        claim_id=state.claim_id,
        state="partial" if counts.is_partial else "ready",
        documents=counts.documents,
        unread=counts.unread,
        pages=counts.pages,
        fields=counts.fields,
        reviewed=counts.reviewed,
        unresolved=counts.unresolved,
        url=f"{model.root_url}/claims/{state.claim_id}",
        held=held_promotion(model.store, model.claims.verifications.url, state.claim_id) is not None,
    )
