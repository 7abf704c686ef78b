"""Pages drawn for the benchmark, with the truth known from drawing them: blocks in order, and tables.

Nothing here looks like a particular claim document: letters, reports in two columns, boxed forms, ledgers.
"""

import random
from dataclasses import dataclass, field
from io import BytesIO

from parsing_tables import Cell
from reportlab.lib.pagesizes import letter
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

_PROSE = """
the worker was seen for a follow up of pain in shoulder after lifting boxes and reports that symptoms have
improved with therapy but remain when reaching over head examination shows full range of motion mild
tenderness strength is normal plan continue exercise return in four weeks restrictions no overhead work
weight limit twenty pounds medication as needed carrier notified employer confirms modified duty
"""
_WORDS = _PROSE.split()
_NAMES = ("Ada Quist", "Bo Lindqvist", "Cara Moreno", "Dev Patel", "Eli Novak", "Fay Osei", "Gus Tran")
_LABELS = (
    "Claim number",
    "Date of injury",
    "Employer",
    "Examiner",
    "Date of birth",
    "Occupation",
    "Adjuster",
)
_HEADS = ("History", "Findings", "Plan of action", "Work status", "Discussion", "Reserves", "Diagnosis")


@dataclass
class Drawn:
    """One drawn document: its bytes, and per page the blocks as (type, first words) in reading order."""

    name: str
    data: bytes
    blocks: list[list[tuple[str, str]]]
    tables: list[list[Cell]] = field(default_factory=list)


class _Pen:
    def __init__(self, seed: int, font: str = "Helvetica"):
        self.random = random.Random(seed)
        self._out = BytesIO()
        self.canvas = Canvas(self._out, pagesize=letter, invariant=1)
        self.width, self.height = letter
        self.font, self.size = font, self.random.choice((9.5, 10, 10.5, 11))
        self.y = 60.0
        self.blocks: list[list[tuple[str, str]]] = [[]]
        self.tables: list[list[Cell]] = []

    def finish(self, name: str) -> Drawn:
        self.canvas.save()
        return Drawn(name, self._out.getvalue(), self.blocks, self.tables)

    def turn(self) -> None:
        self.canvas.showPage()
        self.blocks.append([])
        self.y = 60.0

    def sentence(self, words: int) -> str:
        text = " ".join(self.random.choice(_WORDS) for _ in range(words))
        return text[0].upper() + text[1:] + "."

    def text(self, x: float, y: float, text: str, *, bold=False, size=None) -> None:
        self.canvas.setFont(self.bold if bold else self.font, size or self.size)
        self.canvas.drawString(x, self.height - y, text)

    @property
    def bold(self) -> str:
        return {"Helvetica": "Helvetica-Bold", "Times-Roman": "Times-Bold"}[self.font]

    def note(self, kind: str, text: str) -> None:
        self.blocks[-1].append((kind, text))

    def wrap(self, text: str, width: float, size: float) -> list[str]:
        lines, line = [], ""
        for word in text.split():
            if line and stringWidth(f"{line} {word}", self.font, size) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        return [*lines, line]

    def paragraph(
        self, x: float, width: float, *, words: int = 45, kind: str = "Text", lead: str = ""
    ) -> None:
        text = lead + self.sentence(words)
        self.note(kind, text)
        for number, line in enumerate(self.wrap(text, width - (14 if lead else 0), self.size)):
            self.text(x + (14 if lead and number else 0), self.y, line)
            self.y += self.size * 1.28
        self.y += self.size * 0.8

    def heading(
        self, x: float, text: str, *, kind="Section Header", size: float | None = None, centre=False
    ) -> None:
        size = size or self.size + 1
        if centre:
            x = (self.width - stringWidth(text, self.bold, size)) / 2
        self.note(kind, text)
        self.y += 4
        self.text(x, self.y, text, bold=True, size=size)
        self.y += size * 1.6

    def fields(self, x: float, count: int) -> None:
        labels = self.random.sample(_LABELS, count)
        self.note("Key Value", labels[0] + ":")
        for label in labels:
            self.text(x, self.y, label + ":", bold=True)
            gap = stringWidth(label + ": ", self.bold, self.size)
            self.text(x + gap + 4, self.y, self.random.choice(_NAMES))
            self.y += self.size * 1.35
        self.y += self.size * 0.8

    def scribble(self, x: float) -> None:
        path = self.canvas.beginPath()
        base = self.height - self.y - 14
        path.moveTo(x, base)
        for _ in range(6):
            rise, run = self.random.uniform(5, 14), self.random.uniform(9, 17)
            path.curveTo(x + run * 0.2, base + rise, x + run * 1.2, base + rise, x + run * 0.8, base - 3)
            x += run
        self.canvas.drawPath(path)
        self.note("Signature", "")
        self.y += 30

    def margins(self, number: int, total: int, *, title: str) -> None:
        """Draw the running header first and remember to draw the footer: order is top to bottom."""
        self.note("Header", title)
        self.text(60, 34, title, size=8)
        self.y = 66

    def foot(self, number: int, total: int) -> None:
        text = f"Page {number} of {total}"
        self.note("Page Number", text)
        self.text(self.width / 2 - 20, self.height - 28, text, size=8)

    def grid(self, rows: int, columns: int, *, ruled: str) -> None:
        left, width = 60.0, self.width - 120
        shares = [self.random.uniform(0.7, 1.4) for _ in range(columns)]
        stops = [left]
        for share in shares:
            stops.append(stops[-1] + width * share / sum(shares))
        step = self.size * 1.7
        top = self.y
        cells: list[Cell] = []
        spanned = self.random.random() < 0.5 and columns > 3
        merged = ruled == "full" and self.random.random() < 0.5 and rows > 5
        heads = [
            self.random.choice(("Date", "Payee", "Amount", "Code", "Units", "Rate", "Paid"))
            for _ in stops[1:]
        ]
        self.note("Table", "Period" if spanned else heads[0])
        offset = 0
        if spanned:
            for text, a, b in (("Period", 0, 2), ("Payment", 2, columns)):
                cells.append((0, a, 1, b - a, text))
                middle = (stops[a] + stops[b]) / 2
                self.text(middle - 12, top + step * 0.7, text, bold=True)
            offset = 1
        for row in range(rows):
            for column in range(columns):
                y = top + step * (row + offset + 0.7)
                if merged and column == 0 and row == 3:
                    continue
                text = heads[column] if row == 0 else self._value(column)
                rowspan = 2 if merged and column == 0 and row == 2 else 1
                cells.append((row + offset, column, rowspan, 1, text))
                shift = 0.0 if column < 2 or row == 0 else stops[column + 1] - stops[column] - 8
                shift -= stringWidth(text, self.font, self.size) if shift else -4
                self.text(stops[column] + shift, y + (step / 2 if rowspan > 1 else 0), text, bold=row == 0)
        bottom = top + step * (rows + offset)
        if ruled == "full":
            self._rules(stops, top, step, rows + offset, spanned=spanned, merged=2 + offset if merged else -1)
        elif ruled == "rows":
            for row in range(rows + offset + 1):
                self._line(stops[0], top + step * row, stops[-1], top + step * row)
        else:
            self._line(stops[0], top + step * (1 + offset), stops[-1], top + step * (1 + offset))
        self.tables.append(cells)
        self.y = bottom + self.size * 2

    def _value(self, column: int) -> str:
        if column == 0:
            return f"{self.random.randint(1, 12):02}/{self.random.randint(1, 28):02}/2026"
        if column == 1:
            return self.random.choice(_NAMES)
        return f"{self.random.uniform(1, 4000):,.2f}"

    def _line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.canvas.setLineWidth(0.6)
        self.canvas.line(x0, self.height - y0, x1, self.height - y1)

    def _rules(self, stops, top, step, rows, *, spanned: bool, merged: int) -> None:
        for row in range(rows + 1):
            start = stops[1] if row == merged + 1 and merged >= 0 else stops[0]
            self._line(start, top + step * row, stops[-1], top + step * row)
        for number, x in enumerate(stops):
            inner = 0 < number < len(stops) - 1
            begin = top + step if spanned and inner and number != 2 else top
            self._line(x, begin, x, top + step * rows)

    def boxes(self, rows: int) -> None:
        for _ in range(rows):
            stops = [
                60.0,
                *sorted(self.random.sample((180.0, 260.0, 330.0, 410.0), self.random.choice((1, 2)))),
            ]
            stops.append(self.width - 60)
            for left, right in zip(stops, stops[1:], strict=False):
                self.canvas.rect(left, self.height - self.y - 32, right - left, 32)
                label = f"{self.random.randint(1, 40)}. {self.random.choice(_LABELS).upper()}"
                self.note("Key Value", label)
                self.text(left + 4, self.y + 9, label, size=6)
                if self.random.random() < 0.25:
                    self.text(left + 6, self.y + 24, "[X] Yes  [ ] No", size=9)
                else:
                    self.text(left + 6, self.y + 24, self.random.choice(_NAMES), size=9)
            self.y += 32
        self.y += 14


def letters(seed: int) -> Drawn:
    pen = _Pen(seed, "Times-Roman")
    pen.heading(60, "Northern Lakes Adjusters", kind="Title", size=16)
    pen.y += 10
    pen.note("Text", "Ms. Cara Moreno")
    for line in ("Ms. Cara Moreno", "12 Harbor Street", "Duluth, MN 55802"):
        pen.text(60, pen.y, line)
        pen.y += pen.size * 1.28
    pen.y += 12
    pen.fields(90, 4)
    for _ in range(4):
        pen.paragraph(60, 490, words=pen.random.randint(30, 70))
    pen.scribble(60)
    pen.note("Text", "Dev Patel")
    pen.text(60, pen.y + 8, "Dev Patel")
    pen.text(60, pen.y + 8 + pen.size * 1.28, "Examiner")
    return pen.finish(f"letter-{seed}")


def reports(seed: int) -> Drawn:
    pen = _Pen(seed, "Times-Roman")
    for number in (1, 2, 3):
        if number > 1:
            pen.turn()
        pen.margins(number, 3, title="RE: Quist, Ada - January 5, 2026")
        if number == 1:
            pen.heading(60, "ORTHOPEDIC EVALUATION", kind="Title", size=15, centre=True)
        for head in pen.random.sample(_HEADS, 3):
            pen.heading(60, head)
            for _ in range(2):
                pen.paragraph(60, 490, words=pen.random.randint(35, 60))
        for item in range(1, 4):
            pen.paragraph(74, 470, words=8, kind="List Item", lead=f"{item}. ")
        pen.foot(number, 3)
    return pen.finish(f"report-{seed}")


def articles(seed: int) -> Drawn:
    pen = _Pen(seed, "Times-Roman")
    pen.size = 9.5
    pen.heading(60, "Outcomes of Early Therapy", kind="Title", size=17, centre=True)
    pen.paragraph(60, 490, words=60)
    top = pen.y
    for x in (60, 316):
        pen.y = top
        for head in pen.random.sample(_HEADS, 2):
            pen.heading(x, head)
            for _ in range(3):
                pen.paragraph(x, 235, words=pen.random.randint(28, 44))
    return pen.finish(f"article-{seed}")


def forms(seed: int) -> Drawn:
    pen = _Pen(seed)
    pen.heading(60, "REPORT OF INJURY", kind="Title", size=14)
    pen.boxes(9)
    pen.paragraph(60, 490, words=40)
    return pen.finish(f"form-{seed}")


def ledgers(seed: int, *, ruled: str) -> Drawn:
    pen = _Pen(seed)
    pen.heading(60, "PAYMENT HISTORY", kind="Title", size=14)
    pen.fields(60, 3)
    pen.grid(pen.random.randint(6, 22), pen.random.randint(3, 6), ruled=ruled)
    pen.paragraph(60, 490, words=30)
    return pen.finish(f"ledger-{ruled}-{seed}")


def drawn_documents() -> list[Drawn]:
    """Return 84 pages in 64 documents."""
    found = [make(seed) for make in (letters, articles, forms) for seed in range(10)]
    found += [reports(seed) for seed in range(10)]
    found += [ledgers(seed, ruled=ruled) for ruled in ("full", "rows", "none") for seed in range(8)]
    return found
