"""Letters of other scripts on the drawn pages of office files."""

import numpy as np
import pytest

from citation_pipeline.adapters.office.drawing import draw_page
from citation_pipeline.adapters.office.world_letters import UNKNOWN_LETTER, letters_on_paper


def _ink(text):
    """Return the drawn first page of a text file as ink, cut to it."""
    drawn = 255 - np.asarray(draw_page(text.encode("utf-8"), "text/plain", 1, 3.0).convert("L"))
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    return drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@pytest.mark.parametrize(
    ("word", "printed"),
    [
        ("שלום", "םולש"),
        ("سلام", "مالس"),
        ("(שלום)", "(םולש)"),
        ("ב-12.50", "12.50-ב"),
        ("Привет", "Привет"),
        ("中文", "中文"),
        ("Nguyễn", "Nguyễn"),
    ],
)
def test_letters_lie_on_the_page_in_the_order_of_their_script(word, printed):
    assert letters_on_paper(word) == printed


@pytest.mark.parametrize("word", ["ไทย", "हि", "Հայ"])
def test_a_letter_that_no_font_has_is_a_box_and_no_question_mark(word):
    assert letters_on_paper(word) == UNKNOWN_LETTER * len(word)
    assert not np.array_equal(_ink(word), _ink("?" * len(word)))


def test_a_question_mark_stays_one():
    assert letters_on_paper("что?") == "что?"


def test_a_hebrew_word_is_drawn_from_the_right():
    # lamed, the first letter of this word, is the only one that rises above the others
    ink = _ink("למה")
    top = np.flatnonzero(ink[: max(1, len(ink) // 8)].any(axis=0))
    assert top.min() > ink.shape[1] / 2
