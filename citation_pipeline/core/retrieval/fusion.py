"""Several rankings become one: reciprocal rank fusion, and exact hits before everything.

Knows rankings of keys only, not what ranked them.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

RRF_CONSTANT = 60
"""The constant of Cormack, Clarke and Büttcher (SIGIR 2009): it flattens the lead of a single first rank."""


def fuse(rankings: Mapping[str, Sequence[Key]], *, first: Sequence[Key] = ()) -> list[tuple[Key, float]]:
    """Return keys with their fused scores, best first; those in `first` lead in their own order.

    A key that no other ranking knows still gets its share; equal scores keep the order of first sight.
    """
    # by places, not by scores: those of a word index and of vectors have no common scale, and a score's size
    # says nothing across queries
    scores: dict[Key, float] = {}
    for ranking in rankings.values():
        for place, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (RRF_CONSTANT + place)
    most = max(scores.values(), default=0.0)
    for number, key in enumerate(dict.fromkeys(first)):
        scores[key] = most + 1.0 / (1 + number)
    return sorted(scores.items(), key=lambda item: -item[1])
