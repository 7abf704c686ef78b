"""Fonts whose figures are not those that the file says: looked for once by font and figure, on any page.

Three witnesses: the outline that a font has for a figure looks like another one (`outlines`); two glyphs of
different extent are said to be the same figure; what is drawn for one reaches as far as the font's outline of
another, where the font's other figures reach as far as their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.calls import GlyphSegment, Run, font_name, tight_boxes
from citation_pipeline.adapters.pdfium.outlines import FIGURES, nearest_figures, outline_of, reach_of
from citation_pipeline.core.layout.characters import UNSEEN

_ZERO, _NINE = ord("0"), ord("9")
_SAME = 0.004  # of the size, by which extents of one glyph differ at most
_EXACT = 0.0015  # as exact is an outline's own extent, which is rounded to a thousandth
_NEARLY = 0.006  # what differs less from its own is rounded otherwise
_RAISED = 64  # of some fonts the library makes the ink higher by so small a part
_FEWEST_EXACT = 2  # other figures, for a font whose extents are exact
_OWN, _ANOTHERS, _NOBODYS = "own", "another's", "nobody's"
_MOST_KEPT = 50_000
Key = tuple[str, int, tuple[float, ...]]
_HONEST: dict[Key, str] = {}
"""What was found of figures that do not mislead, by their font's name, code and ink, in any document."""
_HIDDEN, _FONT = 8, 10  # places in a run

Extent = tuple[float, float]
Look = tuple[int, tuple[float, ...]]
"""A font, and the matrix that it is drawn with but for the scale."""


@dataclass(slots=True)
class Figures:
    """What is known of the figures of a document's fonts: which are new, how far each reaches (by
    font, the matrix that it is drawn with, and code), and the fonts that say what they do not show."""

    new: list[tuple[int, int, Key | None, str]] = field(default_factory=list)
    extents: dict[tuple[int, tuple[float, ...], int], Extent] = field(default_factory=dict)
    reaches: dict[tuple[int, int], str] = field(default_factory=dict)
    matrices: dict[tuple[float, ...], tuple[tuple[float, ...], float]] = field(default_factory=dict)
    outlines: dict[tuple[int, int], tuple[GlyphSegment, ...]] = field(default_factory=dict)
    misleading: set[int] = field(default_factory=set)

    def look(
        self,
        text_page: int,
        codes: NDArray[np.uint32],
        boxes: NDArray[np.float64],
        of_run: NDArray[np.int32],
        runs: Sequence[Run | None],
    ) -> list[int]:
        """Return which runs of a page are in fonts whose figures mislead, and have some.

        `boxes` are the characters' loose ones, in PDF space.
        """
        at = np.flatnonzero((codes >= _ZERO) & (codes <= _NINE))
        rows = of_run[at]
        drawn = np.array(
            [run is not None and run[_HIDDEN] != UNSEEN and bool(run[_FONT]) for run in runs], np.bool_
        )
        at, rows = at[drawn[rows]], rows[drawn[rows]]
        if not len(at):
            return []
        self._compare_extents(text_page, at, codes[at], boxes[at], rows, runs)
        self._look_at_outlines()
        if not self.misleading:
            return []
        return [row for row in np.unique(rows).tolist() if _font_of(runs[row]) in self.misleading]

    def _look_at_outlines(self) -> None:
        """Look at the figures that were met for the first time, and remember fonts that do not mislead."""
        met = [(font, code) for font, code, *_ in self.new if self._outline(font, code)]
        outlines = [self._outline(font, code) for font, code in met]
        said = "".join(chr(code) for _, code in met)
        for (font, _), one, shown in zip(met, said, nearest_figures(outlines, said), strict=True):
            if one != shown:
                self.misleading.add(font)
        for font, _, key, like in self.new:
            if (
                key
                and key[0]
                and like != _ANOTHERS
                and font not in self.misleading
                and len(_HONEST) < _MOST_KEPT
            ):
                _HONEST[key] = like
        self.new.clear()

    def _outline(self, font: int, code: int) -> tuple[GlyphSegment, ...]:
        found = self.outlines.get((font, code))
        if found is None:
            found = self.outlines[font, code] = outline_of(font, code)
        return found

    def _compare_extents(
        self,
        text_page: int,
        at: NDArray[np.int64],
        codes: NDArray[np.uint32],
        loose: NDArray[np.float64],
        rows: NDArray[np.int32],
        runs: Sequence[Run | None],
    ) -> None:
        used, row_of = np.unique(rows, return_inverse=True)
        looks = [self._look_of(runs[row]) for row in used.tolist()]
        places = {look: number for number, look in enumerate(dict.fromkeys(look for look, _, _ in looks))}
        numbers = np.array([places[look] for look, _, _ in looks], np.int64)[row_of]
        sizes, bases = (np.array([one[side] for one in looks])[row_of] for side in (1, 2))
        boxes = tight_boxes(text_page, at)
        columns = np.column_stack(
            [
                boxes[:, 0] - loose[:, 0],
                boxes[:, 1] - boxes[:, 0],
                boxes[:, 2] - bases,
                boxes[:, 3] - boxes[:, 2],
            ]
        )
        columns /= sizes[:, None]
        keys = numbers * 256 + codes
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        least = np.minimum.reduceat(columns[order], starts)
        spread = np.maximum.reduceat(columns[order], starts) - least
        known = list(places)
        for key, first, low, away in zip(
            keys[order[starts]].tolist(),
            columns[order[starts]].tolist(),
            least.tolist(),
            spread.tolist(),
            strict=True,
        ):
            self._judge(known[key // 256], key % 256, first, low, max(away[1], away[3]))

    def _judge(
        self, look: Look, code: int, drawn: Sequence[float], low: Sequence[float], spread: float
    ) -> None:
        """Take how far a figure reaches where one font draws it with one matrix: left, width, low, height."""
        font, matrix = look
        if (font, matrix, code) not in self.extents:
            self.extents[font, matrix, code] = drawn[1], drawn[3]
            if (font, code) in self.reaches:
                pass
            elif matrix[1:3] != (0.0, 0.0):
                self.new.append((font, code, None, _NOBODYS))
            else:
                stretch = abs(matrix[0] or 1.0)
                self._judge_figure(font, code, (drawn[0] / stretch, drawn[1] / stretch, drawn[2], drawn[3]))
        across, up = self.extents[font, matrix, code]
        if max(spread, abs(across - low[1]), abs(up - low[3])) > _SAME:
            self.misleading.add(font)

    def _look_of(self, run: Run | None) -> tuple[Look, float, float]:
        """Return a run's font with its matrix but for the scale, the scale, and its baseline."""
        if run is None:
            return (0, ()), 1.0, 0.0
        a, b, c, d, _, y, size, *_ = run
        known = self.matrices.get((a, b, c, d, size))
        if known is None:
            known = self.matrices[a, b, c, d, size] = _matrix(a, b, c, d, size)
        return (_font_of(run), known[0]), known[1], y

    def _judge_figure(self, font: int, code: int, drawn: Sequence[float]) -> None:
        """Look at a figure that is drawn upright; fonts of one name whose ink is the same are one font."""
        key = font_name(font), code, tuple(round(one, 3) for one in drawn)
        known = _HONEST.get(key)
        if known is None:
            known = self._reach_like(font, code, drawn)
            self.new.append((font, code, key, known))
        self.reaches[font, code] = known
        found = [like for (of, _), like in self.reaches.items() if of == font]
        exact = found.count(_OWN)
        if _ANOTHERS in found and exact >= max(_FEWEST_EXACT, found.count(_NOBODYS) + 1):
            self.misleading.add(font)

    def _reach_like(self, font: int, code: int, drawn: Sequence[float]) -> str:
        """Return whose outline reaches as far as what is `drawn` for a figure: left, width, low, height."""

        def is_like(other: int, room: float = _EXACT, first: int = 0) -> bool:
            reach = reach_of(self._outline(font, other))
            if reach is None:
                return False
            left, wide, low, tall = (abs(one - two) for one, two in zip(reach, drawn, strict=True))
            raised = abs(reach[3] + (reach[2] + reach[3]) / _RAISED - drawn[3])
            return max((left, wide, low)[first:]) < room and min(tall, raised) < room

        if is_like(code):
            return _OWN
        if is_like(code, _NEARLY, 1):
            return _NOBODYS
        return _ANOTHERS if any(is_like(ord(one)) for one in FIGURES if ord(one) != code) else _NOBODYS


def _font_of(run: Run | None) -> int:
    return int(run[_FONT]) if run is not None else 0


def _matrix(a: float, b: float, c: float, d: float, size: float) -> tuple[tuple[float, ...], float]:
    """Return a matrix without its scale, and the scale."""
    scale = abs(size) * max(abs(c), abs(d))
    if not np.isfinite(scale) or scale <= 0:
        return (), 1.0
    share = abs(size) / scale
    return tuple(round(one * share, 2) for one in (a, b, c, d)), scale
