"""A page made ready for layout: upright in its main reading direction, with its checkboxes distinguished.

The working shape of this package; nothing outside it sees a `Sheet`.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.characters import to_reading
from citation_pipeline.core.layout.content import Drawings, EdgeArray, PageContent, PageWords
from citation_pipeline.core.layout.grids import Rules, straighten
from citation_pipeline.core.layout.lines import group_rows
from citation_pipeline.core.layout.straightening import slope_of_page, straighten_edges, typed_places
from citation_pipeline.core.layout.ticks import find_ticks


@dataclass(frozen=True, eq=False)
class Sheet:
    """One page while it is laid out.

    `words` lie in the reading frame of the page's main direction, `paper_edges` (n, 4) are the same
    words on the paper. `marks` (n,) is 1 for a checked box, 0 for an unchecked one, -1 for other words;
    `printed` (n,) is False for boxes that were drawn rather than printed: they are read, but are no words.
    `recognized` marks a page whose words come from a picture: sizes are less exact, and it may lie askew.
    """

    number: int
    width: float
    height: float
    words: PageWords
    paper_edges: EdgeArray
    marks: NDArray[np.int8]
    printed: NDArray[np.bool_]
    drawings: Drawings
    rules: Rules
    turns: int
    recognized: bool = False

    @cached_property
    def is_plain(self) -> bool:
        """Whether the page has no checkbox, drawn or printed."""
        return bool(self.printed.all()) and bool((self.marks < 0).all())

    @cached_property
    def body_size(self) -> float:
        """The size that half of the page's words do not exceed."""
        return float(np.median(self.words.sizes)) if len(self.words) else 10.0


def prepare(page: PageContent) -> Sheet:
    """Turn a page so that most of its words read upright, and find its checkboxes."""
    words, drawings = page.words, page.drawings
    turns = int(np.bincount(words.turns, minlength=4).argmax()) if len(words) else 0
    width, height = page.width_pt, page.height_pt
    if turns:
        words = replace(
            words,
            edges=to_reading(words.edges, turns, width=width, height=height),
            turns=((words.turns - turns) % 4).astype(np.int8),
        )
        drawings = _turned(drawings, turns, width=width, height=height)
    recognized = len(words) > 0 and bool(np.isfinite(words.confidences).mean() > 0.5)
    if recognized:
        words, drawings = _straightened(words, drawings, width=width, height=height)
    ticks = find_ticks(words, drawings, recognized=recognized)
    paper_edges = page.words.edges
    count = len(words)
    marks = np.full(count, -1, np.int8)
    for position, checked in ticks.printed:
        marks[position] = checked
    if len(ticks.drawn):
        added = np.array([tick.edges for tick in ticks.drawn], np.float64)
        # a box is as high as the capitals beside it: give it the line's height, or rows would tear
        words = PageWords(
            texts=[*words.texts, *("[x]" if tick.checked else "[ ]" for tick in ticks.drawn)],
            edges=np.concatenate([words.edges, added]),
            sizes=np.concatenate([words.sizes, added[:, 3] - added[:, 1]]),
            bold=np.concatenate([words.bold, np.zeros(len(added), np.bool_)]),
            turns=np.concatenate([words.turns, np.zeros(len(added), np.int8)]),
            confidences=np.concatenate([words.confidences, np.full(len(added), np.nan)]),
            second_readings=words.second_readings,
        )
        paper_edges = np.concatenate([paper_edges, added])
        marks = np.concatenate([marks, np.array([tick.checked for tick in ticks.drawn], np.int8)])
    return Sheet(
        number=page.number,
        width=height if turns % 2 else width,
        height=width if turns % 2 else height,
        words=words,
        paper_edges=paper_edges,
        marks=marks,
        printed=np.arange(len(words)) < count,
        drawings=drawings,
        rules=straighten(drawings.rulings, drawings.boxes[~ticks.boxes]),
        turns=turns,
        recognized=recognized,
    )


def _straightened(
    words: PageWords, drawings: Drawings, *, width: float, height: float
) -> tuple[PageWords, Drawings]:
    """Level a scanned page, and give its words the size of their row: ink alone makes "on" look small."""
    slope = slope_of_page(words, drawings.rulings)
    edges, typed_sizes = typed_places(words)
    edges = straighten_edges(edges, slope, width=width, height=height)
    rulings = straighten_edges(drawings.rulings, slope, width=width, height=height)
    ticks = [
        replace(
            tick,
            edges=tuple(
                straighten_edges(np.array([tick.edges]), slope, width=width, height=height)[0].tolist()
            ),
        )
        for tick in drawings.ticks
    ]
    sizes = edges[:, 3] - edges[:, 1]
    for row in group_rows(edges[:, 1], edges[:, 3]):
        tall = float(np.percentile(sizes[row], 80))
        own = sizes[row]
        sizes[row] = np.where(own > 1.5 * tall, own, tall)
    sizes = np.maximum(sizes, typed_sizes)
    return replace(words, edges=edges, sizes=sizes), replace(drawings, rulings=rulings, ticks=ticks)


def _turned(drawings: Drawings, turns: int, *, width: float, height: float) -> Drawings:
    def turn(edges: EdgeArray) -> EdgeArray:
        return to_reading(edges, turns, width=width, height=height)

    return Drawings(
        rulings=turn(drawings.rulings),
        boxes=turn(drawings.boxes),
        fills=turn(drawings.fills),
        images=turn(drawings.images),
        scribbles=turn(drawings.scribbles),
        diagonals=turn(drawings.diagonals),
        comments=turn(drawings.comments),
        signatures=turn(drawings.signatures),
        ticks=tuple(
            replace(tick, edges=tuple(turn(np.array([tick.edges]))[0].tolist())) for tick in drawings.ticks
        ),
    )
