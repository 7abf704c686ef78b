"""Tables as claims offices print them, composed by a typesetter, for a blind score: cell adjacency F1.

    .venv/bin/python benchmarks/office_tables.py [--seed N] [--each N] [--kinds a,b] [--worst F1]

Another hand than `drawn_tables.py`: reportlab's own tables with paragraphs that wrap, their padding, spans
and lines. `--seed` chooses looks, fonts and values; a seed that was looked at is no longer blind.
"""

import argparse
import io
import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from drawn_tables import DrawnTables
from parsing import cells_of, parse
from parsing_tables import Cell, f1
from parsing_tables import score as score_tables
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4, landscape, letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table
from tables import report, worst

_ALIGNS = {"l": TA_LEFT, "r": TA_RIGHT, "c": TA_CENTER}
_NOTES = (
    "Patient reports gradual relief since the last visit|Authorization pending with utilization review|"
    "Reduced under the fee schedule|Take one tablet by mouth twice daily with food|"
    "Modified duty not available|Paid late, increase of ten percent added|"
    "Denied: not related to the industrial injury|Two units of 15 minutes"
)
_PAYEES = (
    "Ortega Transport|Mill Creek Imaging LLC|Dr. P. Anand|County Recorder|Harlow & Finch|Bayside Therapy Inc"
)
_TESTS = (
    "Hemoglobin|Hematocrit|Glucose, fasting|Creatinine|Sodium|Potassium|Albumin|ALT (SGPT)|TSH|Platelet count"
)


@dataclass
class Desk:
    """One document in the making: chance, looks, its flowables and the truth of its tables."""

    random: random.Random
    font: str
    size: float
    lines: str
    pad: float
    story: list[object] = field(default_factory=list)
    tables: list[list[Cell]] = field(default_factory=list)
    wide: bool = False

    def amount(self) -> str:
        value = self.random.uniform(3, 30000)
        text = f"{value:,.2f}"
        return f"({text})" if self.random.random() < 0.08 else text

    def date(self) -> str:
        year = self.random.choice((2023, 2024, 2025))
        return f"{self.random.randint(1, 12):02}/{self.random.randint(1, 28):02}/{year}"

    def pick(self, words: str) -> str:
        return self.random.choice(words.split("|"))

    def paragraph(self, text: str, align: str = "l", *, bold: bool = False) -> Paragraph:
        font = {"Helvetica": "Helvetica-Bold", "Times-Roman": "Times-Bold"}[self.font] if bold else self.font
        style = ParagraphStyle(
            "x", fontName=font, fontSize=self.size, leading=self.size * 1.18, alignment=_ALIGNS[align]
        )
        return Paragraph(text.replace("& ", "&amp; "), style)

    def prose(self) -> None:
        text = " ".join(self.pick(_NOTES) + "." for _ in range(self.random.randint(2, 5)))
        self.story += [self.paragraph(text), Spacer(1, 10)]

    def title(self, text: str) -> None:
        self.story += [self.paragraph(text, bold=True), Spacer(1, 6)]

    def table(
        self,
        rows: list[list[str]],
        aligns: str,
        widths: list[float],
        *,
        heads: int = 1,
        spans: tuple[tuple[int, int, int, int], ...] = (),
        bold: tuple[int, ...] = (),
        lines: str = "",
        style: tuple[tuple[object, ...], ...] = (),
    ) -> None:
        """Add a table; `spans` are (row, column, rows, columns)."""
        hidden = {
            (r + a, c + b)
            for r, c, down, across in spans
            for a in range(down)
            for b in range(across)
            if a or b
        }
        size = {(r, c): (down, across) for r, c, down, across in spans}
        cells: list[Cell] = []
        grid: list[list[object]] = []
        for r, row in enumerate(rows):
            line: list[object] = []
            for c, text in enumerate(row):
                if (r, c) in hidden:
                    line.append("")
                    continue
                down, across = size.get((r, c), (1, 1))
                align = "c" if r < heads and across > 1 else aligns[c]
                line.append(self.paragraph(text, align, bold=r < heads or r in bold) if text else "")
                if text:
                    cells.append((r, c, down, across, text))
            grid.append(line)
        look: list[tuple[object, ...]] = [
            ("TOPPADDING", (0, 0), (-1, -1), self.pad),
            ("BOTTOMPADDING", (0, 0), (-1, -1), self.pad),
            ("LEFTPADDING", (0, 0), (-1, -1), 4),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
            ("VALIGN", (0, 0), (-1, -1), self.random.choice(("TOP", "MIDDLE"))),
            ("VALIGN", (0, 0), (-1, heads - 1), "BOTTOM"),
        ]
        look += [("SPAN", (c, r), (c + across - 1, r + down - 1)) for r, c, down, across in spans]
        lines = lines or self.lines
        if lines == "grid":
            look.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
        elif lines == "rows":
            look.append(("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.grey))
        elif lines == "head":
            look += [("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black)] if self.random.random() < 0.5 else []
            look.append(("LINEBELOW", (0, heads - 1), (-1, heads - 1), 0.8, colors.black))
        elif lines == "zebra":
            look.append(("ROWBACKGROUNDS", (0, heads), (-1, -1), (colors.whitesmoke, colors.lightgrey)))
        if heads > 1 and lines not in ("grid", "rows"):
            look += [
                ("LINEBELOW", (c, r), (c + across - 1, r), 0.5, colors.black)
                for r, c, down, across in spans
                if r < heads - 1 and across > 1
            ]
        made = Table(
            grid, colWidths=widths, style=[*look, *style], hAlign=self.random.choice(("LEFT", "CENTER"))
        )
        self.story += [made, Spacer(1, 14)]
        self.tables.append(cells)


def review(desk: Desk) -> None:
    """An explanation of review: charges under one heading, codes, totals."""
    rows = [
        ["Date of service", "Code", "Units", "Charges", "", "", "Reason"],
        ["", "", "", "Billed", "Allowed", "Paid", ""],
    ]
    for _ in range(desk.random.randint(4, 13)):
        row = [desk.date(), str(desk.random.randint(97010, 99499)), str(desk.random.randint(1, 8))]
        rows.append([*row, desk.amount(), desk.amount(), desk.amount(), desk.pick("G1|B4|G56, B7||PR-3")])
    rows.append(["Totals", "", "", desk.amount(), desk.amount(), desk.amount(), ""])
    spans = ((0, 3, 1, 3), (0, 0, 2, 1), (0, 1, 2, 1), (0, 2, 2, 1), (0, 6, 2, 1))
    desk.table(rows, "lccrrrl", [74, 50, 40, 66, 66, 66, 60], heads=2, spans=spans, bold=(len(rows) - 1,))


def wages(desk: Desk) -> None:
    """Weeks of wages in two halves side by side in one table."""
    half = desk.random.randint(6, 13)
    rows = [["Week", "Ending", "Hours", "Gross pay"] * 2]
    for at in range(half):
        row: list[str] = []
        for number in (at + 1, at + 1 + half):
            row += [
                str(number),
                desk.date(),
                f"{desk.random.uniform(8, 52):.1f}",
                f"{desk.random.uniform(300, 1900):.2f}",
            ]
        rows.append(row)
    desk.table(rows, "clrrclrr", [36, 66, 42, 62] * 2, lines=desk.random.choice(("grid", "head", "rows")))


def summary(desk: Desk) -> None:
    """Benefits with dots that lead to two amounts."""
    names = (
        "Temporary total disability|Permanent disability advances|Medical-legal evaluations|Hospital|Mileage"
    )
    names += "|Self-procured treatment|Vocational voucher|Penalties and interest|Interpreters"
    rows = [["", "Paid", "Outstanding"]]
    for name in desk.random.sample(names.split("|"), desk.random.randint(5, 9)):
        rows.append([name, desk.amount(), desk.amount()])
    rows.append(["Total incurred", desk.amount(), desk.amount()])
    desk.table(rows, "lrr", [230, 90, 90], bold=(len(rows) - 1,), lines="none")
    table = desk.story[-2]
    for row in table._cellvalues[1:]:  # dots as word processors set them
        width = 222 - table._cellvalues[0][1].style.fontSize * 0.2
        text = row[0].text
        face = row[0].style
        room = width - stringWidth(text, face.fontName, face.fontSize) - 4
        dots = int(room / stringWidth(".", face.fontName, face.fontSize))
        row[0] = Paragraph(f"{text} {'.' * dots}", face)


def reserves(desk: Desk) -> None:
    """Kinds of reserve with several rows each, the kind's name once beside them."""
    rows, spans = [["Category", "Item", "Previous", "Change", "Current"]], []
    for kind in ("Medical", "Indemnity", "Expense"):
        count = desk.random.randint(2, 4)
        spans.append((len(rows), 0, count, 1))
        for at in range(count):
            item = desk.pick(
                "Physician|Hospital|TTD|PD|Future medical|Defense counsel|Copy service|Life pension"
            )
            rows.append([kind if not at else "", item, desk.amount(), desk.amount(), desk.amount()])
    rows.append(["Total", "", desk.amount(), desk.amount(), desk.amount()])
    spans.append((len(rows) - 1, 0, 1, 2))
    desk.table(rows, "llrrr", [80, 130, 80, 80, 80], spans=tuple(spans), lines="grid", bold=(len(rows) - 1,))


def medications(desk: Desk) -> None:
    rows = [["Medication", "Strength", "Directions", "Prescriber", "Last filled"]]
    for name in desk.random.sample(
        ["Ibuprofen", "Cyclobenzaprine", "Gabapentin", "Tramadol HCl", "Omeprazole", "Lidocaine patch"], 5
    ):
        rows.append(
            [
                name,
                desk.pick("10 mg|300 mg|5 %|50 mg tab"),
                desk.pick(_NOTES),
                desk.pick(_PAYEES),
                desk.date(),
            ]
        )
    desk.table(
        rows, "lllll", [90, 60, 150, 100, 66], lines=desk.random.choice(("rows", "grid", "none", "zebra"))
    )


def motion(desk: Desk) -> None:
    """Ranges of motion: left and right, each measured three times."""
    rows = [["Movement", "Normal", "Right", "", "", "Left", "", ""], ["", "", "1", "2", "3", "1", "2", "3"]]
    for name in desk.random.sample(
        ["Flexion", "Extension", "Abduction", "Adduction", "Internal rotation", "External rotation"], 5
    ):
        rows.append([name, *(str(desk.random.randint(10, 180)) for _ in range(7))])
    spans = ((0, 2, 1, 3), (0, 5, 1, 3), (0, 0, 2, 1), (0, 1, 2, 1))
    desk.table(rows, "lccccccc", [110, 56, 40, 40, 40, 40, 40, 40], heads=2, spans=spans)


def ledger(desk: Desk) -> None:
    """Payments over several pages, headings carried over or not, the total on the last."""
    carried = desk.random.random() < 0.6
    head = ["Issued", "Check", "Payee", "From", "Through", "Amount"]
    widths, pages = [62, 56, 140, 62, 62, 70], desk.random.randint(2, 3)
    for page in range(pages):
        rows = [head] if carried or not page else []
        for _ in range(desk.random.randint(18, 30) if page < pages - 1 else desk.random.randint(3, 12)):
            dates = [desk.date(), desk.date()] if desk.random.random() < 0.8 else ["", ""]
            rows.append(
                [
                    desk.date(),
                    str(desk.random.randint(10**5, 10**6)),
                    desk.pick(_PAYEES),
                    *dates,
                    desk.amount(),
                ]
            )
        bold: tuple[int, ...] = ()
        if page == pages - 1:
            rows.append(["", "", "Total payments", "", "", desk.amount()])
            bold = (len(rows) - 1,)
        if page:
            desk.story.append(PageBreak())
        desk.table(rows, "lllllr", widths, heads=1 if len(rows[0]) and rows[0] is head else 0, bold=bold)


def labs(desk: Desk) -> None:
    rows, bold = [["Test", "Result", "Flag", "Reference range", "Units"]], []
    for group in ("CHEMISTRY", "HEMATOLOGY"):
        bold.append(len(rows))
        rows.append([group, "", "", "", ""])
        for name in desk.random.sample(_TESTS.split("|"), desk.random.randint(3, 6)):
            low = desk.random.uniform(1, 90)
            rows.append(
                [
                    name,
                    f"{low * 1.1:.1f}",
                    desk.pick("|||H|L"),
                    f"{low:.1f} - {low * 1.6:.1f}",
                    desk.pick("mg/dL|g/dL|U/L|%"),
                ]
            )
    desk.table(
        rows, "lrclc", [130, 60, 40, 110, 60], bold=tuple(bold), lines=desk.random.choice(("none", "head"))
    )


def invoice(desk: Desk) -> None:
    rows = [["Qty", "Description", "Rate", "Amount"]]
    for _ in range(desk.random.randint(3, 8)):
        rows.append([str(desk.random.randint(1, 12)), desk.pick(_NOTES), desk.amount(), desk.amount()])
    last, spans = len(rows), []
    for at, name in enumerate(("Subtotal", "Tax", "Balance due")):
        rows.append([name, "", "", desk.amount()])
        spans.append((last + at, 0, 1, 3))
    right = ("ALIGN", (0, last), (2, -1), "RIGHT")
    desk.table(
        rows,
        "clrr",
        [36, 240, 70, 80],
        spans=tuple(spans),
        lines=desk.random.choice(("grid", "rows")),
        style=(right,),
    )


def periods(desk: Desk) -> None:
    rows = [
        [
            "Benefit type",
            "Period from",
            "Period to",
            "Weeks / days",
            "Weekly rate",
            "Amount paid",
            "Date issued",
        ]
    ]
    for _ in range(desk.random.randint(5, 14)):
        days = f"{desk.random.randint(0, 20)} w {desk.random.randint(0, 6)} d"
        rate = f"${desk.random.uniform(200, 1500):,.2f}"
        rows.append(
            [
                desk.pick("TTD|TPD|PD|LC 4850"),
                desk.date(),
                desk.date(),
                days,
                rate,
                "$" + desk.amount().strip("()"),
                desk.date(),
            ]
        )
    desk.table(rows, "lccrrrc", [62, 62, 62, 60, 64, 72, 62])


def years(desk: Desk) -> None:
    count = desk.random.randint(3, 6)
    rows = [["Loss experience", *(str(2019 + at) for at in range(count))]]
    for name in (
        "Number of claims",
        "  Indemnity",
        "  Medical only",
        "Earned premium",
        "Incurred losses",
        "Loss ratio",
    ):
        percent = name == "Loss ratio"
        values = [
            f"{desk.random.uniform(20, 120):.1f}%" if percent else f"{desk.random.randint(3, 90000):,}"
            for _ in range(count)
        ]
        rows.append([name.replace("  ", "&nbsp;&nbsp;&nbsp;"), *values])
    desk.table(
        rows, "l" + "r" * count, [120, *[58] * count], lines=desk.random.choice(("none", "head", "zebra"))
    )
    desk.tables[-1] = [(r, c, a, b, t.replace("&nbsp;", "")) for r, c, a, b, t in desk.tables[-1]]


def people(desk: Desk) -> None:
    rows = [["Name", "Role", "Telephone", "Statement"]]
    for _ in range(desk.random.randint(4, 9)):
        name = (
            f"{desk.pick('Rosa|Ivan|Mei|Dale|Amina|Cole')} {desk.pick('Whitfield|Sato|Barrera|Lund|Okafor')}"
        )
        phone = f"({desk.random.randint(200, 990)}) 555-{desk.random.randint(1000, 9999)}"
        rows.append(
            [
                name,
                desk.pick("Witness|Supervisor|Co-worker|Claims adjuster"),
                phone,
                desk.pick("Taken|Not taken|Declined|Pending"),
            ]
        )
    desk.table(rows, "llll", [120, 110, 100, 90], lines=desk.random.choice(("none", "zebra", "rows", "head")))


def boxed(desk: Desk) -> None:
    """All rows of a group in one ruled box: only columns and groups are ruled."""
    groups, rows = desk.random.randint(2, 3), [["Period", "Wages", "Days lost", "Benefit", "Remarks"]]
    below = []
    for _ in range(groups):
        for _ in range(desk.random.randint(3, 7)):
            days = str(desk.random.randint(0, 31))
            remark = desk.pick("|Light duty|Layoff|Holiday pay|")
            rows.append([desk.date(), desk.amount(), days, desk.amount(), remark])
        below.append(("LINEBELOW", (0, len(rows) - 1), (-1, len(rows) - 1), 0.6, colors.black))
    style = (("BOX", (0, 0), (-1, -1), 0.6, colors.black), ("LINEAFTER", (0, 0), (-2, -1), 0.6, colors.black))
    ruled = ("LINEBELOW", (0, 0), (-1, 0), 0.6, colors.black)
    desk.table(rows, "lrcrl", [80, 80, 60, 80, 90], lines="none", style=(*style, ruled, *below))


def deductions(desk: Desk) -> None:
    """Three levels of headings over narrow figures, the row's name beside all of them."""
    rows = [
        ["Quarter", "Earnings and deductions", "", "", "", "", ""],
        ["", "Gross", "", "Withheld", "", "", "Net"],
        ["", "Regular", "Overtime", "Federal", "State", "Other", ""],
    ]
    spans = ((0, 0, 3, 1), (0, 1, 1, 6), (1, 1, 1, 2), (1, 3, 1, 3), (1, 6, 2, 1))
    for at in range(desk.random.randint(4, 12)):
        rows.append([f"Q{at % 4 + 1} {2020 + at // 4}", *(desk.amount() for _ in range(6))])
    desk.table(
        rows, "l" + "r" * 6, [60, *[64] * 6], heads=3, spans=spans, lines=desk.random.choice(("head", "grid"))
    )


KINDS: dict[str, Callable[[Desk], None]] = {
    make.__name__: make
    for make in (
        review,
        wages,
        summary,
        reserves,
        medications,
        motion,
        ledger,
        labs,
        invoice,
        periods,
        years,
        people,
        boxed,
        deductions,
    )
}


def office_table(kind: str, seed: int) -> DrawnTables:
    chance = random.Random(f"{kind}-{seed}")
    desk = Desk(
        chance,
        chance.choice(("Helvetica", "Times-Roman")),
        chance.choice((7.5, 8.0, 9.0)),
        chance.choice(("none", "head", "rows", "grid", "zebra", "none")),
        chance.choice((1.0, 2.0, 3.5)),
    )
    desk.title(f"{kind.capitalize()} of claim {chance.randint(10000, 99999)}")
    desk.prose()
    KINDS[kind](desk)
    desk.prose()
    out = io.BytesIO()
    page = chance.choice((letter, letter, A4, landscape(letter)))
    SimpleDocTemplate(out, pagesize=page, leftMargin=54, rightMargin=54, topMargin=54, invariant=1).build(
        desk.story
    )
    return DrawnTables(f"{kind}-{seed}", kind, out.getvalue(), desk.tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=6)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--worst", type=float, default=0.0, help="show documents below this F1")
    options = parser.parse_args()
    rows: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for kind in options.kinds.split(","):
        for seed in range(options.seed, options.seed + options.each):
            document = office_table(kind, seed)
            ours = cells_of(parse(document.name, document.data))
            rows[kind].append(score_tables(document.tables, ours))
            if f1(*rows[kind][-1]) < options.worst:
                worst(document, ours)
    report(f"Office tables, seeds from {options.seed}", rows)


if __name__ == "__main__":
    main()
