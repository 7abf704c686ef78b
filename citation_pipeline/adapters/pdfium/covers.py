"""What a page draws that may hide text: areas drawn after it, and pictures, that it may be lost in."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pypdfium2.raw as raw
from numpy.typing import NDArray

from citation_pipeline.adapters.pdfium.calls import Object, page_objects
from citation_pipeline.adapters.pdfium.characters import PageText
from citation_pipeline.adapters.pdfium.paper import Paper
from citation_pipeline.core.layout.content import NO_EDGES, EdgeArray

Bounds = tuple[float, float, float, float]

_LAST = 1 << 30  # drawn after everything: whatever lies on a picture is looked at
_LEAST = 3.0  # points of both sides: dots and rules hide nothing
_AT_ONCE = 100_000  # pairs of an area and a run
_MOST = 300  # a chart's bars; the largest are kept


@dataclass(frozen=True, eq=False)
class Hiding:
    """The edges of what lies on text, and the addresses of pictures that no text is on.

    These need not be drawn for it.
    """

    edges: EdgeArray
    pictures_aside: Sequence[int] = ()


class Covers:
    """Collects areas in PDF space, and when each is drawn."""

    def __init__(self) -> None:
        self._bounds: list[Bounds] = []
        self._orders: list[int] = []
        self._pictures: list[tuple[Bounds, int]] = []
        self.objects: Sequence[Object] = ()
        """All objects of the page where somebody has listed them."""

    def add(self, bounds: Bounds, order: int = _LAST) -> None:
        """Take an area (left, bottom, right, top) that the page's object number `order` draws."""
        if bounds[2] - bounds[0] >= _LEAST and bounds[3] - bounds[1] >= _LEAST:
            self._bounds.append(bounds)
            self._orders.append(order)

    def add_picture(self, bounds: Bounds, item: int) -> None:
        """Take the picture at an address: print over it may be lost in it, so it counts as drawn last."""
        self.add(bounds)
        self._pictures.append((bounds, item))

    def over(self, page: raw.FPDF_PAGE, paper: Paper, text: PageText) -> Hiding:
        """Return what lies on text that was drawn before it."""
        if not self._bounds and not self._pictures:
            return Hiding(NO_EDGES)
        edges, orders = paper.from_pdf(np.array(self._bounds).reshape(-1, 4)), np.array(self._orders)
        largest = np.argsort(-(edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1]))[:_MOST]
        edges, orders = edges[largest], orders[largest]
        whole = np.isfinite(edges).all(axis=1)
        edges, orders = edges[whole], orders[whole]
        starts = np.flatnonzero(np.diff(text.characters.runs, prepend=-1))
        places = text.paper_edges(paper)
        runs = np.column_stack(
            [
                *(np.minimum.reduceat(places[:, side], starts) for side in (0, 1)),
                *(np.maximum.reduceat(places[:, side], starts) for side in (2, 3)),
            ]
        )
        drawn = _orders_of(self.objects or page_objects(page), text)
        hides = np.zeros(len(edges), np.bool_)
        step = max(1, _AT_ONCE // len(runs))
        for at in range(0, len(edges), step):
            some = slice(at, at + step)
            reached = reach_into(runs, edges[some, None])
            hides[some] = ((drawn < orders[some, None]) & reached).any(axis=1)
        aside = [
            item
            for bounds, item in self._pictures
            if not reach_into(runs, paper.from_pdf(np.array([bounds]))[0]).any()
        ]
        return Hiding(edges[hides], aside)


def reach_into(edges: EdgeArray, area: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which edges share more than a point across and down with an area, or for each of some areas of
    shape (k, 1, 4)."""
    across = np.minimum(edges[:, 2], area[..., 2]) - np.maximum(edges[:, 0], area[..., 0])
    down = np.minimum(edges[:, 3], area[..., 3]) - np.maximum(edges[:, 1], area[..., 1])
    found: NDArray[np.bool_] = (across > 1) & (down > 1)
    return found


def _orders_of(objects: Sequence[Object], text: PageText) -> NDArray[np.int64]:
    """Return when each run is drawn; one inside a form counts as the first."""
    numbers = {item: index for index, (item, _) in enumerate(objects)}
    return np.array([numbers.get(piece, -1) for piece in text.pieces.tolist()], np.int64)
