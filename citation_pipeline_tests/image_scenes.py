"""A claim of drawn files, of which a scan and a printed table are worth a picture, and a letter is not."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from citation_pipeline.adapters.local_parser.reading import ReadingOptions, read_source
from citation_pipeline.core.claims import Claim
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.prompts.page_images import ImageLimits
from citation_pipeline_tests.drawn_pdfs import Sheet, draw
from citation_pipeline_tests.parser_files import picture_of, put, scan_pdf

LIMITS = ImageLimits(edge=1_568, pixels=1_150_000, per_request=20, pixels_per_token=750)
UNREAD = "9,876.50"
"""An amount that the scan shows in strokes which no recognizer reads as text."""
ROWS = (("Date", "Provider", "Amount"), ("03/01/2024", "Harbor Clinic", "120.00"),
        ("03/08/2024", "Bay Therapy", "95.50"), ("03/15/2024", "Harbor Clinic", "240.00"))  # fmt: skip


def scan() -> bytes:
    """A scanned letter; one amount on it is a scribble."""

    def page(sheet: Sheet) -> None:
        sheet.text(60, 90, "Claim number: ZX-4471", size=14)
        sheet.text(60, 130, "The worker was seen on 03/02/2024 by Dr. Ruiz.", size=13)
        sheet.text(60, 170, "Work status: modified duty, no lifting above ten pounds.", size=13)

    image = picture_of(draw(page), noise=9.0)
    pen = ImageDraw.Draw(image)
    for step in range(40):
        at = 300 + step * 12
        pen.arc((at, 900, at + 60, 960 + step % 5 * 7), 10, 320, fill=30, width=3)
    return scan_pdf(image)


def ledger() -> bytes:
    def page(sheet: Sheet) -> None:
        sheet.bold(60, 60, "Statement of payments", size=14)
        for number, row in enumerate(ROWS):
            for place, cell in enumerate(row):
                sheet.text(70 + place * 150, 106 + number * 24, cell, size=11)
                sheet.box(60 + place * 150, 90 + number * 24, 150, 24)

    return draw(page)


def letter() -> bytes:
    def page(sheet: Sheet) -> None:
        for number in range(12):
            sheet.text(60, 90 + number * 20, f"Paragraph {number} of a letter that was printed, not scanned.")

    return draw(page)


@dataclass(frozen=True)
class ScannedClaim:
    """Files on disk, and how they were parsed."""

    claim: Claim
    documents: Sequence[ParsedDocument]
    files: Sequence[Path]


def scanned_claim(folder: Path, claim_id: str = "claim-1") -> ScannedClaim:
    """Write the files and parse them, with recognition."""
    folder.mkdir(parents=True, exist_ok=True)
    documents, files = [], []
    for name, data in (("scan", scan()), ("ledger", ledger()), ("letter", letter())):
        source, path = put(folder, f"{name}.pdf", data)
        files.append(path)
        documents.append(
            read_source(source, path=path, data=None, options=ReadingOptions(), on_page=lambda: None)
        )
    return ScannedClaim(Claim(claim_id, str(folder), str(folder)), documents, files)


def looks_like(shown: Image.Image, pdf: Path) -> bool:
    """Tell whether a picture shows what a file's first page shows: where ink is, and where none."""
    page = picture_of(pdf.read_bytes(), dpi=60)
    ink = [np.asarray(one.convert("L").resize((60, 80)), float).ravel() for one in (shown, page)]
    return bool(np.corrcoef(ink)[0, 1] > 0.7)
