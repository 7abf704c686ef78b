"""What a scanned page shows besides print and rules: strokes of a pen, stamps, photographs.

Found in the picture as ink that no surely read word covers. Words read inside such a mark, words that a hand
wrote and words that a pen or a stamp runs through are a guess.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.layout.content import (
    NO_EDGES,
    EdgeArray,
    PagePicture,
    PageWords,
    Tick,
    has_few_sure_words,
)
from citation_pipeline.core.layout.handwriting import crossed_words, is_filled_in, written_pieces

MOST_IN_MARKS = 0.5
"""No word read inside a mark is surer."""

_CELL = 4  # pixels: 1.5 points at 200 dpi
_COARSE = 4  # cells a side of the squares in which photographs are looked for
_INKED, _TONED = 215, 205  # mean grey of a square that holds a stroke, and of one that is part of a picture
_READ = MOST_IN_MARKS  # words surer than this are print
_WIDE, _TALL = (30.0, 320.0), (14.0, 95.0)  # points: print that was overlooked is lower
_LEAST_STROKE, _LIFTED = 6.0, 14.0  # points: of one mark's strokes the height, and how far they are apart
_TALLEST_STAMP = 190.0  # points: over print, where what is crossed tells that it is one
_FILL = (0.03, 0.45)  # share of a mark's box that is ink: print is denser, a stain thinner
_FEWEST_CROSSED = 3  # words under one mark: two lines touch now and then
_MOST_CROSSED = 0.2  # share of a page's words: where print is so blurred, its lines touch
_LEAST_SIDE, _SOLID, _MIDTONES = 54.0, 0.6, 0.25  # of a photograph: points, filled, neither dark nor light
# a stamp set aslant: its word's box is higher than the line, and than upright letters of its width would be
_FEWEST_LETTERS, _HIGHER, _ASLANT = 5, 3.0, 2.8
_TALL_WORD = 24.0  # points: small print in a narrow box is no stamp
# of a square: black, and a word's ground that is dark; squares beside a word, wider than a table's rule
_BLACK, _DARK_GROUND, _BESIDE = 60, 140, 4
_MOST_CELLS = 40_000  # more is a page without print: a drawing, a photograph of a wall


@dataclass(frozen=True, eq=False)
class Marks:
    """Edges (n, 4) in the paper frame of `strokes` (signatures, handwriting, stamps) and of `photographs`.

    `doubted` are words that a hand wrote, and printed ones under its strokes or under a stamp.
    """

    strokes: EdgeArray
    photographs: EdgeArray
    doubted: EdgeArray = field(default_factory=lambda: NO_EDGES)


NO_MARKS = Marks(NO_EDGES, NO_EDGES)


def find_marks(picture: PagePicture, words: PageWords, rulings: EdgeArray) -> Marks:
    """Return the marks of a scanned page, given the words and rules read off it."""
    height, width = (length // (_CELL * _COARSE) * _CELL * _COARSE for length in picture.grey.shape)
    if not height or not width:
        return NO_MARKS
    grey = picture.grey[:height, :width]
    means = grey.reshape(height // _CELL, _CELL, width // _CELL, _CELL).mean(axis=(1, 3))
    points = _CELL * 72.0 / picture.dpi
    photographs = [
        edges * _COARSE * points
        for edges, cells in _spots(_shrunk(means) < _TONED, reach=1)
        if _is_photograph(edges, cells, grey, points)
    ]
    pieces = written_pieces(picture, words, rulings)
    cut = cut_words(means, words, points)
    crossed = crossed_words(picture, words, rulings)
    written = np.zeros(len(words), np.bool_)
    written[[at for piece in pieces for at in piece.tolist()]] = True
    areas, doubted = np.array(photographs).reshape(-1, 4), words.edges[crossed | written | cut]
    if has_few_sure_words(words):
        return Marks(NO_EDGES, areas, doubted)  # a poor fax: print that was not read
    read = ~(words.confidences < _READ)
    sure = words.edges[read & ~crossed]
    ink = means < _INKED
    _cover(ink, ((sure, 2.5), (rulings, 2.0), (areas, 2.0)), points)
    spots = _spots(ink, reach=3) if ink.sum() < _MOST_CELLS else ()
    under = words.edges[crossed] if crossed.sum() < _MOST_CROSSED * len(words) else NO_EDGES
    over = [edges * points for edges, _ in spots if _is_over_print(edges * points, under)]
    rest = [(edges, cells) for edges, cells in spots if not _is_over_print(edges * points, under)]
    strokes = over + [
        edges * points
        for edges, cells in _one_hand(rest, points)
        if _is_stroke(edges * points, cells / max(_area(edges), 1.0), sure)
    ]
    strokes += [words.edges[at] for at in _tilted(words)]
    # what is filled in stays its label's value
    strokes += [_around(words.edges[piece]) for piece in pieces if not is_filled_in(words, piece, rulings)]
    return Marks(_united(strokes), areas, doubted)


def cut_words(means: NDArray[np.float64], words: PageWords, points: float) -> NDArray[np.bool_]:
    """Mark words that end at a black area: what else there was of them is blacked out.

    `means` are the greys of squares, `points` wide.
    """
    cut = np.zeros(len(words), np.bool_)
    black = means < _BLACK
    if not black.any():
        return cut
    for at, (left, top, right, bottom) in enumerate((words.edges / points).tolist()):
        middle = slice(int(top + (bottom - top) / 4), int(bottom - (bottom - top) / 4) + 1)
        if words.turns[at] or means[middle, int(left) : int(right) + 1].mean() < _DARK_GROUND:
            continue  # white letters have black around them
        sides = (
            black[middle, int(np.ceil(right)) : int(np.ceil(right)) + _BESIDE],
            black[middle, max(int(left) - _BESIDE, 0) : int(left)][:, ::-1],
        )
        cut[at] = any(side.shape[1] == _BESIDE and side[:, 1:].all() for side in sides)
    return cut


def _one_hand(
    spots: Sequence[tuple[NDArray[np.float64], int]], points: float
) -> Sequence[tuple[NDArray[np.float64], int]]:
    """Join what is side by side, as the strokes of one signature: the pen was lifted between them."""
    joined: list[tuple[NDArray[np.float64], int]] = []
    for edges, cells in sorted(spots, key=lambda spot: float(spot[0][0])):
        if (edges[3] - edges[1]) * points >= _LEAST_STROKE:
            for at, (other, count) in enumerate(joined):
                shared = min(edges[3], other[3]) - max(edges[1], other[1])
                if (
                    (edges[0] - other[2]) * points < _LIFTED
                    and shared >= 0.6 * min(edges[3] - edges[1], other[3] - other[1])
                    and (other[3] - other[1]) * points >= _LEAST_STROKE
                ):
                    joined[at] = (_around(np.array([edges, other])), cells + count)
                    break
            else:
                joined.append((edges, cells))
    return joined


def _united(strokes: Sequence[NDArray[np.float64]]) -> EdgeArray:
    """Join marks that lie over each other: a stamp's frame and its letters."""
    united: list[NDArray[np.float64]] = []
    for one in strokes:
        edges = one
        while near := [at for at, other in enumerate(united) if _overlap(edges, other)]:
            edges = _around(np.array([edges, *(united[at] for at in near)]))
            united = [other for at, other in enumerate(united) if at not in near]
        united.append(edges)
    return np.array(united).reshape(-1, 4)


def _overlap(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    # lines of one hand touch, a stamp lies over its letters
    return bool(across > 0 and down > 0 and across * down > 0.3 * min(_area(a), _area(b)))


def _cover(ink: NDArray[np.bool_], covers: Sequence[tuple[EdgeArray, float]], points: float) -> None:
    """Take the ink in some areas, each with room around it, out of the squares."""
    for covered, room in covers:
        for left, top, right, bottom in ((covered + [-room, -room, room, room]) / points).tolist():
            ink[max(int(top), 0) : int(bottom) + 1, max(int(left), 0) : int(right) + 1] = False


def _around(edges: EdgeArray) -> NDArray[np.float64]:
    return np.concatenate([edges[:, :2].min(axis=0), edges[:, 2:].max(axis=0)])


def _tilted(words: PageWords) -> list[int]:
    """Return the words set aslant, as a stamp's are: far too high for the width of their letters."""
    if not len(words):
        return []
    wide, tall = (words.edges[:, 2:] - words.edges[:, :2]).T
    usual = float(np.median(tall))
    return [
        at
        for at, text in enumerate(words.texts)
        if len(text) >= _FEWEST_LETTERS
        and words.turns[at] == 0
        and tall[at] > max(_HIGHER * usual, _TALL_WORD)
        and tall[at] * len(text) > _ASLANT * wide[at]
    ]


def doubt_words(words: PageWords, marks: Marks) -> PageWords:
    """Return the words, those that are doubted or inside a mark no surer than a guess."""
    x, y = (words.edges[:, 0] + words.edges[:, 2]) / 2, (words.edges[:, 1] + words.edges[:, 3]) / 2
    inside = np.zeros(len(words), np.bool_)
    for left, top, right, bottom in np.concatenate(
        [marks.strokes, marks.photographs, marks.doubted]
    ).tolist():
        inside |= (x > left) & (x < right) & (y > top) & (y < bottom)
    capped = np.where(inside, np.fmin(words.confidences, MOST_IN_MARKS), words.confidences)
    return replace(words, confidences=capped)


def ticks_outside(ticks: Sequence[Tick], marks: Marks) -> list[Tick]:
    """Return the checkboxes that are no part of a mark: stamps and photographs have corners too."""
    areas = np.concatenate([marks.strokes, marks.photographs]).tolist()
    return [
        tick
        for tick in ticks
        if not any(
            a < tick.edges[2] and tick.edges[0] < c and b < tick.edges[3] and tick.edges[1] < d
            for a, b, c, d in areas
        )
    ]


def _shrunk(means: NDArray[np.float64]) -> NDArray[np.float64]:
    rows, columns = means.shape
    squares = means.reshape(rows // _COARSE, _COARSE, columns // _COARSE, _COARSE)
    shrunk: NDArray[np.float64] = squares.mean(axis=(1, 3))
    return shrunk


def _area(edges: NDArray[np.float64]) -> float:
    return float((edges[2] - edges[0]) * (edges[3] - edges[1]))


def _is_photograph(edges: NDArray[np.float64], cells: int, grey: NDArray[np.uint8], points: float) -> bool:
    wide, tall = ((edges[2:] - edges[:2]) * _COARSE * points).tolist()
    if min(wide, tall) < _LEAST_SIDE or cells < _SOLID * _area(edges):
        return False
    left, top, right, bottom = (edges * _COARSE * _CELL).astype(np.int64).tolist()
    part = grey[top:bottom, left:right]
    # a screened panel or a dark bar with print has one tone, a photograph many
    tones = np.histogram(part, bins=8, range=(0, 256))[0] / max(part.size, 1)
    return float(tones[1:7].sum()) > _MIDTONES and int((tones > 0.04).sum()) >= 4


def _is_stroke(edges: NDArray[np.float64], fill: float, sure: EdgeArray) -> bool:
    left, top, right, bottom = edges.tolist()
    wide, tall = right - left, bottom - top
    if not (_WIDE[0] <= wide <= _WIDE[1] and _TALL[0] <= tall <= _TALL[1] and _FILL[0] <= fill <= _FILL[1]):
        return False
    x, y = (sure[:, 0] + sure[:, 2]) / 2, (sure[:, 1] + sure[:, 3]) / 2
    return int(((x > left) & (x < right) & (y > top) & (y < bottom)).sum()) < 2


def _is_over_print(edges: NDArray[np.float64], crossed: EdgeArray) -> bool:
    """Tell whether ink is a pen's or a stamp's over words: several of them are crossed."""
    left, top, right, bottom = edges.tolist()
    x, y = (crossed[:, 0] + crossed[:, 2]) / 2, (crossed[:, 1] + crossed[:, 3]) / 2
    held = int(((x > left) & (x < right) & (y > top) & (y < bottom)).sum())
    return held >= _FEWEST_CROSSED and _TALL[0] <= bottom - top <= _TALLEST_STAMP and right - left <= _WIDE[1]


def _spots(filled: NDArray[np.bool_], *, reach: int) -> Sequence[tuple[NDArray[np.float64], int]]:
    """Return edges (in squares) and count of each group of filled squares that are at most `reach` apart."""
    rows, columns = np.nonzero(filled)
    free = set(zip(rows.tolist(), columns.tolist(), strict=True))
    around = [(a, b) for a in range(-reach, reach + 1) for b in range(-reach, reach + 1) if a or b]
    found: list[tuple[NDArray[np.float64], int]] = []
    while free:
        start = free.pop()
        open_squares, members = [start], [start]
        while open_squares:
            row, column = open_squares.pop()
            near = [(row + a, column + b) for a, b in around if (row + a, column + b) in free]
            free.difference_update(near)
            open_squares.extend(near)
            members.extend(near)
        at = np.array(members)
        low, high = at.min(axis=0), at.max(axis=0) + 1
        found.append((np.array([low[1], low[0], high[1], high[0]], np.float64), len(members)))
    return found
