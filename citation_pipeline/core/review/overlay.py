"""People's reviews laid over a viewer dataset: what holds, what disagrees, and what to look at first.

Works on `data.json` as an object and never changes the one it is given. The events themselves are
the task of `verifications`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.boxes import Box, iou, union
from citation_pipeline.core.extraction import Provenance, Value
from citation_pipeline.core.review.risk import risk_of
from citation_pipeline.core.review.verifications import FieldReview, Place, ReviewState
from citation_pipeline.core.viewer.dataset import display_value

# below this overlap two places on a page are two places: a line's box moves by a tenth of its height
# between parsers, which leaves an IoU near 0.8
_SAME_PLACE_IOU = 0.4

Dataset = dict[str, Any]


def with_reviews(dataset: Mapping[str, Any], reviews: Mapping[str, FieldReview]) -> Dataset:
    """Return the dataset as it is after its reviewers.

    Every field gets `review`, `risk` and, where pipeline and person disagree, `conflicts`. A corrected field
    carries the person's value with provenance `user-provided` and the pipeline's as `machineValue`; a field
    marked absent stays, with an empty value; signed places replace the citation's regions.
    """
    shas = {source["id"]: source.get("sha256") for source in dataset.get("sources", [])}
    fields = [_reviewed(field, reviews.get(field["fieldKey"]), shas) for field in dataset.get("fields", [])]
    silent: dict[str, list[dict[str, Any]]] = {"absentFields": [], "unreadFields": []}
    for name, entries in silent.items():
        for entry in dataset.get(name, []):
            review = reviews.get(entry["fieldKey"])
            empty = {**entry, "value": "", "citations": [], "unresolvedCitations": []}
            if review is not None and review.value is not None:
                fields.append(_reviewed({**empty, "rawValue": None, "status": "uncited"}, review, shas))
            else:
                entries.append({**empty, "review": _as_json(review)})
    fields.sort(key=_number)
    return {**dataset, "fields": fields, **silent}


def settled(dataset: Mapping[str, Any]) -> Dataset:
    """Return a reviewed dataset in the published shape: what a person marked absent is absent."""
    gone = [field for field in dataset["fields"] if field.get("markedAbsent")]
    return {
        **dataset,
        "fields": [field for field in dataset["fields"] if not field.get("markedAbsent")],
        "absentFields": [
            *dataset["absentFields"],
            *(
                {key: field[key] for key in ("id", "label", "category", "fieldKey", "review")}
                for field in gone
            ),
        ],
    }


def _number(field: Mapping[str, Any]) -> int:
    """Return a field's place in the schema: ids count all of its fields, the absent ones too."""
    digits = str(field["id"]).removeprefix("f")
    return int(digits) if digits.isdecimal() else 0


def _reviewed(
    field: Mapping[str, Any], review: FieldReview | None, shas: Mapping[str, str | None]
) -> dict[str, Any]:
    shown = dict(field)
    conflicts: list[dict[str, Any]] = []
    if review is not None:
        conflicts += _value_conflicts(field, review)
        shown |= _settled_value(field, review)
        conflicts += _pin(shown, review.places, shas)
    shown["review"] = _as_json(review)
    shown["conflicts"] = conflicts
    shown["risk"] = risk_of(shown, is_reviewed=review is not None and _is_verdict(review)).as_dict()
    return shown


def _is_verdict(review: FieldReview) -> bool:
    return review.state is not ReviewState.UNREVIEWED


def _settled_value(field: Mapping[str, Any], review: FieldReview) -> dict[str, Any]:
    machine = {"machineValue": field["value"]}
    if review.state is ReviewState.ABSENT:
        return {**machine, "value": "", "rawValue": None, "markedAbsent": True}
    if review.state is ReviewState.UNREVIEWED or _same(review.value, field.get("rawValue")):
        given = review.state is ReviewState.CORRECTED
        return {"provenance": Provenance.USER_PROVIDED.value} if given else {}
    provenance = (
        {"provenance": Provenance.USER_PROVIDED.value} if review.state is ReviewState.CORRECTED else {}
    )
    return {**machine, "value": display_value(review.value), "rawValue": review.value, **provenance}


def _value_conflicts(field: Mapping[str, Any], review: FieldReview) -> list[dict[str, Any]]:
    """A pipeline value that differs from the person's, and that no person has decided on yet."""
    machine: Value = field.get("rawValue")
    if not _is_verdict(review) or any(_same(machine, known) for known in (review.value, *review.overruled)):
        return []
    return [{"code": "value_changed", "person": display_value(review.value), "pipeline": field["value"]}]


def _pin(
    shown: dict[str, Any], places: Mapping[int, Place], shas: Mapping[str, str | None]
) -> list[dict[str, Any]]:
    """Put signed places over the field's citations; returns what disagrees."""
    conflicts: list[dict[str, Any]] = []
    citations = [dict(citation) for citation in shown["citations"]]
    lost = list(shown.get("unresolvedCitations", []))
    for index, place in sorted(places.items()):
        about = {"citationIndex": index, "sourceId": place.source_id, "page": place.page}
        if place.source_id not in shas:
            conflicts.append({"code": "document_missing", **about})
            continue
        if shas[place.source_id] != place.sha256:
            conflicts.append({"code": "document_changed", **about})
            continue
        at = next((i for i, c in enumerate(citations) if c.get("citationIndex", i) == index), None)
        if at is None:
            lost = [citation for citation in lost if citation.get("citationIndex") != index]
            citations.append(_pinned_citation({}, place))
        elif str(citations[at].get("method")).startswith("verified") or _stands_at(citations[at], place):
            citations[at] |= {"pinned": True}
        else:
            if not place.moved:
                conflicts.append(
                    {
                        "code": "place_changed",
                        **about,
                        "pipelineSourceId": citations[at]["sourceId"],
                        "pipelinePage": citations[at]["page"],
                    }
                )
            citations[at] = _pinned_citation(citations[at], place)
    shown["citations"], shown["unresolvedCitations"] = citations, lost
    if places and citations:
        shown["status"] = "resolved" if all(c.get("pinned") for c in citations) else shown.get("status")
    return conflicts


def _pinned_citation(before: Mapping[str, Any], place: Place) -> dict[str, Any]:
    boxes = [box.as_dict() for box in place.boxes]
    region = [{"page": place.page, "boxes": boxes}]
    whole = union(place.boxes).as_dict()
    return {
        "citationId": before.get("citationId", place.citation_id),
        "citationIndex": place.citation_index,
        "itemPath": before.get("itemPath", ""),
        "sourceId": place.source_id,
        "page": place.page,
        "bbox": whole,
        "status": "resolved",
        "method": "pinned",
        "score": 1.0,
        "confidence": 1.0,
        "snippet": place.text,
        "reason": "",
        "warnings": [],
        "candidates": [],
        "regions": {"block": [{"page": place.page, "boxes": [whole]}], "snippet": region, "value": region},
        "pinned": True,
    }


def _stands_at(citation: Mapping[str, Any], place: Place) -> bool:
    if citation["sourceId"] != place.source_id:
        return False
    regions: Sequence[Mapping[str, Any]] = citation.get("regions", {}).get("snippet") or []
    boxes = [Box(**box) for region in regions if region["page"] == place.page for box in region["boxes"]]
    return bool(boxes) and iou(union(boxes), union(place.boxes)) >= _SAME_PLACE_IOU


def _same(one: Value, other: Value) -> bool:
    """Tell whether two values are the same JSON, a whole number being the same with and without `.0`."""
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    if isinstance(one, int | float) and isinstance(other, int | float):
        return float(one) == float(other)
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _as_json(review: FieldReview | None) -> dict[str, Any]:
    if review is None:
        return {"state": ReviewState.UNREVIEWED.value, "comments": 0, "events": 0, "lastId": 0}
    return {
        "state": review.state.value,
        "reviewer": review.reviewer,
        "madeAt": review.made_at,
        "comments": review.comments,
        "events": review.events,
        "lastId": review.last_id,
    }
