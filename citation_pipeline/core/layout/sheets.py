"""A page made ready for layout: upright in its main reading direction, with its checkboxes told apart.

The working shape of this package; nothing outside it sees a `Sheet`.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.characters import to_reading
from citation_pipeline.core.layout.content import Drawings, EdgeArray, PageContent, PageWords
from citation_pipeline.core.layout.grids import Rules, straighten
from citation_pipeline.core.layout.ticks import find_ticks


@dataclass(frozen=True, eq=False)
class Sheet:
    """One page while it is laid out.

    `words` lie in the reading frame of the page's main direction, `paper_edges` (n, 4) are the same
    words on the paper. `marks` (n,) is 1 for a checked box, 0 for an unchecked one, -1 for other words;
    `printed` (n,) is False for boxes that were drawn rather than printed: they are read, but are no words.
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
    ticks = find_ticks(words, drawings)
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
    )


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
