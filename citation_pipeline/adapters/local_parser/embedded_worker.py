"""The process that unpacks the files of one PDF: `python -m …local_parser.embedded_worker`.

Confined as the one that parses: no environment, no connection, no program, no core dump. It is given its
limits and the PDF, and answers with a frame for each file: its name, and its content if that fits.
"""

import json
import resource
from collections.abc import Iterator

import pypdfium2 as pdfium

from citation_pipeline.adapters.local_parser.confinement import confine, take_over_pipes
from citation_pipeline.adapters.local_parser.frames import CONTENT, JOB, RESULT, read_frame, write_frame
from citation_pipeline.adapters.local_parser.limits import ParseLimits
from citation_pipeline.adapters.pdfium.embedded_files import content_of, embedded_files


def main() -> None:
    """Answer one request, and end."""
    requests, replies = take_over_pipes()
    options, content = read_frame(requests), read_frame(requests)
    if options is None or content is None:
        raise SystemExit("limits and a PDF were expected; start it through pdf_attachments.py")
    limits = ParseLimits(**json.loads(options[1]))
    seconds = round(limits.silent_seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    confine(limits)
    for name, data in unpack(content[1], limits=limits):
        write_frame(replies, JOB, json.dumps({"name": name, "is_read": data is not None}).encode())
        write_frame(replies, CONTENT, data or b"")
    write_frame(replies, RESULT)


def unpack(data: bytes, *, limits: ParseLimits) -> Iterator[tuple[str, bytes | None]]:
    """Yield names and contents of a PDF's files, at most one file more than are read.

    The content of one that is damaged, or would make all of them too large, is None. A PDF that does not open
    without a password holds none that could be had.
    """
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError:
        return
    left = limits.file_bytes
    seen: set[tuple[str, bytes | None]] = set()
    with document:
        for name, embedded in embedded_files(document):
            content = content_of(embedded) if left > 0 else None
            if content is not None and len(content) > left:
                content = None
            if (name, content) in seen:
                continue  # pinned to a page, and listed
            seen.add((name, content))
            left -= len(content or b"")
            yield name, content
            if len(seen) > limits.attachments:
                return


if __name__ == "__main__":
    main()
