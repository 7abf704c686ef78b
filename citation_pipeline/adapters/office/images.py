"""Pictures of pages: PNG, JPEG, TIFF (each frame one page), WebP, BMP and HEIC, read by the recognizer.

The page frame is the picture as a viewer shows it, that is after its EXIF orientation.
"""

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.core.documents.composition import Composition, PageDraft
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.layout.boxed_words import separate_boxes
from citation_pipeline.core.layout.content import (
    FEW_SURE_WORDS,
    Drawings,
    PageContent,
    PagePicture,
    RecognizePage,
    has_few_sure_words,
    words_of_boxes,
)
from citation_pipeline.core.layout.documents import DocumentLayout
from citation_pipeline.core.layout.marks import NO_MARKS, doubt_words, find_marks, ticks_outside
from citation_pipeline.core.layout.pictures import find_rulings
from citation_pipeline.core.layout.squares import find_squares

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
_PAGE_INCHES = 11.0  # the longer side of a page, where a picture does not tell its resolution
_READ_DPI = 200.0  # finer scans are read at this: small print stays legible and CPU is bounded


def parse_image(
    source: SourceDocument,
    data: bytes,
    *,
    recognize_page: RecognizePage | None,
    limits: ParseLimits,
    on_page: Callable[[], None],
) -> ParsedDocument:
    """Return a picture as a document of one page a frame; `on_page` is called after each; raises
    RefusedDocumentError."""
    layout, composition = DocumentLayout(), Composition()
    doubts: list[str] = []
    drafts: list[PageDraft] = []
    for picture in _pictures(data, limits):
        content = content_of_picture(picture, recognize_page)
        if has_few_sure_words(content.words):
            doubts.append(f"page {picture.page}: {FEW_SURE_WORDS}")
        for block in layout.lay_out(content):
            composition.add(block)
        drafts.append(PageDraft(picture.width_pt, picture.height_pt, has_text_layer=False, words_from="ocr"))
        on_page()
    return composition.document(
        source,
        pages=drafts,
        changes=layout.changes(),
        parser="image",
        parser_version="1",
        warnings=doubts if recognize_page else ("no_text_layer",),
    )


def content_of_picture(picture: PagePicture, recognize_page: RecognizePage | None) -> PageContent:
    """Return a picture's words, rules and checkboxes as a page of its own."""
    wide, high = picture.width_pt, picture.height_pt
    found = recognize_page(picture, known=()) if recognize_page else ()
    words = words_of_boxes(found, width_pt=wide, height_pt=high)
    rulings = find_rulings(picture)
    marks = find_marks(picture, words, rulings) if recognize_page else NO_MARKS
    ticks, words = separate_boxes(ticks_outside(find_squares(picture), marks), doubt_words(words, marks))
    drawings = Drawings(
        images=np.concatenate([np.array([[0.0, 0.0, wide, high]]), marks.photographs]),
        rulings=rulings,
        scribbles=marks.strokes,
        ticks=ticks,
    )
    return PageContent(picture.page, wide, high, words, drawings)


def open_picture(data: bytes, limits: ParseLimits, *, page: int = 1) -> PagePicture:
    """Return one frame ready to be read; raises RefusedDocumentError."""
    with _refusing(limits):
        return _picture(open_frame(data, page, pixels=limits.image_pixels), page)


def open_frame(data: bytes, page: int, *, pixels: int) -> Image.Image:
    """Return one frame (1-based) as a viewer shows it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        image = _opened(data)
        image.seek(page - 1)
        if image.width * image.height > pixels:
            raise refusals.oversized(
                "too_many_pixels", f"{image.width} x {image.height} pixels", limit=pixels
            )
        return ImageOps.exif_transpose(image)


def count_frames(data: bytes) -> int:
    """Return how many pages a picture has."""
    with _opened(data) as image:
        # a moving picture, or a photograph with its preview, is one page
        return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1


def _opened(data: bytes) -> Image.Image:
    if data[4:8] == b"ftyp":
        import pi_heif  # few claims have such photographs, and its library need not load for the others

        pi_heif.register_heif_opener()
        return Image.open(io.BytesIO(data), formats=("HEIF",))
    return Image.open(io.BytesIO(data), formats=_FORMATS)


def _pictures(data: bytes, limits: ParseLimits) -> Iterator[PagePicture]:
    with _refusing(limits):
        count = count_frames(data)
    if count > limits.pages:
        raise refusals.oversized("too_many_pages", f"{count} frames", limit=limits.pages)
    for page in range(1, count + 1):
        yield open_picture(data, limits, page=page)


@contextmanager
def _refusing(limits: ParseLimits) -> Iterator[None]:
    try:
        yield
    except UnidentifiedImageError as error:
        raise refusals.corrupt("the picture's header cannot be read") from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise refusals.oversized(
            "too_many_pixels", "more pixels than a page", limit=limits.image_pixels
        ) from error
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise refusals.corrupt("the picture is cut off or its data cannot be decoded") from error


def _picture(image: Image.Image, page: int) -> PagePicture:
    across, down = _resolution(image)
    wide, high = image.width * 72 / across, image.height * 72 / down
    grey = image if image.mode == "L" else _on_white(image)
    # a standard fax has 204 dots an inch across and 98 down: letters are read with square dots
    dpi = min(_READ_DPI, max(across, down))
    size = (max(1, round(wide * dpi / 72)), max(1, round(high * dpi / 72)))
    if size != grey.size:
        grey = grey.resize(size, Image.Resampling.BOX if size[0] < grey.width else Image.Resampling.BICUBIC)
    return PagePicture(np.asarray(grey, np.uint8), dpi, page, wide, high)


def _on_white(image: Image.Image) -> Image.Image:
    """Return a picture in grey, what is transparent being paper."""
    if "A" in image.getbands() or "transparency" in image.info:
        coloured = image.convert("RGBA")
        paper = Image.new("RGBA", image.size, "white")
        paper.alpha_composite(coloured)
        image = paper
    if image.mode.startswith("I"):  # 16 bits a pixel
        values = np.asarray(image, np.float64)
        return Image.fromarray((values / max(values.max(), 1.0) * 255).astype(np.uint8))
    return image.convert("L")


def _resolution(image: Image.Image) -> tuple[float, float]:
    """Return the dots an inch across and down; guessed from the size of a letter page where none are told."""
    given = image.info.get("dpi", (0, 0))
    across, down = float(given[0] or 0), float(given[1] or 0)
    is_plausible = 60 <= across <= 1300 and 60 <= down <= 1300  # cameras and editors write 1, 72 or nonsense
    of_screen = across <= 96 and max(image.size) / max(across, 1.0) > 2 * _PAGE_INCHES
    if not is_plausible or of_screen:
        across = down = max(image.size) / _PAGE_INCHES
    return max(across, 20.0), max(down, 20.0)
