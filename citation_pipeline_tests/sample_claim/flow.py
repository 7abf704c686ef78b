"""How claim papers are laid out: paragraphs, label and value, boxed forms, tables, tick lists, letters.

Each function takes a `Paper` and moves its cursor down. Text goes in as markup (see `passages.py`); every
printed unit is recorded. No wording of the claim lives here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citation_pipeline_tests.sample_claim.drawing import Printed, Sheet, Style
from citation_pipeline_tests.sample_claim.passages import join, parse

Piece = tuple[Printed, int, int]


class Paper(Sheet):
    """A sheet with margins, a cursor and furniture (running header and footer) on every page."""

    def __init__(self, *, margin=(60.0, 56.0, 60.0, 58.0), furniture: Callable | None = None, **sheet):
        super().__init__(**sheet)
        self.left, self.top, right, bottom = margin
        self.right, self.bottom = self.width - right, self.height - bottom
        self.furniture = furniture
        self.turn()

    @property
    def span(self) -> float:
        return self.right - self.left

    def turn(self) -> None:
        """Begin a page."""
        self.start_page()
        self.y = self.top
        if self.furniture:
            self.furniture(self)

    def need(self, height: float) -> None:
        """Turn the page unless so many points are left on it."""
        if self.y + height > self.bottom:
            self.turn()

    def gap(self, height: float = 8.0) -> None:
        self.y += height

    def stamp(self, text, *, x, y, width=None, style=None, align="left") -> Printed:
        """Print at a place without recording (furniture, boilerplate labels)."""
        width = width or self.right - x
        return self.print(parse(text), x=x, y=y, width=width, style=style, align=align)

    def line(self, text, *, style=None, align="left", layout="para", x=None, width=None, after=0.0):
        """One unit on its own, wrapped if it must be."""
        style, x = style or self.style, self.left if x is None else x
        width = width or self.right - x
        self.need(self.measure(text, style, width))
        printed = self.print(parse(text), x=x, y=self.y, width=width, style=style, align=align)
        self.record([whole(printed)], layout)
        self.y += len(printed.lines) * style.step + after

    def lines(self, *texts, **options) -> None:
        for text in texts:
            self.line(text, **options)

    def title(self, text, *, size=14.0, align="left", after=6.0, style=None) -> None:
        style = (style or self.style).bold().sized(size)
        self.need(size * 3)
        self.line(text, style=style, align=align, layout="title", after=after)

    def section(self, text, *, ruled=False, shaded=False, after=3.0, style=None) -> None:
        style = (style or self.style).bold()
        self.need(style.step * 6)  # a heading does not stand alone at the foot of a page
        if shaded:
            self.frame(self.left, self.y - 2, self.span, style.step + 3, weight=0, fill=0.86)
        self.line(text, style=style, layout="title", x=self.left + (4 if shaded else 0))
        if ruled:
            self.rule(self.left, self.y, self.right, self.y)
        self.y += after + (2 if ruled or shaded else 0)

    def para(self, *sentences, style=None, indent=0.0, after=7.0, layout="para", width=None) -> None:
        """Sentences that run on; each is a unit."""
        style = style or self.style
        passage, spans = join(sentences)
        width = width or self.span - indent
        self.need(self.measure(" ".join(sentences), style, width))
        printed = self.print(passage, x=self.left + indent, y=self.y, width=width, style=style)
        for start, end in spans:
            self.record([(printed, start, end)], layout)
        self.y += len(printed.lines) * style.step + after

    def pair(
        self, label, value, *, x=None, gutter=110.0, width=None, leader="", label_style=None, style=None
    ):
        """Label left, value right; returns the height used and leaves the cursor where it was."""
        style, x = style or self.style, self.left if x is None else x
        label_style = label_style or style.bold()
        width = (width or self.right - x) - gutter
        if leader:
            while label_style.width(f"{label} {leader}") < gutter - 8:
                label += leader if label.endswith(leader) else f" {leader}"
        head = self.print(parse(label), x=x, y=self.y, width=gutter, style=label_style)
        body = self.print(parse(value), x=x + gutter, y=self.y, width=width, style=style)
        self.record([whole(head), whole(body)], "kv")
        return max(len(head.lines), len(body.lines)) * style.step

    def pairs(self, rows: Sequence[tuple[str, str]], *, columns=1, after=6.0, spacing=1.5, **options) -> None:
        """Label and value pairs, in one column or side by side (read across)."""
        width = self.span / columns
        for start in range(0, len(rows), columns):
            self.need(self.style.step * 3)
            group = rows[start : start + columns]
            heights = [
                self.pair(label, value, x=self.left + n * width, width=width - 8, **options)
                for n, (label, value) in enumerate(group)
            ]
            self.y += max(heights) + spacing
        self.y += after

    def items(self, texts, *, bullet="-", indent=12.0, style=None, layout="list", after=6.0, spacing=1.0):
        """A list; `bullet` may be a string or "1." for numbers."""
        style = style or self.style
        for number, text in enumerate(texts, start=1):
            glyph = f"{number}." if bullet == "1." else bullet
            self.line(f"{glyph} {text}", x=self.left + indent, style=style, layout=layout, after=spacing)
        self.y += after

    def tick(self, text, *, ticked=False, x=None, style=None, width=None) -> float:
        """A drawn tick box and its line of text. Only a ticked line is worth a mark."""
        style, x = style or self.style, self.left if x is None else x
        side = style.size * 0.8
        self.frame(x, self.y + 1, side, side, weight=0.7)
        if ticked:
            self.rule(x, self.y + 1, x + side, self.y + 1 + side, weight=1.1)
            self.rule(x, self.y + 1 + side, x + side, self.y + 1, weight=1.1)
        width = (width or self.right - x) - side - 5
        printed = self.print(parse(text), x=x + side + 5, y=self.y, width=width, style=style)
        self.record([whole(printed)], "checkbox")
        return len(printed.lines) * style.step

    def signature(self, name, *titles, x=None, style=None) -> None:
        style, x = style or self.style, self.left if x is None else x
        self.need(36 + style.step * (1 + len(titles)))
        self.scribble(x + 4, self.y + 22, seed=name)
        self.y += 30
        for text in (name, *titles):
            self.line(text, x=x, style=style, layout="signature")


@dataclass(frozen=True)
class Cell:
    """A box of a form: small label on top, value below, and its share of the row."""

    label: str
    value: str = ""
    share: float = 1.0


def form_row(paper: Paper, *cells: Cell, label_size=6.5, value=None, height=26.0) -> None:
    """Boxes side by side; the label stands above the value."""
    value = value or paper.style
    label = Style("Helvetica", label_size, leading=1.15)
    total = sum(cell.share for cell in cells)
    widths = [paper.span * cell.share / total for cell in cells]
    heights = [
        paper.measure(c.label, label, w - 6) + paper.measure(c.value, value, w - 8) + 7
        for c, w in zip(cells, widths, strict=True)
    ]
    height = max(height, *heights)
    paper.need(height)
    x = paper.left
    for cell, width in zip(cells, widths, strict=True):
        paper.frame(x, paper.y, width, height)
        pieces = []
        head = paper.print(parse(cell.label), x=x + 3, y=paper.y + 2.5, width=width - 6, style=label)
        pieces.append(whole(head))
        if cell.value:
            at = paper.y + 4.5 + len(head.lines) * label.step
            pieces.append(whole(paper.print(parse(cell.value), x=x + 4, y=at, width=width - 8, style=value)))
        paper.record(pieces, "form")
        x += width
    paper.y += height


@dataclass(frozen=True)
class Column:
    """A table column: heading, share of the width, alignment."""

    heading: str
    share: float
    align: str = "left"


def table(
    paper: Paper,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    ruled=True,
    repeat=False,
    style=None,
    emphasis: Sequence[int] = (),
    padding=2.5,
    dates: Sequence[str] = (),
    width=None,
) -> None:
    """Rows as units. `emphasis` rows are bold (-1 is the last); `dates` gives each row its own as-of date."""
    style = style or paper.style
    total = sum(column.share for column in columns)
    widths = [(width or paper.span) * column.share / total for column in columns]
    bold_rows = {n % len(rows) for n in emphasis} if rows else set()

    def heading() -> None:
        if any(column.heading for column in columns):
            _row(
                paper, columns, widths, [c.heading for c in columns], style.bold(), ruled, padding, head=True
            )

    paper.need(style.step * 4)
    heading()
    for number, row in enumerate(rows):
        page = paper.page
        one = style.bold() if number in bold_rows else style
        inner = [w - 2 * padding - 2 for w in widths]
        paper.need(max(paper.measure(t, one, w) for t, w in zip(row, inner, strict=True)) + 2 * padding)
        if repeat and paper.page != page:
            heading()
        before, paper.as_of = paper.as_of, dates[number] if dates else paper.as_of
        _row(paper, columns, widths, row, one, ruled, padding)
        paper.as_of = before


def _row(paper, columns, widths, texts, style, ruled, padding, *, head=False) -> None:
    x, pieces, tallest = paper.left, [], 0
    inner = [w - 2 * padding - 2 for w in widths]
    height = max(paper.measure(t, style, w) for t, w in zip(texts, inner, strict=True)) + 2 * padding
    for column, width, room, text in zip(columns, widths, inner, texts, strict=True):
        if ruled:
            paper.frame(x, paper.y, width, height, fill=0.9 if head else None, weight=0.5)
        printed = paper.print(
            parse(text), x=x + padding + 1, y=paper.y + padding, width=room, style=style, align=column.align
        )
        tallest = max(tallest, len(printed.lines))
        pieces.append(whole(printed))
        x += width
    paper.record(pieces, "title" if head else "table")
    paper.y += height
    if head and not ruled:
        paper.rule(paper.left, paper.y - 1, paper.left + sum(widths), paper.y - 1)


def whole(printed: Printed) -> Piece:
    return printed, 0, len(printed.passage.text)
