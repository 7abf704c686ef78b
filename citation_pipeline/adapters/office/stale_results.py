"""Formulas of a workbook whose stored result is not what its cells say: its writer changed one of the two.

Only sums and the four operations on cells of the same sheet are computed, to tell whether they agree; what is
read is the stored result, as it is displayed until somebody computes anew.
"""

import re
from collections.abc import Mapping
from typing import Any

_TOKEN = re.compile(r"\s*(?:(SUM)\(|(\$?[A-Z]{1,3}\$?\d{1,7})|(\d+(?:\.\d+)?)|([-+*/(),:]))", re.IGNORECASE)
_LONGEST, _MOST_CELLS = 200, 20_000
_AWAY = 0.005  # by which a result may differ: sums of amounts are rounded

Cells = Mapping[tuple[int, int], Any]
"""The stored values of a sheet, by row and column."""


class _UnknownError(Exception):
    """A formula does what is not computed here, or a cell is no number."""


def is_stale(formula: str, result: object, cells: Cells) -> bool:
    """Tell whether a formula of sums and products has another value than its stored result."""
    if isinstance(result, bool) or not isinstance(result, int | float) or len(formula) > _LONGEST:
        return False
    try:
        value = _Reader(formula.removeprefix("="), cells).value()
    except (_UnknownError, ZeroDivisionError, OverflowError):
        return False
    return abs(value - result) > max(_AWAY, 1e-6 * abs(value))


class _Reader:
    """Computes one formula from left to right."""

    def __init__(self, formula: str, cells: Cells) -> None:
        self._cells = cells
        self._tokens: list[tuple[str, str, str, str]] = []
        at = 0
        while at < len(formula):
            found = _TOKEN.match(formula, at)
            if found is None:
                raise _UnknownError
            self._tokens.append((found[1] or "", found[2] or "", found[3] or "", found[4] or ""))
            at = found.end()

    def value(self) -> float:
        total = self._sum()
        if self._tokens:
            raise _UnknownError
        return total

    def _next_sign(self) -> str:
        return self._tokens[0][3] if self._tokens else ""

    def _take(self) -> tuple[str, str, str, str]:
        if not self._tokens:
            raise _UnknownError
        return self._tokens.pop(0)

    def _sum(self) -> float:
        total = self._product()
        while self._next_sign() in ("+", "-"):
            total += self._product() if self._take()[3] == "+" else -self._product()
        return total

    def _product(self) -> float:
        total = self._one()
        while self._next_sign() in ("*", "/"):
            total = total * self._one() if self._take()[3] == "*" else total / self._one()
        return total

    def _one(self) -> float:
        is_sum, cell, number, sign = self._take()
        if is_sum:
            return self._sum_of_cells()
        if cell:
            return self._number_in(_place(cell))
        if number:
            return float(number)
        if sign == "-":
            return -self._one()
        if sign == "(":
            total = self._sum()
            if self._take()[3] == ")":
                return total
        raise _UnknownError

    def _sum_of_cells(self) -> float:
        total = 0.0
        while True:
            first = _place(self._take()[1])
            last = first
            if self._next_sign() == ":":
                self._take()
                last = _place(self._take()[1])
            if (last[0] - first[0] + 1) * (last[1] - first[1] + 1) > _MOST_CELLS:
                raise _UnknownError
            total += sum(
                self._number_in((row, column), skips_text=True)
                for row in range(first[0], last[0] + 1)
                for column in range(first[1], last[1] + 1)
            )
            sign = self._take()[3]
            if sign == ")":
                return total
            if sign != ",":
                raise _UnknownError

    def _number_in(self, place: tuple[int, int], *, skips_text: bool = False) -> float:
        value = self._cells.get(place)
        if value is None or isinstance(value, str) and skips_text:
            return 0.0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _UnknownError
        return float(value)


def _place(cell: str) -> tuple[int, int]:
    """Return the row and column of a cell's name, counted from 1."""
    found = re.fullmatch(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})", cell)
    if found is None:
        raise _UnknownError
    column = 0
    for letter in found[1].upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(found[2]), column
