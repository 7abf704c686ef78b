"""The rows of tables as parsers write them (HTML): cells as text, and which rows head a table."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

# no pattern runs past the next "<": a hostile page of open brackets would take minutes otherwise
_ROW = re.compile(r"<tr\b[^<>]*>(.*?)(?=<tr\b|</tr>|</table>|$)", re.IGNORECASE | re.DOTALL)
_CELL = re.compile(r"<(t[dh])\b[^<>]*>(.*?)(?=<t[dhr]\b|</t[dhr]>|</table>|$)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_TOTAL = re.compile(
    r"^\W*(?:(?:sub-?\s?|grand |overall )?totals?|combined|sum|carried forward|brought forward"
    r"|(?:amount|balance) due|(?:zwischen|gesamt)?summe|totaux|totale|suma|razem)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: its cells' text, its HTML within `<tr>`, and whether all its cells are headings."""

    cells: tuple[str, ...]
    html: str
    is_head: bool

    @property
    def is_total(self) -> bool:
        """Tell whether the row adds others up."""
        return any(is_total(cell) for cell in self.cells)


def is_total(cell: str) -> bool:
    """Tell whether a cell labels a sum of other rows."""
    return _TOTAL.match(cell) is not None


def read_table(content: str) -> Iterator[TableRow]:
    """Yield the rows of a table's HTML; a row without a cell is none."""
    for row in _ROW.findall(content):
        cells = _CELL.findall(row)
        if cells:
            texts = tuple(" ".join(html.unescape(_TAG.sub(" ", text)).split()) for _, text in cells)
            yield TableRow(texts, row, all(kind.lower() == "th" for kind, _ in cells))
