"""Whether signed words say the same on two pages that lie over each other.

Everything that is printed in the rows of the signed words and in the row above has to be at its place on
both pages. Farther above nothing may read surely as something else; nowhere on the page may a word that
limits have come or gone, and near the words none that denies.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from citation_pipeline.core.documents.edge_lines import is_edge_line
from citation_pipeline.core.documents.overlaid_pages import OverlaidPages, Spot
from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.documents.readings import (
    SURE,
    boxes_in,
    denies,
    holds_digit,
    is_alike,
    is_misread,
    is_signed_print,
    limits,
)
from citation_pipeline.core.matching.folding import fold

_ROW = 0.6  # of a word's height: how far apart the middles of one row may be
_REACH = (12.0, 8.0)  # words' heights above and below in which a word that denies speaks of the signed words
_BESIDE = 2.0  # words' heights between words of one phrase
_LEAST_LETTERS = 3  # of a word that tells one subject from another
_SPECK = 0.5  # recognition is no surer of what is not print
_UNSURE = 0.6  # of a word of which a second reading is believed


def places_over(pages: OverlaidPages, signed: Sequence[int]) -> tuple[int, ...]:
    """Return the new page's words where the signed ones stand; () unless the statement is the same."""
    statement = _Statement(pages, signed)
    if not all(_reads_the_same(pages, spot) for spot in statement.signed):
        return ()
    if statement.differs() or statement.is_of_another() or statement.says_otherwise():
        return ()
    return tuple(sorted(word for spot in statement.signed for word in spot.theirs))


class _Statement:
    """The signed words among the spots of two pages; heights and places are of the old page."""

    def __init__(self, pages: OverlaidPages, signed: Sequence[int]) -> None:
        self._pages = pages
        own = set(signed)
        self.signed = [spot for spot in pages.spots if own & set(spot.ours)]
        boxes = pages.before.boxes[list(signed)]
        self._height = float(np.median(boxes[:, 3]))
        self._top, self._bottom = float(boxes[:, 1].min()), float((boxes[:, 1] + boxes[:, 3]).max())
        self._laid = dict(zip(pages.new, pages.boxes.tolist(), strict=True))
        self._edge_before = _on_edge(pages.before, pages.old)
        self._edge_after = _on_edge(pages.after, pages.new)
        others = [spot for spot in pages.spots if not own & set(spot.ours)]
        self._changed = [spot for spot in others if not is_alike(*_joined(pages, spot))]

    def differs(self) -> bool:
        """Tell whether anything in the words' rows or the row above is not on both pages."""
        above = self._row_above()
        for spot in self._changed:
            if self._edge_before.issuperset(spot.ours) and self._edge_after.issuperset(spot.theirs):
                continue
            y = self._middle(spot)
            if self._top <= y <= self._bottom and not self._is_noise(spot):
                return True
            if above <= y < self._top and not (self._is_noise(spot) or self._is_speck(spot)):
                return True
        return False

    def is_of_another(self) -> bool:
        """Tell whether the page speaks of somebody or something else above: a name, a number, a column."""
        gone: set[bytes] = set()
        came: set[bytes] = set()
        for spot in self._changed:
            if self._middle(spot) > self._bottom or self._is_noise(spot):
                continue
            fresh = [word for word in spot.theirs if word not in self._edge_after]
            if _telling(self._pages.before, spot.ours, _UNSURE) and _telling(
                self._pages.after, fresh, _UNSURE
            ):
                return True
            ours = _telling(self._pages.before, spot.ours, SURE)
            theirs = _telling(self._pages.after, fresh, SURE)
            if theirs and self._is_beside(spot):
                return True
            gone |= {fold(self._pages.before.texts[word]) for word in ours}
            came |= {fold(self._pages.after.texts[word]) for word in theirs}
        return bool(gone & came)  # it stands somewhere else now

    def says_otherwise(self) -> bool:
        """Tell whether a word that limits is on one of the pages only, or one that denies near the words."""
        above, below = (reach * self._height for reach in _REACH)
        for spot in self._changed:
            is_near = self._top - above <= self._middle(spot) <= self._bottom + below
            if any(limits(text) or (is_near and denies(text)) for text in _texts(self._pages, spot)):
                return True
        return False

    def _middle(self, spot: Spot) -> float:
        boxes = [self._pages.before.boxes[word] for word in spot.ours] or [self._laid[w] for w in spot.theirs]
        return float(np.median([box[1] + box[3] / 2 for box in boxes]))

    def _row_above(self) -> float:
        """Return the top of the row above the words, or theirs where there is none."""
        words = self._pages.before
        boxes = words.boxes[[word for word in self._pages.old if word not in self._edge_before]]
        middles = boxes[:, 1] + boxes[:, 3] / 2
        above = middles < self._top
        if not above.any():
            return 0.0
        nearest = float(middles[above].max())
        row = above & (middles >= nearest - _ROW * self._height)
        return float(boxes[row, 1].min())

    def _is_noise(self, spot: Spot) -> bool:
        """Tell whether a scan may have made this difference of the same print."""
        ours, theirs = _joined(self._pages, spot)
        if not spot.ours or not spot.theirs:
            return (
                len(fold(ours + theirs)) <= 1
                and not holds_digit(ours + theirs)
                and not boxes_in(ours + theirs)
            )
        before, after = self._pages.before, self._pages.after
        confidences = [*before.confidence[list(spot.ours)], *after.confidence[list(spot.theirs)]]
        unsure = any(confidence < _UNSURE for confidence in confidences)
        seconds = "".join(after.second_readings.get(word, after.texts[word]) for word in spot.theirs)
        if unsure and is_alike(ours, seconds):
            return True
        return not boxes_in(ours + theirs) and is_misread(ours, theirs, unsure=unsure)

    def _is_speck(self, spot: Spot) -> bool:
        """Tell whether this is no print: strokes or specks that were read as a word, and not surely."""
        words = self._pages.after
        return not spot.ours and all(
            float(words.confidence[word]) < _SPECK and not holds_digit(words.texts[word])
            for word in spot.theirs
        )

    def _is_beside(self, spot: Spot) -> bool:
        """Tell whether new words stand right beside words that both pages have: they are of one phrase."""
        boxes = np.array([self._laid[word] for word in spot.theirs])
        left, right = float(boxes[:, 0].min()), float((boxes[:, 0] + boxes[:, 2]).max())
        own = self._pages.before.boxes[list(self._pages.old)]
        in_row = np.abs(own[:, 1] + own[:, 3] / 2 - self._middle(spot)) <= _ROW * self._height
        gaps = np.maximum(own[:, 0] - right, left - own[:, 0] - own[:, 2])
        return bool((in_row & (gaps <= _BESIDE * self._height)).any())


def _reads_the_same(pages: OverlaidPages, spot: Spot) -> bool:
    """Tell whether signed words are the same print."""
    if not spot.ours or not spot.theirs:
        return False
    return is_signed_print(
        " ".join(pages.before.texts[word] for word in spot.ours),
        " ".join(pages.after.texts[word] for word in spot.theirs),
    )


def _on_edge(words: Words, page: Sequence[int]) -> frozenset[int]:
    """Return the page's words in lines that a machine printed on its edge."""
    lines: dict[int, list[int]] = {}
    for word in page:
        lines.setdefault(int(words.line[word]), []).append(word)
    return frozenset(word for line in lines.values() if is_edge_line(words, line) for word in line)


def _joined(pages: OverlaidPages, spot: Spot) -> tuple[str, str]:
    return (
        "".join(pages.before.texts[word] for word in spot.ours),
        "".join(pages.after.texts[word] for word in spot.theirs),
    )


def _texts(pages: OverlaidPages, spot: Spot) -> list[str]:
    return [
        *(pages.before.texts[word] for word in spot.ours),
        *(pages.after.texts[word] for word in spot.theirs),
    ]


def _telling(words: Words, ids: Iterable[int], least: float) -> list[int]:
    """Return the words that were read at least so surely, and tell one subject from another."""
    return [
        word
        for word in ids
        if not float(words.confidence[word]) < least  # of a text layer's words it is not a number
        and (len(fold(words.texts[word])) >= _LEAST_LETTERS or holds_digit(words.texts[word]))
    ]
