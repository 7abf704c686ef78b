"""Citation objects from what is stored: a dataset's citations, and words that were found just now.

The text around a place comes from the words, so it is the text that people see, not a model's copy of it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from citation_pipeline.adapters.read_model.claims import ClaimState
from citation_pipeline.core.boxes import Box, union
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.resolution.doubted_pages import doubts_about
from citation_pipeline.core.resolution.regions import regions_of
from citation_pipeline.core.review.standing import belief_at, both_values, is_signed_at
from citation_pipeline.core.viewer.citation_objects import (
    CONTEXT_CHARACTERS,
    CitationExtraction,
    CitationObject,
    CitationSource,
    CitedField,
    PageBox,
    citation_texts,
    citation_urls,
    contexts,
    document_id_of,
    page_box,
)


def cite_field(
    state: ClaimState,
    field: Mapping[str, Any],
    citation: Mapping[str, Any],
    *,
    text: Callable[[int, int], tuple[str, int]] | None = None,
    root: str = "",
) -> CitationObject:
    """Return the canonical object of one placed citation of a dataset's field.

    `text` returns the document's text around a range and the offset at which that begins; without it, or
    where the citation has no offsets, the context is empty.
    """
    before = after = ""
    start, end = citation.get("textStart"), citation.get("textEnd")
    if text is not None and start is not None and end is not None:
        around, begin = text(start - CONTEXT_CHARACTERS, end + CONTEXT_CHARACTERS)
        before, after = contexts(around, max(0, start - begin), max(0, end - begin))
    source_id, page = citation["sourceId"], citation["page"]
    regions = citation.get("regions", {})
    boxes = _boxes(regions.get("value") or regions.get("snippet") or (), page) or [Box(**citation["bbox"])]
    review = field.get("review") or {}
    verified = is_signed_at(field, citation)
    signed, current = both_values(field)
    return _object(
        state,
        field=CitedField(
            field["fieldKey"], field.get("rawValue", field["value"]), field.get("valueType", "string")
        ),
        source_id=source_id,
        page=page,
        boxes=boxes,
        text=citation.get("snippet", ""),
        before=before,
        after=after,
        extraction=CitationExtraction(
            method=citation.get("method", ""),
            confidence=belief_at(field, citation),
            match_confidence=float(citation.get("confidence") or 0.0),
            verified=verified,
            verified_at=review.get("madeAt") if verified else None,
            verified_by=review.get("reviewer") if verified else None,
            review_state=review.get("state", "unreviewed"),
            verified_value=signed,
            current_value=current,
            found_for=field["machineValue"] if "machineValue" in field and not verified else None,
            warnings=tuple(citation.get("warnings", ())),
        ),
        root=root,
    )


def cite_words(
    state: ClaimState,
    document: ParsedDocument,
    words: Sequence[int],
    *,
    name: str,
    value: Any,
    method: str,
    confidence: float,
    root: str = "",
) -> tuple[CitationObject, list[PageBox]]:
    """Return the canonical object of words of a document, and the boxes of their lines on the first page."""
    columns = document.words
    page = int(columns.page[min(words)])
    here = sorted(word for word in words if int(columns.page[word]) == page)
    boxes = [box for region in regions_of(columns, here) for box in region.boxes]
    start, end = int(columns.text_start[here[0]]), int(columns.text_end[here[-1]])
    before, after = contexts(document.text, start, end)
    source_id = document.source.source_id
    made = _object(
        state,
        field=CitedField(name, value, _type_of(value)),
        source_id=source_id,
        page=page,
        boxes=boxes,
        text=" ".join(columns.texts[word] for word in sorted(words)),
        before=before,
        after=after,
        extraction=CitationExtraction(
            method, round(confidence, 4), False, None, None, warnings=doubts_about(document, words)
        ),
        root=root,
    )
    width, height = state.page_size(source_id, page)
    return made, [page_box(box, page_width=width, page_height=height) for box in boxes]


def _object(
    state: ClaimState,
    *,
    field: CitedField,
    source_id: str,
    page: int,
    boxes: Sequence[Box],
    text: str,
    before: str,
    after: str,
    extraction: CitationExtraction,
    root: str,
) -> CitationObject:
    filename = state.sources.get(source_id, {}).get("file", source_id)
    width, height = state.page_size(source_id, page)
    part = state.part_title(source_id, page)
    whole = union(boxes) if boxes else None
    return CitationObject(
        field=field,
        source=CitationSource(
            document_id=document_id_of(state.claim_id, source_id),
            filename=filename,
            page=page,
            bbox=page_box(whole, page_width=width, page_height=height) if whole is not None else None,
            text=text,
            context_before=before,
            context_after=after,
            part=part,
        ),
        extraction=extraction,
        citation=citation_texts(filename, page, text, verified_at=extraction.verified_at, part=part),
        urls=citation_urls(
            state.claim_id,
            source_id,
            page=page,
            bbox=whole,
            field_key=field.name if field.name in state.fields else "",
            root=root,
        ),
    )


def _boxes(regions: Sequence[Mapping[str, Any]], page: int) -> list[Box]:
    return [Box(**box) for region in regions if region["page"] == page for box in region["boxes"]]


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "string"


def words_in_box(document: ParsedDocument, page: int, box: Box) -> list[int]:
    """Return the words of a page whose middles lie in a box."""
    columns = document.words
    ids = np.flatnonzero(columns.page == page)
    rows = columns.boxes[ids]
    x, y = rows[:, 0] + rows[:, 2] / 2, rows[:, 1] + rows[:, 3] / 2
    inside = (x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom)
    return [int(word) for word in ids[inside]]
