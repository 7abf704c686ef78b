"""How sure an answer is, in 0-1, and of what the number is made.

Fitted by logistic regression on the labelled questions of the sample claim (`benchmarks/questions.py --fit`
prints the weights); `benchmarks/questions.py` measures its AUROC on claims that were not fitted. No floor: an
answer without evidence is worth nearly nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.retrieval.evidence import Evidence
from citation_pipeline.core.retrieval.terms import fold_text


@dataclass(frozen=True, slots=True)
class ConfidenceBreakdown:
    """What a confidence is made of, each in 0-1.

    `top_match` is the best statement's score; `agreement` the share of the best three that say the same;
    `coverage` the share of the question that the quoted words cover; `keyword_signal` what of its most
    telling
    word was found.
    """

    top_match: float
    agreement: float
    coverage: float
    keyword_signal: float


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """The fitted weights: an intercept and one weight per part of the breakdown."""

    intercept: float
    top_match: float
    agreement: float
    coverage: float
    keyword_signal: float


WEIGHTS = ConfidenceWeights(-6.41, 3.7, 0.85, 2.05, 3.41)


def break_down(best: Sequence[Evidence]) -> ConfidenceBreakdown:
    """Return the parts for ranked evidence; without any they are 0."""
    if not best:
        return ConfidenceBreakdown(0.0, 0.0, 0.0, 0.0)
    top = best[0]
    agreeing = sum(says_same(top, other) for other in best[1:3])
    return ConfidenceBreakdown(
        top_match=round(min(1.0, max(0.0, top.score)), 4),
        agreement=round((1 + agreeing) / 3, 4),
        coverage=round(top.quoted, 4),
        keyword_signal=round(1.0 - top.missed, 4),
    )


def confidence_of(parts: ConfidenceBreakdown, weights: ConfidenceWeights = WEIGHTS) -> float:
    """Return the probability that the answer is right."""
    total = (
        weights.intercept
        + weights.top_match * parts.top_match
        + weights.agreement * parts.agreement
        + weights.coverage * parts.coverage
        + weights.keyword_signal * parts.keyword_signal
    )
    return 1.0 / (1.0 + math.exp(-total))


def says_same(one: Evidence, other: Evidence) -> bool:
    """Tell whether two pieces of evidence answer alike: the same value, or one text inside the other."""
    a, b = _said(one), _said(other)
    return bool(a) and bool(b) and (a == b or a in b or b in a)


def _said(evidence: Evidence) -> str:
    if evidence.typed is not None:
        return str(evidence.typed.value)
    return fold_text(evidence.statement.text)
