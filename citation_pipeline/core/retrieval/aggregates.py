"""Sums, counts, averages and extremes of a field over many claims, with every operand named.

Arithmetic is exact (decimal); an operand without a place on a page is left out and counted, never guessed.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

Operation = Literal["sum", "count", "average", "min", "max"]


@dataclass(frozen=True, slots=True)
class Operand:
    """One claim's value of the field: what is computed with, and whether its place on a page is known."""

    claim_id: str
    field_key: str
    value: Any
    is_located: bool
    item_path: str = ""
    is_doubted: bool = False
    currency: str = ""
    content: str = ""
    """The hash of the file that it is read in, "" where it is unknown."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A result over the located operands; `value` is None where there is none.

    `currency` is the operands' where others were left out for having another.
    """

    group: str | None
    value: Any
    operands: Sequence[Operand]
    excluded: Sequence[Operand] = field(default=())
    currency: str = ""

    @property
    def note(self) -> str:
        """How many operands are behind the value, and what is to be said of them, in one sentence."""
        total = len(self.operands) + len(self.excluded)
        said = [f"{len(self.operands)} of {total} operands located"]
        if self.excluded:
            said.append(f"{len(self.excluded)} excluded")
        if self.currency:
            said.append(f"only {self.currency}, other currencies excluded")
        if doubted := sum(operand.is_doubted for operand in self.operands):
            said.append(f"{doubted} in doubt")
        if repeated := self._repeated():
            said.append(f"{repeated} read in a file that another claim has as well")
        return ", ".join(said)

    def _repeated(self) -> int:
        """Return how many operands are in a file that an operand of another claim is in."""
        homes: dict[str, set[str]] = {}
        for operand in self.operands:
            homes.setdefault(operand.content, set()).add(operand.claim_id)
        return sum(len(homes[o.content]) > 1 for o in self.operands if o.content)


def aggregate(operation: Operation, operands: Iterable[Operand], *, group: str | None = None) -> Aggregate:
    """Compute over the located operands; sums and averages take numbers alone, extremes also dates.

    Amounts of several currencies are not added or compared: those of the most frequent one count, and those
    that name none.
    """
    listed = list(operands)
    numeric = operation in ("sum", "average")
    used = [o for o in listed if o.is_located and (not numeric or _is_number(o.value))]
    currencies = Counter(o.currency for o in used if o.currency) if operation != "count" else Counter[str]()
    main = min(currencies, key=lambda code: (-currencies[code], code)) if len(currencies) > 1 else ""
    if main:
        used = [o for o in used if o.currency in ("", main)]
    taken = set(map(id, used))
    excluded = [o for o in listed if id(o) not in taken]
    return Aggregate(group, _compute(operation, [o.value for o in used]), tuple(used), tuple(excluded), main)


def _compute(operation: Operation, values: Sequence[Any]) -> Any:
    if operation == "count":
        return len(values)
    if not values:
        return None
    if operation == "min":
        return min(values, key=_order)
    if operation == "max":
        return max(values, key=_order)
    total = sum((_decimal(value) for value in values), Decimal(0))
    if operation == "sum":
        return _plain(total)
    return _plain((total / len(values)).quantize(Decimal("0.000001")))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _order(value: Any) -> Any:
    return _decimal(value) if _is_number(value) else str(value).casefold()


def _decimal(value: Any) -> Decimal:
    return Decimal(str(value))


def _plain(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)
