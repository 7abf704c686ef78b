"""The place that a snippet stands for in one document: every candidate judged, the ties ranked by hints.

Records, other documents and pins are `claims`' work.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.citations import CitationStatus
from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.search import Match, find_matches
from citation_pipeline.core.resolution.hints import Hints, Rank, deciding_reason, rank_places
from citation_pipeline.core.resolution.judgement import Judgement, judge

_STATUS_ORDER = {CitationStatus.RESOLVED: 0, CitationStatus.FLAGGED: 1, CitationStatus.UNRESOLVED: 2}


@dataclass(frozen=True)
class JudgedPlace:
    """A match with what it earned and how the hints rank it; `reason` says why it won or lost."""

    match: Match
    judgement: Judgement
    rank: Rank
    reason: str = ""


@dataclass(frozen=True)
class PlaceSearch:
    """All places of a snippet in one document, best first, and the score's margin to the runner-up.

    `ties` is how many places are as good as the best by the text alone.
    """

    places: tuple[JudgedPlace, ...]
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


def search_places(
    index: DocumentIndex, text: str, hints: Hints, *, furniture: frozenset[int] = frozenset()
) -> PlaceSearch:
    """Find, judge and rank every place of a snippet."""
    matches = [match for match in find_matches(index, text) if match.words]
    if not matches:
        return PlaceSearch((), None, 0)
    ranks: Sequence[Rank]
    if len(matches) == 1:
        first = matches[0].words[0]
        ranks = [Rank(0, 0, 0, 0, 0, first)]
    else:
        ranks = rank_places(index, text, matches, hints, furniture=furniture)
    judged = [JudgedPlace(match, judge(match), rank) for match, rank in zip(matches, ranks, strict=True)]
    judged.sort(key=lambda p: (*_quality(p), *p.rank.key()))
    return order_places(judged)


def order_places(judged: Sequence[JudgedPlace]) -> PlaceSearch:
    """Give every place its reason, its margin and the number of its equals; `judged` is sorted, best
    first."""
    best = judged[0]
    ties = sum(_quality(place) == _quality(best) for place in judged)
    named = []
    for number, place in enumerate(judged):
        if number == 0:
            if len(judged) == 1:
                reason = "only_place"
            elif ties > 1:
                reason = deciding_reason(best.rank, judged[1].rank)
            else:
                reason = "best_text"
        elif number < ties:
            reason = deciding_reason(best.rank, place.rank)
        else:
            reason = "weaker_text"
        named.append(JudgedPlace(place.match, place.judgement, place.rank, reason))
    margin = None if len(judged) == 1 else max(0.0, best.judgement.score - judged[1].judgement.score)
    return PlaceSearch(tuple(named), margin, ties)


def _quality(place: JudgedPlace) -> tuple[int, float]:
    return _STATUS_ORDER[place.judgement.status], -round(place.judgement.score, 6)
