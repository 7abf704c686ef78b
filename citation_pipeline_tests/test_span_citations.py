"""Spans of tokens and characters are believed where their guards stand, and end as the same citation."""

import pytest

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.resolution.spans import (
    TokenSpan,
    narrow,
    resolve_token_span,
)
from citation_pipeline_tests.drawn_documents import block_of, document_of

DOCUMENT = document_of(
    "a",
    [
        block_of(["Date of injury: April 4, 2022", "Total paid $1,234.00 to date"]),
        block_of(["Claim status is open", "Insured since 2019"], page=2),
    ],
)
TEXTS = DOCUMENT.words.texts


def tokens(first: int, last: int, **more: str) -> Citation:
    return resolve_token_span(DOCUMENT, TokenSpan("a", first, last, **more), field_key="f")


def words_of(citation: Citation) -> str:
    return " ".join(TEXTS[w] for a, b in citation.word_ranges for w in range(a, b))


def test_a_guarded_span_is_the_words_it_counts_and_the_answer_is_narrowed() -> None:
    found = tokens(0, 5, start_text="Date", end_text="2022", substr="April 4, 2022")
    assert (found.status, found.score) == (CitationStatus.RESOLVED, 1.0)
    assert words_of(found) == "Date of injury: April 4, 2022"
    assert found.value[0].boxes[0].left == pytest.approx(DOCUMENT.words.boxes[3][0])
    assert DOCUMENT.text[found.text_start : found.text_end] == found.snippet_text


def test_a_miscounted_span_moves_to_where_its_guards_stand() -> None:
    found = tokens(3, 8, start_text="Total", end_text="$1,234.00")
    assert words_of(found) == "Total paid $1,234.00"
    assert "span_moved" in found.warnings
    assert found.status is CitationStatus.RESOLVED


def test_a_span_whose_guards_stand_nowhere_near_is_found_by_its_text_or_not_at_all() -> None:
    by_text = tokens(0, 2, start_text="Insured", end_text="1999", substr="Claim status is open")
    nothing = tokens(0, 2, start_text="Martian", end_text="canal")
    assert words_of(by_text) == "Claim status is open"
    assert "span_not_believed" in by_text.warnings
    assert nothing.status is CitationStatus.UNRESOLVED
    assert tuple(nothing.snippet) == ()


@pytest.mark.parametrize(
    ("first", "last", "warning"),
    [(5, 0, "span_reversed"), (-4, 2, "span_clamped"), (12, 10**9, "span_clamped")],
)
def test_a_span_out_of_bounds_is_put_right_and_says_so(first: int, last: int, warning: str) -> None:
    found = tokens(first, last)
    assert warning in found.warnings
    assert found.word_ranges


def test_an_answer_that_its_span_does_not_hold_is_flagged() -> None:
    found = tokens(0, 5, substr="May 5, 2023")
    assert found.status is CitationStatus.FLAGGED
    assert "substr_not_in_span" in found.warnings


def test_tokens_of_a_part_of_the_document_are_counted_from_its_start() -> None:
    shown = [n for n in range(len(TEXTS)) if DOCUMENT.words.page[n] == 2]
    found = resolve_token_span(DOCUMENT, TokenSpan("a", 0, 3, "Claim", "open"), field_key="f", tokens=shown)
    assert (found.page, words_of(found)) == (2, "Claim status is open")


LONG = document_of("long", [block_of([f"w{n}x"], top=0.05) for n in range(450)])


@pytest.mark.parametrize(("count", "is_long"), [(400, False), (401, True)])
def test_a_span_of_more_than_a_page_of_words_is_flagged_at_half_its_score(count: int, is_long: bool) -> None:
    by_tokens = resolve_token_span(
        LONG, TokenSpan("long", 10, 9 + count, "w10x", f"w{9 + count}x"), field_key="f"
    )
    assert ("span_too_long" in by_tokens.warnings) == is_long
    assert (by_tokens.status is CitationStatus.FLAGGED) == is_long
    assert sum(b - a for a, b in by_tokens.word_ranges) == count
    assert by_tokens.score == (0.45 if is_long else 1.0)
    assert by_tokens.confidence == by_tokens.score


def test_a_span_of_nothing_that_was_shown_is_unresolved_and_says_why() -> None:
    found = resolve_token_span(DOCUMENT, TokenSpan("a", 0, 3), field_key="f", tokens=[])
    assert (found.status, found.reason, found.word_ranges) == (CitationStatus.UNRESOLVED, "nothing_shown", ())


def test_a_span_that_nothing_confirms_counts_for_less_than_a_confirmed_one() -> None:
    assert tokens(0, 5).score == 0.8
    assert tokens(0, 5, start_text="Date").score == tokens(0, 5, end_text="2022").score == 1.0
    assert tokens(1, 6, start_text="Date", end_text="2022").score == 0.9


@pytest.mark.parametrize(("by", "status"), [(12, "resolved"), (-12, "resolved"), (13, "no"), (-13, "no")])
def test_guards_are_looked_for_a_dozen_words_away_and_no_farther(by: int, status: str) -> None:
    found = resolve_token_span(LONG, TokenSpan("long", 100 + by, 101 + by, "w100x", "w101x"), field_key="f")
    if status == "no":
        assert "span_moved" not in found.warnings
        assert found.status is CitationStatus.UNRESOLVED
    else:
        assert found.word_ranges == ((100, 102),)
        assert "span_moved" in found.warnings


REPEATED = document_of("r", [block_of(["pay the sum of one to pay the sum of two to pay the rest of it"])])


@pytest.mark.parametrize(
    ("first", "last", "start", "end", "words"),
    [
        (5, 9, "pay", "two", (6, 11)),  # the nearer "pay"
        (3, 5, "pay", "one", (0, 5)),
        (11, 14, "pay", "", (12, 15)),  # the end is kept where only the start is confirmed
        (4, 6, "", "two", (4, 11)),
        (7, 9, "the sum", "sum of two", (7, 11)),  # a guard of several words
        (0, 4, "pa", "ne", (0, 5)),  # and a part of one
    ],
)
def test_a_span_moves_to_the_nearest_place_of_its_guards(
    first: int, last: int, start: str, end: str, words: tuple[int, int]
) -> None:
    span = TokenSpan("r", first, last, start, end)
    found = resolve_token_span(REPEATED, span, field_key="f")
    assert found.word_ranges == (words,)
    assert ("span_moved" in found.warnings) == ((first, last + 1) != words)


def test_a_sign_confirms_nothing() -> None:
    document = document_of("s", [block_of(["Total - due"])])
    found = resolve_token_span(document, TokenSpan("s", 1, 1, "due"), field_key="f")
    assert found.word_ranges == ()
    whole = resolve_token_span(document, TokenSpan("s", 0, 2, "Total", "due"), field_key="f")
    assert (whole.word_ranges, whole.score) == (((0, 3),), 1.0)


def test_a_part_of_a_span_is_narrowed_to_the_words_that_state_it() -> None:
    ids = list(range(6))  # Date of injury: April 4, 2022
    assert narrow(DOCUMENT, ids, "injury") == [2]
    assert narrow(DOCUMENT, ids, "of injury: Apr") == [1, 2, 3]
    assert narrow(DOCUMENT, ids, "4, 20") == [4, 5]
    assert narrow(DOCUMENT, ids, "May") == narrow(DOCUMENT, ids, " - ") == []
    assert narrow(DOCUMENT, ids[3:], "injury") == []
