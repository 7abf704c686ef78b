"""Tables against what was read of them: one that yields nothing, a list shorter than it, a total that is off.

Counts and sums alone. A page is full of tables that only resemble a list, so each check wants every sign.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from citation_pipeline.core.answers.completeness import find_short_lists
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.consistency.sums import is_total, wrong_sums
from citation_pipeline.core.consistency.violations import Statement, Violation
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.layout.tables import Cell, Table, tables_of
from citation_pipeline.core.schemas import Field, Schema, label_of
from citation_pipeline.core.values.spans import fold_words

TABLE_WITHOUT_ROWS, SHORT_LIST = "table_without_rows", "list_shorter_than_table"
WRONG_TOTAL = "total_differs_from_rows"
_COMMON_HEADS = frozenset(
    ("name", "item", "items", "description", "what", "provider", "claimant", "narrative")
)
_NOTHING = frozenset(("none", "n", "a", "na", "nil", "no", "not", "applicable", "reported", "filed", "known"))


Heads = Mapping[str, Sequence[Mapping[str, re.Pattern[str]]]]
"""By field, the expressions that its members' columns are headed by, where all of them name its list."""


def judge_tables(
    schema: Schema, fields: Sequence[ExtractedField], documents: Sequence[ParsedDocument], heads: Heads
) -> list[Violation]:
    """Return what does not agree between the tables of the documents, their totals, and the lists read."""
    readable = [document for document in documents if document.status is DocumentStatus.PARSED]
    by_key = {field.field_key: field for field in fields}
    silent = [
        field
        for field in schema.fields
        if field.items and (field.key not in by_key or by_key[field.key].value is None)
    ]
    found = list(_short_lists(fields, readable))
    for document in readable:
        tables = list(tables_of(document))
        found += _unread(silent, document, tables, heads)
        if not any(page.words_from != "text" for page in document.pages):  # recognized digits may be misread
            found += _wrong_totals(document, tables)
    return found


def _short_lists(
    fields: Sequence[ExtractedField], documents: Sequence[ParsedDocument]
) -> Iterator[Violation]:
    by_key = {field.field_key: field for field in fields}
    for key, short in find_short_lists(fields, documents).items():
        if not short.is_sure:  # the numbered boxes of a form look like a list, and so do dated notes
            continue
        items = by_key[key].value
        count = len(items) if isinstance(items, list) else 0
        yield Violation(
            code=SHORT_LIST,
            says=f"The list has {count} items, its table seems to have {short.row_count} rows.",
            field_keys=(key,),
            statements=tuple(
                Statement(s.source_id, key, s.citation_index, s.page)
                for s in by_key[key].snippets
                if s.source_id == short.source_id
            )[:1]
            or (Statement(short.source_id, key),),
        )


def _unread(
    silent: Sequence[Field], document: ParsedDocument, tables: Sequence[Table], heads: Heads
) -> Iterator[Violation]:
    for table in tables:
        names, first = _head(table)
        header = [fold_words(text) for text in names]
        body = [number for number in range(first, table.rows) if _says_something(table, number)]
        if len(header) < 2 or not body:
            continue
        for field in silent:
            if _heads_list(header, field) or any(
                _all_named(names, members) for members in heads.get(field.key, ())
            ):
                yield Violation(
                    code=TABLE_WITHOUT_ROWS,
                    says=f"A table of {len(body)} rows has this list's columns, and no item was read.",
                    field_keys=(field.key,),
                    statements=(_table_statement(document, table, field.key),),
                )


def _says_something(table: Table, number: int) -> bool:
    """Tell whether a row states anything but `none`, dashes and the sum of others."""
    row = {cell.column: cell for cell in table.row(number)}
    words = [word for cell in row.values() for word in fold_words(cell.text)]
    return not set(words) <= _NOTHING and not is_total(row)


def _head(table: Table) -> tuple[Sequence[str], int]:
    """Return the columns' names and the first row below them; a first row of words alone is a head too."""
    if table.header:
        heads = {cell.row for cell in table.cells if cell.is_header}
        return table.header, max(heads, default=-1) + 1
    first = sorted(table.row(0), key=lambda cell: cell.column)
    if len(first) != table.columns or any(not c.text.strip() or re.search(r"\d", c.text) for c in first):
        return (), 0
    return [cell.text for cell in first], 1


def _heads_list(header: Sequence[Sequence[str]], field: Field) -> bool:
    """Tell whether a table's heads name what identifies the list's items, and most other members too."""
    first, *others = field.items
    named = (fold_words(label_of(first.name)), _singular(fold_words(field.label)))
    lead = next((n for n, words in enumerate(header) if any(_is_named(words, name) for name in named)), None)
    if lead is None or not others:
        return False
    found = {
        member.name
        for member in others
        for n, words in enumerate(header)
        if n != lead and _is_named(words, fold_words(label_of(member.name)))
    }
    return 2 * len(found) >= len(others)


def _all_named(names: Sequence[str], members: Mapping[str, re.Pattern[str]]) -> bool:
    """Tell whether each member heads a column of its own, and hardly another column is there.

    `Name` and `Item` head the lists of many things, so they identify no list.
    """
    if len(members) < len(names) - 1:
        return False
    taken: set[int] = set()
    for pattern in members.values():
        place = next((n for n, name in enumerate(names) if n not in taken and pattern.search(name)), None)
        if place is None or (not taken and set(fold_words(names[place])) <= _COMMON_HEADS):
            return False
        taken.add(place)
    return True


def _is_named(words: Sequence[str], name: Sequence[str]) -> bool:
    return bool(name) and "".join(_singular(list(name))) == "".join(_singular(list(words)))


def _singular(words: list[str]) -> list[str]:
    return [word.removesuffix("s") if len(word) > 3 else word for word in words]


def _table_statement(document: ParsedDocument, table: Table, key: str) -> Statement:
    return Statement(
        document.source.source_id, key, page=table.page, boxes=(document.blocks[table.block_id].box,)
    )


def _wrong_totals(document: ParsedDocument, tables: Sequence[Table]) -> Iterator[Violation]:
    for group in _continued(tables):
        header, rows = _body_of(group)
        for wrong in wrong_sums(header, rows):
            cell = wrong.total.cell
            table = next(table for table in group if any(cell is one for one in table.cells))
            parts = [part.cell for part in wrong.parts if any(part.cell is one for one in table.cells)]
            boxes = tuple(part.box for part in parts if part.box is not None)
            yield Violation(
                code=WRONG_TOTAL,
                says=f"The total is not the sum of its {len(wrong.parts)} rows.",
                statements=(
                    Statement(document.source.source_id, page=table.page, boxes=_boxes(cell)),
                    Statement(document.source.source_id, page=table.page, boxes=boxes),
                ),
            )


def _body_of(group: Sequence[Table]) -> tuple[Sequence[str], list[dict[int, Cell]]]:
    """Return a table's column names and the rows below them, of all its pages."""
    header, below = _head(group[0])
    return header, [
        {cell.column: cell for cell in table.row(number)}
        for place, table in enumerate(group)
        for number in range(0 if place else below, table.rows)
        if not all(cell.is_header for cell in table.row(number))
    ]


def _boxes(cell: Cell) -> tuple[Box, ...]:
    return (cell.box,) if cell.box is not None else ()


def _continued(tables: Sequence[Table]) -> list[list[Table]]:
    """Return tables with those that go on with them on later pages."""
    groups: dict[int, list[Table]] = {}
    first_of: dict[int, int] = {}
    for table in tables:
        first = (
            first_of.get(table.continues, table.block_id) if table.continues is not None else table.block_id
        )
        first_of[table.block_id] = first
        groups.setdefault(first, []).append(table)
    return list(groups.values())
