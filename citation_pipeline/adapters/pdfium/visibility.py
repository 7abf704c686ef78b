"""Which words of a text layer a reader of the page sees: those whose ink is on the drawn page.

A text layer also holds what was painted over, clipped away, masked, put in a layer that is off, or printed
in the colour of its ground. None of that may be cited as printed. There are too many ways to hide text for
rules over operators, but the drawn page shows what comes of them all. Where a word has no contrast in its
box, or something is drawn over it, the page is drawn again without its text: what differs is the word's ink.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.calls import Object, form_objects, page_objects, switch
from citation_pipeline.adapters.pdfium.characters import PageText
from citation_pipeline.adapters.pdfium.covers import Hiding, reach_into
from citation_pipeline.adapters.pdfium.paper import Paper, render, render_colours, size_at
from citation_pipeline.core.layout.content import EdgeArray, PageWords
from citation_pipeline.core.layout.overlaps import overlapping_words

_LOOK_DPI, _CLOSE_DPI = 54.0, 144.0
_CLEAR = 32  # grey values between a word and its ground: 6-point print has more at 54 dpi
# points of a word's box that are looked at: more, and then all, only where these are of one grey
_FEW, _MANY = (12, 2), (24, 5)  # across and down
_INK = 16  # of 255, in some colour: paler print is not seen on paper
_LEAST_SHOWN = 0.35  # of a word's length; the gaps between letters have no ink either
_GAP = 0.8  # of the size: a longer stretch without ink is a letter that does not show
_LONG_FIGURE = 5  # characters: a third of it is more than a comma
_SMALLEST = 1.0  # points
_NARROWEST = 0.07  # of the size, for each letter
_MOST_SWITCHED = 60  # words looked at one by one on a page; more is a drawing
_MAX_DEPTH = 6
_SUBSTITUTED = "\u024f"  # up to here the library draws letters itself where the file lacks their font


@dataclass(frozen=True, eq=False)
class Sight:
    """Which words show, and which of them only in part or amid other print, so that nobody can be sure."""

    shown: NDArray[np.bool_]
    doubtful: NDArray[np.bool_]


def look_at(page: raw.FPDF_PAGE, paper: Paper, words: PageWords, text: PageText, hiding: Hiding) -> Sight:
    """Return which `words` of the page show. `hiding` is what may hide them."""
    sight = Sight(np.ones(len(words), np.bool_), np.zeros(len(words), np.bool_))
    if not len(words):
        return sight
    with _switched_off(hiding.pictures_aside):  # large scans of letterheads take longer than all print
        return _look(page, paper, words, text, hiding.edges, sight)


def _look(
    page: raw.FPDF_PAGE, paper: Paper, words: PageWords, text: PageText, covers: EdgeArray, sight: Sight
) -> Sight:
    grey = render(page, number=1, paper=paper, dpi=_LOOK_DPI).grey
    pairs = overlapping_words(words)
    dots = words.edges * (grey.shape[1] / paper.width)
    suspects = ~_is_clear(grey, dots) | _touch(words.edges, covers)
    suspects[_cut_figures(grey, dots, words)] = True
    suspects[[at for pair in pairs for at in pair]] = True
    suspects &= _are_drawn_here(words, text)
    if suspects.any():
        close = _CloseLook(page, paper, words, np.flatnonzero(suspects))
        close.judge(sight)
        if pairs:
            places = text.paper_edges(paper)
            _part(close, pairs, lambda at: _pieces_of(words, at, text, places), sight)
    large = (words.sizes >= min(_SMALLEST, paper.height / 600)) & ~_are_squeezed(words)
    return Sight(sight.shown & large, sight.doubtful & sight.shown & large)


def _are_squeezed(words: PageWords) -> NDArray[np.bool_]:
    """Tell which words of Latin letters are so narrow that they are a speck: no font's letters are."""
    along = np.where(words.turns % 2 == 0, *(words.edges[:, 2:] - words.edges[:, :2]).T)
    lengths = np.array([len(text) if text.isascii() and text.isalnum() else 0 for text in words.texts])
    found: NDArray[np.bool_] = (lengths > 0) & (along < _NARROWEST * lengths * words.sizes)
    return found


def _are_drawn_here(words: PageWords, text: PageText) -> NDArray[np.bool_]:
    """Tell of which words the drawing is a witness: letters in a font that is nowhere leave no ink."""
    if not text.borrows_fonts:
        return np.ones(len(words), np.bool_)
    return np.array([max(word, default="") <= _SUBSTITUTED for word in words.texts], np.bool_)


def _is_clear(grey: NDArray[np.uint8], edges: EdgeArray) -> NDArray[np.bool_]:
    """Tell which boxes (in pixels) hold both dark and light; all at once, since a page has hundreds."""
    clear = np.zeros(len(edges), np.bool_)
    for across, down in (_FEW, _MANY):
        rest = np.flatnonzero(~clear)
        clear[rest] = _has_contrast(grey, edges[rest], across, down)
    for at in np.flatnonzero(~clear).tolist():
        inside = _cut(grey, edges[at])
        clear[at] = inside.size > 0 and int(inside.max()) - int(inside.min()) >= _CLEAR
    return clear


def _cut_figures(grey: NDArray[np.uint8], edges: EdgeArray, words: PageWords) -> NDArray[np.int64]:
    """Return the level amounts of which one end shows nothing: a cell or a frame may cut them off."""
    long = [
        at
        for at, text in enumerate(words.texts)
        if len(text) >= _LONG_FIGURE and text[-1].isdigit() and text[:-1].isascii() and words.turns[at] == 0
    ]
    at = np.array(long, np.int64)
    left, top, right, bottom = edges[at].T
    third = (right - left) / 3
    starts = np.stack([left, top, left + third, bottom], axis=1)
    ends = np.stack([right - third, top, right, bottom], axis=1)
    return at[~(_is_clear(grey, starts) & _is_clear(grey, ends))]


def _has_contrast(
    grey: NDArray[np.uint8], edges: NDArray[np.float64], across: int, down: int
) -> NDArray[np.bool_]:
    """Tell in which boxes some points, so many across and down, are of different grey."""
    height, width = grey.shape
    left, top, right, bottom = (column[:, None] for column in edges.T)
    x = left + (right - left) * ((np.arange(across) + 0.5) / across)
    y = top + (bottom - top) * ((np.arange(down) + 1.0) / (down + 1))
    columns = np.clip(x, 0, width - 1).astype(np.int64)
    rows = np.clip(y, 0, height - 1).astype(np.int64)
    seen = grey[rows[:, :, None], columns[:, None, :]]
    found: NDArray[np.bool_] = seen.max(axis=(1, 2)).astype(np.int64) - seen.min(axis=(1, 2)) >= _CLEAR
    return found


def _cut(picture: NDArray[np.uint8], edges: NDArray[np.float64]) -> NDArray[np.uint8]:
    left, top = np.maximum(np.floor(edges[:2]), 0).astype(int).tolist()
    right, bottom = np.ceil(edges[2:]).astype(int).tolist()
    return picture[top : max(bottom, top + 1), left : max(right, left + 1)]


def _touch(edges: EdgeArray, covers: EdgeArray) -> NDArray[np.bool_]:
    """Tell which words reach into one of the covers."""
    found = np.zeros(len(edges), np.bool_)
    for cover in covers:
        found |= reach_into(edges, cover)
    return found


class _CloseLook:
    """The part of a page where some words are, drawn in colour with its text, without it or some of it."""

    def __init__(self, page: raw.FPDF_PAGE, paper: Paper, words: PageWords, which: NDArray[np.int64]) -> None:
        self._page, self._paper, self._words, self._which = page, paper, words, which
        width, height = size_at(paper, _CLOSE_DPI)
        self._scale = width / paper.width
        hull = np.concatenate([words.edges[which, :2].min(axis=0), words.edges[which, 2:].max(axis=0)])
        left, top, right, bottom = (hull * self._scale).astype(int).tolist()
        left, top = min(max(left, 0), width - 1), min(max(top, 0), height - 1)
        right, bottom = min(max(right + 1, left + 1), width), min(max(bottom + 1, top + 1), height)
        self._window = (left, top, right, bottom)
        self._whole = self._drawn(self._window)
        self._pieces = set(_texts_among(page_objects(page), 1))

    def judge(self, sight: Sight) -> None:
        """Find the sight of the words that it was made for."""
        with _switched_off(self._pieces):
            ink = _differs(self._whole, self._drawn(self._window))
        for at in self._which.tolist():
            sight.shown[at], sight.doubtful[at] = self._sight_of(_cut(ink, self._dots_of(at)), at)

    def shows_of(self, at: int, pieces: Collection[int]) -> bool:
        """Tell whether text objects (their addresses) leave ink in the word's box; True of unknown ones."""
        items = self._pieces.intersection(pieces)
        edges = self._dots_of(at)
        before = _cut(self._whole, edges)
        if not items or not before.size:
            return True
        left, top = np.maximum(np.floor(edges[:2]), 0).astype(int).tolist()
        left, top = left + self._window[0], top + self._window[1]
        with _switched_off(items):
            rest = self._drawn((left, top, left + before.shape[1], top + before.shape[0]))
        return self._sight_of(_differs(before, rest), at)[0]

    def _drawn(self, window: tuple[int, int, int, int]) -> NDArray[np.uint8]:
        return render_colours(self._page, paper=self._paper, dpi=_CLOSE_DPI, window=window)

    def _dots_of(self, at: int) -> NDArray[np.float64]:
        """Return a word's edges in the window's dots."""
        return np.asarray(self._words.edges[at] * self._scale - np.array(self._window[:2] * 2))

    def _sight_of(self, ink: NDArray[np.uint8], at: int) -> tuple[bool, bool]:
        words = self._words
        along = np.asarray(ink.any(axis=int(words.turns[at]) % 2))
        if not along.any():
            return False, False
        if not any(map(str.isalnum, words.texts[at])):
            return True, False  # a dot, a rule of dashes: little ink in a wide box
        gap = _longest_gap(along) / self._scale
        return bool(along.mean() >= _LEAST_SHOWN), gap > _GAP * words.sizes[at]


def _part(
    close: _CloseLook,
    pairs: Sequence[tuple[int, int]],
    pieces_of: Callable[[int], Collection[int]],
    sight: Sight,
) -> None:
    """Of two words in one place find the one that shows no ink of its own; where both do, neither is sure."""
    looked: dict[int, bool] = {}
    for pair in pairs:
        for at in pair:
            # where the first shows nothing the ink is the second's; of print struck twice neither shows any
            if all(sight.shown[list(pair)]) and at not in looked and len(looked) < _MOST_SWITCHED:
                looked[at] = close.shows_of(at, pieces_of(at))
                sight.shown[at] = looked[at]
        if all(sight.shown[list(pair)]):
            sight.doubtful[list(pair)] = True


def _pieces_of(words: PageWords, at: int, text: PageText, places: EdgeArray) -> set[int]:
    """Return the addresses of the text objects whose characters, drawn one after the other, are the word."""
    left, top, right, bottom = words.edges[at]
    x, y = (places[:, 0] + places[:, 2]) / 2, (places[:, 1] + places[:, 3]) / 2
    inside = np.flatnonzero((x >= left) & (x <= right) & (y >= top) & (y <= bottom))
    spelled = "".join(chr(min(code, 0x10FFFF)) for code in text.characters.codes[inside].tolist())
    start = spelled.find(words.texts[at])
    if start < 0:
        return set()
    runs = text.characters.runs[inside[start : start + len(words.texts[at])]]
    return set(text.pieces[runs].tolist())


def _differs(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Mark the dots of two coloured pictures that differ in some colour."""
    differs = np.maximum(one, other) - np.minimum(one, other) >= _INK
    return (differs[:, :, 0] | differs[:, :, 1] | differs[:, :, 2]).view(np.uint8)


def _longest_gap(along: NDArray[np.bool_]) -> int:
    at = np.flatnonzero(along)
    return int(max(at[0], len(along) - 1 - at[-1], np.diff(at).max(initial=1) - 1))


def _texts_among(objects: Sequence[Object], depth: int) -> Iterator[int]:
    """Yield the addresses of the text objects among some, those inside forms included."""
    for item, kind in objects:
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            yield item
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth <= _MAX_DEPTH:
            yield from _texts_among(form_objects(item), depth + 1)


@contextmanager
def _switched_off(items: Collection[int]) -> Iterator[None]:
    """Leave the objects at some addresses out of what is drawn meanwhile."""
    for item in items:
        switch(item, 0)
    try:
        yield
    finally:
        for item in items:
            switch(item, 1)
