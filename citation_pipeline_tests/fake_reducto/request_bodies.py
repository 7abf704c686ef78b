"""The request bodies that the fake accepts for /parse and /parse_async: the current ("V3") shape only.

Stricter than the service on purpose: an unknown key anywhere is a 422, which catches a mixture with the
older shape and misspelt options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Any_ = object()  # any JSON value
Detail = dict[str, Any]

SHAPE: dict[str, Any] = {
    "input": Any_,
    "enhance": {
        "agentic": [
            {
                "scope": ("text", "table", "figure"),
                "prompt": Any_,
                "mode": ("default", "auto", "max"),
                "advanced_chart_agent": (True, False),
            }
        ],
        "summarize_figures": (True, False),
        "intelligent_ordering": (True, False),
        "advanced_chart_agent": (True, False),
    },
    "formatting": {
        "add_page_markers": (True, False),
        "table_output_format": ("dynamic", "html", "md", "json", "jsonbbox", "csv"),
        "merge_tables": (True, False),
        "include": Any_,
    },
    "retrieval": {
        "chunking": {
            "chunk_mode": ("disabled", "variable", "section", "page", "page_sections", "block"),
            "chunk_size": Any_,
            "chunk_overlap": Any_,
        },
        "filter_blocks": Any_,
        "embedding_optimized": (True, False),
    },
    "spreadsheet": Any_,
    "settings": {
        "model": ("r-1", "legacy"),
        "ocr_system": ("standard", "legacy"),
        "extraction_mode": ("hybrid", "ocr"),
        "page_range": Any_,
        "timeout": Any_,
        "force_url_result": (True, False),
        "persist_results": (True, False),
        "return_ocr_data": (True, False),
        "return_images": Any_,
        "return_citations": (True, False),
        "document_password": Any_,
        "extract_document_properties": (True, False),
        "embed_pdf_metadata": (True, False),
        "embed_pdf_metadata_dpi": Any_,
        "force_file_extension": Any_,
        "tenant_throttling": Any_,
        "hybrid_vpc": Any_,
    },
    "async": {
        "metadata": Any_,
        "priority": (True, False),
        "webhook": {"mode": ("direct", "svix"), "url": Any_, "channels": Any_},
    },
    "queue_priority": ("auto", "standard", "batch"),
}


def find_faults(body: Any) -> list[Detail]:
    """FastAPI-style details for everything that is wrong with a parse request; empty when it is fine."""
    if not isinstance(body, Mapping):
        return [_detail(["body"], "Input should be a valid dictionary", "model_type")]
    details = list(_walk(body, SHAPE, ["body"]))
    if not body.get("input"):
        details.append(_detail(["body", "input"], "Field required", "missing"))
    settings, enhance = body.get("settings") or {}, body.get("enhance") or {}
    if isinstance(settings, Mapping) and settings.get("return_citations"):
        if settings.get("model") != "r-1":
            details.append(
                _detail(["body", "settings", "return_citations"], "requires model r-1", "value_error")
            )
        if (body.get("formatting") or {}).get("merge_tables"):
            details.append(
                _detail(["body", "formatting", "merge_tables"], "not with citations", "value_error")
            )
    scopes = {entry.get("scope") for entry in enhance.get("agentic") or () if isinstance(entry, Mapping)}
    if "figure" in scopes and enhance.get("summarize_figures") is False:
        details.append(_detail(["body", "enhance"], "figure scope needs summarize_figures", "value_error"))
    if scopes and settings.get("model") == "r-1":
        details.append(_detail(["body", "enhance", "agentic"], "not supported by r-1", "value_error"))
    return details


def _walk(value: Any, shape: Any, where: list[Any]) -> Iterator[Detail]:
    if value is None or shape is Any_:
        return
    if isinstance(shape, tuple):
        if value not in shape or isinstance(value, bool) != isinstance(shape[0], bool):
            yield _detail(where, f"Input should be one of {shape}", "literal_error")
    elif isinstance(shape, list):
        for index, item in enumerate(value if isinstance(value, list) else []):
            yield from _walk(item, shape[0], [*where, index])
        if not isinstance(value, list):
            yield _detail(where, "Input should be a valid list", "list_type")
    elif not isinstance(value, Mapping):
        yield _detail(where, "Input should be a valid dictionary", "model_type")
    else:
        for key, item in value.items():
            if key not in shape:
                yield _detail([*where, key], "Extra inputs are not permitted", "extra_forbidden")
            else:
                yield from _walk(item, shape[key], [*where, key])


def _detail(where: list[Any], message: str, kind: str) -> Detail:
    return {"loc": where, "msg": message, "type": kind}
