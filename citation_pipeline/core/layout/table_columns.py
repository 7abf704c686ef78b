"""Columns of a table of words: which rows are surely its own, the gaps between columns, and what is where.

Rows of figures tell columns best: names of columns, notes and headings are printed across the gaps.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import EdgeArray, PageWords
from citation_pipeline.core.layout.grids import Rules
from citation_pipeline.core.layout.lines import Piece, Row, split_pieces
from citation_pipeline.core.layout.table_rows import Placed, is_figure, is_ruled_between

_NARROWEST_GUTTER = 0.45
_MOST_CROSSING = 0.12  # share of rows whose cells may span a gutter
_FEWEST_DENSE = 3
# what notes below a table begin with, in the languages of claim files
_NOTE = re.compile(r"(sources?|notes?|fuentes?|notas?|quellen?|anmerkung(en)?)[:.]*", re.IGNORECASE)
_FOOTNOTE = re.compile(r"[*†‡§]+|\(?\d{1,2}[)/]|[ⁱ¹²³]")
_CUT_GAP = 0.42  # share of the size between words that a gutter parts; a space is 0.3, in typescript 0.6
_CUT_SPACES = 1.5
_AMOUNT = re.compile(r"\(?[-$€£]*\d[\d,.]*[.,]\d\d\)?")
_ALIGNED = 1.0  # points by which what is aligned may differ


def split_figures(words: PageWords, rows: Sequence[Row]) -> list[Row]:
    """Cut pieces at gaps that part columns though they are narrow: between figures, and behind amounts.

    Columns of numbers are set close; so is a column of codes that begins right of amounts.
    """
    gap = cut_gap(words, rows)
    ends = [[_amount_ends(words, piece, gap) for piece in row.pieces] for row in rows]
    behind = _behind_amounts(words, rows, ends)
    found: list[Row] = []
    for row, row_ends in zip(rows, ends, strict=True):
        pieces: list[Piece] = []
        for piece, piece_ends in zip(row.pieces, row_ends, strict=True):
            if len(piece.words) > 1 and all(is_figure(words.texts[i]) for i in piece.words.tolist()):
                pieces.extend(split_pieces(words, piece.words, gap=gap))
                continue
            cuts = [at for at in piece_ends if _is_repeated(words.edges[piece.words[[at - 1, at]]], behind)]
            pieces.extend(
                replace(
                    piece,
                    words=part,
                    left=float(words.edges[part, 0].min()),
                    right=float(words.edges[part, 2].max()),
                )
                for part in np.split(piece.words, cuts)
            ) if cuts else pieces.append(piece)
        found.append(row if len(pieces) == len(row.pieces) else replace(row, pieces=pieces))
    return found


def _amount_ends(words: PageWords, piece: Piece, gap: float) -> list[int]:
    """Return where in a piece a word follows an amount with more room than words of one cell have."""
    if len(piece.words) < 2:
        return []
    edges, least = words.edges[piece.words].tolist(), gap * piece.size
    ends = [at for at in range(1, len(edges)) if edges[at][0] - edges[at - 1][2] > least]
    return [at for at in ends if _AMOUNT.fullmatch(words.texts[int(piece.words[at - 1])])]


def _behind_amounts(
    words: PageWords, rows: Sequence[Row], ends: Sequence[Sequence[Sequence[int]]]
) -> NDArray[np.float64]:
    """Return where amounts end and where what follows them in their piece begins, one row each.

    `ends` are the `_amount_ends` of each row's pieces.
    """
    found = [
        (words.edges[int(piece.words[at - 1]), 2], words.edges[int(piece.words[at]), 0])
        for row, row_ends in zip(rows, ends, strict=True)
        for piece, piece_ends in zip(row.pieces, row_ends, strict=True)
        for at in piece_ends
    ]
    return np.array(found, np.float64).reshape(-1, 2)


def _is_repeated(pair: EdgeArray, behind: NDArray[np.float64]) -> bool:
    """Tell whether amounts end here in several rows and what follows begins here in as many."""
    here = np.array([pair[0, 2], pair[1, 0]])
    return bool((np.abs(behind - here) < _ALIGNED).all(axis=1).sum() >= _FEWEST_DENSE)


def dense_rows(words: PageWords, rows: Sequence[Row]) -> list[int]:
    """Return the rows that are mostly figures; empty where too few are to tell the columns."""
    counts = [
        (
            sum(
                is_figure(words.texts[int(piece.words[-1])]) and len(piece.words) < 4 for piece in row.pieces
            ),
            row,
        )
        for row in rows
    ]
    most = sorted(count for count, _ in counts)[-max(1, len(counts) // 4)]
    dense = [
        at
        for at, (count, row) in enumerate(counts)
        if count >= 2 and count >= 0.5 * most and count >= 0.4 * len(row.pieces)
    ]
    return dense if len(dense) >= _FEWEST_DENSE else []


def bounds_of_table(
    words: PageWords, rows: Sequence[Row], dense: Sequence[int], rules: Rules
) -> tuple[int, int]:
    """Return the half-open range of rows around rows of figures: names of columns above, totals below.

    What is further above than the rows are from one another is another table, or labels with values.
    """
    if not dense:
        return 0, len(rows)
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    gaps = [rows[i + 1].top - rows[i].bottom for i in range(dense[0], dense[-1])]
    usual = float(np.median(gaps)) if gaps else 0.0
    first = dense[0]
    while first > 0:
        above, below = rows[first - 1], rows[first]
        size = max(above.size, below.size)
        most = 2.2 * size if first == dense[0] else max(1.35 * usual, 1.15 * size)
        if is_ruled_between(rules, above.bottom, below.top, left, right):
            most = max(most, 1.7 * size)
        if below.top - above.bottom > most:
            break
        first -= 1
    stop = dense[-1] + 1
    while stop < len(rows):
        above, below = rows[stop - 1], rows[stop]
        text = words.texts[int(below.pieces[0].words[0])]
        if _NOTE.fullmatch(text) or len(below.pieces) == 1 and _FOOTNOTE.fullmatch(text):
            break
        if below.top - above.bottom > max(1.6 * usual, 1.2 * max(above.size, below.size)):
            break
        stop += 1
    return first, stop


def find_gutters(words: PageWords, rows: Sequence[Row], dense: Sequence[int]) -> list[tuple[float, float]]:
    """Return the x-ranges that (nearly) no row prints in, wide enough to part columns.

    Rows of figures decide where there are some, with those between them; the other rows only move a bound
    within its gutter.
    """
    left = min(row.left for row in rows)
    right = max(row.right for row in rows)
    body = rows[dense[0] : dense[-1] + 1] if dense else rows
    counted = [row for row in body if len(row.pieces) > 1] or list(rows)
    # a profile: how many rows print at each x. Where (nearly) none does is white space that goes through the
    # whole table, and that only columns leave
    cover = _cover([piece for row in counted for piece in row.pieces], left, right)
    # a line by itself may be of a cell that wraps: it says where its column goes on, not where one ends
    around = _cover([row.pieces[0] for row in body if len(row.pieces) == 1], left, right)
    if dense and dense[0] > 0:
        gap = cut_gap(words, rows)
        for at, row in enumerate(rows[: dense[0]]):
            names = [part for p in row.pieces for part in split_pieces(words, p.words, gap=gap)]
            # names of columns are right above the figures, names of groups above those
            around += _cover(names, left, right) * (10 if at == dense[0] - 1 else 1)
    free = cover <= _MOST_CROSSING * len(counted)
    free[0] = False
    turns = np.flatnonzero(np.diff(free.astype(np.int8)))
    size = float(np.median([row.size for row in counted]))
    begins = min(row.left for row in counted)
    found = []
    for a, b in zip(turns[::2].tolist(), turns[1::2].tolist(), strict=False):
        if (b - a) / 2 >= _NARROWEST_GUTTER * size and b < len(free) - 3 and left + b / 2 > begins:
            # the middle of the emptiest part
            stretch = cover[a + 1 : b + 1] * 100 + around[a + 1 : b + 1]
            emptiest = np.flatnonzero(stretch == stretch.min())
            runs = np.split(emptiest, np.flatnonzero(np.diff(emptiest) > 1) + 1)
            longest = max(runs, key=len)
            found.append((left + (a + 1 + longest[0]) / 2, left + (a + 1 + longest[-1] + 1) / 2))
    return found


def _cover(pieces: Sequence[Piece], left: float, right: float) -> NDArray[np.int32]:
    """Count the pieces over each half point between two sides."""
    # one up where a piece begins and one down where it ends; the running sum is what is printed at each x
    bins = np.zeros(int((right - left) * 2) + 3, np.int32)
    for piece in pieces:
        bins[int((piece.left - left) * 2) + 1] += 1
        bins[int((piece.right - left) * 2) + 1] -= 1
    return np.cumsum(bins, dtype=np.int32)


def cut_gap(words: PageWords, rows: Sequence[Row]) -> float:
    """Return from which share of the size a gap between words parts two cells where a gutter is."""
    pieces = [piece for row in rows for piece in row.pieces if len(piece.words) > 1]
    if not pieces:
        return _CUT_GAP
    lengths = [len(piece.words) for piece in pieces]
    edges = words.edges[np.concatenate([piece.words for piece in pieces])]
    sizes = np.repeat([max(piece.size, 1.0) for piece in pieces], lengths)
    inside = np.ones(len(edges) - 1, np.bool_)
    inside[np.cumsum(lengths)[:-1] - 1] = False  # from the last word of a piece to the next one's first
    gaps = ((edges[1:, 0] - edges[:-1, 2]) / sizes[1:])[inside]
    # the lower quartile is a blank between two words of one cell, whatever the font's blanks are wide; most
    # gaps inside pieces are that, those between cells that were set too close are the rest
    return max(_CUT_GAP, _CUT_SPACES * _lower_quartile(gaps))


def _lower_quartile(values: NDArray[np.float64]) -> float:
    """Return what a quarter of some values do not exceed, between two of them (quicker than by numpy)."""
    ordered = np.sort(values)
    at, share = divmod(0.25 * (len(ordered) - 1), 1)
    low, high = ordered[[int(at), min(int(at) + 1, len(ordered) - 1)]].tolist()
    return float(low + (high - low) * share)


def place_row(words: PageWords, row: Row, bounds: Sequence[float], *, gap: float = _CUT_GAP) -> Placed:
    """Put a row's pieces into columns, parted at `bounds` from the left.

    A piece over a gutter is cut there if a word gap allows, or spans.
    """
    placed: Placed = []
    for printed in row.pieces:
        piece = printed.words
        crossed = bounds[bisect_right(bounds, printed.left) : bisect_left(bounds, printed.right)]
        cuts = []
        if crossed and len(piece) > 1:
            left, right = words.edges[piece, 0], words.edges[piece, 2]
            for bound in crossed:
                at = int(np.searchsorted((left + right) / 2, bound))
                # a true gap between words here, and a piece on both sides: two cells that are close
                if 0 < at < len(piece) and left[at] - right[at - 1] > gap * row.size:
                    cuts.append(at)
        for part in np.split(piece, sorted(set(cuts))) if cuts else (piece,):
            if not len(part):
                continue
            a, b = float(words.edges[part, 0].min()), float(words.edges[part, 2].max())
            tolerance = 0.25 * row.size
            first = bisect_left(bounds, a + tolerance)
            last = bisect_left(bounds, b - tolerance)
            if placed and placed[-1][0] + placed[-1][1] > first:
                column, span, before = placed[-1]
                placed[-1] = (column, max(column + span, last + 1) - column, np.concatenate([before, part]))
            else:
                placed.append((first, max(1, last - first + 1), part))
    return placed


def column_ranges(
    words: PageWords, placed: Sequence[Placed], rows: Sequence[Row], bounds: Sequence[float]
) -> list[tuple[float, float]]:
    """Return from where to where each column is printed, apart from cells over several."""
    sides = [min(row.left for row in rows), *bounds, max(row.right for row in rows)]
    own: list[list[NDArray[np.int64]]] = [[] for _ in sides]
    for row in placed:
        for at, span, piece in row:
            if span == 1:
                own[at].append(piece)
    found: list[tuple[float, float]] = []
    for pieces, a, b in zip(own, sides, sides[1:], strict=False):
        if pieces:
            edges = words.edges[np.concatenate(pieces)]
            a, b = float(edges[:, 0].min()), float(edges[:, 2].max())
        found.append((a, b))
    return found
