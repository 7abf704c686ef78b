"""A ruled grid with words becomes a table or the boxes of a form."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.fields import label_lines, label_size, read_lines, write_cell
from citation_pipeline.core.layout.grids import Grid, GridCell
from citation_pipeline.core.layout.lines import split_pieces, split_rows
from citation_pipeline.core.layout.parts import Part
from citation_pipeline.core.layout.sheets import Sheet
from citation_pipeline.core.layout.stacked_rows import split_stacked_rows
from citation_pipeline.core.layout.table_rows import TextCell, TextTable
from citation_pipeline.core.layout.text_tables import part_of_table

_FORM_SHARE = 0.55  # more of the filled boxes than this name their own value


def read_grid(sheet: Sheet, grid: Grid, positions: NDArray[np.int64]) -> list[Part]:
    """Return the parts of a grid whose words are at `positions`: one table, or the boxes of a form."""
    homes = _homes(sheet, grid, positions)
    lines = [
        [row.words for printed in split_rows(sheet.words, held, gap=1e9) for row in printed.pieces]
        if len(held)
        else []
        for held in homes
    ]
    if _is_form(sheet, grid, lines):
        small = label_size(sheet, lines)
        return [_box(sheet, cell, held, small) for cell, held in zip(grid.cells, lines, strict=True) if held]
    filled = [i for i, held in enumerate(lines) if held]
    if len(filled) == 1 or grid.rows * grid.columns == 1:
        return [_box(sheet, grid.cells[i], lines[i], 0.0) for i in filled]
    table = _table(sheet, grid, lines)
    return [part_of_table(sheet, table)]


def _homes(sheet: Sheet, grid: Grid, positions: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return for each cell the positions of the words whose middle it holds."""
    edges = sheet.words.edges[positions]
    x, y = (edges[:, 0] + edges[:, 2]) / 2, (edges[:, 1] + edges[:, 3]) / 2
    free = np.ones(len(positions), np.bool_)
    homes = []
    for cell in grid.cells:
        left, top, right, bottom = cell.edges
        inside = free & (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
        free &= ~inside
        homes.append(positions[inside])
    if free.any():  # on a rule, or outside by a hair
        centres = np.array(
            [((c.edges[0] + c.edges[2]) / 2, (c.edges[1] + c.edges[3]) / 2) for c in grid.cells]
        )
        reach = np.array([((c.edges[2] - c.edges[0]) / 2, (c.edges[3] - c.edges[1]) / 2) for c in grid.cells])
        for i in np.flatnonzero(free).tolist():
            away = np.maximum(np.abs(centres - (x[i], y[i])) - reach, 0).sum(axis=1)
            home = int(away.argmin())
            homes[home] = np.append(homes[home], positions[i])
    return homes


def _is_form(sheet: Sheet, grid: Grid, lines: Sequence[Sequence[NDArray[np.int64]]]) -> bool:
    """Tell whether most filled boxes hold a label of their own, as no cell of a table does."""
    filled = [held for held in lines if held]
    labelled = sum(label_lines(sheet, held) is not None for held in filled)
    if labelled < _FORM_SHARE * len(filled):
        return False
    # a table whose only column of text has colons is still a table when its rows are alike
    return labelled >= 2 or len(filled) <= 3


def _box(sheet: Sheet, cell: GridCell, lines: Sequence[NDArray[np.int64]], small: float) -> Part:
    content = write_cell(sheet, lines, label_size=small)
    positions = np.concatenate(lines)
    return Part(
        type="Key Value" if content is not None else "Text",
        edges=cell.edges,
        lines=lines,
        content=content if content is not None else read_lines(sheet, lines),
        size=float(np.median(sheet.words.sizes[positions])),
        bold=bool(sheet.words.bold[positions].all()),
    )


def _table(sheet: Sheet, grid: Grid, lines: Sequence[Sequence[NDArray[np.int64]]]) -> TextTable:
    cells = [
        TextCell(cell.row, cell.column, cell.rowspan, cell.colspan, tuple(held))
        for cell, held in zip(grid.cells, lines, strict=True)
    ]
    cells = _split_open_cells(sheet, grid, cells)
    cells = split_stacked_rows(sheet.words, cells, sheet.rules, grid.stops)
    cells, rows, columns = _without_blank_tracks(cells)
    return TextTable(rows, columns, tuple(cells), _header_rows(sheet, cells, rows), grid.edges)


def _split_open_cells(sheet: Sheet, grid: Grid, cells: Sequence[TextCell]) -> list[TextCell]:
    """Split cells that no vertical parts where the columns of other rows fall into gaps of their print."""
    found: list[TextCell] = []
    for cell in cells:
        stops = grid.stops[cell.column + 1 : cell.column + cell.colspan]
        pieces = [piece for line in cell.lines for piece in split_pieces(sheet.words, line)]
        free = [
            cell.column + 1 + i
            for i, stop in enumerate(stops)
            if not any(piece.left < stop - 1 and piece.right > stop + 1 for piece in pieces)
        ]
        # a heading over several columns has print on one side only
        cuts = [
            stop
            for stop in free
            if any(piece.right <= grid.stops[stop] + 1 for piece in pieces)
            and any(piece.left >= grid.stops[stop] - 1 for piece in pieces)
        ]
        if not cuts or not any(len(split_pieces(sheet.words, line)) > 1 for line in cell.lines):
            found.append(cell)
            continue
        bounds = [cell.column, *free, cell.column + cell.colspan]
        for start, end in zip(bounds, bounds[1:], strict=False):
            left, right = grid.stops[start] - 1, grid.stops[end] + 1
            lines = []
            for line in cell.lines:
                edges = sheet.words.edges[line]
                middle = (edges[:, 0] + edges[:, 2]) / 2
                part = line[(middle >= left) & (middle <= right)]
                if len(part):
                    lines.append(part)
            found.append(TextCell(cell.row, start, cell.rowspan, end - start, tuple(lines)))
    return found


def _without_blank_tracks(cells: Sequence[TextCell]) -> tuple[list[TextCell], int, int]:
    """Drop rows and columns that hold nothing: the room between double rules."""
    rows = sorted({cell.row for cell in cells if cell.lines})
    columns = sorted({cell.column for cell in cells if cell.lines})
    kept = []
    for cell in cells:
        down = [i for i, row in enumerate(rows) if cell.row <= row < cell.row + cell.rowspan]
        across = [i for i, column in enumerate(columns) if cell.column <= column < cell.column + cell.colspan]
        if down and across:
            kept.append(TextCell(down[0], across[0], len(down), len(across), cell.lines))
    kept.sort(key=lambda cell: (cell.row, cell.column))
    return kept, len(rows), len(columns)


def _header_rows(sheet: Sheet, cells: Sequence[TextCell], rows: int) -> int:
    """Count the rows at the top that are printed bold, or spanned over the columns they name."""
    count = 0
    for row in range(min(rows, 4)):
        held = [cell for cell in cells if cell.row == row and cell.lines]
        is_bold = bool(held) and all(sheet.words.bold[line].all() for cell in held for line in cell.lines)
        spans = any(cell.colspan > 1 for cell in held) and len(held) > 1 and row == count
        if not (is_bold or spans) or (row + 1 == rows):
            break
        count = row + 1
    if count == 0 and rows > 2 and _names_columns(sheet, cells):
        return 1
    return count


def _names_columns(sheet: Sheet, cells: Sequence[TextCell]) -> bool:
    """Tell whether the first row has no digits while the second has."""

    def digits(row: int) -> int:
        return sum(
            any(c.isdigit() for c in sheet.words.texts[i])
            for cell in cells
            if cell.row == row
            for line in cell.lines
            for i in line.tolist()
        )

    return digits(0) == 0 and digits(1) > 0
