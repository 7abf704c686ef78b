"""Spans of tokens and characters are believed where their guards stand, and end as the same citation."""

import pytest

from citation_pipeline.core.citations import Citation, CitationStatus
from citation_pipeline.core.resolution.spans import (
    CharacterSpan,
    TokenSpan,
    resolve_character_span,
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


def test_characters_are_clamped_snapped_to_words_and_put_on_their_page() -> None:
    start = DOCUMENT.text.index("status is")
    found = resolve_character_span(DOCUMENT, CharacterSpan("a", start + 2, start + 8), field_key="f")
    past = resolve_character_span(DOCUMENT, CharacterSpan("a", start, 10**9), field_key="f")
    assert (found.page, words_of(found)) == (2, "status is")
    assert "span_clamped" in past.warnings
    assert past.text_end == len(DOCUMENT.text)


def test_characters_that_hold_another_text_give_way_to_the_text() -> None:
    right = DOCUMENT.text.index("Total")
    found = resolve_character_span(
        DOCUMENT, CharacterSpan("a", right + 30, right + 50, "Total paid $1,234.00"), field_key="f"
    )
    nowhere = resolve_character_span(DOCUMENT, CharacterSpan("a", 0, 10, "Martian canals"), field_key="f")
    assert words_of(found) == "Total paid $1,234.00"
    assert "span_not_believed" in found.warnings
    assert nowhere.status is CitationStatus.UNRESOLVED
