"""Documents that cannot hold a clean hit are told without a search, and no clean hit is ever missed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.bounds import may_hold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline_tests.drawn_documents import text_document

PRINTED = "The sprain is coded S33.5XXA and claim 2024-118375 was paid $1,475.20 on 05/16/2023 at the desk."


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (PRINTED, "coded S33.5XXA and claim 2024-118375"),
        (PRINTED.replace("118375", "ll8375"), "claim 2024-118375 was paid"),
        (PRINTED.replace("1,475.20", "1,47S.2O"), "was paid $1,475.20 on"),
        (PRINTED, "123. The sprain is coded (p. 8800)"),
        (PRINTED, "The sprain is told nowhere in a number"),
        (PRINTED.replace("S33.5XXA", "S33. 5XXA"), "coded S33.5XXA and"),
    ],
)
def test_a_document_that_may_print_the_numbers_is_searched(printed: str, text: str) -> None:
    assert may_hold(DocumentIndex(text_document("a", printed)), text)


@pytest.mark.parametrize(
    "text",
    ["coded S33.5XXB and claim", "claim 2024-118376 was paid", "was paid $1,475.21 on", "paid on 05/16/2032"],
)
def test_a_document_without_a_number_of_the_text_is_not_searched(text: str) -> None:
    assert not may_hold(DocumentIndex(text_document("a", PRINTED)), text)


@given(
    at=st.integers(0, len(PRINTED) - 12),
    length=st.integers(8, 60),
    changes=st.lists(st.tuples(st.integers(0, 59), st.sampled_from("lO0S5B8gq1 ")), max_size=2),
)
def test_no_clean_hit_is_ruled_out(at: int, length: int, changes: list[tuple[int, str]]) -> None:
    text = list(PRINTED[at : at + length])
    for place, character in changes:
        if place < len(text):
            text[place] = character
    index = DocumentIndex(text_document("a", PRINTED))
    best = search_places(index, "".join(text), Hints()).best
    if best is not None and best.judgement.status is CitationStatus.RESOLVED:
        assert may_hold(index, "".join(text))


def test_words_are_found_by_some_of_their_keys_in_the_order_of_the_page() -> None:
    index = DocumentIndex(text_document("a", "Tar, rope. (Tar) sails; ROPE tar"))
    wanted = {b"tar", b"rope", b"oars"}
    assert list(index.keyed(wanted)) == [0, 1, 2, 4, 5]
    assert list(index.keyed({b"oars"})) == []
    assert list(index.written({"Tar,", "tar"})) == [0, 5]
