"""What the outlines of a font's figures show, against what the file says that they are.

A PDF draws a glyph and says, apart from it, which character that is; the two may differ (3 drawn, 8 said).
PDFium finds the glyph of a character by what the file says, so its outline shows whether that is true. It is
compared with the figures of fonts that every PDF program has.
"""

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache

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

_HEIGHTS = (np.arange(_ROWS)[:, None] + 0.5) / _ROWS
_ALONG = np.linspace(0.0, 1.0, _STEPS + 1)[:, None]
_BENDS = np.hstack(
    [(1 - _ALONG) ** 3, 3 * (1 - _ALONG) ** 2 * _ALONG, 3 * (1 - _ALONG) * _ALONG**2, _ALONG**3]
)
"""What each of a curve's four points counts for, at some places along it."""
_STRETCHED = np.array([[1.0], [1.25]])  # a narrow font's figures are seen as if they were wider, too

FIGURES = "0123456789"


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


def nearest_figures(outlines: Sequence[Sequence[GlyphSegment]], said: str) -> str:
    """Return the figure that each outline clearly shows, or what is `said` of it where it may be that one or
    is none at all; all at once, since a page has some."""
    if not outlines:
        return ""
    covered, wide = shapes_of(outlines)
    known, counts, widths = _known_figures()
    # dots that one of two has and the other has not
    differing = (counts + covered.sum(axis=1)[:, None] - 2 * (covered @ known.T)) / covered.shape[1]
    apart = np.abs(widths - wide[:, None, None] * _STRETCHED)  # outline, stretch, known figure
    away = (differing[:, None] + _WIDTH_WEIGHT * apart).reshape(
        len(outlines), len(_STRETCHED), len(FIGURES), -1
    )
    distances = away.min(axis=3)
    nearest = distances.argmin(axis=2)
    own = np.array([FIGURES.index(one) for one in said])
    least = distances.min(axis=2)
    own_away = distances[np.arange(len(own)), :, own]
    is_clear = (least < np.minimum(_CLEARLY * own_away, _LIKE)).all(axis=1) & (nearest == nearest[:, :1]).all(
        axis=1
    )
    shown = np.where(is_clear & np.isfinite(wide), nearest[:, 0], own)
    return "".join(FIGURES[one] for one in shown.tolist())


@cache
def _known_figures() -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]:
    """Return what each figure covers in each font that the library brings, of how many dots, and its width by
    its height."""
    document = raw.FPDF_CreateNewDocument()
    outlines: list[tuple[GlyphSegment, ...]] = []
    try:
        fonts = [raw.FPDFText_LoadStandardFont(document, face) for face in _FACES]
        outlines = [
            outline_of(ctypes.addressof(font.contents), ord(one)) for one in FIGURES for font in fonts
        ]
        for font in fonts:
            raw.FPDFFont_Close(font)
    finally:
        raw.FPDF_CloseDocument(document)
    covered, widths = shapes_of(outlines)
    return covered, covered.sum(axis=1), widths


def shapes_of(
    outlines: Sequence[Sequence[GlyphSegment]],
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return what each outline covers (n, dots) of the grid that its own edges span, and its width by its
    height, which is not a number where it covers nothing."""
    pieces = [_lines(segments) for segments in outlines]
    lines, of = np.concatenate(pieces), np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    low = np.minimum.reduceat(lines, starts)
    high = np.maximum.reduceat(lines, starts)
    left, bottom = np.minimum(low[:, 0], low[:, 2]), np.minimum(low[:, 1], low[:, 3])
    wide, tall = np.maximum(high[:, 0], high[:, 2]) - left, np.maximum(high[:, 1], high[:, 3]) - bottom
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where((wide > 0) & (tall > 0), wide / tall, np.nan)
        x0, y0, x1, y1 = (
            (lines - np.column_stack([left, bottom] * 2)[of]) / np.column_stack([wide, tall] * 2)[of]
        ).T
        row, edge = np.nonzero((y0 <= _HEIGHTS) != (y1 <= _HEIGHTS))
        across = x0[edge] + (_HEIGHTS[row, 0] - y0[edge]) * (x1[edge] - x0[edge]) / (y1[edge] - y0[edge])
    column = np.clip(np.ceil(np.nan_to_num(across) * _COLUMNS - 0.5), 0, _COLUMNS).astype(np.int64)
    place = (of[edge] * _ROWS + row) * (_COLUMNS + 1) + column
    size = len(outlines) * _ROWS * (_COLUMNS + 1)
    turns = np.bincount(place, np.where(y1[edge] > y0[edge], 1.0, -1.0), size)
    windings = turns.reshape(len(outlines), _ROWS, -1).cumsum(axis=2)[:, :, :_COLUMNS]
    return (windings != 0).reshape(len(outlines), -1).astype(np.float32), shares


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
