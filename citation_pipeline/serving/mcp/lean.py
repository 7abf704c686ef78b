"""The read model's answers as an agent pays for them: every text once, no empty members, a page at a time.

An answer's JSON stays below `MOST_CHARACTERS`; it is sent twice (as text and as structured content), so a
default answer costs at most some 4,000 tokens. What is cut off is counted, and `next_offset` continues there.
"""

import dataclasses
from dataclasses import asdict, dataclass
from typing import Any

from citation_pipeline.adapters.read_model.shapes import (
    AggregateAnswer,
    AnswerSource,
    CitationCheck,
    FieldView,
    ProvenanceAnswer,
    QuestionAnswer,
    SearchAnswer,
    SearchHit,
)
from citation_pipeline.core.viewer.citation_objects import CitationFormat, CitationObject, PageBox
from citation_pipeline.core.viewer.sureness import LOW, word_for
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
class SearchResult:
    """Results of a search; `next_offset` is there when more follow."""

    total: int
    offset: int
    results: list[Json]
    summary: str
    query_interpretation: Json
    llm_context: Json
    next_offset: int | None = None
    claims_without_value: int | None = None


@dataclass(frozen=True, slots=True)
class ProvenanceResult:
    """Where a value comes from; `full_citation` has the words around it, `citations` all places."""

    claim_id: str
    field: str
    label: str
    value: Any
    type: str
    status: str
    citations: list[Json]
    history: list[Json]
    url: str
    full_citation: Json | None = None
    extraction_history: list[Json] = dataclasses.field(default_factory=list)
    source_document_url: str | None = None
    source_location_url: str | None = None
    unlocated: list[str] = dataclasses.field(default_factory=list)
    confidence: float | None = None
    verified: bool = False
    review_state: str = "unreviewed"
    absence_confidence: float | None = None
    absence_note: str | None = None


def absence_note(confidence: float | None) -> Json:
    """Say that a reader which misses much found nothing: an agent must not call the documents silent."""
    if confidence is None:
        return {}
    missed = round(100 * (1 - confidence))
    note = (
        f"not found by rules; of 100 such fields {missed} are in the documents: use search_documents or ask"
    )
    return {"absence_confidence": confidence, "absence_note": note}


def review_of(view: FieldView) -> Json:
    """Return what an agent has to know of a value that somebody signed for, but that is not verified now."""
    if view.review_state == "awaiting_second":
        return {"review_state": view.review_state}
    if view.review_state != "needs_review":
        return {}
    return {
        "review_state": view.review_state,
        "verified_value": short(view.verified_value, MOST_VALUE),
        "current_value": short(view.current_value, MOST_VALUE),
    }


def lean_citation(cited: CitationObject, form: CitationFormat = "short", *, with_text: bool = True) -> Json:
    """Return a citation without the words around it, in one form."""
    return {
        "field": {
            "name": cited.field.name,
            "value": short(cited.field.value, MOST_VALUE),
            "type": cited.field.type,
        },
        "source": without_empty(
            {
                "document_id": cited.source.document_id,
                "filename": cited.source.filename,
                "page": cited.source.page,
                "bbox": box_of(cited.source.bbox),
                "text": short(cited.source.text) if with_text and form != "long" else None,
            }
        ),
        "extraction": _lean_extraction(cited),
        "citation": {form: getattr(cited.citation, form)},
        "url": cited.urls.place,
    }  # fmt: skip


def _lean_extraction(cited: CitationObject) -> Json:
    made = without_empty(asdict(cited.extraction))
    if cited.extraction.match_confidence == cited.extraction.confidence:
        made.pop("match_confidence", None)
    told: Json = made | {"confidence": cited.extraction.confidence, "verified": cited.extraction.verified}
    return told


def full_citation(cited: CitationObject, *, in_points: bool = False) -> Json:
    """Return a citation with the words around it and its three forms; with `in_points` its box has `x` and
    `y` from the page's top left, width and height in points, as the published design has them."""
    made = asdict(cited)
    if in_points and cited.source.bbox is not None:
        made["source"]["bbox"] = box_in_points(cited.source.bbox)
    made["source"]["text"] = short(cited.source.text)
    made["source"]["context"] = {
        "before": made["source"].pop("context_before"),
        "after": made["source"].pop("context_after"),
    }
    made["citation"]["long"] = short(made["citation"]["long"])
    made["field"]["value"] = short(made["field"]["value"], MOST_VALUE)
    return made


def box_in_points(box: PageBox) -> Json:
    """Return a box in points of the page as displayed, from its top left."""
    return {
        "x": round(box.left * box.page_width, 2),
        "y": round(box.top * box.page_height, 2),
        "width": round(box.width * box.page_width, 2),
        "height": round(box.height * box.page_height, 2),
        "page_width": box.page_width,
        "page_height": box.page_height,
    }


def lean_search(answer: SearchAnswer, form: CitationFormat) -> SearchResult:
    """Return a page of results that fits; the next page begins after the last that did."""
    results = [_lean_hit(hit, form) for hit in answer.results]
    understood = understood_of(answer)
    context = context_of(answer)
    kept = fit(results, MOST_CHARACTERS - size_of(understood) - size_of(context) - 400)
    reached = answer.offset + len(kept)
    counted = f"{answer.total} found; {len(kept)} shown." if answer.total else "Nothing was found."
    return SearchResult(
        total=answer.total,
        offset=answer.offset,
        results=kept,
        summary=" ".join([counted, *(f"{note}." for note in answer.notes)]),
        query_interpretation=understood,
        llm_context=context,
        next_offset=reached if reached < answer.total else None,
        claims_without_value=answer.claims_without_value if answer.where else None,
    )


def understood_of(answer: SearchAnswer | AggregateAnswer) -> Json:
    """Return how a query was read, with how its conditions are joined."""
    made: Json = without_empty(asdict(answer.query_interpretation) | {"expression": answer.where})
    return made


def _lean_hit(hit: SearchHit, form: CitationFormat) -> Json:
    citations = [lean_citation(cited, form) for cited in hit.citations[:2]]
    # a claim that was found for what it lacks has no place
    is_placed = bool(hit.fields) or hit.retrieval.places.keys() != {"conditions"}
    made: Json = without_empty(
        {
            "document_id": hit.document_id,
            "claim_id": hit.claim_id,
            "filename": hit.filename,
            "page": hit.page if is_placed else None,
            "snippet": hit.snippet if not _is_said(hit, form) else None,
            "citation": f"[{hit.filename}, p.{hit.page}]" if not citations and is_placed else None,
            "summary": summary_of(hit),
            "fields": [
                {
                    "name": view.name,
                    "label": view.label,
                    "value": short(view.value, MOST_VALUE),
                    "confidence": view.confidence,
                    "verified": view.verified,
                    **review_of(view),
                }
                for view in hit.fields
            ],
            "citations": citations,
            "url": hit.url,
        }
    )
    return made


def _is_said(hit: SearchHit, form: CitationFormat) -> bool:
    """Tell whether a citation says the snippet already."""
    said = " ".join(hit.snippet.split())
    return form != "academic" and any(said in " ".join(c.source.text.split()) for c in hit.citations[:2])


def summary_of(hit: SearchHit) -> str:
    """Return a result in a sentence with its citation: `Total Paid: 5200 [Ledger.pdf, p.2]`."""
    said = "; ".join(f"{view.label}: {short(view.value, 80)}{_caveat_of(view)}" for view in hit.fields[:3])
    return f"{said} [{hit.filename}, p.{hit.page}]" if said else ""


def _caveat_of(view: FieldView) -> str:
    """Return what has to be said with a value wherever it is repeated."""
    if view.review_state in _CAVEATS:
        return _CAVEATS[view.review_state]
    is_doubted = view.confidence is not None and word_for(view.confidence) == LOW
    return " (in doubt)" if is_doubted and not view.verified else ""


_CAVEATS = {"needs_review": " (needs review)", "awaiting_second": " (awaits a second reviewer)"}


def context_of(answer: SearchAnswer) -> Json:
    """Return how the query was read, how sure its results are, and an answer to start from."""
    understood = answer.query_interpretation
    cited = [c for hit in answer.results for c in hit.citations]
    verified = sum(c.extraction.verified for c in cited)
    if not answer.results:
        note, suggested = "", " ".join(["Nothing was found.", *(f"{said}." for said in answer.notes)])
    else:
        note = f"{verified} of {len(cited)} citations were verified by a person." if cited else ""
        first = summary_of(answer.results[0])
        suggested = f"Found {answer.total}. First: {first}" if first else f"Found {answer.total}."
        if answer.claims_without_value:
            note = " ".join([note, *(f"{said}." for said in answer.notes)]).strip()
    asked = answer.where or f"words: {understood.text}"
    if answer.sorting is not None:
        way = "descending" if answer.sorting.descending else "ascending"
        asked += f"; ordered by {answer.sorting.field} {way}"
    made: Json = without_empty(
        {
            "query_interpretation": asked,
            "confidence_note": note,
            "suggested_answer": short(suggested, 300),
        }
    )
    return made


def lean_provenance(answer: ProvenanceAnswer, *, document_id: str | None = None) -> ProvenanceResult:
    """Return a field's provenance; the citations of a document that was named come first."""
    cited = sorted(
        answer.citations, key=lambda c: c.source.document_id != (document_id or c.source.document_id)
    )
    first = cited[0] if cited else None
    history = [without_empty(asdict(entry)) for entry in answer.history][-8:]
    whole = full_citation(first) if first is not None else None
    room = MOST_CHARACTERS - 600 - size_of(whole) - 2 * size_of(history)
    return ProvenanceResult(
        claim_id=answer.claim_id,
        field=answer.field,
        label=answer.label,
        value=short(answer.value, 1_500),
        type=answer.type,
        status=answer.status,
        citations=fit([lean_citation(c) for c in cited], room),
        history=history,
        url=answer.url,
        full_citation=whole,
        extraction_history=[
            without_empty(
                {
                    "timestamp": entry.get("at"),
                    "method": _method_of(entry),
                    "value": entry.get("value"),
                    "confidence": entry.get("confidence"),
                    "verified_by": entry.get("by") if _is_signature(entry) else None,
                    "notes": entry.get("notes"),
                }
            )
            for entry in history
        ],
        source_document_url=first.urls.document if first is not None else None,
        source_location_url=first.urls.page_pdf if first is not None else None,
        unlocated=[short(text, 200) for text in answer.unlocated[:5]],
        confidence=answer.confidence,
        verified=answer.verified,
        review_state=answer.review_state,
        **absence_note(answer.absence_confidence),
    )  # fmt: skip


def _is_signature(entry: Json) -> bool:
    """Tell whether an event of a field's history is a signature: a remark or a retraction is none."""
    return entry.get("kind") == "review" and entry.get("status") in ("confirm", "correct")


def _method_of(entry: Json) -> Any:
    if entry.get("kind") != "review":
        return entry.get("by")
    return "manual_verification" if _is_signature(entry) else f"review_{entry.get('status')}"


def lean_question(answer: QuestionAnswer) -> Json:
    """Return an answer with its places; each quotation is there once."""
    made = {
        name: getattr(answer, name)
        for name in answer.__dataclass_fields__
        if name not in ("llm_context", "sources", "near_misses")
    }
    made = {
        name: asdict(value) if hasattr(value, "__dataclass_fields__") else value
        for name, value in made.items()
    }
    made["sentences"] = [asdict(sentence) for sentence in answer.sentences]
    made["sources"] = fit([_lean_source(source) for source in answer.sources[:4]], MOST_CHARACTERS - 2_400)
    made["near_misses"] = fit([_lean_source(source) for source in answer.near_misses[:3]], 1_500)
    kept = without_empty({k: v for k, v in made.items() if k not in ("sources", "near_misses", "sentences")})
    if not answer.near_misses:
        made["near_misses"] = []
    return {
        **kept,
        "found": answer.found,
        "sources": made["sources"],
        "near_misses": made["near_misses"],
        "sentences": made["sentences"],
    }  # fmt: skip


def _lean_source(source: AnswerSource) -> Json:
    made = {
        name: getattr(source, name)
        for name in source.__dataclass_fields__
        if name not in ("citation", "regions", "quote")
    }
    cited = lean_citation(source.citation, with_text=False)
    told: Json = without_empty(
        {
            **made,
            "quote": short(source.quote),
            "citation": {"citation": cited["citation"], "url": cited["url"]},
            "regions": [box_of(region) for region in source.regions[:4]],
        }
    )
    return told


def lean_check(check: CitationCheck) -> Json:
    """Return a check with the place that was found."""
    made = asdict(check)
    made["found"] = lean_citation(check.found) if check.found is not None else None
    made["not_checked"] = list(check.not_checked)
    return made
