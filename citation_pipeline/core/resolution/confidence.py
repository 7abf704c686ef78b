"""How likely a place is right and says what was quoted: a logistic model over the evidence of the match.

`benchmarks/fit_confidence.py` fits and cross-validates it on the development half of the benchmark and prints
the table below; `docs/resolution.md` holds the figures. Statuses are `judgement`'s and do not depend on it.
"""

import math
from collections.abc import Mapping

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.search import Match
from citation_pipeline.core.resolution.judgement import Judgement

NUMBER_CODES = frozenset(
    {
        "digits_differ",
        "number_differs",
        "number_added",
        "number_skipped",
        "sign_differs",
        "range_differs",
        "comparator_differs",
        "code_differs",
        "unit_sign_differs",
        "unit_differs",
    }
)
WORD_CODES = frozenset({"word_replaced", "negation_differs", "mark_differs"})

COEFFICIENTS: Mapping[str, float] = {
    "intercept": 4.7611,
    "unmatched": -1.1080,
    "noise": 0.0865,
    "short": -0.7684,
    "words_added": 0.3185,
    "words_skipped": 0.0466,
    "number_changed": -4.5808,
    "word_changed": -2.2908,
    "several_changes": 0.1365,
    "chained": -0.2730,
    "flagged": -3.7835,
}
"""Fitted weights; `intercept` is the weight of a match without a blemish."""


def features_of(match: Match, judgement: Judgement) -> dict[str, float]:
    """Return what the model weighs: shares of the key in 0-1, counts on a log scale, and yes or no as 1 or
    0."""
    findings = match.findings
    codes = set(findings.codes)
    length = max(1, match.key_length)
    return {
        "unmatched": 1.0 - match.similarity,
        "noise": findings.noise / length,
        "short": 1.0 / length,
        "words_added": float("words_added" in codes),
        "words_skipped": math.log1p(findings.skipped_words),
        "number_changed": float(bool(codes & NUMBER_CODES)),
        "word_changed": float(bool(codes & WORD_CODES)),
        "several_changes": max(0.0, len(codes - {"noise"}) - 1.0),
        "chained": float(match.method == "chained"),
        "flagged": float(judgement.status is CitationStatus.FLAGGED),
    }


def confidence_of(match: Match, judgement: Judgement) -> float:
    """Return the probability that the place is right, 0 for an unresolved snippet."""
    if judgement.status is CitationStatus.UNRESOLVED:
        return 0.0
    features = features_of(match, judgement)
    total = COEFFICIENTS["intercept"] + sum(COEFFICIENTS[name] * value for name, value in features.items())
    return round(1.0 / (1.0 + math.exp(-total)), 6)
