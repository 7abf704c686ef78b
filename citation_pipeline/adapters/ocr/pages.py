"""A page's picture becomes words: upright it, find the lines, read them, tighten the boxes.

One `PageReader` a process: it holds the networks (loaded at the first page) and is not for two threads at
once. No network, no files but the models'.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from citation_pipeline.adapters.ocr.confidence import (
    AGREED,
    DIFFERS,
    NOT_ASKED,
    WordEvidence,
    confidences_of,
)
from citation_pipeline.adapters.ocr.faxes import load_redrawer, redrawn
from citation_pipeline.adapters.ocr.leaders import find_leaders, without_dots
from citation_pipeline.adapters.ocr.lines import find_lines
from citation_pipeline.adapters.ocr.model_files import Recognizer, load_detector, load_recognizer
from citation_pipeline.adapters.ocr.pictures import (
    Grey,
    Upright,
    as_given,
    clean,
    ink_of,
    levelled,
    moved_as,
    smoothed,
    turned,
)
from citation_pipeline.adapters.ocr.recognition import Character, read_line
from citation_pipeline.adapters.ocr.word_boxes import LineWord, words_of_line
from citation_pipeline.core.layout.pictures import is_bilevel

DETECTOR_SIDE = 1216  # pixels of the longer side: 6-point labels are still 8 pixels high on a letter page
_LEAST_CONFIDENCE = 0.5  # below it, what was read are pictures, stamps and handwriting
_SURE = 0.88  # mean confidence of upright text, even faint; turned upside down it stays below 0.8
_SAMPLES = 5
_DOUBTFUL = 0.85  # a letter below it is worth a second reading of its line
_COUNTED = 0.9  # a leader's dots were counted, not read


@dataclass(frozen=True, eq=False)
class PageWordsRead:
    """Words of one page: edges (n, 4) in pixels of the picture as given, and how the text is turned.

    `quarters` is by how many quarter turns clockwise the picture had to be turned to be read;
    `second_readings` are, by position, the letters that the other reading of a disputed word had.
    """

    texts: Sequence[str]
    edges: NDArray[np.float64]
    confidences: NDArray[np.float64]
    quarters: int
    evidence: Sequence[WordEvidence] = ()
    second_readings: Mapping[int, str] = field(default_factory=dict)


class _Renderings:
    """One page drawn in several ways: a doubtful line is read from more than one.

    `dots` are a fax's own, cleaned. They are its other reading: blurring what was redrawn adds no witness.
    """

    def __init__(self, page: Grey, dots: Grey | None) -> None:
        self.page = page
        self.is_fax = dots is not None
        self._dots = dots

    @cached_property
    def softer(self) -> Grey:
        """The page blurred a little."""
        return smoothed(self.page)

    @property
    def other(self) -> Grey:
        """What the second reading is of."""
        return self.softer if self._dots is None else self._dots


class PageReader:
    """Reads grey pictures of pages."""

    def __init__(self, *, detector_side: int = DETECTOR_SIDE) -> None:
        self._side = detector_side
        cv2.setNumThreads(1)  # one process per core

    @cached_property
    def _detector(self) -> onnxruntime.InferenceSession:
        return load_detector()

    @cached_property
    def _recognizer(self) -> Recognizer:
        return load_recognizer()

    def read(self, grey: Grey) -> PageWordsRead:
        """Return the page's words in the order of their lines, top to bottom."""
        given = self._prepared(grey)
        picture = levelled(given)
        lines = self._lines(picture)
        quarters = 0
        if _stand_upright(lines):
            picture = levelled(turned(given, 1))
            lines, quarters = self._lines(picture), 1
        if len(lines) and self._is_upside_down(picture.grey, lines):
            picture = turned(picture, 2)
            height, width = picture.grey.shape
            lines = np.stack(
                [width - lines[:, 2], height - lines[:, 3], width - lines[:, 0], height - lines[:, 1]], axis=1
            )[::-1]
            quarters += 2
        dots = moved_as(clean(grey), picture) if is_bilevel(grey) else None
        return self._words(picture, lines, quarters, dots)

    def find_lines(self, grey: Grey) -> tuple[Upright, NDArray[np.float64]]:
        """Return the levelled picture and (n, 4) edges of its lines in its pixels, without reading them."""
        picture = levelled(self._prepared(grey))
        return picture, self._lines(picture)

    def read_region(self, grey: Grey, edges: NDArray[np.float64]) -> str:
        """Return the text of one level line inside `edges` (pixels); for comparing, not for boxes."""
        characters, _ = self._characters(grey, edges)
        return "".join(character.text for character in characters)

    def _prepared(self, grey: Grey) -> Upright:
        """Return the picture ready to be levelled: a fax redrawn, all else cleaned."""
        return as_given(redrawn(grey, load_redrawer()) if is_bilevel(grey) else clean(grey))

    def _lines(self, picture: Upright) -> NDArray[np.float64]:
        return find_lines(self._detector, picture.grey, side=self._side)

    def _characters(
        self, grey: Grey, edges: NDArray[np.float64], *others: Grey
    ) -> tuple[list[Character], tuple[int, int, int, int]]:
        height, width = grey.shape
        left, top = max(0, int(edges[0])), max(0, int(edges[1]))
        right, bottom = min(width, int(np.ceil(edges[2]))), min(height, int(np.ceil(edges[3])))
        parts = [one[top:bottom, left:right] for one in (grey, *others)]
        return read_line(self._recognizer, *parts), (left, top, right, bottom)

    def _is_upside_down(self, grey: Grey, lines: NDArray[np.float64]) -> bool:
        """Read a few long lines both ways, unless the first way reads well."""
        long = lines[np.argsort(lines[:, 0] - lines[:, 2])][:_SAMPLES]
        upright = self._sureness(grey, long)
        if upright > _SURE:
            return False
        height, width = grey.shape
        over = np.stack(
            [width - long[:, 2], height - long[:, 3], width - long[:, 0], height - long[:, 1]], axis=1
        )
        return self._sureness(np.ascontiguousarray(grey[::-1, ::-1]), over) > upright

    def _sureness(self, grey: Grey, lines: NDArray[np.float64]) -> float:
        chances = [
            character.probability
            for edges in lines
            for character in self._characters(grey, edges)[0]
            if character.text.isalnum()
        ]
        return float(np.mean(chances)) if chances else 0.0

    def _readings(
        self, renderings: "_Renderings", line: NDArray[np.float64]
    ) -> tuple[list[Character], list[Character], tuple[int, int, int, int]]:
        """Return the surer and the other reading of a line (none of a clear line), and where it is."""
        page = renderings.page
        characters, place = self._characters(page, line)
        if not _is_doubtful(characters) and not (renderings.is_fax and _has_figures(characters)):
            return characters, [], place
        if renderings.is_fax:
            characters, _ = self._characters(page, line, renderings.softer)
        other, _ = self._characters(renderings.other, line)
        if _sureness_of(other) > _sureness_of(characters):
            characters, other = other, characters
        return characters, other, place

    def _words(
        self, picture: Upright, lines: NDArray[np.float64], quarters: int, dots: Grey | None
    ) -> PageWordsRead:
        ink = ink_of(picture.grey)
        renderings = _Renderings(picture.grey, dots)
        edges: list[tuple[float, float, float, float]] = []
        evidence: list[WordEvidence] = []
        seconds: dict[int, str] = {}
        for line in lines:
            characters, other, (left, top, right, bottom) = self._readings(renderings, line)
            leaders = find_leaders(characters, ink, left=left, top=top, bottom=bottom)
            for leader in leaders:
                evidence.append(WordEvidence("." * leader.dots, _COUNTED, _COUNTED, bottom - top, AGREED))
                edges.append((leader.left, leader.top, leader.right, leader.bottom))
                # its dots are not part of a label's box
                ink[int(leader.top) : int(leader.bottom), int(leader.left) : int(leader.right)] = False
            letters = without_dots(characters, leaders, left)
            for word in words_of_line(letters, ink[top:bottom, left:right]):
                if word.confidence >= _LEAST_CONFIDENCE:
                    opinion = NOT_ASKED
                    if other:
                        second = _second_reading(word, other)
                        opinion = AGREED if second == word.text else DIFFERS
                        if opinion == DIFFERS:
                            seconds[len(evidence)] = second
                    edges.append((word.left + left, word.top + top, word.right + left, word.bottom + top))
                    evidence.append(
                        WordEvidence(word.text, word.confidence, word.least, bottom - top, opinion)
                    )
        return PageWordsRead(
            texts=[word.text for word in evidence],
            edges=picture.boxes_to_original(np.array(edges, np.float64).reshape(-1, 4)),
            confidences=confidences_of(evidence, redrawn=renderings.is_fax),
            quarters=quarters % 4,
            evidence=evidence,
            second_readings=seconds,
        )


def _is_doubtful(characters: Sequence[Character]) -> bool:
    """Tell whether a line is worth a second reading: some letter of it is not sure."""
    return any(one.probability < _DOUBTFUL for one in characters if one.text != " ")


def _has_figures(characters: Sequence[Character]) -> bool:
    """Tell whether a line has figures: on a fax the point that one lost leaves no doubtful letter."""
    return any(one.text.isdigit() for one in characters)


def _sureness_of(characters: Sequence[Character]) -> float:
    known = [one.probability for one in characters if one.text != " "]
    return float(np.mean(np.log(np.maximum(known, 1e-6)))) if known else -np.inf


def _second_reading(word: LineWord, other: Sequence[Character]) -> str:
    """Return the letters that the other reading of a line has where the word is."""
    half = 0.25 * (word.right - word.left) / max(1, len(word.text))
    return "".join(
        one.text
        for one in other
        if one.text != " " and word.left - half <= (one.left + one.right) / 2 <= word.right + half
    )


def _stand_upright(lines: NDArray[np.float64]) -> bool:
    """Tell whether most of the text's area is in boxes higher than wide: the page lies on its side."""
    if not len(lines):
        return False
    wide, high = lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1]
    clear = np.maximum(wide, high) > 1.5 * np.minimum(wide, high)
    area = wide * high * clear
    return bool(area[high > wide].sum() > area[high <= wide].sum())
