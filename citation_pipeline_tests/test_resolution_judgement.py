"""What evidence earns: status, score and the reason that decided, at every limit."""

import pytest

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.checks import CONTRADICTIONS, Findings
from citation_pipeline.core.matching.search import Match
from citation_pipeline.core.resolution.judgement import Judgement, judge, noise_limit

RESOLVED, FLAGGED, UNRESOLVED = CitationStatus.RESOLVED, CitationStatus.FLAGGED, CitationStatus.UNRESOLVED


def judged(
    *codes: str,
    similarity: float = 1.0,
    noise: int = 0,
    added: int = 0,
    skipped: int = 0,
    key: int = 60,
    tokens: int = 12,
    method: str = "aligned",
) -> Judgement:
    findings = Findings(codes, round(similarity * key), noise, added, skipped)
    return judge(Match((0, 1), method, similarity, (), findings, key, tokens))


def test_what_is_found_whole_is_resolved_by_its_method() -> None:
    assert judged() == Judgement(RESOLVED, 1.0, (), "aligned")
    assert judged(method="row").reason == "row"
    assert judged("noise", similarity=0.95, noise=2) == Judgement(RESOLVED, 0.95, (), "aligned")


@pytest.mark.parametrize(
    ("similarity", "key", "status"),
    [
        (0.62, 40, RESOLVED),
        (0.61, 40, UNRESOLVED),
        (0.66, 39, RESOLVED),
        (0.65, 39, UNRESOLVED),
        (0.65, 40, RESOLVED),
    ],
)
def test_less_than_most_of_a_quotation_is_another_text(
    similarity: float, key: int, status: CitationStatus
) -> None:
    assert judged(similarity=similarity, key=key).status is status


def test_another_text_keeps_at_most_half_of_a_flagged_score() -> None:
    found = judged("words_added", similarity=0.6)
    assert (found.score, found.warnings, found.reason) == (0.225, ("words_added",), "too_little_found")
    assert judged(similarity=0.2).score == pytest.approx(0.1)
    # parts of a stitched quotation are judged by what they say, not by their share
    assert judged("part_missing:2", similarity=0.5, method="stitched").status is FLAGGED


@pytest.mark.parametrize("code", sorted(CONTRADICTIONS))
def test_whatever_contradicts_flags_below_half(code: str) -> None:
    found = judged("noise", code, similarity=0.9)
    assert (found.status, found.reason, found.warnings) == (FLAGGED, code, (code,))
    assert found.score == pytest.approx(0.45 * 0.9)


def test_the_first_contradiction_decides_and_goes_before_every_other_reason() -> None:
    found = judged("words_skipped", "digits_differ", "word_replaced", skipped=9, noise=50, added=3)
    assert (found.status, found.reason) == (FLAGGED, "digits_differ")
    assert found.score == pytest.approx(0.45 * (1 - 0.18))


@pytest.mark.parametrize(
    ("length", "edits"), [(3, 0), (4, 1), (7, 1), (8, 2), (13, 2), (14, 2.52), (11, 2), (100, 18)]
)
def test_so_many_edits_may_be_noise(length: int, edits: float) -> None:
    assert noise_limit(length) == pytest.approx(edits)
    at_most = int(edits)
    assert judged("noise", noise=at_most, key=length).status is RESOLVED
    too_many = judged("noise", noise=at_most + 1, key=length)
    assert (too_many.status, too_many.reason, too_many.score) == (UNRESOLVED, "too_much_noise", 0.225)
    assert too_many.warnings == ("too_much_noise",)


@pytest.mark.parametrize(
    ("skipped", "tokens", "status"),
    [
        (1, 3, RESOLVED),
        (2, 7, FLAGGED),
        (2, 8, RESOLVED),
        (3, 8, FLAGGED),
        (4, 16, RESOLVED),
        (4, 15, FLAGGED),
        (5, 80, FLAGGED),
    ],
)
def test_one_word_in_four_may_be_left_out_and_never_more_than_four(
    skipped: int, tokens: int, status: CitationStatus
) -> None:
    found = judged("words_skipped", skipped=skipped, tokens=tokens)
    assert found.status is status
    score = 1 - 0.02 * skipped
    assert found.score == pytest.approx(score if status is RESOLVED else 0.45 * score)
    assert found.warnings == ("words_skipped",)


def test_words_left_out_cost_no_more_than_two_fifths_of_the_score() -> None:
    assert judged("words_skipped", skipped=20).score == pytest.approx(0.45 * 0.6)
    assert judged("words_skipped", skipped=90).score == pytest.approx(0.45 * 0.6)


@pytest.mark.parametrize(("code", "added"), [("rewritten", 0), ("words_added", 4)])
def test_a_rewritten_value_and_an_added_word_are_shown_flagged(code: str, added: int) -> None:
    found = judged(code, similarity=0.8, added=added)
    assert (found.status, found.reason) == (FLAGGED, code)
    assert found.score == pytest.approx(0.45 * 0.8)
