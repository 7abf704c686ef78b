"""Office files, texts, mails and archives become parsed documents.

The files that mails and archives hold are documents of their own (`attached_files`).
"""

from typing import Protocol

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.archives import set_archive
from citation_pipeline.adapters.office.mail import set_mail
from citation_pipeline.adapters.office.ole_files import set_old_slides, set_old_word_file
from citation_pipeline.adapters.office.open_documents import set_open_document
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.outlook_messages import message_of
from citation_pipeline.adapters.office.plain_text import set_text
from citation_pipeline.adapters.office.rich_text import set_rich_text
from citation_pipeline.adapters.office.slides import HIDDEN_SLIDE, set_slides
from citation_pipeline.adapters.office.typesetting import TooManyPagesError, Typesetter
from citation_pipeline.adapters.office.web_pages import set_web_page
from citation_pipeline.adapters.office.word_files import set_word_file
from citation_pipeline.adapters.office.workbooks import HIDDEN_CELLS, set_xls, set_xlsx
from citation_pipeline.core.documents.composition import compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument
from citation_pipeline.core.documents.shown_letters import LOOK_ALIKE, doubted, shown_blocks

_PARSER, _PARSER_VERSION = "office", "1"


class _SetPages(Protocol):
    def __call__(self, data: bytes, *, options: OfficeOptions) -> Typesetter: ...


_SETTERS: dict[str, _SetPages] = {
    file_types.DOCX: set_word_file,
    file_types.XLSX: set_xlsx,
    file_types.PPTX: set_slides,
    file_types.OPEN_DOCUMENT: set_open_document,
    file_types.RTF: set_rich_text,
    file_types.HTML: set_web_page,
    file_types.DOC: set_old_word_file,
    file_types.XLS: set_xls,
    file_types.PPT: set_old_slides,
    file_types.TEXT: set_text,
    file_types.MAIL: set_mail,
    file_types.ZIP: set_archive,
}


def parse_office_file(
    source: SourceDocument,
    data: bytes,
    *,
    media_type: str,
    options: OfficeOptions,
) -> ParsedDocument:
    """Return an office file, a text, a mail or an archive as a document; raises RefusedDocumentError."""
    limits = options.limits
    try:
        setter = set_pages(data, media_type, options=options)
    except TooManyPagesError as error:
        raise refusals.oversized("too_many_pages", "more pages than are read", limit=limits.pages) from error
    pages = list(setter.drafts)
    blocks, mixed = shown_blocks(setter.blocks)
    told = set(setter.warnings)
    hidden = {
        page
        for page in range(1, len(pages) + 1)
        if not told.isdisjoint({f"page {page}: {HIDDEN_CELLS}", f"page {page}: {HIDDEN_SLIDE}"})
    }
    blocks = [doubted(block) if block.page in hidden else block for block in blocks]
    if len(pages) > limits.pages:
        raise refusals.oversized("too_many_pages", f"{len(pages)} pages", limit=limits.pages)
    if not blocks:
        raise refusals.empty_file()
    return compose_document(
        source,
        pages=pages,
        blocks=blocks,
        parser=_PARSER,
        parser_version=_PARSER_VERSION,
        warnings=(*setter.warnings, *(f"page {page}: {LOOK_ALIKE}" for page in mixed)),
    )


def set_pages(data: bytes, media_type: str, *, options: OfficeOptions) -> Typesetter:
    """Lay out a file that is no PDF and no picture; raises RefusedDocumentError or TooManyPagesError."""
    if media_type == file_types.MSG:
        return set_mail(message_of(data, limits=options.limits), options=options)
    return _SETTERS.get(media_type, set_text)(data, options=options)
