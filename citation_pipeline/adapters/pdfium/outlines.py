"""What the outlines of a font's figures show, against what the file says that they are.

A PDF draws a glyph and says, apart from it, which character that is; the two may differ (3 drawn, 8 said).
PDFium finds the glyph of a character by what the file says, so its outline shows whether that is true. It is
compared with the figures of fonts that every PDF program has.
"""

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.calls import Segment, glyph_segments

_ROWS, _COLUMNS = 16, 12  # of the grid that an outline is laid on
_STEPS = 4  # straight pieces of a curve
_MOST_SEGMENTS = 400  # more is an ornament, which looks like no figure
_WIDTH_WEIGHT = 0.35  # of the dots, that a figure narrower by its height counts for
_FACES = (
    b"Helvetica",
    b"Helvetica-Bold",
    b"Helvetica-Oblique",
    b"Times-Roman",
    b"Times-Bold",
    b"Times-Italic",
    b"Courier",
    b"Courier-Bold",
)
_CLEARLY, _LIKE = 0.7, 0.25
"""A figure is another one where its distance to that is so small a part of the distance to what it is said to
be, and so small a share of the dots."""

_STRETCHED = (1.0, 1.25)  # a narrow font's figures are seen as if they were wider, too

FIGURES = "0123456789"

Shape = tuple[NDArray[np.bool_], float]
"""Which dots of the grid an outline covers, and its width as a share of its height."""


def shows_another(font: int, code: int) -> bool:
    """Tell whether the glyph that the font at an address has for a figure is clearly another figure."""
    segments = glyph_segments(font, code, _MOST_SEGMENTS)
    return bool(segments) and nearest_figure(segments, chr(code)) != chr(code)


def reach_of(font: int, code: int) -> tuple[float, float, float, float] | None:
    """Return the left edge, width, low edge and height of a font's glyph, as shares of the size."""
    segments = glyph_segments(font, code, _MOST_SEGMENTS)
    if not segments:
        return None
    xs, ys = [x for _, x, _, _ in segments], [y for _, _, y, _ in segments]
    return min(xs), max(xs) - min(xs), min(ys), max(ys) - min(ys)


@lru_cache(maxsize=4096)
def nearest_figure(segments: tuple[Segment, ...], said: str) -> str:
    """Return the figure that an outline clearly shows, `said` where it may be that one or is none at all."""
    shape = shape_of(segments)
    if shape is None:
        return said
    covered, wide = shape
    known, widths = _known_figures()
    differing = (known != covered).mean(axis=(2, 3))
    found = set()
    for stretch in _STRETCHED:
        away = (differing + _WIDTH_WEIGHT * np.abs(widths - wide * stretch)).min(axis=1)
        nearest, own = int(away.argmin()), FIGURES.index(said)
        found.add(FIGURES[nearest] if away[nearest] < min(_CLEARLY * away[own], _LIKE) else said)
    return found.pop() if len(found) == 1 else said


@cache
def _known_figures() -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return what each figure covers in each font that the library brings, and its width by its height."""
    document = raw.FPDF_CreateNewDocument()
    covered = np.zeros((len(FIGURES), len(_FACES), _ROWS, _COLUMNS), np.bool_)
    widths = np.full((len(FIGURES), len(_FACES)), np.inf)
    try:
        for column, face in enumerate(_FACES):
            font = raw.FPDFText_LoadStandardFont(document, face)
            for row, figure in enumerate(FIGURES):
                shape = shape_of(glyph_segments(ctypes.addressof(font.contents), ord(figure), _MOST_SEGMENTS))
                if shape is not None:
                    covered[row, column], widths[row, column] = shape
            raw.FPDFFont_Close(font)
    finally:
        raw.FPDF_CloseDocument(document)
    return covered, widths


def shape_of(segments: Sequence[Segment]) -> Shape | None:
    """Return what an outline covers of the grid that its own edges span; None where it covers nothing."""
    lines = np.array(list(_lines(segments)), np.float64).reshape(-1, 4)
    if not len(lines):
        return None
    left, right = lines[:, ::2].min(), lines[:, ::2].max()
    low, high = lines[:, 1::2].min(), lines[:, 1::2].max()
    if right - left <= 0 or high - low <= 0:
        return None
    x0, y0, x1, y1 = lines.T
    y = low + (high - low) * (np.arange(_ROWS)[:, None] + 0.5) / _ROWS
    row, edge = np.nonzero((y0 <= y) != (y1 <= y))
    across = x0[edge] + (y[row, 0] - y0[edge]) * (x1[edge] - x0[edge]) / (y1[edge] - y0[edge])
    column = np.ceil((across - left) / (right - left) * _COLUMNS - 0.5).astype(np.int64)
    windings = np.zeros((_ROWS, _COLUMNS + 1), np.int64)
    np.add.at(windings, (row, np.clip(column, 0, _COLUMNS)), np.where(y1[edge] > y0[edge], 1, -1))
    covered: NDArray[np.bool_] = windings.cumsum(axis=1)[:, :_COLUMNS] != 0
    return covered, float((right - left) / (high - low))


def _lines(segments: Sequence[Segment]) -> Iterator[tuple[float, float, float, float]]:
    """Yield the straight lines of an outline, its curves in a few of them, every part of it closed."""
    start = at = (0.0, 0.0)
    curve: list[tuple[float, float]] = []
    for kind, x, y, closes in segments:
        if kind == raw.FPDF_SEGMENT_MOVETO:
            if at != start:
                yield (*at, *start)
            start = at = (x, y)
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield (*at, x, y)
            at = (x, y)
        else:
            curve.append((x, y))
            if len(curve) == 3:
                for point in curve_points(at, curve, _STEPS):
                    yield (*at, *point)
                    at = point
                curve = []
        if closes and at != start and not curve:
            yield (*at, *start)
            at = start
    if at != start:
        yield (*at, *start)


def curve_points(
    start: tuple[float, float], curve: Sequence[tuple[float, float]], steps: int
) -> Iterator[tuple[float, float]]:
    """Yield points on a Bézier curve from `start`, its end the last; `curve` are its three other points."""
    (a, b), ((c, d), (e, f), (g, h)) = start, curve
    for step in range(1, steps + 1):
        t = step / steps
        u = 1 - t
        yield (
            u**3 * a + 3 * u * u * t * c + 3 * u * t * t * e + t**3 * g,
            u**3 * b + 3 * u * u * t * d + 3 * u * t * t * f + t**3 * h,
        )
