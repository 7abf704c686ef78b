"""A page's image with places marked on it. Runs in a worker process."""

import io
from collections.abc import Sequence

from PIL import Image, ImageChops, ImageDraw

from citation_pipeline.serving.rendering.documents import draw_page_image

Sides = tuple[float, float, float, float]

_MARKER = (255, 226, 89)  # multiplied into the paper, as a text marker does: the ink stays black
_EDGE = (214, 140, 0)
_MARGIN = 0.003  # of the page's width around a word's box


def draw_cited_page(
    path: str, sha256: str, media_type: str, page: int, width: int, boxes: Sequence[Sides]
) -> bytes:
    """Return a page (1-based) as PNG with boxes (page frame) marked."""
    drawn = Image.open(io.BytesIO(draw_page_image(path, sha256, media_type, page, width))).convert("RGB")
    paper = Image.new("RGB", drawn.size, (255, 255, 255))
    edges = ImageDraw.Draw(paper)
    for left, top, box_width, box_height in boxes:
        margin = _MARGIN * drawn.width
        corners = (
            left * drawn.width - margin,
            top * drawn.height - margin,
            (left + box_width) * drawn.width + margin,
            (top + box_height) * drawn.height + margin,
        )
        edges.rectangle(corners, fill=_MARKER, outline=_EDGE)
    out = io.BytesIO()
    marked = ImageChops.multiply(drawn, paper)
    # few colours are enough for paper, ink and a marker, and make the image half as large
    marked.quantize(colors=64, method=Image.Quantize.FASTOCTREE).save(out, "PNG", optimize=True)
    return out.getvalue()
