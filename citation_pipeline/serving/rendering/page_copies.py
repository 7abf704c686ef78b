"""One page of a PDF as a PDF of its own, with a place highlighted. Runs in a worker process."""

import hashlib
import io
from pathlib import Path

import pypdfium2 as pdfium

from citation_pipeline.adapters.office.attached_files import read_document
from citation_pipeline.serving.evidence.annotations import AnnotationError, Highlight, annotate
from citation_pipeline.serving.rendering.pdf_opening import open_pdf


def cut_page(path: str, sha256: str, page: int, box: tuple[float, float, float, float] | None) -> bytes:
    """Return the 1-based page alone; `box` (page frame) is highlighted. Raises AnnotationError."""
    data = read_document(Path(path))
    if hashlib.sha256(data).hexdigest() != sha256:
        raise AnnotationError("original_changed")
    try:
        with open_pdf(data) as document, pdfium.PdfDocument.new() as alone:
            if not 1 <= page <= len(document):
                raise AnnotationError("no_such_page")
            alone.import_pages(document, [page - 1])
            out = io.BytesIO()
            alone.save(out)
    except pdfium.PdfiumError as error:
        raise AnnotationError("unreadable_document") from error
    if box is None:
        return out.getvalue()
    return annotate(out.getvalue(), [Highlight(1, [box], comment="", author="citation")])
