"""People's reviews laid over a viewer dataset: what holds, what disagrees, and what to look at first.

Works on `data.json` as an object and never changes the one it is given. The events themselves are
the task of `verifications`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from citation_pipeline.core.boxes import union
from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.extraction import Provenance
from citation_pipeline.core.review.risk import risk_of
from citation_pipeline.core.review.same_values import same_json
from citation_pipeline.core.review.standing import (
    Conflict,
    citation_at,
    citations_of,
    conflicts_of,
    is_at,
    is_followed,
    is_verdict,
    renamed,
    state_of,
)
from citation_pipeline.core.review.verifications import FieldReview, Place, ReviewState, Verification
from citation_pipeline.core.viewer.dataset import display_value

_WITHDRAWN = 0.5

Dataset = dict[str, Any]


def with_reviews(dataset: Mapping[str, Any], reviews: Mapping[str, FieldReview]) -> Dataset:
    """Return the dataset as it is after its reviewers.

    Every field gets `review`, `risk` and, where pipeline and person disagree, `conflicts`; what was decided
    and has changed since needs review, with both values in the conflict. A corrected field
    carries the person's value with provenance `user-provided`, without the confidence that the pipeline had
    in its own, which is `machineValue`; a field marked absent stays, with an empty value; signed places
    replace the citation's regions.
    """
    shas = _shas_of(dataset)
    fields = [_reviewed(field, reviews.get(field["fieldKey"]), shas) for field in dataset.get("fields", [])]
    silent: dict[str, list[dict[str, Any]]] = {"absentFields": [], "unreadFields": []}
    for name, entries in silent.items():
        for entry in dataset.get(name, []):
            review = reviews.get(entry["fieldKey"])
            bare = {key: value for key, value in entry.items() if key != "followedCitations"}
            empty = {**bare, "value": "", "citations": [], "unresolvedCitations": []}
            if review is not None and review.value is not None:
                shown = {"rawValue": None, "status": "uncited", "citations": citations_of(entry)}
                fields.append(_reviewed({**empty, **shown}, review, shas))
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
                {
                    **{k: field[k] for k in ("id", "label", "category", "fieldKey", "review", "conflicts")},
                    "status": "absent",
                    "searched": [],
                }
                for field in gone
            ),
        ],
    }


def _number(field: Mapping[str, Any]) -> int:
    """Return a field's place in the schema: ids count all of its fields, the absent ones too."""
    digits = str(field["id"]).removeprefix("f")
    return int(digits) if digits.isdecimal() else 0


def mark_reviews(dataset: Mapping[str, Any], reviews: Mapping[str, FieldReview]) -> Dataset:
    """Return the pipeline's own dataset with each field's state of review; no value or place is exchanged.

    What a person said of a field stands beside it under `review` and `conflicts`.
    """
    if not reviews:
        return dict(dataset)
    shas = _shas_of(dataset)
    marked = {**dataset}
    for name in ("fields", "absentFields", "unreadFields"):
        marked[name] = [
            _marked(field, reviews[field["fieldKey"]], shas) if field["fieldKey"] in reviews else field
            for field in dataset.get(name, [])
        ]
    return marked


def _marked(field: Mapping[str, Any], review: FieldReview, shas: Mapping[str, str | None]) -> dict[str, Any]:
    conflicts = conflicts_of(field, review, shas)
    return {**field, "review": _as_json(review, conflicts), "conflicts": conflicts}


def _shas_of(dataset: Mapping[str, Any]) -> dict[str, str | None]:
    return {source["id"]: source.get("sha256") for source in dataset.get("sources", [])}


def _reviewed(
    field: Mapping[str, Any], review: FieldReview | None, shas: Mapping[str, str | None]
) -> dict[str, Any]:
    shown = {**field, "citations": _without_withdrawn(field["citations"], review)}
    conflicts: list[Conflict] = []
    if review is not None:
        conflicts = conflicts_of(field, review, shas)
        shown |= _settled_value(field, review)
        if "machineValue" in shown:  # the pipeline's confidence is of its own value
            shown.pop("fieldConfidence", None)
            shown["confidence"] = None
        _pin(shown, review.places, shas)
    shown["review"] = _as_json(review, conflicts)
    shown["conflicts"] = conflicts
    shown["risk"] = risk_of(shown, is_reviewed=review is not None and is_verdict(review)).as_dict()
    return shown


def _without_withdrawn(
    citations: Sequence[Mapping[str, Any]], review: FieldReview | None
) -> list[Mapping[str, Any]]:
    """Return citations, those doubted that stand at a signed place whose signature was taken back since.

    How surely the words are found without it is known after the next resolution.
    """
    places = review.places if review is not None else {}
    return [
        {
            **citation,
            "status": CitationStatus.FLAGGED.value,
            "confidence": min(citation["confidence"], _WITHDRAWN),
            "warnings": [*citation.get("warnings", ()), "verification_withdrawn"],
        }
        if str(citation.get("method")).startswith("verified")
        and citation.get("citationIndex", at) not in places
        else citation
        for at, citation in enumerate(citations)
    ]


def _settled_value(field: Mapping[str, Any], review: FieldReview) -> dict[str, Any]:
    machine = {"machineValue": field["value"]}
    if review.state is ReviewState.ABSENT:
        return {**machine, "value": "", "rawValue": None, "markedAbsent": True}
    if review.state is ReviewState.UNREVIEWED or same_json(review.value, field.get("rawValue")):
        given = review.state is ReviewState.CORRECTED
        return {"provenance": Provenance.USER_PROVIDED.value} if given else {}
    provenance = (
        {"provenance": Provenance.USER_PROVIDED.value} if review.state is ReviewState.CORRECTED else {}
    )
    return {**machine, "value": display_value(review.value), "rawValue": review.value, **provenance}


def _pin(shown: dict[str, Any], places: Mapping[int, Place], shas: Mapping[str, str | None]) -> None:
    """Put signed places over the field's citations, in the documents that were signed."""
    citations = [dict(citation) for citation in shown["citations"]]
    lost = list(shown.get("unresolvedCitations", []))
    for index, signed in sorted(places.items()):
        place = renamed(signed, shas)
        at = citation_at(citations, index)
        if at is not None and is_followed(citations, index):
            citations[at] |= {"pinned": True}
            continue
        if shas.get(place.source_id) != place.sha256:
            continue
        if at is None:
            lost = [citation for citation in lost if citation.get("citationIndex") != index]
            citations.append(_pinned_citation({}, place))
        elif is_at(citations[at], place):
            citations[at] |= {"pinned": True}
        else:
            citations[at] = _pinned_citation(citations[at], place)
    shown["citations"], shown["unresolvedCitations"] = citations, lost
    if places and citations:
        shown["status"] = "resolved" if all(c.get("pinned") for c in citations) else shown.get("status")


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


def _as_json(review: FieldReview | None, conflicts: Sequence[Conflict] = ()) -> dict[str, Any]:
    if review is None:
        return {
            "state": ReviewState.UNREVIEWED.value,
            "comments": 0,
            "events": 0,
            "lastId": 0,
            "undoableBy": "",
        }
    return {
        "state": state_of(review, conflicts).value,
        "verdict": review.state.value,
        "reviewer": review.reviewer,
        "madeAt": review.made_at,
        "comments": review.comments,
        "events": review.events,
        "lastId": review.last_id,
        "undoableBy": review.actor,
        **({"needsSecond": True, "signers": list(review.signers)} if review.needs_second else {}),
    }


def event_as_json(event: Verification) -> dict[str, Any]:
    """Return one event as the viewer shows it."""
    return {
        "id": event.verification_id,
        "fieldKey": event.field_key,
        "action": event.action.value,
        "reviewer": event.reviewer,
        "madeAt": event.made_at,
        "value": display_value(event.value),
        "seenValue": display_value(event.seen_value),
        "comment": event.comment,
        "places": [{"sourceId": place.source_id, "page": place.page} for place in event.places],
        "needsSecond": event.needs_second,
    }
