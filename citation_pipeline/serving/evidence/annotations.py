"""Real highlight annotations in PDFs: every place of a field highlighted, the field's name as its comment.

Runs in a worker process. The pages' content is not touched; only annotations are added.
"""

import ctypes
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from citation_pipeline.adapters.office.attached_files import read_document
from citation_pipeline.serving.rendering.pdf_opening import open_pdf

_GRID = 1_000_000  # PDFium maps whole device pixels; on this grid a page's width is a million of them
_COLOURS = {"snippet": (255, 213, 79), "value": (255, 143, 0)}  # amber, as in the viewer
_OPACITY = 255  # highlights multiply with what they lie on, so that ink stays readable


@dataclass(frozen=True, slots=True)
class Highlight:
    """Boxes (left, top, width, height in the page frame) on one 1-based page, and the comment they carry."""

    page: int
    boxes: Sequence[tuple[float, float, float, float]]
    comment: str
    author: str
    strength: str = "snippet"


class AnnotationError(Exception):
    """A PDF that takes no annotations; `code` is stable."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def annotate_file(path: str, highlights: Sequence[Highlight]) -> bytes:
    """Return the PDF with the highlights added; raises AnnotationError when it cannot be opened."""
    return annotate(read_document(Path(path)), highlights)


def annotate(data: bytes, highlights: Sequence[Highlight]) -> bytes:
    """Return a PDF's bytes with the highlights added."""
    try:
        document = open_pdf(data)
    except pdfium.PdfiumError as error:
        raise AnnotationError("unreadable_document") from error
    try:
        by_page: dict[int, list[Highlight]] = {}
        for highlight in highlights:
            if highlight.boxes and 1 <= highlight.page <= len(document):
                by_page.setdefault(highlight.page, []).append(highlight)
        for number, on_page in by_page.items():
            page = document[number - 1]
            try:
                for highlight in on_page:
                    _add(page, highlight)
            finally:
                page.close()
        out = io.BytesIO()
        document.save(out)
        return out.getvalue()
    finally:
        document.close()


def _add(page: pdfium.PdfPage, highlight: Highlight) -> None:
    annotation = raw.FPDFPage_CreateAnnot(page.raw, raw.FPDF_ANNOT_HIGHLIGHT)
    if not annotation:
        raise AnnotationError("annotation_refused")
    try:
        quads = [_quad(page, box) for box in highlight.boxes]
        red, green, blue = _COLOURS[highlight.strength]
        raw.FPDFAnnot_SetColor(annotation, raw.FPDFANNOT_COLORTYPE_Color, red, green, blue, _OPACITY)
        for quad in quads:
            raw.FPDFAnnot_AppendAttachmentPoints(annotation, quad)
        xs = [x for quad in quads for x in (quad.x1, quad.x2, quad.x3, quad.x4)]
        ys = [y for quad in quads for y in (quad.y1, quad.y2, quad.y3, quad.y4)]
        around = raw.FS_RECTF(left=min(xs), top=max(ys), right=max(xs), bottom=min(ys))
        raw.FPDFAnnot_SetRect(annotation, around)
        raw.FPDFAnnot_SetFlags(annotation, raw.FPDF_ANNOT_FLAG_PRINT)
        _set_text(annotation, b"Contents", highlight.comment)
        _set_text(annotation, b"T", highlight.author)
    finally:
        raw.FPDFPage_CloseAnnot(annotation)


def _set_text(annotation: object, key: bytes, text: str) -> None:
    encoded = (text.replace("\x00", "") + "\x00").encode("utf-16-le", "replace")
    buffer = ctypes.create_string_buffer(encoded, len(encoded))
    raw.FPDFAnnot_SetStringValue(annotation, key, ctypes.cast(buffer, raw.FPDF_WIDESTRING))


def _quad(page: pdfium.PdfPage, box: tuple[float, float, float, float]) -> "raw.FS_QUADPOINTSF":
    """Return a box's corners in PDF space: upper left, upper right, lower left, lower right as displayed."""
    left, top, width, height = box
    x1, y1 = _to_pdf_space(page, left, top)
    x2, y2 = _to_pdf_space(page, left + width, top)
    x3, y3 = _to_pdf_space(page, left, top + height)
    x4, y4 = _to_pdf_space(page, left + width, top + height)
    return raw.FS_QUADPOINTSF(x1, y1, x2, y2, x3, y3, x4, y4)


def _to_pdf_space(page: pdfium.PdfPage, x: float, y: float) -> tuple[float, float]:
    found_x, found_y = ctypes.c_double(), ctypes.c_double()
    raw.FPDF_DeviceToPage(
        page.raw, 0, 0, _GRID, _GRID, 0, round(x * _GRID), round(y * _GRID), found_x, found_y
    )
    return found_x.value, found_y.value
