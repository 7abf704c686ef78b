"""Alignment of damaged keys against a slow obvious reference: edit distance of the key to every stretch."""

import random

from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.matching.alignment import align, align_best
from citation_pipeline.core.matching.streams import KeyStream
from citation_pipeline_tests.properties import few_examples

LETTERS = b"abcdefghijklmnopqrstuvwxyz"


def least_edits(key: bytes, text: bytes) -> int:
    """Sellers' algorithm: the least edits between the key and any stretch of the text."""
    row = list(range(len(key) + 1))
    best = row[-1]
    for character in text:
        above = row
        row = [0]
        for number, wanted in enumerate(key, start=1):
            change = above[number - 1] + (wanted != character)
            row.append(min(change, above[number] + 1, row[number - 1] + 1))
        best = min(best, row[-1])
    return best


def random_words(seed: int, count: int) -> list[bytes]:
    numbers = random.Random(seed)
    return [bytes(numbers.choices(LETTERS, k=numbers.randint(2, 9))) for _ in range(count)]


def damaged(key: bytes, edits: int, seed: int) -> bytes:
    numbers = random.Random(seed)
    found = bytearray(key)
    for _ in range(edits):
        place = numbers.randrange(len(found))
        found[place : place + numbers.choice((0, 1, 1))] = bytes(numbers.choices(LETTERS, k=1))
    return bytes(found)


@few_examples(0.3)
@given(st.integers(0, 10**6), st.integers(0, 70), st.integers(6, 14), st.integers(0, 4))
def test_a_damaged_stretch_is_found_with_no_more_edits_than_the_reference_needs(
    seed: int, first: int, count: int, edits: int
) -> None:
    words = random_words(seed, 90)
    stream = KeyStream(words)
    key = damaged(b"".join(words[first : first + count]), edits, seed)
    best = align_best(key, stream)[0]
    assert best.edits == least_edits(key, stream.key)
    planted = int(stream.starts[first])
    assert abs(best.start - best.blocks[0].key - planted) <= edits + 1


@given(
    st.text("ab", min_size=8, max_size=12), st.text("ab", max_size=6), st.integers(0, 4), st.integers(0, 4)
)
def test_verbatim_text_amid_letters_like_its_own_needs_no_edits(
    inner: str, beside: str, before: int, behind: int
) -> None:
    key = f"xxx{inner}ppqqrrsstt{inner}yyy".encode()
    text = f"{beside}{'x' * before}{key.decode()}{'y' * behind}{beside}".encode()
    found = align(key, text, 0, len(text))
    assert found is not None
    assert (found.edits, text[found.start : found.end]) == (0, key)


def test_equal_letters_before_and_behind_a_verbatim_key_do_not_pull_its_ends_away() -> None:
    # the first alignment of this key took three of the five x, two letters too early
    words = random_words(15, 90)
    stream = KeyStream(words)
    best = align_best(b"".join(words[15:21]), stream)[0]
    assert (best.edits, best.start) == (0, int(stream.starts[15]))


@given(st.binary(max_size=60), st.binary(max_size=120), st.integers(-20, 140), st.integers(-20, 140))
def test_any_window_of_any_bytes_can_be_aligned(key: bytes, text: bytes, low: int, high: int) -> None:
    found = align(key, text, low, high)
    for block in found.blocks if found else ():
        assert key[block.key : block.key + block.size] == text[block.place : block.place + block.size]
