"""Numbers per thing that are counted again only when the thing has changed."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping

_AT_ONCE = 500  # things (a claim's tables, a day's ledger) that are opened together

Tally = Mapping[str, float]


class Tallies:
    """One number or more per thing, read again only when the thing's mark changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Tally]] = {}

    def update(
        self, marks: Mapping[str, str], read: Callable[[list[str]], Mapping[str, Tally]]
    ) -> dict[str, Tally]:
        changed = [name for name, mark in marks.items() if self._known.get(name, ("",))[0] != mark]
        for start in range(0, len(changed), _AT_ONCE):
            part = changed[start : start + _AT_ONCE]
            found = read(part)
            self._known |= {name: (marks[name], found.get(name, {})) for name in part}
        self._known = {name: kept for name, kept in self._known.items() if name in marks}
        return {name: tally for name, (_, tally) in self._known.items()}


def sum_of(tallies: Mapping[str, Tally], among: Collection[str]) -> Tally:
    """Add up the tallies of some things."""
    total: dict[str, float] = defaultdict(float)
    for name, tally in tallies.items():
        if name in among:
            for what, number in tally.items():
                total[what] += number
    return dict(total)
