"""Long lists put together from the replies to their windows: one item a row, in the order of the rows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from citation_pipeline.core.answers.long_lists import LongTable, align, long_tables, rows_of_snippet
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.extraction import AnswerIssue, ExtractedField, Extraction, Snippet

INCOMPLETE = "list_incomplete"
"""The warning of a list whose table has rows that no item was read from."""
WITHOUT_ROW = "items_without_row"
"""The warning of a list with items that are no row of the table that they were asked from."""

_ITEM = "["


@dataclass(frozen=True, slots=True)
class WindowReading:
    """What one window's reply said of its list."""

    field_key: str
    table: tuple[str, int]
    numbers: tuple[int, ...]
    field: ExtractedField | None
    issues: tuple[AnswerIssue, ...] = ()


@dataclass(slots=True)
class _Growing:
    """The rows read so far of one list."""

    table: LongTable
    items: dict[int, Any] = field(default_factory=dict)
    snippets: dict[int, list[Snippet]] = field(default_factory=dict)
    rest: list[Any] = field(default_factory=list)
    asked: set[int] = field(default_factory=set)
    first: ExtractedField | None = None


def read_window(scope: str, said: Extraction) -> WindowReading | None:
    """Return what a reply to a window said; None for a reply to anything else."""
    asked = json.loads(scope)
    if "rows" not in asked:
        return None
    key, rows = asked["field_keys"][0], asked["rows"]
    source_id, block_id = rows["table"]
    found = next((one for one in said.fields if one.field_key == key), None)
    # an answer that ended early or left the list out shows in the rows that are missing
    issues = tuple(
        one for one in said.issues if one.field_key and one.code not in ("unanswered", "unasked_field")
    )
    return WindowReading(key, (source_id, block_id), tuple(rows["numbers"]), found, issues)


def with_long_lists(
    extraction: Extraction, windows: Sequence[WindowReading], documents: Sequence[ParsedDocument]
) -> Extraction:
    """Return the extraction with its long lists whole: every row that a window was answered for, once.

    What the first answer gave of the same table gives way to the rows; its other items stay behind them.
    """
    if not windows:
        return extraction
    tables = {(table.source_id, table.block_id): table for table in long_tables(documents)}
    lists: dict[tuple[str, tuple[str, int]], _Growing] = {}
    for window in windows:
        if window.table in tables:
            mark = (window.field_key, window.table)
            _grow(lists.setdefault(mark, _Growing(tables[window.table])), window)
    fields: dict[str, ExtractedField] = {one.field_key: one for one in extraction.fields}
    for (key, _), grown in lists.items():
        if grown.items or grown.rest:
            fields[key] = _joined(fields.get(key), grown)
    order = {one.field_key: place for place, one in enumerate(extraction.fields)}
    return replace(
        extraction,
        fields=tuple(sorted(fields.values(), key=lambda one: order.get(one.field_key, len(order)))),
        issues=tuple(dict.fromkeys((*extraction.issues, *(i for one in windows for i in one.issues)))),
    )


def _grow(grown: _Growing, window: WindowReading) -> None:
    grown.asked.update(window.numbers)
    said = window.field
    if said is None or not isinstance(said.value, list):
        return
    grown.first = grown.first or said
    rows = align(said.value, grown.table, window.numbers)
    for position, item in enumerate(said.value):
        if position not in rows:
            grown.rest.append(item)
            continue
        # the first answer that gave a row counts: a second one was asked for other rows
        grown.items.setdefault(rows[position], item)
    for snippet in said.snippets:
        for row in _rows_of(snippet, rows, grown.table, window.numbers):
            grown.snippets.setdefault(row, []).append(replace(snippet, page=grown.table.rows[row].page))


def _rows_of(
    snippet: Snippet, rows: Mapping[int, int], table: LongTable, numbers: Sequence[int]
) -> list[int]:
    """Return the rows that a snippet is behind; of rows that say the same, it is behind each."""
    quoted = rows_of_snippet(snippet.text, table, numbers)
    if len({table.rows[number].row.cells for number in quoted}) == 1:
        return quoted
    path = snippet.item_path
    row = rows.get(int(path[1:].partition("]")[0])) if path.startswith(_ITEM) else None
    return [] if row is None else [row]


def _joined(known: ExtractedField | None, grown: _Growing) -> ExtractedField:
    table, order = grown.table, sorted(grown.items)
    others: list[Any] = []
    kept: dict[int, int] = {}
    if known is not None and isinstance(known.value, list):
        same = align(known.value, table, table.data)
        for position, item in enumerate(known.value):
            if position not in same:
                kept[position] = len(order) + len(others)
                others.append(item)
    snippets = [
        replace(snippet, item_path=f"[{place}]")
        for place, row in enumerate(order)
        for snippet in grown.snippets.get(row, ())[:1]
    ]
    for snippet in known.snippets if known is not None else ():
        position = int(snippet.item_path[1:].partition("]")[0]) if snippet.item_path.startswith(_ITEM) else -1
        if position in kept:
            snippets.append(replace(snippet, item_path=f"[{kept[position]}]"))
    warnings = list(known.warnings) if known is not None else []
    if any(number not in grown.items for number in table.data):
        warnings.append(INCOMPLETE)
    if grown.rest:
        warnings.append(WITHOUT_ROW)
    base = known if known is not None and known.value is not None else grown.first
    assert base is not None
    return replace(
        base,
        value=[*(grown.items[row] for row in order), *others, *grown.rest],
        snippets=tuple(replace(one, citation_index=place) for place, one in enumerate(snippets)),
        warnings=tuple(dict.fromkeys(warnings)),
    )
