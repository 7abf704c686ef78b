"""Small documents whose every word's place is known, because it was computed before it was drawn.

A letter of two pages, a ledger on a rotated page, a fax scan without a text layer, and a plain-text note
whose name and content try to be markup.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from citation_pipeline.core.boxes import Box

FONT, SIZE = "Helvetica", 12
SCAN_DPI = 150

HOSTILE_NAME = '<img src=x onerror=alert(1)>\u202egnp.\u202c"; rm -rf.pdf'
HOSTILE_TEXT = (
    "<script>globalThis.wasTaken=1</script> ${7*7} \"'><svg/onload=alert(1)> "
    "\u202etxet\u202c ../../etc/passwd"
)

LETTER = (
    (
        "RE: Marisol Quintanar v. Harbor Foods",
        "Claim number: HF-2023-0417",
        "Date of injury: March 14, 2023",
        "Date of birth: 07/02/1984",
        "Average weekly wage: $1,182.50",
        "The claim was accepted on 04/28/2023.",
    ),
    (
        "Page two of the letter",
        "Claim number: HF-2023-0417",
        "Treating physician: Amelia Prado, M.D.",
        "Return to work is expected in June.",
    ),
)
LEDGER = (
    "PAYMENT LEDGER",
    "Temporary disability paid 12,804.12",
    "Medical paid 8,415.00",
    "Total paid 21,219.12",
)
FAX = ("EMPLOYER REPORT", "Occupation: Forklift operator", "Hire date: 11/03/2019", "Shift: night")


@dataclass(frozen=True)
class DrawnWord:
    text: str
    box: Box


@dataclass(frozen=True)
class DrawnPage:
    width: float
    height: float
    rotation: int
    lines: Sequence[Sequence[DrawnWord]]


def _line(text: str, *, left: float, baseline: float, width: float, height: float) -> list[DrawnWord]:
    """A line's words with boxes in the page frame; `baseline` in points from the top."""
    words, x = [], left
    for word in text.split(" "):
        extent = stringWidth(word, FONT, SIZE)
        box = Box(x / width, (baseline - SIZE * 0.75) / height, extent / width, SIZE / height)
        words.append(DrawnWord(word, box))
        x += stringWidth(word + " ", FONT, SIZE)
    return words


def letter() -> tuple[bytes, list[DrawnPage]]:
    out, pages = io.BytesIO(), []
    canvas = Canvas(out, pagesize=(612, 792), invariant=1)
    for texts in LETTER:
        canvas.setFont(FONT, SIZE)
        lines = []
        for number, text in enumerate(texts):
            top = 90 + 60 * number
            canvas.drawString(72, 792 - top, text)
            lines.append(_line(text, left=72, baseline=top, width=612, height=792))
        pages.append(DrawnPage(612, 792, 0, lines))
        canvas.showPage()
    canvas.save()
    return out.getvalue(), pages


def ledger() -> tuple[bytes, list[DrawnPage]]:
    """One page, 612 by 792 in the file, displayed 792 by 612 because of /Rotate 90."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(792, 612), invariant=1)  # reportlab turns the size as well
    canvas.setPageRotation(90)
    lines = []
    for number, text in enumerate(LEDGER):
        top, left = 100 + 70 * number, 80
        canvas.saveState()
        canvas.translate(top, left)  # displayed x is the file's y, displayed y its x
        canvas.rotate(90)
        canvas.setFont(FONT, SIZE)
        canvas.drawString(0, 0, text)
        canvas.restoreState()
        lines.append(_line(text, left=left, baseline=top, width=792, height=612))
    canvas.save()
    return out.getvalue(), [DrawnPage(792, 612, 90, lines)]


def fax() -> tuple[bytes, list[DrawnPage]]:
    """A grey picture of a page, as a scanner leaves it: no text layer."""
    width, height = int(8.5 * SCAN_DPI), 11 * SCAN_DPI
    image = Image.new("L", (width, height), 250)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(28)
    lines = []
    for number, text in enumerate(FAX):
        x, y, words = 150.0, 200 + 150 * number, []
        for word in text.split(" "):
            draw.text((x, y), word, fill=20, font=font)
            left, top, right, bottom = draw.textbbox((x, y), word, font=font)
            words.append(
                DrawnWord(
                    word, Box(left / width, top / height, (right - left) / width, (bottom - top) / height)
                )
            )
            x = right + 12
        lines.append(words)
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(612, 792), invariant=1)
    canvas.drawImage(ImageReader(image), 0, 0, 612, 792)
    canvas.save()
    return out.getvalue(), [DrawnPage(612, 792, 0, lines)]


def hostile_letter() -> tuple[bytes, list[DrawnPage]]:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(612, 792), invariant=1)
    canvas.setFont(FONT, SIZE)
    canvas.drawString(72, 700, "See attached")
    canvas.save()
    lines = [_line(HOSTILE_TEXT, left=20, baseline=92, width=1400, height=792)]
    return out.getvalue(), [DrawnPage(612, 792, 0, lines)]
