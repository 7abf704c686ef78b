"""Pictures of the pages of documents that are no PDFs, drawn from the same layout that was parsed.

For a viewer: the boxes of the words lie on the words. Run it where a hostile file may fail, as parsing does.
"""

from collections.abc import Sequence

import pypdfium2 as pdfium
from PIL import Image

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.files import set_container, set_pages
from citation_pipeline.adapters.office.images import count_frames, open_frame
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.page_pictures import draw_placed_page
from citation_pipeline.adapters.office.placed_pages import PlacedPage
from citation_pipeline.adapters.office.typesetting import TooManyPagesError

_UNDRAWABLE = (RefusedDocumentError, TooManyPagesError, pdfium.PdfiumError, OSError, SyntaxError, ValueError)
_DEEPEST = 8  # mails in archives in mails


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
    drawn = _Drawer(scale, passwords, limits or ParseLimits()).draw(data, media_type, page, 0)
    if isinstance(drawn, int):
        raise NoSuchPageError(page)
    return drawn


class _Drawer:
    """Finds a page by counting through a mail's attachments; draws only that one."""

    def __init__(self, scale: float, passwords: Sequence[str], limits: ParseLimits) -> None:
        self._scale = scale
        self._passwords = passwords
        self._limits = limits

    def draw(self, data: bytes, media_type: str, page: int, depth: int) -> Image.Image | int:
        """Return the page, or how many pages the document has when it has fewer."""
        if media_type == file_types.PDF:
            return self._of_pdf(data, page)
        if media_type in file_types.IMAGES:
            count = count_frames(data)
            if page > count:
                return count
            return open_frame(data, page, pixels=self._limits.image_pixels).convert("RGB")
        if media_type in file_types.CONTAINERS and depth < _DEEPEST:
            return self._of_container(data, media_type, page, depth)
        if media_type in file_types.OFFICE_FILES:
            laid = set_pages(data, media_type, options=OfficeOptions(limits=self._limits))
            return self._of_pages(laid.pages, page)
        return 0

    def _of_container(self, data: bytes, media_type: str, page: int, depth: int) -> Image.Image | int:
        setter, attachments = set_container(data, media_type, options=OfficeOptions(limits=self._limits))
        before = self._of_pages(setter.pages, page)
        if not isinstance(before, int):
            return before
        for attachment in attachments:
            kind = file_types.sniff(attachment.data)
            try:
                drawn = self.draw(attachment.data, kind, page - before, depth + 1)
            except _UNDRAWABLE:
                continue  # its parser refused it too: it has no pages
            if not isinstance(drawn, int):
                return drawn
            before += drawn
        return before

    def _of_pages(self, pages: Sequence[PlacedPage], page: int) -> Image.Image | int:
        return len(pages) if page > len(pages) else draw_placed_page(pages[page - 1], self._scale)

    def _of_pdf(self, data: bytes, page: int) -> Image.Image | int:
        with _opened(data, self._passwords) as document:
            if page > len(document):
                return len(document)
            bitmap = document[page - 1].render(scale=self._scale)
            drawn: Image.Image = bitmap.to_pil().convert("RGB").copy()
            return drawn


def _opened(data: bytes, passwords: Sequence[str]) -> pdfium.PdfDocument:
    for password in passwords:
        try:
            return pdfium.PdfDocument(data, password=password)
        except pdfium.PdfiumError:
            continue
    return pdfium.PdfDocument(data)
