"""What is known about a snippet beside its text, and how it ranks places that are otherwise equal.

A hint only chooses among places that tie; it never lifts a worse match over a better one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.search import Match

_MOST_VALUES = 400
_OVERLAP = 8  # an overlapping value counts as four words away
_OTHER_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Hints:
    """A 1-based page, the value's places, and an offset of the normalized text; each may be missing.

    `find_values` returns the word ranges (first and last, inclusive) where the value is; it is only asked
    when places tie.
    """

    page: int | None = None
    find_values: Callable[[], Sequence[tuple[int, int]]] | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Rank:
    """How well a place agrees with the hints; smaller is better, compared member by member."""

    page_hint: int
    value: int
    spelling: int
    section: int
    text_offset: int
    first: int

    def key(self) -> tuple[int, ...]:
        """Return the members in the order of their weight."""
        return (self.page_hint, self.value, self.spelling, self.section, self.text_offset, self.first)


REASONS = ("page_hint", "value", "spelling", "section", "text_offset", "first")


def rank_places(
    index: DocumentIndex,
    text: str,
    matches: Sequence[Match],
    hints: Hints,
    *,
    furniture: frozenset[int] = frozenset(),
) -> list[Rank]:
    """Return one rank per match; `furniture` holds the block ids of headers, footers and page numbers."""
    words = index.words
    values = hints.find_values() if hints.find_values is not None else ()
    spelled = "".join(text.split())
    ranks = []
    for match in matches:
        first, last = match.words[0], match.words[-1]
        pages = (int(words.page[first]), int(words.page[last]))
        offset = 0
        if hints.offset is not None:
            offset = abs(int(words.text_start[first]) - hints.offset)
        ranks.append(
            Rank(
                page_hint=0 if hints.page is None or hints.page in pages else 1,
                value=value_distance(index, values, first, last),
                spelling=0 if "".join(words.texts[w] for w in match.words) == spelled else 1,
                section=1 if int(words.block[first]) in furniture else 0,
                text_offset=offset,
                first=first,
            )
        )
    return ranks


def value_positions(index: DocumentIndex, values: Sequence[str]) -> list[tuple[int, int]]:
    """Return the word ranges (inclusive) where any of the values is."""
    found: list[tuple[int, int]] = []
    for value in values:
        key = fold(value)
        for place in index.reading.find_aligned(key, limit=_MOST_VALUES):
            first, last = index.reading.positions_of(place, place + len(key))
            found.append((first, last - 1))
    return found


def value_distance(index: DocumentIndex, values: Sequence[tuple[int, int]], first: int, last: int) -> int:
    """Return how many words lie between a place and the nearest value, in reading or in row order; 0
    inside."""
    if not values:
        return 0
    begin, end = np.asarray([v[0] for v in values]), np.asarray([v[1] for v in values])
    low, high = min(first, last), max(first, last)
    if bool(((begin >= low) & (end <= high)).any()):
        return 0
    page = index.words.page
    turned = _OTHER_PAGE * (page[begin] != page[first])
    reading = _steps(begin - high, low - end)
    rank = index.rows.rank
    place_low, place_high = sorted((int(rank[first]), int(rank[last])))
    value_low, value_high = np.minimum(rank[begin], rank[end]), np.maximum(rank[begin], rank[end])
    visual = _steps(value_low - place_high, place_low - value_high)
    return int((np.minimum(reading, visual) + turned).min())


def _steps(ahead: NDArray[np.int32], behind: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return twice the words between, one more for a value that comes first: labels are before values."""
    steps = np.where(ahead > 0, 2 * ahead, 2 * behind + 1).astype(np.int64)
    # a value that overlaps the place without lying in it is another statement's
    steps[(ahead <= 0) & (behind <= 0)] = _OVERLAP
    return steps


def deciding_reason(best: Rank, other: Rank) -> str:
    """Return the code of the first member in which two ranks differ."""
    for name, ours, theirs in zip(REASONS, best.key(), other.key(), strict=True):
        if ours != theirs:
            return name
    return "first"
