"""Fonts whose figures are not those that the file says: looked for once by font and figure, on any page.

Three witnesses: the outline that a font has for a figure looks like another one (`outlines`); two glyphs of
different extent are said to be the same figure; what is drawn for one reaches as far as the font's outline of
another, where the font's other figures reach as far as their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.calls import Run, tight_boxes
from citation_pipeline.adapters.pdfium.outlines import FIGURES, reach_of, shows_another
from citation_pipeline.core.layout.characters import UNSEEN

_ZERO, _NINE = ord("0"), ord("9")
_SAME = 0.004  # of the size, by which extents of one glyph differ at most
_EXACT = 0.0015  # as exact is an outline's own extent, which is rounded to a thousandth
_NEARLY = 0.006  # what differs less from its own is rounded otherwise
_RAISED = 64  # of some fonts the library makes the ink higher by so small a part
_FEWEST_EXACT = 2  # other figures, for a font whose extents are exact
_HIDDEN, _FONT = 8, 10  # places in a run

Extent = tuple[float, float]


@dataclass(slots=True)
class Figures:
    """What is known of the figures of a document's fonts: which were looked at, how far each reaches (by
    font, the matrix that it is drawn with, and code), and the fonts that say what they do not show."""

    looked_at: set[tuple[int, int]] = field(default_factory=set)
    extents: dict[tuple[int, tuple[float, ...], int], Extent] = field(default_factory=dict)
    reaches: dict[tuple[int, int], str] = field(default_factory=dict)
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
        self._look_at_outlines(codes[at], rows, runs)
        self._compare_extents(text_page, at, codes[at], boxes[at], rows, runs)
        if not self.misleading:
            return []
        return [row for row in np.unique(rows).tolist() if _font_of(runs[row]) in self.misleading]

    def _look_at_outlines(
        self, codes: NDArray[np.uint32], rows: NDArray[np.int32], runs: Sequence[Run | None]
    ) -> None:
        pairs = np.unique(rows.astype(np.int64) * 256 + codes)
        for font, code in {(_font_of(runs[pair // 256]), pair % 256) for pair in pairs.tolist()}:
            if (font, code) not in self.looked_at:
                self.looked_at.add((font, code))
                if shows_another(font, code):
                    self.misleading.add(font)

    def _compare_extents(
        self,
        text_page: int,
        at: NDArray[np.int64],
        codes: NDArray[np.uint32],
        loose: NDArray[np.float64],
        rows: NDArray[np.int32],
        runs: Sequence[Run | None],
    ) -> None:
        boxes = tight_boxes(text_page, at)
        extents = boxes[:, 1::2] - boxes[:, ::2]  # across, up
        starts = boxes[:, ::2] - np.column_stack(
            [loose[:, 0], [run[5] if (run := runs[row]) is not None else 0.0 for row in rows.tolist()]]
        )
        matrices = {row: _matrix(runs[row]) for row in np.unique(rows).tolist()}
        sizes = np.array([matrices[row][1] for row in rows.tolist()])
        extents /= sizes[:, None]
        starts /= sizes[:, None]
        for row, code, (across, up), start in zip(
            rows.tolist(), codes.tolist(), extents.tolist(), starts.tolist(), strict=True
        ):
            font, matrix = _font_of(runs[row]), matrices[row][0]
            key = font, matrix, code
            if key not in self.extents:
                self.extents[key] = across, up
                if matrix[1:3] == (0.0, 0.0) and (font, code) not in self.reaches:
                    stretch = abs(matrix[0] or 1.0)
                    reach = start[0] / stretch, across / stretch, start[1], up
                    self.reaches[font, code] = _reach_like(font, code, reach)
                    self._judge_reaches(font)
            known = self.extents[key]
            if abs(known[0] - across) > _SAME or abs(known[1] - up) > _SAME:
                self.misleading.add(font)

    def _judge_reaches(self, font: int) -> None:
        found = [like for (of, _), like in self.reaches.items() if of == font]
        exact = found.count(_OWN)
        if _ANOTHERS in found and exact >= max(_FEWEST_EXACT, found.count(_NOBODYS) + 1):
            self.misleading.add(font)


_OWN, _ANOTHERS, _NOBODYS = "own", "another's", "nobody's"


def _reach_like(font: int, code: int, drawn: Sequence[float]) -> str:
    """Return whose outline reaches as far as what is `drawn` for a figure: left, width, low, height."""

    def is_like(other: int, room: float = _EXACT, first: int = 0) -> bool:
        reach = reach_of(font, other)
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


def _matrix(run: Run | None) -> tuple[tuple[float, ...], float]:
    """Return a run's matrix without its scale, and the scale."""
    if run is None:
        return (), 1.0
    a, b, c, d, _, _, size, *_ = run
    scale = abs(size) * max(abs(c), abs(d))
    if not np.isfinite(scale) or scale <= 0:
        return (), 1.0
    share = abs(size) / scale
    return tuple(round(one * share, 2) for one in (a, b, c, d)), scale
