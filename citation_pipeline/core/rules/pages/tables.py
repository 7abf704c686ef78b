"""Tables by the look of their rows: a row of heads, cells below them.

Reads the geometry alone; which heads matter belongs to the lexicon.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.passages import Passage, join
from citation_pipeline.core.rules.pages.segments import shared_width
from citation_pipeline.core.values.dates import find_dates

# A table of a claim file is seldom longer on one page; a second header row ends it earlier.
_MOST_ROWS = 80
# What ends a table: a line drawn below its rows, the keys of a screen, its sums.
_RULE = re.compile(r"[-=_*.\u2013\u2014\s]{6,}")
_KEYS = re.compile(r"^P?F\d{1,2}\s*=")
_TOTAL = re.compile(r"^(?:grand )?totals?\b", re.IGNORECASE)
_SUM = re.compile(r"\d\.\d{2}\b|\d,\d{3}\b")
_HEADS = 2


@dataclass(frozen=True)
class TableRow:
    """One row under a head: its cells by the names that were asked for, and all its words."""

    cells: Mapping[str, Passage]
    whole: Passage
    page: int


def find_heads(
    rows: Sequence[Row], columns: Mapping[str, re.Pattern[str]]
) -> Iterator[tuple[int, dict[str, Segment]]]:
    """Return each row that has all the columns' heads, with the segment of each; heads may take two rows."""
    for number, row in enumerate(rows):
        found = _match_heads(row.segments, columns)
        pair = len(row.segments) > 1 and number + 1 < len(rows) and rows[number + 1].page == row.page
        if found is None and pair and len(columns) > 1:
            following = rows[number + 1]
            if following.box.top - row.box.bottom < 0.8 * row.segments[0].height:
                found = _match_heads((*row.segments, *following.segments), columns)
        if found is not None:
            yield number, found


def _match_heads(
    segments: Sequence[Segment], columns: Mapping[str, re.Pattern[str]]
) -> dict[str, Segment] | None:
    found: dict[str, Segment] = {}
    for name, pattern in columns.items():
        match = next(
            (
                s
                for s in segments
                if s not in found.values()
                and not s.has_leader
                and ":" not in s.text
                and pattern.search(s.text)
            ),
            None,
        )
        if match is None:
            return None
        found[name] = match
    return found


def read_row(row: Row, heads: Mapping[str, Segment], others: Sequence[Segment]) -> dict[str, Segment]:
    """Return the row's cell for each head: the segment nearest to it and to no other head."""
    cells: dict[str, Segment] = {}
    for segment in row.segments:
        every = [*heads.items(), *((None, other) for other in others)]
        name, _ = min(every, key=lambda item: _distance(segment, item[1]))
        if name is not None and name not in cells:
            cells[name] = segment
    return cells


def _distance(cell: Segment, head: Segment) -> float:
    """Return how far a cell lies from a head: 0 when it lies under it, else the nearest pair of edges."""
    overlap = shared_width(cell, head)
    edges = min(
        abs(cell.box.left - head.box.left),
        abs(cell.box.right - head.box.right),
        abs((cell.box.left + cell.box.right - head.box.left - head.box.right) / 2),
    )
    return edges if overlap > 0 else edges + 0.05 - min(overlap, 0)


def is_total(texts: Sequence[str]) -> bool:
    """Tell whether cells are a table's sums, which are its last row: `Total knee repair` has a day."""
    whole = " ".join(texts)
    return bool(_TOTAL.match(whole) and _SUM.search(whole)) and not find_dates(whole)


def rows_of_table(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows are of the table itself: sums end it, and so do another one's title and heads."""
    for number, cells in enumerate(rows):
        below = rows[number + 1] if number + 1 < len(rows) else ()
        is_title = len(cells) == 1 < len(below) and len(below) >= _HEADS and number > 0
        if is_total(cells) or (is_title and not any(c.isdigit() for c in "".join((*cells, *below)))):
            return number
    return len(rows)


def rows_below(
    rows: Sequence[Row],
    number: int,
    heads: Mapping[str, Segment],
    *,
    ends: re.Pattern[str] | None = None,
) -> Iterator[TableRow]:
    """Return the rows of the table under a head row; lines that only go on with a cell join the row above.

    `ends` is what the list asked for does not go on behind: `COMPLETED` below what is still to do.
    """
    head_row = rows[number]
    others = [s for s in head_row.segments if s not in heads.values()]
    open_row: dict[str, list[Segment]] | None = None
    words: list[Segment] = []
    bottom = max(s.box.bottom for s in heads.values())
    first = next(iter(heads))
    for row in rows[number + 1 : number + 1 + _MOST_ROWS]:
        if row.page != head_row.page or row.box.top - bottom > 3.0 * row.segments[0].height:
            break
        if all(segment in heads.values() for segment in row.segments):
            continue
        if open_row is None and _RULE.fullmatch(row.text):
            bottom = row.box.bottom
            continue
        if _is_end(row, ends):
            break
        cells = read_row(row, heads, others)
        close = row.box.top - bottom < 0.75 * row.segments[0].height
        if open_row is not None and close and (first not in cells or len(cells) == 1 < len(open_row)):
            for name, cell in cells.items():
                open_row.setdefault(name, []).append(cell)
            words.extend(row.segments)
        else:
            if open_row:
                yield _table_row(open_row, words)
            open_row = {name: [cell] for name, cell in cells.items()}
            words = list(row.segments)
        bottom = row.box.bottom
    if open_row:
        yield _table_row(open_row, words)


def _is_end(row: Row, ends: re.Pattern[str] | None) -> bool:
    is_foot = _RULE.fullmatch(row.text) or any(_KEYS.match(segment.text) for segment in row.segments)
    is_other = ends is not None and len(row.segments) == 1 and ends.fullmatch(row.text.strip(" :*-"))
    return bool(is_foot or is_other) or is_total([segment.text for segment in row.segments])


def _table_row(cells: Mapping[str, Sequence[Segment]], words: Sequence[Segment]) -> TableRow:
    return TableRow(
        cells={name: join(s.passage for s in parts) for name, parts in cells.items()},
        whole=join(s.passage for s in words),
        page=words[0].page,
    )
