"""How much a field needs a person's eye: reasons with weights, added up.

The weights order a queue; they are not probabilities. Their order is the argument: a disagreement with a
person comes first, then a value without a place, then a place that was flagged, then doubt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.extraction import Provenance
from citation_pipeline.core.review.standing import awaits_second
from citation_pipeline.core.viewer.sureness import LOW, MEDIUM, sureness

WEIGHTS: Mapping[str, float] = {
    "conflict": 100,  # a person's word against the pipeline's: nobody else can settle it
    "awaiting_second": 60,  # one person has signed; a second, different one has to
    "uncited": 55,  # nothing on any page is behind the value
    "unresolved": 50,  # a quoted text that no page holds
    "flagged": 40,  # found, but digits, a date or a negation differ
    "low_confidence": 30,
    "value_warning": 20,  # the value itself was read with a caveat
    "read_twice": 18,  # two recognitions of the scan have other letters in the value itself
    "inferred": 15,
    "weak_place": 15,  # the place's own confidence is under one half
    "partly_unresolved": 12,  # one of several citations has no place
    "medium_confidence": 10,
    "ambiguous": 8,  # the same text is in several places
}


_AFTER_REVIEW = ("conflict", "awaiting_second")


@dataclass(frozen=True, slots=True)
class Risk:
    """`score` is 0 for a field that needs nobody; `reasons` are WEIGHTS' codes, heaviest first."""

    score: float
    reasons: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        """Return the two under their names."""
        return {"score": round(self.score, 2), "reasons": list(self.reasons)}


def risk_of(field: Mapping[str, Any], *, is_reviewed: bool) -> Risk:
    """Weigh one field of a viewer dataset; what a person decided is only a risk while it is not settled."""
    reasons = [reason for reason in _reasons(field) if not is_reviewed or reason in _AFTER_REVIEW]
    reasons.sort(key=lambda reason: -WEIGHTS[reason])
    score = sum(WEIGHTS[reason] for reason in reasons)
    places = [citation.get("confidence", 1.0) for citation in field["citations"]]
    # among equals, the weaker place first: less than any weight
    return Risk(score + (0 if is_reviewed else 1 - min(places, default=0.0)), tuple(reasons))


def _reasons(field: Mapping[str, Any]) -> list[str]:
    placed, lost = field["citations"], field.get("unresolvedCitations", [])
    is_given = field.get("provenance") == Provenance.USER_PROVIDED.value
    asked = {
        "conflict": bool(field.get("conflicts")),
        "awaiting_second": awaits_second(field),
        "uncited": not placed and not lost and not is_given,
        "unresolved": not placed and bool(lost),
        "partly_unresolved": bool(placed) and bool(lost),
        "flagged": any(citation.get("status") == "flagged" for citation in placed),
        "low_confidence": sureness(field) == LOW,
        "medium_confidence": sureness(field) == MEDIUM,
        "value_warning": bool(field.get("warnings")),
        "read_twice": any(
            one.get("inValue") for citation in placed for one in citation.get("secondReadings", ())
        ),
        "inferred": field.get("provenance") == Provenance.INFERRED.value,
        "weak_place": any(citation.get("confidence", 1.0) < 0.5 for citation in placed),
        "ambiguous": any(len(citation.get("candidates", ())) > 1 for citation in placed),
    }
    return [reason for reason, holds in asked.items() if holds]
