"""The look of a page as rules read it: rows of segments, parted by wide gaps and dotted leaders.

Built from the words' boxes alone, so that any parser's documents read alike. What a segment means (label,
value, table cell) is decided elsewhere.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import add
from statistics import median

import numpy as np

from citation_pipeline.core.boxes import Box, box_from_edges
from citation_pipeline.core.documents.parsed import ParsedDocument
from citation_pipeline.core.rules.pages.passages import Passage, join

# A space in running text is a quarter to a third of the letters' height; a gap of a whole line's height
# is a column's or a cell's.
_WIDE_GAP = 1.15
# Words whose middles lie within this share of the lower word's height are on one row.
_SAME_ROW = 0.55
_LEADER = re.compile(r"[.\u2026\u00b7_]{3,}$|^[.\u2026\u00b7]{2,}$|^_+$")
_LEADER_TAIL = re.compile(r"[.\u2026\u00b7_]{3,}$")
_BOX_START = re.compile(r"^(?:\[|\(|\u2610|\u2611|\u2612|\u25a1|\u25a0)")


@dataclass(frozen=True)
class Segment:
    """Words next to one another on one row of a page; `words` are word ids from left to right.

    The box is in the page frame; `height` the median height of its words, `lefts` their left edges;
    `has_leader` tells that dots lead on to the next segment, `is_recognized`
    that the words come from a picture; `aspect` is the page's width over its height.
    """

    page: int
    row: int
    words: tuple[int, ...]
    texts: tuple[str, ...]
    box: Box
    height: float
    aspect: float
    has_leader: bool = False
    is_recognized: bool = False
    lefts: tuple[float, ...] = ()

    @cached_property
    def passage(self) -> Passage:
        """Its words as a passage, leaders left out."""
        return Passage(self.words, self.texts)

    @property
    def text(self) -> str:
        """The words joined by spaces, leaders left out."""
        return self.passage.text


@dataclass(frozen=True)
class Row:
    """The segments of one visual row, left to right."""

    page: int
    number: int
    segments: tuple[Segment, ...]

    @cached_property
    def passage(self) -> Passage:
        """The words of all segments."""
        return join(segment.passage for segment in self.segments)

    @property
    def text(self) -> str:
        """The segments' texts, joined by spaces."""
        return self.passage.text

    @property
    def words(self) -> tuple[int, ...]:
        """The ids of all words of the row."""
        return self.passage.words

    @cached_property
    def box(self) -> Box:
        """The box around the row."""
        return box_from_edges(
            min(s.box.left for s in self.segments),
            min(s.box.top for s in self.segments),
            max(s.box.right for s in self.segments),
            max(s.box.bottom for s in self.segments),
        )


def read_rows(document: ParsedDocument) -> list[Row]:
    """Return the document's rows, page after page, top to bottom."""
    rows: list[Row] = []
    words = document.words
    if not len(words):
        return rows
    for page in document.pages:
        ids = np.flatnonzero(words.page == page.page)
        if not len(ids):
            continue
        aspect = page.width_pt / page.height_pt if page.height_pt else 1.0
        for group in _group_rows(ids, words.boxes[ids]):
            segments = tuple(_segments(document, group, page=page.page, row=len(rows), aspect=aspect))
            if segments:
                rows.append(Row(page=page.page, number=len(rows), segments=segments))
    return rows


def _group_rows(ids: np.ndarray, boxes: np.ndarray) -> Iterator[list[int]]:
    """Group words whose middles agree, from top to bottom; small print beside large stays on its row."""
    middles = boxes[:, 1] + boxes[:, 3] / 2
    order = np.argsort(middles, kind="stable")
    row: list[int] = []
    total = 0.0
    height = 0.0
    for place in order.tolist():
        middle, tall = float(middles[place]), float(boxes[place, 3])
        if row and abs(middle - total / len(row)) > _SAME_ROW * max(min(height, tall), 1e-6):
            yield row
            row, total, height = [], 0.0, 0.0
        row.append(int(ids[place]))
        total += middle
        height = max(height, tall)
    if row:
        yield row


def _segments(
    document: ParsedDocument, group: Sequence[int], *, page: int, row: int, aspect: float
) -> Iterator[Segment]:
    boxes = document.words.boxes
    ordered = sorted(group, key=lambda word: float(boxes[word, 0]))
    run: list[int] = []
    leader = False
    for word in ordered:
        text = document.words.texts[word]
        if _LEADER.search(text) and not text.strip(".\u2026\u00b7_"):
            leader = True
            continue
        if run:
            gap = (float(boxes[word, 0]) - float(boxes[run[-1], 0] + boxes[run[-1], 2])) * aspect
            height = min(float(boxes[word, 3]), float(boxes[run[-1], 3]))
            ended = bool(_LEADER_TAIL.search(document.words.texts[run[-1]]))
            if leader or ended or gap > _WIDE_GAP * height:
                yield _segment(document, run, page=page, row=row, aspect=aspect, leader=leader or ended)
                run = []
        leader = False
        run.append(word)
    if run:
        yield _segment(document, run, page=page, row=row, aspect=aspect, leader=leader)


def _segment(
    document: ParsedDocument, run: Sequence[int], *, page: int, row: int, aspect: float, leader: bool
) -> Segment:
    # a few words: as plain numbers they are compared sooner than numpy is called
    boxes: list[list[float]] = document.words.boxes[list(run)].tolist()
    lefts, tops, widths, heights = zip(*boxes, strict=True)
    texts = tuple(_LEADER_TAIL.sub("", document.words.texts[word]) for word in run)
    return Segment(
        page=page,
        row=row,
        words=tuple(run),
        texts=texts,
        box=box_from_edges(min(lefts), min(tops), max(map(add, lefts, widths)), max(map(add, tops, heights))),
        height=median(heights),
        aspect=aspect,
        has_leader=leader,
        is_recognized=not bool(np.isnan(document.words.confidence[run[0]])),
        lefts=lefts,
    )


def is_box_mark(text: str) -> bool:
    """Tell whether a segment opens with a checkbox."""
    return bool(_BOX_START.match(text))
