"""Does a person's verdict still hold? It is of one value at certain places of certain documents.

`conflicts_of` compares a verdict with what the pipeline says now, `state_of` makes the field's state of it:
when the value or a signed place has changed the field needs review, whatever was said before. Every surface
(viewer, REST, MCP, aggregates, `data.json`, warehouse, evidence pack) reads the state that this gives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from citation_pipeline.core.boxes import Box, iou, union
from citation_pipeline.core.extraction import Value
from citation_pipeline.core.resolution.pins import FOLLOWED
from citation_pipeline.core.review.same_values import same_json
from citation_pipeline.core.review.verifications import FieldReview, Place, ReviewState
from citation_pipeline.core.viewer.dataset import display_value
from citation_pipeline.core.viewer.sureness import confidence_of

# below this overlap two places on a page are two places: a line's box moves by a tenth of its height
# between parsers, which leaves an IoU near 0.8
_SAME_PLACE_IOU = 0.4

_SIGNED = frozenset({ReviewState.CONFIRMED.value, ReviewState.CORRECTED.value})
_DECIDED = _SIGNED | {ReviewState.ABSENT.value}

_UNDECIDED = 0.5

Conflict = dict[str, Any]


def is_verified(field: Mapping[str, Any]) -> bool:
    """Tell whether a person signed for the value of a reviewed dataset's field, and the verdict holds."""
    return (field.get("review") or {}).get("state") in _SIGNED


def is_signed_at(field: Mapping[str, Any], citation: Mapping[str, Any]) -> bool:
    """Tell whether a person signed for a reviewed field's value at this one of its citations.

    A value that was confirmed or corrected has citations that nobody had in view, and a corrected one those
    that the pipeline found for its own value.
    """
    return is_verified(field) and bool(citation.get("pinned"))


def belief_at(field: Mapping[str, Any], citation: Mapping[str, Any]) -> float:
    """Return how sure a reviewed field's value is at one of its places: as the words are, and as the value.

    Words that are found beyond doubt may be the wrong ones for the field. Who verified a value has judged
    that; a person's value that is not verified (yet, or any more) is undecided against the pipeline's.
    """
    match = float(citation.get("confidence") or 0.0)
    if is_verified(field):
        return match
    fitted = _UNDECIDED if "machineValue" in field else confidence_of(field)
    return match if fitted is None else min(match, fitted)


def is_decided(field: Mapping[str, Any]) -> bool:
    """Tell whether a person has decided on a field, be it that it is absent, and the verdict holds."""
    return (field.get("review") or {}).get("state") in _DECIDED


def needs_review(field: Mapping[str, Any]) -> bool:
    """Tell whether what a person signed has changed since."""
    return (field.get("review") or {}).get("state") == ReviewState.NEEDS_REVIEW.value


def awaits_second(field: Mapping[str, Any]) -> bool:
    """Tell whether one person signed for a value that needs a second one, who has not signed yet."""
    return (field.get("review") or {}).get("state") == ReviewState.AWAITING_SECOND.value


def both_values(field: Mapping[str, Any]) -> tuple[Value, Value]:
    """Return the value that was signed and the pipeline's, of a reviewed field that needs review.

    (None, None) for any other; the two are equal where only a place has changed.
    """
    if not needs_review(field):
        return None, None
    for conflict in field.get("conflicts", ()):
        if conflict["code"] == "value_changed":
            return conflict["personValue"], conflict["pipelineValue"]
    return field.get("rawValue"), field.get("rawValue")


def conflicts_of(
    field: Mapping[str, Any], review: FieldReview, shas: Mapping[str, str | None]
) -> list[Conflict]:
    """Return what disagrees: the pipeline's value first, then each signed place.

    `field` is the pipeline's, without anybody's review laid over it; `shas` are the claim's documents.
    """
    return [*_value_conflicts(field, review), *_place_conflicts(field, review, shas)]


def citations_of(field: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return a field's citations, of one without a value the places that signed words were followed to."""
    found: Sequence[Mapping[str, Any]] = field.get("citations") or field.get("followedCitations") or ()
    return found


def state_of(review: FieldReview | None, conflicts: Sequence[Conflict]) -> ReviewState:
    """Return the verdict, unless something disagrees with it or a second person has to sign first."""
    if review is None:
        return ReviewState.UNREVIEWED
    if conflicts and is_verdict(review):
        return ReviewState.NEEDS_REVIEW
    return ReviewState.AWAITING_SECOND if review.awaits_second else review.state


def is_verdict(review: FieldReview) -> bool:
    """Tell whether anybody decided, rather than only remarked or moved a citation."""
    return review.state is not ReviewState.UNREVIEWED


def is_at(citation: Mapping[str, Any], place: Place) -> bool:
    """Tell whether a citation of a dataset is where a person signed for it."""
    if str(citation.get("method")).startswith("verified"):
        return True
    if citation["sourceId"] != place.source_id:
        return False
    regions: Sequence[Mapping[str, Any]] = citation.get("regions", {}).get("snippet") or []
    boxes = [Box(**box) for region in regions if region["page"] == place.page for box in region["boxes"]]
    return bool(boxes) and iou(union(boxes), union(place.boxes)) >= _SAME_PLACE_IOU


def renamed(place: Place, shas: Mapping[str, str | None]) -> Place:
    """Return a signed place under the id that its document bears now: a content may have been renamed."""
    if shas.get(place.source_id) == place.sha256:
        return place
    now = next((source_id for source_id in sorted(shas) if shas[source_id] == place.sha256), None)
    return place if now is None else replace(place, source_id=now)


def is_followed(citations: Sequence[Mapping[str, Any]], index: int) -> bool:
    """Tell whether the citation with this index shows the signed words in a new scan of the same pages."""
    at = citation_at(citations, index)
    return at is not None and citations[at].get("method") == FOLLOWED


def citation_at(citations: Sequence[Mapping[str, Any]], index: int) -> int | None:
    """Return the position of the citation with this index in the answer's list."""
    return next((i for i, c in enumerate(citations) if c.get("citationIndex", i) == index), None)


def _value_conflicts(field: Mapping[str, Any], review: FieldReview) -> list[Conflict]:
    """A pipeline value that differs from the person's, and that no person has decided on yet.

    No value at all is no other one where the signed words all stand on a new scan: it was only read worse.
    """
    machine: Value = field.get("rawValue")
    citations = citations_of(field)
    if machine is None and review.places and all(is_followed(citations, at) for at in review.places):
        return []
    if not is_verdict(review) or any(
        same_json(machine, known) for known in (review.value, *review.overruled)
    ):
        return []
    return [
        {
            "code": "value_changed",
            "person": display_value(review.value),
            "pipeline": field.get("value", ""),
            "personValue": review.value,
            "pipelineValue": machine,
        }
    ]


def _place_conflicts(
    field: Mapping[str, Any], review: FieldReview, shas: Mapping[str, str | None]
) -> list[Conflict]:
    conflicts: list[Conflict] = []
    citations = citations_of(field)
    for index, signed in sorted(review.places.items()):
        place = renamed(signed, shas)
        if is_followed(citations, index):
            continue
        about = {"citationIndex": index, "sourceId": place.source_id, "page": place.page}
        if place.source_id not in shas:
            conflicts.append({"code": "document_missing", **about})
        elif shas[place.source_id] != place.sha256:
            conflicts.append({"code": "document_changed", **about})
        elif (at := citation_at(citations, index)) is not None:
            citation = citations[at]
            if not is_at(citation, place) and not place.moved:
                where = {
                    "pipelineSourceId": citation["sourceId"],
                    "pipelinePage": citation["page"],
                    "pipelineRegions": citation.get("regions", {}).get("snippet") or [],
                }
                conflicts.append({"code": "place_changed", **about, **where})
    return conflicts
