"""Whether a `data.json` keeps its contract: shape, boxes on the page, citations that join their sources."""

from collections.abc import Iterator, Mapping
from typing import Any

_SOURCE_KEYS = {"id": str, "name": str, "file": str, "pageCount": int}
_FIELD_KEYS = {"id": str, "label": str, "value": str, "category": str, "citations": list}
_EDGES = ("left", "top", "width", "height")
# rounding to six digits may push an edge this far over the page's
_ROUNDING = 1e-5


def list_breaches(dataset: Mapping[str, Any]) -> list[str]:
    """Return what breaks the contract, as codes with ids; nothing for a dataset that readers can trust."""
    return list(_breaches(dataset))


def _breaches(dataset: Mapping[str, Any]) -> Iterator[str]:
    sources, fields = dataset.get("sources"), dataset.get("fields")
    if not isinstance(sources, list) or not isinstance(fields, list):
        yield "no_sources_or_fields"
        return
    for source in sources:
        yield from _missing(source, _SOURCE_KEYS, f"source {source.get('id')}")
    pages = {source.get("id"): source.get("pageCount", 0) for source in sources}
    if len(pages) != len(sources):
        yield "source_ids_repeat"
    if len({field.get("id") for field in fields}) != len(fields):
        yield "field_ids_repeat"
    for field in fields:
        name = f"field {field.get('id')}"
        yield from _missing(field, _FIELD_KEYS, name)
        for citation in field.get("citations") or ():
            yield from _citation(citation, pages, name)


def _missing(record: Mapping[str, Any], keys: Mapping[str, type], name: str) -> Iterator[str]:
    for key, kind in keys.items():
        if not isinstance(record.get(key), kind):
            yield f"{name}: {key} is not a {kind.__name__}"


def _citation(citation: Mapping[str, Any], pages: Mapping[Any, int], name: str) -> Iterator[str]:
    source_id, page, box = citation.get("sourceId"), citation.get("page"), citation.get("bbox") or {}
    if source_id not in pages:
        yield f"{name}: cites a source that is not there"
    elif not isinstance(page, int) or not 1 <= page <= pages[source_id]:
        yield f"{name}: cites a page that is not there"
    edges = [box[edge] for edge in _EDGES if isinstance(box.get(edge), int | float)]
    if len(edges) != len(_EDGES):
        yield f"{name}: bbox lacks an edge"
        return
    left, top, width, height = edges
    if min(edges) < -_ROUNDING or left + width > 1 + _ROUNDING or top + height > 1 + _ROUNDING:
        yield f"{name}: bbox leaves the page"
