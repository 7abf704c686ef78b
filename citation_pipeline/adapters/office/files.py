"""Office files, texts, mails and archives become parsed documents.

Which parser an attachment goes to is the caller's business: it arrives as a function.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.archives import set_archive
from citation_pipeline.adapters.office.mail import Attachment, ParseAttachment, parse_attachments, set_mail
from citation_pipeline.adapters.office.ole_files import set_old_slides, set_old_word_file
from citation_pipeline.adapters.office.open_documents import set_open_document
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.outlook_messages import message_of
from citation_pipeline.adapters.office.plain_text import set_text
from citation_pipeline.adapters.office.rich_text import set_rich_text
from citation_pipeline.adapters.office.slides import set_slides
from citation_pipeline.adapters.office.typesetting import TooManyPagesError, Typesetter
from citation_pipeline.adapters.office.web_pages import set_web_page
from citation_pipeline.adapters.office.word_files import set_word_file
from citation_pipeline.adapters.office.workbooks import set_xls, set_xlsx
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

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
}


def parse_office_file(
    source: SourceDocument,
    data: bytes,
    *,
    media_type: str,
    options: OfficeOptions,
    parse_attachment: ParseAttachment,
) -> ParsedDocument:
    """Return an office file, a text, a mail or an archive as a document; raises RefusedDocumentError."""
    limits = options.limits
    attached: Sequence[ParsedDocument] = ()
    warnings: Sequence[str] = ()
    try:
        if media_type in file_types.CONTAINERS:
            setter, attachments = set_container(data, media_type, options=options)
            attached, warnings = parse_attachments(attachments, source, parse_attachment)
        else:
            setter = set_pages(data, media_type, options=options)
    except TooManyPagesError as error:
        raise refusals.oversized("too_many_pages", "more pages than are read", limit=limits.pages) from error
    pages, blocks = list(setter.drafts), list(setter.blocks)
    for document in attached:
        more_pages, more_blocks = drafts_of(document, after=len(pages))
        pages.extend(more_pages)
        blocks.extend(more_blocks)
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
        warnings=(*setter.warnings, *warnings),
    )


def set_pages(data: bytes, media_type: str, *, options: OfficeOptions) -> Typesetter:
    """Lay out an office file or a text; raises RefusedDocumentError or TooManyPagesError."""
    return _SETTERS.get(media_type, set_text)(data, options=options)


def set_container(
    data: bytes, media_type: str, *, options: OfficeOptions
) -> tuple[Typesetter, list[Attachment]]:
    """Lay out a mail's or an archive's own pages, and return the files in it."""
    if media_type == file_types.ZIP:
        return set_archive(data, options=options)
    if media_type == file_types.MSG:
        data = message_of(data, limits=options.limits)
    return set_mail(data, options=options)


def drafts_of(document: ParsedDocument, *, after: int) -> tuple[list[PageDraft], list[BlockDraft]]:
    """Return a parsed document's pages and blocks as drafts that follow `after` other pages."""
    pages = [
        PageDraft(page.width_pt, page.height_pt, page.rotation, page.has_text_layer, page.words_from)
        for page in document.pages
    ]
    words = document.words
    blocks = []
    for block in document.blocks:
        ids = range(block.word_start, block.word_end)
        lines = [list(line) for _, line in groupby(ids, key=lambda word: int(words.line[word]))]
        blocks.append(
            BlockDraft(
                page=block.page + after,
                type=block.type,
                lines=[[(words.texts[word], words.box(word)) for word in line] for line in lines],
                box=block.box,
                content=block.content,
                confidence=block.confidence,
                confidences=[[float(words.confidence[word]) for word in line] for line in lines],
            )
        )
    return pages, blocks
