"""A quotation put together from words that the layout parts: what may follow what, and at which cost."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft
from citation_pipeline.core.matching.chains import Link, chain
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.jumps import NEVER, Arrivals, Jump
from citation_pipeline.core.matching.linking import pair_links
from citation_pipeline.core.matching.neighbourhoods import Neighbourhood
from citation_pipeline.core.matching.pairing import PairKind
from citation_pipeline.core.matching.snippets import prepare
from citation_pipeline_tests.drawn_documents import block_of, document_of
from citation_pipeline_tests.properties import few_examples


def near_of(*blocks: BlockDraft) -> Neighbourhood:
    document = document_of("a", blocks)
    index = DocumentIndex(document)
    return Neighbourhood(index, 0, len(document.words))


def links(near: Neighbourhood, quoted: str, *, split: bool = False) -> list[tuple[str, str, int]]:
    """The chain of a quotation: how each word is reached, what it is there, and its edits."""
    texts = near.index.words.texts
    return [
        (link.jump.value, " ".join(texts[slice(*link.words)]), link.edits)
        for link in chain(prepare(quoted, split_ellipsis=split), near)
    ]


LINE = near_of(block_of(["the carrier shall reimburse all mileage to and from the clinic"]))


@pytest.mark.parametrize(
    ("printed", "quoted", "found"),
    [
        ("reim burse ment due", "reimbursement due", ["reim burse ment", "due"]),
        ("re im bur se ment due", "reimbursement due", ["due"]),  # in five pieces it is another word
        ("a ward due", "award due", ["a ward", "due"]),
        ("wage loss due", "wageloss due", ["wage loss", "due"]),
        ("wageloss due", "wage loss due", ["wageloss", "due"]),
        ("wage gap loss due", "wageloss due", ["due"]),
        (
            "claimant was reimbursd then",
            "claimant was reimbursed then",
            ["claimant", "was", "reimbursd", "then"],
        ),
        ("a bcx end", "a bcd end", ["a", "end"]),  # three letters are too few to be like others
        ("a bcdx end", "a bcde end", ["a", "bcdx", "end"]),
        ("a bzzx end", "a bcde end", ["a", "end"]),
    ],
)
def test_a_quoted_word_may_be_torn_run_together_or_misspelled(
    printed: str, quoted: str, found: Sequence[str]
) -> None:
    assert [words for _, words, _ in links(near_of(block_of([printed])), quoted)] == found


def test_edits_of_a_misspelled_word_are_counted() -> None:
    assert [edits for _, _, edits in links(LINE, "carrier shall reimbrse mileag")] == [0, 0, 1, 1]


def test_a_word_is_followed_by_the_next_and_over_a_few_words_at_a_cost() -> None:
    assert links(LINE, "carrier shall") == [("start", "carrier", 0), ("next", "shall", 0)]
    assert links(LINE, "carrier shall mileage") == [
        ("start", "carrier", 0),
        ("next", "shall", 0),
        ("general", "mileage", 0),
    ]
    # a word by itself is not worth a jump over half a page
    for count, found in ((60, ["one", "two"]), (90, ["one"])):
        far = near_of(block_of(["one " + "x " * count + "two"]))
        assert [words for _, words, _ in links(far, "one two")] == found
        assert [words for _, words, _ in links(far, "one ... two", split=True)] == ["one", "two"]


def test_an_ellipsis_makes_a_far_jump_cheap() -> None:
    near = near_of(block_of(["begins here " + "between " * 40 + "ends there"]))
    assert [jump for jump, *_ in links(near, "begins here ... ends there", split=True)] == [
        "start",
        "next",
        "ellipsis",
        "next",
    ]


def test_a_row_goes_on_from_cell_to_cell_and_a_value_lies_below_its_label() -> None:
    near = near_of(
        block_of(["Name of employer\tClaim number\tDate"], top=0.1),
        block_of(["Harbor Loaf Bakery\tZX-4417\t05/06/2024"], top=0.12),
    )
    assert ("row", "05/06/2024", 0) in links(near, "Harbor Loaf Bakery 05/06/2024")
    assert ("below", "Harbor", 0) in links(near, "Name of employer Harbor Loaf Bakery")


def test_a_block_goes_on_at_the_start_of_a_later_block() -> None:
    near = near_of(
        block_of(["the sum that is due"], top=0.1),
        block_of(["page footer of the carrier"], top=0.5),
        block_of(["shall be paid within ten days"], top=0.8, left=0.3),
    )
    found = links(near, "the sum that is due shall be paid")
    assert ("block", "shall", 0) in found


def test_what_is_quoted_of_nothing_or_too_much_is_no_chain() -> None:
    assert chain(prepare("--"), LINE) == []
    assert chain(prepare("Martian canals"), LINE) == []
    assert chain(prepare("the " * 121), LINE) == []
    assert len(chain(prepare("the " + "unseen " * 119), LINE)) == 1
    assert chain(prepare("the"), Neighbourhood(LINE.index, 0, 0)) == []


WORD_TEXTS = ["aa", "bb", "cc", "-", "dd"]


@st.composite
def neighbourhoods(draw: st.DrawFn) -> Neighbourhood:
    blocks = []
    for number in range(draw(st.integers(1, 4))):
        lines = [
            "\t".join(
                " ".join(draw(st.lists(st.sampled_from(WORD_TEXTS), min_size=1, max_size=3)))
                for _ in range(draw(st.integers(1, 3)))
            )
            for _ in range(draw(st.integers(1, 2)))
        ]
        blocks.append(block_of(lines, top=0.1 + 0.05 * number, left=draw(st.sampled_from([0.05, 0.4]))))
    return near_of(*blocks)


@given(neighbourhoods(), st.data())
@few_examples(0.5)
def test_the_best_way_to_a_word_is_the_best_of_all_jumps_one_by_one(
    near: Neighbourhood, data: st.DataObject
) -> None:
    count = len(near)
    score = st.one_of(st.just(NEVER), st.floats(0, 30, width=16))
    # only a word with a key can end a chain
    before = np.asarray([data.draw(score) if near.keys[w] else NEVER for w in range(count)])
    begin, is_parted = data.draw(st.floats(-20, 5, width=16)), data.draw(st.booleans())
    arrivals = Arrivals(near=near, before=before, start=begin, is_parted=is_parted)
    for word in range(count):
        if not near.keys[word]:
            continue
        found, jump, origin = arrivals.at(word)
        ways = dict(slow_ways(near, before, word, is_parted=is_parted))
        best = max([begin, *ways.values()])
        assert found == pytest.approx(max(begin, best), abs=1e-6)
        if jump is Jump.START:
            assert origin == -1
        else:
            assert ways[jump, origin] == pytest.approx(found, abs=1e-6)


def slow_ways(
    near: Neighbourhood, before: np.ndarray, word: int, *, is_parted: bool
) -> list[tuple[tuple[Jump, int], float]]:
    """Every jump to a word with its score, by the costs that a quotation's words are charged."""
    keyed = [w for w in range(len(near)) if near.keys[w]]
    earlier = [w for w in keyed if w < word]
    ways: list[tuple[tuple[Jump, int], float]] = []
    for gap, place in enumerate(reversed(earlier)):
        if gap == 0:
            ways.append(((Jump.NEXT, place), before[place]))
        cost = min(1.5 + 0.7 * gap if 1 <= gap <= 4 else 99.0, 99.0 if is_parted else 5.0 + 0.02 * gap)
        ways.append(((Jump.GENERAL, place), before[place] - cost))
        if is_parted:
            ways.append(((Jump.ELLIPSIS, place), before[place] - 1.0 - 0.006 * gap))
        if near.is_block_end[place] and near.is_block_start[word]:
            ways.append(((Jump.BLOCK, place), before[place] - 2.0 - 0.006 * gap))
    by_rank = sorted(keyed, key=lambda w: near.rank[w])
    left = by_rank[: by_rank.index(word)][::-1]
    for gap, place in enumerate(left):
        if gap == 0:
            ways.append(((Jump.ROW_NEXT, place), before[place]))
        elif near.row[place] == near.row[word] and near.is_cell_start[word] and near.is_cell_end[place]:
            ways.append(((Jump.ROW, place), before[place] - 2.0 - 0.04 * gap))
    above = near.word_above(word)
    if above is not None:
        ways.append(((Jump.BELOW, above), before[above] - 1.8))
    return ways


def linked(near: Neighbourhood, quoted: str, *, split: bool = False) -> list[tuple[str, str, str]]:
    """The pairs of a chained quotation: kind, quoted words, printed words."""
    snippet, texts = prepare(quoted, split_ellipsis=split), near.index.words.texts
    found = pair_links(snippet, near.index, near, chain(snippet, near))
    return [
        (
            pair.kind.value,
            " ".join(token.text for token in snippet.tokens[slice(*pair.tokens)]),
            " ".join(texts[word] for word in pair.words),
        )
        for pair in found.pairs
    ]


def test_words_between_two_links_are_another_reading_or_left_out() -> None:
    between = linked(LINE, "carrier shall relmbvrze all mileage from")
    assert ("like", "relmbvrze", "reimburse") in between
    assert ("skipped", "", "to and") in between


@pytest.mark.parametrize(("count", "is_compared"), [(3, True), (4, False)])
def test_one_unknown_word_is_looked_for_among_three_left_out_and_not_among_more(
    count: int, is_compared: bool
) -> None:
    left_out = ["grvdgxng", "of", "all", "his"][:count]
    near = near_of(block_of([f"reimburse mileage {' '.join(left_out)} expenses promptly"]))
    snippet = prepare("reimburse mileage grudging expenses promptly")
    chained = [
        Link((0, 1), (0, 1), 0, Jump.START),
        Link((1, 2), (1, 2), 0, Jump.NEXT),
        Link((3, 4), (2 + count, 3 + count), 0, Jump.GENERAL),
        Link((4, 5), (3 + count, 4 + count), 0, Jump.NEXT),
    ]
    pairs = pair_links(snippet, near.index, near, chained).pairs
    assert any(pair.kind is PairKind.LIKE for pair in pairs) == is_compared
    assert any(pair.kind is PairKind.ADDED for pair in pairs) != is_compared


def test_unknown_words_at_either_end_are_compared_with_the_words_beside_the_chain() -> None:
    found = linked(LINE, "carrler shall reimburse all mi1eagc")
    assert ("like", "carrler", "carrier") in found
    assert ("like", "mi1eagc", "mileage") in found
    # what is not like the word beside it is added, and that word is not meant
    found = linked(LINE, "xyz shall reimburse qq")
    assert [pair for pair in found if pair[0] != "same"] == [("added", "xyz", ""), ("added", "qq", "")]


def test_of_a_quotation_that_is_mostly_elsewhere_the_ends_are_not_compared() -> None:
    found = linked(LINE, "all mileage something entirely unheard-of tolerated")
    assert {kind for kind, *_ in found} == {"same", "added"}
    assert len([pair for pair in found if pair[0] == "added"]) == 4


def test_words_that_an_ellipsis_leaves_out_are_explained() -> None:
    snippet = prepare("carrier shall ... the clinic", split_ellipsis=True)
    found = pair_links(snippet, LINE.index, LINE, chain(snippet, LINE))
    (number,) = found.free_skips
    assert found.pairs[number].kind is PairKind.SKIPPED
    plain = prepare("carrier shall mileage")
    assert not pair_links(plain, LINE.index, LINE, chain(plain, LINE)).free_skips


def boxes_near(*boxes: Box) -> Neighbourhood:
    return near_of(*(BlockDraft(1, "Text", [[(f"w{n}", box)]]) for n, box in enumerate(boxes)))


@pytest.mark.parametrize(
    ("dx", "dy", "is_above"),
    [
        (0.0, 0.02, True),
        (0.0, 0.012 + 2.55 * 0.012, True),
        (0.0, 0.012 + 2.65 * 0.012, False),  # too far below
        (0.09, 0.02, True),  # overlapping a little
        (0.11, 0.02, False),  # beside
        (-0.11, 0.02, False),
        (0.0, 0.0065, True),  # half overlapping lines
        (0.0, 0.004, False),
    ],
)
def test_a_cell_is_above_another_when_it_is_near_and_overlaps_it(
    dx: float, dy: float, is_above: bool
) -> None:
    near = boxes_near(Box(0.3, 0.3, 0.1, 0.012), Box(0.3 + dx, 0.3 + dy, 0.1, 0.012))
    assert near.word_above(1) == (0 if is_above else None)


def test_the_nearest_of_several_cells_above_is_taken_and_none_of_another_page() -> None:
    near = boxes_near(Box(0.3, 0.3, 0.1, 0.012), Box(0.3, 0.315, 0.1, 0.012), Box(0.3, 0.33, 0.1, 0.012))
    assert [near.word_above(word) for word in range(3)] == [None, 0, 1]
    pages = near_of(block_of(["label"], top=0.1), block_of(["value"], page=2, top=0.12))
    assert pages.word_above(1) is None


@pytest.mark.parametrize(("gap", "cells"), [(0.0190, 1), (0.0195, 2)])
def test_white_space_wider_than_a_line_is_high_parts_two_cells(gap: float, cells: int) -> None:
    first, second = Box(0.1, 0.3, 0.1, 0.012), Box(0.2 + gap, 0.3, 0.1, 0.012)
    near = near_of(BlockDraft(1, "Text", [[("one", first), ("two", second)]]))
    assert near.is_cell_start == [True, cells == 2]
    assert near.is_cell_end == [cells == 2, True]
