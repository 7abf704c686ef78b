"""Grids of labels and values: pages whose columns alternate, label beside value, however labels are called.

A column of labels is told by those that are known; the unknown ones beside them are labels too, so that no
value is looked for in them or below them. What a label means is not asked here.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citation_pipeline.core.rules.lexicons.label_trees import LabelTree
from citation_pipeline.core.rules.lexicons.meanings import MEANT
from citation_pipeline.core.rules.pages.labels import DECORATION, PREFIX, LabelHit, find_labels
from citation_pipeline.core.rules.pages.layout import Row, Segment
from citation_pipeline.core.rules.pages.pairs import Pair
from citation_pipeline.core.rules.pages.passages import Passage, join

# Cells of one column begin within this share of the page's width.
_SAME_EDGE = 0.012
# A column of labels has this share of known ones, a column of values as good as none.
_LABELS = 0.25
_VALUES = 0.15
_LEAST_ROWS = 3
# One label over and over heads the columns of a listing.
_LEAST_NAMED = 3
_LONGEST_LABEL = 5  # words
_LABELS_AND_VALUES = 4  # cells on a row of two labels with their values: two alone may be a listing's
# `CLAIM: 23-0117` in a packed line is a label with its value, and no label of what is beside it.
_WITH_ITS_VALUE = re.compile(r"^[^:]{1,30}:\s+\S")


@dataclass(frozen=True)
class Grid:
    """The pairs of a document's grids and all words of their cells."""

    pairs: tuple[Pair, ...]
    words: frozenset[int]


def read_grids(rows: Sequence[Row], labels: LabelTree) -> Grid:
    """Return the pairs of all grids of the document, page by page."""
    pairs: list[Pair] = []
    words: set[int] = set()
    for page in dict.fromkeys(row.page for row in rows):
        own = [row for row in rows if row.page == page and len(row.segments) > 1]
        known = {segment.words: _whole_label(segment, labels) for row in own for segment in row.segments}
        of_page = _label_edges(own, known)
        of_run = {
            row.number: _label_edges(run, known)
            for run in _runs(own)
            if len(run[0].segments) >= _LABELS_AND_VALUES
            for row in run
        }
        for row in own:
            edges = of_run.get(row.number) or of_page
            for place, segment in enumerate(row.segments[:-1]):
                if not _stands_at(segment, edges) or len(segment.texts) > _LONGEST_LABEL:
                    continue
                if _WITH_ITS_VALUE.match(segment.text):
                    continue
                value = row.segments[place + 1]
                if _stands_at(value, edges) or _is_listed(known[value.words]):
                    continue
                passage = join(
                    (value.passage, *_answered(row, place + 1), *_wrapped(rows, row, edges, value))
                )
                passage = _behind_colon(passage)
                words.update(segment.words, passage.words)
                hit = known[segment.words]
                if hit is not None:
                    pairs.append(Pair(hit.keys, hit.name, segment.passage, passage, "grid", page, row.number))
    return Grid(tuple(pairs), frozenset(words))


_ANSWER = re.compile(r"^[:\s]*(?:yes|no|y|n|x)$", re.IGNORECASE)


def _answered(row: Row, place: int) -> Iterator[Passage]:
    """Return what stands behind a bare yes or no on its row: `Y  08/21/2025 per the examiner`."""
    if place + 2 == len(row.segments) and _ANSWER.match(row.segments[place].text):
        yield row.segments[place + 1].passage


def _behind_colon(passage: Passage) -> Passage:
    """Return a value without the colon that parts it from its dotted label."""
    mark = re.match(r":\s*", passage.text)
    return passage.part(mark.end(), len(passage.text)) if mark and mark.end() < len(passage.text) else passage


def _runs(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Return the rows that follow one another with as many cells at the same edges.

    A head of labels and values above a listing is a grid of its own: over the whole page its labels are few.
    """
    run: list[Row] = []
    for row in rows:
        if run and not (row.number == run[-1].number + 1 and _is_alike(row, run[-1])):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _is_alike(row: Row, other: Row) -> bool:
    return len(row.segments) == len(other.segments) and all(
        abs(mine.box.left - its.box.left) <= _SAME_EDGE
        for mine, its in zip(row.segments, other.segments, strict=True)
    )


def _label_edges(rows: Sequence[Row], known: dict[tuple[int, ...], LabelHit | None]) -> list[float]:
    """Return the left edges of the columns of labels: known ones in them, hardly any to the right of them."""
    columns: defaultdict[int, list[tuple[Segment, Segment]]] = defaultdict(list)
    for row in rows:
        for segment, neighbour in zip(row.segments, row.segments[1:], strict=False):
            columns[round(segment.box.left / _SAME_EDGE)].append((segment, neighbour))
    edges: list[float] = []
    for cells in columns.values():
        if len(cells) < _LEAST_ROWS:
            continue
        own = sum(known[cell.words] is not None for cell, _ in cells) / len(cells)
        beside = sum(_is_listed(known[other.words]) for _, other in cells) / len(cells)
        named = {hit.name for cell, _ in cells if (hit := known[cell.words]) is not None}
        if len(named) < _LEAST_NAMED:
            continue
        short = sum(len(cell.texts) <= _LONGEST_LABEL for cell, _ in cells) / len(cells)
        if own >= _LABELS and beside <= _VALUES and short >= 0.7:
            edges.append(sum(cell.box.left for cell, _ in cells) / len(cells))
    return edges


def _is_listed(hit: LabelHit | None) -> bool:
    """Tell whether a cell is a label of a list: by its words alone a value may be one too."""
    return hit is not None and hit.name[0] != MEANT


def _stands_at(segment: Segment, edges: Sequence[float]) -> bool:
    return any(abs(segment.box.left - edge) <= _SAME_EDGE for edge in edges)


def _whole_label(segment: Segment, labels: LabelTree) -> LabelHit | None:
    """Return the label that a whole segment is, but for a number before it and a remark in brackets."""
    text = segment.text
    hits = find_labels(segment, labels)
    if not hits or not hits[0].is_first:
        return None
    rest = text[hits[0].end :].strip(" :.#?")
    bare = DECORATION.sub("", f" {rest} ").strip()
    prefix = PREFIX.match(text)
    if bare or (prefix and prefix.end() == len(text)):
        return None
    return hits[0]


def _wrapped(rows: Sequence[Row], row: Row, edges: Sequence[float], value: Segment) -> Iterator[Passage]:
    """Return the lines on which a value goes on: under it, on rows of values alone.

    Beside it the value of another column may go on too.
    """
    bottom = value.box.bottom
    # behind a dotted label's colon the value begins two letters further on than its cell
    indent = 2 * value.box.width / len(value.text) if value.text.startswith(":") else 0.0
    for below in rows[row.number + 1 : row.number + 4]:
        if below.page != row.page or below.box.top - bottom > 0.8 * value.height:
            return
        if any(_stands_at(segment, edges) for segment in below.segments):
            return
        found = [
            s for s in below.segments if -_SAME_EDGE <= s.box.left - value.box.left <= _SAME_EDGE + indent
        ]
        if len(found) != 1 or len(below.segments) > len(edges):
            return
        yield found[0].passage
        bottom = below.box.bottom
