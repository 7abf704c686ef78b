"""Why a document could not be read: every code with its sentence and its remedy, in one place.

code                status       cached  transient
empty_file          empty        yes
unsupported_type    unsupported  yes
encrypted           encrypted            (a password may be added)
corrupt             corrupt      yes
too_many_bytes      oversized            (the limit may be raised)
too_many_pages      oversized
too_many_pixels     oversized
unpacks_too_large   oversized
nested_too_deep     oversized
too_many_attachments oversized
out_of_memory       oversized
timed_out           timed_out            yes
worker_crashed      crashed              yes
parser_failed       crashed
content_changed     corrupt              yes
unreadable_file     corrupt              yes
"""

from citation_pipeline.core.documents.parsed import DocumentError, DocumentStatus

CACHEABLE_STATUSES = (
    DocumentStatus.PARSED,
    DocumentStatus.EMPTY,
    DocumentStatus.UNSUPPORTED,
    DocumentStatus.CORRUPT,
)
"""Outcomes that the content alone decides; the others depend on limits, passwords or luck."""


class RefusedDocumentError(Exception):
    """A document is not read: the status and the error of its row."""

    def __init__(self, status: DocumentStatus, error: DocumentError) -> None:
        super().__init__(str(error))
        self.status = status
        self.error = error


def empty_file() -> RefusedDocumentError:
    """Refuse a file without content."""
    return RefusedDocumentError(
        DocumentStatus.EMPTY,
        DocumentError("empty_file", "The file holds nothing.", "Ask the sender for the document again."),
    )


def unsupported_type(kind: str) -> RefusedDocumentError:
    """Refuse a type by its content."""
    return RefusedDocumentError(
        DocumentStatus.UNSUPPORTED,
        DocumentError(
            "unsupported_type",
            f"By its content the file is {kind}.",
            "Print it to PDF, or save it as an office file, a text or a picture.",
        ),
    )


def encrypted() -> RefusedDocumentError:
    """Refuse a file that none of the known passwords opens."""
    return RefusedDocumentError(
        DocumentStatus.ENCRYPTED,
        DocumentError(
            "encrypted",
            "The file is encrypted and none of the configured passwords opens it.",
            "Add its password to the configured list, or ask for a copy without one.",
        ),
    )


def corrupt(reason: str) -> RefusedDocumentError:
    """Refuse a file whose structure cannot be followed; `reason` quotes nothing of it."""
    return RefusedDocumentError(
        DocumentStatus.CORRUPT,
        DocumentError("corrupt", f"The file is damaged: {reason}.", "Ask the sender for the document again."),
    )


def oversized(code: str, what: str, *, limit: int) -> RefusedDocumentError:
    """Refuse a document beyond a limit; `what` names the quantity and its amount."""
    return RefusedDocumentError(
        DocumentStatus.OVERSIZED,
        DocumentError(
            code, f"The document has {what}; the limit is {limit}.", "Split it, or raise the parser's limit."
        ),
    )


def too_many_levels(*, limit: int) -> RefusedDocumentError:
    """Refuse a page whose elements are nested deeper than is read: all that comes behind would be missing."""
    return RefusedDocumentError(
        DocumentStatus.OVERSIZED,
        DocumentError(
            "nested_too_deep",
            f"The page has elements inside more than {limit} others.",
            "Open it in a browser and print it to PDF.",
        ),
    )


def out_of_memory(*, limit: int) -> RefusedDocumentError:
    """Refuse a document whose parse outgrew the worker."""
    return RefusedDocumentError(
        DocumentStatus.OVERSIZED,
        DocumentError(
            "out_of_memory",
            f"Parsing needed more than the {limit // 2**20} MB that a worker may use.",
            "Split it, or raise the parser's memory limit.",
        ),
    )


def timed_out(*, seconds: float) -> RefusedDocumentError:
    """Refuse a document that kept its worker for too long."""
    return RefusedDocumentError(
        DocumentStatus.TIMED_OUT,
        DocumentError(
            "timed_out",
            f"Parsing was stopped after {seconds:.0f} s.",
            "Try again when the machine is less busy, raise the time limit, or print the document anew.",
            transient=True,
        ),
    )


def worker_crashed(how: str) -> RefusedDocumentError:
    """Refuse a document whose worker process ended."""
    return RefusedDocumentError(
        DocumentStatus.CRASHED,
        DocumentError(
            "worker_crashed",
            f"The parser's process ended while it read the file ({how}).",
            "Try once more; when it ends again, print the document to a new PDF.",
            transient=True,
        ),
    )


def parser_failed(place: str) -> RefusedDocumentError:
    """Refuse a document on which a parser raised; `place` is the error's type and its place in the code."""
    return RefusedDocumentError(
        DocumentStatus.CRASHED,
        DocumentError(
            "parser_failed",
            f"The parser failed on the file ({place}).",
            "Report the place as a defect; meanwhile print the document to a new PDF.",
        ),
    )


def content_changed() -> RefusedDocumentError:
    """Refuse a file whose bytes are no longer those that were listed."""
    return RefusedDocumentError(
        DocumentStatus.CORRUPT,
        DocumentError(
            "content_changed",
            "The file's content is no longer what was listed.",
            "Materialize the claim's source documents again.",
            transient=True,
        ),
    )


def unreadable_file(reason: str) -> RefusedDocumentError:
    """Refuse a file that the operating system does not hand over."""
    return RefusedDocumentError(
        DocumentStatus.CORRUPT,
        DocumentError(
            "unreadable_file",
            f"The file could not be opened ({reason}).",
            "Check that it exists and may be read.",
            transient=True,
        ),
    )
