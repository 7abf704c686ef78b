"""Where in a long document pieces of a snippet crowd together: the neighbourhoods worth chaining."""

import numpy as np

from citation_pipeline.core.matching.streams import KeyStream, Offsets
from citation_pipeline.core.matching.tallies import count_distinct, first_largest

_BIN = 1024  # characters: some 200 words, a few paragraphs
_BUDGET = 6_000
_LEAST_SHARE = 0.25  # of the snippet's grams that must be in a bin and its neighbour
_COUNT = 2


def dense_places(stream: KeyStream, key: bytes) -> list[int]:
    """Return stream offsets around which most different grams of the key are, the densest first."""
    seeds, places = stream.seed_hits(key, budget=_BUDGET)
    if not len(seeds):
        return []
    bins = places // _BIN
    pairs, _ = count_distinct(bins * len(key) + seeds)
    numbers, counts = count_distinct(pairs // len(key))
    crowd = counts.astype(np.float64)
    # a bin's neighbours count by half: a paragraph may lie across its edge
    beside = np.diff(numbers) == 1
    crowd[:-1] += np.where(beside, counts[1:] / 2, 0)
    crowd[1:] += np.where(beside, counts[:-1] / 2, 0)
    least = _LEAST_SHARE * len(count_distinct(seeds)[0])
    chosen: list[int] = []
    for at in first_largest(crowd, 8 * _COUNT).tolist():
        number = int(numbers[at])
        if crowd[at] < least or len(chosen) == _COUNT:
            break
        if all(abs(number - other) > 1 for other in chosen):
            chosen.append(number)
    return [_middle(places[bins == number]) for number in chosen]


def _middle(places: Offsets) -> int:
    """Return the median, rounded down; for a few hundred numbers numpy's own is mostly overhead."""
    ordered = np.sort(places)
    return (int(ordered[(len(ordered) - 1) // 2]) + int(ordered[len(ordered) // 2])) // 2
