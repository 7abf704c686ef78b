"""Files inside a claim's files: attachments of mails, members of archives, files that a PDF (a portfolio)
carries; each is a document with a path.

`mail.eml/scan.zip/page 1.pdf` is the path of a member of an archive that a mail carries. Nothing is unpacked
to a disk: whoever wants the content asks for the path and gets it from the file that holds it.
Bounded: levels, files and bytes; what lies beyond is one row that says so (`LEFT_OUT`).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

from citation_pipeline.adapters import file_types
from citation_pipeline.adapters.local_parser import refusals
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.refusals import RefusedDocumentError
from citation_pipeline.adapters.office.attachments import LEFT_OUT, Attachment
from citation_pipeline.adapters.pdfium.embedded_names import may_hold_files


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """One file inside another: its path below that one, and what identifies its content.

    What cannot be unpacked has no content: its bytes are 0, its type is unknown, and its hash is its own.
    """

    file: str
    sha256: str
    media_type: str
    byte_count: int


def is_container(media_type: str) -> bool:
    """Tell whether files of that type may hold others."""
    return media_type in (*file_types.CONTAINERS, file_types.PDF)


def may_hold_files_at(path: Path, media_type: str) -> bool:
    """Tell whether a file of that type may hold others, without reading a PDF into memory."""
    if media_type != file_types.PDF:
        return is_container(media_type)
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        return may_hold_files(data)


def list_attached_files(
    data: bytes, *, known: set[str], limits: ParseLimits | None = None
) -> Iterator[AttachedFile]:
    """Yield the files inside a mail, an archive or a PDF, each before the files inside itself.

    `known` are hashes of containers whose files are listed elsewhere; those of nested ones are added to it,
    so that an archive that holds itself ends.
    """
    yield from _Listing(hashlib.sha256(data).hexdigest(), known, limits or ParseLimits()).list(data, "", 1)


def read_document(path: Path, *, limits: ParseLimits | None = None) -> bytes:
    """Return the content of a file, or of a file inside another by its path below that one.

    Raises OSError when there is no such file, RefusedDocumentError when it cannot be unpacked.
    """
    holder = holder_of(path)
    if holder == path:
        return path.read_bytes()
    limits = limits or ParseLimits()
    if holder.stat().st_size > limits.file_bytes:
        raise refusals.oversized("too_many_bytes", "more bytes than are read", limit=limits.file_bytes)
    return _read_inside(holder.read_bytes(), path.relative_to(holder).as_posix(), limits, 1)


def holder_of(path: Path) -> Path:
    """Return the file on the disk that a path is, or is inside; raises FileNotFoundError."""
    if path.exists() and not path.is_dir():  # not every file is a regular one
        return path
    for place in path.parents:
        if place.is_file():
            return place
    raise FileNotFoundError(path.name)


class _Listing:
    """Counts what one file holds, over all levels."""

    def __init__(self, sha256: str, known: set[str], limits: ParseLimits) -> None:
        self._sha256, self._known, self._limits = sha256, known, limits
        self._files = self._bytes = 0

    def list(self, data: bytes, above: str, level: int) -> Iterator[AttachedFile]:
        """Yield the files inside `data`, whose own path is `above`."""
        try:
            attachments = _attachments_of(data, self._limits)
        except RefusedDocumentError:
            return  # its own row says why
        if level > self._limits.attached_levels:
            if attachments:
                yield self._unread(above + LEFT_OUT)
            return
        for attachment in attachments:
            if self._is_full() or attachment.name == LEFT_OUT:
                yield self._unread(above + LEFT_OUT)
                return
            yield from self._one(attachment, above + attachment.name, level)

    def _one(self, attachment: Attachment, path: str, level: int) -> Iterator[AttachedFile]:
        self._files += 1
        try:
            content = attachment.read()
        except RefusedDocumentError:
            yield self._unread(path)
            return
        self._bytes += len(content)
        found = AttachedFile(
            path, hashlib.sha256(content).hexdigest(), file_types.sniff(content), len(content)
        )
        yield found
        if is_container(found.media_type) and found.sha256 not in self._known:
            self._known.add(found.sha256)
            yield from self.list(content, f"{path}/", level + 1)

    def _is_full(self) -> bool:
        return self._files >= self._limits.attached_files or self._bytes > self._limits.attached_bytes

    def _unread(self, path: str) -> AttachedFile:
        # no content to hash, and no other unread file's parse to share
        own = hashlib.sha256(f"{self._sha256}/{path}".encode(errors="replace")).hexdigest()
        return AttachedFile(path, own, file_types.UNKNOWN, 0)


def _attachments_of(data: bytes, limits: ParseLimits) -> list[Attachment]:
    """Return the files of one level, at most one more than are read, which then is `LEFT_OUT`."""
    # with what reads pictures and styles: most commands list the files of no claim
    from citation_pipeline.adapters.office.archives import files_of_archive
    from citation_pipeline.adapters.office.mail import attachments_of_mail
    from citation_pipeline.adapters.office.outlook_messages import message_of
    from citation_pipeline.adapters.office.pdf_attachments import attachments_of_pdf

    media_type = file_types.sniff(data)
    try:
        if media_type == file_types.ZIP:
            found = files_of_archive(data, limits=limits)
        elif media_type == file_types.MSG:
            found = attachments_of_mail(message_of(data, limits=limits))
        elif media_type == file_types.MAIL:
            found = attachments_of_mail(data)
        elif media_type == file_types.PDF:
            found = attachments_of_pdf(data, limits=limits)
        else:
            found = []
    except RefusedDocumentError:
        raise
    except Exception as error:  # a defect of ours costs what one file holds, not the claim
        raise refusals.corrupt("what it holds cannot be listed") from error
    if len(found) > limits.attachments:
        return [*found[: limits.attachments], Attachment(LEFT_OUT, lambda: b"")]
    return found


def _read_inside(data: bytes, path: str, limits: ParseLimits, level: int) -> bytes:
    if level > limits.attached_levels:
        raise refusals.oversized(
            "nested_too_deep", "more levels of files in files than are read", limit=limits.attached_levels
        )
    if path == LEFT_OUT:
        raise refusals.oversized(
            "too_many_attachments", "more attached files than are read", limit=limits.attachments
        )
    for attachment in _attachments_of(data, limits):
        if path == attachment.name:
            return attachment.read()
        if path.startswith(f"{attachment.name}/"):
            return _read_inside(attachment.read(), path[len(attachment.name) + 1 :], limits, level + 1)
    raise FileNotFoundError(path.rpartition("/")[2])
