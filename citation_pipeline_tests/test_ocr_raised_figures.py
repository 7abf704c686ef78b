"""Marks of footnotes on scans: small figures raised behind an amount, which are none of its figures."""

import numpy as np

from citation_pipeline.adapters.ocr.recognition import Character
from citation_pipeline.adapters.ocr.word_boxes import words_of_line

HIGH, WIDE = 40, 12  # of a line's picture, and of a figure's place


def line(level: str, raised: str = "", *, read: str | None = None, touch: bool = False):
    """Return what was read of a line and its ink: figures as blocks, commas and points low, `raised` high."""
    ink = np.zeros((HIGH, WIDE * (len(level + raised) + 3)), np.bool_)
    for at, letter in enumerate(level):
        start = WIDE * (at + 1)
        ink[(28 if letter in ",." else 9) : 32, start : start + (3 if letter in ",." else 9 + 3 * touch)] = (
            True
        )
    for at in range(len(level), len(level + raised)):
        start = WIDE * (at + 1)
        ink[7:20, start + 2 * touch : start + 7] = True
    characters = [
        Character(letter, WIDE * (at + 1.2), WIDE * (at + 1.5), 0.999)
        for at, letter in enumerate(level + raised if read is None else read)
    ]
    return words_of_line(characters, ink)


def test_a_raised_figure_is_no_figure_of_the_amount_before_it():
    amount, mark = line("1,640", "3")
    assert (amount.text, mark.text) == ("1,640", "3")
    assert amount.right <= mark.left
    assert mark.bottom == amount.bottom  # it stays in its row
    assert [word.text for word in line("$85", "12")] == ["$85", "12"]


def test_an_amount_stays_whole_without_a_mark_and_where_the_mark_was_not_read():
    assert [word.text for word in line("1,640.75")] == ["1,640.75"]
    (word,) = line("1,640", "3", read="1,640")
    assert (word.text, word.confidence > 0.9) == ("1,640", True)


def test_an_amount_that_may_hold_the_figure_of_a_mark_is_in_doubt():
    (word,) = line("1,640", "3", touch=True)
    assert word.text == "1,6403"
    assert word.confidence < 0.9


def test_raised_letters_of_words_are_left_alone():
    assert [word.text for word in line("July4", "")] == ["July4"]
    assert [word.text for word in line("m", "2")] == ["m2"]


def test_an_amount_that_a_streak_parts_is_in_doubt_on_both_sides():
    ink = np.zeros((HIGH, 400), np.bool_)
    characters = []
    for at, letter in enumerate("8,3 00.80 75,40 and 12"):
        start = 14 * (at + 1)
        if letter != " ":
            ink[(28 if letter in ",." else 9) : 32, start : start + 10] = True
        characters.append(Character(letter, start + 3, start + 6, 0.999))
    doubted = {word.text for word in words_of_line(characters, ink) if word.confidence < 0.9}
    assert doubted == {"8,3", "00.80"}
