"""PDFium's character calls, prepared for being made millions of times.

pypdfium2's own bindings convert every argument; here addresses are passed as plain integers, so that
`map` runs the loop in C. Nothing here decides what a character means.
"""

import ctypes
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.core.layout.characters import SHOWN, UNSEEN, WHITE
from citation_pipeline.core.layout.glyphs import UNKNOWN


def _fast(call: Any, returned: Any, *arguments: Any) -> Callable[..., Any]:
    # PYFUNCTYPE keeps the interpreter lock: a release and re-take per character costs more than the call
    prototype = ctypes.PYFUNCTYPE(returned, *arguments)
    return prototype(ctypes.cast(call, ctypes.c_void_p).value or 0)


_unicode = _fast(raw.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_text = _fast(
    raw.FPDFText_GetText, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p
)
_UNSAID = 0xFFFE  # what the text has for characters that are none: a hyphen at a line's end
_HYPHEN = 2  # what `_unicode` has for it
_is_hyphen = _fast(raw.FPDFText_IsHyphen, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_loose_box = _fast(raw.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
# an address, and 0 where there is none: ctypes makes None of a null pointer. Without types of arguments a
# call takes half of the time; then pointers have to come as `c_void_p`
_text_object = _fast(raw.FPDFText_GetTextObject, ctypes.c_size_t)

_page_object = _fast(raw.FPDFPage_GetObject, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int)
_form_object = _fast(raw.FPDFFormObj_GetObject, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_ulong)
_object_kind = _fast(raw.FPDFPageObj_GetType, ctypes.c_int, ctypes.c_void_p)
_object_bounds = _fast(
    raw.FPDFPageObj_GetBounds,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
)
_object_matrix = _fast(raw.FPDFPageObj_GetMatrix, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_stroke_width = _fast(raw.FPDFPageObj_GetStrokeWidth, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_draw_mode = _fast(raw.FPDFPath_GetDrawMode, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)

switch = _fast(raw.FPDFPageObj_SetIsActive, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
"""Draw the object at an address, or (with 0) leave it out."""

segment_count = _fast(raw.FPDFPath_CountSegments, ctypes.c_int, ctypes.c_void_p)
"""Count the segments of the path at an address."""

_count_marks = _fast(raw.FPDFPageObj_CountMarks, ctypes.c_int, ctypes.c_void_p)
_mark = _fast(raw.FPDFPageObj_GetMark, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_ulong)
_mark_text = _fast(
    raw.FPDFPageObjMark_GetParamStringValue,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.c_ulong,
    ctypes.c_void_p,
)

_matrix = _fast(raw.FPDFText_GetMatrix, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_origin = _fast(
    raw.FPDFText_GetCharOrigin,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
)
_font_size = _fast(raw.FPDFText_GetFontSize, ctypes.c_double, ctypes.c_void_p, ctypes.c_int)
_unmapped = _fast(raw.FPDFText_HasUnicodeMapError, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_render_mode = _fast(raw.FPDFTextObj_GetTextRenderMode, ctypes.c_int, ctypes.c_void_p)
_fill_colour = _fast(
    raw.FPDFPageObj_GetFillColor,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
)
_font = _fast(raw.FPDFTextObj_GetFont, ctypes.c_void_p, ctypes.c_void_p)
_segment = _fast(raw.FPDFPath_GetPathSegment, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_segment_type = _fast(raw.FPDFPathSegment_GetType, ctypes.c_int, ctypes.c_void_p)
_segment_point = _fast(
    raw.FPDFPathSegment_GetPoint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
_segment_close = _fast(raw.FPDFPathSegment_GetClose, ctypes.c_int, ctypes.c_void_p)

_glyph_path = _fast(
    raw.FPDFFont_GetGlyphPath, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint, ctypes.c_float
)
_base_name = _fast(
    raw.FPDFFont_GetBaseFontName, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
)
_LONGEST_NAME, _SUBSET = 128, 7
_count_in_glyph = _fast(raw.FPDFGlyphPath_CountGlyphSegments, ctypes.c_int, ctypes.c_void_p)
_in_glyph = _fast(raw.FPDFGlyphPath_GetGlyphPathSegment, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_tight_box = _fast(
    raw.FPDFText_GetCharBox,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
)

Run = tuple[float, float, float, float, float, float, float, bool, int, bool, int]
"""Matrix a, b, c, d; origin x, y; font size; outlined as well; hidden; unmapped; address of the font."""

_FILL_AND_STROKE = 2  # how word processors embolden a font that has no bold
_WHITE = 250  # of 255
_INVISIBLE_MODES = (3, 7)  # neither filled nor stroked; 7 only adds to the clip


class RunReader:
    """Reads what the characters of one text object share; its buffers are used again for each."""

    def __init__(self, text_page: int) -> None:
        self._text_page = text_page
        self._floats = (ctypes.c_float * 6)()
        self._doubles = (ctypes.c_double * 2)()
        self._colour = (ctypes.c_uint * 4)()
        self._at = [ctypes.addressof(buffer) for buffer in (self._floats, self._doubles, self._colour)]

    def read(self, index: int, item: int) -> Run:
        """Return the look of the text object at address `item`, which the character at `index` is part of."""
        floats, doubles, colour = self._at
        _matrix(self._text_page, index, floats)
        _origin(self._text_page, index, doubles, doubles + 8)
        a, b, c, d = self._floats[:4]
        mode = _render_mode(item)
        hidden = UNSEEN if mode in _INVISIBLE_MODES else SHOWN
        if not hidden and _fill_colour(item, colour, colour + 4, colour + 8, colour + 12):
            red, green, blue, alpha = self._colour
            hidden = UNSEEN if alpha == 0 else WHITE if min(red, green, blue) > _WHITE else SHOWN
        size = _font_size(self._text_page, index)
        unmapped = _unmapped(self._text_page, index) == 1
        return (
            a,
            b,
            c,
            d,
            self._doubles[0],
            self._doubles[1],
            size,
            mode == _FILL_AND_STROKE,
            hidden,
            unmapped,
            _font(item) or 0,
        )


def says_its_text(item: int) -> bool:
    """Tell whether the text object at an address is marked with other text than its glyphs' (ActualText)."""
    count = _count_marks(item)
    if count <= 0:
        return False
    length = ctypes.c_ulong()
    for index in range(count):
        mark = _mark(item, index)
        if mark and _mark_text(mark, b"ActualText", None, 0, ctypes.addressof(length)):
            return True
    return False


_FourFloats, _SixFloats, _FourNumbers = ctypes.c_float * 4, ctypes.c_float * 6, ctypes.c_uint * 4

Object = tuple[int, int]
"""Address and kind of a page object."""


def page_objects(page: raw.FPDF_PAGE, most: int | None = None) -> list[Object]:
    """Return a page's first objects in drawing order, those inside forms left out."""
    count = raw.FPDFPage_CountObjects(page)
    return _objects(
        _page_object, ctypes.addressof(page.contents), count if most is None else min(count, most)
    )


def form_objects(form: int, most: int | None = None) -> list[Object]:
    """Return the first objects of the form at an address."""
    count = max(raw.FPDFFormObj_CountObjects(ctypes.cast(form, raw.FPDF_PAGEOBJECT)), 0)
    return _objects(_form_object, form, count if most is None else min(count, most))


def _objects(call: Callable[..., Any], holder: int, count: int) -> list[Object]:
    addresses = list(map(call, repeat(holder), range(count)))
    return list(zip(addresses, map(_object_kind, addresses), strict=True))


def object_bounds(item: int) -> tuple[float, float, float, float]:
    """Return left, bottom, right, top of the object at an address, in the space that it is drawn in."""
    edges = _FourFloats()
    at = ctypes.addressof(edges)
    _object_bounds(item, at, at + 4, at + 8, at + 12)
    left, bottom, right, top = edges
    return left, bottom, right, top


def object_matrix(item: int) -> tuple[float, float, float, float, float, float] | None:
    """Return the matrix of the object at an address."""
    matrix = _SixFloats()
    if not _object_matrix(item, ctypes.addressof(matrix)):
        return None
    a, b, c, d, e, f = matrix
    return a, b, c, d, e, f


def stroke_width(item: int) -> float:
    """Return the width of the pen that draws the object at an address, 0 where there is none."""
    width = ctypes.c_float()
    return width.value if _stroke_width(item, ctypes.addressof(width)) else 0.0


def is_white(item: int) -> bool:
    """Tell whether the object at an address is filled with white, or with nothing."""
    colour = _FourNumbers()
    at = ctypes.addressof(colour)
    _fill_colour(item, at, at + 4, at + 8, at + 12)
    red, green, blue, alpha = colour
    return min(red, green, blue) > _WHITE or alpha == 0


def draw_mode(path: int) -> tuple[bool, bool]:
    """Tell whether the path at an address is filled, and whether it is stroked."""
    filled, stroked = ctypes.c_int(), ctypes.c_int()
    _draw_mode(path, ctypes.addressof(filled), ctypes.addressof(stroked))
    return filled.value != 0, stroked.value != 0


Segment = tuple[int, float, float, int]
"""Kind, x, y, and whether it closes its subpath (0 or 1)."""


def path_segments(path: int, count: int) -> list[Segment]:
    """Return the segments of the path at an address, in the path's own coordinates."""
    segments = list(map(_segment, repeat(path), range(count)))
    points = _points_of(segments)
    kinds, closes = map(_segment_type, segments), map(_segment_close, segments)
    return list(zip(kinds, points[::2], points[1::2], closes, strict=True))


def font_name(font: int) -> str:
    """Return the name of the font at an address, without what tells subsets of it apart."""
    buffer = ctypes.create_string_buffer(_LONGEST_NAME)
    _base_name(font, ctypes.addressof(buffer), _LONGEST_NAME)
    name = buffer.value.decode("latin-1")
    return name[_SUBSET:] if name[_SUBSET - 1 : _SUBSET] == "+" else name


GlyphSegment = tuple[int, float, float]
"""Kind, x, y."""


def glyph_segments(font: int, code: int, most: int) -> tuple[GlyphSegment, ...]:
    """Return the outline that the font at an address has for a character, if of at most `most` segments."""
    path = _glyph_path(font, code, 1000.0)
    count = _count_in_glyph(path) if path else 0
    if not 0 < count <= most:
        return ()
    segments = list(map(_in_glyph, repeat(path), range(count)))
    points = _points_of(segments)
    return tuple(zip(map(_segment_type, segments), points[::2], points[1::2], strict=True))


def _points_of(segments: Sequence[int]) -> ctypes.Array[ctypes.c_float]:
    """Return x and y of the segments at some addresses, one behind the other."""
    count = len(segments)
    points = (ctypes.c_float * (2 * count))()
    at = ctypes.addressof(points)
    deque(
        map(_segment_point, segments, range(at, at + 8 * count, 8), range(at + 4, at + 8 * count, 8)),
        maxlen=0,
    )
    return points


def character_columns(
    text_page: int, count: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.uint64]]:
    """Return code points (n,), loose boxes (n, 4: left, top, right, bottom; PDF space), text objects (n,).

    A text object is its address; 0 for characters that PDFium made up (line ends, spaces).
    """
    indices = range(count)
    boxes = np.zeros((count, 4), np.float32)
    start = boxes.ctypes.data
    deque(map(_loose_box, repeat(text_page), indices, range(start, start + 16 * count, 16)), maxlen=0)
    objects = array("Q", map(_text_object, repeat(ctypes.c_void_p(text_page)), indices))
    return _codes(text_page, count), boxes.astype(np.float64), np.frombuffer(objects, np.uint64)


def tight_boxes(text_page: int, at: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the boxes of some characters' ink, shape (n, 4): left, right, bottom, top; PDF space."""
    boxes = np.zeros((len(at), 4))
    start, count = boxes.ctypes.data, 32 * len(at)
    places = [range(start + 8 * side, start + 8 * side + count, 32) for side in range(4)]
    deque(map(_tight_box, repeat(text_page), at.tolist(), *places), maxlen=0)
    return boxes


def _codes(text_page: int, count: int) -> NDArray[np.uint32]:
    """Return the code points of a page's characters, by one call where its text has one unit for each."""
    units = np.zeros(2 * count + 1, np.uint16)
    written = _text(text_page, 0, count, units.ctypes.data)  # with an end mark
    codes = units[:count].astype(np.uint32)
    whole = written == count + 1 and not ((codes >= 0xD800) & (codes < 0xE000)).any()
    unsaid = np.flatnonzero(codes == _UNSAID) if whole else np.arange(count)
    codes[codes == _HYPHEN] = UNKNOWN  # said as such, it is a glyph's number
    codes[unsaid] = [_unicode(text_page, at) for at in unsaid.tolist()]
    if not whole:
        for at in np.flatnonzero(codes == _HYPHEN).tolist():
            codes[at] = _HYPHEN if _is_hyphen(text_page, at) == 1 else UNKNOWN
    return codes
