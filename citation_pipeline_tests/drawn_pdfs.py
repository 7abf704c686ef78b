"""Small PDFs drawn for a test, and the parser's view of them. Coordinates are points from the top left."""

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from citation_pipeline.adapters.pdfium.documents import parse_pdf
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

WIDTH, HEIGHT = 600, 800


class Sheet:
    """A canvas with its origin top left."""

    def __init__(self, canvas: Canvas):
        self.canvas = canvas

    def text(self, x: float, y: float, text: str, *, size: float = 10, font: str = "Helvetica") -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, HEIGHT - y, text)

    def bold(self, x: float, y: float, text: str, *, size: float = 10) -> None:
        self.text(x, y, text, size=size, font="Helvetica-Bold")

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.canvas.setLineWidth(0.6)
        self.canvas.line(x0, HEIGHT - y0, x1, HEIGHT - y1)

    def box(self, x: float, y: float, width: float, height: float) -> None:
        self.canvas.rect(x, HEIGHT - y - height, width, height)


def draw(*pages: Callable[[Sheet], None], **canvas: object) -> bytes:
    out = BytesIO()
    drawing = Canvas(out, pagesize=(WIDTH, HEIGHT), invariant=1, **canvas)
    for page in pages:
        page(Sheet(drawing))
        drawing.showPage()
    drawing.save()
    return out.getvalue()


def source(data: bytes = b"", *, name: str = "letter") -> SourceDocument:
    return SourceDocument(name, name, f"{name}.pdf", "0" * 64, "application/pdf", len(data))


def parse(data: bytes, **options: Any) -> ParsedDocument:
    return parse_pdf(source(data), data, **options)


def parse_drawn(*pages: Callable[[Sheet], None]) -> ParsedDocument:
    return parse(draw(*pages))


def blocks(document: ParsedDocument) -> Sequence[tuple[str, str]]:
    """The (type, text) of each block, lines joined."""
    return [(block.type, " ".join(block.text.split())) for block in document.blocks]


def contents(document: ParsedDocument, kind: str) -> Sequence[str]:
    return [block.content for block in document.blocks if block.type == kind]
