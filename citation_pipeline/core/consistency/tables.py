"""Tables against what was read of them: one that yields nothing, a list shorter than it, a total that is off.

Counts and sums alone. A page is full of tables that only resemble a list, so each check wants every sign.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.answers.completeness import find_short_lists
from citation_pipeline.core.boxes import Box
from citation_pipeline.core.consistency.violations import Statement, Violation
from citation_pipeline.core.documents.parsed import DocumentStatus, ParsedDocument
from citation_pipeline.core.extraction import ExtractedField
from citation_pipeline.core.layout.tables import Cell, Table, tables_of
from citation_pipeline.core.schemas import Field, Schema, label_of
from citation_pipeline.core.values.numbers import NumberSpan, find_number_spans
from citation_pipeline.core.values.spans import fold_words

TABLE_WITHOUT_ROWS, SHORT_LIST = "table_without_rows", "list_shorter_than_table"
WRONG_TOTAL = "total_differs_from_rows"

_TOTAL = re.compile(
    r"^\W*(?:(?:grand |overall )?totals?\b[^a-z]*(?:[a-z]+[^a-z]*){0,3}|all\W*)$", re.IGNORECASE
)
# rows that are sums themselves, or carry one over: adding them to the others would count twice
_PARTIAL = re.compile(
    r"\b(?:sub-?\s?totals?|totals?|carried|brought|forward|balance|less|credit|discount|void(?:ed)?|reversal|"
    r"adjust\w*|tax|vat|net|paid to date|ytd|average|avg|sum|combined)\b",
    re.IGNORECASE,
)
# columns whose last row is no sum
_NO_SUM = re.compile(
    r"\b(?:balance|running|cumulative|rate|price|unit|per|each|average|avg|date|year|no|number|code|id|%|percent|"
    r"page|age|line|item|week|cpt|icd|zip|phone|account|check|claim|invoice)\b|[#%]",
    re.IGNORECASE,
)
_SLIP = 0.005
_DECIMALS = re.compile(r"\.(\d+)")
# whole numbers beyond this are rounded as often as counted
_ROUNDED = 10_000


@dataclass(frozen=True, slots=True)
class _Column:
    """The numbers of a column above its total, with their cells."""

    rows: Sequence[tuple[Cell, NumberSpan]]
    total: tuple[Cell, NumberSpan]


def judge_tables(
    schema: Schema, fields: Sequence[ExtractedField], documents: Sequence[ParsedDocument]
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
        found += _unread(silent, document, tables)
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
    silent: Sequence[Field], document: ParsedDocument, tables: Sequence[Table]
) -> Iterator[Violation]:
    for table in tables:
        names, first = _head(table)
        header = [fold_words(text) for text in names]
        body = {cell.row for cell in table.cells if cell.row >= first and cell.text.strip()}
        if len(header) < 2 or not body:
            continue
        for field in silent:
            if _heads_list(header, field):
                yield Violation(
                    code=TABLE_WITHOUT_ROWS,
                    says=f"A table of {len(body)} rows has this list's columns, and no item was read.",
                    field_keys=(field.key,),
                    statements=(_table_statement(document, table, field.key),),
                )


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


def _is_named(words: Sequence[str], name: Sequence[str]) -> bool:
    return bool(name) and _singular(list(name)) == _singular(list(words))


def _singular(words: list[str]) -> list[str]:
    return [word.removesuffix("s") if len(word) > 3 else word for word in words]


def _table_statement(document: ParsedDocument, table: Table, key: str) -> Statement:
    return Statement(
        document.source.source_id, key, page=table.page, boxes=(document.blocks[table.block_id].box,)
    )


def _wrong_totals(document: ParsedDocument, tables: Sequence[Table]) -> Iterator[Violation]:
    for group in _continued(tables):
        for column in _summed_columns(group):
            wanted = sum(number.value for _, number in column.rows)
            cell, stated = column.total
            slip = _slip([*column.rows, column.total])
            if slip is None or abs(wanted - stated.value) <= slip:
                continue
            page = next(table.page for table in group if cell in table.cells)
            boxes = tuple(c.box for c, _ in column.rows if c.box is not None and c in group[-1].cells)
            yield Violation(
                code=WRONG_TOTAL,
                says=f"The total is not the sum of the {len(column.rows)} rows above it.",
                statements=(
                    Statement(document.source.source_id, page=page, boxes=_boxes(cell)),
                    Statement(document.source.source_id, page=page, boxes=boxes),
                ),
            )


def _slip(cells: Sequence[tuple[Cell, NumberSpan]]) -> float | None:
    """Return how far rounding may move the sum; None where it is not clear what the digits mean."""
    places = [_DECIMALS.search(cell.text) for cell, _ in cells]
    decimals = {len(match[1]) if match else 0 for match in places}
    if max(decimals) > 2:  # 14.862 is a number of thousands in half of the world
        return None
    if decimals == {0} and max(abs(number.value) for _, number in cells) < _ROUNDED:
        return _SLIP
    return sum((0.5 * 10.0 ** -(len(match[1]) if match else 0) for match in places), _SLIP)


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


def _summed_columns(group: Sequence[Table]) -> Iterator[_Column]:
    header, below = _head(group[0])
    rows = [
        {cell.column: cell for cell in table.row(number)}
        for place, table in enumerate(group)
        for number in range(0 if place else below, table.rows)
        if not all(cell.is_header for cell in table.row(number))
    ]
    if not header or len(rows) < 3:
        return
    *body, last = rows
    if not _is_total(last) or any(_is_partial(row) for row in body):
        return
    # a row with fewer cells is a heading between the rows, or a table read wrong
    if any(cell.colspan > 1 for row in body for cell in row.values()):
        return
    for column, cell in last.items():
        if column >= len(header) or _NO_SUM.search(header[column]) or cell.colspan > 1:
            continue
        total = _number_of(cell)
        above = [row[column] for row in body if column in row and row[column].text.strip()]
        numbers = [(one, _number_of(one)) for one in above]
        if total is None or len(above) < 2 or any(number is None for _, number in numbers):
            continue
        yield _Column([(one, n) for one, n in numbers if n is not None], (cell, total))


def _is_total(row: dict[int, Cell]) -> bool:
    texts = [cell.text for _, cell in sorted(row.items()) if cell.text.strip()]
    return bool(texts) and bool(_TOTAL.match(texts[0]))


def _is_partial(row: dict[int, Cell]) -> bool:
    return any(_PARTIAL.search(cell.text) for cell in row.values() if not find_number_spans(cell.text))


def _number_of(cell: Cell) -> NumberSpan | None:
    """Return the number that a cell is, None where it is more or something else."""
    spans = find_number_spans(cell.text)
    if len(spans) != 1 or spans[0].is_percent:
        return None
    rest = cell.text[: spans[0].start] + cell.text[spans[0].end :]
    return None if re.search(r"\w", rest) else spans[0]
