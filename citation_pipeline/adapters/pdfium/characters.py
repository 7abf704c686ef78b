"""PDFium's characters as columns in the paper frame, with what each run of them looks like.

A run is a stretch of characters of one text object: they share font, size, direction and visibility, so
these are asked for once. Words are made in `core.layout.characters`.
"""

import ctypes
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.calls import (
    Run,
    RunReader,
    character_columns,
    page_objects,
    says_its_text,
    tight_boxes,
)
from citation_pipeline.adapters.pdfium.misleading_figures import Figures
from citation_pipeline.adapters.pdfium.paper import Paper
from citation_pipeline.core.layout.characters import UNSEEN, Characters, to_paper, to_reading
from citation_pipeline.core.layout.content import EdgeArray
from citation_pipeline.core.layout.glyphs import UNKNOWN, spelled

# ascent and descent of the fonts that need not be embedded (Adobe's metrics; substitutes differ)
_STANDARD = {
    "helvetica": (0.718, 0.207),
    "arial": (0.718, 0.207),
    "times": (0.683, 0.217),
    "courier": (0.629, 0.157),
}
_BOLD_NAME = re.compile(r"bold|black|heavy|demi|bx\d|bd(it)?$|medi(ital)?$")
_FORCE_BOLD = 1 << 18
_FAR = 1e6  # points; the largest page measures 14,400
# a third of the glyphs being unreadable is a font without a map, not an odd symbol
_UNREADABLE_SHARE = 0.3
# European languages have 35-45 % vowels; glyph numbers read as letters have under 15 %
_FEWEST_VOWELS = 0.17
_ENOUGH_LETTERS = 120
_VOWELS = np.array([chr(code) in "aeiouy" for code in range(128)])


_HYPHEN = 2  # what the library says for one at a line's end
# codes of signs without a width, and of what steers a device; spaces are asked of no font: some give them ink
_HAS_NO_INK = np.zeros(0xFF01, np.bool_)  # the last of them stands for all beyond
_HAS_NO_INK[[*range(1, 9), 11, 12, *range(14, 32), *range(0x7F, 0xA0), *range(0x200B, 0x2010)]] = True
_HAS_NO_INK[[*range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF]] = True
_HAS_NO_INK[_HYPHEN] = False

_FEWEST_PIECES, _LEAST_CHARACTERS = 20, 0.5  # pieces of text on a page, and characters for each


@dataclass(frozen=True, slots=True)
class Font:
    """What layout wants to know of a font; `ascent` and `descent` are shares of the size, both positive."""

    ascent: float
    descent: float
    bold: bool
    borrowed: bool = False
    """Not in the file: drawn with a font of the library's, which may not have its letters."""


@dataclass(frozen=True, eq=False)
class PageText:
    """The characters of a page and how many of them have no trustworthy Unicode value.

    `pieces` are, by run, the addresses of the text objects (0 for made up characters); `borrows_fonts` tells
    whether the file lacks a font that the page uses; the text of `marked_runs` is mirrored, or not their
    glyphs' but what the file says that they mean, and figures of the `misleading_runs` are not those that
    they show.
    """

    characters: Characters
    unmapped: int
    pieces: NDArray[np.uint64]
    borrows_fonts: bool = False
    marked_runs: Sequence[int] = ()
    misleading_runs: Sequence[int] = ()

    def paper_edges(self, paper: Paper) -> EdgeArray:
        """Return the characters' edges on the paper, whatever direction they read in."""
        edges = self.characters.edges.copy()
        for quarter in (1, 2, 3):
            where = self.characters.turns == quarter
            if where.any():
                edges[where] = to_paper(edges[where], quarter, width=paper.width, height=paper.height)
        return edges


def lacks_characters(page: raw.FPDF_PAGE, count: int) -> bool:
    """Tell whether most pieces of a page's text gave no character: a font that neither shows nor tells them.

    A PDF names its fonts; of one that is neither inside nor known here (Japanese print of the nineties),
    PDFium draws nothing and reads nothing, and the page looks empty.
    """
    objects = raw.FPDFPage_CountObjects(page)
    if objects <= _FEWEST_PIECES or count >= _LEAST_CHARACTERS * objects:
        return False
    pieces = sum(kind == raw.FPDF_PAGEOBJ_TEXT for _, kind in page_objects(page))
    return bool(pieces > _FEWEST_PIECES and count < _LEAST_CHARACTERS * pieces)


def read_characters(
    text_page: raw.FPDF_TEXTPAGE, paper: Paper, fonts: dict[int, Font], figures: Figures | None = None
) -> PageText | None:
    """Return a page's characters, or None when it has none. `fonts` and `figures` serve one document."""
    count = raw.FPDFText_CountChars(text_page)
    if count <= 0:
        return None
    page = ctypes.addressof(text_page.contents)
    codes, boxes, objects = character_columns(page, count)
    codes[_drawn_without_code(page, codes, objects)] = UNKNOWN
    edges = paper.from_pdf(boxes)
    starts = np.flatnonzero(np.concatenate([[True], objects[1:] != objects[:-1]]))
    lengths = np.diff(np.append(starts, count))
    of_run = np.repeat(np.arange(len(starts), dtype=np.int32), lengths)
    runs = np.zeros((len(starts), 8))  # baseline, size, ascent, descent, bold, turns, hidden, slanted
    addresses = objects[starts].tolist()
    unmapped, borrows = 0, False
    marked: list[int] = []
    looks: list[Run | None] = []
    reader = RunReader(page)
    for row, (start, address) in enumerate(zip(starts.tolist(), addresses, strict=True)):
        looks.append(None)
        if address:
            run = reader.read(start, address)
            font = _font(run[-1], fonts)
            borrows |= font.borrowed
            runs[row] = _place(run, font, paper)
            if says_its_text(address) or _is_mirrored(run):
                marked.append(row)
            else:
                looks[row] = run
            if run[-2]:
                unmapped += int(lengths[row])
        elif row:
            runs[row] = runs[row - 1]
    baseline, size, ascent, descent, bold, turns, hidden, slanted = runs.T[:, of_run]
    for quarter in (1, 2, 3):
        where = turns == quarter
        if where.any():
            edges[where] = to_reading(edges[where], quarter, width=paper.width, height=paper.height)
    level = (slanted == 0) & (size > 0)
    edges[level, 1] = (baseline - ascent * size)[level]
    edges[level, 3] = (baseline + descent * size)[level]
    edges, baseline, size = _finite(edges), _finite(baseline), np.maximum(_finite(size, nan=0.0), 0.0)
    characters = Characters(
        codes=codes,
        edges=edges,
        baselines=np.where(level, baseline, edges[:, 3]),
        sizes=np.where(size > 0, size, np.maximum(edges[:, 3] - edges[:, 1], 1.0)),
        bold=bold > 0,
        turns=turns.astype(np.int8),
        hidden=hidden.astype(np.int8),
        runs=of_run,
        slanted=slanted > 0,
    )
    misleading = figures.look(page, codes, boxes, of_run, looks) if figures is not None else ()
    return PageText(spelled(characters), unmapped, objects[starts], borrows, marked, misleading)


def _finite(places: NDArray[np.float64], *, nan: float = -_FAR) -> NDArray[np.float64]:
    """Return places without infinite ones, which broken matrices give: far off the page they are left out."""
    found: NDArray[np.float64] = np.clip(
        np.nan_to_num(places, nan=nan, posinf=_FAR, neginf=-_FAR), -_FAR, _FAR
    )
    return found


def _drawn_without_code(
    text_page: int, codes: NDArray[np.uint32], objects: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Return which characters have ink though their code is of none.

    A font's own number of a glyph is said to be its code: a ligature, a micro sign, a minus.
    """
    at = np.flatnonzero((objects != 0) & _HAS_NO_INK[np.minimum(codes, len(_HAS_NO_INK) - 1)])
    if not len(at):
        return at
    ink = tight_boxes(text_page, at)
    return at[(ink[:, 1] > ink[:, 0]) & (ink[:, 3] > ink[:, 2])]


def _place(run: Run, font: Font, paper: Paper) -> tuple[float, ...]:
    """Return a run's baseline in its reading frame, size, ascent, descent, bold, turns, hidden, slanted."""
    a, b, c, d, x, y, size, is_bold, hidden, _, _ = run
    if not all(map(math.isfinite, (a, b, c, d, x, y, size))):
        return -_FAR, 0.0, font.ascent, font.descent, font.bold, 0, UNSEEN, False  # a broken matrix
    if size < 0:  # `-12 Tf` turns the glyphs by half a turn: with a negated matrix they read upright
        a, b, c, d, size = -a, -b, -c, -d, -size
    angle = math.degrees(math.atan2(b, a))
    quarter = round(angle / 90)
    turns = (paper.rotation // 90 - quarter) % 4
    across, down = paper.point(x, y)
    baseline = down if turns == 0 else (paper.width - across, paper.height - down, across)[turns - 1]
    up, low = font.ascent, font.descent
    if _is_mirrored(run):
        up, low = low, up  # mirrored: the letters hang from their baseline
    slanted = abs(angle - 90 * quarter) > 0.5
    return baseline, size * math.hypot(c, d), up, low, font.bold or is_bold, turns, hidden, slanted


def _is_mirrored(run: Run) -> bool:
    """Tell whether a run reads as in a mirror: print of the sheet's other side that shows through."""
    a, b, c, d, *_ = run
    return bool(a * d < b * c)


def _font(address: int, fonts: dict[int, Font]) -> Font:
    if not address:
        return Font(0.75, 0.25, bold=False)
    if address not in fonts:
        fonts[address] = _measure(ctypes.cast(address, raw.FPDF_FONT))
    return fonts[address]


def _measure(handle: raw.FPDF_FONT) -> Font:
    buffer = ctypes.create_string_buffer(128)
    raw.FPDFFont_GetBaseFontName(handle, buffer, 128)
    name = buffer.value.decode("latin-1", "replace").lower()
    bold = (
        _BOLD_NAME.search(name) is not None
        # PDFium guesses other weights from stem widths, often far too high
        or raw.FPDFFont_GetWeight(handle) == 700
        or bool(max(raw.FPDFFont_GetFlags(handle), 0) & _FORCE_BOLD)
    )
    borrowed = not raw.FPDFFont_GetIsEmbedded(handle)
    if borrowed:
        for family, (ascent, descent) in _STANDARD.items():
            if name.startswith(family):
                return Font(ascent, descent, bold, borrowed)
    up, down = ctypes.c_float(), ctypes.c_float()
    raw.FPDFFont_GetAscent(handle, 1.0, up)
    raw.FPDFFont_GetDescent(handle, 1.0, down)
    ascent, descent = up.value, -down.value
    if ascent <= 0.1 or ascent > 3 or descent < -0.5:
        # a descriptor that says nothing: the shape of a usual Latin font
        return Font(0.75, 0.25, bold, borrowed)
    # referees clamp the same way: some fonts claim twice the line height
    return Font(min(ascent, 1.05), min(max(descent, 0.0), 0.4), bold, borrowed)


def is_readable(text: PageText) -> bool:
    """Tell whether a page's characters are text, or what a font without a Unicode map leaves of it.

    Unmapped glyphs alone prove nothing: many fonts of charts have names for their glyphs and no map.
    """
    codes = text.characters.codes
    printed = codes[(codes > 32) & (codes != 0xA0)]
    if not len(printed):
        return True
    private = (printed >= 0xE000) & (printed < 0xF900) & ~((printed >= 0xF020) & (printed <= 0xF0FF))
    odd = (printed == 0xFFFD) | private | ((printed >= 0x7F) & (printed < 0xA0)) | (printed > 0x10FFFF)
    if odd.mean() > _UNREADABLE_SHARE:
        return False
    if text.unmapped > _UNREADABLE_SHARE * len(printed) and (printed > 0x17F).mean() > _UNREADABLE_SHARE:
        return False
    letters = printed[((printed >= 65) & (printed <= 90)) | ((printed >= 97) & (printed <= 122))]
    if len(letters) < _ENOUGH_LETTERS or len(letters) < 0.5 * len(printed):
        return True
    return float(_VOWELS[letters | 32].mean()) > _FEWEST_VOWELS
