"""Plain text onto pages: its line breaks and columns stay, empty lines part its blocks."""

import re

from citation_pipeline.adapters.file_types import text_encoding
from citation_pipeline.adapters.office.font_metrics import MONO
from citation_pipeline.adapters.office.options import OfficeOptions
from citation_pipeline.adapters.office.placed_pages import Paper, Style
from citation_pipeline.adapters.office.typesetting import Typesetter

# 9-point Courier between narrow margins holds 100 letters, the width that reports are printed in
_PAPER = Paper(left=36.0, right=36.0, top=54.0, bottom=54.0)
_STYLE = Style(font=MONO, size=9.0, keeps_spaces=True)


def set_text(data: bytes, *, options: OfficeOptions) -> Typesetter:
    """Lay out the content of a text file."""
    encoding = text_encoding(data) or "cp1252"
    return set_lines(data.decode(encoding, "replace"), options=options)


def set_lines(text: str, *, options: OfficeOptions) -> Typesetter:
    """Lay out a text; a form feed begins a page."""
    setter = Typesetter(_PAPER, on_page=options.on_page)
    add_lines(setter, text)
    return setter


def add_lines(setter: Typesetter, text: str) -> None:
    """Add a text to pages already begun."""
    for number, page in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\f")):
        if number and page.strip():
            setter.break_page()
        for block in re.split(r"\n[^\S\n]*(?:\n[^\S\n]*)+", page.strip("\n")):
            if block.strip():
                setter.paragraph(block.rstrip(), _STYLE)
