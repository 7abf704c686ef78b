"""One PDF's bytes become a parsed document: opened, read page by page, laid out, composed.

What cannot be opened is a document with a status and a remedy, never an exception. PDFium is not safe to
use from several threads: run this in a process of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from citation_pipeline.adapters.pdfium.annotations import form_environment, is_dynamic_form
from citation_pipeline.adapters.pdfium.characters import Font
from citation_pipeline.adapters.pdfium.embedded_files import holds_files
from citation_pipeline.adapters.pdfium.embedded_names import may_hold_files
from citation_pipeline.adapters.pdfium.misleading_figures import Figures
from citation_pipeline.adapters.pdfium.pages import read_page, read_page_words
from citation_pipeline.core.documents.composition import Composition, PageDraft
from citation_pipeline.core.documents.parsed import (
    DocumentError,
    DocumentStatus,
    ParsedDocument,
    SourceDocument,
    unread_document,
)
from citation_pipeline.core.layout.content import PageWords, RecognizePage
from citation_pipeline.core.layout.documents import DocumentLayout

PARSER = "pdfium"
PARSER_VERSION = "1"
"""Raised whenever the same bytes would give other words, blocks or tables: it is part of cache keys."""

EMBEDDED, EMBEDDED_UNREAD = "embedded_files", "embedded_files_unread"
"""Warnings of a PDF that carries files: they are documents of their own, or nobody reads them."""

DYNAMIC_FORM = "dynamic_form"
"""Warning of a page that only stands for a form (XFA), which Adobe's programs alone draw."""


def parse_pdf(
    source: SourceDocument,
    data: bytes,
    *,
    passwords: Sequence[str] = (),
    recognize_page: RecognizePage | None = None,
    page_limit: int | None = None,
    on_page: Callable[[], None] = lambda: None,
) -> ParsedDocument:
    """Return the document that `data` holds; an unreadable one has a status and an error instead of pages.

    `passwords` are tried in order after the empty one. Pages without usable text go to `recognize_page`
    (without it they stay empty, with a warning). More than `page_limit` pages make it oversized.
    `on_page` is called after every page.
    """
    if not data:
        return _unread(source, DocumentStatus.EMPTY, "empty_file", "The file has no bytes.", "Send it again.")
    opened = _open(data, passwords)
    if isinstance(opened, _Refusal):
        return _unread(source, opened.status, opened.code, opened.message, opened.remedy)
    with opened:
        count = len(opened)
        if count == 0:
            return _unread(
                source, DocumentStatus.CORRUPT, "no_pages", "The PDF has no page.", "Print it again."
            )
        if page_limit is not None and count > page_limit:
            return _unread(
                source,
                DocumentStatus.OVERSIZED,
                "too_many_pages",
                f"The PDF has {count} pages; the limit is {page_limit}.",
                "Split it, or raise the page limit.",
            )
        return _read_document(opened, source, recognize_page, on_page, _files_of(opened, data))


def _files_of(opened: pdfium.PdfDocument, data: bytes) -> list[str]:
    """Return the warning of a PDF that carries files; `EMBEDDED_UNREAD` where nobody else reads them."""
    if not holds_files(opened, data):
        return []
    # they are listed without a password, and where the bytes name them (`office.pdf_attachments`)
    is_listed = may_hold_files(data) and not isinstance(_open(data, ()), _Refusal)
    return [EMBEDDED if is_listed else EMBEDDED_UNREAD]


def read_pdf_words(data: bytes, *, passwords: Sequence[str] = ()) -> list[PageWords]:
    """Return only the visible words of each page's text layer, in drawing order: no layout, no recognition.

    For aligning another parser's blocks. A page that does not load has no words; a document that does not
    open has no pages.
    """
    opened = _open(data, passwords) if data else None
    if opened is None or isinstance(opened, _Refusal):
        return []
    fonts: dict[int, Font] = {}
    with opened:
        return [read_page_words(opened.raw, index, fonts=fonts) for index in range(len(opened))]


def _read_document(
    opened: pdfium.PdfDocument,
    source: SourceDocument,
    recognize_page: RecognizePage | None,
    on_page: Callable[[], None],
    files: Sequence[str],
) -> ParsedDocument:
    """Read, lay out and compose page after page: of a page, only its words' columns are kept."""
    layout, composition = DocumentLayout(), Composition()
    sheets: list[PageDraft] = []
    warnings = list(files)
    fonts: dict[int, Font] = {}
    figures = Figures()
    has_read = False
    is_dynamic = is_dynamic_form(opened.raw)
    with form_environment(opened.raw) as form:
        for index in range(len(opened)):
            reading = read_page(
                opened.raw, index, form=form, fonts=fonts, figures=figures, recognize_page=recognize_page
            )
            if reading is None:
                warnings.append(f"page {index + 1}: does not load")
                sheets.append(PageDraft(612, 792, has_text_layer=False))
            else:
                has_read = True
                own = (*reading.warnings, DYNAMIC_FORM) if is_dynamic else reading.warnings
                warnings.extend(f"page {index + 1}: {warning}" for warning in own)
                sheets.append(reading.draft)
                for block in layout.lay_out(reading.content):
                    composition.add(block)
            on_page()
    if not has_read:
        return _unread(
            source, DocumentStatus.CORRUPT, "no_readable_page", "None of the pages loads.", "Print it again."
        )
    return composition.document(
        source,
        pages=sheets,
        parser=PARSER,
        parser_version=PARSER_VERSION,
        warnings=warnings,
        changes=layout.changes(),
    )


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: DocumentStatus
    code: str
    message: str
    remedy: str


def _open(data: bytes, passwords: Sequence[str]) -> pdfium.PdfDocument | _Refusal:
    for password in (None, *passwords):
        try:
            return pdfium.PdfDocument(data, password=password)
        except pdfium.PdfiumError as error:
            if error.err_code == raw.FPDF_ERR_PASSWORD:
                continue
            if error.err_code == raw.FPDF_ERR_SECURITY:
                return _Refusal(
                    DocumentStatus.ENCRYPTED,
                    "unknown_encryption",
                    "The PDF is encrypted in a way that the parser does not know.",
                    "Save a copy without encryption.",
                )
            if b"%PDF-" not in data[:1024]:
                return _Refusal(
                    DocumentStatus.CORRUPT,
                    "not_a_pdf",
                    "The file is called a PDF but does not begin like one.",
                    "Look at what it is, and give it its right name.",
                )
            return _Refusal(
                DocumentStatus.CORRUPT,
                "damaged_pdf",
                "The PDF is damaged or cut off, and cannot be rebuilt.",
                "Ask the sender for it again.",
            )
    tried = len(passwords)
    return _Refusal(
        DocumentStatus.ENCRYPTED,
        "password_needed",
        f"The PDF needs a password; {tried} configured password{'s' if tried != 1 else ''} did not open it.",
        "Add its password to the configured list.",
    )


def _unread(
    source: SourceDocument, status: DocumentStatus, code: str, message: str, remedy: str
) -> ParsedDocument:
    error = DocumentError(code=code, message=message, remedy=remedy)
    return unread_document(source, status, error, parser=PARSER, parser_version=PARSER_VERSION)
