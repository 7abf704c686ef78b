"""What is known about a snippet beside its text, and how it ranks places that are otherwise equal.

A hint only chooses among places that tie; it never lifts a worse match over a better one. All places are
ranked, however many: what is kept of them is chosen afterwards.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.folding import fold
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.occurrences import WordIds
from citation_pipeline.core.resolution.nearness import value_distances

REASONS = ("page_hint", "value", "spelling", "section", "text_offset", "first")
"""The members of a rank in the order of their weight, as the codes of what decided."""

Ranks = NDArray[np.int64]
"""One row per place, one column per member of `REASONS`; smaller is better."""


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


def rank_places(
    index: DocumentIndex,
    first: WordIds,
    last: WordIds,
    hints: Hints,
    *,
    is_spelled: NDArray[np.bool_],
    furniture: frozenset[int] = frozenset(),
) -> Ranks:
    """Return the rank of every place, given by its outermost words; `is_spelled` tells which are printed
    exactly as quoted, `furniture` holds the block ids of headers, footers and page numbers."""
    words = index.words
    ranks = np.zeros((len(first), len(REASONS)), np.int64)
    if hints.page is not None:
        ranks[:, 0] = (words.page[first] != hints.page) & (words.page[last] != hints.page)
    if hints.find_values is not None:
        ranks[:, 1] = value_distances(index, hints.find_values(), first, last)
    ranks[:, 2] = ~is_spelled
    if furniture:
        ranks[:, 3] = np.isin(words.block[first], list(furniture))
    if hints.offset is not None:
        ranks[:, 4] = np.abs(words.text_start[first].astype(np.int64) - hints.offset)
    ranks[:, 5] = first
    return ranks


def value_positions(index: DocumentIndex, values: Sequence[str]) -> list[tuple[int, int]]:
    """Return the word ranges (inclusive) where any of the values is."""
    found: list[tuple[int, int]] = []
    for value in values:
        key = fold(value)
        places = index.reading.find_all(key)
        begin, end = index.reading.positions_of_all(places, len(key))
        found += zip(begin.tolist(), (end - 1).tolist(), strict=True)
    return found


def deciding_reason(best: Rank, other: Rank) -> str:
    """Return the code of the first member in which two ranks differ."""
    for name, ours, theirs in zip(REASONS, best.key(), other.key(), strict=True):
        if ours != theirs:
            return name
    return "first"
