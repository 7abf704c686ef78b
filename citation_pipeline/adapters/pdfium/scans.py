"""The dots of a scanned page as they are stored, for the recognizer: a fax drawn at another size is a blur.

Rendering a picture of 150 dots an inch at 200 mixes black and white dots into grey ones, and what could tell
a broken stroke from dust is lost. Only what a fax machine makes is taken this way: one picture that fills the
page, with as many dots across as down; the rendering has to show the same.
"""

import ctypes

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.paper import Paper
from citation_pipeline.core.layout.content import PagePicture
from citation_pipeline.core.layout.pictures import is_bilevel

_LEAST_DPI, _MOST_DPI = 90.0, 230.0  # finer scans lose nothing by being rendered at 200
_FILLS = 0.9  # share of the page's width and of its height
_SQUARE = 0.03  # by which dots across and dots down may differ
_COMPARED = 40  # rows and columns of squares in which picture and rendering are compared
_SAME = 40.0  # grey values by which such a square may differ: a stamp's text over the picture is darker
_CHANNELS = {raw.FPDFBitmap_Gray: 1, raw.FPDFBitmap_BGR: 3, raw.FPDFBitmap_BGRx: 4, raw.FPDFBitmap_BGRA: 4}


def scanned_dots(page: raw.FPDF_PAGE, paper: Paper, rendered: PagePicture) -> PagePicture | None:
    """Return the page as the one black and white picture on it, in its own dots, or None where it is more."""
    item = _only_picture(page)
    if item is None:
        return None
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, matrix) or not (matrix.a > 0 and matrix.d > 0):
        return None
    if abs(matrix.b) + abs(matrix.c) > 0.01 * min(matrix.a, matrix.d):
        return None
    sheet = np.array([[matrix.e, matrix.f, matrix.e + matrix.a, matrix.f + matrix.d]])
    left, top, right, bottom = paper.from_pdf(sheet)[0].tolist()
    if right - left < _FILLS * paper.width or bottom - top < _FILLS * paper.height:
        return None
    dots = _dots_of(item)
    if dots is None or not is_bilevel(dots):
        return None
    dots = np.rot90(dots, -(paper.rotation // 90))
    scales = dots.shape[1] / (right - left), dots.shape[0] / (bottom - top)
    scale = sum(scales) / 2
    if not _LEAST_DPI <= 72 * scale <= _MOST_DPI or abs(scales[0] - scales[1]) > _SQUARE * scale:
        return None
    grey = _on_paper(dots, round(left * scales[0]), round(top * scales[1]), paper, scales)
    if _differs(grey, rendered.grey):
        return None
    return PagePicture(grey, 72 * scale, rendered.page, paper.width, paper.height)


def _only_picture(page: raw.FPDF_PAGE) -> raw.FPDF_PAGEOBJECT | None:
    """Return the picture of a page that draws nothing else but text."""
    found = None
    for index in range(raw.FPDFPage_CountObjects(page)):
        item = raw.FPDFPage_GetObject(page, index)
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_IMAGE and found is None:
            found = item
        elif kind != raw.FPDF_PAGEOBJ_TEXT:
            return None
    return found


def _dots_of(item: raw.FPDF_PAGEOBJECT) -> NDArray[np.uint8] | None:
    bitmap = raw.FPDFImageObj_GetBitmap(item)
    if not bitmap:
        return None
    try:
        channels = _CHANNELS.get(raw.FPDFBitmap_GetFormat(bitmap))
        width, height = raw.FPDFBitmap_GetWidth(bitmap), raw.FPDFBitmap_GetHeight(bitmap)
        stride = raw.FPDFBitmap_GetStride(bitmap)
        if channels is None or stride < channels * width:
            return None
        buffer = ctypes.cast(raw.FPDFBitmap_GetBuffer(bitmap), ctypes.POINTER(ctypes.c_ubyte))
        rows = np.ctypeslib.as_array(buffer, shape=(height, stride))[:, : channels * width]
        # of a fax every channel is the same
        return np.ascontiguousarray(rows.reshape(height, width, channels)[:, :, 0])
    finally:
        raw.FPDFBitmap_Destroy(bitmap)


def _on_paper(
    dots: NDArray[np.uint8], left: int, top: int, paper: Paper, scales: tuple[float, float]
) -> NDArray[np.uint8]:
    """Return the dots on a white sheet of the page's size; what lies off the page is cut."""
    height, width = round(paper.height * scales[1]), round(paper.width * scales[0])
    sheet = np.full((height, width), 255, np.uint8)
    part = dots[max(0, -top) : height - top, max(0, -left) : width - left]
    top, left = max(0, top), max(0, left)
    sheet[top : top + part.shape[0], left : left + part.shape[1]] = part
    return sheet


def _differs(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Tell whether two pictures of a page, of any size, show different things somewhere."""
    return bool(np.abs(_coarse(one) - _coarse(other)).max() > _SAME)


def _coarse(grey: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the mean grey of squares in a grid."""
    height, width = grey.shape
    rows = np.linspace(0, height, _COMPARED, endpoint=False).astype(np.int64)
    columns = np.linspace(0, width, _COMPARED, endpoint=False).astype(np.int64)
    sums = np.add.reduceat(np.add.reduceat(grey.astype(np.float64), rows, axis=0), columns, axis=1)
    return np.asarray(sums / np.outer(np.diff([*rows, height]), np.diff([*columns, width])))
