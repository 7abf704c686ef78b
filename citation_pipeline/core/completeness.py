"""Is a list complete? The items of an answer, against the rows of the table or list they stand in.

Counts only: what the missing rows say is for the extractor to read again. A count may be wrong (a table of
payments names a lienholder once), so it is a reason to ask again, never to reject.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citation_pipeline.core.documents import Block, ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.values.grammar import find_value, type_of_value
from citation_pipeline.core.values.spans import fold

# no pattern runs past the next "<": a hostile page of open brackets would take minutes otherwise
_ROW = re.compile(r"<tr\b[^<>]*>(.*?)(?=<tr\b|</tr>|</table>|$)", re.IGNORECASE | re.DOTALL)
_CELL = re.compile(r"<(t[dh])\b[^<>]*>(.*?)(?=<t[dhr]\b|</t[dhr]>|</table>|$)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_TOTAL = re.compile(r"^\W*(?:sub|grand )?total", re.IGNORECASE)
# a table this long is a ledger; the items of a field are a few of its rows
_LONGEST_LIST = 60

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _List:
    """The rows of a table or list, and all their words folded into one text each."""

    rows: Sequence[Row]
    folded: Sequence[str]


def count_rows(field: ExtractedField, documents: Sequence[ParsedDocument]) -> int | None:
    """Return how many rows the fullest list has that holds the field's items, or None when none does.

    A list counts when it holds at least two of the items, or the only one.
    """
    return _count(field, _lists_of(documents))


def find_short_lists(fields: Sequence[ExtractedField], documents: Sequence[ParsedDocument]) -> dict[str, int]:
    """Return field key → rows, for the arrays that have fewer items than the list they stand in has rows."""
    lists = _lists_of(documents)
    return {
        field.field_key: rows
        for field in fields
        if isinstance(field.value, list)
        and (rows := _count(field, lists)) is not None
        and rows > len(field.value)
    }


def _count(field: ExtractedField, lists: Sequence[_List]) -> int | None:
    items = field.value
    if field.value_type != "array" or not isinstance(items, list) or not items:
        return None
    names = [name for item in items if (name := _name_of(item)) is not None]
    counts = [count for one in lists if (count := _count_siblings(one, names)) is not None]
    return max(counts, default=None)


def _name_of(item: Any) -> Any:
    if isinstance(item, Mapping):
        return next(iter(item.values()), None)
    return item


def _count_siblings(one: _List, names: Sequence[Any]) -> int | None:
    """Count the rows that have something in the column where the items' names stand."""
    columns: dict[int, set[int]] = {}
    held: set[int] = set()
    for place, name in enumerate(names):
        words = fold(str(name))
        for number, folded in enumerate(one.folded):
            if not words or words not in folded:
                continue
            for column, cell in enumerate(one.rows[number]):
                if find_value(cell, name, type_of_value(name)):
                    columns.setdefault(column, set()).add(number)
                    held.add(place)
    if len(held) < min(2, len(names)) or not columns:
        return None
    column = max(columns, key=lambda candidate: len(columns[candidate]))
    width = max(len(one.rows[number]) for number in columns[column])
    siblings = [
        row
        for row in one.rows
        if len(row) == width and fold(row[column]) and not any(_TOTAL.match(cell) for cell in row)
    ]
    return len(siblings) if len(siblings) <= _LONGEST_LIST else None


def _lists_of(documents: Sequence[ParsedDocument]) -> list[_List]:
    return [
        _List(rows, [fold(" ".join(row)) for row in rows])
        for document in documents
        for rows in _rows_of(document)
        if 1 < len(rows) <= 2 * _LONGEST_LIST
    ]


def _rows_of(document: ParsedDocument) -> Iterator[list[Row]]:
    """Yield each table's rows without its heading, and each run of list items as rows of one cell."""
    run: list[Row] = []
    for block in document.blocks:
        if block.type == "List Item":
            run.append((block.text,))
            continue
        yield run
        run = []
        if block.type == "Table":
            yield _table_rows(block)
    yield run


def _table_rows(block: Block) -> list[Row]:
    rows = []
    for number, row in enumerate(_ROW.findall(block.content)):
        cells = _CELL.findall(row)
        if not cells or (number == 0 and len(cells) > 1) or all(kind.lower() == "th" for kind, _ in cells):
            continue
        rows.append(tuple(" ".join(html.unescape(_TAG.sub(" ", text)).split()) for _, text in cells))
    return rows
