"""Tables: their cells and words, how they are written as HTML, and how they are read back from it.

A table's words are in its block cell by cell, rows from the top and cells from the left, and its HTML
lists the cells in that order; so a stored block gives its table back, word ids included. How a table is
found on a page is the business of `grids` and `alignments`.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser

from citation_pipeline.core.boxes import Box, union_of_rows
from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.layout.ticks import CHECKED, UNCHECKED, skip_leaders, split_tokens, words_behind


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; `word_ids` is empty for a blank one, and then `box` is None."""

    row: int
    column: int
    rowspan: int
    colspan: int
    is_header: bool
    word_ids: range
    text: str
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table as it is on one page.

    `continues` is the block_id of the table on an earlier page that this one goes on with. `header` names
    each column, from this table's own header rows or, where it has none, from the one it continues. `totals`
    are the rows that sum up others.
    """

    block_id: int
    page: int
    rows: int
    columns: int
    cells: Sequence[Cell]
    header: Sequence[str] = ()
    continues: int | None = None
    totals: Sequence[int] = ()

    def row(self, number: int) -> list[Cell]:
        """Return the cells that begin in a row, from the left."""
        return [cell for cell in self.cells if cell.row == number]


@dataclass(frozen=True, slots=True)
class CellDraft:
    """A cell before its words are numbered; `text` is what it reads, words parted by single spaces."""

    row: int
    column: int
    rowspan: int
    colspan: int
    text: str
    is_header: bool = False


def write_html(cells: Sequence[CellDraft], *, continues: bool = False, totals: Collection[int] = ()) -> str:
    """Return cells, sorted by row and column, as an HTML table; blank cells are kept.

    `totals` are the rows that sum up others.
    """
    parts = ["<table data-continued>" if continues else "<table>"]
    row = -1
    for cell in cells:
        if cell.row != row:
            opening = "<tr data-total>" if cell.row in totals else "<tr>"
            # a row that only spans from above reach into is still a row
            blank = "<tr></tr>" * (cell.row - row - 1)
            parts.append(("</tr>" if row >= 0 else "") + blank + opening)
            row = cell.row
        name = "th" if cell.is_header else "td"
        spans = f' rowspan="{cell.rowspan}"' if cell.rowspan > 1 else ""
        spans += f' colspan="{cell.colspan}"' if cell.colspan > 1 else ""
        parts.append(f"<{name}{spans}>{escape(cell.text, quote=False)}</{name}>")
    parts.append("</tr></table>" if row >= 0 else "</table>")
    return "".join(parts)


class _CellReader(HTMLParser):
    """Collects (row, column, rowspan, colspan, is_header, text) of the cells of one table.

    The HTML is what parsers wrote (a service's was cleaned before): a stream of known tags needs no tree.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[tuple[int, int, int, int, bool, str]] = []
        self.continued = False
        self.totals: list[int] = []
        self.row = -1
        self._column = 0
        self._taken: set[tuple[int, int]] = set()
        self._open: tuple[int, int, bool] | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a row or a cell."""
        values = dict(attrs)
        if tag == "table":
            self.continued = "data-continued" in values
        elif tag == "tr":
            self.row, self._column = self.row + 1, 0
            if "data-total" in values:
                self.totals.append(self.row)
        elif tag in ("td", "th"):
            self._open = (_span(values.get("rowspan")), _span(values.get("colspan")), tag == "th")
            self._text = []
        elif tag == "br":
            self._text.append(" ")

    def handle_data(self, data: str) -> None:
        """Keep a cell's text."""
        if self._open is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Place a finished cell in the first free column of its row."""
        if tag not in ("td", "th") or self._open is None:
            return
        rows, columns, header = self._open
        self._open = None
        while (self.row, self._column) in self._taken:
            self._column += 1
        for r in range(self.row, self.row + rows):
            for c in range(self._column, self._column + columns):
                self._taken.add((r, c))
        text = " ".join("".join(self._text).split())
        self.cells.append((self.row, self._column, rows, columns, header, text))
        self._column += columns


def _span(value: str | None) -> int:
    # a provider's HTML may say anything; a span of thousands would only cost memory
    return min(max(int(value), 1), 1000) if value is not None and value.strip().isdigit() else 1


def table_of_block(document: ParsedDocument, block: Block) -> Table | None:
    """Return the table that a block's HTML describes, or None when its cells and words do not agree.

    `continues` and an inherited header are filled in by `tables_of`.
    """
    reader = _CellReader()
    reader.feed(block.content)
    cells: list[Cell] = []
    at, texts = block.word_start, document.words.texts
    for row, column, rows, columns, header, text in reader.cells:
        tokens = split_tokens(text)
        start = at = skip_leaders(tokens[0], texts, at, block.word_end) if tokens else at
        for token in tokens:
            at = skip_leaders(token, texts, at, block.word_end)
            count = words_behind(token, texts, at, block.word_end)
            if at + count > block.word_end:
                return None
            if token not in (CHECKED, UNCHECKED) and texts[at] != token:
                return None
            at += count
        ids = range(start, at)
        box = None
        if ids:
            box = union_of_rows(document.words.boxes[ids.start : ids.stop])
        cells.append(Cell(row, column, rows, columns, header, ids, text, box))
    if not cells or skip_leaders("", texts, at, block.word_end) != block.word_end:
        return None
    return Table(
        block_id=block.block_id,
        page=block.page,
        rows=max(cell.row + cell.rowspan for cell in cells),
        columns=max(cell.column + cell.colspan for cell in cells),
        cells=tuple(cells),
        header=_header(cells),
        continues=-1 if reader.continued else None,
        totals=tuple(reader.totals),
    )


def tables_of(document: ParsedDocument) -> Iterator[Table]:
    """Yield the tables of a document, fresh from a parser or loaded from the store, in reading order.

    A provider's table whose HTML does not list the block's words one by one is left out.
    """
    last: Table | None = None
    for block in document.blocks:
        if block.type != "Table":
            continue
        table = table_of_block(document, block)
        if table is None:
            continue
        follows = table.continues is not None and last is not None
        table = Table(
            block_id=table.block_id,
            page=table.page,
            rows=table.rows,
            columns=table.columns,
            cells=table.cells,
            header=table.header or (last.header if follows and last is not None else ()),
            continues=last.block_id if follows and last is not None else None,
            totals=table.totals,
        )
        last = table
        yield table


def _header(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Name each column by its header cells, read from the top."""
    if not any(cell.is_header for cell in cells):
        return ()
    names: list[list[str]] = [[] for _ in range(max(cell.column + cell.colspan for cell in cells))]
    for cell in cells:
        if cell.is_header and cell.text:
            for column in range(cell.column, cell.column + cell.colspan):
                names[column].append(cell.text)
    return tuple(" ".join(name) for name in names)
