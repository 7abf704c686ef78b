"""What is drawn of words in other letters than Latin: their order on paper, and boxes for unknown letters.

The font that OpenCV brings has Hebrew and Arabic letters (these each by itself, not joined), Greek, Cyrillic,
Chinese, Japanese and Korean. For what it lacks (Thai, Devanagari, Armenian, …) it draws a question mark,
which would be read as one.
"""

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

UNKNOWN_LETTER = "□"
_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
# digits and Latin letters inside a leftward word keep their order; a mark between digits is theirs
_RUNS = re.compile(r"[0-9A-Za-z\u0660-\u0669]+(?:[.,:/-][0-9A-Za-z\u0660-\u0669]+)*|.", re.DOTALL)
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_SIZE = 24


def letters_on_paper(text: str) -> str:
    """Return a word's letters from left to right as they are printed, unknown ones as boxes."""
    if _LEFTWARD.search(text):
        text = "".join(
            run.translate(_MIRRORED) if len(run) == 1 else run for run in reversed(_RUNS.findall(text))
        )
    return "".join(letter if _is_known(letter) else UNKNOWN_LETTER for letter in text)


@cache
def _is_known(letter: str) -> bool:
    return letter == "?" or not np.array_equal(_drawn(letter), _drawn("?"))


def _drawn(letter: str) -> NDArray[np.uint8]:
    import cv2  # a second's import, and few pages have such words

    blank = np.zeros((3 * _SIZE, 3 * _SIZE), np.uint8)
    return np.asarray(cv2.putText(blank, letter, (8, 2 * _SIZE), (255,), cv2.FontFace("uni"), _SIZE)[1])
