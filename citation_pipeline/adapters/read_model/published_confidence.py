"""The confidence of an answer as the published design computes it: weighted parts, a boost, a floor.

Given beside the fitted confidence and never instead of it: a floor shows a guess as likely.
"""

from dataclasses import dataclass

from citation_pipeline.adapters.read_model.shapes import ConfidenceView, PublishedConfidence

_TOP, _AGREEMENT, _COVERAGE = 0.62, 0.23, 0.15  # the design's weights


@dataclass(frozen=True, slots=True)
class ConfidenceRules:
    """The least confidence of what was found, and the most that the question's words add; 0: none."""

    floor: float = 0.0
    keyword_boost: float = 0.0

    @property
    def are_used(self) -> bool:
        """Tell whether anybody asked for this confidence."""
        return self.floor > 0 or self.keyword_boost > 0


def published_confidence(
    fitted: ConfidenceView, rules: ConfidenceRules, *, is_found: bool
) -> PublishedConfidence | None:
    """Return the design's confidence and its parts, None where no setting asks for them."""
    if not rules.are_used:
        return None
    boost = rules.keyword_boost * fitted.keyword_signal
    base = _TOP * fitted.value + _AGREEMENT * fitted.agreement + _COVERAGE * fitted.coverage
    summed = min(max(base + boost, 0.0), 1.0)
    is_raised = is_found and summed < rules.floor
    return PublishedConfidence(
        confidence=round(rules.floor if is_raised else summed, 4),
        top1_raw=fitted.top_match,
        top1_calibrated=fitted.value,
        agreement_rerank=fitted.agreement,
        agreement_similarity=fitted.agreement,
        coverage=fitted.coverage,
        keyword_top1=fitted.keyword_signal,
        keyword_boost=round(boost, 4),
        floor_applied=rules.floor if is_raised else None,
    )
