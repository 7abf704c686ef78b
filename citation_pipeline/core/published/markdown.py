"""A document as Markdown for reading and for models: headings, lists, and tables kept as tables."""

from collections.abc import Iterator

from citation_pipeline.core.documents.parsed import Block, ParsedDocument
from citation_pipeline.core.layout.tables import Table, table_of_block

_MARKED = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|"})
_HEADINGS = {"Title": "# ", "Section Header": "## "}
_LEFT_OUT = frozenset(
    {"Header", "Footer", "Page Number"}
)  # repeated on every page: they part what belongs together


def markdown_of(document: ParsedDocument) -> str:
    """Return the document's text; tables keep their columns, a page begins with a comment of its number."""
    parts: list[str] = []
    page = 0
    for block in document.blocks:
        if block.page != page:
            page = block.page
            parts.append(f"<!-- page {page} -->")
        parts.extend(_block(document, block))
    return "\n\n".join(parts) + "\n" if parts else ""


def _block(document: ParsedDocument, block: Block) -> Iterator[str]:
    if block.type in _LEFT_OUT or not block.text.strip():
        return
    if block.type == "Table":
        table = table_of_block(document, block)
        if table is not None:
            yield _table(table)
            return
    lines = [" ".join(line.split()).translate(_MARKED) for line in block.text.splitlines()]
    lines = [line for line in lines if line]
    heading = _HEADINGS.get(block.type)
    if heading is not None:
        yield heading + " ".join(lines)
    elif block.type == "List Item":
        yield "- " + " ".join(lines)
    elif block.type in ("Key Value", "Table"):
        yield "  \n".join(lines)  # each label and value on a line of its own
    else:
        yield "\n".join(lines)


def _table(table: Table) -> str:
    """Return a pipe table, totals in bold; a cell over several columns is in its first one."""
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        text = " ".join(cell.text.split()).translate(_MARKED)
        grid[cell.row][cell.column] = f"**{text}**" if text and cell.row in table.totals else text
    headers = {cell.row for cell in table.cells if cell.is_header}
    first_row = grid[0] if 0 in headers else list(table.header) or [""] * table.columns
    body = grid[1:] if 0 in headers else grid
    rows = [first_row + [""] * (table.columns - len(first_row)), ["---"] * table.columns, *body]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
