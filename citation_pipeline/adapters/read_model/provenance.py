"""Where a field's value comes from, and everything that happened to it: runs and people's reviews."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from citation_pipeline.adapters.read_model.citing import cite_field
from citation_pipeline.adapters.read_model.claims import UnknownClaimError
from citation_pipeline.adapters.read_model.model import ReadModel
from citation_pipeline.adapters.read_model.shapes import HistoryView, ProvenanceAnswer
from citation_pipeline.adapters.search_index.chunk_hits import text_around
from citation_pipeline.adapters.tables.chunk_rows import read_history
from citation_pipeline.core.retrieval.terms import term_set
from citation_pipeline.core.review.overlay import settled
from citation_pipeline.core.review.standing import is_verified
from citation_pipeline.core.viewer.citation_objects import CitationObject, citation_urls
from citation_pipeline.core.viewer.sureness import confidence_of


def trace(model: ReadModel, claim_id: str, field: str) -> ProvenanceAnswer:
    """Return a field's provenance; `field` is its key or its label. Raises UnknownClaimError."""
    state = model.claims.state(claim_id)
    found = find_field(state.dataset, field)
    model.refresh()
    with model.file.reading() as connection:
        citations = [
            cite_field(
                state,
                found,
                citation,
                text=partial(text_around, connection, claim_id, citation["sourceId"]),
                root=model.root_url,
            )
            for citation in found["citations"]
        ]
    key = found["fieldKey"]
    history = _history(model, claim_id, found, citations)
    first = citations[0] if citations else None
    return ProvenanceAnswer(
        claim_id=claim_id,
        field=key,
        label=found["label"],
        value=found.get("rawValue", found["value"] or None),
        type=found.get("valueType", "string"),
        status=found.get("status", "absent"),
        citations=citations,
        unlocated=[citation.get("snippet", "") for citation in found.get("unresolvedCitations", ())],
        history=history,
        confidence=confidence_of(found),
        confidence_parts=(found.get("fieldConfidence") or {}).get("parts"),
        verified=is_verified(found),
        review_state=(found.get("review") or {}).get("state", "unreviewed"),
        absence_confidence=found.get("absenceConfidence"),
        url=first.urls.place
        if first
        else citation_urls(claim_id, "", page=None, bbox=None, field_key=key, root=model.root_url).place,
    )


def _history(
    model: ReadModel, claim_id: str, found: Mapping[str, Any], citations: Sequence[CitationObject]
) -> list[HistoryView]:
    """Return what runs and people said of a field, oldest first."""
    key = found["fieldKey"]
    runs = [
        HistoryView(
            at=entry.recorded_at,
            kind="extraction",
            by=entry.model,
            value=json.loads(entry.value),
            status=entry.status,
            page=entry.page,
        )
        for entry in read_history(model.store, claim_id)
        if entry.field_key == key
    ]
    if runs and runs[-1].value == found.get("rawValue") and citations:
        # what the last run said is what is cited now; older confidences were not kept
        fitted = confidence_of(found)
        match = citations[0].extraction.match_confidence
        runs[-1] = replace(runs[-1], confidence=match if fitted is None else fitted)
    reviews = [
        HistoryView(
            at=event.made_at,
            kind="review",
            by=event.reviewer,
            value=event.value if event.value is not None else event.seen_value,
            status=event.action.value,
            page=event.places[0].page if event.places else None,
            notes=event.comment,
        )
        for event in model.claims.verifications.history(claim_id, key)
    ]
    return sorted([*runs, *reviews], key=lambda entry: entry.at)


def find_field(dataset: Any, field: str) -> Any:
    """Return a field of a dataset by its key or its label, the absent ones too; raises UnknownClaimError."""
    shown = settled(dataset)
    entries = [*shown["fields"], *shown["absentFields"], *shown.get("unreadFields", ())]
    for entry in entries:
        if entry["fieldKey"] == field:
            return {"citations": [], "value": "", **entry}
    wanted = term_set(field)
    for entry in entries:
        if wanted and wanted in (term_set(entry["label"]), term_set(f"{entry['category']} {entry['label']}")):
            return {"citations": [], "value": "", **entry}
    raise UnknownClaimError("the claim's schema has no such field: get_claim names those that it has")
