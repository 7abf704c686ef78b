"""Sums, counts, averages and extremes of a field over many claims, with every operand named.

Arithmetic is exact (decimal); an operand without a place on a page is left out and counted, never guessed.
"""

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


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A result over the located operands; `value` is None where there is none."""

    group: str | None
    value: Any
    operands: Sequence[Operand]
    excluded: Sequence[Operand] = field(default=())

    @property
    def note(self) -> str:
        """How many operands are behind the value, in one sentence."""
        total = len(self.operands) + len(self.excluded)
        if not self.excluded:
            return f"{total} of {total} operands located"
        return f"{len(self.operands)} of {total} operands located, {len(self.excluded)} excluded"


def aggregate(operation: Operation, operands: Iterable[Operand], *, group: str | None = None) -> Aggregate:
    """Compute over the located operands; sums and averages take numbers alone, extremes also dates."""
    listed = list(operands)
    numeric = operation in ("sum", "average")
    used = [o for o in listed if o.is_located and (not numeric or _is_number(o.value))]
    excluded = [o for o in listed if o not in used] if len(used) < len(listed) else []
    return Aggregate(group, _compute(operation, [o.value for o in used]), tuple(used), tuple(excluded))


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
