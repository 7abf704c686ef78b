"""Page pictures preprocessed for reading: light equalized, specks removed, skew and quarter turns undone.

Pixels only. Every step that moves pixels is part of `Upright.to_original`, so a box found on the upright
picture finds its way back to the picture as it was given.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Grey = NDArray[np.uint8]
"""(height, width), 255 white."""

Matrix = NDArray[np.float64]
"""(2, 3): x', y' = matrix @ (x, y, 1)."""

_MOST_SKEW = 6.0  # degrees; a sheet fed worse than that jams
_LEAST_SKEW = 0.08  # below it a letter-wide line climbs by less than 3 pixels at 200 dpi
_SPECK_CONTRAST = 90  # how far a lone pixel must differ from its neighbours to be a speck


@dataclass(frozen=True, eq=False)
class Upright:
    """A picture with its lines level, and the way from its pixels to those of the original."""

    grey: Grey
    to_original: Matrix

    def boxes_to_original(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (n, 4) edges on this picture as edges on the original: the hull of what was turned."""
        if not len(boxes):
            return boxes
        corners = boxes[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]  # (n, 4, 2)
        turned = corners @ self.to_original[:, :2].T + self.to_original[:, 2]
        return np.concatenate([turned.min(axis=1), turned.max(axis=1)], axis=1)


def clean(grey: Grey) -> Grey:
    """Return the picture with the paper's shading equalized and lone specks removed."""
    return _despeckled(_evened(np.ascontiguousarray(grey)))


def smoothed(grey: Grey) -> Grey:
    """Return a second rendering: softer, so that frayed edges and lost dots of a fax close up."""
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0), np.uint8)


def as_given(grey: Grey) -> Upright:
    """Return the picture unmoved."""
    return Upright(grey, np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))


def moved_as(grey: Grey, picture: Upright) -> Grey:
    """Return a picture of the same sheet moved as the upright one was, pixel on pixel."""
    there = np.asarray(cv2.invertAffineTransform(picture.to_original), np.float64)
    return _moved(grey, there, picture.grey.shape)


def turned(picture: Upright, quarters: int) -> Upright:
    """Return the picture turned clockwise by 0 to 3 quarters."""
    height, width = picture.grey.shape
    back = {
        0: [[1, 0, 0], [0, 1, 0]],
        1: [[0, 1, 0], [-1, 0, height]],
        2: [[-1, 0, width], [0, -1, height]],
        3: [[0, -1, width], [1, 0, 0]],
    }[quarters % 4]
    return Upright(
        np.ascontiguousarray(np.rot90(picture.grey, -quarters)),
        _chained(picture.to_original, np.array(back, np.float64)),
    )


def levelled(picture: Upright) -> Upright:
    """Return the picture turned so that its lines are level."""
    degrees = skew(picture.grey)
    if abs(degrees) < _LEAST_SKEW:
        return picture
    height, width = picture.grey.shape
    there = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1.0), np.float64)
    back = np.asarray(cv2.invertAffineTransform(there), np.float64)
    return Upright(_moved(picture.grey, there, (height, width)), _chained(picture.to_original, back))


def skew(grey: Grey) -> float:
    """Return by how many degrees the lines climb to the right; 0 when there is too little to tell.

    The baselines of letters are projected along every angle; where lines are level, most fall on few rows.
    """
    x, y = _baselines(grey)
    if len(x) < 20:
        return 0.0

    def sharpness(degrees: float) -> float:
        rows = y + x * math.tan(math.radians(degrees))
        counts = np.bincount(np.rint((rows - rows.min()) * 2).astype(np.int64)).astype(np.float64)
        pairs = counts[:-1] + counts[1:]  # a foot on the border of two rows counts for both
        return float((pairs**2).sum())

    coarse = max(np.arange(-_MOST_SKEW, _MOST_SKEW + 0.01, 0.2), key=sharpness)
    best = float(max(np.arange(coarse - 0.2, coarse + 0.21, 0.04), key=sharpness))
    # a page of pictures has some best angle too, but hardly a better one than level
    return best if sharpness(best) > 1.15 * sharpness(0.0) else 0.0


def ink_of(grey: Grey) -> NDArray[np.bool_]:
    """Return where the ink is, without the rules of tables and forms."""
    _, dark = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    side = max(grey.shape)
    long, thick = max(40, side // 28), max(3, side // 300)  # 0.4 inch of a letter page, and 0.04
    ink = np.asarray(dark, np.uint8)
    for kernel, across in (((long, 1), 3), ((1, long), 2)):
        rules = cv2.morphologyEx(ink, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_RECT, kernel))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(rules, connectivity=8)
        if count > 1:
            thin = stats[:, across] <= thick
            thin[0] = False  # the background
            ink[thin[labels]] = 0
    return ink > 0


def _baselines(grey: Grey) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bottom middles of letter-sized spots on a picture of at most 1,000 pixels a side."""
    factor = min(1.0, 1000.0 / max(grey.shape))
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    _, dark = cv2.threshold(small, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    left, top, width, height, area = (stats[1:, at].astype(np.float64) for at in range(5))
    letters = (height >= 3) & (height < 40) & (width < 80) & (area >= 4)
    x, y = (left + width / 2)[letters], (top + height)[letters]
    if len(x) > 6000:  # enough to see an angle; a newspaper page has 20,000
        chosen = np.linspace(0, len(x) - 1, 6000).astype(np.int64)
        x, y = x[chosen], y[chosen]
    return x, y


def _evened(grey: Grey) -> Grey:
    """Divide by the paper's own light where it varies (a phone photo, a grey fax)."""
    if min(grey.shape) < 64:  # too small to have a shadow
        return grey
    small = cv2.resize(grey, None, fx=0.125, fy=0.125, interpolation=cv2.INTER_AREA)
    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    paper = cv2.GaussianBlur(paper, (0, 0), 4)
    darkest, usual = np.percentile(paper, 2), np.percentile(paper, 50)
    if darkest > 225 or usual < 100:  # white paper, or white on black where "paper" means nothing
        return grey
    light = cv2.resize(paper, (grey.shape[1], grey.shape[0]), interpolation=cv2.INTER_LINEAR)
    light = np.maximum(light, 60)  # dark pictures stay dark
    return np.asarray(cv2.divide(grey, light, scale=245), np.uint8)


def _despeckled(grey: Grey) -> Grey:
    middle = cv2.medianBlur(grey, 3)
    specks = cv2.absdiff(grey, middle) > _SPECK_CONTRAST
    # a thin stroke differs from its median too: a speck is alone, a stroke goes on
    alone = cv2.filter2D(specks.astype(np.uint8), cv2.CV_8U, np.ones((3, 3), np.uint8)) <= 2
    return np.where(specks & alone, middle, grey)


def _moved(grey: Grey, there: Matrix, shape: tuple[int, ...]) -> Grey:
    """Return the picture moved by a matrix from its pixels to those of a sheet of `shape`."""
    moved = cv2.warpAffine(
        grey,
        there,
        (shape[1], shape[0]),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=255,
    )
    return np.asarray(moved, np.uint8)


def _chained(outer: Matrix, inner: Matrix) -> Matrix:
    last = np.array([[0.0, 0.0, 1.0]])
    return np.asarray((np.concatenate([outer, last]) @ np.concatenate([inner, last]))[:2])
