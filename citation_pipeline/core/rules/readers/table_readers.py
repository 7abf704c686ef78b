"""Readers of tables: single cells by row and column, lists by the columns of their members.

A table is read as the parser found it; where it found none, by the look of the rows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citation_pipeline.core.layout.tables import Table
from citation_pipeline.core.rules.documents import DocumentReading
from citation_pipeline.core.rules.lexicons.lexicon import FieldRules, TableRule
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.passages import Passage, join, passage_of
from citation_pipeline.core.rules.pages.tables import find_heads, rows_below, rows_of_table
from citation_pipeline.core.rules.readers.candidates import Candidate, Item, candidate_of, holds_in
from citation_pipeline.core.rules.readers.kinds import take
from citation_pipeline.core.rules.readers.lists import read_item, read_member
from citation_pipeline.core.rules.readers.taken_values import is_nothing
from citation_pipeline.core.values.dates import find_dates

_BEFORE = re.compile(r"\b(?:before|prior|previous(?:ly)?|old|former|change|was)\b", re.IGNORECASE)


# Of what is still to do a table lists what was done too: in a column of states, or below a heading.
_NO_LONGER_OPEN = re.compile(
    r"(?:completed|done|closed|finished)(?: (?:items|tasks|diar(?:y|ies)|activities|actions?))?",
    re.IGNORECASE,
)
_IS_DONE = re.compile(r"\b(?:done|completed|closed)\.?(?:\s+(?:[A-Z]{2,3}|[\d/.-]{6,10}))?$", re.IGNORECASE)

_COLUMNS = 3
_STRENGTH = re.compile(r"[a-z] \d[\d.,/]* ?(?:mg|mcg|ml|g|units?)\b", re.IGNORECASE)


def read_tables(reading: DocumentReading, rules: FieldRules, affinity: float) -> Iterator[Candidate]:
    """Return what the document's tables say about a field."""
    for table in rules.tables:
        if not holds_in(table, reading):
            continue
        found = list(_parsed_tables(reading, rules, table, affinity))
        if found:
            yield from found
        elif table.members:
            yield from _listed(reading, rules, table, affinity)
        elif table.column is not None:
            yield from _cells(reading, rules, table, affinity)


def _parsed_tables(
    reading: DocumentReading, rules: FieldRules, table: TableRule, affinity: float
) -> Iterator[Candidate]:
    """Read the tables that the parser found, cell by cell."""
    for parsed in reading.tables:
        heads = [" ".join(name.split()) for name in parsed.header]
        wanted = table.members or ({"value": table.column} if table.column else {})
        columns: dict[str, int] = {}
        for name, pattern in wanted.items():
            column = next(
                (n for n, h in enumerate(heads) if n not in columns.values() and pattern.search(h)), None
            )
            if column is not None:
                columns[name] = column
        if len(columns) < len(wanted) or not columns:
            continue
        rows = [r for r in (_cells_of_row(reading, parsed, n) for n in range(parsed.rows)) if r]
        weight = affinity * table.weight
        if table.members:
            own = rows[: rows_of_table([[cell.text for cell in cells.values()] for cells in rows])]
            items = [
                item for cells in own if (item := _item_of_cells(cells, columns, rules, table)) is not None
            ]
            if items:
                whole = join(item.unit for item in items)
                yield candidate_of(
                    reading, rules, None, whole, reading.date, weight, "table", items=items, is_list=True
                )
            continue
        if rules.kind == "text" and rules.is_prose and table.row is None:
            yield from _column(
                reading, rules, [c for c in rows if columns["value"] in c], columns["value"], weight
            )
            continue
        for cells in rows:
            cell = cells.get(columns["value"])
            whole = join(cells.values())
            first = cells[min(cells)].text
            fits = table.row is None or table.row.search(first) or table.row.search(whole.text)
            taken = take(cell.text, rules) if cell and fits else []
            if taken:
                as_of = _row_date(whole, reading.date)
                yield candidate_of(reading, rules, taken[0].value, whole, as_of, weight, "table")
                if table.row is not None:
                    break


def _column(
    reading: DocumentReading,
    rules: FieldRules,
    rows: Sequence[Mapping[int, Passage]],
    column: int,
    weight: float,
) -> Iterator[Candidate]:
    """Read all cells of a column as one text: the limit of each activity."""
    text = "; ".join(cells[column].text.rstrip(" .;") for cells in rows)
    taken = take(text, rules) if rows else []
    if taken:
        unit = join(passage for cells in rows for passage in cells.values())
        yield candidate_of(reading, rules, taken[0].value, unit, reading.date, weight, "table")


def _row_date(row: Passage, date: str) -> str:
    """Return the day a row speaks for: its own first date when that is past, else the document's."""
    days = [str(span.value) for span in find_dates(row.text) if str(span.value) <= date]
    return days[0] if days else date


def _cells_of_row(reading: DocumentReading, table: Table, number: int) -> dict[int, Passage]:
    return {
        cell.column: passage_of(reading.document, cell.word_ids)
        for cell in table.row(number)
        if len(cell.word_ids) and not cell.is_header
    }


def _item_of_cells(
    cells: Mapping[int, Passage], columns: Mapping[str, int], rules: FieldRules, table: TableRule
) -> Item | None:
    named = {name: cells[column] for name, column in columns.items() if column in cells}
    return _item_of_row(named, join(cells.values()), rules, table)


def _cells(
    reading: DocumentReading, rules: FieldRules, table: TableRule, affinity: float
) -> Iterator[Candidate]:
    assert table.column is not None
    for number, heads in find_heads(reading.rows, {"value": table.column}):
        if _is_of_before(reading.rows, number, heads["value"]):
            continue
        for row in reading.rows[number + 1 : number + 16]:
            if row.page != reading.rows[number].page:
                break
            if table.column.search(row.text) and any(table.column.search(s.text) for s in row.segments):
                break
            if table.row is not None and not table.row.search(row.segments[0].text):
                continue
            cell = _cell_under(row, heads["value"], reading.rows[number])
            is_text = cell is not None and rules.kind == "enum" and len(cell.texts) > _LONGEST_MEMBER
            taken = take(cell.text, rules) if cell and not is_text else []
            if taken:
                unit = row.passage
                weight = affinity * table.weight
                yield candidate_of(reading, rules, taken[0].value, unit, reading.date, weight, "table")
                break


_LONGEST_MEMBER = 10  # words; below a head that labels what is beside it, text goes on


def _is_of_before(rows: Sequence[Row], number: int, head: Segment) -> bool:
    """Tell whether a head, with the lines right below it, names what was: `Outstanding before (3/12)`."""
    below = [
        other.text
        for row in rows[number + 1 : number + 3]
        if row.page == head.page and row.box.top - head.box.bottom < 2.5 * head.height
        for other in row.segments
        if abs(other.box.left - head.box.left) < 0.02 or abs(other.box.right - head.box.right) < 0.02
    ]
    return bool(_BEFORE.search(" ".join((head.text, *below))))


def _cell_under(row: Row, head: Segment, head_row: Row) -> Segment | None:
    """Return the row's segment that belongs to a head and to none of its neighbours."""

    def distance(cell: Segment, other: Segment) -> float:
        return min(
            abs(cell.box.left - other.box.left),
            abs(cell.box.right - other.box.right),
            abs((cell.box.left + cell.box.right - other.box.left - other.box.right) / 2),
        )

    best = None
    for cell in row.segments:
        nearest = min(head_row.segments, key=lambda other, cell=cell: distance(cell, other))  # type: ignore[misc]
        if nearest is head and (best is None or distance(cell, head) < distance(best, head)):
            best = cell
    return best


def _listed(
    reading: DocumentReading, rules: FieldRules, table: TableRule, affinity: float
) -> Iterator[Candidate]:
    for number, heads in find_heads(reading.rows, table.members):
        items: list[Item] = []
        ends = _NO_LONGER_OPEN if rules.ahead else None
        for row in rows_below(reading.rows, number, heads, ends=ends):
            item = _item_of_row(row.cells, row.whole, rules, table)
            # text below a table fills its first column alone
            if item is not None and (len(table.members) < _COLUMNS or len(item.members) > 1):
                items.append(item)
        fullest = max((len(item.members) for item in items), default=0)
        items = [item for item in items if 2 * len(item.members) > fullest]
        if items:
            whole = join(item.unit for item in items)
            yield candidate_of(
                reading,
                rules,
                None,
                whole,
                reading.date,
                affinity * table.weight,
                "table",
                items=items,
                is_list=True,
            )


def _item_of_row(cells: Any, whole: Passage, rules: FieldRules, table: TableRule) -> Item | None:
    value: dict[str, Any] = dict(table.constants)
    if rules.ahead and _IS_DONE.search(whole.text):
        return None
    for column, pattern in table.where.items():
        if column not in cells or not pattern.search(cells[column].text):
            return None
    members = {member.name: member for member in rules.field.items}
    for name, cell in cells.items():
        if name in members:
            read = read_member(cell.text, members[name])
            if read not in (None, ""):
                value[name] = read
    first = rules.field.items[0].name if rules.field.items else ""
    told = value.get(first)
    if isinstance(told, str) and _STRENGTH.search(told):
        # `celecoxib 200 mg | once a day`: the dose begins in the column of names
        parted = read_item(whole, rules)
        return Item(parted.value, whole, parted.members) if parted is not None else None
    if not value.get(first) or is_nothing(str(value[first])):
        return None
    if re.match(r"^(?:total|subtotal|balance|grand|together|sum|all)\b", str(value[first]), re.IGNORECASE):
        return None
    if rules.reject is not None and rules.reject.search(str(value[first])):
        return None
    return Item(value, whole, {name: cell for name, cell in cells.items() if name in members})
