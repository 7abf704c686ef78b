"""What a match scores: a status, a score and the warnings a reviewer should see.

The thresholds say what may still be called the same text; the probability of being right is `confidence`'s.
"""

from dataclasses import dataclass

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.matches import MOST_SKIPPED_WORDS, Match

FLAGGED_SCORE = 0.45
"""No flagged match scores above this: a contradiction is never near a resolved one."""

_TOKENS_PER_SKIP = 4  # one word in four may be left out: of a short quotation none is spare
_SHORT_KEY, _LEAST_SHORT_COVERAGE = 40, 0.66  # a few common words are side by side in any text
_LEAST_COVERAGE = 0.62  # less than this of the snippet on the page is another text
_SKIP_LOSS, _MOST_SKIP_LOSS = 0.02, 0.4  # of the score, per word left out without an ellipsis
_NOISE_LIMITS = ((4, 0), (8, 1), (14, 2))  # key length below which so many edits may be noise
_NOISE_SHARE = 0.18  # of longer keys


@dataclass(frozen=True, slots=True)
class Judgement:
    """A status with its score in 0-1, the codes of what was found, and the one that decided."""

    status: CitationStatus
    score: float
    warnings: tuple[str, ...]
    reason: str


def judge(match: Match) -> Judgement:
    """Judge a match by its evidence alone."""
    findings = match.findings
    warnings = tuple(code for code in findings.codes if code != "noise")
    score = match.similarity * (1 - min(_MOST_SKIP_LOSS, _SKIP_LOSS * findings.skipped_words))
    least = _LEAST_COVERAGE if match.key_length >= _SHORT_KEY else _LEAST_SHORT_COVERAGE
    # a stitched quotation has its missing parts named instead
    if match.similarity < least and match.method != "stitched":
        return Judgement(
            CitationStatus.UNRESOLVED, min(score, FLAGGED_SCORE) / 2, warnings, "too_little_found"
        )
    # whatever its score: 98 of 100 letters right and the dose wrong is wrong
    if findings.contradictions:
        return Judgement(CitationStatus.FLAGGED, FLAGGED_SCORE * score, warnings, findings.contradictions[0])
    # so many slips in so few letters make another word of any word
    if findings.noise > noise_limit(match.key_length):
        return Judgement(
            CitationStatus.UNRESOLVED,
            FLAGGED_SCORE * score / 2,
            (*warnings, "too_much_noise"),
            "too_much_noise",
        )
    if findings.skipped_words > min(MOST_SKIPPED_WORDS, max(1, match.token_count // _TOKENS_PER_SKIP)):
        return Judgement(CitationStatus.FLAGGED, FLAGGED_SCORE * score, warnings, "words_skipped")
    # the same value, but not what the page prints: a person should see both forms
    if "rewritten" in findings.codes:
        return Judgement(CitationStatus.FLAGGED, FLAGGED_SCORE * score, warnings, "rewritten")
    if findings.added:
        return Judgement(CitationStatus.FLAGGED, FLAGGED_SCORE * score, warnings, "words_added")
    return Judgement(CitationStatus.RESOLVED, score, warnings, match.method)


def noise_limit(key_length: int) -> float:
    """Return how many edits of a key of this length scanners and typists may be blamed for."""
    for length, edits in _NOISE_LIMITS:
        if key_length < length:
            return edits
    return max(2.0, _NOISE_SHARE * key_length)
