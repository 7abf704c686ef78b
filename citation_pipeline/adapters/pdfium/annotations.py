"""Form fields and remarks: printed into the page so that they read like everything else on it.

PDFium draws a field's value from its appearance, which it builds where the file brings none. Flattening
(in memory) turns appearances into page content; so their words have true boxes and nothing here guesses.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pypdfium2.raw as raw

from citation_pipeline.adapters.pdfium.paper import Paper
from citation_pipeline.core.layout.content import NO_EDGES, EdgeArray, Tick

_PRINTED = (
    raw.FPDF_ANNOT_WIDGET,
    raw.FPDF_ANNOT_FREETEXT,
    raw.FPDF_ANNOT_STAMP,
    raw.FPDF_ANNOT_INK,
    raw.FPDF_ANNOT_SQUARE,
    raw.FPDF_ANNOT_CIRCLE,
    raw.FPDF_ANNOT_POLYGON,
    raw.FPDF_ANNOT_LINE,
    raw.FPDF_ANNOT_POLYLINE,
    raw.FPDF_ANNOT_STRIKEOUT,
    raw.FPDF_ANNOT_REDACT,
)
_NOTED = (
    raw.FPDF_ANNOT_TEXT,
    raw.FPDF_ANNOT_HIGHLIGHT,
    raw.FPDF_ANNOT_UNDERLINE,
    raw.FPDF_ANNOT_SQUIGGLY,
    raw.FPDF_ANNOT_STRIKEOUT,
    raw.FPDF_ANNOT_CARET,
)
"""Remarks whose words stand in a window of the reader program's, not on the page."""
_HIDDEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_LONGEST_VALUE = 20_000  # bytes of a field's value
_MAX_ANNOTATIONS = 2_000  # a page with more is an attack or a drawing, not a form


@contextmanager
def form_environment(document: raw.FPDF_DOCUMENT) -> Iterator[raw.FPDF_FORMHANDLE | None]:
    """Open what PDFium needs to know field values; None for a document without a form."""
    if raw.FPDF_GetFormType(document) == raw.FORMTYPE_NONE:
        yield None
        return
    settings = raw.FPDF_FORMFILLINFO(version=2)
    handle = raw.FPDFDOC_InitFormFillEnvironment(document, settings)
    try:
        yield handle or None
    finally:
        if handle:
            raw.FPDFDOC_ExitFormFillEnvironment(handle)


def is_dynamic_form(document: raw.FPDF_DOCUMENT) -> bool:
    """Tell whether what the document shows is in an XFA form, and its pages only say to wait for it.

    A static XFA form has pages with fields as any other form; a dynamic one asks to be drawn anew, or at
    least has no field on its pages.
    """
    kind = raw.FPDF_GetFormType(document)
    if kind == raw.FORMTYPE_XFA_FULL:
        return True
    return bool(kind == raw.FORMTYPE_XFA_FOREGROUND) and not any(
        _has_fields(document, index) for index in range(raw.FPDF_GetPageCount(document))
    )


def _has_fields(document: raw.FPDF_DOCUMENT, index: int) -> bool:
    page = raw.FPDF_LoadPage(document, index)
    if not page:
        return False
    try:
        for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
            annotation = raw.FPDFPage_GetAnnot(page, number)
            if annotation:
                kind = raw.FPDFAnnot_GetSubtype(annotation)
                raw.FPDFPage_CloseAnnot(annotation)
                if kind == raw.FPDF_ANNOT_WIDGET:
                    return True
        return False
    finally:
        raw.FPDF_ClosePage(page)


Place = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Annotations:
    """What a page's annotations are; `is_printed` says whether flattening would add anything, `has_notes`
    whether some say what the page does not show. `fields` are the values of text fields and their places."""

    is_printed: bool = False
    has_notes: bool = False
    comments: EdgeArray = field(default_factory=lambda: NO_EDGES)
    signatures: EdgeArray = field(default_factory=lambda: NO_EDGES)
    ticks: tuple[Tick, ...] = ()
    fields: tuple[tuple[str, Place], ...] = ()


def read_annotations(page: raw.FPDF_PAGE, paper: Paper, form: raw.FPDF_FORMHANDLE | None) -> Annotations:
    """Return the page's visible annotations; `form` is the document's form environment, if it has one."""
    printed = noted = False
    comments: list[tuple[float, ...]] = []
    signatures: list[tuple[float, ...]] = []
    ticks: list[Tick] = []
    fields: list[tuple[str, Place]] = []
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            kind = raw.FPDFAnnot_GetSubtype(annotation)
            hidden = raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN
            noted |= kind in _NOTED and not hidden and _says_something(annotation)
            if kind not in _PRINTED or hidden:
                continue
            printed = True
            noted |= kind == raw.FPDF_ANNOT_STAMP and not _has_appearance(annotation)
            box = raw.FS_RECTF()
            raw.FPDFAnnot_GetRect(annotation, box)
            edges = paper.from_pdf(np.array([[box.left, box.bottom, box.right, box.top]]))[0]
            place = (float(edges[0]), float(edges[1]), float(edges[2]), float(edges[3]))
            if kind == raw.FPDF_ANNOT_FREETEXT:
                comments.append(place)
            elif kind == raw.FPDF_ANNOT_WIDGET and form is not None:
                field_type = raw.FPDFAnnot_GetFormFieldType(form, annotation)
                if field_type == raw.FPDF_FORMFIELD_SIGNATURE:
                    signatures.append(place)
                elif field_type in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
                    ticks.append(Tick(bool(raw.FPDFAnnot_IsChecked(form, annotation)), place))
                elif field_type == raw.FPDF_FORMFIELD_TEXTFIELD:
                    fields.append((_value_of(form, annotation), place))
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    return Annotations(printed, noted, _rows(comments), _rows(signatures), tuple(ticks), tuple(fields))


def _value_of(form: raw.FPDF_FORMHANDLE, annotation: raw.FPDF_ANNOTATION) -> str:
    length = raw.FPDFAnnot_GetFormFieldValue(form, annotation, None, 0)
    if not 2 < length <= _LONGEST_VALUE:
        return ""
    buffer = (ctypes.c_ushort * (length // 2))()
    raw.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, length)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _has_appearance(annotation: raw.FPDF_ANNOTATION) -> bool:
    """Tell whether a stamp brings its look; reader programs draw one that only has a name (Void, Draft)."""
    return bool(raw.FPDFAnnot_GetAP(annotation, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > 2)


def _says_something(annotation: raw.FPDF_ANNOTATION) -> bool:
    # two bytes are an empty text's end
    return bool(raw.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0) > 2)


def flatten(page: raw.FPDF_PAGE) -> bool:
    """Turn the page's annotations into its content; False where there is nothing to turn.

    What has no appearance is lost in it, and PDFium makes one only where it draws a page: so it draws a dot.
    """
    bitmap = raw.FPDFBitmap_Create(1, 1, 0)
    try:
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, 1, 1, 0, raw.FPDF_ANNOT)
    finally:
        raw.FPDFBitmap_Destroy(bitmap)
    return bool(raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS)


def _rows(places: list[tuple[float, ...]]) -> EdgeArray:
    return np.array(places, np.float64).reshape(-1, 4)
