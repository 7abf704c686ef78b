"""Files that a PDF carries: a portfolio's documents, whose own page is a cover, and what is pinned to others.

They are unpacked in a process that may do nothing else, since the library that can reads hostile bytes. In a
process that is confined already they are unpacked there: it may start no other.
"""

import io
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial

from citation_pipeline.adapters.local_parser import confinement, refusals
from citation_pipeline.adapters.local_parser.frames import CONTENT, OPTIONS, RESULT, read_frame, write_frame
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.local_parser.worker_processes import worker_environment
from citation_pipeline.adapters.office.attachments import Attachment, named_apart
from citation_pipeline.adapters.pdfium.embedded_names import may_hold_files

UNLISTED = "(embedded files)"
"""The name of the row for the files of a PDF that could not be listed."""

_WORKER = "citation_pipeline.adapters.local_parser.embedded_worker"
_SECONDS = 900.0  # of the clock, on however busy a machine; the process counts its own CPU time


def attachments_of_pdf(data: bytes, *, limits: ParseLimits) -> list[Attachment]:
    """Return the files that a PDF carries, at most one more than are read.

    Where they cannot be listed there is one, `UNLISTED`, that is refused when it is read.
    """
    if not may_hold_files(data):
        return []
    if confinement.is_confined():
        from citation_pipeline.adapters.local_parser.embedded_worker import unpack

        found: Iterable[tuple[str, bytes | None]] | None = unpack(data, limits=limits)
    else:
        found = _unpacked_elsewhere(data, limits)
    if found is None:
        return [Attachment(UNLISTED, partial(_content, None))]
    return named_apart(Attachment(_file_name(name), partial(_content, content)) for name, content in found)


def _file_name(name: str) -> str:
    # a portfolio's folder is written before the name, as a number in angle brackets
    folder, mark, rest = name.partition(">")
    plain = rest if mark and folder.startswith("<") and folder[1:].isdigit() else name
    return plain.replace("/", "_").replace("\\", "_")


def _content(content: bytes | None) -> bytes:
    if content is None:
        raise refusals.corrupt("what it carries cannot be unpacked")
    return content


def _unpacked_elsewhere(data: bytes, limits: ParseLimits) -> list[tuple[str, bytes | None]] | None:
    """Return the files' names and contents as another process found them; None when it failed."""
    request = io.BytesIO()
    write_frame(request, OPTIONS, json.dumps(asdict(limits)).encode())
    write_frame(request, CONTENT, data)
    try:
        answer = subprocess.run(
            [sys.executable, "-P", "-m", _WORKER],
            input=request.getvalue(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a C library's complaint may quote the document
            env=worker_environment(),
            timeout=_SECONDS,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found: list[tuple[str, bytes | None]] = []
    frames = io.BytesIO(answer)
    while (frame := read_frame(frames)) is not None:
        if frame[0] == RESULT:
            return found
        content = read_frame(frames)
        if content is None:
            return None
        head = json.loads(frame[1])
        found.append((str(head["name"]), content[1] if head["is_read"] else None))
    return None  # it ended before it was done
