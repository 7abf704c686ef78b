"""Tables drawn for the benchmark, with exact truth: each kind is one way in which real tables are hard.

Two splits: `dev` (seeds from 0) is for looking and tuning; `held` (seeds from 5000) has other looks, words
and arrangements, and is only scored. Truth follows the ICDAR 2013 competition: leader dots are no text, a
currency sign belongs to its amount, a heading over several columns is one cell.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO

from parsing_tables import Cell
from reportlab.lib.pagesizes import letter
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

_BOLD = {"Helvetica": "Helvetica-Bold", "Times-Roman": "Times-Bold", "Courier": "Courier-Bold"}


@dataclass(frozen=True)
class Look:
    """How a table is printed: font, size, line height as a share of it, room between columns in points."""

    font: str
    size: float
    leading: float
    gap: float
    rules: str = "none"
    """none, three (above, under the header, below), head, rows, full, columns (no rules between rows)."""
    bold_header: bool = False
    valign: str = "top"
    filled: bool = False
    stretched: bool = True


@dataclass
class Entry:
    """A cell to be drawn: its text as wrapped lines, first column, columns spanned, alignment."""

    text: str
    column: int
    span: int = 1
    align: str = ""
    rows: int = 1


@dataclass
class Line:
    """A row to be drawn; `rule` asks for a short rule over its amounts, `lead` fills the gap with dots."""

    entries: list[Entry]
    header: bool = False
    rule: bool = False
    lead: str = ""
    indent: float = 0.0
    room: float = 0.0
    bold: bool = False


@dataclass
class Plan:
    """A table to be drawn: its rows, how its columns are aligned (l, r, c), and the widest a text may be."""

    lines: list[Line]
    aligns: str
    widest: float = 220.0
    money: str = ""
    """"apart": the currency sign is at the left of its column."""


@dataclass
class DrawnTables:
    """One drawn document and the cells of its tables."""

    name: str
    kind: str
    data: bytes
    tables: list[list[Cell]] = field(default_factory=list)


DEV_LOOKS = (
    Look("Helvetica", 9, 1.35, 14),
    Look("Times-Roman", 10, 1.2, 18, rules="three"),
    Look("Helvetica", 8, 1.5, 12, rules="head", bold_header=True),
    Look("Times-Roman", 9, 1.3, 10, rules="head", stretched=False),
    Look("Helvetica", 7.5, 1.25, 16, rules="three", bold_header=True),
    Look("Times-Roman", 11, 1.6, 20, bold_header=True, stretched=False),
    Look("Times-Roman", 9.5, 1.3, 16, valign="middle"),
    Look("Helvetica", 8, 1.5, 14, rules="rows", valign="middle"),
    Look("Helvetica", 8.5, 1.4, 14, rules="three", valign="bottom"),
    Look("Courier", 9, 1.5, 18, bold_header=True),
)
HELD_LOOKS = (
    Look("Courier", 8, 1.3, 16),
    Look("Helvetica", 10, 1.15, 13, rules="three", valign="middle"),
    Look("Times-Roman", 8.5, 1.8, 15, rules="head", filled=True),
    Look("Courier", 7, 1.45, 12, rules="three", stretched=False),
    Look("Helvetica", 8.5, 1.4, 22, rules="none", bold_header=True, filled=True),
    Look("Times-Roman", 9.5, 1.25, 12, rules="head", bold_header=True, valign="middle"),
)
DEV_WORDS = (
    "Wages and salaries|Temporary disability|Medical treatment|Hospital services|Pharmacy|"
    "Legal fees|Transportation|Construction|Retail trade|Manufacturing|Finance and insurance|"
    "Public administration|Agriculture|Mining|Utilities|Education services|Health care|"
    "Food services|Real estate|Other services|Northern district|Coastal region|Lake county|"
    "Interior valley|Harbor city|Physical therapy|Imaging|Surgery"
)
HELD_WORDS = (
    "Alder grove|Birch hollow|Cedar falls|Dogwood park|Elm crossing|Fir mountain|"
    "Rent, net of credits|Freight|Office supplies and postage|Insurance premiums|Bank charges|"
    "Depreciation|Interest income|Royalties|Spinal fusion|Chiropractic visits|"
    "Interpreter services|Mileage|Vocational training|Burial allowance|Anesthesia|"
    "Emergency room|Durable equipment|Penalties|Photocopies|Deposition fees|Lodging|Meals"
)
_PROSE = (
    "the figures shown here were taken from the records of the office as they stood at the close of "
    "the period and include corrections that were received later amounts may not add because of "
    "rounding where a value was not reported it was estimated from earlier periods readers should "
    "compare the series with care"
)
_HEADS = (
    "Year|Rate|Number|Percent|Total|Paid|Reserve|Billed|Allowed|Units|Men|Women|Change|Index|Days|Cases|Share"
)
_GROUPS = "Claims filed|Current period|Prior period|Reported by employer|All workers|Full time|Cost"


class Pen:
    """Draws on letter pages from the top, and keeps the truth of what it drew."""

    def __init__(self, seed: int, look: Look, words: Sequence[str], *, landscape: bool = False) -> None:
        self.random = random.Random(seed)
        self.look, self.words = look, words
        self._out = BytesIO()
        self.width, self.height = reversed(letter) if landscape else letter
        # a page turned for display, or one that stays upright and is drawn on sideways
        self._landscape, self._turned = landscape, landscape and seed % 3 > 0
        self.canvas = Canvas(
            self._out, pagesize=(self.width, self.height) if self._turned else letter, invariant=1
        )
        self._begin()
        self.y = 60.0
        self.left, self.right = 60.0, self.width - 60.0
        self.tables: list[list[Cell]] = []

    def _begin(self) -> None:
        if self._landscape:
            if self._turned:
                self.canvas.setPageRotation(90)
            self.canvas.translate(self.height, 0)
            self.canvas.rotate(90)

    def turn(self) -> None:
        self.canvas.showPage()
        self._begin()
        self.y = 60.0

    def finish(self, kind: str, seed: int) -> DrawnTables:
        self.canvas.save()
        return DrawnTables(f"{kind}-{seed}", kind, self._out.getvalue(), self.tables)

    def write(self, x: float, y: float, text: str, *, bold: bool = False, size: float = 0.0) -> None:
        self.canvas.setFont(_BOLD[self.look.font] if bold else self.look.font, size or self.look.size)
        self.canvas.drawString(x, self.height - y, text)

    def rule(self, x0: float, x1: float, y: float, *, width: float = 0.6) -> None:
        self.canvas.setLineWidth(width)
        self.canvas.line(x0, self.height - y, x1, self.height - y)

    def upright(self, x: float, y0: float, y1: float) -> None:
        self.canvas.setLineWidth(0.6)
        self.canvas.line(x, self.height - y0, x, self.height - y1)

    def measure(self, text: str, *, bold: bool = False) -> float:
        return stringWidth(text, _BOLD[self.look.font] if bold else self.look.font, self.look.size)

    def prose(self, words: int = 40, *, left: float | None = None, right: float | None = None) -> None:
        left, right = left or self.left, right or self.right
        text = [self.random.choice(_PROSE.split()) for _ in range(words)]
        text[0] = text[0].capitalize()
        text[-1] += "."
        for line in self.wrap(" ".join(text), right - left):
            self.write(left, self.y, line)
            self.y += self.look.size * 1.25
        self.y += self.look.size

    def wrap(self, text: str, width: float, *, bold: bool = False) -> list[str]:
        lines, line = [], ""
        for word in text.split():
            if line and self.measure(f"{line} {word}", bold=bold) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        return [*lines, line]

    def draw(self, plan: Plan, *, left: float = 0.0, right: float = 0.0, onto: int | None = None) -> None:
        """Draw a table at `y` between two sides; `onto` adds its cells to an earlier table."""
        left, right = left or self.left, right or self.right
        look = self.look
        step = look.size * look.leading
        columns = len(plan.aligns)
        widths = [0.0] * columns
        for line in plan.lines:
            for entry in line.entries:
                if entry.span == 1:
                    bold = line.bold or (line.header and look.bold_header)
                    widest = max(self.measure(t, bold=bold) for t in self._wrapped(plan, line, entry))
                    room = line.indent + (24 if line.lead else 0)
                    widths[entry.column] = max(
                        widths[entry.column], widest + (room if not entry.column else 0)
                    )
        if plan.money == "apart":
            widths = [w + (10 if a == "r" else 0) for w, a in zip(widths, plan.aligns, strict=True)]
        if sum(widths) + look.gap * columns > right - left and columns > 3:
            if look.size > 7 or look.gap > 7:
                self.look = replace(look, size=max(7, look.size * 0.9), gap=max(7, look.gap * 0.8))
            else:
                plan = narrowed(plan)
            self.draw(plan, left=left, right=right, onto=onto)
            return
        spare = max(0.0, right - left - sum(widths) - look.gap * columns) if look.stretched else 0.0
        stops = [left]
        for width in widths:
            stops.append(stops[-1] + width + look.gap + spare / columns)
        cells: list[Cell] = []
        tops = [self.y]
        rules = look.rules
        if rules in ("three", "rows", "full", "columns"):
            self.rule(stops[0], stops[-1], self.y, width=1.0 if rules == "three" else 0.6)
        headers = sum(line.header for line in plan.lines)
        for number, line in enumerate(plan.lines):
            height = self._row(plan, line, number, stops, cells)
            self.y += height
            tops.append(self.y)
            last = number == len(plan.lines) - 1
            ends_header = line.header and number == headers - 1
            if rules in ("rows", "full") or (ends_header and rules in ("three", "head", "columns")):
                self._below(plan, number, stops)
            elif last and rules in ("three", "columns"):
                self.rule(stops[0], stops[-1], self.y, width=1.0 if rules == "three" else 0.6)
        if rules in ("full", "columns"):
            self._uprights(plan, stops, tops)
        self.y += step
        if onto is None:
            self.tables.append(cells)
        else:
            down = max(cell[0] + cell[2] for cell in self.tables[onto])
            self.tables[onto].extend((r + down, *rest) for r, *rest in cells)

    def _below(self, plan: Plan, number: int, stops: Sequence[float]) -> None:
        """Rule under a row, but not through cells that reach into the next one."""
        open_columns = {
            entry.column
            for earlier, line in enumerate(plan.lines[: number + 1])
            for entry in line.entries
            if earlier + entry.rows - 1 > number
        }
        for column, (a, b) in enumerate(zip(stops, stops[1:], strict=False)):
            if column not in open_columns:
                self.rule(a, b, self.y)

    def _uprights(self, plan: Plan, stops: Sequence[float], tops: Sequence[float]) -> None:
        for number, line in enumerate(plan.lines):
            inside = {c for e in line.entries for c in range(e.column + 1, e.column + e.span)}
            for column, x in enumerate(stops):
                if column not in inside:
                    self.upright(x, tops[number], tops[number + 1])

    def _wrapped(self, plan: Plan, line: Line, entry: Entry) -> list[str]:
        if "\n" in entry.text:
            return entry.text.split("\n")
        if entry.span > 1:
            return [entry.text]
        return self.wrap(entry.text, plan.widest if entry.column == 0 or not line.header else 64.0)

    def _row(self, plan: Plan, line: Line, number: int, stops: Sequence[float], cells: list[Cell]) -> float:
        look = self.look
        size, step = look.size, look.size * look.leading
        texts = [self._wrapped(plan, line, entry) for entry in line.entries]
        tight = min(step, size * 1.18) if max(map(len, texts), default=1) > 1 else step
        deepest = max((len(t) for t, e in zip(texts, line.entries, strict=True) if e.rows == 1), default=1)
        height = step + (deepest - 1) * tight + line.room
        bold = line.bold or (line.header and look.bold_header)
        if look.filled and number % 2 == 0 and not line.header:
            self.canvas.setFillGray(0.92)
            self.canvas.rect(stops[0], self.height - self.y - height, stops[-1] - stops[0], height, 0, 1)
            self.canvas.setFillGray(0)
        for entry, text in zip(line.entries, texts, strict=True):
            a, b = stops[entry.column], stops[entry.column + entry.span]
            align = entry.align or ("c" if entry.span > 1 else plan.aligns[entry.column])
            free = height - step - (len(text) - 1) * tight
            shift = {"top": 0.0, "middle": free / 2, "bottom": free}[
                "bottom" if line.header and entry.rows == 1 else look.valign
            ]
            if entry.rows > 1:
                shift = (entry.rows - 1) * step * (1.0 if look.rules in ("three", "head") else 0.5)
            base = self.y + line.room + (step + 0.7 * size) / 2 + shift
            for row, part in enumerate(text):
                self._part(plan, line, entry, part, (a, b, base + row * tight), align, bold)
            cells.append((number, entry.column, entry.rows, entry.span, " ".join(text)))
            if line.header and entry.span > 1 and look.rules not in ("full", "columns") and entry.text:
                self.rule(a + 3, b - 3, self.y + height)
            if line.rule and plan.aligns[entry.column] == "r" and entry.column:
                self.rule(b - look.gap / 2 - widest_amount(self, entry.text), b - look.gap / 2, self.y + 1)
        return height

    def _part(self, plan, line, entry, part, place, align, bold) -> None:
        a, b, y = place
        pad = self.look.gap / 2
        wide = self.measure(part, bold=bold)
        indent = line.indent if entry.column == 0 else 0.0
        x = {"l": a + pad + indent, "r": b - pad - wide, "c": (a + b - wide) / 2}[align]
        if plan.money == "apart" and part.startswith("$") and align == "r":
            self.write(a + pad, y, "$", bold=bold)
            part = part[1:]
            x = b - pad - self.measure(part, bold=bold)
        self.write(x, y, part, bold=bold)
        if line.lead and entry.column == 0 and part == self._wrapped(plan, line, entry)[-1]:
            dots = {"tight": ".", "spaced": " .", "glued": "."}[line.lead]
            begin = x + wide + (0 if line.lead != "tight" else self.measure(" "))
            count = int((b - begin - 2) / self.measure(dots))
            self.write(begin, y, dots * max(count, 4))


def narrowed(plan: Plan) -> Plan:
    """Return a plan without its last column: what is too wide for the page is not drawn."""
    last = len(plan.aligns) - 1
    lines = []
    for line in plan.lines:
        entries = [entry for entry in line.entries if entry.column < last]
        for entry in entries:
            entry.span = min(entry.span, last - entry.column)
        lines.append(replace(line, entries=entries))
    return replace(plan, lines=lines, aligns=plan.aligns[:last])


def widest_amount(pen: Pen, text: str) -> float:
    """Return how long the short rule over an amount is."""
    return max(pen.measure(text), 30.0)


def number(pen: Pen, style: str) -> str:
    """Return a value as tables print them."""
    chance = pen.random
    if style == "whole":
        return f"{chance.randint(1, 90000):,}"
    if style == "percent":
        return f"{chance.uniform(0, 100):.1f}"
    if style == "money":
        value = f"{chance.uniform(1, 40000):,.2f}"
        return f"({value})" if chance.random() < 0.12 else value
    if style == "gaps" and chance.random() < 0.25:
        return chance.choice(("", "", "-", "n/a", "(1)"))
    return f"{chance.randint(1, 900)}"


def header(pen: Pen, columns: int, first: str = "Item") -> Line:
    names = pen.random.sample(_HEADS.split("|"), columns - 1)
    return Line([Entry(first, 0), *(Entry(name, i + 1) for i, name in enumerate(names))], header=True)


def body(pen: Pen, rows: int, columns: int, style: str = "whole", **line: object) -> list[Line]:
    names = pen.random.sample(list(pen.words), min(rows, len(pen.words)))
    found = []
    for name in names:
        entries = [Entry(name, 0)]
        for column in range(1, columns):
            text = number(pen, style)
            if text:
                entries.append(Entry(text, column))
        found.append(Line(entries, **line))
    return found


def stacked(pen: Pen, columns: int, *, levels: int = 2, first: str = "Industry") -> list[Line]:
    """Return header rows: groups over their columns, the row's own name at the bottom or over all rows."""
    chance = pen.random
    groups, at = [], 1
    names = chance.sample(_GROUPS.split("|"), _GROUPS.count("|") + 1)
    while at < columns:
        span = min(chance.choice((2, 2, 3)), columns - at)
        if columns - at - span == 1:
            span += 1
        groups.append((names[len(groups)], at, span))
        at += span
    lines = []
    if levels == 3:
        lines.append(Line([Entry("All figures in thousands", 1, columns - 1)], header=True))
    ruled = pen.look.rules in ("full", "columns")
    top = [Entry(first, 0, rows=2)] if ruled else []
    lines.append(Line([*top, *(Entry(n, a, s) for n, a, s in groups)], header=True))
    below = [] if ruled else [Entry(first, 0)]
    heads = [chance.choice(_HEADS.split("|")) for _ in range(columns - 1)]
    lines.append(Line([*below, *(Entry(h, i + 1, align="c") for i, h in enumerate(heads))], header=True))
    if levels == 3 and ruled:
        lines[0].entries[0].column, lines[0].entries[0].span = 0, columns
    return lines


def leaders(pen: Pen, held: bool) -> None:
    columns = pen.random.randint(3, 7)
    lead = pen.random.choice(("spaced", "glued", "tight") if held else ("tight", "glued", "spaced"))
    lines = stacked(pen, columns) if columns > 4 and pen.random.random() < 0.5 else [header(pen, columns)]
    rows = body(pen, pen.random.randint(8, 22), columns, pen.random.choice(("whole", "percent")), lead=lead)
    for at, row in enumerate(rows):
        row.indent = 10.0 if at % 5 else 0.0
    rows[-1].entries[0].text = "Total"
    pen.prose(30)
    pen.draw(Plan([*lines, *rows], "l" + "r" * (columns - 1)))
    pen.prose(35)


def stacks(pen: Pen, held: bool) -> None:
    columns = pen.random.randint(5, 8)
    lines = stacked(pen, columns, levels=pen.random.choice((2, 2, 3)))
    if pen.random.random() < 0.5:
        for entry in lines[-1].entries[1:]:
            entry.text = pen.random.choice(
                ("Number of cases", "Average paid", "Percent of total", "Median days")
            )
    pen.prose(35)
    pen.draw(
        Plan([*lines, *body(pen, pen.random.randint(5, 16), columns, "gaps")], "l" + "r" * (columns - 1))
    )
    pen.prose(30)


def boxes(pen: Pen, held: bool) -> None:
    """Several rows of print in each ruled box: columns are ruled, rows only by group."""
    columns = pen.random.randint(3, 6)
    chance = pen.random
    lead = chance.choice(("", "tight", "glued"))
    rows = body(pen, chance.randint(6, 18), columns, chance.choice(("whole", "gaps")), lead=lead)
    for at in sorted(chance.sample(range(len(rows)), len(rows) // 4), reverse=True):
        if held or chance.random() < 0.5:  # a heading of its own, without figures
            rows.insert(at, Line([Entry(chance.choice(pen.words) + ":", 0)], room=3.0))
        else:
            rows[at].entries[0].text += " of the " + " ".join(chance.choice(_PROSE.split()) for _ in range(4))
    pen.look = Look(**{**vars(pen.look), "rules": "columns", "valign": "bottom"})
    is_stacked = columns > 3 and (held or chance.random() < 0.4)
    heads = stacked(pen, columns) if is_stacked else [header(pen, columns)]
    pen.prose(20)
    pen.draw(Plan([*heads, *rows], "l" + "r" * (columns - 1), widest=130))
    pen.prose(30)


def multilines(pen: Pen, held: bool) -> None:
    chance = pen.random
    room = chance.choice((0.0, 1.5, 3.0))
    rows = []
    for _ in range(chance.randint(4, 10)):
        note = " ".join(chance.choice(_PROSE.split()) for _ in range(chance.randint(2, 16))).capitalize()
        date = f"{chance.randint(1, 12):02}/{chance.randint(1, 28):02}/2025"
        cells = [Entry(date, 0), Entry(chance.choice(pen.words), 1), Entry(note, 2)]
        rows.append(Line([*cells, Entry(number(pen, "money"), 3)], room=0.0 if held else room))
    names = ("Date", "Provider", "Description of service", "Amount")
    heads = Line([Entry(n, i) for i, n in enumerate(names)], header=True)
    pen.prose(25)
    pen.draw(Plan([heads, *rows], "lllr", widest=150))
    pen.prose(30)


def ragged(pen: Pen, held: bool) -> None:
    columns = pen.random.randint(3, 7)
    aligns = "l" + "".join(pen.random.choice("lrrc") for _ in range(columns - 1))
    pen.look = Look(**{**vars(pen.look), "rules": "none"})
    pen.prose(30)
    pen.draw(Plan([header(pen, columns), *body(pen, pen.random.randint(5, 18), columns, "gaps")], aligns))
    pen.prose(30)


def money(pen: Pen, held: bool) -> None:
    columns = pen.random.randint(2, 4)
    lines = [Line([Entry(str(2026 - i), i + 1, align="r") for i in range(columns - 1)], header=True)]
    for _ in range(pen.random.randint(2, 4)):
        name = pen.random.choice(pen.words)
        lines.append(Line([Entry(f"{name}:", 0)], room=4.0, bold=held))
        part = body(pen, pen.random.randint(2, 5), columns, "money", indent=10.0)
        part[0].entries[1:] = [Entry("$" + number(pen, "money").strip("()"), i) for i in range(1, columns)]
        lines.extend(part)
        total = [Entry("$" + number(pen, "money").strip("()"), i) for i in range(1, columns)]
        lines.append(Line([Entry(f"Total {name.lower()}", 0), *total], rule=True, indent=10.0))
    pen.prose(25)
    pen.draw(Plan(lines, "l" + "r" * (columns - 1), money="apart" if pen.random.random() < 0.7 else ""))
    pen.prose(25)


def subtotals(pen: Pen, held: bool) -> None:
    columns = pen.random.randint(3, 6)
    lines = [header(pen, columns)]
    for _ in range(pen.random.randint(2, 4)):
        group = pen.random.choice(pen.words).upper() if held else pen.random.choice(pen.words)
        lines.append(Line([Entry(group, 0)], bold=True, room=3.0))
        lines.extend(body(pen, pen.random.randint(2, 6), columns, "whole", indent=8.0))
        sums = [Entry(number(pen, "whole"), i) for i in range(1, columns)]
        lines.append(Line([Entry("Subtotal", 0), *sums], bold=not held, rule=held))
    lines.append(
        Line(
            [Entry("Grand total", 0), *(Entry(number(pen, "whole"), i) for i in range(1, columns))], bold=True
        )
    )
    pen.prose(20)
    pen.draw(Plan(lines, "l" + "r" * (columns - 1)))
    pen.write(pen.left, pen.y, "Note: amounts may not add because of rounding.", size=pen.look.size - 1)
    pen.y += 16
    pen.prose(30)


def besides(pen: Pen, held: bool) -> None:
    middle = (pen.left + pen.right) / 2
    pen.prose(25)
    top = pen.y
    deepest = top
    for left, right in ((pen.left, middle - 14), (middle + 14, pen.right)):
        pen.y = top
        if right == pen.right and pen.random.random() < 0.5:  # printed on lines of its own
            pen.y += 5
            pen.look = replace(pen.look, leading=pen.look.leading + 0.15)
        columns = 3
        rows = body(pen, pen.random.randint(5, 12), columns, "whole")
        for row in rows:
            row.entries[0].text = row.entries[0].text.split(" and ")[0].split(",")[0][:18].strip()
        pen.look = Look(**{**vars(pen.look), "size": min(pen.look.size, 9), "gap": 10})
        pen.draw(Plan([header(pen, columns), *rows], "lrr", widest=110), left=left, right=right)
        deepest = max(deepest, pen.y)
    pen.y = deepest
    pen.prose(30)


def ledger(pen: Pen, held: bool) -> None:
    """Payments over three pages: header on each page or on the first alone, total at the end."""
    repeated = pen.random.random() < 0.5
    chance = pen.random
    kinds = ("TD", "PD", "MED", "EXP", "VOC") if held else ("Indemnity", "Medical", "Expense", "Legal")
    names = ("Date", "Check no.", "Payee", "Service", "Dates", "Kind", "Amount")
    payees = (
        "J. Halloran",
        "Bluff Pharmacy",
        "Summit Orthopaedic Medical Associates",
        "Tidal Rehab Group",
        "EDD",
    )
    services = ("PD advance", "Office visit, established patient", "Therapeutic exercise, each unit", "TTD")
    if chance.random() < 0.3:
        pen.look = replace(pen.look, size=7, gap=7)
    heads = Line([Entry(n, i) for i, n in enumerate(names)], header=True)
    count = 0
    for page in range(3):
        if page:
            pen.turn()
        pen.write(pen.left, 40, f"Claim {chance.randint(1000, 9999)}   Page {page + 1} of 3", size=8)
        if page == 0:
            pen.write(pen.left, pen.y, "PAYMENT HISTORY", bold=True, size=13)
            pen.y += 20
        lines = [heads] if page == 0 or repeated else []
        for _ in range(chance.randint(20, 34) if page < 2 else chance.randint(2, 9)):
            count += 1
            span = f"{chance.randint(1, 12):02}/{chance.randint(1, 28):02}/2025"
            texts = [
                f"{chance.randint(1, 12):02}/{chance.randint(1, 28):02}/2025",
                str(700000 + 7 * count),
                chance.choice(payees),
                chance.choice(services),
                span if chance.random() < 0.5 else f"{span}-{span}",
                chance.choice(kinds),
                number(pen, "money").strip("()"),
            ]
            lines.append(Line([Entry(t, i) for i, t in enumerate(texts)]))
        if page == 2:
            total = f"{chance.uniform(10000, 90000):,.2f}"
            lines.append(Line([Entry("Total paid", 3 if held else 0), Entry(total, 6)], bold=True, room=3.0))
        pen.draw(Plan(lines, "llllllr"), onto=None)


def landscape(pen: Pen, held: bool) -> None:
    columns = pen.random.randint(7, 10)
    rows = body(pen, pen.random.randint(6, 16), columns, "whole")
    pen.draw(Plan([header(pen, columns), *rows], "l" + "r" * (columns - 1)))
    pen.prose(30)


def ruled(pen: Pen, held: bool) -> None:
    columns = pen.random.randint(3, 6)
    pen.look = Look(**{**vars(pen.look), "rules": "full"})
    lines = stacked(pen, columns) if columns > 4 else [header(pen, columns)]
    pen.prose(20)
    pen.draw(
        Plan([*lines, *body(pen, pen.random.randint(4, 14), columns, "gaps")], "l" + "r" * (columns - 1))
    )
    pen.prose(20)


def no_table(pen: Pen, held: bool) -> None:
    """Prose in one or two columns, a list, an address block, a table of contents: nothing here is a table."""
    pen.prose(60)
    for at, word in enumerate(pen.random.sample(list(pen.words), 5)):
        dots = "." * pen.random.randint(30, 60)
        pen.write(pen.left, pen.y, f"{word} {dots} {pen.random.randint(1, 9) + 9 * at}")
        pen.y += pen.look.size * 1.3
    pen.y += 14
    for label in ("Claim number", "Date of injury", "Employer", "Examiner"):
        pen.write(pen.left, pen.y, f"{label}:")
        pen.write(pen.left + 120, pen.y, pen.random.choice(pen.words))
        pen.y += pen.look.size * 1.3
    pen.y += 14
    top, middle = pen.y, (pen.left + pen.right) / 2
    for left, right in ((pen.left, middle - 10), (middle + 10, pen.right)):
        pen.y = top
        for _ in range(3):
            pen.prose(45, left=left, right=right)


KINDS: dict[str, Callable[[Pen, bool], None]] = {
    "leaders": leaders,
    "stacks": stacks,
    "boxes": boxes,
    "multilines": multilines,
    "ragged": ragged,
    "money": money,
    "subtotals": subtotals,
    "besides": besides,
    "ledger": ledger,
    "landscape": landscape,
    "ruled": ruled,
    "no_table": no_table,
}


def drawn_tables(split: str, each: int, kinds: Sequence[str] = ()) -> Iterator[DrawnTables]:
    """Yield `each` documents of every kind."""
    held = split == "held"
    looks, words = (HELD_LOOKS, HELD_WORDS) if held else (DEV_LOOKS, DEV_WORDS)
    for kind, make in KINDS.items():
        if kinds and kind not in kinds:
            continue
        for at in range(each):
            seed = (5000 if held else 0) + at
            pen = Pen(
                seed * 31 + len(kind), looks[at % len(looks)], words.split("|"), landscape=kind == "landscape"
            )
            make(pen, held)
            yield pen.finish(kind, seed)
