"""Tables against the ICDAR 2013 competition's truth: adjacency relations between cells.

Göbel, Hassan, Oro, Orsi: "A methodology for evaluating algorithms for table understanding in PDF
documents" (DocEng 2012). A relation is (text, text, direction): each filled cell and its nearest filled
neighbours to the right and below. Files are compared as a whole, so a table found where there is none
costs precision, and one missed costs recall.
"""

import unicodedata
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

Cell = tuple[int, int, int, int, str]
"""Row, column, row span, column span, text."""

Relation = tuple[str, str, str]


def truth_tables(path: Path) -> list[list[Cell]]:
    """Return the tables of one `-str.xml` file; regions of a table are joined as the file says."""
    tables = []
    for table in ElementTree.parse(path).getroot().iter("table"):
        cells: list[Cell] = []
        for region in table.iter("region"):
            down, right = int(region.get("row-increment", "0")), int(region.get("col-increment", "0"))
            for cell in region.iter("cell"):
                row, column = int(cell.get("start-row", "0")), int(cell.get("start-col", "0"))
                rows = int(cell.get("end-row", row)) - row + 1
                columns = int(cell.get("end-col", column)) - column + 1
                text = cell.findtext("content") or ""
                cells.append((row + down, column + right, rows, columns, text))
        tables.append(cells)
    return tables


def normal(text: str) -> str:
    """Return a cell's text as the competition compares it: no spaces, no case, one kind of dash."""
    plain = unicodedata.normalize("NFKC", text).upper()
    return "".join("-" if c in "‐‑‒–—−" else c for c in plain if not c.isspace())


def relations(cells: Iterable[Cell]) -> Counter[Relation]:
    """Return the adjacency relations of one table, blank cells left out."""
    filled = [(r, c, rs, cs, normal(text)) for r, c, rs, cs, text in cells]
    filled = [cell for cell in filled if cell[4]]
    place: dict[tuple[int, int], int] = {}
    for i, (row, column, rows, columns, _) in enumerate(filled):
        for r in range(row, row + rows):
            for c in range(column, column + columns):
                place[r, c] = i
    height = max((cell[0] + cell[2] for cell in filled), default=0)
    width = max((cell[1] + cell[3] for cell in filled), default=0)
    found: set[tuple[int, int, str]] = set()
    for i, (row, column, rows, columns, _) in enumerate(filled):
        for r in range(row, row + rows):
            right = next((place[r, c] for c in range(column + columns, width) if (r, c) in place), None)
            if right is not None:
                found.add((i, right, "right"))
        for c in range(column, column + columns):
            below = next((place[r, c] for r in range(row + rows, height) if (r, c) in place), None)
            if below is not None:
                found.add((i, below, "below"))
    return Counter((filled[a][4], filled[b][4], way) for a, b, way in found)


def score(truth: Iterable[list[Cell]], ours: Iterable[list[Cell]]) -> tuple[int, int, int]:
    """Return (relations found right, relations of the truth, relations of ours) over one file."""
    want: Counter[Relation] = Counter()
    have: Counter[Relation] = Counter()
    for table in truth:
        want += relations(table)
    for table in ours:
        have += relations(table)
    return (want & have).total(), want.total(), have.total()


def f1(right: int, truth: int, ours: int) -> float:
    """Return the harmonic mean of precision and recall."""
    return 2 * right / (truth + ours) if truth + ours else 1.0
