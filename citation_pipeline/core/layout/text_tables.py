"""A table of words becomes a part: lines read row by row, cells as HTML, columns remembered."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.fields import read_words
from citation_pipeline.core.layout.parts import Part
from citation_pipeline.core.layout.sheets import Sheet
from citation_pipeline.core.layout.table_rows import TextTable
from citation_pipeline.core.layout.tables import CellDraft, write_html
from citation_pipeline.core.layout.totals import total_rows


def part_of_table(sheet: Sheet, table: TextTable) -> Part:
    """Return a table as a part; its words go cell by cell, and cells on one printed line share a line."""
    lines: list[NDArray[np.int64]] = []
    drafts: list[CellDraft] = []
    lefts = [float("inf")] * table.columns
    row, middle = -1, 0.0
    for cell in table.cells:
        for line in cell.lines:
            edges = sheet.words.edges[line].tolist()
            at = sum(edge[1] + edge[3] for edge in edges) / len(edges) / 2
            height = max(edge[3] - edge[1] for edge in edges)
            if lines and cell.row == row and abs(at - middle) < 0.4 * height:
                lines[-1] = np.concatenate([lines[-1], line])
            else:
                lines.append(line)
                middle = at
            row = cell.row
            if cell.colspan == 1:
                lefts[cell.column] = min(lefts[cell.column], *(edge[0] for edge in edges))
        words: Sequence[str] = [read_words(sheet, line) for line in cell.lines]
        drafts.append(
            CellDraft(
                cell.row,
                cell.column,
                cell.rowspan,
                cell.colspan,
                " ".join(words),
                cell.row < table.header_rows,
            )
        )
    return Part(
        type="Table",
        edges=table.edges,
        lines=lines,
        content=write_html(drafts, totals=total_rows(drafts)),
        columns=tuple(left for left in lefts if left != float("inf")),
        header_rows=table.header_rows,
    )
