"""Regions of words: one box per line and run of words, the blocks they touch, and polygons for slanted lines.

All in the page frame.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import add
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.boxes import Box, box_from_edges
from citation_pipeline.core.citations import Region
from citation_pipeline.core.documents.parsed import ParsedDocument, Words

Polygon = tuple[tuple[float, float], ...]

_CELL_GAP, _CELL_GAP_HEIGHTS = 0.03, 2.0  # of the page's width, and of the line's height
_LEVEL = 1.2  # times the tallest word's height: a line's box below that is level
_SLANT = 0.35  # of the line's height: what a line may rise or fall before a box without slant is wrong
_SURELY_LEVEL = 0.99  # of that: what rounding cannot turn into a slant
_SAME_INK = 0.2  # of a word's width and height: how far its second print may be from the first

_MOST_LINES = 256  # lines of a page that are held against each other all at once

# the words of each page looked at so far that cover the middle of another
_CROWDED: "WeakKeyDictionary[Words, dict[int, frozenset[int]]]" = WeakKeyDictionary()


def group_runs(word_ids: Iterable[int]) -> list[tuple[int, int]]:
    """Return sorted half-open ranges of word ids."""
    words = sorted(set(word_ids))
    if words and words[-1] - words[0] == len(words) - 1:
        return [(words[0], words[-1] + 1)]
    runs: list[tuple[int, int]] = []
    for word in words:
        if runs and runs[-1][1] == word:
            runs[-1] = (runs[-1][0], word + 1)
        else:
            runs.append((word, word + 1))
    return runs


def line_runs(words: Words, word_ids: Iterable[int]) -> list[list[int]]:
    """Cut word ids into runs that are neighbours on one line of one page."""
    runs: list[list[int]] = []
    for first, last in group_runs(word_ids):
        lines, boxes = words.line[first:last].tolist(), words.boxes[first:last].tolist()
        runs.append([first])
        for at in range(1, last - first):
            if lines[at] == lines[at - 1] and not _is_cell_gap(boxes[at - 1], boxes[at]):
                runs[-1].append(first + at)
            else:
                runs.append([first + at])
    return runs


def _is_cell_gap(before: Sequence[float], after: Sequence[float]) -> bool:
    """Tell whether white space as wide as between table cells parts a word from the one before."""
    gap = after[0] - before[0] - before[2]
    return gap > _CELL_GAP and gap > _CELL_GAP_HEIGHTS * min(before[3], after[3])


def regions_of(words: Words, word_ids: Iterable[int]) -> tuple[Region, ...]:
    """Return one region a page, in page order, with one box per line and run of words."""
    wanted = set(word_ids)
    pages: dict[int, list[tuple[Box, Polygon | None]]] = {}
    for run in line_runs(words, wanted):
        pages.setdefault(int(words.page[run[0]]), []).extend(_outline(words, run, wanted))
    found = []
    for page in sorted(pages):
        boxes = tuple(box for box, _ in pages[page])
        polygons: tuple[Polygon, ...] = ()
        if any(polygon is not None for _, polygon in pages[page]):
            polygons = tuple(polygon or _corners(box) for box, polygon in pages[page])
        found.append(Region(page, boxes, polygons))
    return tuple(found)


def _outline(words: Words, run: list[int], wanted: set[int]) -> list[tuple[Box, Polygon | None]]:
    """Return the box of a run, in parts where it would cover a stranger, and the polygon of a slanted one."""
    rows = words.boxes[run[0] : run[-1] + 1].tolist()
    lefts, tops, widths, heights = zip(*rows, strict=True)
    right, bottom = max(map(add, lefts, widths)), max(map(add, tops, heights))
    box = box_from_edges(min(lefts), min(tops), right, bottom)
    if len(run) == 1 or box.height <= _LEVEL * max(heights):
        return [(_without_strangers(words, box, run, wanted), None)]
    if not _strangers(words, box, int(words.page[run[0]]), wanted):
        return [(box, _polygon(words, run))]
    # halves of a slanted line are flatter: sooner or later no half covers a stranger
    middle = len(run) // 2
    return _outline(words, run[:middle], wanted) + _outline(words, run[middle:], wanted)


def _strangers(words: Words, box: Box, number: int, wanted: set[int]) -> list[tuple[str, list[float]]]:
    """Return the texts and boxes of the words of a page whose middle a box covers, though they are not
    meant."""
    pages = words.page.data
    first = bisect_left(pages, number)
    last = bisect_left(pages, number + 1, first)
    rows = words.boxes[first:last]
    x, y = rows[:, 0] + rows[:, 2] / 2, rows[:, 1] + rows[:, 3] / 2
    # by its middle: boxes of neighbouring lines overlap a little on every scan
    inside = (x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom)
    others = [at for at in np.flatnonzero(inside).tolist() if first + at not in wanted]
    return [(words.texts[first + at], rows[at].tolist()) for at in others]


def _without_strangers(words: Words, box: Box, run: list[int], wanted: set[int]) -> Box:
    """Return the box of a level run, cut back where it covers the middle of a word that is not meant.

    Some fonts state boxes of three lines' height, and some prints overlap: of two neighbours each keeps its
    half of what lies between their middles.
    """
    if not _is_crowded(words, run):
        return box
    rows = words.boxes[run[0] : run[-1] + 1]
    x, y = rows[:, 0] + rows[:, 2] / 2, rows[:, 1] + rows[:, 3] / 2
    x_least, x_most, y_least, y_most = map(float, (x.min(), x.max(), y.min(), y.max()))
    left, top, right, bottom = box.left, box.top, box.right, box.bottom
    own = set(words.texts[run[0] : run[-1] + 1])
    for text, (near_left, near_top, width, height) in _strangers(words, box, int(words.page[run[0]]), wanted):
        across, down = near_left + width / 2, near_top + height / 2
        # printed twice to look bold: the same ink
        if text in own and bool(
            ((np.abs(x - across) < _SAME_INK * width) & (np.abs(y - down) < _SAME_INK * height)).any()
        ):
            continue
        if down > y_most:
            bottom = min(bottom, (y_most + down) / 2)
        elif down < y_least:
            top = max(top, (y_least + down) / 2)
        elif across > x_most:
            right = min(right, max(near_left, (x_most + across) / 2))
        elif across < x_least:
            left = max(left, min(near_left + width, (x_least + across) / 2))
    return box_from_edges(left, top, right, bottom)


def _is_crowded(words: Words, run: Sequence[int]) -> bool:
    """Tell whether a word of a run covers the middle of any other; looked up once for each page."""
    page = int(words.page[run[0]])
    pages = _CROWDED.setdefault(words, {})
    if page not in pages:
        pages[page] = _crowded_words(words, page)
    crowded = pages[page]
    return bool(crowded) and not crowded.isdisjoint(run)


def _crowded_words(words: Words, page: int) -> frozenset[int]:
    """Return the words of a page whose boxes cover the middle of another word: on most pages none."""
    first, last = (bisect_left(words.page.data, number) for number in (page, page + 1))
    left, top, width, height = words.boxes[first:last].T
    across, down = left + width / 2, top + height / 2
    if _stand_apart(words.line[first:last], left, left + width, across, top, top + height, down):
        return frozenset()
    # pairs of a word and one whose middle is between its top and bottom, or between its sides: of a line of
    # thousands of words the former are all with all
    level = _ranges(down, top, top + height)
    beside = _ranges(across, left, left + width)
    ours, theirs = _pairs(*min(level, beside, key=lambda ranges: int(ranges[2].sum())))
    covered = (
        (left[ours] <= across[theirs])
        & (across[theirs] <= (left + width)[ours])
        & (top[ours] <= down[theirs])
        & (down[theirs] <= (top + height)[ours])
        & (ours != theirs)
    )
    return frozenset((first + ours[covered]).tolist()) if covered.any() else frozenset()


def _stand_apart(
    line: NDArray[np.int32],
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    across: NDArray[np.float64],
    top: NDArray[np.float64],
    bottom: NDArray[np.float64],
    down: NDArray[np.float64],
) -> bool:
    """Tell whether the words of a page surely cover no other's middle: those of a line follow each other, and
    no line covers a middle of another."""
    same = line[1:] == line[:-1]
    if not ((right[:-1] < across[1:]) & (left[1:] > across[:-1]))[same].all():
        return False
    begins = np.concatenate(([0], np.flatnonzero(~same) + 1))
    if len(begins) > _MOST_LINES:
        return False
    least, most = np.minimum.reduceat, np.maximum.reduceat
    apart = least(left, begins)[:, None] > most(across, begins)
    apart |= most(right, begins)[:, None] < least(across, begins)
    apart |= least(top, begins)[:, None] > most(down, begins)
    apart |= most(bottom, begins)[:, None] < least(down, begins)
    np.fill_diagonal(apart, val=True)
    return bool(apart.all())


_Ranges = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Positions of middles in their order; for each word the first of them within it, and how many."""


def _ranges(middles: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> _Ranges:
    order = np.argsort(middles, kind="stable")
    first = np.searchsorted(middles[order], low, "left")
    last = np.searchsorted(middles[order], high, "right")
    return order, first, np.maximum(last - first, 0)


def _pairs(
    order: NDArray[np.int64], first: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each word's position as often as it has a middle within it, and the positions of these."""
    ours = np.repeat(np.arange(len(counts)), counts)
    return ours, order[np.arange(len(ours)) - np.repeat(np.cumsum(counts) - counts - first, counts)]


def block_regions(document: ParsedDocument, word_ids: Iterable[int]) -> tuple[Region, ...]:
    """Return the boxes of every block that the words touch, one region a page."""
    touched: set[int] = set()
    for first, last in group_runs(word_ids):
        touched.update(document.words.block[first:last].tolist())
    pages: dict[int, list[Box]] = {}
    for number in sorted(touched):
        block = document.blocks[number]
        pages.setdefault(block.page, []).append(block.box)
    return tuple(Region(page, tuple(boxes)) for page, boxes in sorted(pages.items()))


def _corners(box: Box) -> Polygon:
    return (
        (box.left, box.top),
        (box.right, box.top),
        (box.right, box.bottom),
        (box.left, box.bottom),
    )


def _is_surely_level(words: Words, run: Sequence[int]) -> bool:
    """Tell whether a line rises by far less than would show, without fitting it in numpy: most lines do."""
    rows = words.boxes[run[0] : run[-1] + 1].tolist()
    x = [left + width / 2 for left, _, width, _ in rows]
    y = [top + height / 2 for _, top, _, height in rows]
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    squares = sum((at - x_mean) ** 2 for at in x)
    if not squares > 0:
        return False
    slope = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True)) / squares
    rise = abs(slope) * (max(x) - min(x))
    height: float = sorted(row[3] for row in rows)[(len(rows) - 1) // 2]
    return bool(rise < _SURELY_LEVEL * _SLANT * height)


def _polygon(words: Words, run: Sequence[int]) -> Polygon | None:
    """Return the slanted outline of a line that rises or falls visibly, else None."""
    if len(run) < 3 or _is_surely_level(words, run):
        return None
    rows = words.boxes[list(run)]
    x, y = rows[:, 0] + rows[:, 2] / 2, rows[:, 1] + rows[:, 3] / 2
    spread = float(np.ptp(x))
    height = float(np.median(rows[:, 3]))
    if not np.isfinite(rows).all() or spread <= 0 or height <= 0:
        return None
    # a straight line through the words' middles (least squares), and half a word's height to both sides. The
    # median height: one tall bracket would widen the whole outline
    slope, middle = np.polyfit(x - x.mean(), y, 1)
    if abs(float(slope)) * spread < _SLANT * height:
        return None
    left, right = float(rows[:, 0].min()), float((rows[:, 0] + rows[:, 2]).max())
    at_left = float(middle + slope * (left - x.mean()))
    at_right = float(middle + slope * (right - x.mean()))
    half = height / 2
    return (
        (left, at_left - half),
        (right, at_right - half),
        (right, at_right + half),
        (left, at_left + half),
    )
