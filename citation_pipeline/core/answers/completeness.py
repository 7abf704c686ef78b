"""Is a list complete? The items of an answer, against the rows of the table or list they are in.

Counts only: what the missing rows say is for the extractor to read again. A list counts where every item
is a row of its own and a row is hardly more than its item: pages are full of lists that merely mention one.
A count may still be wrong, so it is a reason to ask again, never to reject.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.answers.long_lists import LONG_TABLE
from citation_pipeline.core.answers.table_rows import is_total, read_table
from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.values.spans import fold

_NUMBERING = re.compile(r"^\W*(?:\(?\w{1,2}[.)])?\s*")
# a cell that does not begin with its item must at least mostly be it
_SHARE_OF_CELL = 0.6
_LONGEST_LIST = LONG_TABLE  # longer ones are asked for in windows of rows

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShortList:
    """A list with more rows than the field has items, and the document where it is.

    `is_sure` where it is a table that has a cell of its own for each item.
    """

    row_count: int
    source_id: str
    is_sure: bool = False


@dataclass(frozen=True, slots=True)
class _List:
    """The rows of a table or list, and all their words folded into one text each."""

    source_id: str
    rows: Sequence[Row]
    folded: Sequence[str]
    is_table: bool


def find_short_lists(
    fields: Sequence[ExtractedField], documents: Sequence[ParsedDocument]
) -> dict[str, ShortList]:
    """Return field key → list, for the arrays that have fewer items than a list of just them has rows."""
    lists = _lists_of(documents)
    short: dict[str, ShortList] = {}
    for field in fields:
        if field.value_type != "array" or not isinstance(field.value, list) or not field.value:
            continue
        names = [name for item in field.value if (name := _name_of(item)) is not None]
        found = [
            ShortList(count, one.source_id, one.is_table and _has_own_cells(one, names))
            for one in lists
            if (count := _count_siblings(one, names)) is not None and count > len(field.value)
        ]
        if found:
            short[field.field_key] = max(found, key=lambda one: one.row_count)
    return short


def _name_of(item: Any) -> str | None:
    """Return what identifies an item: its first member, or itself."""
    name = next(iter(item.values()), None) if isinstance(item, Mapping) else item
    return None if name is None or isinstance(name, list | dict) else str(name)


def _count_siblings(one: _List, names: Sequence[str]) -> int | None:
    """Count the rows that are like those of the items; None unless each item is one row, and all are here."""
    places: dict[int, int] = {}
    for name in names:
        found = [
            (number, column)
            for number, folded in enumerate(one.folded)
            if fold(name) in folded
            for column, cell in enumerate(one.rows[number])
            if _is_item(cell, name)
        ]
        if len(found) != 1 or found[0][0] in places:
            return None
        places[found[0][0]] = found[0][1]
    columns, widths = set(places.values()), {len(one.rows[number]) for number in places}
    if len(columns) != 1 or len(widths) != 1:
        return None
    column, width = columns.pop(), widths.pop()
    is_wide = all(_filled(one.rows[number]) > 1 for number in places)  # then a note in one cell is no row
    siblings = [
        row
        for row in one.rows
        if len(row) == width
        and fold(row[column])
        and not any(is_total(cell) for cell in row)
        and (_filled(row) > 1 or not is_wide)
    ]
    return len(siblings) if len(siblings) <= _LONGEST_LIST else None


def _filled(row: Row) -> int:
    return sum(bool(fold(cell)) for cell in row)


def _is_item(cell: str, name: str) -> bool:
    """Tell whether a cell is this item: it begins with its name, or is hardly more than it."""
    words, wanted = fold(_NUMBERING.sub("", cell)), fold(name)
    if not wanted or wanted not in words:
        return False
    return words.startswith(wanted) or len(wanted) >= _SHARE_OF_CELL * len(words)


def _has_own_cells(one: _List, names: Sequence[str]) -> bool:
    """Tell whether each item is all but a whole cell: notes begin with what they are about, too."""
    cells = [fold(cell) for row in one.rows for cell in row]
    return all(
        any(fold(name) in cell and len(fold(name)) >= _SHARE_OF_CELL * len(cell) for cell in cells if cell)
        for name in names
    )


def _lists_of(documents: Sequence[ParsedDocument]) -> list[_List]:
    return [
        _List(document.source.source_id, rows, [fold(" ".join(row)) for row in rows], is_table)
        for document in documents
        for rows, is_table in _rows_of(document)
        if 1 < len(rows) <= 2 * _LONGEST_LIST
    ]


def _rows_of(document: ParsedDocument) -> Iterator[tuple[list[Row], bool]]:
    """Yield each table's rows without its heading, and each run of list items as rows of one cell.

    With the rows: whether they are a table's.
    """
    run: list[Row] = []
    for block in document.blocks:
        if block.type == "List Item":
            run.append((block.text,))
            continue
        yield run, False
        run = []
        if block.type == "Table":
            yield _table_rows(block), True
    yield run, False


def _table_rows(block: Block) -> list[Row]:
    return [
        row.cells
        for number, row in enumerate(read_table(block.content))
        if not row.is_head and not (number == 0 and len(row.cells) > 1)
    ]
