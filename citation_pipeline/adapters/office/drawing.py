"""Pictures of the pages of documents that are no PDFs, drawn from the same layout that was parsed.

For a viewer: the boxes of the words lie on the words. Run it where a hostile file may fail, as parsing does.
"""

from collections.abc import Sequence
from contextlib import suppress

import pypdfium2 as pdfium
from PIL import Image

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.office.files import set_pages
from citation_pipeline.adapters.office.images import count_frames, open_frame
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.page_pictures import draw_placed_page


class NoSuchPageError(Exception):
    """A document has fewer pages."""

    def __init__(self, page: int) -> None:
        super().__init__(f"there is no page {page}; ask for one that the parsed document has")
        self.page = page


def draw_page(
    data: bytes,
    media_type: str,
    page: int,
    scale: float,
    *,
    passwords: Sequence[str] = (),
    limits: ParseLimits | None = None,
) -> Image.Image:
    """Return a page (1-based) as displayed, `scale` pixels a point (a picture's own pixels for a picture).

    Raises NoSuchPageError, or RefusedDocumentError for what is not drawn at all.
    """
    limits = limits or ParseLimits()
    drawn: Image.Image | None = None
    if media_type == file_types.PDF:
        drawn = _of_pdf(data, page, scale, passwords)
    elif media_type in file_types.IMAGES:
        if page <= count_frames(data):
            drawn = open_frame(data, page, pixels=limits.image_pixels).convert("RGB")
    elif media_type in (*file_types.OFFICE_FILES, *file_types.CONTAINERS):
        pages = set_pages(data, media_type, options=OfficeOptions(limits=limits)).pages
        if page <= len(pages):
            drawn = draw_placed_page(pages[page - 1], scale)
    if drawn is None:
        raise NoSuchPageError(page)
    return drawn


def _of_pdf(data: bytes, page: int, scale: float, passwords: Sequence[str]) -> Image.Image | None:
    with _opened(data, passwords) as document:
        if page > len(document):
            return None
        with suppress(pdfium.PdfiumError):  # a broken form: a page without its fields' values
            document.init_forms()
        bitmap = document[page - 1].render(scale=scale)
        drawn: Image.Image = bitmap.to_pil().convert("RGB").copy()
        return drawn


def _opened(data: bytes, passwords: Sequence[str]) -> pdfium.PdfDocument:
    for password in passwords:
        try:
            return pdfium.PdfDocument(data, password=password)
        except pdfium.PdfiumError:
            continue
    return pdfium.PdfDocument(data)
