"""One page of an open PDF becomes content: its words, its drawings, and the decision whether to recognize it.

How recognition works is another adapter's business; it arrives here as a `RecognizePage`.
"""

from dataclasses import dataclass, replace

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.annotations import flatten, read_annotations
from citation_pipeline.adapters.pdfium.characters import (
    Font,
    PageText,
    is_readable,
    lacks_characters,
    read_characters,
)
from citation_pipeline.adapters.pdfium.drawings import read_drawings
from citation_pipeline.adapters.pdfium.misleading_figures import Figures
from citation_pipeline.adapters.pdfium.paper import Paper, measure_paper, render
from citation_pipeline.adapters.pdfium.pasted_pictures import pasted_pictures, words_in_pictures
from citation_pipeline.adapters.pdfium.scans import scanned_dots
from citation_pipeline.adapters.pdfium.visibility import look_at
from citation_pipeline.adapters.pdfium.visible_words import PARTLY_SEEN, VisibleWords, visible_words
from citation_pipeline.core.boxes import Box, box_from_edges
from citation_pipeline.core.documents.composition import PageDraft
from citation_pipeline.core.layout.boxed_words import separate_boxes
from citation_pipeline.core.layout.content import (
    FEW_SURE_WORDS,
    NO_PAGE_WORDS,
    Drawings,
    EdgeArray,
    PageContent,
    PagePicture,
    PageWords,
    RecognizePage,
    has_few_sure_words,
    join_words,
    words_of_boxes,
)
from citation_pipeline.core.layout.field_values import FIELD_DIFFERS, differing_words
from citation_pipeline.core.layout.glyphs import unknown_words
from citation_pipeline.core.layout.marks import doubt_words, find_marks, ticks_outside
from citation_pipeline.core.layout.overlaps import words_across
from citation_pipeline.core.layout.pen_strikes import with_strikes
from citation_pipeline.core.layout.pictures import find_rulings
from citation_pipeline.core.layout.squares import find_squares
from citation_pipeline.core.layout.void_marks import void_warnings
from citation_pipeline.core.layout.witnesses import is_no_language, is_shown

_DPI = 200.0  # what fax and office scanners deliver, and what the recognizers were measured at
# a picture over half of the page is a scan, whatever stamp or header lies on it
_SCAN_SHARE = 0.5
_FULL_PAGE_WORDS = 60
_LOOK_DPI, _INK = 72.0, 128  # coarse: only whether there is ink at all
_INK_SHARE = 0.0002  # one short word at 10 points covers some 60 of 485,000 dots
_RULED_INK_SHARE = 0.02  # a few rules are a frame around an empty page


@dataclass(frozen=True, eq=False)
class PageReading:
    """A page as measured, its content for layout, and what went wrong in stable words."""

    draft: PageDraft
    content: PageContent
    warnings: tuple[str, ...] = ()


def read_page(
    document: raw.FPDF_DOCUMENT,
    index: int,
    *,
    form: raw.FPDF_FORMHANDLE | None,
    fonts: dict[int, Font],
    figures: Figures,
    recognize_page: RecognizePage | None,
) -> PageReading | None:
    """Return the page at a 0-based index, or None when PDFium cannot load it."""
    page = raw.FPDF_LoadPage(document, index)
    if not page:
        return None
    try:
        paper = measure_paper(page)
        if form is not None:
            raw.FORM_OnAfterLoadPage(page, form)  # field states are unknown before
        annotations = read_annotations(page, paper, form)
        if form is not None:
            raw.FORM_OnBeforeClosePage(page, form)
        if annotations.is_printed and flatten(page):
            raw.FPDF_ClosePage(page)
            page = raw.FPDF_LoadPage(document, index)
            if not page:
                return None
        text = _text(page, paper, fonts, figures)
        drawn, covers = read_drawings(page, paper)
        drawings = replace(
            drawn,
            comments=annotations.comments,
            signatures=annotations.signatures,
            ticks=annotations.ticks,
        )
        seen = VisibleWords()
        if text is not None:
            hiding = covers.over(page, paper, text)
            seen = visible_words(
                text, paper, drawings, lambda words: look_at(page, paper, words, text, hiding)
            )
            drawings = with_strikes(seen.shown, drawings)
        differing, differs = differing_words(annotations.fields, seen.shown)
        seen.shown.confidences[differing] = PARTLY_SEEN
        reading = _decide(page, index + 1, paper, text, drawings, recognize_page, seen)
        if annotations.has_notes:
            reading = replace(reading, warnings=(*reading.warnings, "unread_notes"))
        if differs:
            reading = replace(reading, warnings=(*reading.warnings, FIELD_DIFFERS))
        return reading
    finally:
        if page:
            raw.FPDF_ClosePage(page)


def read_page_words(document: raw.FPDF_DOCUMENT, index: int, *, fonts: dict[int, Font]) -> PageWords:
    """Return the visible words of the page at a 0-based index, form fields and remarks left out."""
    page = raw.FPDF_LoadPage(document, index)
    if not page:
        return NO_PAGE_WORDS
    try:
        paper = measure_paper(page)
        text = _text(page, paper, fonts)
        return visible_words(text, paper).shown if text is not None else NO_PAGE_WORDS
    finally:
        raw.FPDF_ClosePage(page)


def _text(
    page: raw.FPDF_PAGE, paper: Paper, fonts: dict[int, Font], figures: Figures | None = None
) -> PageText | None:
    text_page = raw.FPDFText_LoadPage(page)
    if not text_page:
        return None
    try:
        return read_characters(text_page, paper, fonts, figures)
    finally:
        raw.FPDFText_ClosePage(text_page)


def _decide(
    page: raw.FPDF_PAGE,
    number: int,
    paper: Paper,
    text: PageText | None,
    drawings: Drawings,
    recognize_page: RecognizePage | None,
    seen: VisibleWords,
) -> PageReading:
    """Choose between the text layer, the recognizer, and both."""
    shown, hidden, readable = seen.shown, seen.hidden, text is None or is_readable(text)
    unknown = unknown_words(shown.texts)
    if recognize_page is not None:
        unknown |= seen.misled  # the picture tells which figures they are
    is_foreign = recognize_page is not None and readable and is_no_language(shown.texts)
    warnings: tuple[str, ...] = ("hidden_text",) if seen.left_out else ()
    if seen.is_doubtful and readable:
        warnings = (*warnings, "doubtful_text_order")
    warnings = (*warnings, *seen.warnings)
    origin, words = "text", shown
    scanned = _largest_share(drawings.images, paper) > _SCAN_SHARE and not _fills_page(shown, paper)
    is_bare = len(shown) == 0 and _has_ink(page, paper, drawings)
    lacks = not readable or len(hidden) > 0 or scanned or is_bare or bool(unknown.any())
    needs = lacks or is_foreign
    if readable and lacks_characters(page, len(text.characters.codes) if text is not None else 0):
        warnings = (*warnings, "unreadable_glyphs")
    if needs and recognize_page is None:
        words, more = _unlooked_at(shown, hidden, unknown, readable=readable)
        warnings = (*warnings, *more)
    elif needs and recognize_page is not None:
        kept = shown.chosen(~unknown) if readable else NO_PAGE_WORDS
        picture = render(page, number=number, paper=paper, dpi=_DPI)
        found = words_of_boxes(
            recognize_page(scanned_dots(page, paper, picture) or picture, known=_as_boxes(hidden, paper)),
            width_pt=paper.width,
            height_pt=paper.height,
        )
        if is_foreign and not is_shown(shown.texts, found.texts):
            kept, readable = NO_PAGE_WORDS, False
        elif not lacks:  # only the layer's language was in doubt
            found = NO_PAGE_WORDS
        if lacks or not readable:
            found, drawings = _with_marks(picture, kept, found, drawings)
        if unknown.any():  # the signs between unknown figures are theirs
            kept = kept.chosen(_have_letters(kept) | ~_covered(kept, found))
        found = found.chosen(~_covered(found, kept))
        if has_few_sure_words(found):
            warnings = (*warnings, FEW_SURE_WORDS)
        words = join_words(kept, found)
        origin = "ocr" if not len(kept) else "mixed" if len(found) else "text"
    elif recognize_page is not None and len(pictures := pasted_pictures(drawings.images, shown, paper)):
        found = words_in_pictures(page, number, paper, pictures, recognize_page, dpi=_DPI)
        words, origin = join_words(shown, found), "mixed" if len(found) else "text"
    warnings = (*warnings, *void_warnings(words, words_across(words)))
    content = PageContent(number, paper.width, paper.height, words, drawings)
    has_layer = readable and len(shown) + len(hidden) > 0
    draft = PageDraft(paper.width, paper.height, paper.rotation, has_layer, origin)
    return PageReading(draft, content, warnings)


def _unlooked_at(
    shown: PageWords, hidden: PageWords, unknown: NDArray[np.bool_], *, readable: bool
) -> tuple[PageWords, tuple[str, ...]]:
    """Return the words of a page whose picture nobody looks at though somebody should, and its warnings."""
    if not readable:
        return NO_PAGE_WORDS, ("unreadable_glyphs",)
    if len(hidden):
        # nobody compared them with the picture
        unsure = replace(hidden, confidences=np.full(len(hidden), PARTLY_SEEN))
        return join_words(shown.chosen(~unknown), unsure), (FEW_SURE_WORDS,)
    if unknown.any():
        return shown.chosen(~unknown), ("unreadable_glyphs",)
    return shown, () if len(shown) else ("no_text_layer",)


def _with_marks(
    picture: PagePicture, kept: PageWords, found: PageWords, drawings: Drawings
) -> tuple[PageWords, Drawings]:
    """Return the words found on a picture and what the page draws: its rules, marks and checkboxes added."""
    rulings = find_rulings(picture)
    marks = find_marks(picture, join_words(kept, found), rulings)
    ticks, _ = separate_boxes(ticks_outside(find_squares(picture), marks), kept)
    ticks, found = separate_boxes(ticks, doubt_words(found, marks))
    return found, replace(
        drawings,
        rulings=np.concatenate([drawings.rulings, rulings]),
        images=np.concatenate([drawings.images, marks.photographs]),
        scribbles=np.concatenate([drawings.scribbles, marks.strokes]),
        ticks=[*drawings.ticks, *ticks],
    )


def _largest_share(images: EdgeArray, paper: Paper) -> float:
    if not len(images):
        return 0.0
    limit = np.array([paper.width, paper.height] * 2)
    edges = np.clip(images, 0.0, limit)
    areas: NDArray[np.float64] = (edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])
    return float(areas.max()) / max(paper.width * paper.height, 1.0)


def _fills_page(words: PageWords, paper: Paper) -> bool:
    """Tell whether a text layer is more than a stamp or a header: the picture behind it is a background."""
    if len(words) < _FULL_PAGE_WORDS:
        return False
    return float(np.ptp(words.edges[:, 1])) > 0.5 * paper.height


def _has_ink(page: raw.FPDF_PAGE, paper: Paper, drawings: Drawings) -> bool:
    """Tell whether a page without words shows anything that could be some: not a frame, not nothing."""
    if len(drawings.images) > 0 or len(drawings.scribbles) + len(drawings.diagonals) > 20:
        return True
    # letters of fonts without a text layer (Type 3, patterns, forms) leave no shapes, but ink they leave
    grey = render(page, number=1, paper=paper, dpi=_LOOK_DPI).grey
    ruled = len(drawings.rulings) + len(drawings.boxes) + len(drawings.fills) > 0
    return float((grey < _INK).mean()) > (_RULED_INK_SHARE if ruled else _INK_SHARE)


def _have_letters(words: PageWords) -> NDArray[np.bool_]:
    return np.array([any(map(str.isalnum, text)) for text in words.texts], np.bool_)


def _as_boxes(words: PageWords, paper: Paper) -> list[tuple[str, Box]]:
    scale = np.array([paper.width, paper.height] * 2)
    return [
        (text, box_from_edges(*edges))
        for text, edges in zip(words.texts, (words.edges / scale).tolist(), strict=True)
    ]


def _covered(found: PageWords, kept: PageWords) -> NDArray[np.bool_]:
    """Mark recognized words whose middle lies in a word that the text layer has anyway."""
    covered = np.zeros(len(found), np.bool_)
    if not len(kept):
        return covered
    x = (found.edges[:, 0] + found.edges[:, 2]) / 2
    y = (found.edges[:, 1] + found.edges[:, 3]) / 2
    for left, top, right, bottom in kept.edges:
        covered |= (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    return covered
