"""Lists that are longer than an answer: tables over many pages, and which of their rows items are made of.

A long table is asked for in windows of rows. Whether a window is complete is seen by its rows: each is to be
the row of one item. An item is a row's where most of its members are in the row's cells; items come in the
order of the rows, so each is first looked for behind the one before it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from citation_pipeline.core.answers.table_rows import TableRow, read_table
from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.schemas import Schema
from citation_pipeline.core.values.grammar import find_value, type_of_value
from citation_pipeline.core.values.spans import fold, fold_words

LONG_TABLE = 60
"""Rows from which a table's list is asked for in windows."""

_RUNNING = frozenset({"Header", "Footer", "Page Number"})
_FEWEST_ITEMS = 3  # of the ten that are asked for
_BEGUN = 0.8  # of the first items are rows of the table
_AMONG_FIRST = 20
_LOOKED_AT = 10
_SHARE = 0.6  # of an item's members that its row has: some are worded otherwise, or carried from above


@dataclass(frozen=True, slots=True)
class LongRow:
    """A row of a long table, where it is, and whether it can be an item of a list."""

    row: TableRow
    page: int
    is_data: bool


@dataclass(frozen=True)
class LongTable:
    """A table of one document, joined over its pages; `block_id` is of its first block."""

    source_id: str
    block_id: int
    head: TableRow | None
    rows: Sequence[LongRow]

    @cached_property
    def data(self) -> tuple[int, ...]:
        """The numbers of the rows that can be items, in order."""
        return tuple(number for number, row in enumerate(self.rows) if row.is_data)

    def render(self, numbers: Sequence[int]) -> str:
        """Return some rows as a model reads them, page by page, under the table's heading."""
        parts: list[str] = []
        page = 0
        for number in numbers:
            row = self.rows[number]
            if row.page != page:
                head = f"<tr>{self.head.html}</tr>" if self.head else ""
                parts.append(f"{'</table>' if page else ''}\n\n[page {row.page}]\n\n<table>{head}")
                page = row.page
            parts.append(f"<tr>{row.row.html}</tr>")
        return "".join(parts).strip() + "</table>"


def long_tables(documents: Iterable[ParsedDocument]) -> list[LongTable]:
    """Return the documents' tables of more than LONG_TABLE rows."""
    found = (table for document in documents for table in _tables_of(document))
    return [table for table in found if len(table.data) > LONG_TABLE]


def is_likely_list(table: LongTable, schema: Schema) -> bool:
    """Tell whether a table is headed like the items of one of the schema's lists: for estimates alone."""
    words = set(fold_words(" ".join(table.head.cells))) if table.head else set()
    for field in schema.fields:
        named = [set(fold_words(item.name.replace("_", " "))) for item in field.items]
        headed = sum(bool(words & name) for name in named)
        if headed >= 2 and headed >= _SHARE * len(named):
            return True
    return False


def table_of_items(items: Sequence[Any], tables: Sequence[LongTable]) -> LongTable | None:
    """Return the table that these items begin, row by row; None where they begin none.

    Drugs of a pharmacy's ledger, or two operations among its payments, are in rows of it as well: a list is a
    table only where its first items are among the first rows, and most are of one row and no other.
    """
    if len(items) < _FEWEST_ITEMS:
        return None
    best: tuple[float, LongTable] | None = None
    for table in tables:
        rows = align(items, table, table.data)
        share = len(rows) / len(items)
        last = max((table.data.index(row) for row in rows.values() if table.rows[row].is_data), default=0)
        if share < _BEGUN or last >= max(_AMONG_FIRST, 3 * len(items)):
            continue
        told = [_places_of(items[position], table) == 1 for position in list(rows)[:_LOOKED_AT]]
        if sum(told) * 2 >= len(told) and (best is None or share > best[0]):
            best = (share, table)
    return best[1] if best else None


def _places_of(item: Any, table: LongTable) -> int:
    """Return how many rows have as many of an item's members as its best row has."""
    members = list(_members(item))
    found = [
        sum(_is_in_row(member, table.rows[number].row.cells) for member in members) for number in table.data
    ]
    return found.count(max(found))


def align(items: Sequence[Any], table: LongTable, numbers: Sequence[int]) -> dict[int, int]:
    """Return item position → row number, for the items that are one of these rows; a row is of one item.

    Rows that have all of an item's members come first: of two payments that differ by their day alone, each
    would be most of the other. Only then an item takes the row that has most of its members.
    """
    members = [list(_members(item)) for item in items]
    taken: dict[int, int] = {}
    free = list(numbers)
    for find in (_whole_row, _nearest_row):
        last = -1
        for position, wanted in enumerate(members):
            if position in taken:
                last = taken[position]
                continue
            behind = [number for number in free if number > last]
            before = [number for number in free if number < last]
            row = find(wanted, table, [*behind, *before]) if wanted else None
            if row is not None:
                taken[position] = last = row
                free.remove(row)
    return taken


def _whole_row(members: Sequence[Any], table: LongTable, numbers: Sequence[int]) -> int | None:
    for number in numbers:
        cells = table.rows[number].row.cells
        if all(_is_in_row(member, cells) for member in members):
            return number
    return None


def _nearest_row(members: Sequence[Any], table: LongTable, numbers: Sequence[int]) -> int | None:
    best, most = None, max(1.0, _SHARE * len(members)) - 0.01
    for number in numbers:
        cells = table.rows[number].row.cells
        found = sum(_is_in_row(member, cells) for member in members)
        if found > most:
            best, most = number, float(found)
    return best


def rows_of_snippet(snippet: str, table: LongTable, numbers: Sequence[int]) -> list[int]:
    """Return the rows among these that a snippet may be quoted from: several where rows say the same."""
    wanted = fold(snippet)
    return [n for n in numbers if wanted and wanted in fold(" ".join(table.rows[n].row.cells))]


def _members(item: Any) -> Iterator[Any]:
    """Yield the plain values of an item."""
    values = item.values() if isinstance(item, Mapping) else [item]
    for value in values:
        if isinstance(value, Mapping):
            yield from _members(value)
        elif isinstance(value, list):
            for inner in value:
                yield from _members(inner)
        elif value is not None:
            yield value


def _is_in_row(member: Any, cells: Sequence[str]) -> bool:
    return any(_is_in(member, cell) for cell in cells if cell)


def _is_in(member: Any, cell: str) -> bool:
    if isinstance(member, str) and member == cell:  # a grammar costs a hundred times more
        return True
    if isinstance(member, int | float) and not any(c.isdigit() for c in cell):
        return False
    return bool(find_value(cell, member, type_of_value(member)))


def _tables_of(document: ParsedDocument) -> Iterator[LongTable]:
    """Yield a document's tables, each with what goes on of it on the following pages."""
    run: list[Block] = []
    for block in document.blocks:
        if block.type in _RUNNING:
            continue
        goes_on = run and block.type == "Table" and block.page - run[-1].page <= 1
        if goes_on and _width(block) == _width(run[0]):
            run.append(block)
            continue
        if run:
            yield _joined(document.source.source_id, run)
        run = [block] if block.type == "Table" else []
    if run:
        yield _joined(document.source.source_id, run)


def _width(block: Block) -> int:
    """Return how many cells most of a table's rows have."""
    counts = Counter(len(row.cells) for row in read_table(block.content))
    return counts.most_common(1)[0][0] if counts else 0


def _joined(source_id: str, blocks: Sequence[Block]) -> LongTable:
    width = _width(blocks[0])
    head: TableRow | None = None
    rows: list[LongRow] = []
    for block in blocks:
        for place, row in enumerate(read_table(block.content)):
            if head is None and block is blocks[0] and place == 0 and (row.is_head or not _has_figures(row)):
                head = row
                continue
            if row.is_head or (head is not None and row.cells == head.cells):
                continue  # the heading again, on another page
            filled = sum(bool(cell) for cell in row.cells)
            is_data = len(row.cells) == width and filled > (width > 1) and not row.is_total
            rows.append(LongRow(row, block.page, is_data))
    return LongTable(source_id, blocks[0].block_id, head, rows)


def _has_figures(row: TableRow) -> bool:
    return any(char.isdigit() for cell in row.cells for char in cell)
