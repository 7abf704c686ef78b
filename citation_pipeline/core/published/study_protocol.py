"""The published study protocol's shapes: extraction results, and the text that their offsets index."""

from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.viewer.sureness import sureness


def extraction_results(dataset: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one result per field that has a value: `field_name`, `value`, `confidence` in three words,
    `citations` with offsets into the source's normalized text (the end not included), `provenance`.

    `source_id` tells which text: a claim has many. A citation that was not found has its snippet alone.
    """
    return [
        {
            "field_name": field["fieldKey"],
            "value": field["rawValue"],
            "confidence": sureness(field),
            "citations": [
                *(_placed(citation) for citation in field["citations"]),
                *({"snippet": citation["snippet"]} for citation in field["unresolvedCitations"]),
            ],
            "provenance": field["provenance"],
        }
        for field in dataset["fields"]
    ]


def protocol_text(document: ParsedDocument) -> dict[str, Any]:
    """Return a document's normalized text and its pages' ranges of it."""
    return {
        "normalized_text": document.text,
        "page_boundaries": _boundaries(document),
    }


def _boundaries(document: ParsedDocument) -> Sequence[Mapping[str, int]]:
    return [
        {"page": page.page, "startOffset": page.text_start, "endOffset": page.text_end}
        for page in document.pages
    ]


def _placed(citation: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "snippet": citation["snippet"],
        "startOffset": citation["textStart"],
        "endOffset": citation["textEnd"],
        "page": citation["page"],
        "source_id": citation["sourceId"],
    }
