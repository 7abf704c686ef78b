"""The files of the published claim pipeline: the register of sources and the viewer's data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.published.display import date_form_of, written


def sources_index(documents: Iterable[ParsedDocument]) -> list[dict[str, Any]]:
    """Return `sources_index.json`: every source with its text and its parse by file name, null where there
    is none."""
    return [
        {
            "id": document.source.source_id,
            "name": document.source.name,
            "file": document.source.file,
            "pageCount": len(document.pages),
            "mdFile": f"{document.source.source_id}.md" if document.is_readable else None,
            "jsonFile": f"{document.source.source_id}.reducto.json" if document.is_readable else None,
        }
        for document in documents
    ]


def parse_response(document: ParsedDocument) -> dict[str, Any]:
    """Return a parse in the shape of the parsing service's answer: chunks of blocks with boxes (0-1)."""
    blocks = [
        {"type": block.type, "content": block.content, "bbox": {"page": block.page, **block.box.as_dict()}}
        for block in document.blocks
    ]
    content = "\n\n".join(block.content for block in document.blocks)
    return {
        "usage": {"num_pages": len(document.pages)},
        "result": {"type": "full", "chunks": [{"content": content, "blocks": blocks}]},
    }


def published_dataset(dataset: Mapping[str, Any], *, root: str = "") -> dict[str, Any]:
    """Return `data.json` as published: `file` is a path under `root` that the viewer serves, values read as
    people write them; `rawValue` and `valueType` keep the typed value."""
    claim_id = dataset["claimId"]
    fields: Sequence[Mapping[str, Any]] = dataset["fields"]
    date_form = date_form_of(snippet for field in fields for snippet in _snippets(field))
    return {
        "sources": [
            {
                "id": source["id"],
                "name": source["name"],
                "file": f"{root}/api/claims/{quote(claim_id)}/sources/{quote(source['id'])}/original",
                "fileName": source["file"],
                "pageCount": source["pageCount"],
            }
            for source in dataset["sources"]
        ],
        "fields": [
            {
                "id": field["id"],
                "label": field["label"],
                "value": written(field["rawValue"], snippets=_snippets(field), date_form=date_form),
                "category": field["category"],
                "citations": [
                    {"sourceId": cited["sourceId"], "page": cited["page"], "bbox": cited["bbox"]}
                    for cited in field["citations"]
                ],
                "fieldKey": field["fieldKey"],
                "valueType": field["valueType"],
                "rawValue": field["rawValue"],
            }
            for field in fields
        ],
    }


def _snippets(field: Mapping[str, Any]) -> list[str]:
    return [cited["snippet"] for cited in field["citations"]]
