"""Key streams: folding, exact lookup and seeds, each against the slow obvious way."""

import pickle
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.matching import streams
from citation_pipeline.core.matching.folding import fold, fold_all
from citation_pipeline.core.matching.streams import GRAM, KeyStream

WORDS = st.lists(st.text(alphabet="abc1", min_size=0, max_size=4), max_size=60)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("ﬁnancial", "financial"),
        ("Straße", "STRASSE"),
        ("Núñez", "nunez"),
        ("co\u00adoperate", "cooperate"),
        ("non\u00a0breaking", "nonbreaking"),
        ("“quoted”—text…", '"quoted"-text...'),
        ("①②", "12"),
        ("Łódź", "lodz"),
        ("N\u0303", "Ñ"),
    ],
)
def test_two_spellings_of_one_text_have_one_key(written: str, plain: str) -> None:
    assert fold(written) == fold(plain)
    assert fold(written)


def test_alphabets_beyond_latin_keep_their_letters_apart() -> None:
    cyrillic = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
    assert len(fold(cyrillic)) == len(cyrillic)
    assert len(set(fold("абвгдежзклмнопрстуфхцчшщъыьэюя"))) == 30
    assert fold("مرحبا") != fold("سلام")


@given(st.lists(st.text(max_size=6), max_size=20))
def test_folding_many_is_folding_each(texts: list[str]) -> None:
    assert fold_all(texts) == [fold(text) for text in texts]


def slow_find(keys: list[bytes], key: bytes) -> list[int]:
    """Every word start at which the key ends with a word, by trying all."""
    starts = [0, *accumulate(len(k) for k in keys)]
    whole = b"".join(keys)
    return sorted(
        {s for s in starts[:-1] if key and whole[s : s + len(key)] == key and s + len(key) in set(starts)}
    )


@given(WORDS, st.integers(0, 59), st.integers(1, 8), st.booleans())
def test_both_ways_of_exact_lookup_find_what_the_slow_way_finds(
    texts: list[str], first: int, count: int, is_long: bool
) -> None:
    keys = [fold(text) for text in texts]
    key = b"".join(keys[first : first + count]) or b"abc"
    stream = KeyStream(keys)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_SCAN_BELOW", 0 if is_long else 10**9)
        assert stream.find_aligned(key, limit=1000) == slow_find(keys, key)


@given(WORDS, st.text(alphabet="abc1", min_size=1, max_size=30))
def test_seeds_are_all_shared_grams_and_nothing_else(texts: list[str], wanted: str) -> None:
    stream = KeyStream([fold(text) for text in texts])
    key = fold(wanted)
    seeds, places = stream.seed_hits(key, budget=10**6)
    slow = {
        (a, b)
        for a in range(len(key) - GRAM + 1)
        for b in range(len(stream.key) - GRAM + 1)
        if key[a : a + GRAM] == stream.key[b : b + GRAM]
    }
    assert set(zip(seeds.tolist(), places.tolist(), strict=True)) == slow


@given(st.lists(st.text(alphabet="ab1", max_size=4), min_size=1, max_size=30))
def test_an_offset_belongs_to_the_word_whose_key_holds_it(texts: list[str]) -> None:
    keys = [fold(text) for text in texts]
    stream = KeyStream(keys)
    owners = [number for number, key in enumerate(keys) for _ in key]
    assert [stream.position_at(offset) for offset in range(len(stream))] == owners


def test_a_stream_survives_pickling() -> None:
    stream = KeyStream([b"one", b"", b"two"])
    copy = pickle.loads(pickle.dumps(stream))
    assert copy.find_aligned(b"two", limit=5) == stream.find_aligned(b"two", limit=5) == [3]
    assert copy.position_at(4) == 2
    assert [found.tolist() for found in copy.seed_hits(b"onetwo", budget=9)] == [
        found.tolist() for found in stream.seed_hits(b"onetwo", budget=9)
    ]
