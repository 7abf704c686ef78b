"""Where words are drawn: one box a line and run of words, slanted outlines, and nothing that is not meant."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.citations import Region
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.resolution import regions
from citation_pipeline.core.resolution.printed_words import words_in
from citation_pipeline.core.resolution.regions import block_regions, group_runs, line_runs, regions_of
from citation_pipeline_tests.drawn_documents import source_of

HEIGHT = 0.012


def drawn(*lines: Sequence[Box], pages: Sequence[int] | None = None) -> ParsedDocument:
    """A document of lines, each a block of its own and given by the boxes of its words."""
    blocks = [
        BlockDraft(page, "Text", [[(f"w{number}", box) for number, box in enumerate(line)]])
        for line, page in zip(lines, pages or [1] * len(lines), strict=True)
    ]
    return compose_document(
        source_of("a"),
        pages=[PageDraft(612, 792)] * max(pages or [1]),
        blocks=blocks,
        parser="drawn",
        parser_version="1",
    )


def row(*lefts: float, top: float = 0.1, width: float = 0.05, height: float = HEIGHT) -> list[Box]:
    return [Box(left, top, width, height) for left in lefts]


def slanted(fall: float, *, count: int = 5, left: float = 0.1, top: float = 0.1) -> list[Box]:
    """Words of one line of which each lies so much lower than the one before."""
    return [Box(left + 0.1 * n, top + fall * n, 0.09, HEIGHT) for n in range(count)]


@given(st.sets(st.integers(0, 60)))
def test_runs_are_the_words_in_order_and_no_two_of_them_meet(words: set[int]) -> None:
    runs = group_runs(words)
    assert [word for first, last in runs for word in range(first, last)] == sorted(words)
    assert all(before[1] < after[0] for before, after in zip(runs, runs[1:], strict=False))


@pytest.mark.parametrize(
    ("gap", "height", "boxes"),
    [
        (0.029, HEIGHT, 1),  # narrower than any cell's white space
        (0.031, HEIGHT, 2),
        (0.031, 0.016, 1),  # of large print the space between two words
        (0.033, 0.016, 2),
    ],
)
def test_white_space_as_between_cells_parts_a_line_in_two_boxes(
    gap: float, height: float, boxes: int
) -> None:
    document = drawn(row(0.1, 0.15 + gap, height=height))
    (region,) = regions_of(document.words, [0, 1])
    assert len(region.boxes) == boxes
    assert region.boxes[0].left == pytest.approx(0.1)
    assert region.boxes[-1].right == pytest.approx(0.2 + gap)


def test_the_smaller_of_two_words_decides_how_wide_a_cells_white_space_is() -> None:
    document = drawn([Box(0.1, 0.1, 0.05, 0.03), Box(0.19, 0.11, 0.05, HEIGHT)])
    assert len(regions_of(document.words, [0, 1])[0].boxes) == 2


def test_a_word_that_is_not_meant_parts_the_words_around_it() -> None:
    document = drawn(row(0.1, 0.16, 0.22))
    assert line_runs(document.words, [2, 0]) == [[0], [2]]
    (region,) = regions_of(document.words, [2, 0])
    assert [round(box.left, 3) for box in region.boxes] == [0.1, 0.22]
    assert [round(box.width, 3) for box in region.boxes] == [0.05, 0.05]


def test_each_line_and_each_page_has_its_own_box() -> None:
    document = drawn(row(0.1, 0.16), row(0.1, top=0.2), row(0.3, top=0.5), pages=[1, 1, 2])
    first, second = regions_of(document.words, range(4))
    assert (first.page, len(first.boxes), second.page, len(second.boxes)) == (1, 2, 2, 1)
    assert first.boxes[0].right == pytest.approx(0.21)
    assert second.boxes[0].top == pytest.approx(0.5)
    assert not first.polygons


def test_a_level_line_is_a_box_and_a_slanted_one_an_outline_that_follows_its_words() -> None:
    level = regions_of(drawn(slanted(0.0005)).words, range(5))[0]
    assert not level.polygons
    assert len(level.boxes) == 1
    document = drawn(slanted(0.004, top=0.2), row(0.1, 0.16, top=0.4))
    (region,) = regions_of(document.words, range(7))
    assert len(region.boxes) == len(region.polygons) == 2
    upper_left, upper_right, lower_right, lower_left = region.polygons[0]
    assert upper_left == pytest.approx((0.1, 0.1982), abs=1e-6)
    assert upper_right == pytest.approx((0.59, 0.2178), abs=1e-6)
    assert lower_right[1] - upper_right[1] == pytest.approx(HEIGHT)
    assert lower_left[1] - upper_left[1] == pytest.approx(HEIGHT)
    # what lies level beside it keeps its box's corners
    box = region.boxes[1]
    assert region.polygons[1] == (
        (box.left, box.top),
        (box.right, box.top),
        (box.right, box.bottom),
        (box.left, box.bottom),
    )


@pytest.mark.parametrize("fall", [-0.006, 0.006, 0.02])
def test_the_outline_of_a_slanted_line_has_every_words_middle_inside(fall: float) -> None:
    boxes = slanted(fall, top=0.5)
    (region,) = regions_of(drawn(boxes).words, range(5))
    ((a, b, c, d),) = region.polygons
    for box in boxes:
        x, y = box.left + box.width / 2, box.top + box.height / 2
        share = (x - a[0]) / (b[0] - a[0])
        assert a[1] + share * (b[1] - a[1]) < y < d[1] + share * (c[1] - d[1])


def test_a_line_of_two_words_at_different_heights_has_a_box_and_no_outline() -> None:
    (region,) = regions_of(drawn([Box(0.1, 0.1, 0.05, 0.012), Box(0.16, 0.11, 0.05, 0.012)]).words, [0, 1])
    assert not region.polygons
    assert region.boxes[0].height == pytest.approx(0.022)


def test_small_marks_on_a_level_line_make_no_slant() -> None:
    boxes = [*row(0.1, 0.16), Box(0.22, 0.104, 0.01, HEIGHT / 3)]  # a hyphen in the middle of the line
    stamped = drawn(boxes, [Box(0.15, 0.1, 0.05, HEIGHT)])  # and a stamp across it, which parts slanted lines
    (region,) = regions_of(stamped.words, range(3))
    assert not region.polygons
    assert len(region.boxes) == 1


def test_words_that_lie_up_and_down_but_on_the_whole_level_have_no_outline() -> None:
    boxes = [Box(0.1 + 0.1 * n, 0.1 + 0.004 * (n % 2), 0.09, HEIGHT) for n in range(5)]
    (region,) = regions_of(drawn(boxes).words, range(5))
    assert not region.polygons
    assert len(region.boxes) == 1


def test_words_one_above_the_other_have_no_direction_and_no_outline() -> None:
    boxes = [Box(0.1, 0.1 + 0.02 * n, 0.05, HEIGHT) for n in range(3)]
    document = drawn(boxes)
    (region,) = regions_of(document.words, range(3))
    assert not region.polygons
    assert region.boxes[0].bottom == pytest.approx(0.152)


def test_a_slanted_line_is_drawn_in_parts_where_its_box_would_cover_a_word_that_is_not_meant() -> None:
    stranger = [Box(0.52, 0.1, 0.05, HEIGHT)]  # above the low end of the slanted line
    document = drawn(slanted(0.02), stranger)
    (region,) = regions_of(document.words, range(5))
    x, y = 0.545, 0.106
    assert len(region.boxes) > 1
    assert not any(b.left <= x <= b.right and b.top <= y <= b.bottom for b in region.boxes)
    for word in range(5):  # and none of the meant ones is lost
        box = document.words.box(word)
        middle = box.left + box.width / 2, box.top + box.height / 2
        assert any(b.left <= middle[0] <= b.right and b.top <= middle[1] <= b.bottom for b in region.boxes)
    # where the stranger is meant too, or lies on another page, the box may cover it
    assert len(regions_of(document.words, range(6))[0].boxes) == 2
    elsewhere = drawn(slanted(0.02), stranger, pages=[1, 2])
    assert len(regions_of(elsewhere.words, range(5))[0].boxes) == 1


@pytest.mark.parametrize(
    "stranger",
    [
        Box(0.35, 0.07, 0.05, 0.02),  # its middle lies above the box
        Box(0.35, 0.195, 0.05, 0.02),  # below
        Box(0.02, 0.13, 0.05, 0.02),  # to the left
        Box(0.58, 0.13, 0.05, 0.02),  # to the right
    ],
)
def test_a_word_that_only_touches_a_slanted_lines_box_does_not_part_it(stranger: Box) -> None:
    document = drawn(slanted(0.02), [stranger])
    (region,) = regions_of(document.words, range(5))
    assert len(region.boxes) == 1


def test_the_blocks_that_words_touch_are_given_once_each_by_page() -> None:
    document = drawn(row(0.1, 0.16), row(0.1, top=0.2), row(0.3, top=0.5), pages=[1, 1, 2])
    found = block_regions(document, [0, 1, 3])
    assert [(region.page, len(region.boxes)) for region in found] == [(1, 1), (2, 1)]
    assert found[0].boxes[0] == document.blocks[0].box
    assert found[1].boxes[0] == document.blocks[2].box
    assert block_regions(document, []) == ()


def test_a_box_that_is_no_number_gives_no_outline() -> None:
    document = drawn(slanted(0.004))
    document.words.boxes[2, 2] = np.nan
    (region,) = regions_of(document.words, range(5))
    assert not region.polygons


def test_a_box_of_three_lines_height_is_cut_back_to_its_own_line() -> None:
    lines = [row(0.1, 0.16, 0.22, top=0.1 + 0.015 * n, height=0.043) for n in range(3)]
    document = drawn(*lines)
    ((region,), middles) = regions_of(document.words, [4]), [0.1 + 0.015 * n + 0.0215 for n in range(3)]
    (box,) = region.boxes
    assert box.top < middles[1] < box.bottom
    assert not any(box.top <= middle <= box.bottom for middle in (middles[0], middles[2]))
    assert (box.left, box.right) == (pytest.approx(0.16), pytest.approx(0.21))


def test_of_two_words_printed_over_each_other_each_keeps_its_half() -> None:
    document = drawn([Box(0.1, 0.1, 0.06, HEIGHT), Box(0.14, 0.1, 0.03, HEIGHT)])
    ((box,),) = (region.boxes for region in regions_of(document.words, [0]))
    assert (box.left, box.right) == (pytest.approx(0.1), pytest.approx(0.1425))
    ((box,),) = (region.boxes for region in regions_of(document.words, [1]))
    assert (box.left, box.right) == (pytest.approx(0.14), pytest.approx(0.17))


def test_a_word_printed_twice_to_look_bold_keeps_its_box() -> None:
    document = drawn([Box(0.1, 0.1, 0.06, HEIGHT)], [Box(0.102, 0.1, 0.06, HEIGHT)])
    ((box,),) = (region.boxes for region in regions_of(document.words, [0]))
    assert box.width == pytest.approx(0.06)


def scattered(seed: int) -> ParsedDocument:
    """A page of lines, their words apart or over each other, now and then a line over another."""
    random = np.random.default_rng(seed)
    lines, top, height = [], 0.1, float(random.choice([0.012, 0.018, 0.038]))
    for _ in range(random.integers(2, 9)):
        left, line = 0.05 + 0.1 * random.random(), []
        for _ in range(random.integers(1, 7)):
            width = 0.005 + 0.08 * random.random()
            line.append(Box(left, top + 0.001 * random.normal(), width, height))
            left += width + 0.01 * random.uniform(-0.3, 1.5)
        lines.append(line)
        top += 0.02 * (random.random() < 0.9)
    return drawn(*lines)


def test_the_quick_look_at_a_page_finds_the_same_words_over_others_as_the_close_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = [scattered(seed).words for seed in range(300)]
    quick = [regions._crowded_words(words, 1) for words in pages]
    assert {bool(found) for found in quick} == {True, False}
    monkeypatch.setattr(regions, "_stand_apart", lambda *_: False)
    assert quick == [regions._crowded_words(words, 1) for words in pages]


def test_the_words_in_a_box_are_those_whose_middles_it_holds() -> None:
    for seed in range(100):
        words = scattered(seed).words
        random = np.random.default_rng(seed)
        edges = (0.8 * random.random(), 0.1 + 0.2 * random.random(), 0.4, 0.1 * random.random())
        for box in (words.box(int(random.integers(len(words)))), Box(*edges), Box(0.0, float("nan"), 1, 1)):
            x, y = words.boxes[:, :2].T + words.boxes[:, 2:].T / 2
            held = (x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom)
            assert words_in(words, [Region(1, (box,))]) == np.flatnonzero(held).tolist()
