"""Opens PDFs as the parser opened them, with the deployment's passwords. In worker processes only."""

from collections.abc import Sequence
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as raw

_passwords: tuple[str, ...] = ()


def use_passwords(passwords: Sequence[str]) -> None:
    """Set what this process tries, in order, after no password at all."""
    global _passwords  # noqa: PLW0603 - set once, before the process's first task
    _passwords = tuple(passwords)


def open_pdf(source: str | Path | bytes) -> pdfium.PdfDocument:
    """Return the open document of a path or of bytes; raises PdfiumError when nothing opens it."""
    *most, last = (None, *_passwords)
    for password in most:
        try:
            return pdfium.PdfDocument(source, password=password)
        except pdfium.PdfiumError as error:
            if error.err_code != raw.FPDF_ERR_PASSWORD:
                raise
    return pdfium.PdfDocument(source, password=last)
