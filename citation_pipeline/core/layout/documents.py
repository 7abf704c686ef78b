"""All pages of a document become blocks: each page alone, then what only repetition shows.

Repetition tells running headers and footers from text, and a table that goes on from a new one.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citation_pipeline.core.documents.composition import BlockChange, BlockDraft
from citation_pipeline.core.layout.content import PageContent
from citation_pipeline.core.layout.pages import draft_blocks, find_parts
from citation_pipeline.core.layout.sheets import prepare

_MARGIN = 0.16  # share of the height where running lines are
_NARROW_MARGIN = 0.09
_COLUMN_SLACK = 6.0  # points; a continued table is set in the same columns
_RETYPED = ("Text", "Section Header", "Title", "Key Value", "Header", "Footer", "List Item")


@dataclass(frozen=True, slots=True)
class _BlockTrace:
    """What is remembered of a block: its type, its words if it is in a margin, a table's columns."""

    type: str
    margin: tuple[str, str] | None
    columns: Sequence[float]


class DocumentLayout:
    """Lays out pages one at a time; what only repetition shows comes at the end, as changes of blocks."""

    def __init__(self) -> None:
        self._pages: list[list[_BlockTrace]] = []

    def lay_out(self, page: PageContent) -> list[BlockDraft]:
        """Return the page's blocks in reading order."""
        sheet = prepare(page)
        parts = find_parts(sheet)
        drafts = draft_blocks(sheet, page, parts)
        self._pages.append(
            [
                _BlockTrace(draft.type, _running_key(draft), part.columns)
                for draft, part in zip(drafts, parts, strict=True)
            ]
        )
        return drafts

    def changes(self) -> dict[int, BlockChange]:
        """Return the changes by the position of the block among all blocks so far."""
        types = [[trace.type for trace in page] for page in self._pages]
        _mark_running_lines(self._pages, types)
        continued = _continued_tables(self._pages, types)
        found: dict[int, BlockChange] = {}
        position = 0
        for number, page in enumerate(self._pages):
            for at, trace in enumerate(page):
                retyped = types[number][at] if types[number][at] != trace.type else None
                if retyped or (number, at) in continued:
                    found[position] = BlockChange(retyped, (number, at) in continued)
                position += 1
        return found


def _mark_running_lines(pages: list[list[_BlockTrace]], types: list[list[str]]) -> None:
    """Call what is at the same place of several pages' margins a header or a footer."""
    if len(pages) < 2:
        return
    seen = Counter(key for page in pages for key in {trace.margin for trace in page} if key is not None)
    # the first page often has a letterhead instead, and chapters change their lines
    enough = 2 if len(pages) < 6 else 3
    for page, page_types in zip(pages, types, strict=True):
        for at, trace in enumerate(page):
            if trace.margin is not None and seen[trace.margin] >= enough and trace.type in _RETYPED:
                page_types[at] = "Header" if trace.margin[1] == "top" else "Footer"


def _running_key(draft: BlockDraft) -> tuple[str, str] | None:
    """Return a margin block's words, numbers blanked, and its margin; None for other blocks."""
    if not draft.lines or len(draft.lines) > 4 or draft.type not in _RETYPED:
        return None
    boxes = [box for line in draft.lines for _, box in line]
    top, bottom = min(box.top for box in boxes), max(box.bottom for box in boxes)
    # a heading that several pages begin with is no running line, unless it is where those do
    margin = _NARROW_MARGIN if draft.type in ("Section Header", "Title") else _MARGIN
    if bottom < margin:
        place = "top"
    elif top > 1 - margin:
        place = "bottom"
    else:
        return None
    text = " ".join(word for line in draft.lines for word, _ in line)
    return re.sub(r"\d+", "#", text).lower(), place


def _continued_tables(pages: list[list[_BlockTrace]], types: list[list[str]]) -> set[tuple[int, int]]:
    """Return page and position of each table that opens a page in the columns of the last page's table."""
    found: set[tuple[int, int]] = set()
    open_columns: Sequence[float] = ()
    for number, (page, page_types) in enumerate(zip(pages, types, strict=True)):
        body = [at for at, name in enumerate(page_types) if name not in ("Header", "Footer", "Page Number")]
        if not body:
            continue
        first = next((at for at in body[:4] if page_types[at] == "Table"), None)
        if first is not None and open_columns and _same_columns(open_columns, page[first].columns):
            found.add((number, first))
        last = next((at for at in reversed(body[-3:]) if page_types[at] == "Table"), None)
        open_columns = page[last].columns if last is not None else ()
    return found


def _same_columns(above: Sequence[float], below: Sequence[float]) -> bool:
    """Tell whether two tables share their columns; left edges move a little where numbers align right."""
    if abs(len(above) - len(below)) > 1 or not below:
        return False
    close = sum(min(abs(a - b) for a in above) < 3 * _COLUMN_SLACK for b in below)
    exact = sum(min(abs(a - b) for a in above) < _COLUMN_SLACK for b in below)
    return close >= len(below) - 1 and exact >= 0.4 * len(below)
