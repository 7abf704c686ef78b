"""An aggregate as an agent pays for it: the groups, and a page of the places that were counted."""

from dataclasses import dataclass

from citation_pipeline.adapters.read_model.shapes import AggregateAnswer, AggregateView, OperandView
from citation_pipeline.core.viewer.sureness import HIGH, MEDIUM, word_for
from citation_pipeline.serving.mcp.lean import understood_of
from citation_pipeline.serving.mcp.trimming import (
    MOST_CHARACTERS,
    MOST_VALUE,
    Json,
    box_of,
    fit,
    short,
    size_of,
    without_empty,
)


@dataclass(frozen=True, slots=True)
class AggregateResult:
    """An aggregate; `groups` has one entry without a grouping, `sources` the operands' places."""

    operation: str
    field: str
    label: str
    groups: list[Json]
    sources: list[Json]
    aggregation: Json
    summary: str
    llm_summary: Json
    query_interpretation: Json
    total_sources: int
    next_offset: int | None = None


def lean_aggregate(answer: AggregateAnswer, *, limit: int, offset: int) -> AggregateResult:
    """Return an aggregate with a page of its operands' places; the result counts all of them."""
    operands = [(view, operand) for view in answer.groups for operand in view.operands]
    sources = [_source_of(view, operand) for view, operand in operands[offset : offset + limit]]
    summary = answer.summary
    understood = understood_of(answer) if answer.where else {}
    groups = fit([_group_of(view) for view in answer.groups], 2_500)
    kept = fit(sources, MOST_CHARACTERS - 900 - size_of(groups) - size_of(understood))
    reached = offset + len(kept)
    confidences = [operand.confidence for _, operand in operands]
    # a total that leaves some of the values out is nobody's verified total, however sure the others are
    is_whole = bool(operands) and not any(view.excluded for view in answer.groups)
    is_whole = is_whole and not answer.claims_unsettled
    verified = is_whole and all(operand.verified for _, operand in operands)
    least = min(confidences, default=0.0)
    only = answer.groups[0] if len(answer.groups) == 1 else None
    return AggregateResult(
        operation=answer.operation,
        field=answer.field,
        label=answer.label,
        groups=groups,
        sources=kept,
        aggregation={
            "type": answer.operation,
            "field": answer.field,
            "result": only.value if only is not None else None,
            "count": len(operands),
            "excluded": sum(len(view.excluded) for view in answer.groups),
            "claims_without_value": answer.claims_without_value,
            "claims_unsettled": answer.claims_unsettled,
        },
        summary=short(summary, 600),
        llm_summary={
            "answer": short(summary, 300),
            "confidence": _word_for(least, is_whole=is_whole),
            "all_verified": verified,
            "citations": list(dict.fromkeys(o.citation for _, o in operands if o.citation))[:5],
        },
        query_interpretation=understood,
        total_sources=len(operands),
        next_offset=reached if reached < len(operands) else None,
    )


def _word_for(least: float, *, is_whole: bool) -> str:
    word = word_for(least)
    return MEDIUM if word == HIGH and not is_whole else word


def _changed_operands(view: AggregateView) -> Json:
    """Return the operands that were left out because they changed after somebody signed for them."""
    changed = [
        {
            "claim_id": operand.claim_id,
            "verified_value": operand.verified_value,
            "current_value": operand.current_value,
        }
        for operand in view.excluded
        if operand.needs_review
    ]
    return {"needs_review": fit(changed, 600), "total_needs_review": len(changed)} if changed else {}


def _group_of(view: AggregateView) -> Json:
    said: Json = without_empty({"group": view.group, "note": view.note})
    counts = {"value": view.value, "count": len(view.operands), "excluded": len(view.excluded)}
    return said | counts | _changed_operands(view)


def _source_of(view: AggregateView, operand: OperandView) -> Json:
    said: Json = without_empty(
        {
            "document_id": operand.document_id,
            "claim_id": operand.claim_id,
            "group": view.group,
            "value": short(operand.value, MOST_VALUE),
            "citation": operand.citation,
            "page": operand.page,
            "bbox": box_of(operand.bbox),
            "url": operand.url,
            "confidence": operand.confidence if not operand.verified else None,
            "verified": operand.verified or None,
        }
    )
    return said
