"""A page of a replaced document laid over the page of the new one: what stands at one place on both.

Recognition reads columns, forms and wide spacing in an order of its own: what two readings of one print have
in common is where each word stands. A scan is moved, turned and stretched as a whole; the words that are on
each page once say how. What stands nowhere on the other page was added or taken out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citation_pipeline.core.documents.parsed import Words
from citation_pipeline.core.matching.folding import fold

_FEWEST_ANCHORS = 8  # words that are once on either page
_LEAST_LETTERS = 3  # of such a word
_ROUNDS = 3  # each direction is fitted with the other's last fit
_WIDE_ENOUGH = 0.1  # of the page, between the words that tell how it is stretched
_LEAST_FIT = 0.8  # of the anchors, near where the fit puts them
# of a word's height, along the line and across: what is far from the rest tells most, and is off most
_OFF = ((3.0, 1.5), (2.0, 1.0), (2.0, 0.5))
_SHARED = (0.3, 0.4)  # of the smaller box, along the line and across: both boxes are of one print

Boxes = NDArray[np.float64]
Fit = tuple[float, float, float]  # weights of x and y, and a shift


@dataclass(frozen=True)
class Spot:
    """What stands at one place, by word ids from left to right: of the old page, and of the new one."""

    ours: tuple[int, ...]
    theirs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class OverlaidPages:
    """A page of the old document and the page of the new one, cut into spots.

    `boxes` (n, 4) are of the new page's words as they lie on the old page, in the order of `new`.
    """

    before: Words
    after: Words
    old: Sequence[int]
    new: Sequence[int]
    boxes: Boxes
    spots: Sequence[Spot]


def overlay_pages(
    before: Words, old: Sequence[int], after: Words, new: Sequence[int]
) -> OverlaidPages | None:
    """Lay a page's words (`old`) over another's (`new`); None where no shift, turn and stretch does it."""
    anchors = _anchors(before, old, after, new)
    if len(anchors) < _FEWEST_ANCHORS:
        return None
    theirs = middles_of(after.boxes[[b for _, b in anchors]])
    ours = middles_of(before.boxes[[a for a, _ in anchors]])
    fits = [_fit(theirs, ours[:, axis], axis) for axis in (0, 1)]
    height = float(np.median(before.boxes[list(old), 3]))
    for off in _OFF:
        is_near = (np.abs(_laid(fits, theirs) - ours) <= np.array(off) * height).all(axis=1)
        if float(np.mean(is_near)) < _LEAST_FIT:
            return None
        fits = [_refined(fit, theirs[is_near], ours[is_near, axis]) for axis, fit in enumerate(fits)]
    boxes = after.boxes[list(new)].astype(np.float64)
    middles = middles_of(boxes)
    sizes = boxes[:, 2:] * np.array([abs(fits[0][0]), abs(fits[1][1])])
    boxes = np.column_stack([_laid(fits, middles) - sizes / 2, sizes])
    return OverlaidPages(
        before, after, old, new, boxes, _mended(_spots(before, old, new, boxes), before, after)
    )


def middles_of(boxes: Boxes) -> Boxes:
    """Return the middles of boxes, (n, 2)."""
    middles: Boxes = boxes[:, :2].astype(np.float64) + boxes[:, 2:] / 2
    return middles


def _anchors(before: Words, old: Sequence[int], after: Words, new: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of words that are once on either page."""
    ours, theirs = _once(before, old), _once(after, new)
    return sorted((word, theirs[key]) for key, word in ours.items() if key in theirs)


def _once(words: Words, page: Sequence[int]) -> dict[bytes, int]:
    keys = {word: fold(words.texts[word]) for word in page}
    counts = Counter(keys.values())
    return {key: word for word, key in keys.items() if counts[key] == 1 and len(key) >= _LEAST_LETTERS}


def _fit(points: Boxes, target: NDArray[np.float64], axis: int) -> Fit:
    """Return the weights of x and y and the shift that lead from points to one coordinate of others."""
    along, across = points[:, axis], points[:, 1 - axis]
    slope, tilt, shift = 1.0, 0.0, 0.0
    for _ in range(_ROUNDS):
        slope, _ = straight_line(along, target - tilt * across, flat=1.0)
        tilt, shift = straight_line(across, target - slope * along, flat=0.0)
    return (slope, tilt, shift) if axis == 0 else (tilt, slope, shift)


def _refined(fit: Fit, points: Boxes, target: NDArray[np.float64]) -> Fit:
    """Return the least squares' fit where the points are spread over the page, else the one there is."""
    middle = points.mean(axis=0)
    spread = points - middle
    if float(np.linalg.svd(spread, compute_uv=False)[-1]) < _WIDE_ENOUGH * np.sqrt(len(points)):
        return fit
    x, y = np.linalg.lstsq(spread, target - target.mean(), rcond=None)[0].tolist()
    return x, y, float(target.mean() - x * middle[0] - y * middle[1])


def _laid(fits: Sequence[Fit], points: Boxes) -> Boxes:
    """Return where points of the new page lie on the old one."""
    laid: Boxes = np.column_stack([x * points[:, 0] + y * points[:, 1] + shift for x, y, shift in fits])
    return laid


def straight_line(a: NDArray[np.float64], b: NDArray[np.float64], *, flat: float) -> tuple[float, float]:
    """Return slope and shift of b over a, from the outer thirds' medians: a few wrong pairs move neither.

    `flat` is the slope where the points lie too near to each other to tell.
    """
    order = np.argsort(a, kind="stable")
    third = max(len(order) // 3, 1)
    low, high = order[:third], order[-third:]
    width = float(np.median(a[high]) - np.median(a[low]))
    slope = float(np.median(b[high]) - np.median(b[low])) / width if width > _WIDE_ENOUGH else flat
    return slope, float(np.median(b - slope * a))


def _spots(before: Words, old: Sequence[int], new: Sequence[int], laid: Boxes) -> list[Spot]:
    """Return the words of both pages by the places where their boxes overlap."""
    own = before.boxes[list(old)].astype(np.float64)
    touching = np.ones((len(old), len(new)), np.bool_)
    for axis, share in enumerate(_SHARED):
        low = np.maximum(own[:, None, axis], laid[None, :, axis])
        high = np.minimum(
            own[:, None, axis] + own[:, None, axis + 2], laid[None, :, axis] + laid[None, :, axis + 2]
        )
        touching &= high - low > share * np.minimum(own[:, None, axis + 2], laid[None, :, axis + 2])
    groups = _connected(touching)
    found: dict[int, tuple[list[int], list[int]]] = {}
    for number, at in enumerate(groups[: len(old)]):
        found.setdefault(at, ([], []))[0].append(number)
    for number, at in enumerate(groups[len(old) :]):
        found.setdefault(at, ([], []))[1].append(number)
    return [
        Spot(
            tuple(old[n] for n in sorted(ours, key=lambda n: float(own[n, 0]))),
            tuple(new[n] for n in sorted(theirs, key=lambda n: float(laid[n, 0]))),
        )
        for ours, theirs in found.values()
    ]


def _mended(spots: Sequence[Spot], before: Words, after: Words) -> list[Spot]:
    """Put places together that say the same only together: a part of a torn word was read with the next."""

    def is_same(spot: Spot) -> bool:
        ours, theirs = (before.texts[word] for word in spot.ours), (after.texts[word] for word in spot.theirs)
        return fold("".join(ours)) == fold("".join(theirs))

    mended: list[Spot] = [spot for spot in spots if is_same(spot) or not spot.ours]
    torn = sorted((spot for spot in spots if not is_same(spot) and spot.ours), key=lambda spot: spot.ours)
    at = 0
    while at < len(torn):
        spot = torn[at]
        if at + 1 < len(torn):
            after_it = torn[at + 1]
            both = Spot((*spot.ours, *after_it.ours), (*spot.theirs, *after_it.theirs))
            if after_it.ours[0] == spot.ours[-1] + 1 and is_same(both):
                spot, at = both, at + 1
        mended.append(spot)
        at += 1
    return mended


def _connected(touching: NDArray[np.bool_]) -> list[int]:
    """Return for each row and then each column the number of the group that it is connected with."""
    rows, columns = touching.shape
    group = list(range(rows + columns))

    def root(at: int) -> int:
        while group[at] != at:
            group[at] = group[group[at]]
            at = group[at]
        return at

    for row, column in np.argwhere(touching).tolist():
        group[root(row)] = root(rows + column)
    return [root(at) for at in range(rows + columns)]
