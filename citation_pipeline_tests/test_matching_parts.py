"""The small decisions of the search: streams and tables of words, what a gap hides, parts, rows and signs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft
from citation_pipeline.core.matching.alignment import EqualBlock, align, vote
from citation_pipeline.core.matching.chains import chain
from citation_pipeline.core.matching.checks import Findings
from citation_pipeline.core.matching.confusions import misreading_cost
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.headed_rows import find_headed_rows
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.loci import dense_places
from citation_pipeline.core.matching.neighbourhoods import Neighbourhood
from citation_pipeline.core.matching.numerals import is_number_changed, unit_signs
from citation_pipeline.core.matching.omissions import hides_meaning
from citation_pipeline.core.matching.search import find_occurrences, find_stitched
from citation_pipeline.core.matching.snippets import prepare
from citation_pipeline.core.matching.streams import KeyStream
from citation_pipeline.core.matching.tallies import first_largest
from citation_pipeline.core.resolution.queries import read_words
from citation_pipeline_tests.drawn_documents import block_of, document_of, text_document
from citation_pipeline_tests.matches import find_matches

KEYS = st.lists(st.text("abc-", min_size=1, max_size=4), min_size=1, max_size=12)


def index_of(*lines: str) -> DocumentIndex:
    return DocumentIndex(text_document("a", *lines))


def codes(index: DocumentIndex, quoted: str) -> set[str]:
    return set(find_matches(index, quoted)[0].findings.codes) - {"noise"}


@given(KEYS, st.data())
def test_the_words_of_a_range_are_those_whose_keys_it_touches(texts: list[str], data: st.DataObject) -> None:
    keys = [fold(text) for text in texts]
    stream = KeyStream(keys)
    if not len(stream):
        return
    start = data.draw(st.integers(0, len(stream) - 1))
    end = data.draw(st.integers(start + 1, len(stream)))
    owner = [number for number, key in enumerate(keys) for _ in key]
    first, behind = stream.positions_of(start, end)
    assert (first, behind) == (owner[start], owner[end - 1] + 1)


@given(KEYS)
def test_the_different_keys_are_listed_by_their_length(texts: list[str]) -> None:
    index = DocumentIndex(read_words({"words": [[text, 1, 0.1, 0.1, 0.1, 0.1] for text in texts]}))
    listed = [(length, key) for length, keys in index.keys_by_length.items() for key in keys if key]
    assert sorted(listed) == sorted({(len(key), key) for key in map(fold, texts) if key})


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 8))
def test_the_largest_come_first(numbers: list[int], count: int) -> None:
    found = first_largest(np.asarray(numbers, np.int64), count).tolist()
    assert [numbers[at] for at in found] == sorted(numbers, reverse=True)[:count]


def test_the_place_with_most_different_pieces_wins_a_vote_also_across_two_bins() -> None:
    seeds = np.arange(6)
    places = np.asarray([500, 501, 502, 531, 532, 900]) + seeds
    low = int((places - seeds).min())
    assert vote(seeds, places, count=2)[0] == low
    assert vote(seeds[:0], places[:0], count=2) == []


def test_text_that_surely_takes_more_edits_than_allowed_is_no_alignment() -> None:
    text = b"nothing of the kind is to be seen in here at all" * 2
    assert align(b"reimbursement", text, 0, len(text), most=3) is None
    found = align(b"reimbursement", b"xxxx reimbursament xxxx", 0, 23, most=3)
    assert found is not None
    assert found.edits == 1
    assert align(b"", text, 0, 5) is None
    assert align(b"abc", text, 9, 9) is None


def test_a_crowd_across_the_edge_of_a_stretch_counts_as_one() -> None:
    phrase = [b"benefits", b"ended", b"when", b"surgery", b"was", b"finally", b"authorized"]
    filler = [fold(f"q{n}z{n * 7919}") for n in range(400)]
    for shift in range(0, 6):
        keys = [*filler[: 120 + shift], *phrase, *filler[120 + shift :]]
        stream = KeyStream(keys)
        (place, *_) = dense_places(stream, b"".join(phrase))
        assert abs(place - stream.key.index(b"benefitsended")) < 60
    assert dense_places(KeyStream(filler), b"".join(phrase)) == []


# what an ellipsis leaves out: all of a short gap, of a longer one the words beside what is quoted
FILLER = ["and", "so", "on", "with", "the", "rest"]


@pytest.mark.parametrize(
    ("left_out", "hides"),
    [
        (["not", *FILLER], True),
        ([*FILLER[:5], "never", *FILLER], True),  # twelve words are one clause
        ([*FILLER, "filler", "never", *FILLER], False),  # of thirteen the middle is another clause
        (["never", *FILLER * 3], True),
        ([*FILLER * 3, "never"], True),
        ([*FILLER[:5], "never", *FILLER * 2], True),  # the sixth word
        ([*FILLER, "never", *FILLER * 2], False),  # the seventh
        (["over.", "never", *FILLER * 3], False),  # of the next sentence
        ([*FILLER * 3, "never", "over.", "and"], False),  # of the sentence before
        ([*FILLER * 2, "over.", "never", "and"], True),
        (["may", "be"], True),  # a modal among a few words is what was meant to go
        (["may", "be", "seen", "here"], False),
        (["refused", "to"], True),
        (["--", "(", "."], False),
    ],
)
def test_a_gap_hides_a_meaning_in_the_words_that_belong_to_what_is_quoted(
    left_out: list[str], hides: bool
) -> None:
    index = index_of(" ".join(["before", *left_out, "behind"]))
    assert hides_meaning(index, range(1, len(left_out) + 1)) == hides


def test_a_list_marker_may_be_quoted_where_the_page_has_none_and_only_the_marker() -> None:
    index = index_of("The employee shall not return to work before the hearing")
    assert codes(index, "1. The employee shall not return to work") == set()
    assert codes(index, "1. Martian The employee shall not return to work") == {"words_added"}
    assert codes(index, "15 The employee shall not return to work") == {"number_added"}


def test_ellipses_part_a_quotation_where_its_words_are_parted() -> None:
    assert prepare("one … two ... three", split_ellipsis=True).parts == (3, 6)
    assert prepare("one ... [...] two", split_ellipsis=True).parts == (3,)
    assert prepare("... one two ...", split_ellipsis=True).parts == ()
    assert prepare("one ... two").parts == ()


FAR = document_of(
    "far",
    [
        block_of(["The first report was mailed to the attorney in March."], page=1),
        block_of(["Nothing of interest is printed on this page of the file."], page=2),
        block_of(["The second report was received by the judge in April."], page=3),
    ],
)


@pytest.mark.parametrize(
    ("quoted", "is_found"),
    [
        ("the first report was mailed … received by the judge", True),
        ("report was mailed … received by the judge", True),  # four words of one part identify it
        ("first report mailed … by the judge", False),  # altered, and the other is too short
        ("was mailed to … by the judge", False),  # three words of each are in any file
        ("was mailed … was received by the judge", True),  # nine characters may be part of it
        ("was mailed to the … the judge", False),  # eight characters
        ("was mailed to the … receivedbythejudge", False),  # one word
    ],
)
def test_parts_of_a_quotation_on_several_pages_need_one_that_identifies_its_place(
    quoted: str, is_found: bool
) -> None:
    assert bool(find_stitched(DocumentIndex(FAR), quoted)) == is_found


def test_a_row_of_a_long_table_is_found_by_its_header_words() -> None:
    rows = [("Served", "Payee", "Billed", "Paid")]
    rows += [(f"09/{n:02d}/2023", f"Orsini{n}", f"{470 + n}.81", f"{329 + n}.57") for n in range(10, 28)]
    columns = [[row[column] for row in rows] for column in range(4)]
    document = document_of(
        "t", [block_of(lines, left=0.05 + 0.2 * n, kind="Table") for n, lines in enumerate(columns)]
    )
    index = DocumentIndex(document)
    snippet = prepare("Served: 09/24/2023; Payee: Orsini24; Billed: 494.81; Paid: 353.57")
    found = find_headed_rows(index, snippet)
    assert found[0].findings == Findings((), len(snippet.key), 0, 0, 0)
    texts = [document.words.texts[word] for word in found[0].words]
    assert texts == ["Served", "Payee", "Billed", "Paid", "09/24/2023", "Orsini24", "494.81", "353.57"]


def test_running_text_below_a_header_has_no_columns_and_is_no_headed_row() -> None:
    header = block_of(["Served\tPayee\tBilled\tPaid"], kind="Table")
    texts = ["09/24/2023", "Orsini24", "494.81", "353.57"]
    sentence = [(text, Box(0.05 + 0.1 * n, 0.12, 0.097, 0.012)) for n, text in enumerate(texts)]
    told = BlockDraft(1, "Text", [sentence])
    index = DocumentIndex(document_of("t", [header, told]))
    snippet = prepare("Served: 09/24/2023; Payee: Orsini24; Billed: 494.81; Paid: 353.57")
    assert find_headed_rows(index, snippet) == []
    row = block_of(["09/24/2023\tOrsini24\t494.81\t353.57"], top=0.12, kind="Table")
    assert len(find_headed_rows(DocumentIndex(document_of("t", [header, row])), snippet)) == 1


def test_places_of_a_text_are_one_group_where_they_are_printed_alike_with_their_signs() -> None:
    index = index_of("Yes", "☒ Yes", "Yes", "maybe - Yes", "so Yes (", "no", "Yes")
    sizes = sorted(len(group) for group in find_occurrences(index, "Yes"))
    # twice with words on either side, and once each with another sign beside it
    printed = [index.words.texts[w] for w in range(len(index.words))]
    assert printed.count("Yes") == sum(sizes) == 6
    assert sizes == [1, 1, 1, 1, 2]


def test_the_sign_that_ends_a_document_belongs_to_the_word_before_it() -> None:
    index = index_of("Yes", "no", "so Yes", "then Yes ☒")
    assert sorted(len(group) for group in find_occurrences(index, "Yes")) == [1, 2]


@pytest.mark.parametrize("quoted", ["gamma paid", "paid omega"])
def test_of_a_word_that_is_everywhere_the_one_beside_its_neighbour_is_meant(quoted: str) -> None:
    document = text_document("a", " ".join(["paid due"] * 20 + ["gamma paid omega"] + ["paid due"] * 20))
    index = DocumentIndex(document)
    near = Neighbourhood(index, 0, len(document.words))
    found = [index.words.texts[word] for link in chain(prepare(quoted), near) for word in range(*link.words)]
    assert found == quoted.split()


@pytest.mark.parametrize(
    ("quoted", "printed", "is_same"),
    [
        ("two hundred fifty dollars", "250 dollars", True),
        ("one thousand two hundred checks", "1200 checks", True),
        ("twenty-five checks", "25 checks", True),
        ("twenty and five checks", "25 checks", True),
        ("5 checks to Thousand Oaks", "five checks to Thousand Oaks", True),
        ("two hundred fifty dollars", "205 dollars", False),
        ("hundred checks", "100 checks", False),  # of how many hundreds nobody knows
        ("$1.5 million", "$1,500,000", True),
        ("$1.5 million", "$15,000,000", False),
        ("April 4, 2022", "04/04/2022", True),
        ("April 4, 2022", "04/05/2022", False),
    ],
)
def test_a_number_or_date_in_another_form_is_the_same_only_with_the_same_value(
    quoted: str, printed: str, is_same: bool
) -> None:
    index = index_of(f"the carrier paid for it {printed} and then nothing more")
    found = codes(index, f"carrier paid for it {quoted} and then nothing")
    assert ("rewritten" in found) == is_same
    assert bool(found - {"rewritten"}) != is_same


@pytest.mark.parametrize(
    ("true", "seen", "cost"),
    [
        (b"modern", b"rnodern", 0.5),  # look-alikes
        (b"claim", b"clairn", 0.5),
        (b"burn", b"bura", None),
        (b"abc", b"acb", 1.0),  # changed over
        (b"left", b"lefti", 0.5),  # a speck
    ],
)
def test_a_likely_misreading_is_one_slip_or_less(true: bytes, seen: bytes, cost: float | None) -> None:
    found = misreading_cost(true, seen)
    if cost is not None:
        assert found <= 1.0
    assert misreading_cost(true, true) <= 0.5
    assert misreading_cost(b"left", b"leftw") > misreading_cost(b"left", b"lefti")


@pytest.mark.parametrize(
    ("quoted", "printed", "code"),
    [
        ("owed (2,480.17) then", "owed 2,480.17 then", "mark_differs"),
        ("owed 2,480.17 then", "owed (2,480.17) then", "mark_differs"),
        ("owed ($45) then", "owed $45 then", "mark_differs"),
    ],
)
def test_an_amount_in_brackets_is_owed_and_another_is_paid(quoted: str, printed: str, code: str) -> None:
    found = codes(index_of(f"the balance is {printed} carried over"), f"balance is {quoted} carried over")
    assert any(one.endswith("differs") for one in found), found


def test_points_and_signs_of_numbers_are_read_apart_from_their_digits() -> None:
    assert is_number_changed("12.0", "120")
    assert not is_number_changed("1,234.50", "1234.50")
    assert not is_number_changed("(870)-931-0505", "8709310505")
    assert unit_signs("$5 at 10% and 3°") == ["$", "%", "°"]


def test_an_equal_block_is_moved_with_its_alignment() -> None:
    found = align(b"abcdef", b"xxabcdefxx", 0, 10)
    assert found is not None
    assert found.moved(5).blocks == (EqualBlock(0, 7, 6),)
    assert (found.moved(5).start, found.moved(5).end, found.uncovered(6)) == (7, 13, (0, 0))


def test_an_end_is_aligned_with_the_shortest_stretch_that_needs_as_few_edits() -> None:
    for text in (b"zzabcdefghijklmnxyzxyzxyz", b"xyzxyzabcdefghijklmnzz"):
        found = align(b"abcdefghijklmnq", text, 0, len(text))
        assert found is not None
        assert found.edits == 1
        assert text[found.start : found.end] == b"abcdefghijklmn"
    wide = align(b"abcdefghijklmnopqr", b"abcdefghijklmn--opqr", 0, 20)
    assert wide is not None
    assert (wide.start, wide.end, wide.edits) == (0, 20, 2)


@pytest.mark.parametrize(
    ("quoted", "code"),
    [
        ("paid for visits in March", "number_skipped"),
        ("paid for twelve visits March", "word_dropped"),
        ("was paid twelve visits in", "word_dropped"),
    ],
)
def test_what_a_quotation_leaves_out_silently_is_named(quoted: str, code: str) -> None:
    index = index_of("The sum was paid for 12 visits in March", "It was paid for twelve visits in March")
    assert code in codes(index, quoted)


def test_signs_between_two_words_belong_to_neither_and_are_compared() -> None:
    index = index_of("the value was 5 - 7 units", "the count was below < 40 then")
    assert codes(index, "value was 5 - 7 units") == set()
    assert codes(index, "count was below > 40 then") & {"comparator_differs", "mark_differs"}
