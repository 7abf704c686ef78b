"""Small real files for tests of the local parser: drawn PDFs, scans of text, and the sources they become."""

import hashlib
import io
import zipfile
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2 as pdfium
from PIL import Image
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from citation_pipeline.adapters import file_types
from citation_pipeline.core.documents.parsed import SourceDocument

LETTER_LINES = (
    "Delta Valley Packing Company",
    "RE: Claim Number WC-2023-00417 Date of Injury: 03/14/2023",
    "Dear Ms. Quintanar,",
    "Temporary disability is payable at $586.67 per week from 01/18/2020",
    "through 10/22/2020. The average weekly wage was $880.00 and the",
    "physician reports a whole person impairment of 11 percent.",
    "Payment of medical treatment continues under Labor Code 4600.",
    "Sincerely, Theo Marchetti, Claims Examiner (916) 555-0148",
)


def letter_pdf(
    lines: Sequence[str] = LETTER_LINES, *, size: float = 12, password: str | None = None
) -> bytes:
    """Draw lines of text on one letter page."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792), encrypt=password, invariant=1)
    canvas.setFont("Helvetica", size)
    for number, line in enumerate(lines):
        canvas.drawString(72, 700 - number * 2.2 * size, line)
    canvas.save()
    return buffer.getvalue()


def picture_of(
    pdf: bytes, *, dpi: float = 200, degrees: float = 0.0, noise: float = 0.0, bilevel: bool = False
) -> Image.Image:
    """Scan a PDF's first page: skewed counter-clockwise, noisy, perhaps as a fax."""
    document = pdfium.PdfDocument(pdf)
    image: Image.Image = document[0].render(scale=dpi / 72).to_pil().convert("L")
    document.close()
    if degrees:
        image = image.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    if noise:
        random = np.random.default_rng(7)
        pixels = np.asarray(image, np.float64) + random.normal(0, noise, image.size[::-1])
        pixels[random.random(pixels.shape) < 0.001] = 0
        image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    return image.point(lambda value: 255 if value > 150 else 0).convert("1") if bilevel else image


def image_bytes(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def scan_pdf(image: Image.Image) -> bytes:
    """Put a picture on a letter page, as scanners do."""
    buffer = io.BytesIO()
    image.convert("L").save(buffer, "PDF", resolution=image.width / 8.5)
    return buffer.getvalue()


def source_of(data: bytes, file: str = "letter.pdf") -> SourceDocument:
    return SourceDocument(
        source_id=Path(file).stem,
        name=file,
        file=file,
        sha256=hashlib.sha256(data).hexdigest(),
        media_type=file_types.sniff(data),
        byte_count=len(data),
    )


def pdf_of(*objects: bytes) -> bytes:
    """Return the PDF of these objects, numbered from 1; the first is its catalog."""
    out = b"%PDF-1.7\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)


def put(folder: Path, file: str, data: bytes) -> tuple[SourceDocument, Path]:
    path = folder / file
    path.write_bytes(data)
    return source_of(data, file), path


def package(parts: dict[str, bytes | str]) -> bytes:
    """Return a ZIP archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def mail_of(*, plain: str = "Hello,\n\nplease see attached.", html: str | None = None) -> EmailMessage:
    """Write a mail with headers beyond ASCII, a plain body, one in HTML, or both."""
    mail = EmailMessage()
    mail["From"] = "Núñez <a@example.com>"
    mail["To"] = "b@example.com"
    mail["Date"] = "Tue, 14 Mar 2023 10:00:00 -0700"
    mail["Subject"] = "Work status – Tomás"
    mail["Message-ID"] = "<1@example.com>"
    if plain is not None:
        mail.set_content(plain)
    if html is not None:
        (mail.add_alternative if plain is not None else mail.set_content)(html, subtype="html")
    return mail
