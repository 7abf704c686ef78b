"""Word files, texts and mails become parsed documents.

Which parser an attachment goes to is the caller's business: it arrives as a function.
"""

from collections.abc import Sequence
from itertools import groupby

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.mail import ParseAttachment, parse_attachments, set_mail
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.plain_text import set_text
from citation_pipeline.adapters.office.typesetting import TooManyPagesError, Typesetter
from citation_pipeline.adapters.office.word_files import set_word_file
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

_PARSER, _PARSER_VERSION = "office", "1"


def parse_office_file(
    source: SourceDocument,
    data: bytes,
    *,
    media_type: str,
    options: OfficeOptions,
    parse_attachment: ParseAttachment,
) -> ParsedDocument:
    """Return a DOCX, text or mail as a document; raises RefusedDocumentError."""
    limits = options.limits
    attached: Sequence[ParsedDocument] = ()
    warnings: Sequence[str] = ()
    try:
        if media_type == file_types.MAIL:
            setter, attachments = set_mail(data, options=options)
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
        source, pages=pages, blocks=blocks, parser=_PARSER, parser_version=_PARSER_VERSION, warnings=warnings
    )


def set_pages(data: bytes, media_type: str, *, options: OfficeOptions) -> Typesetter:
    """Lay out a Word file or a text; raises RefusedDocumentError or TooManyPagesError."""
    if media_type == file_types.DOCX:
        return set_word_file(data, options=options)
    return set_text(data, options=options)


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
