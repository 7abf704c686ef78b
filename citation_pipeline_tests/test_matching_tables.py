"""The tables of a document index against the slow, obvious way: rows, grams, votes, occurrences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.matching import streams
from citation_pipeline.core.matching.alignment import (
    _BIN,
    align_best,
    align_further,
    may_be_noisy,
    vote,
)
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.loci import dense_places
from citation_pipeline.core.matching.rows import order_rows
from citation_pipeline.core.matching.streams import KeyStream
from citation_pipeline.core.matching.tallies import first_largest
from citation_pipeline.core.resolution.hints import Hints
from citation_pipeline.core.resolution.places import search_places
from citation_pipeline.core.resolution.queries import read_words

EDGES = st.sampled_from([0.0, 0.1, 0.104, 0.11, 0.2, 0.25, 0.3, float("nan"), float("inf")])
HEIGHTS = st.sampled_from([0.0, 0.01, 0.012, 0.02, 0.1])
PAGE_WORDS = st.lists(st.tuples(st.integers(1, 3), EDGES, EDGES, HEIGHTS), max_size=14)


def words_of(drawn: list[tuple[int, float, float, float]]) -> Words:
    rows = [[f"w{n}", page, left, top, 0.05, height] for n, (page, left, top, height) in enumerate(drawn)]
    return read_words({"words": rows})


def slow_rows(drawn: list[tuple[int, float, float, float]]) -> list[int]:
    """By page and centre each word joins the row before that it shares its height with."""
    plain = [(page, float(np.nan_to_num(top, nan=0.0, posinf=1.0)), height) for page, _, top, height in drawn]
    sequence = sorted(range(len(plain)), key=lambda n: (plain[n][0], plain[n][1] + plain[n][2] / 2))
    numbers = [0] * len(plain)
    row, held = -1, (-1, 0.0, 0.0)
    for word in sequence:
        page, top, height = plain[word]
        bottom = top + height
        shared = min(bottom, held[2]) - max(top, held[1])
        if page != held[0] or shared < 0.5 * min(height, held[2] - held[1]):
            row, held = row + 1, (page, top, bottom)
        elif height < held[2] - held[1]:
            held = (page, top, bottom)
        numbers[word] = row
    return numbers


@given(PAGE_WORDS)
@settings(deadline=None)
def test_rows_are_those_of_the_slow_way_also_for_pages_out_of_order(
    drawn: list[tuple[int, float, float, float]],
) -> None:
    found = order_rows(words_of(drawn))
    rows = slow_rows(drawn)
    assert found.row.tolist() == rows
    lefts = [float(np.nan_to_num(left, nan=0.0, posinf=1.0)) for _, left, _, _ in drawn]
    assert found.order.tolist() == sorted(range(len(drawn)), key=lambda n: (rows[n], lefts[n], n))
    assert [found.order[rank] for rank in found.rank] == list(range(len(drawn)))


@given(st.lists(st.text(alphabet="ab", max_size=5), min_size=1, max_size=60), st.integers(1, 7))
@settings(deadline=None)
def test_a_gram_table_built_in_chunks_is_the_one_built_at_once(texts: list[str], chunk: int) -> None:
    keys = [fold(text) for text in texts]
    whole = KeyStream(keys)._grams
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_CHUNK", chunk)
        parts = KeyStream(keys)._grams
    assert whole[0] == parts[0]
    assert whole[1].tolist() == parts[1].tolist()
    assert whole[2].tolist() == parts[2].tolist()


@given(st.lists(st.integers(0, 6), max_size=80), st.integers(1, 12))
def test_the_first_largest_are_those_of_a_whole_sort(numbers: list[int], count: int) -> None:
    wanted = sorted(range(len(numbers)), key=lambda n: (-numbers[n], n))[:count]
    assert first_largest(np.asarray(numbers, np.int64), count).tolist() == wanted


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 900)), min_size=1, max_size=40), st.data())
def test_the_winner_of_a_vote_has_as_many_seeds_as_any_two_bins_side_by_side(
    hits: list[tuple[int, int]], data: st.DataObject
) -> None:
    seeds, places = (np.asarray(column, np.int64) for column in zip(*hits, strict=True))
    count = data.draw(st.integers(1, 5))
    low = min(place - seed for seed, place in hits)
    bins = [(place - seed - low) // _BIN for seed, place in hits]
    sums = {number: bins.count(number) + bins.count(number + 1) for number in bins}
    chosen = [(diagonal - low) // _BIN for diagonal in vote(seeds, places, count=count)]
    assert sums[chosen[0]] == max(sums.values())
    assert len(chosen) <= count
    assert all(abs(a - b) > 1 for n, a in enumerate(chosen) for b in chosen[:n])
    assert [sums[number] for number in chosen] == sorted((sums[number] for number in chosen), reverse=True)


def test_a_text_on_a_noisy_page_is_aligned_there_and_not_with_what_is_like_it() -> None:
    lines = [f"the provider or its representatives shall inform recipient {n} of" for n in range(40)]
    noisy = "the provlder t0 any ropresentative of"
    keys = [fold(word) for line in [*lines[:20], noisy, *lines[20:]] for word in line.split()]
    stream = KeyStream(keys)
    key = fold("the provider to any representative of")
    usual = align_best(key, stream)
    assert may_be_noisy(key, usual)
    further = align_further(key, stream, usual, lambda place: True)
    assert fold(noisy) in [stream.key[found.start : found.end] for found in further]


def test_the_densest_places_come_first_and_neighbours_once() -> None:
    filler = [fold(f"x{n}y{n * 7919}") for n in range(2000)]
    phrase = [fold(word) for word in ["benefits", "ended", "when", "surgery", "was", "finally", "authorized"]]
    keys = [*filler[:600], *phrase[:3], *filler[600:1400], *phrase, *filler[1400:]]
    stream = KeyStream(keys)
    places = dense_places(stream, b"".join(phrase))
    assert places
    whole = stream.key.index(b"".join(phrase))
    assert abs(places[0] - whole) < 1024


@given(
    st.lists(st.sampled_from(["a", "ab", "b", "", "abc", "abcd", "1"]), min_size=1, max_size=40),
    st.sampled_from(["a", "ab", "abc", "b1", "aab", "abcdab", "1"]),
)
def test_a_long_streams_lookup_finds_short_keys_as_the_scan_does(texts: list[str], wanted: str) -> None:
    keys = [fold(text) for text in texts]
    scanned = KeyStream(keys).find_all(fold(wanted)).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_SCAN_BELOW", 0)
        assert KeyStream(keys).find_all(fold(wanted)).tolist() == scanned


def test_the_visual_stream_holds_the_pages_that_rows_order_otherwise() -> None:
    def page(number: int, columns: bool) -> list[list[object]]:
        places = [(0.1, 0.1), (0.1, 0.2), (0.5, 0.1), (0.5, 0.2)]
        if not columns:
            places.sort(key=lambda place: place[::-1])
        return [[f"p{number}w{n}", number, left, top, 0.05, 0.01] for n, (left, top) in enumerate(places)]

    words = page(1, False) + page(2, True) + page(3, False)
    index = DocumentIndex(read_words({"words": words}))
    assert index.visual.words is not None
    assert [index.words.texts[w] for w in index.visual.words] == ["p2w0", "p2w2", "p2w1", "p2w3"]
    assert index.visual.key == b"p2w0p2w2p2w1p2w3"


def test_the_first_words_with_a_key_are_named_by_their_offsets() -> None:
    index = DocumentIndex(
        read_words({"words": [[t, 1, 0.1, 0.1, 0.1, 0.1] for t in ["ab", "c", "Ab", "-", "ab"]]})
    )
    assert index.offsets_of(b"ab", most=2) == [0, 3]
    assert index.offsets_of(b"ab", most=9) == [0, 3, 5]
    assert index.offsets_of(b"zz", most=9) == []


def test_a_noisy_place_with_the_digits_is_found_beside_clean_ones_with_others() -> None:
    lines = [f"the clinic delivered {n} boxes of gloves and bandages" for n in range(10, 20)]
    lines = [
        f"{line} which nobody at the desk had asked for in the week before {n}"
        for n, line in enumerate(lines)
    ]
    noisy = "the olinic dellvered 35 bozes of glovcs and bandages"
    words = [
        [word, 1, 0.05 * column, 0.02 * row, 0.04, 0.01]
        for row, line in enumerate(
            [*lines[:5], f"{noisy} {'as was noted later on by somebody else ' * 2}", *lines[5:]]
        )
        for column, word in enumerate(line.split())
    ]
    index = DocumentIndex(read_words({"words": words}))
    search = search_places(index, "the clinic delivered 35 boxes of gloves and bandages", Hints())
    found = [" ".join(index.words.texts[word] for word in place.match.words) for place in search.places]
    assert noisy in found
