"""The order of records: snippets of an array's rows take places in the rows' order, and a row's members
stay together.

Only places that tie by their text are chosen among.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.matching.index import DocumentIndex
from citation_pipeline.core.matching.occurrences import WordIds

_SAME_PLACE = 3.0  # two rows on one place: worse than any order
_BACKWARD = 1.0
_SKIPPED = 1e-4  # per word between a row's members: near ones belong together
_MOST_SKIPPED, _MOST_APART = 0.5, 1.0  # from one row to another; between members of one row
_RANK = 1e-7  # otherwise the earlier candidate, which the hints rank
MOST_STEPS = 20_000_000
"""Places times snippets that are weighed: some seconds. Of a longer array each snippet has its best ranked
places in proportion."""

Costs = NDArray[np.float64]
Origins = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Contender:
    """The tied places of one snippet (first and last words), best first, and the item it belongs to."""

    item: str
    first: WordIds
    last: WordIds


def assign_in_order(index: DocumentIndex, contenders: Sequence[Contender]) -> list[int]:
    """Return for each contender which of its places keeps the records in order at the least cost.

    The cheapest way to a place is kept with the place it came from (Viterbi's algorithm); from one contender
    to the next the least step is found in sorted order: n snippets of k places take n·k·log k, not n·k².
    """
    if not contenders:
        return []
    most = max(1, MOST_STEPS // len(contenders))
    held = [_Places(index, c.first[:most], c.last[:most]) for c in contenders]
    cost = held[0].preference
    back: list[Origins] = []
    for number in range(1, len(contenders)):
        before, here = held[number - 1], held[number]
        same_item = contenders[number].item == contenders[number - 1].item
        step = _within_item if same_item else _to_next_item
        least = step(before, cost, here)
        cost = (least.cost + here.preference).astype(np.float64)
        back.append(least.origin)
    # back from the cheapest end, each step to the place that it came from
    at = int(np.argmin(cost))
    picks = [at]
    for origin in reversed(back):
        at = int(origin[at])
        picks.append(at)
    return picks[::-1]


class _Places:
    """One contender's places as the steps need them: by the rank of their first words in row order."""

    def __init__(self, index: DocumentIndex, first: WordIds, last: WordIds) -> None:
        self.rank = index.rows.rank[first].astype(np.int64)
        self.row = index.rows.row[first].astype(np.int64)
        self.order = np.argsort(self.rank, kind="stable")
        self.sorted_rank = self.rank[self.order]
        self.preference: Costs = _RANK * np.arange(len(first), dtype=np.float64)


class _Least:
    """The least cost of each place so far, and the place before that it comes from."""

    def __init__(self, count: int) -> None:
        self.cost = np.full(count, np.inf)
        self.origin = np.zeros(count, np.int64)

    def offer(self, cost: Costs, origin: Origins) -> None:
        """Take what is cheaper than what was offered before."""
        better = cost < self.cost
        self.cost[better], self.origin[better] = cost[better], origin[better]


def _within_item(before: _Places, cost: Costs, here: _Places) -> _Least:
    """From a member of an item to the next: nothing in the same row, else by the distance."""
    least = _Least(len(here.rank))
    least.offer(*_least_of(before.row, cost, here.row))
    for is_forward in (True, False):
        least.offer(*_least_on_side(before, cost, here, per_word=_SKIPPED, is_forward=is_forward))
    anywhere = int(np.argmin(cost))
    least.offer(np.full(len(here.rank), cost[anywhere] + _MOST_APART), np.full(len(here.rank), anywhere))
    return least


def _to_next_item(before: _Places, cost: Costs, here: _Places) -> _Least:
    """From an item to the next: forward by the distance, backward dearer, the same place dearest."""
    least = _Least(len(here.rank))
    for is_forward, base in ((True, 0.0), (False, _BACKWARD)):
        # min(c·distance, most) is the cheaper of two charges, by the word and at a flat rate; `_Least`
        # keeps whichever is less
        for per_word, far in ((_SKIPPED, 0.0), (0.0, _MOST_SKIPPED)):
            found, origin = _least_on_side(before, cost, here, per_word=per_word, is_forward=is_forward)
            least.offer(found + base + far, origin)
    found, origin = _least_of(before.rank, cost, here.rank)
    least.offer(found + _SAME_PLACE, origin)
    return least


def _least_on_side(
    before: _Places, cost: Costs, here: _Places, *, per_word: float, is_forward: bool
) -> tuple[Costs, Origins]:
    """Return for each place the least cost, with what the words between are charged, of the places before
    that have a smaller rank (forward) or a greater one."""
    # The way from place p to place q costs cost[p] + c·(rank[q] - rank[p]), which is
    # (cost[p] - c·rank[p]) + c·rank[q]: the part in parentheses does not depend on q, so its running least,
    # in the order of the ranks, answers for every q at once
    order, rank = before.order, before.sorted_rank
    turn = 1 if is_forward else -1
    charged = (cost[order] - turn * per_word * rank)[::turn]
    lowest = np.minimum.accumulate(charged)
    is_new = np.r_[True, charged[1:] < lowest[:-1]]
    # where each running least was set: the place that it comes from
    at = np.maximum.accumulate(np.where(is_new, np.arange(len(charged)), 0))
    if is_forward:
        reach = np.searchsorted(rank, here.rank, side="left") - 1
    else:
        reach = len(rank) - np.searchsorted(rank, here.rank, side="right") - 1
    inside = reach.clip(min=0)
    found = np.where(reach >= 0, lowest[inside] + turn * per_word * here.rank, np.inf)
    return found, order[::turn][at[inside]]


def _least_of(keys: NDArray[np.int64], cost: Costs, wanted: NDArray[np.int64]) -> tuple[Costs, Origins]:
    """Return for each wanted key the least cost among the places that have it, infinite where none has."""
    order = np.lexsort((cost, keys))
    starts = np.flatnonzero(np.r_[True, np.diff(keys[order]) != 0])
    first = order[starts]  # the cheapest place of each key
    at = np.searchsorted(keys[first], wanted).clip(max=len(first) - 1)
    return np.where(keys[first][at] == wanted, cost[first][at], np.inf), first[at]
