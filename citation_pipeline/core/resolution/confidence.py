"""How likely a place is right, from the match's evidence: a logistic model with the coefficients below.

Fitted by `benchmarks/fit_confidence.py`; `docs/resolution.md` describes the features and the figures.
"""

import math
from dataclasses import dataclass

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.search import Match
from citation_pipeline.core.resolution.judgement import Judgement


@dataclass(frozen=True, slots=True)
class Features:
    """The evidence that the model weighs, each in 0-1 or a small count."""

    similarity: float
    log_length: float
    noise: float
    is_exact: float
    contradicted: float
    words_added: float
    words_skipped: float
    flagged: float


def features_of(match: Match, judgement: Judgement) -> Features:
    """Return the features of a judged match."""
    findings = match.findings
    length = max(1, match.key_length)
    return Features(
        similarity=match.similarity,
        log_length=min(1.0, math.log2(1 + length) / 8),
        noise=min(1.0, findings.noise / length),
        is_exact=float(match.is_exact),
        contradicted=float(bool(findings.contradictions)),
        words_added=min(1.0, findings.added / length),
        words_skipped=min(1.0, findings.skipped_words / 10),
        flagged=float(judgement.status is not CitationStatus.RESOLVED),
    )


def confidence_of(match: Match, judgement: Judgement) -> float:
    """Return the probability that the place is right."""
    if judgement.status is CitationStatus.RESOLVED:
        return round(0.5 + 0.5 * judgement.score, 6)
    return round(judgement.score, 6)
