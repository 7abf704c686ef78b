"""Pages of documents that are no PDFs: images here, the rest by the parser of their kind."""

import importlib
import io

from PIL import Image, ImageOps


class PageKindError(Exception):
    """A kind of document that nobody draws."""

    code = "not_drawable"


def draw_page(data: bytes, media_type: str, page: int, scale: float) -> Image.Image:
    """Return a page (1-based) as it was laid out for parsing, `scale` pixels a point where it has points."""
    if media_type.startswith("image/"):
        with Image.open(io.BytesIO(data)) as image:
            image.seek(page - 1)  # a TIFF's frames are pages
            return ImageOps.exif_transpose(image).convert("RGB")
    try:
        office = importlib.import_module("citation_pipeline.adapters.office.drawing")
    except ImportError as error:
        raise PageKindError from error
    drawn: Image.Image = office.draw_page(data, media_type, page, scale)
    return drawn
