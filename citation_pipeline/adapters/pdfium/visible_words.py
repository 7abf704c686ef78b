"""A page's words parted: those that a reader sees, a layer hidden over a picture, and what nobody sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.characters import PageText
from citation_pipeline.adapters.pdfium.paper import Paper
from citation_pipeline.adapters.pdfium.visibility import Sight
from citation_pipeline.core.documents.shown_letters import LOOK_ALIKE, shown_word
from citation_pipeline.core.layout.characters import UNSEEN, WHITE
from citation_pipeline.core.layout.content import NO_PAGE_WORDS, Drawings, EdgeArray, PageWords
from citation_pipeline.core.layout.drawn_signs import words_beside_signs
from citation_pipeline.core.layout.glyphs import half_known_words
from citation_pipeline.core.layout.overlaps import overtyped_figures
from citation_pipeline.core.layout.witnesses import better_words, compare
from citation_pipeline.core.layout.words import split_words

PARTLY_SEEN = 0.5
"""The confidence of a word that something else is printed over, or that nobody compared with the picture."""

_ASCII = 128  # scripts whose glyphs are no letters need such marks; nobody can read figures into them
_LIGATURE = 3  # letters: ffi
_BEYOND = 0.3  # of the size: part of a letter is off the page
_STROKE = 6.0  # points; bars behind white headings are sometimes drawn as one thick line


@dataclass(frozen=True, eq=False)
class VisibleWords:
    """The words a reader sees, those hidden over a picture (a recognized layer), whether the PDF library
    reads the same characters otherwise, and whether text was left out that the drawn page does not show.

    `misled` (n,) marks shown words whose figures are not those that are drawn; `warnings` are of what the
    page draws in place of print.
    """

    shown: PageWords = NO_PAGE_WORDS
    hidden: PageWords = NO_PAGE_WORDS
    is_doubtful: bool = False
    left_out: bool = False
    misled: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Mark no word where nobody looked."""
        if len(self.misled) != len(self.shown):
            object.__setattr__(self, "misled", np.zeros(len(self.shown), np.bool_))


def visible_words(
    text: PageText,
    paper: Paper,
    drawings: Drawings | None = None,
    look: Callable[[PageWords], Sight] | None = None,
) -> VisibleWords:
    """Part a page's words. White ones are seen where something is drawn behind them, and all where `look`
    finds their ink; without `drawings` all but invisible ones pass."""
    words, hidden = split_words(text.characters, width=paper.width, height=paper.height)
    if not len(words):
        return VisibleWords(words, NO_PAGE_WORDS)
    is_doubtful = compare(text.characters, words.texts).is_doubtful
    if is_doubtful:
        better = better_words(text.characters, words, width=paper.width, height=paper.height)
        words, hidden = better or (words, hidden)
    middle_x = (words.edges[:, 0] + words.edges[:, 2]) / 2
    middle_y = (words.edges[:, 1] + words.edges[:, 3]) / 2
    on_page = (middle_x >= 0) & (middle_x <= paper.width) & (middle_y >= 0) & (middle_y <= paper.height)
    limit = np.array([paper.width, paper.height] * 2)
    on_paper = np.clip(words.edges, 0.0, limit)
    beyond = np.abs(words.edges - on_paper)
    is_cut = np.where(words.turns % 2 == 0, *beyond.reshape(-1, 2, 2).max(axis=1).T) > _BEYOND * words.sizes
    words, mixed = _as_they_look(replace(words, edges=on_paper))
    seen = hidden != UNSEEN
    if drawings is None or look is None:
        return VisibleWords(words.chosen(on_page & seen), is_doubtful=is_doubtful)
    white = hidden == WHITE
    behind = (drawings.images, drawings.fills, drawings.diagonals, drawings.scribbles, drawings.rulings)
    seen[white] = _over(np.concatenate(behind), middle_x[white], middle_y[white])
    printed = np.flatnonzero(on_page & seen)
    sight = look(words.chosen(on_page & seen))
    guessed = is_cut | _are_only_said(words, text, paper) | half_known_words(words.texts)
    words.confidences[guessed] = PARTLY_SEEN
    words.confidences[printed[sight.doubtful | ~sight.shown]] = PARTLY_SEEN
    lost = np.zeros(len(words), np.bool_)
    if not is_doubtful:  # else the boxes themselves may be wrong: what shows nothing there is only unsure
        lost[printed[~sight.shown]] = True
        seen &= ~lost
    misled = _are_in_runs(words, text, paper, text.misleading_runs)
    overtyped = _are_overtyped(words, text, paper, on_page & seen)
    beside = words_beside_signs(words, drawings) & on_page & seen
    words.confidences[misled | overtyped | beside | mixed] = PARTLY_SEEN
    doubts = {
        LOOK_ALIKE: mixed,
        "misleading_figures": misled,
        "overtyped_figures": overtyped,
        "drawn_signs": beside,
    }
    over_picture = on_page & (lost | (hidden == UNSEEN))
    over_picture[over_picture] = _over(drawings.images, middle_x[over_picture], middle_y[over_picture])
    return VisibleWords(
        words.chosen(on_page & seen),
        words.chosen(over_picture),
        is_doubtful and bool((on_page & seen).any()),
        bool((lost & ~over_picture).any()),
        misled[on_page & seen],
        tuple(warning for warning, where in doubts.items() if (where & on_page & seen).any()),
    )


def _as_they_look(words: PageWords) -> tuple[PageWords, NDArray[np.bool_]]:
    """Return the words as they look, and which mix letters of two scripts."""
    mixed = np.zeros(len(words), np.bool_)
    if all(map(str.isascii, words.texts)):
        return words, mixed
    looks = [shown_word(text) for text in words.texts]
    mixed[:] = [is_mixed for _, is_mixed in looks]
    return replace(
        words, texts=[text or was for (text, _), was in zip(looks, words.texts, strict=True)]
    ), mixed


def _are_only_said(words: PageWords, text: PageText, paper: Paper) -> NDArray[np.bool_]:
    """Tell which words the file only says to be there: their glyphs were replaced by more than a ligature."""
    said = np.zeros(len(words), np.bool_)
    if not text.marked_runs:
        return said
    places, runs = text.paper_edges(paper), text.characters.runs
    x, y = (words.edges[:, 0] + words.edges[:, 2]) / 2, (words.edges[:, 1] + words.edges[:, 3]) / 2
    for run in text.marked_runs:
        where = runs == run
        letters = [chr(code) for code in text.characters.codes[where].tolist() if code < _ASCII]
        if any(map(str.isdigit, letters)) or sum(map(str.isalpha, letters)) > _LIGATURE:
            left, top = places[where, :2].min(axis=0)
            right, bottom = places[where, 2:].max(axis=0)
            said |= (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    return said


def _are_in_runs(
    words: PageWords, text: PageText, paper: Paper, misleading: Sequence[int]
) -> NDArray[np.bool_]:
    """Tell which words hold figures of some runs."""
    held = np.zeros(len(words), np.bool_)
    if not misleading:
        return held
    codes, places = text.characters.codes, text.paper_edges(paper)
    for at in np.flatnonzero(
        (codes >= ord("0")) & (codes <= ord("9")) & np.isin(text.characters.runs, misleading)
    ).tolist():
        held |= _holds(words, places[at])
    return held


def _are_overtyped(
    words: PageWords, text: PageText, paper: Paper, seen: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which of the words that are seen have a figure in one place with another one that is seen."""
    found = np.zeros(len(words), np.bool_)
    pairs = overtyped_figures(text.characters)
    if not pairs:
        return found
    places, codes = text.paper_edges(paper), text.characters.codes
    for pair in pairs:
        held = seen & _holds(words, places[pair[0]])
        said = "".join(words.texts[at] for at in np.flatnonzero(held).tolist())
        if all(chr(codes[one]) in said for one in pair):
            found |= held
    return found


def _holds(words: PageWords, edges: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which words lie around the middle of a character."""
    x, y = (edges[0] + edges[2]) / 2, (edges[1] + edges[3]) / 2
    left, top, right, bottom = words.edges.T
    found: NDArray[np.bool_] = (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    return found


def _over(shapes: EdgeArray, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which points lie on one of the shapes; a thick stroke reaches out from its middle line."""
    left, top, right, bottom = (shapes + np.array([-_STROKE, -_STROKE, _STROKE, _STROKE])).T
    held = [
        ((at >= left) & (at <= right) & (down >= top) & (down <= bottom)).any()
        for at, down in zip(x.tolist(), y.tolist(), strict=True)
    ]
    return np.array(held, np.bool_)
