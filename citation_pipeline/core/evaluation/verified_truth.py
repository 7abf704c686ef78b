"""A truth made of what people signed: fields that were confirmed, corrected or marked absent."""

from collections.abc import Mapping
from typing import Any

from citation_pipeline.core.review.verifications import FieldReview, ReviewState
from citation_pipeline.core.schemas import Schema

# the names that truth files use for the schema's types
_TYPES = {"integer": "number"}


def truth_of_reviews(
    claim_id: str,
    schema: Schema,
    reviews: Mapping[str, FieldReview],
    *,
    shas: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a truth in the shape of a truth file; fields that nobody judged are in neither list.

    With the claim's documents given by hash, a verdict on words of a document that has been exchanged since
    is no truth about the new one and is left out.
    """
    fields: dict[str, Any] = {}
    absent: list[str] = []
    for key, review in reviews.items():
        field = schema.by_key.get(key)
        if field is None or review.awaits_second:
            continue
        if shas is not None and any(shas.get(p.source_id) != p.sha256 for p in review.places.values()):
            continue
        if review.state is ReviewState.ABSENT:
            absent.append(key)
        elif review.state in (ReviewState.CONFIRMED, ReviewState.CORRECTED) and review.value is not None:
            fields[key] = {
                "value": review.value,
                "type": _TYPES.get(field.value_type, field.value_type),
                "citations": [
                    {
                        "source_id": place.source_id,
                        "file": place.source_id,
                        "page": place.page,
                        "boxes": [box.as_dict(digits=None) for box in place.boxes],
                    }
                    for _, place in sorted(review.places.items())
                ],
            }
    return {"claim_id": claim_id, "fields": fields, "absent_fields": absent}
