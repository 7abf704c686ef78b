"""Placed pages as pictures: PDFium draws words and rules, OpenCV the letters that no standard PDF font has.

No PDF is written and no font file is kept: PDFium brings the standard fonts, OpenCV one for the world's
scripts (WenQuanYi Micro Hei, Apache-2.0).
"""

import ctypes

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from PIL import Image

from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.office.font_metrics import BOLD, MONO, REGULAR, is_standard
from citation_pipeline.adapters.office.images import open_frame
from citation_pipeline.adapters.office.placed_pages import PlacedPage, PlacedPicture, PlacedWord
from citation_pipeline.adapters.office.world_letters import letters_on_paper

_FONTS = {REGULAR: b"Helvetica", BOLD: b"Helvetica-Bold", MONO: b"Courier"}
_RULE_WIDTH = 0.5
_WEIGHTS = {BOLD: 700}  # of the variable font; else its own
_FINER = 4  # letters are drawn so many times larger, then fitted into the word's box


def draw_placed_page(page: PlacedPage, scale: float) -> Image.Image:
    """Return the page, `scale` pixels a point."""
    with pdfium.PdfDocument.new() as document:
        sheet = document.new_page(page.width, page.height)
        for left, top, right, bottom in page.rules:
            _add_rule(sheet, left, page.height - top, right, page.height - bottom)
        fonts = {name: raw.FPDFText_LoadStandardFont(document, font) for name, font in _FONTS.items()}
        for word in page.words:
            if is_standard(word.text):
                _add_word(document, sheet, fonts[word.font], word, page.height)
        raw.FPDFPage_GenerateContent(sheet)
        drawn: Image.Image = sheet.render(scale=scale).to_pil().convert("RGB").copy()
        for font in fonts.values():
            raw.FPDFFont_Close(font)
        sheet.close()
    for picture in page.pictures:
        _paste(drawn, picture, scale)
    for word in page.words:
        if not is_standard(word.text):
            _draw_letters(drawn, word, scale)
    return drawn


def _paste(drawn: Image.Image, picture: PlacedPicture, scale: float) -> None:
    left, top, right, bottom = (round(edge * scale) for edge in picture.edges)
    frame = open_frame(picture.data, 1, pixels=ParseLimits().image_pixels).convert("RGB")
    drawn.paste(frame.resize((max(1, right - left), max(1, bottom - top))), (left, top))


def _add_rule(sheet: pdfium.PdfPage, left: float, top: float, right: float, bottom: float) -> None:
    path = raw.FPDFPageObj_CreateNewPath(left, top)
    raw.FPDFPath_LineTo(path, right, bottom)
    raw.FPDFPageObj_SetStrokeWidth(path, _RULE_WIDTH)
    raw.FPDFPath_SetDrawMode(path, raw.FPDF_FILLMODE_NONE, True)
    raw.FPDFPage_InsertObject(sheet, path)


def _add_word(
    document: pdfium.PdfDocument, sheet: pdfium.PdfPage, font: object, word: PlacedWord, height: float
) -> None:
    text = raw.FPDFPageObj_CreateTextObj(document, font, word.size)
    letters = ctypes.create_string_buffer(word.text.encode("utf-16-le") + b"\0\0")
    raw.FPDFText_SetText(text, ctypes.cast(letters, ctypes.POINTER(ctypes.c_ushort)))
    raw.FPDFPageObj_Transform(text, 1, 0, 0, 1, word.x, height - word.baseline)
    raw.FPDFPage_InsertObject(sheet, text)


def _draw_letters(drawn: Image.Image, word: PlacedWord, scale: float) -> None:
    """Draw a word over its box's width, whatever the width of its letters: the parsed box is what counts."""
    import cv2  # a second's import, and few pages have such words

    font, weight = cv2.FontFace("uni"), _WEIGHTS.get(word.font, 0)
    size = max(1, round(word.size * scale * _FINER))
    letters = letters_on_paper(word.text)
    blank = np.zeros((2 * size, size * (len(letters) + 2)), np.uint8)
    end, ink = cv2.putText(blank, letters, (0, round(1.4 * size)), (255,), font, size, weight)
    width, height = max(1, round(word.width * scale)), round(2 * word.size * scale)
    ink = cv2.resize(ink[:, : max(1, end[0])], (width, height), interpolation=cv2.INTER_AREA)
    corner = round(word.x * scale), round((word.baseline - 1.4 * word.size) * scale)
    drawn.paste((0, 0, 0), corner, Image.fromarray(ink))
