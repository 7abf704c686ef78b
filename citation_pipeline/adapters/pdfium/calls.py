"""PDFium's character calls, prepared for being made millions of times.

pypdfium2's own bindings convert every argument; here addresses are passed as plain integers, so that
`map` runs the loop in C. Nothing here decides what a character means.
"""

import ctypes
from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray


def _fast(call: Any, returned: Any, *arguments: Any) -> Callable[..., Any]:
    # PYFUNCTYPE keeps the interpreter lock: a release and re-take per character costs more than the call
    prototype = ctypes.PYFUNCTYPE(returned, *arguments)
    return prototype(ctypes.cast(call, ctypes.c_void_p).value or 0)


_unicode = _fast(raw.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_loose_box = _fast(raw.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_text_object = _fast(raw.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


def character_columns(
    text_page: int, count: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.uint64]]:
    """Return code points (n,), loose boxes (n, 4: left, top, right, bottom; PDF space), text objects (n,).

    A text object is its address; 0 for characters that PDFium made up (line ends, spaces).
    """
    indices = range(count)
    pages = repeat(text_page)
    codes = np.fromiter(map(_unicode, pages, indices), np.uint32, count)
    boxes = np.zeros((count, 4), np.float32)
    start = boxes.ctypes.data
    for _ in map(_loose_box, pages, indices, range(start, start + 16 * count, 16)):
        pass
    objects = np.fromiter((found or 0 for found in map(_text_object, pages, indices)), np.uint64, count)
    return codes, boxes.astype(np.float64), objects
