"""Files printed and scanned again: pictures of the pages, a little askew and noisy, without a text layer.

A page may be drawn on before it is scanned (`altered_pages`).
"""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from citation_pipeline.adapters.office.drawing import draw_page
from citation_pipeline.core.documents.parsed import ParsedDocument

DPI = 200
_SKEW = 0.7  # degrees at most, of paper on a scanner's glass
_FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


@dataclass(frozen=True)
class Pen:
    """Draws on a page's picture where boxes of the page frame (fractions) say."""

    image: Image.Image

    def cover(self, box: Sequence[float], text: str, *, color: str = "black") -> None:
        """Paint over a box (left, top, width, height) and print a text there instead."""
        left, top, width, height = self._pixels(box)
        draw = ImageDraw.Draw(self.image)
        paper = self.image.getpixel((max(int(left) - 3, 0), int(top + height / 2)))
        draw.rectangle((left - 1, top - 1, left + width + 1, top + height + 1), fill=paper)
        self.print(box, text, color=color)

    def print(self, box: Sequence[float], text: str, *, color: str = "black") -> None:
        """Print a text into a box: as high as the box allows, and no wider."""
        left, top, width, height = self._pixels(box)
        size = max(int(height), 8)
        font = ImageFont.truetype(_FONT, size)
        while size > 8 and font.getlength(text) > max(width, 12):  # noqa: PLR2004
            size -= 1
            font = ImageFont.truetype(_FONT, size)
        ImageDraw.Draw(self.image).text((left, top + height / 2), text, font=font, fill=color, anchor="lm")

    def _pixels(self, box: Sequence[float]) -> tuple[float, float, float, float]:
        width, height = self.image.size
        return box[0] * width, box[1] * height, box[2] * width, box[3] * height


def scan_again(
    data: bytes,
    document: ParsedDocument,
    *,
    seed: int,
    dpi: int = DPI,
    altered: Mapping[int, Callable[[Pen], None]] | None = None,
) -> bytes:
    """Return a document's pages as a PDF of pictures; `altered` draws on pages (1-based) beforehand."""
    chance = np.random.default_rng(seed)
    pages = []
    for page in document.pages:
        drawn = draw_page(data, document.source.media_type, page.page, dpi / 72)
        if altered and page.page in altered:
            drawn = drawn.convert("RGB")
            altered[page.page](Pen(drawn))
        pages.append(_scanned(drawn.convert("L"), chance))
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:], resolution=dpi, quality=88)
    return out.getvalue()


def _scanned(page: Image.Image, chance: np.random.Generator) -> Image.Image:
    degrees = float(chance.uniform(-_SKEW, _SKEW))
    turned = page.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    moved = turned.transform(
        turned.size,
        Image.Transform.AFFINE,
        (1.0, 0.0, float(chance.uniform(-14, 14)), 0.0, 1.0, float(chance.uniform(-14, 14))),
        Image.Resampling.BICUBIC,
        fillcolor=255,
    )
    grey = np.asarray(moved, np.float64)
    grey = 18 + grey * 0.9 + chance.normal(0, 9, grey.shape)  # paper that is not white, a sensor's noise
    return Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8))
