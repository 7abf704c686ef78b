"""Text onto pages: a deterministic layout of our own for documents that have no pages until they are printed.

The same content always gives the same words at the same places, which is all a citation needs; it does not
imitate what a word processor would print. Units are points, origin top left of the page, y down.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from citation_pipeline.adapters.office.font_metrics import ASCENT, DESCENT, REGULAR, width
from citation_pipeline.adapters.office.line_breaking import break_line
from citation_pipeline.adapters.office.placed_pages import (
    Paper,
    PlacedPage,
    PlacedPicture,
    PlacedWord,
    RunningLines,
    Style,
)
from citation_pipeline.adapters.office.struck_text import STRUCK, unmarked
from citation_pipeline.adapters.office.tables import Cell, cell_positions, table_html
from citation_pipeline.core.boxes import Box, clamp
from citation_pipeline.core.documents.composition import BlockDraft, PageDraft

_LEADING = 1.25  # line height by size
_PADDING = 3.0  # points inside a table's cell
_RUNNING_SIZE = 9.0
_STRIKE = 0.25  # of the size above the baseline: the middle of its letters
_MOST_PAGES = 5000


ReadPicture = Callable[[int, float, float], Sequence[BlockDraft]]
"""Given a picture's number (1-based in its document), width and height in points as placed, returns its
blocks, boxes in the picture's frame."""


class TooManyPagesError(Exception):
    """A text needs more pages than anybody will read."""


class Typesetter:
    """Fills pages from top to bottom; `pages`, `blocks` and `warnings` are the result."""

    def __init__(
        self,
        paper: Paper | None = None,
        *,
        running: RunningLines | None = None,
        on_page: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_page = on_page
        self.pages: list[PlacedPage] = []
        self.warnings: list[str] = []
        self._blocks: list[list[BlockDraft]] = []
        self._strikes: list[list[BlockDraft]] = []
        self._running: list[tuple[list[BlockDraft], list[BlockDraft]]] = []
        self._y = 0.0
        self._pictures = 0
        self.begin_section(paper or Paper(), running or RunningLines())

    def begin_section(self, paper: Paper, running: RunningLines, *, new_page: bool = True) -> None:
        """Go on with another paper and other running lines, from the next page on without `new_page`."""
        self.paper, self._lines = paper, running
        if new_page:
            self.break_page(is_first=True)

    @property
    def blocks(self) -> list[BlockDraft]:
        """The blocks in reading order, page after page, the running lines first and last."""
        return [
            block
            for page, (header, footer), strikes in zip(
                self._blocks, self._running, self._strikes, strict=True
            )
            for block in (*header, *page, *footer, *strikes)
        ]

    @property
    def drafts(self) -> list[PageDraft]:
        """The pages as a parser measures them."""
        return [PageDraft(page.width, page.height) for page in self.pages]

    def break_page(self, *, is_first: bool = False) -> None:
        """Begin a new page; `is_first` is a section's first."""
        if len(self.pages) >= _MOST_PAGES:
            raise TooManyPagesError(f"the text needs more than {_MOST_PAGES} pages")
        self._on_page()
        lines = self._lines
        header, footer = lines.first if is_first and lines.first is not None else (lines.header, lines.footer)
        self.pages.append(PlacedPage(self.paper.width, self.paper.height))
        self._blocks.append([])
        self._strikes.append([])
        self._running.append(
            (
                self._running_line(header, "Header", self.paper.top / 2),
                self._running_line(footer, "Footer", self.paper.height - self.paper.bottom / 2),
            )
        )
        self._y = self.paper.top

    def paragraph(self, text: str, style: Style) -> None:
        """Set a paragraph; its newlines break lines, and it becomes one block a page."""
        column = self.paper.width - self.paper.left - self.paper.right - style.indent
        lines = [
            line
            for piece in text.split("\n")
            for line in break_line(piece, column, font=style.font, size=style.size, spaces=style.keeps_spaces)
        ]
        if not any(lines):
            self._y += style.size * _LEADING * max(1, len(lines)) / 2
            return
        if self._y > self.paper.top:
            self._y += style.space_before
        height = style.size * _LEADING
        placed: list[list[PlacedWord]] = []
        for line in lines:
            if self._y + height > self.paper.height - self.paper.bottom:
                self._close(placed, style.block_type)
                placed = []
                self.break_page()
            placed.append(self._place(line, self.paper.left + style.indent, self._y, style.font, style.size))
            self._y += height
        self._close(placed, style.block_type)

    def table(self, rows: Sequence[Sequence[Cell]], shares: Sequence[float], *, size: float = 9.5) -> None:
        """Set a ruled table; `shares` are the columns' parts of the width. One block a page."""
        if not rows or not shares:
            return
        across = self.paper.width - self.paper.left - self.paper.right
        total = sum(shares)
        lefts = [self.paper.left]
        for share in shares:
            lefts.append(lefts[-1] + across * share / total)
        if self._y > self.paper.top:
            self._y += 6.0
        leading = size * _LEADING
        lowest = self.paper.height - self.paper.bottom
        placed: list[list[PlacedWord]] = []
        shown: list[Sequence[Cell]] = []
        hanging: dict[int, int] = {}  # column -> rows that a merged cell still takes
        for row in rows:
            cells = cell_positions(row, hanging, len(shares))
            broken = [
                [
                    line
                    for piece in cell.text.split("\n")
                    for line in break_line(
                        piece,
                        lefts[last] - lefts[first] - 2 * _PADDING,
                        font=REGULAR,
                        size=size,
                        spaces=False,
                    )
                ]
                for first, last, cell in cells
            ]
            height = leading * max([len(lines) for lines in broken], default=1) + 2 * _PADDING
            if self._y + height > lowest and self._y > self.paper.top:
                self._close_table(placed, shown)
                placed, shown = [], []
                self.break_page()
            bottom = min(self._y + height, lowest)
            for (first, last, _), lines in zip(cells, broken, strict=True):
                self._frame(lefts[first], self._y, lefts[last], bottom)
                for at, line in enumerate(lines):
                    y = self._y + _PADDING + at * leading
                    if y + leading > lowest:  # a cell longer than a page: what follows goes on the next one
                        self._close_table(placed, shown)
                        placed, shown = [], []
                        self.break_page()
                        y = self._y = self.paper.top
                    placed.append(self._place(line, lefts[first] + _PADDING, y, REGULAR, size))
            shown.append(row)
            self._y = max(self._y, bottom) if bottom >= self._y else bottom
        self._close_table(placed, shown)

    def warn(self, warning: str) -> None:
        """Keep a warning for the page that is being filled."""
        self.warnings.append(f"page {len(self.pages)}: {warning}")

    def picture(self, data: bytes, *, width: float, height: float, read: ReadPicture | None) -> None:
        """Place a picture of this size in points, smaller where the page is; `read` returns its blocks.

        Blocks come in the picture's own frame.
        """
        paper = self.paper
        across, down = paper.width - paper.left - paper.right, paper.height - paper.top - paper.bottom
        left_down = paper.height - paper.bottom - self._y - 6.0
        # where half a page is left, a picture is made smaller rather than parted from its text
        down = left_down if left_down > down / 2 else down
        scale = min(1.0, across / max(width, 1.0), down / max(height, 1.0))
        width, height = max(1.0, width * scale), max(1.0, height * scale)
        if self._y > paper.top:
            self._y += 6.0
        if self._y + height > paper.height - paper.bottom and self._y > paper.top:
            self.break_page()
        left, top = paper.left, self._y
        self.pages[-1].pictures.append(PlacedPicture(data, (left, top, left + width, top + height)))
        self._y += height
        self._pictures += 1
        frame = Box(left / paper.width, top / paper.height, width / paper.width, height / paper.height)
        for draft in read(self._pictures, width, height) if read is not None else ():
            self._blocks[-1].append(_moved(draft, len(self.pages), frame))

    def _place(
        self, line: Sequence[tuple[str, float]], x: float, y: float, font: str, size: float
    ) -> list[PlacedWord]:
        baseline = y + size * (ASCENT + (_LEADING - 1) / 2)
        words = []
        for marked, offset in line:
            text = unmarked(marked)
            word = PlacedWord(text, x + offset, baseline, width(text, font=font, size=size), font, size)
            words.append(word)
            if marked.startswith(STRUCK):
                self._strike(word)
        self.pages[-1].words.extend(words)
        return words

    def _strike(self, word: PlacedWord) -> None:
        """Draw a line through a word; it is a figure without words, as in other documents."""
        y = word.baseline - _STRIKE * word.size
        self.pages[-1].rules.append((word.x, y, word.x + word.width, y))
        paper = self.paper
        line = Box(
            word.x / paper.width,
            (y - 0.5) / paper.height,
            word.width / paper.width,
            1.0 / paper.height,
        )
        self._strikes[-1].append(BlockDraft(page=len(self.pages), type="Figure", lines=[], box=clamp(line)))

    def _frame(self, left: float, top: float, right: float, bottom: float) -> None:
        self.pages[-1].rules.extend(
            [
                (left, top, right, top),
                (left, bottom, right, bottom),
                (left, top, left, bottom),
                (right, top, right, bottom),
            ]
        )

    def _close(
        self, lines: Sequence[Sequence[PlacedWord]], block_type: str, content: str | None = None
    ) -> None:
        kept = [line for line in lines if line]
        if kept:
            self._blocks[-1].append(
                BlockDraft(
                    page=len(self.pages),
                    type=block_type,
                    lines=[[(word.text, self._box(word)) for word in line] for line in kept],
                    content=content,
                )
            )

    def _close_table(self, lines: Sequence[Sequence[PlacedWord]], rows: Sequence[Sequence[Cell]]) -> None:
        self._close(lines, "Table", table_html(rows))

    def _running_line(self, text: str, block_type: str, baseline: float) -> list[BlockDraft]:
        """Set a header or footer in one line of the current page, cut where the page ends."""
        column = self.paper.width - self.paper.left - self.paper.right
        line = break_line(" ".join(text.split()), column, font=REGULAR, size=_RUNNING_SIZE, spaces=False)[0]
        if not line:
            return []
        top = baseline - _RUNNING_SIZE * (ASCENT + (_LEADING - 1) / 2)
        words = self._place(line, self.paper.left, top, REGULAR, _RUNNING_SIZE)
        return [
            BlockDraft(
                page=len(self.pages),
                type=block_type,
                lines=[[(word.text, self._box(word)) for word in words]],
            )
        ]

    def _box(self, word: PlacedWord) -> Box:
        paper = self.paper
        return clamp(
            Box(
                word.x / paper.width,
                (word.baseline - ASCENT * word.size) / paper.height,
                word.width / paper.width,
                (ASCENT + DESCENT) * word.size / paper.height,
            )
        )


def _moved(draft: BlockDraft, page: int, frame: Box) -> BlockDraft:
    """Return a picture's block as one of the page that the picture lies on."""

    def moved(box: Box) -> Box:
        return clamp(
            Box(
                frame.left + box.left * frame.width,
                frame.top + box.top * frame.height,
                box.width * frame.width,
                box.height * frame.height,
            )
        )

    return replace(
        draft,
        page=page,
        lines=[[(text, moved(box)) for text, box in line] for line in draft.lines],
        box=None if draft.box is None else moved(draft.box),
    )
