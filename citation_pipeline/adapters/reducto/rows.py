"""What a document's row says when Reducto could not read it, and what we do not even send.

Not here: reading results that are fine (`conversion`).
"""

from __future__ import annotations

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.reducto.errors import ReductoDocumentError, ReductoError
from citation_pipeline.core.documents.parsed import (
    DocumentError,
    DocumentStatus,
    ParsedDocument,
    SourceDocument,
    unread_document,
)

SENT_TYPES = (file_types.PDF, *file_types.IMAGES)
"""Only what has pages of its own is sent: the viewer lays out DOCX, mail and text itself, and boxes of the
service's own layout would point nowhere."""


def row_of_error(
    source: SourceDocument, error: ReductoError, *, parser: str, parser_version: str
) -> ParsedDocument:
    """Return the row that stands for a document Reducto could not read."""
    status = error.status if isinstance(error, ReductoDocumentError) else DocumentStatus.PROVIDER_FAILED
    return unread_document(
        source,
        status,
        DocumentError(error.code.lower(), f"Reducto: {error.message}.", error.remedy, error.transient),
        parser=parser,
        parser_version=parser_version,
    )


def row_of_refusal(
    source: SourceDocument, data: bytes, *, parser: str, parser_version: str
) -> ParsedDocument | None:
    """Return the row of a file that need not be sent to be refused, or None when it can be sent."""
    if not data:
        status, error = (
            DocumentStatus.EMPTY,
            DocumentError("empty", "The file has no bytes.", "Ask for it again."),
        )
    elif source.media_type not in SENT_TYPES:
        status = DocumentStatus.UNSUPPORTED
        error = DocumentError(
            "not_sent",
            f"Files of type {source.media_type} are not sent to Reducto.",
            "Parse the claim with the local parser, or convert the file to PDF.",
        )
    else:
        return None
    return unread_document(source, status, error, parser=parser, parser_version=parser_version)


def row_of_missing_file(
    source: SourceDocument, error: OSError, *, parser: str, parser_version: str
) -> ParsedDocument:
    """Return the row of a file that was listed and cannot be read from disk now."""
    said = DocumentError(
        "file_unreadable",
        f"The file cannot be read ({type(error).__name__}).",
        "Check that it is still there and readable, then run the claim again.",
        transient=True,
    )
    return unread_document(source, DocumentStatus.CORRUPT, said, parser=parser, parser_version=parser_version)
