"""Boxes in the page frame, and the plane geometry on them.

The page frame: the page as displayed (after rotation and CropBox), origin top left, x to the right and
y down, both in 0-1 of the displayed width and height. Conversions from PDF space live with the
parsers, not here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BoxArray = NDArray[np.float64]
"""Shape (n, 4): left, top, width, height of n boxes in the page frame."""


@dataclass(frozen=True, slots=True)
class Box:
    """One rectangle in the page frame; `width` and `height` are never negative."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of the right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The y of the bottom edge."""
        return self.top + self.height

    @property
    def area(self) -> float:
        """Width times height, in page areas."""
        return self.width * self.height

    def as_dict(self, *, digits: int | None = 6) -> dict[str, float]:
        """Return the four numbers under their names, rounded to `digits`, or as they are with None."""
        edges = {"left": self.left, "top": self.top, "width": self.width, "height": self.height}
        return edges if digits is None else {name: round(edge, digits) for name, edge in edges.items()}


def box_from_edges(left: float, top: float, right: float, bottom: float) -> Box:
    """Build a box from its edges; edges in the wrong order give width or height 0."""
    return Box(left, top, max(0.0, right - left), max(0.0, bottom - top))


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around all `boxes`; raises ValueError when there is none."""
    found = list(boxes)
    if not found:
        raise ValueError("the union of no boxes is not a box; pass at least one")
    return box_from_edges(
        min(b.left for b in found),
        min(b.top for b in found),
        max(b.right for b in found),
        max(b.bottom for b in found),
    )


def union_of_rows(rows: BoxArray) -> Box:
    """Return the smallest box around an (n, 4) array of boxes, n >= 1."""
    if len(rows) == 0:
        raise ValueError("the union of no boxes is not a box; pass at least one")
    left, top = rows[:, 0].min(), rows[:, 1].min()
    return box_from_edges(
        float(left),
        float(top),
        float((rows[:, 0] + rows[:, 2]).max()),
        float((rows[:, 1] + rows[:, 3]).max()),
    )


def intersection(a: Box, b: Box) -> Box | None:
    """Return the common part of two boxes, or None when they share no area."""
    left, top = max(a.left, b.left), max(a.top, b.top)
    right, bottom = min(a.right, b.right), min(a.bottom, b.bottom)
    if right <= left or bottom <= top:
        return None
    return box_from_edges(left, top, right, bottom)


def iou(a: Box, b: Box) -> float:
    """Return intersection over union in 0-1; two empty boxes give 0."""
    common = intersection(a, b)
    if common is None:
        return 0.0
    return common.area / (a.area + b.area - common.area)


def clamp(box: Box) -> Box:
    """Return the part of the box that lies on the page (0-1 on both axes)."""
    return box_from_edges(
        min(max(box.left, 0.0), 1.0),
        min(max(box.top, 0.0), 1.0),
        min(max(box.right, 0.0), 1.0),
        min(max(box.bottom, 0.0), 1.0),
    )
