"""What a page holds before anybody says what it means: words, drawings and pictures, as columns.

Here are the shapes that parsers and recognizers fill and layout reads. No reading order, no block types.

The paper frame, used throughout `core.layout`: points of the page as displayed (after rotation and
CropBox), origin top left, x to the right, y down. It differs from the page frame only by the page's
size, and keeps horizontal and vertical distances comparable. Edges are left, top, right, bottom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box

EdgeArray = NDArray[np.float64]
"""Shape (n, 4): left, top, right, bottom in the paper frame."""

NO_EDGES: EdgeArray = np.zeros((0, 4))


@dataclass(frozen=True, eq=False)
class PageWords:
    """The words of one page as columns of one length n, in the order in which they were drawn.

    `edges` (n, 4) in the paper frame; `sizes` the font size in points (the box's height where none is
    known); `bold` marks bold fonts; `turns` is the reading direction in quarter turns clockwise
    (0 upright); `confidences` is NaN for words of a text layer. `second_readings` are, by position, of the
    words that were recognized twice with different letters, the letters that were not taken.
    """

    texts: Sequence[str]
    edges: EdgeArray
    sizes: NDArray[np.float64]
    bold: NDArray[np.bool_]
    turns: NDArray[np.int8]
    confidences: NDArray[np.float64]
    second_readings: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.texts)

    def chosen(self, where: NDArray[np.bool_]) -> "PageWords":
        """Return the words that a mask of shape (n,) picks."""
        return PageWords(
            texts=[text for text, keep in zip(self.texts, where.tolist(), strict=True) if keep],
            edges=self.edges[where],
            sizes=self.sizes[where],
            bold=self.bold[where],
            turns=self.turns[where],
            confidences=self.confidences[where],
            second_readings={
                new: self.second_readings[old]
                for new, old in enumerate(np.flatnonzero(where).tolist() if self.second_readings else ())
                if old in self.second_readings
            },
        )


def words_of_boxes(recognized: Sequence["RecognizedWord"], *, width_pt: float, height_pt: float) -> PageWords:
    """Return recognized words as columns; a word's size is its extent across its reading direction."""
    kept = [part for word in recognized for part in _parted(word)]
    edges = np.array(
        [
            (b.left * width_pt, b.top * height_pt, b.right * width_pt, b.bottom * height_pt)
            for b in (word[1] for word in kept)
        ],
        np.float64,
    ).reshape(-1, 4)
    turns = np.array([word[3] if len(word) > 3 else 0 for word in kept], np.int8)
    wide, high = edges[:, 2] - edges[:, 0], edges[:, 3] - edges[:, 1]
    return PageWords(
        texts=[word[0] for word in kept],
        edges=edges,
        sizes=np.where(turns % 2 == 1, wide, high),
        bold=np.zeros(len(kept), np.bool_),
        turns=turns,
        confidences=np.array([word[2] for word in kept], np.float64),
        second_readings={
            at: word[4] for at, word in enumerate(kept) if len(word) > 4 and word[4] is not None
        },
    )


FEW_SURE_WORDS = "few_sure_words"
"""Warning of a recognized page: what it says must be compared with its picture."""

_SURE, _LEAST_SURE, _FEWEST = 0.9, 0.7, 5


def has_few_sure_words(words: PageWords) -> bool:
    """Tell whether fewer than 7 in 10 of a page's recognized words have a confidence of 0.9 or more.

    Of fewer than five words, whether none has.
    """
    known = words.confidences[~np.isnan(words.confidences)]
    share = float((known >= _SURE).mean()) if len(known) else 1.0
    return share < _LEAST_SURE if len(known) >= _FEWEST else share == 0.0


def _parted(word: "RecognizedWord") -> list["RecognizedWord"]:
    """Cut a recognized word at its spaces, its box by letters: a word never holds a space here."""
    texts = word[0].split()
    if len(texts) < 2:
        return [(texts[0], *word[1:])] if texts else []
    box, letters = word[1], len(word[0].strip())
    parts: list[RecognizedWord] = []
    at = 0
    for text in texts:
        share = Box(box.left + box.width * at / letters, box.top, box.width * len(text) / letters, box.height)
        parts.append((text, share, *word[2:4]))  # which part was read otherwise is not known
        at += len(text) + 1
    return parts


def join_words(first: PageWords, second: PageWords) -> PageWords:
    """Return the words of both, those of `first` first."""
    return PageWords(
        texts=[*first.texts, *second.texts],
        edges=np.concatenate([first.edges, second.edges]),
        sizes=np.concatenate([first.sizes, second.sizes]),
        bold=np.concatenate([first.bold, second.bold]),
        turns=np.concatenate([first.turns, second.turns]),
        confidences=np.concatenate([first.confidences, second.confidences]),
        second_readings={
            **first.second_readings,
            **{len(first) + at: other for at, other in second.second_readings.items()},
        },
    )


NO_PAGE_WORDS = PageWords(
    texts=(),
    edges=NO_EDGES,
    sizes=np.zeros(0),
    bold=np.zeros(0, np.bool_),
    turns=np.zeros(0, np.int8),
    confidences=np.zeros(0),
)


@dataclass(frozen=True, slots=True)
class Tick:
    """A checkbox that was drawn or is a form field: its state and its edges in the paper frame.

    `is_whole` is false of one on a scan whose sides are partly lost or thick.
    """

    checked: bool
    edges: tuple[float, float, float, float]
    is_whole: bool = True


@dataclass(frozen=True, eq=False)
class Drawings:
    """What is drawn on a page besides text, each an (n, 4) array of edges in the paper frame.

    `rulings` are thin strokes and rectangles, `boxes` stroked rectangles, `fills` filled areas,
    `images` pictures, `scribbles` curves, `diagonals` slanted strokes, `comments` visible remarks,
    `signatures` signature fields; `ticks` are the checkboxes that are form fields. `strokes` are the points
    (n, 2) of each line that a pen draws, level ones aside.
    """

    rulings: EdgeArray = field(default_factory=lambda: NO_EDGES)
    boxes: EdgeArray = field(default_factory=lambda: NO_EDGES)
    fills: EdgeArray = field(default_factory=lambda: NO_EDGES)
    images: EdgeArray = field(default_factory=lambda: NO_EDGES)
    scribbles: EdgeArray = field(default_factory=lambda: NO_EDGES)
    diagonals: EdgeArray = field(default_factory=lambda: NO_EDGES)
    comments: EdgeArray = field(default_factory=lambda: NO_EDGES)
    signatures: EdgeArray = field(default_factory=lambda: NO_EDGES)
    ticks: Sequence[Tick] = ()
    strokes: Sequence[NDArray[np.float64]] = ()


@dataclass(frozen=True, eq=False)
class PageContent:
    """One page ready for layout; sizes in points as displayed, `number` 1-based."""

    number: int
    width_pt: float
    height_pt: float
    words: PageWords
    drawings: Drawings = field(default_factory=Drawings)


@dataclass(frozen=True, eq=False)
class PagePicture:
    """A rendered page: `grey` is (height, width) uint8, 255 white, at `dpi`, upright as displayed."""

    grey: NDArray[np.uint8]
    dpi: float
    page: int
    width_pt: float
    height_pt: float


RecognizedWord = (
    tuple[str, Box, float] | tuple[str, Box, float, int] | tuple[str, Box, float, int, str | None]
)
"""Text, box in the page frame, confidence in 0-1; reading direction in quarter turns clockwise, else 0; what
a second reading had instead, None where there was none or it agreed."""


class RecognizePage(Protocol):
    """Reads the words off a rendered page.

    `known` are the words the page's text layer claims (empty when there is none): the recognizer
    decides whether they agree with the picture, and returns them (with their confidence) or its own.
    """

    def __call__(self, picture: PagePicture, *, known: Sequence[tuple[str, Box]]) -> Sequence[RecognizedWord]:
        """Return the page's words in any order; an empty page gives none."""
        ...
