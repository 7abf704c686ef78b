"""The order of records: snippets of an array's rows take places in the rows' order, and a row's members
stay together.

Only places that tie by their text are chosen among.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.matching.index import DocumentIndex

_SAME_PLACE = 3.0  # two rows on one place: worse than any order
_BACKWARD = 1.0
_SKIPPED = 1e-4  # per word between a row's members: near ones belong together
_RANK = 1e-7  # otherwise the earlier candidate, which the hints rank


@dataclass(frozen=True, slots=True)
class Contender:
    """The tied places of one snippet, as (first, last) word ids, best first, and the item it belongs to."""

    item: str
    places: Sequence[tuple[int, int]]


def assign_in_order(index: DocumentIndex, contenders: Sequence[Contender]) -> list[int]:
    """Return for each contender which of its places keeps the records in order at the least cost."""
    if not contenders:
        return []
    rank = index.rows.rank
    row = index.rows.row
    cost = [[_RANK * number for number in range(len(contenders[0].places))]]
    back: list[list[int]] = [[-1] * len(contenders[0].places)]
    for before, contender in zip(contenders, contenders[1:], strict=False):
        same_item = before.item == contender.item
        costs, chosen = [], []
        for number, place in enumerate(contender.places):
            options = [
                cost[-1][other] + _step(rank, row, earlier, place, same_item=same_item)
                for other, earlier in enumerate(before.places)
            ]
            least = min(range(len(options)), key=options.__getitem__)
            costs.append(options[least] + _RANK * number)
            chosen.append(least)
        cost.append(costs)
        back.append(chosen)
    at = min(range(len(cost[-1])), key=cost[-1].__getitem__)
    picks = [at]
    for chosen in reversed(back[1:]):
        at = chosen[at]
        picks.append(at)
    return picks[::-1]


def _step(rank, row, before: tuple[int, int], place: tuple[int, int], *, same_item: bool) -> float:  # type: ignore[no-untyped-def]
    distance = abs(int(rank[place[0]]) - int(rank[before[0]]))
    if same_item:
        return 0.0 if row[place[0]] == row[before[0]] else min(1.0, _SKIPPED * distance)
    if place == before:
        return _SAME_PLACE
    return (0.0 if rank[place[0]] > rank[before[0]] else _BACKWARD) + min(0.5, _SKIPPED * distance)
