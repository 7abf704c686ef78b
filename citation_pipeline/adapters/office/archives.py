"""ZIP archives as documents: a page that lists the files, then the pages of each that can be read.

An archive stays one source document, as a mail with its attachments does; each file's path is printed.
"""

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.office.font_metrics import BOLD
from citation_pipeline.adapters.office.mail import Attachment
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.packages import Package
from citation_pipeline.adapters.office.placed_pages import Paper, Style
from citation_pipeline.adapters.office.typesetting import Typesetter

_NAME = Style("Section Header", BOLD, 11.0, space_before=8.0)
_SIDE_FILES = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def set_archive(data: bytes, *, options: OfficeOptions) -> tuple[Typesetter, list[Attachment]]:
    """Lay out an archive's list of files and return them; raises RefusedDocumentError."""
    package = Package(data, unpacked_bytes=options.limits.unpacked_bytes)
    names = [name for name in package.names if not _is_side_file(name)]
    if not names:
        raise refusals.empty_file()
    if len(names) > options.limits.attachments:
        raise refusals.oversized("too_many_files", f"{len(names)} files", limit=options.limits.attachments)
    setter = Typesetter(Paper(), on_page=options.on_page)
    for name in names:
        setter.paragraph(f"File: {_printable(name)}", _NAME)
    return setter, [Attachment(_printable(name), package.content(name) or b"") for name in names]


def _is_side_file(name: str) -> bool:
    return name.startswith(_SIDE_FILES[0]) or name.rpartition("/")[2] in _SIDE_FILES


def _printable(name: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
