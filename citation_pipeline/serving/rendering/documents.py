"""Draws pages of documents, in a worker process: a hostile file may take the worker down, not the server.

PDFs are drawn by the PDFium that parsed them, so that boxes sit where ink is; other kinds by the page
drawing that the parser of their kind used.
"""

import contextlib
import io
import math
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2 as pdfium
from PIL import Image

from citation_pipeline.adapters.office.attached_files import read_document
from citation_pipeline.adapters.office.drawing import draw_page
from citation_pipeline.serving.rendering.pdf_opening import open_pdf

MAX_PIXELS = 30_000_000  # a page of 200 by 1 inches is drawn smaller rather than refused
_OPEN_DOCUMENTS = 4  # a reader looks at one or two at a time
_PAPER_WIDTH_PT = 612  # what DOCX, text and mail are laid out on
_GREYS = 32  # steps of grey: text edges look the same as with 256, the PNG is half as large

_documents: OrderedDict[tuple[str, str], pdfium.PdfDocument] = OrderedDict()


class DrawingError(Exception):
    """A page that cannot be drawn; `code` is stable and says nothing of the content."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def draw_page_image(path: str, sha256: str, media_type: str, page: int, width: int) -> bytes:
    """Return a page (1-based) as PNG or WebP bytes, `width` pixels wide unless that were too many pixels."""
    return _encode(page_pixels(path, sha256, media_type, page, width))


def page_pixels(path: str, sha256: str, media_type: str, page: int, width: int) -> Any:
    """Return a page (1-based) as rows of red, green and blue."""
    if media_type == "application/pdf":
        return _pdf_pixels(path, sha256, page, width)
    scale = min(max(width / _PAPER_WIDTH_PT, 0.5), 5.0)
    drawn = draw_page(read_document(Path(path)), media_type, page, scale).convert("RGB")
    width = _bounded(width, drawn.width, drawn.height)
    height = max(1, round(drawn.height * width / drawn.width))
    if width != drawn.width:
        drawn = drawn.resize((width, height), Image.Resampling.LANCZOS)
    return np.asarray(drawn)


def _bounded(width: int, page_width: float, page_height: float) -> int:
    fitting = math.sqrt(MAX_PIXELS * page_width / max(page_height, 1e-6))
    return max(1, int(min(width, fitting)))


def _pdf_pixels(path: str, sha256: str, page: int, width: int) -> Any:
    document = _opened(path, sha256)
    if not 1 <= page <= len(document):
        raise DrawingError("no_such_page")
    try:
        opened = document[page - 1]
    except pdfium.PdfiumError as error:
        raise DrawingError("unreadable_page") from error
    try:
        page_width, page_height = opened.get_size()
        if not (page_width > 0 and page_height > 0):
            raise DrawingError("unreadable_page")
        scale = _bounded(width, page_width, page_height) / page_width
        bitmap = opened.render(scale=scale, rev_byteorder=True, may_draw_forms=True)
        pixels = np.array(bitmap.to_numpy()[..., :3])
        bitmap.close()
        return pixels
    finally:
        opened.close()


def _opened(path: str, sha256: str) -> pdfium.PdfDocument:
    key = (path, sha256)
    document = _documents.pop(key, None)
    if document is None:
        try:
            place = Path(path)  # PDFium reads a file of the disk page by page; an attachment lies in memory
            document = open_pdf(path if place.is_file() else read_document(place))
        except pdfium.PdfiumError as error:
            raise DrawingError("unreadable_document") from error
        with contextlib.suppress(pdfium.PdfiumError):  # a broken form: a page without its fields' values
            document.init_forms()  # what was filled in is part of what a reader sees
    _documents[key] = document
    while len(_documents) > _OPEN_DOCUMENTS:
        _documents.popitem(last=False)[1].close()
    return document


def _encode(pixels: Any) -> bytes:
    """Paper is mostly black on white: grey PNG is sharp, small and quick; colour goes to WebP."""
    out = io.BytesIO()
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    if (red == green).all() and (green == blue).all():
        step = 255 / (_GREYS - 1)
        levels = np.round(np.round(np.arange(256) / step) * step).astype(np.uint8)
        Image.fromarray(levels[red]).save(out, "PNG", compress_level=3)
    else:
        Image.fromarray(np.ascontiguousarray(pixels)).save(out, "WEBP", quality=88, method=1)
    return out.getvalue()
