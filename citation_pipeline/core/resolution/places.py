"""The place that a snippet stands for in one document: every candidate judged, the ties ranked by hints.

Records, other documents and pins are `claims`' work.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.matches import Match
from citation_pipeline.core.matching.numerals import plain
from citation_pipeline.core.matching.occurrences import Occurrences, WordIds
from citation_pipeline.core.matching.search import find_occurrences
from citation_pipeline.core.matching.snippets import undecorate
from citation_pipeline.core.resolution.hints import Hints, Rank, Ranks, deciding_reason, rank_places
from citation_pipeline.core.resolution.judgement import Judgement, judge

_STATUS_ORDER = {CitationStatus.RESOLVED: 0, CitationStatus.FLAGGED: 1, CitationStatus.UNRESOLVED: 2}

_WRAPPING = "\"'[]{}"
_WRAPPED_IN_DOTS = re.compile(r"^(?:\.{3,}|…)|(?:\.{3,}|…)$")
_CONTRADICTED = 0.02  # of a flagged score: what two dropped words cost


@dataclass(frozen=True)
class JudgedPlace:
    """A match with what it earned and how the hints rank it; `reason` says why it won or lost."""

    match: Match
    judgement: Judgement
    rank: Rank
    reason: str = ""


@dataclass(frozen=True, eq=False)
class RankedPlaces(Sequence[JudgedPlace]):
    """All places of a snippet, best first, each built when it is asked for: there may be thousands.

    `group` and `number` say which occurrence each is; `ranks` has one row per place. `ties` is how many are
    as good as the best by the text alone, `leading` why the best one leads.
    """

    groups: Sequence[tuple[Occurrences, Judgement]]
    group: NDArray[np.int64]
    number: NDArray[np.int64]
    ranks: Ranks
    ties: int
    leading: str
    built: dict[int, JudgedPlace] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.group)

    @overload
    def __getitem__(self, at: int) -> JudgedPlace: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[JudgedPlace]: ...
    def __getitem__(self, at: int | slice) -> JudgedPlace | Sequence[JudgedPlace]:
        """Return the place at a position, or the places of a slice."""
        if isinstance(at, slice):
            return tuple(self[position] for position in range(*at.indices(len(self))))
        position = at + len(self) if at < 0 else at
        if not 0 <= position < len(self):
            raise IndexError(at)
        if position not in self.built:
            self.built[position] = self._build(position)
        return self.built[position]

    def spans(self, positions: NDArray[np.int64]) -> tuple[WordIds, WordIds]:
        """Return the first and the last word of the places at positions, without building them."""
        first, last = np.empty(len(positions), np.int64), np.empty(len(positions), np.int64)
        for group, (found, _) in enumerate(self.groups):
            own = self.group[positions] == group
            numbers = self.number[positions[own]]
            first[own], last[own] = found.first[numbers], found.last[numbers]
        return first, last

    def score_at(self, position: int) -> float:
        """Return the score of the place at a position."""
        return self.groups[int(self.group[position])][1].score

    def led_by(self, position: int, *, reason: str) -> "RankedPlaces":
        """Return the places with one of them moved to the front, for a reason of its own."""
        order = np.r_[position, np.delete(np.arange(len(self)), position)]
        return RankedPlaces(
            self.groups, self.group[order], self.number[order], self.ranks[order], self.ties, reason
        )

    def _build(self, position: int) -> JudgedPlace:
        found, judgement = self.groups[int(self.group[position])]
        match = found.at(int(self.number[position]))
        rank = _rank_of(self.ranks[position])
        if position == 0:
            reason = self.leading
        elif position < self.ties:
            reason = deciding_reason(_rank_of(self.ranks[0]), rank)
        else:
            reason = "weaker_text"
        return JudgedPlace(match, judgement if match is found.match else judge(match), rank, reason)


@dataclass(frozen=True)
class PlaceSearch:
    """All places of a snippet in one document, best first, and the score's margin to the runner-up.

    `ties` is how many places are as good as the best by the text alone.
    """

    places: Sequence[JudgedPlace]
    margin: float | None
    ties: int

    @property
    def best(self) -> JudgedPlace | None:
        """The first place, if there is any."""
        return self.places[0] if self.places else None

    @property
    def status(self) -> CitationStatus:
        """The best place's status."""
        return self.places[0].judgement.status if self.places else CitationStatus.UNRESOLVED

    def open_choice(self) -> tuple[WordIds, WordIds]:
        """Return the first and the last words of the places that equal the best by text, page hint and value,
        best first."""
        if not isinstance(self.places, RankedPlaces):
            words = [place.match.words for place in self.places]
            return np.asarray([w[0] for w in words], np.int64), np.asarray([w[-1] for w in words], np.int64)
        return self.places.spans(self._open_positions(self.places))

    def choose(self, number: int, *, reason: str) -> "PlaceSearch":
        """Return the search with one place of the open choice at its front."""
        if not isinstance(self.places, RankedPlaces) or number == 0:
            return self
        position = int(self._open_positions(self.places)[number])
        return replace(self, places=self.places.led_by(position, reason=reason))

    def _open_positions(self, places: RankedPlaces) -> NDArray[np.int64]:
        # the first two ranks are the hints of page and value: a caller may choose among what they leave open,
        # never against them
        hinted = places.ranks[: self.ties, :2]
        return np.flatnonzero((hinted == hinted[0]).all(axis=1))


def search_places(
    index: DocumentIndex, text: str, hints: Hints, *, furniture: frozenset[int] = frozenset()
) -> PlaceSearch:
    """Find, judge and rank every place of a snippet."""
    groups = [(found, judge(found.match)) for found in find_occurrences(index, text) if found.match.words]
    if not groups:
        return PlaceSearch((), None, 0)
    # most quotations have one place: no ranks are needed to choose it
    if len(groups) == 1 and len(groups[0][0]) == 1:
        found, judgement = groups[0]
        rank = Rank(0, 0, 0, 0, 0, found.match.words[0])
        return PlaceSearch((JudgedPlace(found.match, judgement, rank, "only_place"),), None, 1)
    return _ranked(index, text, groups, hints, furniture)


def _ranked(
    index: DocumentIndex,
    text: str,
    groups: Sequence[tuple[Occurrences, Judgement]],
    hints: Hints,
    furniture: frozenset[int],
) -> PlaceSearch:
    """Rank all places of all groups: what the text earned first, then the hints."""
    sizes = [len(found) for found, _ in groups]
    group = np.repeat(np.arange(len(groups)), sizes)
    spellings = _spellings(text)
    number = np.concatenate([np.arange(size) for size in sizes])
    ranks = rank_places(
        index,
        np.concatenate([found.first for found, _ in groups]),
        np.concatenate([found.last for found, _ in groups]),
        hints,
        is_spelled=np.repeat([_is_spelled(index, found.match, spellings) for found, _ in groups], sizes),
        furniture=furniture,
    )
    # all places of a group have the same words around the same letters, so each group is judged once; only
    # the hints tell its places apart
    earned = [_quality(found.match, judgement) for found, judgement in groups]
    better = {quality: place for place, quality in enumerate(sorted(set(earned)))}
    quality = np.asarray([better[q] for q in earned])[group]
    # text before hints: a page hint never lifts a worse match over a better one
    order = np.lexsort((*ranks.T[::-1], quality))
    ties = int((quality == 0).sum())
    ranks = ranks[order]
    # the reason names the first hint that set the best apart from the next
    leading = deciding_reason(_rank_of(ranks[0]), _rank_of(ranks[1])) if ties > 1 else "best_text"
    places = RankedPlaces(groups, group[order], number[order], ranks, ties, leading)
    return PlaceSearch(places, max(0.0, places.score_at(0) - places.score_at(1)), ties)


def _is_spelled(index: DocumentIndex, match: Match, spellings: Set[str]) -> bool:
    """Tell whether a match is printed letter by letter as quoted, in one of the ways of `_spellings`."""
    texts = index.words.texts
    printed = "".join([texts[word] for word in match.words])
    return printed in spellings or plain(printed) in spellings


def _spellings(text: str) -> frozenset[str]:
    """Return a quotation without spaces, as it is and without what is around it: marks of its source,
    quotation marks, brackets, dots that say that it is a part."""
    bare = plain(undecorate(text))
    inner = _WRAPPED_IN_DOTS.sub("", bare.strip(_WRAPPING)).strip(_WRAPPING)
    return frozenset(("".join(text.split()), bare, inner))


def _rank_of(row: NDArray[np.int64]) -> Rank:
    return Rank(*row.tolist())


def _quality(match: Match, judgement: Judgement) -> tuple[int, float, int]:
    """Return what the text earned, less is better; of equal scores the fewer contradictions.

    A place that says something else is behind one that only leaves a word or two out.
    """
    status, contradictions = _STATUS_ORDER[judgement.status], len(match.findings.contradictions)
    return status, -round(judgement.score - _CONTRADICTED * bool(contradictions), 6), contradictions
