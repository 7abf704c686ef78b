"""Reading one source document in this process: which parser a content goes to, what a failure means.

No processes, no cache; `LocalParser` adds both. Parsers raise `RefusedDocumentError` for what they refuse;
anything else that escapes them is a defect of ours and becomes a `crashed` row with its place in the code.
"""

import hashlib
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.parser_versions import PARSER_NAME, PARSER_VERSION
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.attached_files import holder_of, read_document
from citation_pipeline.adapters.office.files import parse_office_file
from citation_pipeline.adapters.office.images import parse_image
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument, unread_document

if TYPE_CHECKING:
    from citation_pipeline.adapters.ocr.pages import PageReader
    from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What is the same for every document: passwords to try, limits, and whether pages are recognized."""

    passwords: tuple[str, ...] = ()
    limits: ParseLimits = field(default_factory=ParseLimits)
    ocr: bool = True


def read_source(
    source: SourceDocument,
    *,
    path: Path | None,
    data: bytes | None,
    options: ReadingOptions,
    on_page: Callable[[], None],
) -> ParsedDocument:
    """Parse one file, given as `path` or as `data`; a refusal or a defect is a row too, never an exception.

    `on_page` is called after every page, of whatever kind.
    """
    try:
        content = _content(source, path, data, options.limits)
        return replace(
            _parse(source, content, options, on_page), parser=PARSER_NAME, parser_version=PARSER_VERSION
        )
    except RefusedDocumentError as refusal:
        return refused_document(source, refusal)
    except MemoryError:
        return refused_document(source, refusals.out_of_memory(limit=options.limits.memory_bytes))
    except Exception as error:  # noqa: BLE001  a defect costs its document, not the claim
        return refused_document(source, refusals.parser_failed(_place_of(error)))


def refused_document(source: SourceDocument, refusal: RefusedDocumentError) -> ParsedDocument:
    """Return the row of a document that was refused."""
    return unread_document(
        source, refusal.status, refusal.error, parser=PARSER_NAME, parser_version=PARSER_VERSION
    )


def _content(source: SourceDocument, path: Path | None, data: bytes | None, limits: ParseLimits) -> bytes:
    if path is not None:
        try:
            size = holder_of(path).stat().st_size
            if size > limits.file_bytes:
                raise refusals.oversized("too_many_bytes", f"{size} bytes", limit=limits.file_bytes)
            data = read_document(path, limits=limits)
        except OSError as error:
            raise refusals.unreadable_file(type(error).__name__) from error
    content = data or b""
    if len(content) > limits.file_bytes:
        raise refusals.oversized("too_many_bytes", f"{len(content)} bytes", limit=limits.file_bytes)
    if hashlib.sha256(content).hexdigest() != source.sha256:
        raise refusals.content_changed()
    return content


def _parse(
    source: SourceDocument,
    data: bytes,
    options: ReadingOptions,
    on_page: Callable[[], None],
) -> ParsedDocument:
    if not data.strip(b"\0 \t\r\n"):
        raise refusals.empty_file()
    if file_types.is_encrypted_office_file(data):
        raise refusals.encrypted()
    media_type = file_types.sniff(data)
    if media_type == file_types.PDF:
        return _parse_pdf(source, data, options, on_page)
    if media_type in file_types.IMAGES:
        return parse_image(
            source, data, recognize_page=_recognizer(options), limits=options.limits, on_page=on_page
        )
    if media_type in (*file_types.OFFICE_FILES, *file_types.CONTAINERS):
        return parse_office_file(
            source,
            data,
            media_type=media_type,
            options=OfficeOptions(options.limits, on_page, _recognizer(options)),
        )
    raise refusals.unsupported_type(file_types.kind_of_unsupported(data))


def _parse_pdf(
    source: SourceDocument, data: bytes, options: ReadingOptions, on_page: Callable[[], None]
) -> ParsedDocument:
    return parse_pdf(
        source,
        data,
        passwords=options.passwords,
        recognize_page=_recognizer(options),
        page_limit=options.limits.pages,
        on_page=on_page,
    )


@cache
def _page_reader() -> "PageReader":
    from citation_pipeline.adapters.ocr.pages import PageReader

    return PageReader()  # the networks load once a process, at the first page that needs them


def _recognizer(options: ReadingOptions) -> "PageRecognizer | None":
    # only workers recognize: the process that they answer need not hold the networks' libraries
    from citation_pipeline.adapters.ocr.recognized_pages import PageRecognizer

    return PageRecognizer(_page_reader()) if options.ocr else None


def _place_of(error: Exception) -> str:
    """Name the defect by type and place only: its message may quote the document."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
