"""Which words of a page each word of a quotation stands for, against a slow, plain way to the same answer."""

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from citation_pipeline.core.matching.alignment import EqualBlock, align
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.pairing import Pair, PairKind, pair_blocks, pair_cheapest
from citation_pipeline.core.matching.snippets import prepare
from citation_pipeline.core.resolution.queries import read_words
from citation_pipeline_tests.matches import find_matches
from citation_pipeline_tests.properties import few_examples

SHAPES = ((1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2))
WORDS = st.lists(st.text("abc", min_size=1, max_size=5), max_size=5)


def index_of(*texts: str) -> DocumentIndex:
    """A document of one line; a word of signs alone has no key."""
    return DocumentIndex(
        read_words({"words": [[t, 1, 0.02 * n, 0.1, 0.015, 0.01] for n, t in enumerate(texts)]})
    )


def least_cost(tokens: Sequence[str], words: Sequence[str], free_head: int, free_tail: int) -> float:
    """The edits of the best pairing, every choice tried."""

    @cache
    def rest(i: int, j: int) -> float:
        options = [0.0] if i == len(tokens) and j == len(words) else []
        if i < len(tokens):
            options.append(len(tokens[i]) + rest(i + 1, j))
        if j < len(words):
            is_free = (i == 0 and j < free_head) or (i == len(tokens) and j >= len(words) - free_tail)
            options.append((0 if is_free else len(words[j])) + rest(i, j + 1))
        for a, b in SHAPES:
            ours, theirs = "".join(tokens[i : i + a]), "".join(words[j : j + b])
            is_alike = a == b == 1 or 2 * abs(len(ours) - len(theirs)) <= len(ours) + len(theirs)
            if i + a <= len(tokens) and j + b <= len(words) and is_alike:
                edits = Levenshtein.distance(ours, theirs) + 0.1 * (a + b - 2)
                options.append(edits + rest(i + a, j + b))
        return min(options)

    return rest(0, 0)


def cost_of(pair: Pair) -> float:
    shape = pair.tokens[1] - pair.tokens[0] + len(pair.words) - 2
    is_alone = pair.kind in (PairKind.ADDED, PairKind.SKIPPED)
    return pair.edits + (0 if is_alone else 0.1 * shape)


def assert_tells_the_truth(pairs: Sequence[Pair], tokens: Sequence[str], words: Sequence[str]) -> None:
    """Every token has its place in order, and each pair is what it says it is."""
    named = [token for pair in pairs if pair.kind is not PairKind.SKIPPED for token in range(*pair.tokens)]
    assert named == list(range(len(tokens)))
    used = [word for pair in pairs for word in pair.words]
    assert used == sorted(set(used))
    for pair in pairs:
        ours = "".join(tokens[slice(*pair.tokens)])
        theirs = "".join(words[word] for word in pair.words)
        if pair.kind is PairKind.SAME:
            assert (ours, pair.edits) == (theirs, 0)
        elif pair.kind is PairKind.LIKE:
            assert pair.edits == Levenshtein.distance(ours, theirs) > 0
        elif pair.kind is PairKind.ADDED:
            assert (pair.words, pair.edits) == ((), len(ours))
        else:
            assert (pair.tokens, pair.edits) == ((0, 0), len(theirs))


@given(WORDS, WORDS, st.integers(0, 2), st.integers(0, 2))
def test_words_are_paired_with_the_fewest_edits_of_all_ways(
    tokens: list[str], words: list[str], head: int, tail: int
) -> None:
    head, tail = min(head, len(words)), min(tail, max(0, len(words) - head))
    free = range(head), range(len(words) - tail, len(words))
    pairs = pair_cheapest(
        prepare(" ".join(tokens)),
        index_of(*words),
        list(range(len(tokens))),
        list(range(len(words))),
        free=free,
    )
    assert_tells_the_truth(pairs, tokens, words)
    assert sum(map(cost_of, pairs)) == pytest.approx(least_cost(tokens, words, head, tail))
    unused = set(range(len(words))) - {word for pair in pairs for word in pair.words}
    assert unused <= set(range(head)) | set(range(len(words) - tail, len(words)))


EDITS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from("cdjr"), st.text("abc", min_size=1, max_size=3)), max_size=4
)


def altered(words: Sequence[str], edits: Sequence[tuple[int, str, str]]) -> list[str]:
    """Words of a page as somebody quotes them: one changed, dropped, joined with the next, or put in."""
    quoted = list(words)
    for place, kind, letters in edits:
        at = place % len(quoted)
        if kind == "c":
            quoted[at] = letters + quoted[at][1:]
        elif kind == "d" and len(quoted) > 1:
            del quoted[at]
        elif kind == "j" and at + 1 < len(quoted):
            quoted[at : at + 2] = ["".join(quoted[at : at + 2])]
        else:
            quoted.insert(at, letters)
    return quoted


@given(st.lists(st.text("abcdefgh", min_size=2, max_size=7), min_size=3, max_size=9), EDITS)
@few_examples(0.5)
def test_an_alignments_pairs_name_every_token_once_and_every_word_that_was_left_out(
    words: list[str], edits: list[tuple[int, str, str]]
) -> None:
    page = ["xx", "--", *words, "(", "yy"]
    tokens = altered(words, edits)
    index, snippet = index_of(*page), prepare(" ".join(tokens))
    stream = index.reading
    found = align(snippet.key, stream.key, 0, len(stream))
    if found is None:
        return
    pairs = pair_blocks(snippet, index, stream, found.blocks, first_token=0, last_token=len(tokens))
    assert_tells_the_truth(pairs, tokens, page)
    used = [word for pair in pairs for word in pair.words]
    inner = range(used[0], used[-1] + 1) if used else ()
    assert [word for word in inner if index.keys[word]] == used
    if tokens == words:
        assert [pair.words for pair in pairs] == [(word + 2,) for word in range(len(words))]


def kinds(*printed: str, quoted: str) -> list[tuple[str, str]]:
    """How the words of a line are paired with a quotation: kind and words of each pair."""
    (match, *_) = find_matches(index_of(*printed), quoted)
    return [(pair.kind.value, " ".join(printed[word] for word in pair.words)) for pair in match.pairs]


LINE = ("Applicant", "sustained", "an", "injury", "while", "lifting", "crates", "yesterday")


@pytest.mark.parametrize(
    ("quoted", "pairs"),
    [
        ("sustained an injury whlle lifting", {("like", "while")}),
        ("sustained aninjury while liftlng crates", {("same", "an injury"), ("like", "lifting")}),
        ("sustained an in jury while liftlng crates", {("same", "injury"), ("like", "lifting")}),
        ("sustained an injury lifting crates", {("skipped", "while")}),
        ("sustained an injury badly while lifting", {("added", "")}),
        # a damaged word at either end belongs to the word beside the stretch that is equal
        ("Applioant sustained an injury", {("like", "Applicant")}),
        ("while lifting crates yesterdav", {("like", "yesterday")}),
    ],
)
def test_a_damaged_word_is_paired_with_the_word_it_was(quoted: str, pairs: set[tuple[str, str]]) -> None:
    found = kinds(*LINE, quoted=quoted)
    assert {pair for pair in found if pair[0] != "same" or " " in pair[1] or pair in pairs} == pairs


def test_signs_without_letters_belong_to_no_pair() -> None:
    printed = ("Date", "-", "of", "(", "injury", ")", "unknown", "here")
    used = [text for kind, text in kinds(*printed, quoted="Date of lnjury unknown here") if kind != "skipped"]
    assert used == ["Date", "of", "injury", "unknown", "here"]


def test_blocks_of_no_characters_pair_nothing() -> None:
    index = index_of("some", "words")
    assert pair_blocks(prepare("some"), index, index.reading, [], first_token=0, last_token=1) == []
    block = EqualBlock(0, 0, 4)
    assert pair_blocks(prepare("--"), index, index.reading, [block], first_token=0, last_token=1) == []


def test_a_long_stretch_of_other_words_is_added_and_left_out_not_paired_word_by_word() -> None:
    ours, theirs = [f"our{n}" for n in "abcdefghijklm"], [f"his{n}" for n in "nopqrstuvwxyz"]
    page = ["begin", "here", *theirs, "finish", "there"]
    index, snippet = index_of(*page), prepare(" ".join(["begin", "here", *ours, "finish", "there"]))
    stream = index.reading
    blocks = [EqualBlock(0, 0, 9), EqualBlock(9 + 4 * 13, 9 + 4 * 13, 11)]
    pairs = pair_blocks(snippet, index, stream, blocks, first_token=0, last_token=len(snippet.tokens))
    assert [pair.kind for pair in pairs].count(PairKind.ADDED) == 13
    (skipped,) = (pair for pair in pairs if pair.kind is PairKind.SKIPPED)
    assert skipped.words == tuple(range(2, 15))
    assert skipped.edits == 4 * 13
