"""Words become rows, and rows become pieces: which words are on one line, and where a wide gap cuts it.

No blocks here, and no reading order across columns.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import PageWords

LIST_MARKER = re.compile(
    r"[•●▪◦‣∙➢■○]|[-–*]|\((\d{1,2}|[a-zA-Z]|[ivxIVX]{1,5})\)|(\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]"
    r"|\d{1,2}(\.\d{1,2})+\.?"
)
"""What an item of a list, or a numbered heading, begins with."""

CURRENCY_SIGNS = frozenset(("$", "€", "£", "US$", "USD", "EUR", "($", "-$"))

# columns and cells are further apart than words: justified prose stretches spaces to 0.8 of the size
PIECE_GAP = 0.9


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """Words of one row with no wide gap between them: positions from the left, edges, and print.

    `label` counts the words at the start that name the value after them, where columns or leaders tell.
    """

    words: NDArray[np.int64]
    left: float
    top: float
    right: float
    bottom: float
    size: float
    label: int = 0

    @property
    def width(self) -> float:
        """The width in points."""
        return self.right - self.left


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """Pieces that are side by side, from the left."""

    top: float
    bottom: float
    pieces: Sequence[Piece]
    size: float

    @property
    def left(self) -> float:
        """The left edge of the first piece."""
        return self.pieces[0].left

    @property
    def right(self) -> float:
        """The right edge of the last piece."""
        return self.pieces[-1].right


def join_signs(words: PageWords, rows: Sequence[Row]) -> list[Row]:
    """Join currency signs that are set at the left of their column with the amounts behind them."""
    found: list[Row] = []
    for row in rows:
        if not any(_is_sign(words, piece) for piece in row.pieces[:-1]):
            found.append(row)
            continue
        joined: list[Piece] = []
        for piece in row.pieces:
            amount = words.texts[int(piece.words[0])]
            if joined and _is_sign(words, joined[-1]) and (amount[0] in "(-–—." or amount[0].isdigit()):
                sign = joined.pop()
                joined.append(
                    replace(
                        piece,
                        words=np.concatenate([sign.words, piece.words]),
                        left=sign.left,
                        top=min(sign.top, piece.top),
                        bottom=max(sign.bottom, piece.bottom),
                    )
                )
            else:
                joined.append(piece)
        found.append(replace(row, pieces=joined))
    return found


def _is_sign(words: PageWords, piece: Piece) -> bool:
    return len(piece.words) == 1 and words.texts[int(piece.words[0])] in CURRENCY_SIGNS


def split_rows(words: PageWords, members: NDArray[np.int64], *, gap: float = PIECE_GAP) -> list[Row]:
    """Return some words of a page (positions `members`) as rows from the top, cut at wide gaps."""
    if not len(members):
        return []
    found = []
    edges = words.edges[members]
    for group in group_rows(edges[:, 1], edges[:, 3]):
        row = members[group[edges[group, 0].argsort(kind="stable")]]
        pieces = split_pieces(words, row, gap=gap)
        found.append(
            Row(
                top=min(piece.top for piece in pieces),
                bottom=max(piece.bottom for piece in pieces),
                pieces=pieces,
                size=max(piece.size for piece in pieces),
            )
        )
    return found


def split_pieces(words: PageWords, row: NDArray[np.int64], *, gap: float = PIECE_GAP) -> list[Piece]:
    """Cut a row, given from the left, at gaps wider than a share `gap` of the smaller neighbour's size."""
    edges, sizes = words.edges[row].tolist(), words.sizes[row].tolist()
    pieces: list[Piece] = []
    start = 0
    left, top, right, bottom = edges[0]
    size = sizes[0]
    before = size
    for i in range(1, len(edges)):
        a, b, c, d = edges[i]
        here = sizes[i]
        if a - right > gap * (here if here < before else before):
            pieces.append(Piece(row[start:i], left, top, right, bottom, size))
            start, left, top, right, bottom, size = i, a, b, c, d, here
        else:  # plain comparisons: a page has hundreds of words, and is cut several times
            top = b if b < top else top
            right = c if c > right else right
            bottom = d if d > bottom else bottom
            size = here if here > size else size
        before = here
    pieces.append(Piece(row[start:], left, top, right, bottom, size))
    return pieces


def group_rows(tops: NDArray[np.float64], bottoms: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Group boxes into rows by vertical overlap, from the top; positions within a row are unordered.

    Half of the lower box must overlap: raised and lowered figures stay in their row, lines do not mix.
    """
    # by their middles: the tops of raised figures and of capitals differ within one line
    order = np.argsort(tops + bottoms, kind="stable")
    above: list[float] = tops[order].tolist()
    below: list[float] = bottoms[order].tolist()
    rows: list[NDArray[np.int64]] = []
    start, top, bottom = 0, above[0], below[0]
    for i in range(1, len(above)):
        a, b = above[i], below[i]
        high, tall = b - a, bottom - top
        shared = (b if b < bottom else bottom) - (a if a > top else top)
        if shared <= 0.5 * (high if high < tall else tall):
            rows.append(order[start:i])
            start, top, bottom = i, a, b
        elif high > 1.25 * tall:
            top, bottom = a, b  # what came first was raised
        elif high > 0.8 * tall:
            # the row follows its words a little: scanned lines climb
            top, bottom = (top + a) / 2, (bottom + b) / 2
    rows.append(order[start:])
    return rows
