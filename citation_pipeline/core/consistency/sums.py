"""Totals of tables that no sum of their rows gives.

A total may add all rows above it, those since the last total, the totals above it, or the rows below a first
row of totals; a row of credits or payments may count against the others. It is wrong only where none of
these sums is what it states, so a table in an unknown form says nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from citation_pipeline.core.layout.tables import Cell
from citation_pipeline.core.values.foreign import find_comma_sums
from citation_pipeline.core.values.numbers import find_number_spans

_TOTAL = re.compile(
    r"^\W*(?:(?:grand |overall |sub-?\s?)?totals?\b[^a-z]*(?:[a-z]+[^a-z]*){0,3}|all\W*"
    r"|(?:amount|balance|sum) due\W*|sum\W*|(?:zwischen|gesamt)?summe\W*|gesamt\w*\W*"
    r"|totaux\W*|total(?:e|es)\W*|suma\W*|razem\W*)$",
    re.IGNORECASE,
)
# rows that may count against the others, be carried over, or not count at all
_SIGNED = re.compile(
    r"\b(?:carried|brought|forward|balance|less|credit|discount|void(?:ed)?|reversal|refund|recover\w*|adjust\w*|"
    r"tax|vat|net|paid to date|payments?|ytd|average|avg|mean|sum|combined|deduct\w*|withh\w*|offset|highest|"
    r"lowest|maximum|minimum|max|min|median)\b",
    re.IGNORECASE,
)
# columns whose last row is no sum
_NO_SUM = re.compile(
    r"\b(?:balance|running|cumulative|rate|price|unit|per|each|average|avg|date|year|no|number|code|id|%|percent|"
    r"page|age|line|item|week|cpt|icd|zip|phone|account|check|claim|invoice)\b|[#%]",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"\b(?:amounts?|paid|billed|charges?|costs?|fees?|payments?|liens?|benefits?|incurred|reserves?|betrag|montant|"
    r"importe|kwota|debits?|credits?)\b",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"thousand|million|'000|\b000s?\b|rounded|\bin k\b", re.IGNORECASE)
_BLANK = re.compile(r"[\s\-–—.]*$|n/?a$|nil$|none$", re.IGNORECASE)
_DECIMALS = re.compile(r"[.,](\d+)\)?\W*$")
_SLIP = 0.005
# whole numbers beyond this are rounded as often as counted
_ROUNDED = 10_000
_MOST_SIGNED = 4  # rows whose sign is open: each doubles or trebles the sums that are tried
_FEWEST_ACROSS = 2  # rows whose last column is the sum of the others, before one that is not is a fault


@dataclass(frozen=True, slots=True)
class Amount:
    """A cell that is one number; `decimals` as printed."""

    cell: Cell
    value: float
    decimals: int
    is_money: bool


@dataclass(frozen=True, slots=True)
class WrongSum:
    """A total, and the cells that it does not add up."""

    total: Amount
    parts: Sequence[Amount]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row's amount in one column; without one the row is a heading between others."""

    amount: Amount | None
    is_total: bool
    is_signed: bool


def wrong_sums(header: Sequence[str], rows: Sequence[dict[int, Cell]]) -> Iterator[WrongSum]:
    """Yield the totals of a table that cannot be a sum of its rows; `rows` are those below the head."""
    if not header or len(rows) < 3 or any(_spans(row) for row in rows):
        return
    across = _sums_across(header, rows)
    yield from across
    for column, name in enumerate(header):
        if _NO_SUM.search(name):
            continue
        listed = _rows_of(column, rows)
        if listed is not None:
            yield from _wrong_in(listed, name)


def is_total(row: dict[int, Cell]) -> bool:
    """Tell whether a row is named as the sum of others."""
    texts = _words_of(row)
    return bool(texts) and bool(_TOTAL.match(texts[0]))


def _words_of(row: dict[int, Cell]) -> list[str]:
    texts = [cell.text for _, cell in sorted(row.items()) if cell.text.strip()]
    return texts[:1] + [text for text in texts[1:] if amount_of_text(text) is None]


def _spans(row: dict[int, Cell]) -> bool:
    """Tell whether a row of several cells has a wide one: a heading between rows, or a table read wrong."""
    filled = [cell for cell in row.values() if cell.text.strip()]
    return len(filled) > 1 and any(cell.colspan > 1 for cell in filled) and not is_total(row)


def _rows_of(column: int, rows: Sequence[dict[int, Cell]]) -> list[_Row] | None:
    """Return a column's rows; None where a cell of it is no amount, so that the sum is not known."""
    listed: list[_Row] = []
    for row in rows:
        words = _words_of(row)
        signed = any(_SIGNED.search(text) for text in words)
        cell = row.get(column)
        if cell is None or _BLANK.match(cell.text):
            listed.append(_Row(None, is_total(row), signed))
            continue
        amount = amount_of(cell)
        if amount is None or cell.colspan > 1:
            return None
        # what is printed as negative has its sign
        listed.append(_Row(amount, is_total(row), signed and amount.value >= 0))
    return listed


def _wrong_in(rows: Sequence[_Row], name: str) -> Iterator[WrongSum]:
    amounts = [row.amount for row in rows if row.amount is not None]
    if sum(row.amount is not None and not row.is_total for row in rows) < 2:
        return
    slip = _slip(amounts, name)
    if slip is None:
        return
    for place, row in enumerate(rows):
        if not row.is_total or row.amount is None:
            continue
        sums = _sums_at(rows, place)
        parts = max(sums, key=len, default=[])
        if len(parts) < 2 or sum(part.is_signed for part in parts) > _MOST_SIGNED:
            continue
        if not any(_gives(one, row.amount.value, slip) for one in sums if len(one) > 0):
            above = min((one for one in sums if len(one) > 1), key=len)
            yield WrongSum(row.amount, tuple(part.amount for part in above if part.amount is not None))


def _sums_at(rows: Sequence[_Row], place: int) -> list[list[_Row]]:
    """Return the groups of rows that a total in this place may add up."""
    above = rows[:place]
    if not any(row.amount is not None for row in above):
        below = rows[place + 1 :]
        last = next((n for n, row in enumerate(below) if row.is_total), len(below))
        groups = [_items(below), _items(below[:last])]
        return [group for group in groups if group]
    totals = [n for n, row in enumerate(above) if row.is_total and row.amount is not None]
    since = [0, *(n + 1 for n, row in enumerate(above) if row.amount is None)]
    since += [n + 1 for n in totals]
    groups = [_items(above[start:]) for start in dict.fromkeys(since)]
    sums = [above[n] for n in totals]
    for start in range(len(sums)):
        groups += [sums[start:], sums[start:] + _items(above[totals[-1] + 1 :])]
    return [group for group in groups if group]


def _items(rows: Sequence[_Row]) -> list[_Row]:
    return [row for row in rows if not row.is_total and row.amount is not None]


def _gives(group: Sequence[_Row], wanted: float, slip: float) -> bool:
    """Tell whether rows add up to what is stated, with any sign of those that may count against it."""
    plain = sum(row.amount.value for row in group if row.amount is not None and not row.is_signed)
    open_ones = [row.amount.value for row in group if row.amount is not None and row.is_signed]
    if len(open_ones) > _MOST_SIGNED:
        return True  # nobody can tell
    for signs in product((1, -1, 0), repeat=len(open_ones)):
        found = plain + sum(sign * value for sign, value in zip(signs, open_ones, strict=True))
        if abs(found - wanted) <= slip:
            return True
    return False


def _sums_across(header: Sequence[str], rows: Sequence[dict[int, Cell]]) -> list[WrongSum]:
    """Return rows whose last column is not the sum of the others where it is in most rows."""
    last = len(header) - 1
    if not _TOTAL.match(header[last]):
        return []
    right, wrong = 0, []
    for row in rows:
        parts = [
            amount
            for column, cell in row.items()
            if 0 < column < last and not _NO_SUM.search(header[column]) and (amount := amount_of(cell))
        ]
        total = amount_of(row[last]) if last in row else None
        if total is None or len(parts) < 2:
            continue
        slip = _slip([*parts, total], header[last])
        if slip is None or abs(sum(part.value for part in parts) - total.value) <= slip:
            right += slip is not None
        else:
            wrong.append(WrongSum(total, tuple(parts)))
    return wrong if right >= _FEWEST_ACROSS and right > len(wrong) else []


def _slip(amounts: Sequence[Amount], name: str) -> float | None:
    """Return how far rounding may move the sum; None where it is not clear what the digits mean.

    Sums of money are exact to the cent; of hours or kilometres with decimals each may be rounded.
    """
    places = {amount.decimals for amount in amounts}
    if max(places) > 2:  # 14.862 is a number of thousands in half of the world
        return None
    is_rounded = bool(_THOUSANDS.search(name))
    if places == {2} and not is_rounded and (_MONEY.search(name) or any(a.is_money for a in amounts)):
        return _SLIP
    if places == {0} and not is_rounded and max(abs(amount.value) for amount in amounts) < _ROUNDED:
        return _SLIP
    return sum((0.5 * 10.0**-amount.decimals for amount in amounts), _SLIP)


def amount_of(cell: Cell) -> Amount | None:
    """Return the amount that a cell is, None where it is more or something else."""
    found = amount_of_text(cell.text)
    if found is None:
        return None
    decimals = _DECIMALS.search(cell.text)
    return Amount(cell, found, len(decimals[1]) if decimals else 0, bool(re.search(r"[$€£]", cell.text)))


def amount_of_text(text: str) -> float | None:
    """Return the one number that a text is, in brackets negative; None where it is more or a percentage."""
    spans = find_number_spans(text)
    if len(spans) == 1 and not spans[0].is_percent:
        rest = text[: spans[0].start] + text[spans[0].end :]
        if re.search(r"\w", rest):
            return None
        bracketed = rest.strip().startswith("(") and spans[0].value > 0
        return -spans[0].value if bracketed else spans[0].value
    commas = list(find_comma_sums(text))
    if spans or len(commas) != 1:
        return None
    sum_, _ = commas[0]
    rest = text[: sum_.start] + text[sum_.end :]
    return None if re.search(r"\w", rest) else float(sum_.value)
