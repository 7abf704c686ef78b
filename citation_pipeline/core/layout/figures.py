"""Figures: pictures, and charts drawn with strokes, with the words that are in them."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.lines import split_rows
from citation_pipeline.core.layout.marks import MOST_IN_MARKS
from citation_pipeline.core.layout.parts import Edges, Part, around_edges
from citation_pipeline.core.layout.sheets import Sheet

_SMALLEST = 18.0  # points; smaller pictures are bullets and icons
_BACKGROUND_SHARE = 0.6  # a picture over more of the page than this is a scan or a background
_NEAR = 14.0  # points between a chart and the labels of its axes
_AXIS_GAP = 8.0
_MOST_INK = 0.25  # a drawing among more words than this is an ornament of the text
_MOST_INK_GROWN = 0.1
_SMALLEST_CHART = 40.0
_MOST_PICTURES = 300  # a page of tiles or icons has no figure that could be told


def find_pictures(sheet: Sheet, signatures: Sequence[Part]) -> list[Part]:
    """Return the pictures of a page, strips of one picture joined; a scan behind the text is none.

    Strokes of a pen on a scan that are no signature are pictures: notes by hand, stamps.
    """
    kept: list[Edges] = []
    drawn = [sheet.drawings.images, sheet.drawings.scribbles] if sheet.recognized else [sheet.drawings.images]
    for left, top, right, bottom in np.concatenate(drawn).tolist():
        edges = (max(left, 0.0), max(top, 0.0), min(right, sheet.width), min(bottom, sheet.height))
        wide, tall = edges[2] - edges[0], edges[3] - edges[1]
        if wide < 2 or tall < 2 or wide * tall > _BACKGROUND_SHARE * sheet.width * sheet.height:
            continue
        if not any(_touch(edges, part.edges, 1.0) for part in signatures):
            kept.append(edges)
    if len(kept) > _MOST_PICTURES:
        return []
    return [
        Part("Figure", edges, ())
        for edges in _merge(kept, 1.0)
        if min(edges[2] - edges[0], edges[3] - edges[1]) >= (14.0 if sheet.recognized else _SMALLEST)
    ]


def find_marked(sheet: Sheet, free: NDArray[np.bool_]) -> Iterator[tuple[Edges, NDArray[np.bool_]]]:
    """Yield the marks of a scan in which words were guessed (stamps, notes by hand), with a mask of these."""
    if not sheet.recognized:
        return
    x, y = ((sheet.words.edges[:, :2] + sheet.words.edges[:, 2:]) / 2).T
    for left, top, right, bottom in sheet.drawings.scribbles.tolist():
        inside = free & (x > left) & (x < right) & (y > top) & (y < bottom)
        held = inside & (sheet.words.confidences <= MOST_IN_MARKS)
        if held.any() and held.sum() == inside.sum():
            yield (left, top, right, bottom), held


def find_charts(sheet: Sheet) -> list[tuple[Edges, NDArray[np.bool_]]]:
    """Return the areas drawn with slanted strokes and curves, each with a mask of the words in it.

    Pen strokes of a signature and marks in checkboxes are too small or too few to be a chart.
    """
    shapes = np.concatenate([sheet.drawings.diagonals, sheet.drawings.scribbles])
    if not len(shapes):
        return []
    wide, tall = shapes[:, 2] - shapes[:, 0], shapes[:, 3] - shapes[:, 1]
    shapes = shapes[
        (wide * tall < _BACKGROUND_SHARE * sheet.width * sheet.height) & (np.maximum(wide, tall) > 2)
    ]
    if len(shapes) > 4 * _MOST_PICTURES:
        shapes = shapes[:: len(shapes) // (2 * _MOST_PICTURES)]
    charts = []
    for area in _merge([(a, b, c, d) for a, b, c, d in shapes.tolist()], 8.0):
        held = _touching(shapes, area)
        if min(area[2] - area[0], area[3] - area[1]) < _SMALLEST_CHART or held < 3:
            continue
        # an axis first, then what crosses it; a table or a text that happens to touch is not let in
        for _ in range(2):
            wider = _with_axes(sheet, area)
            if _inked(sheet, wider, _words_in(sheet, wider)) < _MOST_INK_GROWN:
                area = wider
        inside = _words_in(sheet, area)
        if _inked(sheet, area, inside) < _MOST_INK:
            charts.append((area, inside))
    return charts


def _words_in(sheet: Sheet, area: Edges) -> NDArray[np.bool_]:
    edges = sheet.words.edges
    x, y = (edges[:, 0] + edges[:, 2]) / 2, (edges[:, 1] + edges[:, 3]) / 2
    inside: NDArray[np.bool_] = (
        (x > area[0] - 2 * _NEAR) & (x < area[2] + _NEAR) & (y > area[1] - 2) & (y < area[3] + _NEAR)
    )
    return inside


def _inked(sheet: Sheet, area: Edges, inside: NDArray[np.bool_]) -> float:
    """Return the share of an area that words cover."""
    wide, tall = (sheet.words.edges[inside, 2:] - sheet.words.edges[inside, :2]).T
    return float((wide * tall).sum()) / max((area[2] - area[0]) * (area[3] - area[1]), 1.0)


def _with_axes(sheet: Sheet, area: Edges) -> Edges:
    """Return a chart's area grown by the axes, grid lines, bars and frame that touch it."""
    frame = [area]
    for drawn in (sheet.drawings.fills, sheet.drawings.boxes, sheet.drawings.rulings):
        wide, tall = drawn[:, 2] - drawn[:, 0], drawn[:, 3] - drawn[:, 1]
        near = (
            (drawn[:, 0] <= area[2] + _AXIS_GAP)
            & (drawn[:, 2] >= area[0] - _AXIS_GAP)
            & (drawn[:, 1] <= area[3] + _AXIS_GAP)
            & (drawn[:, 3] >= area[1] - _AXIS_GAP)
            & (wide < max(1.5 * (area[2] - area[0]), 0.5 * sheet.width))
            & (tall < max(1.5 * (area[3] - area[1]), 0.35 * sheet.height))
        )
        frame.extend((a, b, c, d) for a, b, c, d in drawn[near].tolist())
    return around_edges(frame)


def chart_part(sheet: Sheet, area: Edges, inside: NDArray[np.bool_]) -> Part:
    """Return a chart as a part, its labels as lines."""
    rows = split_rows(sheet.words, np.flatnonzero(inside))
    pieces = [piece for row in rows for piece in row.pieces]
    edges = around_edges([area, *((p.left, p.top, p.right, p.bottom) for p in pieces)])
    return Part("Figure", edges, [piece.words for piece in pieces])


def _touching(shapes: NDArray[np.float64], area: Edges) -> int:
    return int(
        (
            (shapes[:, 0] <= area[2])
            & (shapes[:, 2] >= area[0])
            & (shapes[:, 1] <= area[3])
            & (shapes[:, 3] >= area[1])
        ).sum()
    )


def _merge(areas: Sequence[Edges], slack: float) -> list[Edges]:
    """Join areas that touch (within `slack` points) until none do."""
    merged: list[Edges] = []
    for area in areas:
        current = area
        while near := [other for other in merged if _touch(current, other, slack)]:
            merged = [other for other in merged if other not in near]
            current = around_edges([current, *near])
        merged.append(current)
    return merged


def _touch(a: Edges, b: Edges, slack: float) -> bool:
    return a[0] <= b[2] + slack and b[0] <= a[2] + slack and a[1] <= b[3] + slack and b[1] <= a[3] + slack
