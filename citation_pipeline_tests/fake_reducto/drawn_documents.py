"""Small PDFs drawn here, with the words and boxes that were drawn: the truth that tests compare with.

The words also serve as the local parser's view of the file, so the Reducto tests depend on no parser.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from citation_pipeline.core.boxes import Box
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft, compose_document
from citation_pipeline.core.documents.parsed import ParsedDocument, SourceDocument

WIDTH, HEIGHT = 612.0, 792.0
FONT, SIZE = "Helvetica", 10.0

Run = tuple[float, float, str]  # x and baseline y in points from the top left, and the text

CLAIM_LETTER: Sequence[Sequence[Run]] = (
    (
        (72, 30, "Harbor Claims Administrators"),
        (72, 90, "Notice of Delay"),
        (72, 120, "Claimant: Ignatius Okwuosa-Lindqvist"),
        (72, 133, "Date of injury: 03/14/2023"),
        (72, 175, "Your claim is delayed while we obtain medical records from the clinic."),
        (72, 188, "A decision follows within ninety days of the claim form."),
        (72, 230, "PAYMENTS MADE"),
        (72, 690, "Check 1001"),
        (260, 690, "Temporary disability"),
        (430, 690, "$1,204.50"),
        (72, 703, "Check 1002"),
        (260, 703, "Mileage"),
        (430, 703, "$88.20"),
    ),
    (
        (72, 72, "Check 1003"),
        (260, 72, "Pharmacy"),
        (430, 72, "$17.00"),
        (72, 85, "Check 1004"),
        (260, 85, "Interpreter"),
        (430, 85, "$140.00"),
        (72, 140, "The totals above are life to date."),
        (72, 300, "Signature ____________"),
        (290, 770, "Page 2 of 2"),
    ),
)
"""Two pages with a header, key values, text, a table over the page break, a signature and a page number."""


@dataclass(frozen=True)
class DrawnDocument:
    """The file, its row, and everything that was drawn on it."""

    source: SourceDocument
    data: bytes
    local: ParsedDocument

    def local_words(self, source: SourceDocument, data: bytes) -> ParsedDocument:
        """Stand in for the local parser."""
        return self.local


def draw(
    pages: Sequence[Sequence[Run]] = CLAIM_LETTER,
    *,
    source_id: str = "notice",
    words_from: str = "text",
    misread: dict[str, str] | None = None,
    unseen: frozenset[str] = frozenset(),
    password: str | None = None,
) -> DrawnDocument:
    """Draw a PDF; its local view may misread words, or not see some, as OCR does."""
    buffer = io.BytesIO()
    locked = None if password is None else StandardEncryption(password)
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), invariant=1, encrypt=locked)
    blocks = []
    for number, runs in enumerate(pages, start=1):
        canvas.setFont(FONT, SIZE)
        for x, y, text in runs:
            canvas.drawString(x, HEIGHT - y, text)
            words = [(t, box) for t, box in boxes_of(x, y, text) if t not in unseen]
            words = [((misread or {}).get(t, t), box) for t, box in words]
            if words:
                kind = "Header" if y < 60 else "Text"
                blocks.append(BlockDraft(page=number, type=kind, lines=[words]))
        canvas.showPage()
    canvas.save()
    data = buffer.getvalue()
    source = SourceDocument(
        source_id=source_id,
        name=source_id.title(),
        file=f"{source_id}.pdf",
        sha256=hashlib.sha256(data).hexdigest(),
        media_type="application/pdf",
        byte_count=len(data),
    )
    page = PageDraft(WIDTH, HEIGHT, has_text_layer=words_from == "text", words_from=words_from)
    local = compose_document(
        source, pages=[page] * len(pages), blocks=blocks, parser="drawn", parser_version="1"
    )
    return DrawnDocument(source, data, local)


def boxes_of(x: float, y: float, text: str) -> list[tuple[str, Box]]:
    """The words of a run with their boxes in the page frame."""
    ascent, descent = pdfmetrics.getAscentDescent(FONT, SIZE)
    found, at = [], 0
    for token in text.split():
        at = text.index(token, at)
        left = x + pdfmetrics.stringWidth(text[:at], FONT, SIZE)
        wide = pdfmetrics.stringWidth(token, FONT, SIZE)
        found.append(
            (token, Box(left / WIDTH, (y - ascent) / HEIGHT, wide / WIDTH, (ascent - descent) / HEIGHT))
        )
        at += len(token)
    return found
