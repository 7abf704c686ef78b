"""The parts a page falls into before they are blocks: a type, edges, lines of word positions, content.

The shape that `pages`, `paragraphs`, `forms` and `labels` pass on; blocks are made of it in `pages`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.lines import Piece

Edges = tuple[float, float, float, float]
"""Left, top, right, bottom in the reading frame of the page."""


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """One block to be.

    `lines` are word positions in reading order. `content` is None where it is just the words. `columns`
    are the left edges of a table's columns, and `header_rows` counts its header's rows.
    """

    type: str
    edges: Edges
    lines: Sequence[NDArray[np.int64]]
    content: str | None = None
    size: float = 0.0
    bold: bool = False
    columns: Sequence[float] = ()
    header_rows: int = 0

    def typed(self, name: str) -> "Part":
        """Return the part under another type."""
        return replace(self, type=name)


def around(pieces: Sequence[Piece]) -> Edges:
    """Return the edges around some pieces."""
    return (
        min(piece.left for piece in pieces),
        min(piece.top for piece in pieces),
        max(piece.right for piece in pieces),
        max(piece.bottom for piece in pieces),
    )


def around_edges(edges: Sequence[Edges]) -> Edges:
    """Return the edges around some edges."""
    return (
        min(e[0] for e in edges),
        min(e[1] for e in edges),
        max(e[2] for e in edges),
        max(e[3] for e in edges),
    )
