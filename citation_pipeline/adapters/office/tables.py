"""Tables of office files: cells with their spans, as columns on a page and as HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from citation_pipeline.adapters.office.struck_text import unmarked


@dataclass(frozen=True, slots=True)
class Cell:
    """A table's cell: its text (lines by newline) and how many columns and rows it spans."""

    text: str
    columns: int = 1
    rows: int = 1


def table_html(rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table as HTML with its spans."""
    parts = ["<table>"]
    for row in rows:
        parts.append("<tr>")
        for cell in row:
            columns = f' colspan="{cell.columns}"' if cell.columns > 1 else ""
            spans = f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
            parts.append(f"<td{columns}{spans}>{escape(unmarked(' '.join(cell.text.split())))}</td>")
        parts.append("</tr>")
    return "".join([*parts, "</table>"])


def cell_positions(row: Sequence[Cell], hanging: dict[int, int], columns: int) -> list[tuple[int, int, Cell]]:
    """Give each cell its first column and the one after its last, past what hangs down from above."""
    placed: list[tuple[int, int, Cell]] = []
    below: dict[int, int] = {}
    at = 0
    for cell in row:
        while hanging.get(at, 0) > 0:
            at += 1
        last = min(at + cell.columns, columns)
        if at >= columns:
            break
        placed.append((at, last, cell))
        if cell.rows > 1:
            below.update({column: cell.rows for column in range(at, last)})
        at = last
    for column in list(hanging):
        hanging[column] -= 1
    hanging.update({column: rows - 1 for column, rows in below.items()})
    return placed
