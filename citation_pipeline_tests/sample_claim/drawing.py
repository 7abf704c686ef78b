"""A sheet of paper that remembers where it printed each fact.

Coordinates are points of the page as displayed (after /Rotate), origin top-left, y downwards. Recorded boxes
are fractions of that page and come from the font's own metrics at the moment of drawing. How paragraphs,
forms and tables flow is `flow.py`; scanning is `scanning.py`.
"""

import random
import re
from dataclasses import dataclass, replace
from importlib.resources import files
from io import BytesIO

from reportlab.lib.pagesizes import letter
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from citation_pipeline_tests.sample_claim.passages import Mark, Passage, parse

# (regular, bold, italic), and the extent above and below the baseline as a share of the size. Vera's own
# ascent (0.93) holds accents on capitals; 0.76 is its ascender height, as the other fonts declare theirs.
FACES = {
    "Times": ("Times-Roman", "Times-Bold", "Times-Italic", 0.683, 0.217),
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", 0.718, 0.207),
    "Courier": ("Courier", "Courier-Bold", "Courier-Oblique", 0.629, 0.157),
    "Vera": ("Vera", "VeraBd", "VeraIt", 0.76, 0.236),
}


@dataclass(frozen=True)
class Style:
    """A face of FACES, its weight, a size in points and the distance of lines as a multiple of it."""

    face: str = "Times"
    size: float = 11.0
    weight: int = 0
    leading: float = 1.28
    grey: float = 0.0

    @property
    def font(self) -> str:
        return FACES[self.face][self.weight]

    @property
    def step(self) -> float:
        return self.size * self.leading

    def width(self, text: str) -> float:
        return pdfmetrics.stringWidth(text, self.font, self.size)

    def bold(self) -> "Style":
        return replace(self, weight=1)

    def sized(self, size: float) -> "Style":
        return replace(self, size=size)


@dataclass(frozen=True)
class Box:
    """A rectangle on the page as displayed and the text in it. Points; fractions once recorded."""

    left: float
    top: float
    width: float
    height: float
    text: str


@dataclass(frozen=True)
class Line:
    """One printed line: offsets into its passage, where it begins and its baseline."""

    start: int
    end: int
    x: float
    baseline: float


@dataclass(frozen=True)
class Printed:
    """A passage as it stands on a page."""

    passage: Passage
    style: Style
    lines: tuple[Line, ...]

    def boxes(self, start: int, end: int, *, by_word: bool = False) -> list[Box]:
        """One box per line (or per word) for the text between two offsets, in points."""
        if by_word:
            words = re.finditer(r"\S+", self.passage.text[start:end])
            return [box for w in words for box in self.boxes(start + w.start(), start + w.end())]
        _, _, _, ascent, descent = FACES[self.style.face]
        text, size, boxes = self.passage.text, self.style.size, []
        for line in self.lines:
            a, b = max(start, line.start), min(end, line.end)
            piece = text[a:b]
            if not piece.strip():
                continue
            a += len(piece) - len(piece.lstrip())
            piece = piece.strip()
            left = line.x + self.style.width(text[line.start : a])
            top = line.baseline - ascent * size
            boxes.append(Box(left, top, self.style.width(piece), (ascent + descent) * size, piece))
        return boxes


@dataclass(frozen=True)
class Unit:
    """What a reader would quote as one thing (a sentence, label and value, a row), and its place."""

    page: int
    text: str
    boxes: tuple[Box, ...]
    layout: str
    as_of: str


@dataclass(frozen=True)
class Statement:
    """A field stated by a unit: the value's own text and boxes inside it."""

    mark: Mark
    unit: Unit
    value_text: str
    value_boxes: tuple[Box, ...]


class Sheet:
    """Draws one document, and records units and statements."""

    def __init__(
        self,
        *,
        title: str,
        date: str,
        style: Style,
        size=letter,
        rotate=0,
        total=1,
        locked=False,
        by_word=False,
    ):
        self.width, self.height = size
        self.rotate, self.total, self.style, self.as_of = rotate, total, style, date
        self.by_word = by_word  # for a page to be scanned: a skewed line has no tight box, a word has
        self.page = 0
        self.units: list[Unit] = []
        self.statements: list[Statement] = []
        self._out = BytesIO()
        # An owner password alone: the empty user password opens the file, as many portals send it.
        lock = StandardEncryption("", ownerPassword="records", strength=128) if locked else None
        self.canvas = Canvas(self._out, pagesize=size, invariant=1, pageCompression=1, encrypt=lock)
        self.canvas.setTitle(title)
        register_fonts()

    def start_page(self) -> None:
        if self.page:
            self.canvas.showPage()
        self.page += 1
        if self.rotate:
            # /Rotate 90 shows media (x, y) at (y, height - x): draw through the inverse, so it reads upright.
            # reportlab swaps the sides of the media box itself.
            self.canvas.setPageRotation(90)
            self.canvas.transform(0, 1, -1, 0, self.height, 0)

    def finish(self) -> bytes:
        self.canvas.showPage()
        self.canvas.save()
        return self._out.getvalue()

    def measure(self, text: str, style: Style, width: float) -> float:
        """Height in points of the text wrapped to a width."""
        return len(wrap(parse(text).text, style, width)) * style.step

    def print(self, passage: Passage, *, x, y, width, style=None, align="left") -> Printed:
        """Print wrapped text whose first line begins at height y."""
        style = style or self.style
        lines = []
        self.canvas.setFont(style.font, style.size)
        self.canvas.setFillGray(style.grey)
        for number, (start, end) in enumerate(wrap(passage.text, style, width)):
            text = passage.text[start:end]
            slack = width - style.width(text)
            at = x + {"left": 0.0, "center": slack / 2, "right": slack}[align]
            baseline = y + number * style.step + style.size * 0.8
            self.canvas.drawString(at, self.height - baseline, text)
            lines.append(Line(start, end, at, baseline))
        self.canvas.setFillGray(0)
        return Printed(passage, style, tuple(lines))

    def record(self, pieces: list[tuple[Printed, int, int]], layout: str) -> Unit:
        """Keep stretches of printed passages as one unit, and each of their marks as a statement."""
        boxes = [
            self._share(box) for printed, a, b in pieces for box in printed.boxes(a, b, by_word=self.by_word)
        ]
        texts = (" ".join(printed.passage.text[a:b].split()) for printed, a, b in pieces)
        text = " ".join(t for t in texts if t)
        unit = Unit(self.page, text, tuple(boxes), layout, self.as_of)
        self.units.append(unit)
        for printed, a, b in pieces:
            for mark in printed.passage.marks:
                if a <= mark.start and mark.end <= b:
                    placed = printed.boxes(mark.start, mark.end, by_word=self.by_word)
                    where = tuple(self._share(box) for box in placed)
                    value = printed.passage.text[mark.start : mark.end]
                    self.statements.append(Statement(mark, unit, value, where))
        return unit

    def rule(self, x0, y0, x1, y1, *, weight=0.6, grey=0.0) -> None:
        self.canvas.setLineWidth(weight)
        self.canvas.setStrokeGray(grey)
        self.canvas.line(x0, self.height - y0, x1, self.height - y1)
        self.canvas.setStrokeGray(0)

    def frame(self, x, y, width, height, *, weight=0.6, fill: float | None = None) -> None:
        self.canvas.setLineWidth(weight)
        if fill is not None:
            self.canvas.setFillGray(fill)
        self.canvas.rect(x, self.height - y - height, width, height, stroke=weight > 0, fill=fill is not None)
        self.canvas.setFillGray(0)

    def scribble(self, x, y, *, seed: str, scale: float = 1.0) -> None:
        """A signature: a looping stroke, the same for the same name. Large ones rise 26 points above y."""
        draw, path = random.Random(seed), self.canvas.beginPath()
        self.canvas.saveState()
        self.canvas.translate(x, self.height - y)
        self.canvas.scale(scale, scale)
        path.moveTo(0, 0)
        path.curveTo(-6, 20, draw.uniform(4, 14), 26, 8, -draw.uniform(2, 8))
        at = 8.0
        for _ in range(draw.randint(4, 9)):
            rise, run, lean = draw.uniform(-3, 13), draw.uniform(5, 17), draw.uniform(-0.4, 0.9)
            path.curveTo(at + run * lean, rise, at + run * (1 + lean), rise, at + run, -draw.uniform(0, 4))
            at += run
        path.curveTo(at + 12, 2, at + 25, -5, at + draw.uniform(20, 60), draw.uniform(-2, 9))
        self.canvas.setLineWidth(0.9)
        self.canvas.drawPath(path)
        self.canvas.restoreState()

    def _share(self, box: Box) -> Box:
        return Box(
            round(box.left / self.width, 5),
            round(box.top / self.height, 5),
            round(box.width / self.width, 5),
            round(box.height / self.height, 5),
            box.text,
        )


def wrap(text: str, style: Style, width: float) -> list[tuple[int, int]]:
    """Offsets of the lines that fit a width; a word too long for it stands alone."""
    lines: list[tuple[int, int]] = []
    for word in re.finditer(r"\S+", text):
        if lines and style.width(text[lines[-1][0] : word.end()]) <= width + 0.01:
            lines[-1] = (lines[-1][0], word.end())
        else:
            lines.append((word.start(), word.end()))
    return lines


def register_fonts() -> None:
    """Make the TrueType family that reportlab ships known to it."""
    known = pdfmetrics.getRegisteredFontNames()
    for name in ("Vera", "VeraBd", "VeraIt"):
        if name not in known:
            pdfmetrics.registerFont(TTFont(name, str(files("reportlab") / "fonts" / f"{name}.ttf")))
