"""A page through a fax machine: black and white, slightly skewed, speckled, without a text layer.

The skew is a shear in whole pixels, first along y and then along x, so that ink moves by the same integers on
every machine and boxes follow it. What the page says is drawn elsewhere.
"""

import random
from io import BytesIO

import numpy as np
import pypdfium2
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from citation_pipeline_tests.sample_claim.drawing import Box

DPI = 200  # a "fine" fax is 204 x 196
SLOPE = (3, 250)  # 0.7 degrees: pixels down for so many pixels across


def scan(pdf: bytes, *, seed: int) -> bytes:
    """The same pages as pictures."""
    source, out, draw = pypdfium2.PdfDocument(pdf), BytesIO(), random.Random(seed)
    canvas = Canvas(out, invariant=1, pageCompression=1)
    for page in source:
        width, height = page.get_size()
        grey = page.render(scale=DPI / 72, grayscale=True).to_numpy()
        ink = _skew(np.ascontiguousarray(grey.reshape(grey.shape[:2])) < 150)
        _speckle(ink, draw)
        picture = Image.fromarray(np.where(ink, 0, 255).astype(np.uint8)).convert("1")
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(picture), 0, 0, width, height)
        canvas.showPage()
        page.close()
    source.close()
    canvas.save()
    return out.getvalue()


def skewed(box: Box, *, width: float, height: float) -> Box:
    """Where a recorded box (fractions of a page of so many points) lies after the scan: around its corners.

    Right for boxes of a word or two; around a long line it would be as tall as the slope.
    """
    rise, run = SLOPE
    x0, x1 = box.left * width, (box.left + box.width) * width
    y0, y1 = box.top * height, (box.top + box.height) * height
    y0, y1 = y0 + (x0 - width / 2) * rise / run, y1 + (x1 - width / 2) * rise / run
    x0, x1 = x0 - (y1 - height / 2) * rise / run, x1 - (y0 - height / 2) * rise / run
    return Box(
        round(x0 / width, 5),
        round(y0 / height, 5),
        round((x1 - x0) / width, 5),
        round((y1 - y0) / height, 5),
        box.text,
    )


def _skew(ink: np.ndarray) -> np.ndarray:
    rise, run = SLOPE
    height, width = ink.shape
    for x in range(width):
        ink[:, x] = np.roll(ink[:, x], (x - width // 2) * rise // run)
    for y in range(height):
        ink[y] = np.roll(ink[y], -((y - height // 2) * rise // run))
    return ink


def _speckle(ink: np.ndarray, draw: random.Random) -> None:
    height, width = ink.shape
    for _ in range(1400):
        y, x = draw.randrange(height - 2), draw.randrange(width - 2)
        ink[y : y + draw.randint(1, 2), x : x + draw.randint(1, 2)] = True
    column = draw.randrange(width // 3, width // 2)
    ink[: height // 5, column] = True  # a streak, as from dust on the glass
