"""What a page draws besides text: rules, frames, fills, pictures, strokes; in the paper frame.

Only geometry: whether a frame is a table cell or a checkbox is decided in `core.layout`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pypdfium2.raw as raw

from citation_pipeline.adapters.pdfium.calls import (
    Object,
    draw_mode,
    form_objects,
    is_white,
    object_bounds,
    object_matrix,
    page_objects,
    path_segments,
    segment_count,
    stroke_width,
)
from citation_pipeline.adapters.pdfium.covers import Bounds, Covers
from citation_pipeline.adapters.pdfium.outlines import curve_points
from citation_pipeline.adapters.pdfium.paper import Paper
from citation_pipeline.core.layout.content import NO_EDGES, Drawings, EdgeArray

_THIN = 2.2  # points; table rules are drawn up to two points wide
_THICKEST = 6.0  # points; a wider line is the ground that words are set on: a bar of a heading
# maps and charts draw tens of thousands of paths, none of which frames a cell
_MAX_OBJECTS = 12_000
_MAX_SEGMENTS = 4_000
_MAX_DEPTH = 6
_DOT = 12.0  # points
_MOST_STROKES = 200  # of a pen; more is a drawing
_STEPS = 6  # straight pieces of a curve
_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Matrix = tuple[float, float, float, float, float, float]


@dataclass(slots=True)
class _Shapes:
    """Bounds in PDF space (left, bottom, right, top), sorted by what they may be."""

    rulings: list[Bounds] = field(default_factory=list)
    boxes: list[Bounds] = field(default_factory=list)
    fills: list[Bounds] = field(default_factory=list)
    images: list[Bounds] = field(default_factory=list)
    scribbles: list[Bounds] = field(default_factory=list)
    diagonals: list[Bounds] = field(default_factory=list)
    strokes: list[list[tuple[float, float]]] = field(default_factory=list)


def read_drawings(page: raw.FPDF_PAGE, paper: Paper) -> tuple[Drawings, Covers]:
    """Return what the page draws, clipped to nothing (layout ignores what lies off the page), and what of it
    may hide text."""
    shapes, covers = _Shapes(), Covers()
    objects = page_objects(page, _MAX_OBJECTS)
    if len(objects) < _MAX_OBJECTS:
        covers.objects = objects
    for order, item, kind, matrix in _objects(objects):
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            shapes.images.append(_bounds(item, matrix))
            covers.add_picture(shapes.images[-1], item)
        elif kind == raw.FPDF_PAGEOBJ_SHADING:
            shapes.fills.append(_bounds(item, matrix))
            covers.add(shapes.fills[-1])
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            _sort_path(item, matrix, shapes, covers, order)
    drawings = Drawings(
        rulings=_edges(shapes.rulings, paper),
        boxes=_edges(shapes.boxes, paper),
        fills=_edges(shapes.fills, paper),
        images=_edges(shapes.images, paper),
        scribbles=_edges(shapes.scribbles, paper),
        diagonals=_edges(shapes.diagonals, paper),
        strokes=[
            np.array([paper.point(x, y) for x, y in points], np.float64)
            for points in shapes.strokes
            if all(math.isfinite(x) and math.isfinite(y) for x, y in points)
        ]
        if len(shapes.strokes) <= _MOST_STROKES
        else (),
    )
    return drawings, covers


def _edges(found: list[Bounds], paper: Paper) -> EdgeArray:
    if not found:
        return NO_EDGES
    edges = paper.from_pdf(np.array(found, np.float64).reshape(-1, 4))
    return edges[np.isfinite(edges).all(axis=1)]


def _objects(objects: Sequence[Object]) -> Iterator[tuple[int, int, int, Matrix]]:
    """Yield the addresses of the page's objects with their kind, those inside form XObjects included.

    The first number says when an object, or the form that it is in, is drawn.
    """
    budget = _MAX_OBJECTS
    for index, (item, kind) in enumerate(objects):
        if kind == raw.FPDF_PAGEOBJ_FORM:
            for inner in _inside(item, _IDENTITY, 1):
                budget -= 1
                if budget < 0:
                    return
                yield index, *inner
        elif kind != raw.FPDF_PAGEOBJ_TEXT:
            yield index, item, kind, _IDENTITY


def _inside(form: int, outer: Matrix, depth: int) -> Iterator[tuple[int, int, Matrix]]:
    matrix = _product(object_matrix(form) or _IDENTITY, outer)
    for item, kind in form_objects(form, _MAX_OBJECTS):
        if kind == raw.FPDF_PAGEOBJ_FORM:
            if depth < _MAX_DEPTH:
                yield from _inside(item, matrix, depth + 1)
        elif kind != raw.FPDF_PAGEOBJ_TEXT:
            yield item, kind, matrix


def _product(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )


def _apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    return matrix[0] * x + matrix[2] * y + matrix[4], matrix[1] * x + matrix[3] * y + matrix[5]


def _bounds(item: int, matrix: Matrix) -> Bounds:
    found = object_bounds(item)
    if matrix is _IDENTITY:
        return found
    return _around([_apply(matrix, x, y) for x in found[::2] for y in found[1::2]])


def _around(points: list[tuple[float, float]]) -> Bounds:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _is_thin(bounds: Bounds) -> bool:
    return bounds[2] - bounds[0] <= _THIN or bounds[3] - bounds[1] <= _THIN


def _widened(bounds: Bounds, by: float) -> Bounds:
    """Return the bounds of a straight line with its width: PDFium gives those of the path alone."""
    left, bottom, right, top = bounds
    if right - left > top - bottom:
        return left, bottom - by, right, top + by
    return left - by, bottom, right + by, top


def _sort_path(item: int, matrix: Matrix, shapes: _Shapes, covers: Covers, order: int) -> None:
    filled, stroked = draw_mode(item)
    if not filled and not stroked:
        return  # only clips
    bounds = _bounds(item, matrix)
    if _is_thin(bounds):
        shapes.rulings.append(bounds)
        if stroked and (wide := stroke_width(item)) > _THIN:
            covers.add(_widened(bounds, wide / 2), order)
        return
    if filled:
        covers.add(bounds, order)
    if not stroked and is_white(item):
        return  # paper over paper
    segments = segment_count(item)
    if segments > _MAX_SEGMENTS:
        shapes.scribbles.append(bounds)
        return
    if segments > 6 and max(bounds[2] - bounds[0], bounds[3] - bounds[1]) < _DOT:
        shapes.diagonals.append(bounds)  # a dot of a chart or a letter drawn as a curve: no frame, no rule
        return
    wide = stroke_width(item) if stroked else 0.0
    for points, curved, kinds in _subpaths(item, segments, matrix):
        if stroked and len(shapes.strokes) <= _MOST_STROKES and (curved or not _is_square(points)):
            shapes.strokes.append(_drawn(points, kinds) if curved else points)
        if wide > _THICKEST and not curved and _is_thin(_around(points)):
            shapes.fills.append(_widened(_around(points), wide / 2))
            continue
        _sort_shape(points, curved=curved, stroked=stroked, filled=filled, shapes=shapes)


def _subpaths(
    item: int, segments: int, outer: Matrix
) -> Iterator[tuple[list[tuple[float, float]], bool, list[int]]]:
    """Yield the points of each part of a path (of curves, those that bend them too), whether it has curves,
    and the kind of each point."""
    a, b, c, d, e, f = _product(object_matrix(item) or _IDENTITY, outer)
    points: list[tuple[float, float]] = []
    kinds: list[int] = []
    curved = False
    for kind, x, y, closes in path_segments(item, segments):
        if kind == raw.FPDF_SEGMENT_MOVETO:
            if len(points) > 1:
                yield points, curved, kinds
            points, curved, kinds = [], False, []
        elif kind == raw.FPDF_SEGMENT_BEZIERTO:
            curved = True
        points.append((a * x + c * y + e, b * x + d * y + f))
        kinds.append(kind)
        if closes and len(points) > 1:
            points.append(points[0])
            kinds.append(raw.FPDF_SEGMENT_LINETO)
    if len(points) > 1:
        yield points, curved, kinds


def _drawn(points: list[tuple[float, float]], kinds: list[int]) -> list[tuple[float, float]]:
    """Return points on a line with curves, instead of those that bend it."""
    drawn = points[:1]
    at = 1
    while at < len(points):
        if kinds[at] != raw.FPDF_SEGMENT_BEZIERTO or at + 2 >= len(points):
            drawn.append(points[at])
            at += 1
            continue
        drawn.extend(curve_points(drawn[-1], points[at : at + 3], _STEPS))
        at += 3
    return drawn


def _is_square(points: Sequence[tuple[float, float]]) -> bool:
    """Tell whether a line only goes across and down."""
    return all(abs(a[0] - b[0]) < 1 or abs(a[1] - b[1]) < 1 for a, b in zip(points, points[1:], strict=False))


def _sort_shape(
    points: list[tuple[float, float]], *, curved: bool, stroked: bool, filled: bool, shapes: _Shapes
) -> None:
    bounds = _around(points)
    if curved:
        # a curve drawn with a pen may be handwriting; a filled one is a letter or part of a picture
        (shapes.diagonals if filled else shapes.scribbles).append(bounds)
        return
    if _is_thin(bounds):
        shapes.rulings.append(bounds)
        return
    steps = list(zip(points, points[1:], strict=False))
    if _is_square(points):
        if len(steps) in (3, 4, 5):
            if stroked:
                shapes.boxes.append(bounds)
            if filled:
                shapes.fills.append(bounds)
            if len(steps) > 3:
                return
        if stroked:
            shapes.rulings.extend(_around([a, b]) for a, b in steps)
        return
    shapes.diagonals.append(bounds)
