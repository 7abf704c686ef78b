"""A page as the bytes that a model is sent: drawn, fitted to its size, encoded small.

Run in a worker process alone: what is drawn may be hostile.
"""

import hashlib
import io
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from citation_pipeline.adapters.office.attached_files import read_document
from citation_pipeline.adapters.office.drawing import draw_page

MOST_BYTES = 600_000
"""Of one picture: twenty of them, as text, stay below the 20 MB that the strictest provider takes at once."""
_GREYS = 16  # steps of grey: letters look the same as with 256
_COLOURED = 24  # by which channels of a page differ that is more than paper and ink
_QUALITIES = (85, 70, 50, 30)


class ChangedContentError(Exception):
    """A file that is not the one which was parsed."""


def picture_of(path: Path, sha256: str, media_type: str, page: int, *, scale: float, size: tuple[int, int],
               passwords: tuple[str, ...] = ()) -> bytes:  # fmt: skip
    """Return a page (1-based) as PNG or JPEG of that size; `scale` is pixels a point."""
    data = _content(path, sha256)
    drawn = draw_page(data, media_type, page, scale, passwords=passwords)
    if drawn.size != size:
        drawn = drawn.resize(size, Image.Resampling.LANCZOS)
    return encode(drawn)


def encode(drawn: Image.Image) -> bytes:
    """Return a grey page as PNG, which is sharp; one that is too large for that, or coloured, as JPEG."""
    pixels = np.asarray(drawn.convert("RGB"))
    is_grey = int((pixels.max(axis=2) - pixels.min(axis=2)).max()) <= _COLOURED
    if is_grey:
        drawn = drawn.convert("L")
        out = io.BytesIO()
        step = 255 / (_GREYS - 1)
        drawn.point([round(round(grey / step) * step) for grey in range(256)]).save(out, "PNG", optimize=True)
        if out.tell() <= MOST_BYTES:
            return out.getvalue()
    data = b""
    for quality in _QUALITIES:
        out = io.BytesIO()
        drawn.save(out, "JPEG", quality=quality, optimize=True)
        data = out.getvalue()
        if len(data) <= MOST_BYTES:
            break
    return data


@lru_cache(maxsize=1)  # a document's pages are drawn one after the other
def _content(path: Path, sha256: str) -> bytes:
    data = read_document(path)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ChangedContentError
    return data
