"""The `RecognizePage` of the local parser: pictures in, words in the page frame out.

A scan may carry words from whoever scanned it. When a few lines of the picture read the same and they cover
the page, they are compared with the picture word by word (`known_words`); else they are a stranger's guess,
or another page's, and only the picture counts.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from citation_pipeline.adapters.ocr.known_words import compare_words
from citation_pipeline.adapters.ocr.pages import PageReader
from citation_pipeline.core.boxes import Box, box_from_edges, clamp
from citation_pipeline.core.layout.content import PagePicture, RecognizedWord

_SAMPLED_LINES = 6
_SAME = 0.85  # of a line's letters: two recognizers differ in a letter or two, two texts in most
_COVERED = 0.75  # of the picture's lines: stamps and handwriting have no words in a good layer either


class PageRecognizer:
    """Reads pages with one `PageReader`."""

    def __init__(self, reader: PageReader | None = None) -> None:
        self._reader = reader or PageReader()

    def __call__(self, picture: PagePicture, *, known: Sequence[tuple[str, Box]]) -> Sequence[RecognizedWord]:
        """Return the page's words: what is read, and of known ones those that it confirms."""
        agreement = self._agreement(picture, known) if known else 0.0
        found = self._recognized(picture)
        return compare_words(known, found, picture.grey) if agreement >= _SAME else found

    def _recognized(self, picture: PagePicture) -> list[RecognizedWord]:
        found = self._reader.read(picture.grey)
        height, width = picture.grey.shape
        turns = -found.quarters % 4  # what was turned clockwise to be read reads counter-clockwise
        edges = found.edges / np.array([width, height] * 2)
        return [
            (text, clamp(box_from_edges(*box)), confidence, turns, found.second_readings.get(at))
            for at, (text, box, confidence) in enumerate(
                zip(found.texts, edges.tolist(), found.confidences.tolist(), strict=True)
            )
        ]

    def _agreement(self, picture: PagePicture, known: Sequence[tuple[str, Box]]) -> float:
        """Return how well sampled lines of the picture read like the known words on them, in 0-1."""
        height, width = picture.grey.shape
        upright, lines = self._reader.find_lines(picture.grey)
        hulls = upright.boxes_to_original(lines) / np.array([width, height] * 2)
        held = [_words_inside(hull, known) for hull in hulls]
        covered = [number for number, words in enumerate(held) if words]
        if not covered or len(covered) < _COVERED * len(lines):
            return 0.0
        # the longest lines say most; one line of a page number says nothing
        longest = sorted(covered, key=lambda number: lines[number, 0] - lines[number, 2])[:_SAMPLED_LINES]
        ratios = [
            fuzz.ratio(
                _key(" ".join(held[number])), _key(self._reader.read_region(upright.grey, lines[number]))
            )
            / 100
            for number in longest
        ]
        return float(np.median(ratios))


def _words_inside(hull: NDArray[np.float64], known: Sequence[tuple[str, Box]]) -> list[str]:
    left, top, right, bottom = hull.tolist()
    inside = [
        (box.left, text)
        for text, box in known
        if left <= (box.left + box.right) / 2 <= right and top <= (box.top + box.bottom) / 2 <= bottom
    ]
    return [text for _, text in sorted(inside)]


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
