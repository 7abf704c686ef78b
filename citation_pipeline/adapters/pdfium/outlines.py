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

from citation_pipeline.adapters.pdfium.calls import GlyphSegment, glyph_segments

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

_ALONG = np.linspace(0.0, 1.0, _STEPS + 1)[:, None]
_BENDS = np.hstack(
    [(1 - _ALONG) ** 3, 3 * (1 - _ALONG) ** 2 * _ALONG, 3 * (1 - _ALONG) * _ALONG**2, _ALONG**3]
)
"""What each of a curve's four points counts for, at some places along it."""
_STRETCHED = np.array([[1.0], [1.25]])  # a narrow font's figures are seen as if they were wider, too

FIGURES = "0123456789"

Shape = tuple[NDArray[np.bool_], float]
"""Which dots of the grid an outline covers, and its width as a share of its height."""


def outline_of(font: int, code: int) -> tuple[GlyphSegment, ...]:
    """Return the outline that the font at an address has for a character; none of an ornate one."""
    return glyph_segments(font, code, _MOST_SEGMENTS)


def reach_of(segments: Sequence[GlyphSegment]) -> tuple[float, float, float, float] | None:
    """Return the left edge, width, low edge and height of an outline, as shares of the size."""
    if not segments:
        return None
    _, xs, ys = zip(*segments, strict=True)
    left, low = min(xs), min(ys)
    return left, max(xs) - left, low, max(ys) - low


@lru_cache(maxsize=4096)
def nearest_figure(segments: tuple[GlyphSegment, ...], said: str) -> str:
    """Return the figure that an outline clearly shows, `said` where it may be that one or is none at all."""
    shape = shape_of(segments)
    if shape is None:
        return said
    covered, wide = shape
    known, counts, widths = _known_figures()
    dots = covered.ravel().astype(np.float32)
    # dots that one of two has and the other has not
    differing = (counts + dots.sum() - 2 * (known @ dots)) / dots.size
    away = (
        (differing + _WIDTH_WEIGHT * np.abs(widths - wide * _STRETCHED))
        .reshape(2, len(FIGURES), -1)
        .min(axis=2)
    )
    own = FIGURES.index(said)
    found = {
        nearest if one[nearest] < min(_CLEARLY * one[own], _LIKE) else own
        for one, nearest in zip(away.tolist(), away.argmin(axis=1).tolist(), strict=True)
    }
    return FIGURES[found.pop()] if len(found) == 1 else said


@cache
def _known_figures() -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]:
    """Return what each figure covers in each font that the library brings, of how many dots, and its width by
    its height."""
    document = raw.FPDF_CreateNewDocument()
    covered = np.zeros((len(FIGURES), len(_FACES), _ROWS * _COLUMNS), np.float32)
    widths = np.full((len(FIGURES), len(_FACES)), np.inf)
    try:
        for column, face in enumerate(_FACES):
            font = raw.FPDFText_LoadStandardFont(document, face)
            for row, figure in enumerate(FIGURES):
                shape = shape_of(outline_of(ctypes.addressof(font.contents), ord(figure)))
                if shape is not None:
                    covered[row, column], widths[row, column] = shape[0].ravel(), shape[1]
            raw.FPDFFont_Close(font)
    finally:
        raw.FPDF_CloseDocument(document)
    known = covered.reshape(len(FIGURES) * len(_FACES), -1)
    return known, known.sum(axis=1), widths.ravel()


def shape_of(segments: Sequence[GlyphSegment]) -> Shape | None:
    """Return what an outline covers of the grid that its own edges span; None where it covers nothing."""
    lines = _lines(segments)
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
    place = row * (_COLUMNS + 1) + np.clip(column, 0, _COLUMNS)
    turns = np.bincount(place, np.where(y1[edge] > y0[edge], 1.0, -1.0), _ROWS * (_COLUMNS + 1))
    covered: NDArray[np.bool_] = turns.reshape(_ROWS, -1).cumsum(axis=1)[:, :_COLUMNS] != 0
    return covered, float((right - left) / (high - low))


def _lines(segments: Sequence[GlyphSegment]) -> NDArray[np.float64]:
    """Return the straight lines (n, 4) of an outline, its curves in a few, every part of it closed."""
    start = at = (0.0, 0.0)
    straight: list[tuple[float, ...]] = []
    curves: list[tuple[float, ...]] = []
    bent: tuple[float, ...] = ()
    for kind, x, y in segments:
        if kind == raw.FPDF_SEGMENT_MOVETO:
            if at != start:
                straight.append((*at, *start))
            start = at = (x, y)
        elif kind == raw.FPDF_SEGMENT_LINETO:
            straight.append((*at, x, y))
            at = (x, y)
        elif len(bent) < 4:
            bent = (*bent, x, y)
        else:
            curves.append((*at, *bent, x, y))
            at, bent = (x, y), ()
    if at != start:
        straight.append((*at, *start))
    lines = np.array(straight, np.float64).reshape(-1, 4)
    if not curves:
        return lines
    points = _BENDS @ np.array(curves, np.float64).reshape(-1, 4, 2)
    pieces = np.concatenate([points[:, :-1], points[:, 1:]], axis=2)
    return np.concatenate([lines, pieces.reshape(-1, 4)])


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
