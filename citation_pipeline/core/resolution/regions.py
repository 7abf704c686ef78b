"""Regions of words: one box per line and run of words, the blocks they touch, and polygons for slanted lines.

All in the page frame.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from citation_pipeline.core.boxes import Box, union_of_rows
from citation_pipeline.core.citations import Region
from citation_pipeline.core.documents import ParsedDocument, Words

# words of one line between two quoted ones that a box may bridge: none, unless they hold no letter or digit
_SLANT = 0.35  # of the line's height: what a line may rise or fall before its upright box lies


def group_runs(word_ids: Iterable[int]) -> list[tuple[int, int]]:
    """Return sorted half-open ranges of word ids."""
    runs: list[tuple[int, int]] = []
    for word in sorted(set(word_ids)):
        if runs and runs[-1][1] == word:
            runs[-1] = (runs[-1][0], word + 1)
        else:
            runs.append((word, word + 1))
    return runs


def line_runs(words: Words, word_ids: Iterable[int]) -> list[list[int]]:
    """Cut word ids into runs that are neighbours on one line of one page."""
    runs: list[list[int]] = []
    for first, last in group_runs(word_ids):
        for word in range(first, last):
            if runs and runs[-1][-1] == word - 1 and words.line[word] == words.line[word - 1]:
                runs[-1].append(word)
            else:
                runs.append([word])
    return runs


def regions_of(words: Words, word_ids: Iterable[int]) -> tuple[Region, ...]:
    """Return one region a page, in page order, with one box per line and run of words."""
    wanted = set(word_ids)
    pages: dict[int, list[list[int]]] = {}
    for run in line_runs(words, wanted):
        pages.setdefault(int(words.page[run[0]]), []).extend(_without_strangers(words, run, wanted))
    found = []
    for page in sorted(pages):
        boxes = tuple(union_of_rows(words.boxes[run]) for run in pages[page])
        slants = [_polygon(words, run) for run in pages[page]]
        polygons: tuple[Sequence[tuple[float, float]], ...] = ()
        if any(slant is not None for slant in slants):
            polygons = tuple(slant or _corners(box) for slant, box in zip(slants, boxes, strict=True))
        found.append(Region(page, boxes, polygons))
    return tuple(found)


def _without_strangers(words: Words, run: list[int], wanted: set[int]) -> list[list[int]]:
    """Part a run whose box would cover the middle of a word that is not meant, as slanted lines do."""
    if len(run) == 1:
        return [run]
    page = words.page
    first = int(np.searchsorted(page, page[run[0]], side="left"))
    last = int(np.searchsorted(page, page[run[0]], side="right"))
    rows = words.boxes[first:last]
    box = union_of_rows(words.boxes[run])
    x, y = rows[:, 0] + rows[:, 2] / 2, rows[:, 1] + rows[:, 3] / 2
    inside = np.flatnonzero((x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom))
    if all(first + int(word) in wanted for word in inside):
        return [run]
    middle = len(run) // 2
    return _without_strangers(words, run[:middle], wanted) + _without_strangers(words, run[middle:], wanted)


def block_regions(document: ParsedDocument, word_ids: Iterable[int]) -> tuple[Region, ...]:
    """Return the boxes of every block that the words touch, one region a page."""
    touched = sorted({int(document.words.block[word]) for word in word_ids})
    pages: dict[int, list[Box]] = {}
    for number in touched:
        block = document.blocks[number]
        pages.setdefault(block.page, []).append(block.box)
    return tuple(Region(page, tuple(boxes)) for page, boxes in sorted(pages.items()))


def _corners(box: Box) -> tuple[tuple[float, float], ...]:
    return (
        (box.left, box.top),
        (box.right, box.top),
        (box.right, box.bottom),
        (box.left, box.bottom),
    )


def _polygon(words: Words, run: Sequence[int]) -> tuple[tuple[float, float], ...] | None:
    """Return the slanted outline of a line that rises or falls visibly, else None."""
    if len(run) < 3:
        return None
    rows = words.boxes[list(run)]
    x, y = rows[:, 0] + rows[:, 2] / 2, rows[:, 1] + rows[:, 3] / 2
    spread = float(np.ptp(x))
    height = float(np.median(rows[:, 3]))
    if not np.isfinite(rows).all() or spread <= 0 or height <= 0:
        return None
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
