"""Sums and counts over the rows of a table, each with the rows that it was computed from.

Only tables that print a total are added up, and only columns whose rows come to that total: a row that was
not read, or read wrongly, would be missing there, and then nothing is said about any part of the table.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.retrieval.statements.printed_documents import LETTER, PrintedDocument
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.retrieval.terms import fold_text
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.passages import join
from citation_pipeline.core.rules.pages.segments import shared_width
from citation_pipeline.core.values.dates import find_dates
from citation_pipeline.core.values.numbers import find_number_spans

SUM = "sum"
"""The kind of these statements."""

_TOTAL = re.compile(r"(?i)^\W*(?:grand |sub-?)?(?:totals?|sum|all)\b")
_LEAST_ROWS = 3  # below a head, so that two columns of a form are no table
_CENT = 0.005
_NAME_WORDS = 8  # a longer cell is a remark, not what a row is of
_DIGITS = re.compile(r"\d\S*")


@dataclass(frozen=True)
class _Table:
    """Rows below one head and the row of their total; columns are numbered as the head's segments are."""

    head: Row
    rows: Sequence[Row]
    total: Row


def read_sum_statements(printed: PrintedDocument) -> Iterator[Statement]:
    """Return the sums and counts of rows that name the same, for each table that adds up."""
    for table in _tables(printed.rows):
        columns = [n for n in range(len(table.head.segments)) if _adds_up(table, n)]
        if not columns:
            continue
        for name, rows in _groups(table).items():
            for column in columns:
                yield _sum(printed, table, name, rows, column)
            yield _count(printed, table, name, rows)


def _tables(rows: Sequence[Row]) -> Iterator[_Table]:
    """Return what stands between a head of words and a row of totals on one page."""
    head: Row | None = None
    held: list[Row] = []
    for row in rows:
        if head is not None and row.page != head.page:
            head = None
        has_digits = any(c.isdigit() for c in row.text)
        if len(row.segments) >= 3 and not has_digits:
            head, held = row, []
        elif head is None or len(row.segments) < 2 or not has_digits:
            continue  # a line that wraps, or a heading between
        elif _TOTAL.match(row.text):
            if len(held) >= _LEAST_ROWS:
                yield _Table(head, tuple(held), row)
            head, held = None, []
        else:
            held.append(row)


def _cell(table: _Table, row: Row, column: int) -> Segment | None:
    """Return the cell of a row that stands under a column's head."""
    for segment in row.segments:
        widths = [shared_width(above, segment) for above in table.head.segments]
        if max(widths) > 0 and widths.index(max(widths)) == column:
            return segment
    return None


def _amount(cell: Segment | None) -> float | None:
    """Return the one number of a cell; a date, or two numbers, is none."""
    if cell is None:
        return None
    spans = find_number_spans(cell.text)
    return spans[0].value if len(spans) == 1 and not LETTER.search(cell.text) else None


def _adds_up(table: _Table, column: int) -> bool:
    """Tell whether the rows of a column come to the printed total."""
    total = _amount(_cell(table, table.total, column))
    amounts = [_amount(_cell(table, row, column)) for row in table.rows]
    read = [amount for amount in amounts if amount is not None]
    if total is None or len(read) < _LEAST_ROWS or not any(read):
        return False
    return abs(math.fsum(read) - total) < _CENT


def _groups(table: _Table) -> dict[str, list[Row]]:
    """Return the rows by what a cell of theirs names, where two rows or more name the same."""
    found: dict[str, list[Row]] = defaultdict(list)
    shown: dict[str, str] = {}
    for row in table.rows:
        named = set()
        for segment in row.segments:
            name = " ".join(_DIGITS.sub(" ", segment.text).split()).strip(" .,-/#:()")
            if len(name) < 3 or len(name.split()) > _NAME_WORDS or find_dates(segment.text):
                continue
            named.add(fold_text(name))
            shown.setdefault(fold_text(name), name)
        for name in named:
            found[name].append(row)
    return {shown[name]: rows for name, rows in found.items() if len(rows) > 1}


def _sum(printed: PrintedDocument, table: _Table, name: str, rows: Sequence[Row], column: int) -> Statement:
    cells = [cell for row in rows if (cell := _cell(table, row, column)) is not None]
    amounts = [amount for cell in cells if (amount := _amount(cell)) is not None]
    sign = "$" if any("$" in cell.text for cell in cells) else ""
    text = f"{sign}{math.fsum(amounts):,.2f}"
    if all("." not in cell.text for cell in cells):
        text = text.removesuffix(".00")
    return _stated(printed, table, rows, f"{name} {table.head.segments[column].text} total", text)


def _count(printed: PrintedDocument, table: _Table, name: str, rows: Sequence[Row]) -> Statement:
    return _stated(printed, table, rows, f"number of {name}", f"{len(rows)} {name}")


def _stated(printed: PrintedDocument, table: _Table, rows: Sequence[Row], label: str, text: str) -> Statement:
    words = join(row.passage for row in rows).words
    return Statement(
        source_id=printed.document.source.source_id,
        page=table.head.page,
        kind=SUM,
        words=words,
        value_words=words,
        label=label,
        text=text,
        context=f"{printed.headings[rows[0].number]} {table.head.text}".strip(),
        title=printed.title,
        pages=len(printed.document.pages),
    )
