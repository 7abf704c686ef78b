"""Every place of a text in one document: printed alike, so one judgement holds for all of them.

A register has the same cell hundreds of times. The first occurrence is looked at closely; of the others only
the words are known until one of them is asked for.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.clipped_denials import code_of_clipping
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.matches import Match
from citation_pipeline.core.matching.mixed_rows import reads_on
from citation_pipeline.core.matching.streams import KeyStream, Offsets

_SIGNS_BESIDE = 3  # words without a key before and behind a place that may belong to it: "☒", "-", "("

WordIds = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Places that are printed alike, in the order of their stream; `match` is the first of them.

    `ends` are the ids of each place's first and last word, None for a match that is the only one; `build`
    makes the match of a place.
    """

    match: Match
    ends: tuple[WordIds, WordIds] | None
    build: Callable[[int], Match]

    def __len__(self) -> int:
        """Return the number of places."""
        return 1 if self.ends is None else len(self.ends[0])

    @property
    def first(self) -> WordIds:
        """The id of each place's first word."""
        return np.asarray([self.match.words[0]]) if self.ends is None else self.ends[0]

    @property
    def last(self) -> WordIds:
        """The id of each place's last word."""
        return np.asarray([self.match.words[-1]]) if self.ends is None else self.ends[1]

    def at(self, number: int) -> Match:
        """Return the match of one place."""
        return self.match if number == 0 else self.build(number)


def one_occurrence(match: Match) -> Occurrences:
    """Return a match as the only place of its kind."""
    return Occurrences(match, None, lambda _: match)


def gather(
    index: DocumentIndex,
    stream: KeyStream,
    places: Offsets,
    length: int,
    match_at: Callable[[int], Match],
    *,
    is_exact: bool = False,
) -> list[Occurrences]:
    """Return the places (stream offsets) of a key of so many bytes, grouped by how they are printed;
    `match_at` looks at one place closely, at an exact one also at how rows are read behind each other."""
    if len(places) == 1:
        return [one_occurrence(match_at(int(places[0])))]
    begin, end = stream.positions_of_all(places, length)
    first, last = stream.words_of(begin), stream.words_of(end - 1)
    groups: dict[tuple[bool, str, tuple[str, ...]], list[int]] = {}
    is_told = is_exact and stream.words is None
    mixed = reads_on(index, first, last).tolist() if is_told else [False] * len(places)
    clipped = [code_of_clipping(index, a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    # places printed alike get one judgement: a register has hundreds of them
    for number, printed in enumerate(_printed(index, stream, begin, end)):
        groups.setdefault((mixed[number], clipped[number], printed), []).append(number)
    found = []
    for members in groups.values():
        chosen = np.asarray(members)
        starts: list[int] = places[chosen].tolist()
        match = match_at(starts[0])
        build = _Builder(match_at, starts)
        found.append(Occurrences(match, (first[chosen], last[chosen]), build))
    return found


@dataclass(frozen=True, eq=False)
class _Builder:
    match_at: Callable[[int], Match]
    starts: list[int]

    def __call__(self, number: int) -> Match:
        return self.match_at(self.starts[number])


def _printed(
    index: DocumentIndex, stream: KeyStream, begin: Offsets, end: Offsets
) -> Iterator[tuple[str, ...]]:
    """Yield how each place is printed: its words, and the signs without a key beside them."""
    texts, keyed = index.words.texts, index.is_keyed
    if stream.words is not None:
        order = stream.words
        for a, b in zip(begin.tolist(), end.tolist(), strict=True):
            words = [int(w) for w in order[max(0, a - _SIGNS_BESIDE) : b + _SIGNS_BESIDE]]
            low = min(a, _SIGNS_BESIDE)
            before, inner, behind = words[:low], words[low : low + b - a], words[low + b - a :]
            yield _spelled(texts, keyed, before, inner, behind)
        return
    # the usual word has a word with a key on either side: one look at the table for all places
    count = len(texts)
    bare = (keyed[begin - 1] | (begin == 0)) & (keyed[end.clip(max=count - 1)] | (end == count))
    for a, b, is_bare in zip(begin.tolist(), end.tolist(), bare.tolist(), strict=True):
        if is_bare:
            yield tuple(texts[a:b])
        else:
            before = list(range(max(0, a - _SIGNS_BESIDE), a))
            behind = list(range(b, min(len(texts), b + _SIGNS_BESIDE)))
            yield _spelled(texts, keyed, before, list(range(a, b)), behind)


def _spelled(texts, keyed, before: list[int], inner: list[int], behind: list[int]) -> tuple[str, ...]:  # type: ignore[no-untyped-def]
    ahead: list[str] = []
    for word in reversed(before):
        if keyed[word]:
            break
        ahead.append(texts[word])
    after: list[str] = []
    for word in behind:
        if keyed[word]:
            break
        after.append(texts[word])
    return (*ahead, "\0", *(texts[word] for word in inner), "\0", *after)
