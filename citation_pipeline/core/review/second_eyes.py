"""Which values two people have to sign for: chosen fields, and amounts above a limit.

Whether a decision needs a second person is kept with its event, so that a verdict reads the same in every
program, whatever its settings are. What the events add up to is `verifications`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from citation_pipeline.core.extraction import Value

_WRITTEN_AMOUNT = re.compile(r"[$€£]\s?(\d[\d,]*(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class SecondEyes:
    """`fields` are patterns of field keys (`settlement.*`); `amount` is a limit that a number may not exceed.

    A list counts with each of its numbers and with the sum of each of its columns.
    """

    fields: Sequence[str] = ()
    amount: float | None = None

    def are_needed(self, field_key: str, *values: Value) -> bool:
        """Tell whether one person is not enough for a decision between these values."""
        if any(fnmatchcase(field_key, pattern) for pattern in self.fields):
            return True
        # the value that is taken away counts as well: a large amount made small or absent is as grave
        return self.amount is not None and any(
            abs(number) > self.amount for value in values for number in numbers_of(value)
        )


def numbers_of(value: Value) -> Iterator[float]:
    """Yield the amounts that a value holds, the sums of a list's columns among them."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield from (float(written.replace(",", "")) for written in _WRITTEN_AMOUNT.findall(value))
    elif isinstance(value, list):
        sums: dict[str, float] = {}
        for item in value:
            cells = item if isinstance(item, dict) else {"": item}
            for name, cell in cells.items():
                for number in numbers_of(cell):
                    yield number
                    sums[name] = sums.get(name, 0.0) + number
        yield from sums.values()
