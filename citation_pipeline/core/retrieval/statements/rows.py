"""Rows of a table or of cells side by side, and each cell under the heads of its row and column."""

from collections.abc import Iterator

from citation_pipeline.core.retrieval.statements.printed_documents import (
    LETTER,
    NUMBERED,
    QUOTE_WORDS,
    PrintedDocument,
)
from citation_pipeline.core.retrieval.statements.statement import Statement
from citation_pipeline.core.rules.pages.layout import Row
from citation_pipeline.core.rules.pages.passages import join
from citation_pipeline.core.rules.pages.segments import shared_width


def read_row_statements(printed: PrintedDocument) -> Iterator[Statement]:
    """Return rows of two cells or more, with the head of their table as context, and what goes on below."""
    head: Row | None = None
    for at, row in enumerate(printed.rows):
        if head is not None and head.page != row.page:
            head = None
        if len(row.segments) < 2 or all(NUMBERED.match(segment.text) for segment in row.segments):
            continue
        if len(row.segments) >= 3 and not any(c.isdigit() for c in row.text):
            head = row
            continue
        passage = row.passage
        for below in printed.rows[at + 1 : at + 4]:
            # a cell that wraps: a line that has nothing in the first column
            if below.page != row.page or below.segments[0].box.left < row.segments[0].box.right + 0.005:
                break
            passage = join((passage, below.passage))
        if len(passage.words) > QUOTE_WORDS:
            continue
        heading = printed.headings[row.number]
        if head is not None:
            yield from _cells(printed, row, head, heading)
        context = f"{heading} {head.text if head is not None else ''}".strip()
        yield printed.state("row", page=row.page, value=passage, context=context)


def _cells(printed: PrintedDocument, row: Row, head: Row, heading: str) -> Iterator[Statement]:
    """Return each cell under its column's head, labelled with the row's first cell.

    A row that begins with a date or a number is labelled with all that it names: a line of a ledger.
    """
    first = row.segments[0]
    for cell in row.segments[1:]:
        above = [h for h in head.segments if shared_width(h, cell) > 0]
        if not above:
            continue
        column = max(above, key=lambda h: shared_width(h, cell))
        naming = [first]
        if not LETTER.search(first.text):
            naming += [s for s in row.segments[1:] if s is not cell and LETTER.search(s.text)]
        words = tuple(word for segment in naming for word in segment.words)
        if len(words) > QUOTE_WORDS:
            continue
        yield printed.state(
            "cell",
            page=row.page,
            value=cell.passage,
            words=(*words, *cell.words),
            label=f"{' '.join(segment.text for segment in naming)} {column.text}",
            context=heading,
        )
