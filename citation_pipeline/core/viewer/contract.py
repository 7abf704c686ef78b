"""Whether a `data.json` keeps its contract: shape, boxes on the page, citations that join their sources.

The shape is the JSON Schema beside this module, `data_schema.json`; what joins what is code.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from jsonschema_rs import Draft202012Validator

_SOURCE_KEYS = {"id": str, "name": str, "file": str, "pageCount": int}
_FIELD_KEYS = {"id": str, "label": str, "value": str, "category": str, "citations": list}
_LISTS = ("fields", "absentFields", "unreadFields")
_EDGES = ("left", "top", "width", "height")
# rounding to six digits may push an edge this far over the page's
_ROUNDING = 1e-5


@cache
def dataset_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of a `data.json`, shipped with the package."""
    text = (resources.files("citation_pipeline.core.viewer") / "data_schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(dict(dataset_schema()))


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
    for error in _validator().iter_errors(dataset):
        # the message would quote the value
        where = "/".join(str(part) for part in error.instance_path)
        rule = "/".join(str(part) for part in error.schema_path)
        yield f"schema: /{where} breaks {rule.rpartition('/')[2]} at /{rule}"
    pages = {source.get("id"): source.get("pageCount", 0) for source in sources}
    if len(pages) != len(sources):
        yield "source_ids_repeat"
    if len({field.get("id") for field in fields}) != len(fields):
        yield "field_ids_repeat"
    keys = [entry.get("fieldKey") for name in _LISTS for entry in dataset.get(name) or ()]
    if len(keys) != len(set(keys)):
        yield "a field stands in two lists"
    for issue in dataset.get("issues") or ():
        if issue.get("sourceId", next(iter(pages), None)) not in pages:
            yield f"issue {issue.get('code')}: names a source that is not there"
    if dataset.get("status") == "complete" and any(
        entry.get("status") == "unread" for entry in dataset.get("unreadFields") or ()
    ):
        yield "a complete claim has unread fields"
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
