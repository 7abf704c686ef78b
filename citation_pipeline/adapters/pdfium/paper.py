"""The sheet behind a PDF page: its size as displayed, and the way from PDF space to the paper frame.

PDF space has its origin bottom left and knows neither rotation nor CropBox; see `core.layout.content`
for the paper frame. Rendering lives here too, because it yields the same frame.
"""

import math
from dataclasses import dataclass

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import EdgeArray, PagePicture

_GREY = raw.FPDFBitmap_Gray
# a page of 14,400 points (the largest a PDF may be) at 200 dpi would need 1.6 GB
_MAX_PIXELS = 40_000_000
_MAX_COLOURED = 8_000_000  # pixels of a page in colour, four of which are held at once


@dataclass(frozen=True, slots=True)
class Paper:
    """One page's visible rectangle in PDF space, and its rotation (0, 90, 180, 270 clockwise)."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @property
    def width(self) -> float:
        """The width as displayed, in points."""
        return self.top - self.bottom if self.rotation in (90, 270) else self.right - self.left

    @property
    def height(self) -> float:
        """The height as displayed, in points."""
        return self.right - self.left if self.rotation in (90, 270) else self.top - self.bottom

    def from_pdf(self, boxes: NDArray[np.float64]) -> EdgeArray:
        """Return boxes of shape (n, 4: left, top, right, bottom; PDF space) in the paper frame."""
        if self.rotation == 0:
            return self._upright(boxes)
        x0, x1 = np.minimum(boxes[:, 0], boxes[:, 2]), np.maximum(boxes[:, 0], boxes[:, 2])
        y0, y1 = np.minimum(boxes[:, 1], boxes[:, 3]), np.maximum(boxes[:, 1], boxes[:, 3])
        if self.rotation == 90:
            columns = [y0 - self.bottom, x0 - self.left, y1 - self.bottom, x1 - self.left]
        elif self.rotation == 180:
            columns = [self.right - x1, y0 - self.bottom, self.right - x0, y1 - self.bottom]
        else:
            columns = [self.top - y1, self.right - x1, self.top - y0, self.right - x0]
        return np.column_stack(columns)

    def _upright(self, boxes: NDArray[np.float64]) -> EdgeArray:
        # nearly every page: the columns are written where they belong
        edges = np.empty((len(boxes), 4))
        np.minimum(boxes[:, 0], boxes[:, 2], out=edges[:, 0])
        np.maximum(boxes[:, 0], boxes[:, 2], out=edges[:, 2])
        edges[:, ::2] -= self.left
        np.subtract(self.top, np.maximum(boxes[:, 1], boxes[:, 3]), out=edges[:, 1])
        np.subtract(self.top, np.minimum(boxes[:, 1], boxes[:, 3]), out=edges[:, 3])
        return edges

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return one point of PDF space in the paper frame."""
        if self.rotation == 90:
            return y - self.bottom, x - self.left
        if self.rotation == 180:
            return self.right - x, y - self.bottom
        if self.rotation == 270:
            return self.top - y, self.right - x
        return x - self.left, self.top - y


def measure_paper(page: raw.FPDF_PAGE) -> Paper:
    """Return the sheet of a loaded page."""
    box = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, box)
    rotation = (raw.FPDFPage_GetRotation(page) % 4) * 90
    if not (box.right - box.left >= 1 and box.top - box.bottom >= 1):
        return Paper(0.0, 0.0, 612.0, 792.0, rotation)  # an empty page box: readers show US letter
    return Paper(box.left, box.bottom, box.right, box.top, rotation)


def render(page: raw.FPDF_PAGE, *, number: int, paper: Paper, dpi: float) -> PagePicture:
    """Draw a page upright in grey at `dpi` (less where the picture would be too large for memory)."""
    dpi = _bounded(dpi, paper, _MAX_PIXELS)
    width, height = _size(paper, dpi)
    grey = _drawn(page, (width, height), (0, 0, width, height), 1)[:, :, 0]
    return PagePicture(grey=grey, dpi=dpi, page=number, width_pt=paper.width, height_pt=paper.height)


def render_colours(
    page: raw.FPDF_PAGE, *, paper: Paper, dpi: float, window: tuple[int, int, int, int]
) -> NDArray[np.uint8]:
    """Draw a window of a page, upright in colour: left, top, right, bottom in the dots of `size_at(dpi)`.

    The picture has the shape (height, width, 3).
    """
    return _drawn(page, size_at(paper, dpi), window, 3)


def size_at(paper: Paper, dpi: float) -> tuple[int, int]:
    """Return how many dots a page in colour is wide and high at `dpi` (less where it is large)."""
    return _size(paper, _bounded(dpi, paper, _MAX_COLOURED))


def _bounded(dpi: float, paper: Paper, most: int) -> float:
    return min(dpi, 72 * math.sqrt(most / max(paper.width * paper.height, 1.0)))


def _size(paper: Paper, dpi: float) -> tuple[int, int]:
    return max(1, round(paper.width * dpi / 72)), max(1, round(paper.height * dpi / 72))


def _drawn(
    page: raw.FPDF_PAGE, size: tuple[int, int], window: tuple[int, int, int, int], channels: int
) -> NDArray[np.uint8]:
    left, top, right, bottom = window
    width, height = right - left, bottom - top
    dots = np.full((height, width, channels), 255, np.uint8)
    kind, flags = (_GREY, raw.FPDF_GRAYSCALE) if channels == 1 else (raw.FPDFBitmap_BGR, 0)
    bitmap = raw.FPDFBitmap_CreateEx(width, height, kind, dots.ctypes.data, channels * width)
    try:
        raw.FPDF_RenderPageBitmap(bitmap, page, -left, -top, *size, 0, raw.FPDF_ANNOT | flags)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return dots
