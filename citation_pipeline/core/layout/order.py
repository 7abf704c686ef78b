"""Reading order: columns of prose first, then parts side by side or one below the other.

Pure geometry on edges; what the parts are does not matter here.
"""

from collections.abc import Sequence

import numpy as np

from citation_pipeline.core.layout.content import PageWords
from citation_pipeline.core.layout.lines import Piece, Row
from citation_pipeline.core.layout.parts import Edges
from citation_pipeline.core.layout.table_rows import is_figure

_PROSE_WORDS = 4  # a piece of fewer words may be a cell, a label or a caption
_FEWEST_SHARED = 3  # rows with figures on both sides are a table
_MOST_PARTS = 1500  # beyond that a page is a map, and its order is from the top


def find_gutter(pieces: Sequence[Piece], *, width: float) -> float | None:
    """Return the x between two columns of prose, or None when the pieces are in one column.

    `width` is the page's, in points.
    """
    prose = [p for p in pieces if len(p.words) >= _PROSE_WORDS and p.width < 0.7 * width]
    if len(prose) < 8:
        return None
    # For every x, in steps of a point: how much prose ends left of it and begins right of it, the smaller of
    # both, less what is printed across it. Two columns have their best x between them; one column has none,
    # as everything in it is printed across
    left = min(p.left for p in prose)
    bins = int(max(p.right for p in prose) - left) + 3
    begins, ends, cover = np.zeros(bins), np.zeros(bins), np.zeros(bins + 1)
    for p in prose:
        a, b = int(p.left - left), int(p.right - left) + 1
        begins[a] += 1
        ends[b] += 1
    for p in pieces:
        a, b = int(max(p.left - left, 0)), int(max(p.right - left, 0)) + 1
        cover[min(a + 1, bins)] += 1
        cover[min(b, bins)] -= 1
    before, after = np.cumsum(ends), begins.sum() - np.cumsum(begins)
    value = np.minimum(before, after) - 0.6 * np.cumsum(cover)[:bins]
    best = float(value.max())
    if best < 4:
        return None
    # an empty gutter is as good at each of its points: its middle is taken
    at = np.flatnonzero(value >= best - 0.01)
    x = left + float((at[0] + at[-1]) / 2)
    lefts = [p for p in prose if p.right <= x + 1]
    rights = [p for p in prose if p.left >= x - 1]
    if not lefts or not rights:
        return None
    overlap = min(max(p.bottom for p in lefts), max(p.bottom for p in rights)) - max(
        min(p.top for p in lefts), min(p.top for p in rights)
    )
    # columns fill their width with lines; the texts of a table's columns are short and ragged
    full = np.median([p.width for p in lefts]) > 0.55 * max(p.width for p in lefts) and np.median(
        [p.width for p in rights]
    ) > 0.55 * max(p.width for p in rights)
    return x if overlap > 3 * prose[0].size and full else None


def figure_bands(words: PageWords, rows: Sequence[Row], gutter: float) -> list[tuple[float, float]]:
    """Return the y-ranges of rows that have figures on both sides of a gutter: tables as wide as both sides.

    Payees and descriptions of a ledger are as long as lines of prose, and look like two columns of it.
    """
    shared = [_has_figures_across(words, row, gutter) for row in rows]
    bands: list[tuple[float, float]] = []
    at = 0
    while at < len(rows):
        if not shared[at]:
            at += 1
            continue
        end = at + 1
        # a row without figures on one side is let pass: a group's name, a total
        while end < len(rows) and (shared[end] or end + 1 < len(rows) and shared[end + 1]):
            end += 1
        if sum(shared[at:end]) >= _FEWEST_SHARED:
            first = at
            while first and _names_columns(rows[first - 1], rows[first], gutter):
                first -= 1
            while end < len(rows) and rows[end].top - rows[end - 1].bottom < 1.3 * rows[end].size:
                end += 1
            bands.append((rows[first].top - 1, rows[end - 1].bottom + 1))
        at = end
    return bands


def _has_figures_across(words: PageWords, row: Row, gutter: float) -> bool:
    sides = {piece.left < gutter for piece in row.pieces if is_figure(words.texts[int(piece.words[0])])}
    return len(row.pieces) > 3 and len(sides) == 2


def _names_columns(row: Row, below: Row, gutter: float) -> bool:
    """Tell whether a row right above figures has pieces on both sides: the names of the columns."""
    near = below.top - row.bottom < 2 * max(row.size, below.size)
    return near and len(row.pieces) > 2 and row.left < gutter < row.right


def split_bands(
    pieces: Sequence[Piece], gutter: float, spans: Sequence[tuple[float, float]]
) -> list[tuple[bool, list[Piece]]]:
    """Cut a page with two columns into bands from the top: (has columns, pieces).

    A piece over the gutter, or within one of the y-ranges `spans`, belongs to a band across both columns.
    """
    bands: list[tuple[bool, list[Piece]]] = []
    for piece in sorted(pieces, key=lambda p: p.top):
        middle = (piece.top + piece.bottom) / 2
        across = piece.left < gutter - 2 and piece.right > gutter + 2
        across = across or any(top <= middle <= bottom for top, bottom in spans)
        if bands and bands[-1][0] == (not across):
            bands[-1][1].append(piece)
        else:
            bands.append((not across, [piece]))
    return bands


def reading_order(edges: Sequence[Edges]) -> list[int]:
    """Return positions of parts in reading order: cut at empty rows, then at empty columns, and again."""
    if len(edges) > _MOST_PARTS:
        return sorted(range(len(edges)), key=lambda i: (edges[i][1], edges[i][0]))
    return _cut(list(range(len(edges))), edges)


def _cut(parts: list[int], edges: Sequence[Edges]) -> list[int]:
    # the XY-cut: a page is read in stripes from the top, a stripe in columns from the left, and so on inside
    # each. Rows are tried first, so that a heading over two columns comes before both
    if len(parts) < 2:
        return parts
    for axis, slack in ((1, 0.0), (0, 2.0)):
        groups = _split(parts, edges, axis, slack)
        if len(groups) > 1:
            return [part for group in groups for part in _cut(group, edges)]
    # nothing parts them (an L-shape): what begins highest goes first, then the rest is cut again
    first = min(parts, key=lambda i: (edges[i][1], edges[i][0]))
    return [first, *_cut([part for part in parts if part != first], edges)]


def _split(parts: list[int], edges: Sequence[Edges], axis: int, slack: float) -> list[list[int]]:
    """Group parts whose extents overlap along an axis (0 x, 1 y); groups come in order."""
    ordered = sorted(parts, key=lambda i: edges[i][axis])
    groups: list[list[int]] = [[ordered[0]]]
    end = edges[ordered[0]][axis + 2]
    for part in ordered[1:]:
        # boxes are as high as the font, so lines that are close overlap by a little
        overlap = 0.25 * (edges[part][3] - edges[part][1]) if axis == 1 else -slack
        if edges[part][axis] >= end - min(overlap, 3.0):
            groups.append([part])
        else:
            groups[-1].append(part)
        end = max(end, edges[part][axis + 2])
    return groups
