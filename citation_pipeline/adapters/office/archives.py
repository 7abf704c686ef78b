"""ZIP archives: pages that list the files, which are documents of their own (`attached_files`)."""

from functools import partial

from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.office.attachments import Attachment, named_apart
from citation_pipeline.adapters.office.font_metrics import BOLD
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.packages import Package
from citation_pipeline.adapters.office.placed_pages import Paper, Style
from citation_pipeline.adapters.office.typesetting import Typesetter

_NAME = Style("Section Header", BOLD, 11.0, space_before=8.0)
_SIDE_FILES = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


def set_archive(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out an archive's list of files; raises RefusedDocumentError."""
    files = files_of_archive(data, limits=options.limits)
    if not files:
        raise refusals.empty_file()
    setter = Typesetter(Paper(), on_page=options.on_page)
    for file in files[: options.limits.attachments]:
        setter.paragraph(f"File: {file.name}", _NAME)
    return setter


def files_of_archive(data: bytes, *, limits: ParseLimits) -> list[Attachment]:
    """Return an archive's files, without what systems add for themselves; raises RefusedDocumentError."""
    package = Package(data, unpacked_bytes=limits.file_bytes)
    return named_apart(
        Attachment(member.filename, partial(package.read, member))
        for member in package.members
        if not _is_side_file(member.filename)
    )


def _is_side_file(name: str) -> bool:
    return name.startswith(_SIDE_FILES[0]) or name.rpartition("/")[2] in _SIDE_FILES
