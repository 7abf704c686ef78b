"""How likely a place is right and says what was quoted: a logistic model over the evidence of the match.

`benchmarks/fit_confidence.py` fits and cross-validates it on spans of documents and on quotations as models
write them, and prints the table below; `docs/resolution.md` holds the figures and the reliability diagram.
Statuses are `judgement`'s and do not depend on it.
"""

import math
from collections.abc import Mapping
from functools import lru_cache

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.checks import EXCUSED, Findings
from citation_pipeline.core.matching.clipped_statements import is_clipped
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.matches import Match
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
PART_CODES = frozenset({"ellipsis_hides", "part_missing", "parts_disordered", "column_differs"})
WORD_CODES = frozenset({"word_replaced", "negation_differs", "mark_differs"})

COEFFICIENTS: Mapping[CitationStatus, Mapping[str, float]] = {
    CitationStatus.RESOLVED: {
        "intercept": 5.6680,
        "unmatched": -0.9214,
        "noise": -0.9217,
        "slips": -1.0487,
        "short": -0.6180,
        "few_tokens": -0.0633,
        "word_misread": -6.2850,
        "words_skipped": -0.6653,
        "word_dropped": -1.1486,
        "chained": -0.8658,
        "assembled": 0.1907,
    },
    CitationStatus.FLAGGED: {
        "intercept": -0.4651,
        "unmatched": -1.6873,
        "noise": -0.0109,
        "slips": -0.5126,
        "short": -0.3543,
        "few_tokens": -0.4458,
        "words_added": 1.4834,
        "word_misread": 0.6549,
        "words_skipped": -0.1790,
        "word_dropped": 0.5275,
        "number_changed": -4.2605,
        "word_changed": -1.7508,
        "parts_doubtful": 0.3095,
        "rows_mixed": -1.2118,
        "rewritten": 3.1269,
        "several_changes": -0.0374,
        "chained": -0.5373,
        "assembled": -1.1387,
    },
}
"""Fitted weights; `intercept` is the weight of a match without a blemish."""

CEILINGS: Mapping[CitationStatus, float] = {
    CitationStatus.RESOLVED: 0.999,  # a quotation cannot prove that no other place was meant
    CitationStatus.FLAGGED: 0.8,  # what a person must look at is never shown as nearly certain
    CitationStatus.UNRESOLVED: 0.0,
}
"""The most that a status may say."""

DOUBTFUL_CEILING = 0.5
"""The most of a place in which one word reads as another, that leaves a word out that may limit it, or that
says a pronoun where the quotation names somebody."""

CLIPPED_CEILING = 0.95
"""The most of a statement that is quoted without the rest of its sentence, or without its label."""

DOUBTFUL = frozenset(
    {
        "word_misread",
        "word_dropped",
        "words_bracketed",
        "attributed",
        "ellipsis_joins",
        "denial_beside",
        "turn_left_out",
    }
)


def features_of(match: Match) -> dict[str, float]:
    """Return what the model weighs: shares of the key in 0-1, counts on a log scale, and yes or no as 1 or
    0."""
    findings = match.findings
    codes = {code.partition(":")[0] for code in findings.codes}
    length = max(1, match.key_length)
    return {
        "unmatched": 1.0 - match.similarity,
        "noise": findings.noise / length,
        "slips": math.log1p(findings.noise),
        "short": 1.0 / length,
        "few_tokens": 1.0 / max(1, match.token_count),
        "words_added": float("words_added" in codes),
        # among much noise a word made of another is likelier noise than an alteration
        "word_misread": ("word_misread" in codes) / max(1.0, math.sqrt(findings.noise)),
        "words_skipped": math.log1p(findings.skipped_words),
        "word_dropped": float("word_dropped" in codes),
        "number_changed": float(bool(codes & NUMBER_CODES)),
        "word_changed": float(bool(codes & WORD_CODES)),
        "parts_doubtful": float(bool(codes & PART_CODES)),
        "rows_mixed": float("row_differs" in codes),
        "rewritten": float("rewritten" in codes),
        "several_changes": max(0.0, len(codes - EXCUSED) - 1.0),
        "chained": float(match.method == "chained"),
        "assembled": float(match.method in ("stitched", "headed_row", "inside")),
    }


def confidence_of(match: Match, judgement: Judgement) -> float:
    """Return the probability that the place is right and says what was quoted; 0 where it is unresolved."""
    if judgement.status is CitationStatus.UNRESOLVED:
        return 0.0
    return _confidence(
        judgement.status,
        match.method,
        match.similarity,
        match.findings,
        match.key_length,
        match.token_count,
    )


def confidence_at(index: DocumentIndex, match: Match, judgement: Judgement) -> float:
    """Return the probability as `confidence_of` has it, and less of a statement without its sentence."""
    found = confidence_of(match, judgement)
    # what is said of any other place is below it already
    return CLIPPED_CEILING if found > CLIPPED_CEILING and is_clipped(index, match) else found


@lru_cache(maxsize=4096)
def _confidence(
    status: CitationStatus,
    method: str,
    similarity: float,
    findings: Findings,
    key_length: int,
    token_count: int,
) -> float:
    """Return the probability by the evidence alone: that of many quotations is the same."""
    weights = COEFFICIENTS[status]
    evidence = 0.0
    features = features_of(Match((), method, similarity, (), findings, key_length, token_count))
    for name, value in features.items():
        if value:  # of most places all but three are 0
            evidence += weights.get(name, 0.0) * value
    total = weights["intercept"] + evidence
    # the model is fitted on what is usual; the ceilings hold for what was not in its data
    most = CEILINGS[status]
    if DOUBTFUL & set(findings.codes):
        most = min(most, DOUBTFUL_CEILING)
    return round(min(most, 1.0 / (1.0 + math.exp(-total))), 6)
