"""Copies of documents for a hearing: each page a picture with black boxes and a number burned in.

Runs in a worker process. Nothing of the original file goes into the copy but the picture of each page and the
words that no box touches: no metadata, no annotation, no layer, no attachment, no text behind a box.
"""

import ctypes
import io
from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw
from PIL import Image, ImageDraw, ImageFont

from citation_pipeline.serving.rendering.documents import page_pixels

_DPI = 150  # small print of a fax stays readable; a page takes some 150 kB
_QUALITY = 72
_POINTS = 72
_MARGIN = 0.004  # of the page's width: ink of a letter lies over the edge of its box
_STAMP_PT = 10

Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class ProducedPage:
    """One page to copy: 1-based number, size in points, its stamp, black boxes, and (text, box) of words.

    Boxes are left, top, width, height in the page frame; `words` are those that may be read.
    """

    number: int
    width: float
    height: float
    stamp: str
    boxes: Sequence[Rectangle]
    words: Sequence[tuple[str, Rectangle]]


def produce_document(path: str, sha256: str, media_type: str, pages: Sequence[ProducedPage]) -> bytes:
    """Return a PDF of the pages' pictures; raises DrawingError for a page that cannot be drawn."""
    document = pdfium.PdfDocument.new()
    try:
        font = raw.FPDFText_LoadStandardFont(document.raw, b"Helvetica")
        for wanted in pages:
            picture = _picture(path, sha256, media_type, wanted)
            page = document.new_page(wanted.width, wanted.height)
            try:
                _put_picture(document, page, picture, wanted)
                for text, box in wanted.words:
                    _put_word(document, page, font, text, box, wanted)
                _put_word(document, page, font, wanted.stamp, _stamp_box(wanted), wanted)
                page.gen_content()
            finally:
                page.close()
        out = io.BytesIO()
        document.save(out)
        return out.getvalue()
    finally:
        document.close()


def _picture(path: str, sha256: str, media_type: str, wanted: ProducedPage) -> bytes:
    pixels = page_pixels(path, sha256, media_type, wanted.number, round(wanted.width * _DPI / _POINTS))
    image = Image.fromarray(pixels).convert("RGB")
    draw = ImageDraw.Draw(image)
    grow = _MARGIN * image.width
    for left, top, width, height in wanted.boxes:
        corners = (
            left * image.width - grow,
            top * image.height - grow,
            (left + width) * image.width + grow,
            (top + height) * image.height + grow,
        )
        draw.rectangle(corners, fill=(0, 0, 0))
    _stamp(draw, image.width, image.height, wanted)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()


def _stamp(draw: ImageDraw.ImageDraw, width: int, height: int, wanted: ProducedPage) -> None:
    if not wanted.stamp:
        return
    scale = width / wanted.width
    font = ImageFont.load_default(_STAMP_PT * scale)
    left, top, right, bottom = draw.textbbox((0, 0), wanted.stamp, font=font)
    x, y = width - (right - left) - 18 * scale, height - (bottom - top) - 14 * scale
    pad = 3 * scale
    draw.rectangle((x - pad, y - pad, x + right - left + pad, y + bottom - top + pad), fill=(255, 255, 255))
    draw.text((x - left, y - top), wanted.stamp, font=font, fill=(0, 0, 0))


def _stamp_box(wanted: ProducedPage) -> Rectangle:
    width = len(wanted.stamp) * _STAMP_PT * 0.6
    return (
        max(0.0, 1 - (width + 18) / wanted.width),
        1 - (_STAMP_PT + 14) / wanted.height,
        width / wanted.width,
        _STAMP_PT / wanted.height,
    )


def _put_picture(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, picture: bytes, wanted: ProducedPage
) -> None:
    image = pdfium.PdfImage.new(document)
    image.load_jpeg(io.BytesIO(picture), pages=[page], inline=True)
    image.set_matrix(pdfium.PdfMatrix().scale(wanted.width, wanted.height))
    page.insert_obj(image)


def _put_word(
    document: pdfium.PdfDocument,
    page: pdfium.PdfPage,
    font: object,
    text: str,
    box: Rectangle,
    wanted: ProducedPage,
) -> None:
    """Put a word over its picture, invisible: it can be searched and copied."""
    # the standard fonts hold Latin letters only; a word in another script stays in the picture alone
    shown = text.encode("latin-1", "ignore").decode("latin-1").replace("\x00", "").strip()
    left, top, width, height = box
    if not shown or width <= 0 or height <= 0:
        return
    size = max(height * wanted.height, 1.0)
    made = raw.FPDFPageObj_CreateTextObj(document.raw, font, size)
    if not made:
        return
    encoded = (shown + "\x00").encode("utf-16-le")
    buffer = ctypes.create_string_buffer(encoded, len(encoded))
    raw.FPDFText_SetText(made, ctypes.cast(buffer, raw.FPDF_WIDESTRING))
    raw.FPDFTextObj_SetTextRenderMode(made, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
    x1, y1, x2, y2 = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(made, x1, y1, x2, y2)
    natural = x2.value - x1.value
    stretch = width * wanted.width / natural if natural > 0 else 1.0
    baseline = wanted.height * (1 - top - height * 0.8)
    raw.FPDFPageObj_Transform(made, stretch, 0, 0, 1, left * wanted.width, baseline)
    raw.FPDFPage_InsertObject(page.raw, made)
