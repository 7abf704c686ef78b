"""One page becomes blocks in reading order: boxed forms and tables first, then columns and paragraphs.

The steps live in their own modules; this one says in which order they get a page's words.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft
from citation_pipeline.core.layout.alignments import find_tables
from citation_pipeline.core.layout.boxed import read_grid
from citation_pipeline.core.layout.characters import to_paper
from citation_pipeline.core.layout.content import PageContent
from citation_pipeline.core.layout.fields import join_columns, join_labels, join_stretched, read_lines
from citation_pipeline.core.layout.figures import chart_part, find_charts, find_marked, find_pictures
from citation_pipeline.core.layout.grids import Grid, find_grids
from citation_pipeline.core.layout.labels import find_signatures, label_parts
from citation_pipeline.core.layout.lines import Piece, Row, split_rows
from citation_pipeline.core.layout.order import figure_bands, find_gutter, reading_order, split_bands
from citation_pipeline.core.layout.overlaps import words_across
from citation_pipeline.core.layout.paragraphs import group_paragraphs
from citation_pipeline.core.layout.parts import Edges, Part, around, around_edges
from citation_pipeline.core.layout.sheets import Sheet, prepare
from citation_pipeline.core.layout.strikes import find_strikes
from citation_pipeline.core.layout.text_tables import part_of_table

_FRAME_SHARE = 0.55  # a box around more of the page than this is its border

Group = tuple[Edges, list[Part]]
"""Parts that stay together in reading order, and the edges around them."""


def lay_out(page: PageContent) -> list[BlockDraft]:
    """Return the page's blocks in reading order; the same for words of a text layer and recognized ones."""
    sheet = prepare(page)
    return draft_blocks(sheet, page, find_parts(sheet))


def find_parts(sheet: Sheet) -> list[Part]:
    """Return a page's parts in reading order under their types."""
    words = sheet.words
    across = words_across(words)
    free = (words.turns == 0) & ~across
    groups: list[Group] = []
    for area, held in find_charts(sheet):
        held &= free
        part = chart_part(sheet, area, held)
        groups.append((part.edges, [part]))
        free &= ~held
    for area, held in find_marked(sheet, free):
        groups.append((area, [chart_part(sheet, area, held)]))
        free &= ~held
    for grid in find_grids(sheet.rules):
        inside = free & _within(words.edges, grid.edges)
        if not inside.any() or _is_border(sheet, grid, inside):
            continue
        free &= ~inside
        positions = np.flatnonzero(inside)
        if len(grid.cells) == 1 or grid.columns == 1 and not _is_stack(sheet, grid):
            parts = [part for _, kept in _region(sheet, positions) for part in kept]
            groups.append((grid.edges, parts))
        else:
            groups.extend(((part.edges, [part])) for part in read_grid(sheet, grid, positions))
    groups.extend(_region(sheet, np.flatnonzero(free)))
    groups.extend(_turned_parts(sheet, ~across))
    known = [part for _, parts in groups for part in parts]
    signatures = find_signatures(sheet, known)
    figures = [part for part in known if part.type == "Figure"] if sheet.recognized else []
    groups.extend(
        (part.edges, [part]) for part in [*signatures, *find_pictures(sheet, [*signatures, *figures])]
    )
    order = reading_order([edges for edges, _ in groups])
    # what is only drawn over words has no place among them
    over = [Part("Figure", around([piece]), [piece.words]) for piece in _pieces_across(sheet, across)]
    return [*label_parts(sheet, [part for i in order for part in groups[i][1]]), *over, *find_strikes(sheet)]


def _pieces_across(sheet: Sheet, across: NDArray[np.bool_]) -> list[Piece]:
    return [piece for row in split_rows(sheet.words, np.flatnonzero(across)) for piece in row.pieces]


def _is_stack(sheet: Sheet, grid: Grid) -> bool:
    """Tell whether the boxes of a grid of one column hold one piece a line: a form, not ruled rows."""
    positions = np.flatnonzero((sheet.words.turns == 0) & _within(sheet.words.edges, grid.edges))
    rows = split_rows(sheet.words, positions)
    return sum(len(row.pieces) > 1 for row in rows) < 0.4 * len(rows)


def _within(edges: NDArray[np.float64], area: Edges) -> NDArray[np.bool_]:
    x, y = (edges[:, 0] + edges[:, 2]) / 2, (edges[:, 1] + edges[:, 3]) / 2
    left, top, right, bottom = area
    inside: NDArray[np.bool_] = (x >= left - 1) & (x <= right + 1) & (y >= top - 1) & (y <= bottom + 1)
    return inside


def _is_border(sheet: Sheet, grid: Grid, inside: NDArray[np.bool_]) -> bool:
    """Tell whether a grid only frames the page: nearly all words are in one large cell of it."""
    largest = max(grid.cells, key=lambda c: (c.edges[2] - c.edges[0]) * (c.edges[3] - c.edges[1]))
    left, top, right, bottom = largest.edges
    if (right - left) * (bottom - top) < _FRAME_SHARE * sheet.width * sheet.height:
        return False
    held = int(_within(sheet.words.edges, largest.edges).sum())
    return held > 0.6 * int(inside.sum())


def _region(sheet: Sheet, positions: NDArray[np.int64]) -> list[Group]:
    """Return the groups of an area without a grid, in reading order."""
    if not len(positions):
        return []
    rows = split_rows(sheet.words, positions)
    pieces = [piece for row in rows for piece in row.pieces]
    gutter = find_gutter(pieces, width=sheet.width)
    if gutter is None:
        return _column(sheet, rows)
    spans = [*_crossing_rules(sheet, gutter, pieces), *figure_bands(sheet.words, rows, gutter)]
    groups: list[Group] = []
    for has_columns, band in split_bands(pieces, gutter, spans):
        sides = [band]
        if has_columns:
            middle = [(piece.left + piece.right) / 2 for piece in band]
            sides = [
                [piece for piece, x in zip(band, middle, strict=True) if x < gutter],
                [piece for piece, x in zip(band, middle, strict=True) if x >= gutter],
            ]
        inner: list[Part] = []
        for side in sides:
            if not side:
                continue
            members = np.concatenate([piece.words for piece in side])
            found = (
                _region(sheet, members)
                if has_columns and len(members) < len(positions)
                else _column(sheet, split_rows(sheet.words, members))
            )
            inner.extend(part for _, parts in found for part in parts)
        if inner:
            groups.append((around_edges([part.edges for part in inner]), inner))
    return groups


def _crossing_rules(sheet: Sheet, gutter: float, pieces: Sequence[Piece]) -> list[tuple[float, float]]:
    """Return the y-range between long rules over the gutter: a table as wide as both columns."""
    across = sheet.rules.across
    over = across[
        (across[:, 1] < gutter - 40)
        & (across[:, 2] > gutter + 40)
        & (across[:, 2] - across[:, 1] > 0.5 * sheet.width)
    ]
    if len(over) < 2:
        return []
    top, bottom = float(over[:, 0].min()), float(over[:, 0].max())
    height = max(piece.bottom for piece in pieces) - min(piece.top for piece in pieces)
    return [(top, bottom)] if bottom - top < 0.6 * height else []


def _column(sheet: Sheet, rows: Sequence[Row]) -> list[Group]:
    """Return the tables and paragraphs of one column, in reading order."""
    tables = find_tables(sheet.words, rows, sheet.rules)
    parts = [part_of_table(sheet, table) for table in tables]
    taken = np.zeros(len(sheet.words), np.bool_)
    for part in parts:
        for line in part.lines:
            taken[line] = True
    free = [[piece for piece in row if not taken[piece.words[0]]] for row in join_stretched(rows)]
    rest = join_columns(sheet, [join_labels(sheet, row) for row in free if row])
    if rest:
        parts.extend(group_paragraphs(sheet, rest))
    order = reading_order([part.edges for part in parts])
    return [(parts[i].edges, [parts[i]]) for i in order]


def _turned_parts(sheet: Sheet, free: NDArray[np.bool_]) -> list[Group]:
    """Return words that read across the page's direction (margins, axes): one part a direction and column."""
    groups: list[Group] = []
    for turns in (1, 2, 3):
        at = np.flatnonzero((sheet.words.turns == turns) & free)
        if not len(at):
            continue
        edges = sheet.words.edges[at]
        # text that runs down is read down, text that runs up is read up
        key = {1: edges[:, 1], 2: -edges[:, 0], 3: -edges[:, 3]}[turns]
        line = edges[:, 0] if turns != 2 else -edges[:, 1]
        order = at[np.lexsort((key, np.round(line / 6)))]
        sorted_line = np.sort(np.round(line / 6))
        for part in np.split(order, np.flatnonzero(np.diff(sorted_line) > 2) + 1):
            box = sheet.words.edges[part]
            around = (box[:, 0].min(), box[:, 1].min(), box[:, 2].max(), box[:, 3].max())
            area: Edges = (float(around[0]), float(around[1]), float(around[2]), float(around[3]))
            # no size: what reads across the page is never its heading
            groups.append((area, [Part("Text", area, [part])]))
    return groups


def draft_blocks(sheet: Sheet, page: PageContent, parts: Sequence[Part]) -> list[BlockDraft]:
    """Return parts as block drafts in the page frame; boxes that were only drawn are no words."""
    scale = np.array([page.width_pt, page.height_pt] * 2)
    frame = np.clip(sheet.paper_edges / scale, 0.0, 1.0)
    frame[:, 2:] = np.maximum(frame[:, 2:] - frame[:, :2], 0.0)
    frames, known = frame.tolist(), sheet.words.confidences.tolist()
    return [_draft_block(sheet, page, part, frames, known) for part in parts]


def _draft_block(
    sheet: Sheet, page: PageContent, part: Part, frames: Sequence[list[float]], known: Sequence[float]
) -> BlockDraft:
    texts, printed = sheet.words.texts, sheet.printed
    drawn = not sheet.is_plain
    lines: list[list[tuple[str, Box]]] = []
    confidences: list[list[float]] = []
    seconds: dict[tuple[int, int], str] = {}
    for line in part.lines:
        kept: list[int] = (line[printed[line]] if drawn else line).tolist()
        if not kept:
            continue
        for position, at in enumerate(kept if sheet.words.second_readings else ()):
            if at in sheet.words.second_readings:
                seconds[len(lines), position] = sheet.words.second_readings[at]
        lines.append([(texts[at], Box(*frames[at])) for at in kept])
        confidences.append([known[at] for at in kept])
    box = None
    if not lines:
        edges = np.array([part.edges])
        if sheet.turns:
            edges = to_paper(edges, sheet.turns, width=page.width_pt, height=page.height_pt)
        a, b, c, d = np.clip(edges[0] / np.array([page.width_pt, page.height_pt] * 2), 0.0, 1.0).tolist()
        box = Box(a, b, max(c - a, 0.0), max(d - b, 0.0))
    content = part.content if part.content is not None else read_lines(sheet, part.lines)
    return BlockDraft(
        page=page.number,
        type=part.type,
        lines=lines,
        box=box,
        content=content,
        confidences=confidences,
        second_readings=seconds,
    )
