"""What is printed inside a citation's boxes: whether the words there are those that it quotes.

Asked of the boxes alone, whatever the resolver believed: a citation that was moved, or whose boxes belong to
another version of the page, fails here although every list is filled.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from citation_pipeline.core.citations import Region
from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.resolution.value_places import scalars_of
from citation_pipeline.core.values.grammar import find_value, type_of_value

# half of a line's letters recur in any other line of English; a quotation with dropped words keeps more
_LEAST_IN_ORDER = 0.8
# words in another order than quoted (a table row in two columns), or with a few misread ones
_LEAST_WORDS = 0.6


# of the pages that were looked at so far: where the words' middles are down the page, in that order, then
# across, and the words' ids
_Middles = tuple[list[float], list[float], list[int]]
_MIDDLES: "WeakKeyDictionary[PrintedWords, dict[int, _Middles]]" = WeakKeyDictionary()


class PrintedWords(Protocol):
    """A document's words with their places: as much of them as a box is compared with."""

    @property
    def texts(self) -> Sequence[str]:
        """The words in reading order."""

    @property
    def page(self) -> NDArray[Any]:
        """Each word's page, 1-based, in ascending order."""

    @property
    def boxes(self) -> NDArray[Any]:
        """Each word's left, top, width and height in the page frame."""


def words_in(words: PrintedWords, regions: Iterable[Region]) -> list[int]:
    """Return the ids of the words whose centres lie in one of the regions' boxes, in reading order."""
    found: set[int] = set()
    for region in regions:
        down, across, ids = _middles_on(words, region.page)
        for box in region.boxes:
            left, right, top, bottom = box.left, box.right, box.top, box.bottom
            # a box is a line high: few words are level with it. Where a box is unknown (NaN), none is
            level = range(bisect_left(down, top), bisect_right(down, bottom)) if top <= bottom else ()
            found.update([ids[at] for at in level if left <= across[at] <= right])
    return sorted(found)


def _middles_on(words: PrintedWords, page: int) -> _Middles:
    """Return the words of a page; a claim has some hundred citations on its few pages."""
    pages = _MIDDLES.setdefault(words, {})
    if page not in pages:
        first, last = np.searchsorted(words.page, np.asarray((page, page + 1), words.page.dtype)).tolist()
        left, top, width, height = words.boxes[first:last].T
        across, down = left + width / 2, top + height / 2
        order = np.argsort(down, kind="stable")
        order = order[: len(order) - int(np.isnan(down).sum())]  # what is nowhere is in no box: it sorts last
        pages[page] = down[order].tolist(), across[order].tolist(), (first + order).tolist()
    return pages[page]


def prints_snippet(words: PrintedWords, regions: Sequence[Region], snippet: str) -> bool:
    """Tell whether the words inside the boxes are the snippet's: in order, or most of them in any order."""
    printed = [words.texts[word] for word in words_in(words, regions)]
    quoted = fold(snippet)
    if not quoted:
        return bool(printed)
    found = fold("".join(printed))
    if found == quoted or LCSseq.similarity(quoted, found) / len(quoted) >= _LEAST_IN_ORDER:
        return True
    keys = {key for text in printed if (key := fold(text))}
    wanted = [key for text in snippet.split() if (key := fold(text))]
    return sum(key in keys for key in wanted) >= _LEAST_WORDS * len(wanted) if len(wanted) > 1 else False


def prints_value(words: PrintedWords, regions: Sequence[Region], value: Any, value_type: str) -> bool:
    """Tell whether the words inside the boxes state the value, or one member of an array or object."""
    text = " ".join(words.texts[word] for word in words_in(words, regions))
    if not isinstance(value, list | dict):
        return bool(find_value(text, value, value_type))
    return any(find_value(text, scalar, type_of_value(scalar)) for scalar in scalars_of(value))
