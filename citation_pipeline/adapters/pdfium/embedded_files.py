"""Files that a PDF carries: those of a portfolio, and those pinned to it or to a page.

Reading them runs the PDF library on hostile bytes: only in a confined process, as parsing does.
"""

from collections.abc import Iterator
from contextlib import suppress

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from citation_pipeline.adapters.pdfium.embedded_names import may_hold_files

_MAX_ANNOTATIONS = 2_000  # a page with more is an attack or a drawing


def embedded_files(document: pdfium.PdfDocument) -> Iterator[tuple[str, pdfium.PdfAttachment]]:
    """Yield names and contents' places of the document's files, then of those pinned to its pages.

    A name is the PDF's own: any text, repeated or empty.
    """
    for index in range(max(document.count_attachments(), 0)):
        with suppress(pdfium.PdfiumError):
            found = document.get_attachment(index)
            yield _name_of(found), found
    for index in range(len(document)):
        page = raw.FPDF_LoadPage(document.raw, index)
        if page:
            try:
                yield from _pinned_to(page, document)
            finally:
                raw.FPDF_ClosePage(page)


def holds_files(document: pdfium.PdfDocument, data: bytes) -> bool:
    """Tell whether an open document, whose bytes are `data`, carries files."""
    if document.count_attachments() > 0:
        return True
    return may_hold_files(data) and next(embedded_files(document), None) is not None


def content_of(embedded: pdfium.PdfAttachment) -> bytes | None:
    """Return a file's content; None where it cannot be unpacked."""
    try:
        return bytes(embedded.get_data())
    except pdfium.PdfiumError:
        return None


def _name_of(embedded: pdfium.PdfAttachment) -> str:
    with suppress(pdfium.PdfiumError, UnicodeDecodeError):
        return str(embedded.get_name())
    return ""


def _pinned_to(
    page: raw.FPDF_PAGE, document: pdfium.PdfDocument
) -> Iterator[tuple[str, pdfium.PdfAttachment]]:
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        try:
            if raw.FPDFAnnot_GetSubtype(annotation) != raw.FPDF_ANNOT_FILEATTACHMENT:
                continue
            if handle := raw.FPDFAnnot_GetFileAttachment(annotation):
                found = pdfium.PdfAttachment(handle, document)
                yield _name_of(found), found
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
