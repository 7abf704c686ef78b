"""Checkboxes on scanned pages: what is one, whether it is checked, and what only looks like one."""

import cv2
import numpy as np
import pytest

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.layout.boxed_words import separate_boxes
from citation_pipeline.core.layout.content import PagePicture, Tick, words_of_boxes
from citation_pipeline.core.layout.squares import find_squares

WIDE, HIGH = 850.0, 1100.0


def paper() -> np.ndarray:
    return np.full((1100, 850), 255, np.uint8)


def squares(grey: np.ndarray) -> list[Tick]:
    noise = np.random.default_rng(7).normal(0, 6, grey.shape)
    scanned = (cv2.GaussianBlur(grey, (0, 0), 0.6) * 0.9 + 12 + noise).clip(0, 255).astype(np.uint8)
    # 850 dots wide at 100 dots a letter's inch are drawn as if at 200: a box of 9 points has 25 dots
    return find_squares(PagePicture(scanned, 200.0, 1, WIDE * 0.36, HIGH * 0.36))


def box(grey: np.ndarray, left: int, top: int, *, side: int = 25, line: int = 2) -> None:
    cv2.rectangle(grey, (left, top), (left + side, top + side), 0, line)


def write(grey: np.ndarray, text: str, left: int, base: int, *, size: int = 30, face: str = "sans") -> None:
    cv2.putText(grey, text, (left, base), (0,), cv2.FontFace(face), size, 700)


def cross(grey: np.ndarray, left: int, top: int, *, over: int, side: int = 25) -> None:
    cv2.line(grey, (left - over, top - over), (left + side + over, top + side + over), 20, 3)
    cv2.line(grey, (left - over, top + side + over), (left + side + over, top - over), 20, 3)


@pytest.mark.parametrize("over", [-5, 9], ids=["inside", "reaching out"])
def test_a_crossed_box_is_checked_and_its_neighbour_is_not(over):
    grey = paper()
    for left in (200, 400):
        box(grey, left, 300)
        write(grey, "Yes", left + 40, 324)
    cross(grey, 200, 300, over=over)
    assert [tick.checked for tick in sorted(squares(grey), key=lambda tick: tick.edges[0])] == [True, False]


def test_a_box_with_a_side_half_erased_stays_an_empty_box():
    grey = paper()
    box(grey, 200, 300)
    grey[305:316, 195:205] = 255
    assert [(tick.checked, tick.is_whole) for tick in squares(grey)] == [(False, False)]


def test_a_filled_box_is_checked_beside_an_open_one_and_is_a_bullet_alone():
    grey = paper()
    cv2.rectangle(grey, (200, 300), (225, 325), 0, -1)
    assert squares(grey) == []
    box(grey, 400, 300)
    assert sorted(tick.checked for tick in squares(grey)) == [False, True]


@pytest.mark.parametrize("text", ["DOB BODY BOARD", "O D B 0 8 Q R P", "H U E F T L"])
@pytest.mark.parametrize("size", [20, 28, 38])
def test_bold_letters_are_no_boxes(text, size):
    grey = paper()
    for row in range(4):
        write(grey, text, 100, 200 + 60 * row, size=size)
    assert squares(grey) == []


def test_ideographs_of_a_line_are_no_boxes():
    grey = paper()
    for row, text in enumerate(("国因口回四固困", "日目田口由申甲", "口口口")):
        write(grey, text, 100, 200 + 60 * row, face="uni")
    assert squares(grey) == []


def test_cells_of_a_table_and_combs_are_no_boxes():
    grey = paper()
    for row in range(3):
        for column in range(6):
            box(grey, 100 + 28 * column, 300 + 28 * row, side=28)
    assert squares(grey) == []


def test_rings_of_a_matrix_code_are_no_boxes():
    grey = paper()
    for left, top in ((200, 300), (300, 300), (200, 400)):
        box(grey, left, top, side=27, line=3)
        cv2.rectangle(grey, (left + 9, top + 9), (left + 18, top + 18), 0, -1)
    assert squares(grey) == []


def words(*entries: tuple[str, float, float, float]):
    """Return words of (text, left, right, confidence) on one line, 12 points high."""
    found = [(t, Box(a / WIDE, 0.1, (b - a) / WIDE, 12 / HIGH), c) for t, a, b, c in entries]
    return words_of_boxes(found, width_pt=WIDE, height_pt=HIGH)


def tick(left: float, *, whole: bool = True) -> Tick:
    return Tick(True, (left, 111.0, left + 9, 120.0), whole)


def test_a_word_whose_box_reaches_over_a_checkbox_is_cut_back_beside_it():
    ticks, left = separate_boxes([tick(100)], words(("Temporary", 98, 170, 0.99)))
    assert len(ticks) == 1
    assert left.edges[0].tolist() == pytest.approx([109.45, 110, 170, 122])
    ticks, right = separate_boxes([tick(162)], words(("Left", 120, 172, 0.99)))
    assert len(ticks) == 1
    assert right.edges[0, 2] == pytest.approx(161.55)


@pytest.mark.parametrize(
    ("word", "whole"),
    [
        (("R", 100, 109, 0.95), True),
        (("国际保险", 98, 150, 0.9), True),
        (("Employer", 99, 160, 0.99), False),
        (("四", 100, 109, 0.9), True),
    ],
    ids=["letter", "line of ideographs", "letter with open sides", "ideograph"],
)
def test_a_square_that_was_read_as_a_letter_is_no_checkbox(word, whole):
    assert separate_boxes([tick(100, whole=whole)], words(word))[0] == []


@pytest.mark.parametrize("word", [("□", 100, 109, 0.6), ("X", 100, 109, 0.9), ("O", 100, 109, 0.2)])
def test_what_a_recognizer_takes_a_checkbox_for_does_not_remove_it(word):
    assert len(separate_boxes([tick(100)], words(word))[0]) == 1
