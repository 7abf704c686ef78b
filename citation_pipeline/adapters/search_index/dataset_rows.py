"""A claim's dataset as rows of the index: one for every field's value, and for every member of a list.

What a row's columns mean is in `files`; where rows are asked for, in `field_values`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from citation_pipeline.core.boxes import Box, union
from citation_pipeline.core.review.standing import belief_at, both_values, is_verified, needs_review
from citation_pipeline.core.values.currencies import only_currency

Row = tuple[Any, ...]


def field_rows(claim_id: str, dataset: Mapping[str, Any]) -> Iterator[Row]:
    """Return the rows of `field_values`; fields that were marked absent have none."""
    sizes = {
        (source["id"], page["page"]): (page["width"], page["height"])
        for source in dataset["sources"]
        for page in source.get("pages") or ()
    }
    for field in dataset["fields"]:
        if field.get("markedAbsent"):
            continue
        value = field.get("rawValue", field["value"])
        cited = {citation.get("itemPath", ""): citation for citation in reversed(field["citations"])}
        best = next(iter(field["citations"]), None)
        verified = is_verified(field)
        yield _field_row(claim_id, field, "", value, cited.get("", best), verified, sizes)
        if isinstance(value, list):
            for number, item in enumerate(value):
                members = item.items() if isinstance(item, Mapping) else [("", item)]
                for name, member in members:
                    path = f"[{number}].{name}" if name else f"[{number}]"
                    place = cited.get(path) or cited.get(f"[{number}]")
                    yield _field_row(claim_id, field, path, member, place, verified, sizes)


def _field_row(
    claim_id: str,
    field: Mapping[str, Any],
    item_path: str,
    value: Any,
    citation: Mapping[str, Any] | None,
    is_verified: bool,
    sizes: Mapping[tuple[str, int], tuple[float, float]],
) -> Row:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_day = isinstance(value, str) and len(value) == 10 and value[4:5] == "-" and value[:4].isdigit()
    if isinstance(value, bool):
        word: str | None = "yes" if value else "no"
    else:
        word = value.casefold()[:200] if isinstance(value, str) and not is_day else None
    return (
        claim_id,
        field["fieldKey"],
        item_path,
        field["label"],
        field["category"],
        field.get("valueType", "string"),
        json.dumps(value, ensure_ascii=False),
        float(value) if is_number else None,
        value if is_day else None,
        word,
        citation["sourceId"] if citation else None,
        citation["page"] if citation else None,
        # a value whose words have changed since somebody signed for it is at no place
        int(citation is not None and not needs_review(field)),
        int(is_verified),
        belief_at(field, citation) if citation else 0.0,
        _place(citation, sizes) if citation else None,
        # what was signed and what is read now, of a field that needs review
        json.dumps(both_values(field), ensure_ascii=False) if needs_review(field) else None,
        only_currency(citation.get("snippet") or "") if citation and is_number else "",
    )


def _place(citation: Mapping[str, Any], sizes: Mapping[tuple[str, int], tuple[float, float]]) -> str:
    """Return the value's box on the citation's page, and the page's size, as JSON."""
    page = citation["page"]
    regions = citation.get("regions", {})
    boxes = [
        Box(**box)
        for region in regions.get("value") or regions.get("snippet") or ()
        if region["page"] == page
        for box in region["boxes"]
    ]
    box = union(boxes) if boxes else Box(**citation["bbox"])
    width, height = sizes.get((citation["sourceId"], page), (612.0, 792.0))
    return json.dumps([*box.as_dict().values(), width, height])


def document_rows(claim_id: str, dataset: Mapping[str, Any], dates: Mapping[str, str]) -> Iterator[Row]:
    """Return the rows of `documents`; `dates` are the documents' own, by source id."""
    for source in dataset["sources"]:
        yield (
            claim_id,
            source["id"],
            source["name"],
            source["file"],
            source["pageCount"],
            source.get("status") or "parsed",
            source.get("sha256") or "",
            dates.get(source["id"], ""),
        )
