"""Accounts told by their sums: of three columns, two of which make the third in every row, one is what was
paid, one what is held back for later, one the whole.

What the columns are called matters only for which of the two parts was paid. That the sums agree in several
rows says more than any heading. A table may be turned: then its rows are the parts and its columns the kinds
of benefit.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.segments import shared_width
from citation_pipeline.core.rules.readers.candidates import Candidate, candidate_of
from citation_pipeline.core.values.dates import find_dates

PARTS = ("paid", "open", "whole")

_SUM = re.compile(r"\(?-?\$?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{2})?\)?")
_LEAST_COLUMNS = 3
_MOST_COLUMNS = 10
_MOST_GROUPS = 5
_LEAST_ROWS = 2
_CENT = 0.011
_HEADS_ABOVE = 3  # rows
_PAID = re.compile(
    r"\b(?:paid|pd|payments?|spent|disbursed|issued|expended|to date|so far|out)\b", re.IGNORECASE
)
_OPEN = re.compile(
    r"\b(?:reserves?|rsv|o/s|os|outstanding|remaining|remains?|future|held|still|unpaid|balance|open|left|"
    r"to pay|to go|to come|ahead|available|avail)\b",
    re.IGNORECASE,
)
_OF_BEFORE = re.compile(r"\b(?:was|old|prior|previous|change|move)\b", re.IGNORECASE)
_CODE = re.compile(r"^\d{1,3}[\s.)-]+(?=[A-Za-z]{2})")  # `01 INDEMNITY`
_WHOLE = re.compile(
    r"\b(?:incurred|incd|inc|total|whole|ultimate|gross|expected|cost|experience)\b", re.IGNORECASE
)


# A claim's account has a row for one of these; a lawyer's budget has hearings and depositions.
_OF_CLAIM = re.compile(
    r"\b(?:indem\w*|ind|comp\w*|wages?|time[- ]?loss|lost[- ]time|disability|t?td|ppd|pd|weekly|income|"
    r"benefits?|med\w*|doctors?|treatment|hospital|cost of care)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Account:
    """Rows of one table and which of their sums are the paid, the open and the whole."""

    rows: tuple[Row, ...]
    places: dict[str, int]


def read_balances(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return the cell of the field's row and part in each account of the document."""
    if rules.balance is None:
        return
    row_of, part = rules.balance
    for account in _accounts(reading.rows):
        for row in account.rows:
            if row_of.search(_CODE.sub("", row.segments[0].text)):
                amount = _sums(row)[account.places[part]]
                weight = max(affinity, 0.95)  # the sums say what kind of table it is
                yield candidate_of(
                    reading, rules, _plain(amount), row.passage, reading.date, weight, "balance"
                )
                break
    for rows, places, heads in _turned_accounts(reading.rows):
        column = next((n for n, head in enumerate(heads) if row_of.search(head.strip())), None)
        if column is not None:
            row = rows[places[part]]
            amount, weight = _sums(row)[column], max(affinity, 0.95)
            yield candidate_of(reading, rules, _plain(amount), row.passage, reading.date, weight, "balance")


def _turned_accounts(
    rows: Sequence[Row],
) -> Iterator[tuple[Sequence[Row], dict[str, int], Sequence[str]]]:
    """Return each three rows of which two make the third in every column, the parts' rows, and the heads.

    The columns are kinds of benefit: two of them at least are called so, and two of the rows like their part.
    """
    for trio in zip(rows, rows[1:], rows[2:], strict=False):
        sums = [_sums(row) for row in trio]
        if len({len(own) for own in sums}) > 1 or len(sums[0]) < _LEAST_ROWS or trio[0].page != trio[2].page:
            continue
        heads = _heads(trio[0], rows)
        if sum(bool(_OF_CLAIM.search(head)) for head in heads) < _LEAST_ROWS:
            continue
        names = [row.segments[0].text for row in trio]
        for one, other, whole in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            columns = list(zip(sums[one], sums[other], sums[whole], strict=True))
            agree = all(abs(first + second - both) < _CENT for first, second, both in columns)
            told = sum(first != 0 and second != 0 for first, second, _ in columns)
            places = _named(one, other, whole, names, least=2) if agree and told >= _LEAST_ROWS else None
            if places:
                yield trio, places, heads


def _plain(amount: float) -> float | int:
    return int(amount) if amount == int(amount) else amount


def _accounts(rows: Sequence[Row]) -> Iterator[_Account]:
    """Return each run of rows with as many sums in which the same two columns make the same third."""
    run: list[Row] = []
    for row in (*rows, None):
        fits = row is not None and _LEAST_COLUMNS <= len(_sums(row)) <= _MOST_COLUMNS
        goes_on = bool(run) and row is not None and fits and len(_sums(row)) == len(_sums(run[-1]))
        if run and not (goes_on and row is not None and row.page == run[-1].page):
            account = _account(run, rows)
            if account is not None:
                yield account
            run = []
        if fits and row is not None:
            run.append(row)


def _sums(row: Row) -> list[float]:
    """Return the sums behind a row's name, empty where another text stands among them."""
    cells = [cell for segment in row.segments[1:] for cell in _cells(segment.text.strip())]
    if not cells or not any(c.isalpha() for c in row.segments[0].text):
        return []
    if not all(_SUM.fullmatch(cell) for cell in cells) or not any("." in c or "," in c for c in cells):
        return []
    return [_amount(cell) for cell in cells]


def _cells(text: str) -> list[str]:
    """Return the sums that a narrow gap joined: `67,239.72 164,007.60`."""
    parts = text.split()
    return parts if len(parts) > 1 and all(_SUM.fullmatch(part) and "." in part for part in parts) else [text]


def _amount(text: str) -> float:
    figure = float(re.sub(r"[^\d.]", "", text))
    return -figure if text.startswith(("(", "-")) else figure


def _account(run: Sequence[Row], rows: Sequence[Row]) -> _Account | None:
    """Return the account that a run of rows is; of a table of several days the newest one."""
    sums = [_sums(row) for row in run]
    if len(run) < _LEAST_ROWS or not any(_OF_CLAIM.search(row.segments[0].text) for row in run):
        return None
    heads = _heads(run[0], rows)
    found: list[tuple[str, dict[str, int]]] = []
    for one, other in combinations(range(len(sums[0])), 2):
        for whole in range(len(sums[0])):
            if whole in (one, other):
                continue
            agree = all(abs(row[one] + row[other] - row[whole]) < _CENT for row in sums)
            told = sum(row[one] != 0 and row[other] != 0 for row in sums)
            places = _named(one, other, whole, heads) if agree and told >= _LEAST_ROWS else None
            if places:
                days = [str(day.value) for n in places.values() for day in find_dates(heads[n])]
                found.append((min(days, default=""), places))
    if not found:
        return None
    newest = max(day for day, _ in found)
    return _Account(tuple(run), next(places for day, places in found if day == newest))


def _named(
    one: int, other: int, whole: int, heads: Sequence[str], *, least: int = 1
) -> dict[str, int] | None:
    """Return which of the two parts was paid: by the heads, else the first; None for other tables."""
    told = [heads[one], heads[other], heads[whole]]
    if not any(heads) or any(_OF_BEFORE.search(head) for head in told):
        return None
    open_first = bool(_OPEN.search(heads[one])) and not _OPEN.search(heads[other])
    paid_second = bool(_PAID.search(heads[other])) and not _PAID.search(heads[one])
    paid, held = (other, one) if open_first or paid_second else (one, other)
    known = (_PAID.search(heads[paid]), _OPEN.search(heads[held]), _WHOLE.search(heads[whole]))
    return {"paid": paid, "open": held, "whole": whole} if sum(map(bool, known)) >= least else None


def _heads(first: Row, rows: Sequence[Row]) -> list[str]:
    """Return the words above each sum of the first row, in the rows right above it."""
    heads: list[str] = []
    cells = len(_sums(first))
    above = [
        row for row in rows[max(0, first.number - _HEADS_ABOVE) : first.number] if row.page == first.page
    ]
    for row in reversed(above):
        # as many heads as columns, with or without one over the names
        if len(row.segments) in (cells, cells + 1):
            own = [segment.text for segment in row.segments[-cells:]]
            return [f"{group} {head}" for group, head in zip(_groups(row, above, cells), own, strict=True)]
    if len(first.segments) - 1 != cells:
        return [""] * cells
    for cell in first.segments[1:]:
        near = [_over(cell, row) for row in above]
        heads.append(" ".join(segment.text for segment in near if segment is not None))
    return heads


def _groups(head: Row, above: Sequence[Row], cells: int) -> list[str]:
    """Return what is printed over each of several heads: `PAID TO DATE` over two days."""
    for row in above:
        groups = len(row.segments)
        if row.number < head.number and 1 < groups <= _MOST_GROUPS and cells % groups == 0 and cells > groups:
            return [row.segments[number * groups // cells].text for number in range(cells)]
    return [""] * cells


def _over(cell: Segment, row: Row) -> Segment | None:
    reach = [segment for segment in row.segments if shared_width(segment, cell) > 0]
    if reach:
        return max(reach, key=lambda segment: shared_width(segment, cell))
    edges = [
        s
        for s in row.segments
        if abs(s.box.right - cell.box.right) < 0.02 or abs(s.box.left - cell.box.left) < 0.02
    ]
    return edges[0] if edges else None
