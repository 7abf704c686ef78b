"""All pages of a document become blocks: each page alone, then what only repetition shows.

Repetition tells running headers and footers from text, and a table that goes on from a new one.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from citation_pipeline.core.documents.composition import BlockDraft
from citation_pipeline.core.layout.content import PageContent
from citation_pipeline.core.layout.pages import draft_block, find_parts
from citation_pipeline.core.layout.parts import Part
from citation_pipeline.core.layout.sheets import prepare

_MARGIN = 0.16  # share of the height where running lines are
_NARROW_MARGIN = 0.09
_COLUMN_SLACK = 6.0  # points; a continued table is set in the same columns
_RETYPED = ("Text", "Section Header", "Title", "Key Value", "Header", "Footer", "List Item")


def lay_out_document(pages: Sequence[PageContent]) -> list[BlockDraft]:
    """Return the blocks of all pages in reading order, page after page."""
    parts: list[list[Part]] = []
    drafts: list[list[BlockDraft]] = []
    for page in pages:
        sheet = prepare(page)
        found = find_parts(sheet)
        parts.append([replace(part, lines=()) for part in found])
        drafts.append([draft_block(sheet, page, part) for part in found])
    _mark_running_lines(drafts)
    _link_tables(parts, drafts)
    return [draft for page in drafts for draft in page]


def _mark_running_lines(drafts: list[list[BlockDraft]]) -> None:
    """Call what is at the same place of several pages' margins a header or a footer."""
    if len(drafts) < 2:
        return
    keys = [[_running_key(draft) for draft in page] for page in drafts]
    seen = Counter(key for page in keys for key in {key for key in page if key is not None})
    # the first page often has a letterhead instead, and chapters change their lines
    enough = 2 if len(drafts) < 6 else 3
    for page, page_keys in zip(drafts, keys, strict=True):
        for i, key in enumerate(page_keys):
            if key is not None and seen[key] >= enough and page[i].type in _RETYPED:
                page[i] = replace(page[i], type="Header" if key[1] == "top" else "Footer")


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


def _link_tables(parts: list[list[Part]], drafts: list[list[BlockDraft]]) -> None:
    """Mark a table that opens a page as going on when the page before ended with one in its columns."""
    open_columns: Sequence[float] = ()
    for page_parts, page in zip(parts, drafts, strict=True):
        body = [i for i, draft in enumerate(page) if draft.type not in ("Header", "Footer", "Page Number")]
        if not body:
            continue
        first = next((i for i in body[:4] if page[i].type == "Table"), None)
        if first is not None and open_columns and _same_columns(open_columns, page_parts[first].columns):
            content = page[first].content or ""
            page[first] = replace(
                page[first], content=content.replace("<table>", "<table data-continued>", 1)
            )
        last = next((i for i in reversed(body[-3:]) if page[i].type == "Table"), None)
        open_columns = page_parts[last].columns if last is not None else ()


def _same_columns(above: Sequence[float], below: Sequence[float]) -> bool:
    """Tell whether two tables share their columns; left edges move a little where numbers align right."""
    if abs(len(above) - len(below)) > 1 or not below:
        return False
    close = sum(min(abs(a - b) for a in above) < 3 * _COLUMN_SLACK for b in below)
    exact = sum(min(abs(a - b) for a in above) < _COLUMN_SLACK for b in below)
    return close >= len(below) - 1 and exact >= 0.4 * len(below)
